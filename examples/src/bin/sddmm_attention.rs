//! Sparse attention, `O = softmax(M + Q·Kᵀ/√d)·V`, where the mask M is −∞ but for the pairs that may see each other.
//!
//! The scores are computed where the mask is stored (a sampled dense-dense product, SDDMM) and are −∞ elsewhere,
//! which is the fill of their format: that `exp` of a score that is not stored is zero, so that the weights are
//! sparse, is not said anywhere, the compiler derives it.
//!
//! `cargo run --release -p examples --bin sddmm_attention -- [MASK.mtx[.gz]] [--width 64]`

use clap::Parser;
use examples::{Outcome, finish, println, progress, square};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// Scaled scores of the pairs that the mask admits.
    fn scores(
        M: Tensor<f32, Filled<(Dense, Compressed), NegInf>>,
        Q: DenseMat<f32>,
        K: DenseMat<f32>,
        scale: f32,
    ) -> Tensor<f32, Filled<(Dense, Compressed), NegInf>> {
        S[i, j] = M[i, j] + scale * Q[i, c] * K[j, c];
    }
}

tensor_kernel! {
    /// The largest score of each row, which keeps `exp` in range.
    fn row_max(S: Tensor<f32, Filled<(Dense, Compressed), NegInf>>) -> DenseVec<f32> {
        m[i] max= S[i, j];
    }
}

tensor_kernel! {
    /// Weights that still lack their normalisation.
    fn exponentials(S: Tensor<f32, Filled<(Dense, Compressed), NegInf>>, m: DenseVec<f32>) -> Csr<f32> {
        E[i, j] = exp(S[i, j] - m[i]);
    }
}

tensor_kernel! {
    /// What normalises them.
    fn row_sum(E: Csr<f32>) -> DenseVec<f32> {
        z[i] = E[i, j];
    }
}

tensor_kernel! {
    /// Means of the rows of V by the weights.
    fn mix(E: Csr<f32>, z: DenseVec<f32>, V: DenseMat<f32>) -> DenseMat<f32> {
        O[i, c] = E[i, j] / z[i] * V[j, c];
    }
}

/// A mask: 0 where a token sees another, −∞ where nothing is stored.
type Mask = Tensor<f32, Filled<(Dense, Compressed), NegInf>>;

/// Attends along a sparse mask.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market file whose entries say which token (row) sees which (column); by default, a window along the
    /// sequence and a few tokens that see, and are seen by, all
    mask: Option<PathBuf>,
    /// Size of a head
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    width: u16,
    /// Use a short sequence
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, mut mask): (_, Mask) = match &arguments.mask {
        Some(file) => (file.display().to_string(), io::read_matrix_market_with(file, progress(file))?),
        None if arguments.quick => ("window of 8 and 2 global tokens".into(), window(96, 8, 2)?),
        None => ("window of 32 and 4 global tokens".into(), window(2048, 32, 4)?),
    };
    let n = square(&name, mask.dims())?;
    mask.vals_mut().fill(0.0);
    let share = 100.0 * mask.stored() as f64 / (n as f64 * n as f64);
    println!("{name}: {n} tokens, {} pairs ({share:.2} %), heads of {}", mask.stored(), arguments.width);

    let [q, k, v] = [1, 2, 3].map(|seed| DenseMat::try_random([n, arguments.width as usize], seed));
    let (q, k, v) = (q?, k?, v?);
    let start = std::time::Instant::now();
    let s = scores(&mask, &q, &k, scale(&q))?;
    let e = exponentials(&s, &row_max(&s)?)?;
    let o = mix(&e, &row_sum(&e)?, &v)?;
    println!("  attended in {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    let (rows, error) = verify(&mask, &q, &k, &v, &o)?;
    println!("  verified against dense attention in {rows} rows: largest error {error:.1e}");
    Ok(())
}

fn scale(q: &DenseMat<f32>) -> f32 {
    1.0 / (q.dim(1) as f32).sqrt()
}

/// Tokens see those at most `reach` away; the first `global` ones see, and are seen by, all.
fn window(n: usize, reach: usize, global: usize) -> Result<Mask, Error> {
    let sees = move |i: usize, j: usize| i.abs_diff(j) <= reach || i < global || j < global;
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| [i, j])).filter(move |&[i, j]| sees(i, j));
    Mask::from_triplets([n, n], pairs.map(|at| (at, 0.0)))
}

/// Dense attention, in `f64`, for rows spread over the sequence: how many, and the largest error.
fn verify(
    mask: &Mask,
    q: &DenseMat<f32>,
    k: &DenseMat<f32>,
    v: &DenseMat<f32>,
    o: &DenseMat<f32>,
) -> Outcome<(usize, f64)> {
    let [n, width] = q.dims();
    let rows = (4_000_000 / n).clamp(4, 128);
    let scale = 1.0 / (width as f64).sqrt();
    let row = |m: &'_ DenseMat<f32>, i: usize| m.vals()[i * width..][..width].to_vec();
    let (mut checked, mut worst) = (0, 0.0f64);
    for i in (0..n).step_by(n.div_ceil(rows)) {
        let query = row(q, i);
        let dots = k
            .vals()
            .chunks_exact(width)
            .map(|key| key.iter().zip(&query).map(|(&a, &b)| a as f64 * b as f64).sum::<f64>());
        let logits: Vec<f64> =
            dots.enumerate().map(|(j, dot)| mask.get([i, j]) as f64 + scale * dot).collect();
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = match largest.is_finite() {
            true => logits.iter().map(|l| (l - largest).exp()).collect(),
            // A token that sees none gets nothing.
            false => vec![0.0; n],
        };
        let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut expected = vec![0.0; width];
        for (value, weight) in v.vals().chunks_exact(width).zip(&weights) {
            expected.iter_mut().zip(value).for_each(|(e, &x)| *e += weight / total * x as f64);
        }
        for (c, (found, expected)) in row(o, i).into_iter().zip(expected).enumerate() {
            let error = (found as f64 - expected).abs();
            if error.is_nan() || error > 1e-4 {
                return Err(format!("O[{i}, {c}] is {found}, dense attention gives {expected}").into());
            }
            worst = worst.max(error);
        }
        checked += 1;
    }
    Ok((checked, worst))
}
