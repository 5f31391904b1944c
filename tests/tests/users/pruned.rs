//! Pruned layers: 2 of 4 weights, blocks, and sampled gradients.

use super::{at, check, coords, entries, everywhere, matrix, sparse};
use sparse_gpu::prelude::*;

/// Two weights of each four.
type TwoOfFour = Tensor<f64, (Dense, Dense, Compressed)>;
/// Rows of dense blocks.
type Bcsr = Tensor<f64, (Dense, Compressed, Dense, Dense)>;

tensor_kernel! {
    fn structured(W: Tensor<f64, (Dense, Dense, Compressed)>, X: Dense3<f64>) -> DenseMat<f64> {
        Y[o, n] = W[o, g, e] * X[g, e, n];
    }
}
tensor_kernel! {
    fn blocked(W: Tensor<f64, (Dense, Compressed, Dense, Dense)>, X: Dense3<f64>) -> Dense3<f64> {
        Y[i, a, n] = W[i, j, a, b] * X[j, b, n];
    }
}
tensor_kernel! {
    /// Back through the layer: Wᵀ·G.
    fn back(W: Tensor<f64, (Dense, Compressed, Dense, Dense)>, G: Dense3<f64>) -> Dense3<f64> {
        X[j, b, n] = W[i, j, a, b] * G[i, a, n];
    }
}
tensor_kernel! {
    /// The gradient of the blocks that there are.
    fn gradient(
        M: Csr<f64>, G: Dense3<f64>, X: Dense3<f64>
    ) -> Tensor<f64, (Dense, Compressed, Dense, Dense)> {
        D[i, j, a, b] = M[i, j] * G[i, a, n] * X[j, b, n];
    }
}
tensor_kernel! {
    fn step(
        W: Tensor<f64, (Dense, Compressed, Dense, Dense)>, D: Tensor<f64, (Dense, Compressed, Dense, Dense)>, rate: f64
    ) -> Tensor<f64, (Dense, Compressed, Dense, Dense)> {
        V[i, j, a, b] = W[i, j, a, b] - rate * D[i, j, a, b];
    }
}
tensor_kernel! {
    fn multiply(
        W: Tensor<f64, (Dense, Compressed, Dense, Dense)>, V: Tensor<f64, (Dense, Compressed, Dense, Dense)>
    ) -> Tensor<f64, (Dense, Compressed, Dense, Dense)> {
        U[i, k, a, c] = W[i, j, a, b] * V[j, k, b, c];
    }
}
tensor_kernel! {
    fn transpose(W: Tensor<f64, (Dense, Compressed, Dense, Dense)>) -> Tensor<f64, (Dense, Compressed, Dense, Dense)> {
        T[j, i, b, a] = W[i, j, a, b];
    }
}
tensor_kernel! {
    /// How large each block is.
    fn norms(W: Tensor<f64, (Dense, Compressed, Dense, Dense)>) -> Csr<f64> {
        N[i, j] = W[i, j, a, b] * W[i, j, a, b];
    }
}
tensor_kernel! {
    /// Weights below a threshold become stored zeros.
    fn prune(W: Csr<f64>, least: f64) -> Csr<f64> {
        P[i, j] = W[i, j] * (abs(W[i, j]) >= least);
    }
}

const DIMS: [usize; 4] = [5, 6, 3, 2];

fn blocks(seed: u64, dims: [usize; 4]) -> super::Entries<4> {
    let mut all = super::Entries::new();
    let mut number = super::numbers(seed);
    for [i, j] in entries([dims[0], dims[1]], seed).keys() {
        for [a, b] in coords([dims[2], dims[3]]) {
            all.insert([*i, *j, a, b], number() as f64);
        }
    }
    all
}

fn three(dims: [usize; 3], seed: u64) -> Result<Dense3<f64>, Error> {
    let flat = matrix([dims[0], dims[1] * dims[2]], seed)?;
    Dense3::from_dense(dims, flat.vals().to_vec())
}

#[test]
fn two_of_four() -> Result<(), Error> {
    let mut all = super::Entries::new();
    for [o, g] in coords([6, 4]) {
        all.insert([o, g, o % 2], (o + g) as f64);
        all.insert([o, g, 2 + g % 2], 1.0 - g as f64);
    }
    let w: TwoOfFour = sparse([6, 4, 4], &all)?;
    assert_eq!(w.stored(), 48);
    let x = three([4, 4, 5], 3)?;
    check(&everywhere!(structured, &w, &x), |[o, n]| {
        coords([4, 4]).map(|[g, e]| at(&all, [o, g, e]) * x.get([g, e, n])).sum()
    });
    Ok(())
}

#[test]
fn a_blocked_layer() -> Result<(), Error> {
    let [m, n, h, w] = DIMS;
    let all = blocks(3, DIMS);
    let weights: Bcsr = sparse(DIMS, &all)?;
    let x = three([n, w, 4], 4)?;
    let y = everywhere!(blocked, &weights, &x);
    check(&y, |[i, a, c]| coords([n, w]).map(|[j, b]| at(&all, [i, j, a, b]) * x.get([j, b, c])).sum());
    let g = three([m, h, 4], 5)?;
    check(&everywhere!(back, &weights, &g), |[j, b, c]| {
        coords([m, h]).map(|[i, a]| at(&all, [i, j, a, b]) * g.get([i, a, c])).sum()
    });
    let mask: Csr<f64> =
        Csr::from_triplets([m, n], all.keys().filter(|k| k[2..] == [0, 0]).map(|k| ([k[0], k[1]], 1.0)))?;
    let d = everywhere!(gradient, &mask, &g, &x);
    assert_eq!(d.stored(), weights.stored());
    let change = |[i, j, a, b]: [usize; 4]| {
        mask.get([i, j]) * (0..4).map(|c| g.get([i, a, c]) * x.get([j, b, c])).sum::<f64>()
    };
    check(&d, change);
    let next = everywhere!(step, &weights, &d; 0.25);
    assert_eq!(next.stored(), weights.stored());
    check(&next, |c| at(&all, c) - 0.25 * change(c));
    Ok(())
}

#[test]
fn blocks_with_blocks() -> Result<(), Error> {
    let all = blocks(3, DIMS);
    let weights: Bcsr = sparse(DIMS, &all)?;
    let t = everywhere!(transpose, &weights);
    assert_eq!(t.stored(), weights.stored());
    check(&t, |[j, i, b, a]| at(&all, [i, j, a, b]));
    let [m, n, h, w] = DIMS;
    let other = blocks(5, [n, m, w, h]);
    let v: Bcsr = sparse([n, m, w, h], &other)?;
    check(&everywhere!(multiply, &weights, &v), |[i, k, a, c]| {
        coords([n, w]).map(|[j, b]| at(&all, [i, j, a, b]) * at(&other, [j, k, b, c])).sum()
    });
    check(&everywhere!(norms, &weights), |[i, j]| {
        coords([h, w]).map(|[a, b]| at(&all, [i, j, a, b]).powi(2)).sum()
    });
    let flat = entries([9, 8], 3);
    let f: Csr<f64> = sparse([9, 8], &flat)?;
    let pruned = everywhere!(prune, &f; 3.0);
    assert_eq!(pruned.stored(), f.stored());
    check(&pruned, |c| if at(&flat, c).abs() >= 3.0 { at(&flat, c) } else { 0.0 });
    Ok(())
}
