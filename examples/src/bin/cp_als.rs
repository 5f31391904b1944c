//! CP decomposition of a sparse tensor, `X[i, j, k] ≈ Σr A[i, r]·B[j, r]·C[k, r]`, by alternating least squares: each
//! sweep solves for one factor after the other, from the tensor times the two others (MTTKRP) and their Gram matrices.
//!
//! `cargo run --release -p examples --bin cp_als -- [FILE.tns[.gz]] [--rank 8] [--sweeps 20]`

use clap::Parser;
use examples::cholesky::Cholesky;
use examples::{Outcome, finish, println, progress};
use sparse_gpu::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// MTTKRP for the first factor. All three read the one tensor, stored by i, then j, then k.
    fn mttkrp_a(X: Csf3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        A[i, r] = X[i, j, k] * B[j, r] * C[k, r];
    }
}

tensor_kernel! {
    /// For the second.
    fn mttkrp_b(X: Csf3<f64>, A: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        B[j, r] = X[i, j, k] * A[i, r] * C[k, r];
    }
}

tensor_kernel! {
    /// For the third.
    fn mttkrp_c(X: Csf3<f64>, A: DenseMat<f64>, B: DenseMat<f64>) -> DenseMat<f64> {
        C[k, r] = X[i, j, k] * A[i, r] * B[j, r];
    }
}

tensor_kernel! {
    /// Inner products of a factor's columns.
    fn gram(F: DenseMat<f64>) -> DenseMat<f64> {
        G[r, s] = F[i, r] * F[i, s];
    }
}

tensor_kernel! {
    /// Element by element.
    fn hadamard(G: DenseMat<f64>, H: DenseMat<f64>) -> DenseMat<f64> {
        V[r, s] = G[r, s] * H[r, s];
    }
}

tensor_kernel! {
    /// Sum of the products of elements.
    fn inner(F: DenseMat<f64>, G: DenseMat<f64>) -> Scalar<f64> {
        s = F[i, r] * G[i, r];
    }
}

tensor_kernel! {
    /// |X|²
    fn norm_squared(X: Csf3<f64>) -> Scalar<f64> {
        s = X[i, j, k] * X[i, j, k];
    }
}

/// Decomposes a sparse tensor of three dimensions into a sum of outer products.
#[derive(Parser)]
struct Arguments {
    /// FROSTT file, plain or gzip; by default, a sum of five outer products of sparse vectors
    file: Option<PathBuf>,
    /// Number of outer products
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=512))]
    rank: u16,
    /// How often to solve for each factor, at most
    #[arg(long, default_value_t = 20)]
    sweeps: usize,
    /// Generate a small tensor
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, x): (_, Csf3<f64>) = match &arguments.file {
        Some(file) => (file.display().to_string(), io::read_tns_with(file, None, progress(file))?),
        None => {
            let dims = if arguments.quick { [24, 20, 16] } else { [120, 100, 80] };
            ("five sparse outer products".into(), outer_products(dims, 5, 0.25)?)
        }
    };
    println!("{name}: {:?}, {} entries, rank {}", x.dims(), x.stored(), arguments.rank);
    let norm = norm_squared(&x)?.value()?.sqrt();
    if !norm.is_normal() {
        return Err(format!("{name}: the tensor's norm is {norm}, there is nothing to decompose").into());
    }
    let model = alternate(&x, norm, arguments)?;
    let fit = plain_fit(&x, &model);
    if (fit - model.fit).abs() > 1e-6 {
        return Err(format!("the fit is {fit} by plain loops, not {}", model.fit).into());
    }
    println!("  verified: plain loops find the fit {fit:.6}, and it never fell");
    Ok(())
}

/// The factors, and how well they fit: 1 − |X − model| / |X|.
struct Model {
    factors: [DenseMat<f64>; 3],
    fit: f64,
}

fn alternate(x: &Csf3<f64>, norm: f64, arguments: &Arguments) -> Outcome<Model> {
    let rank = arguments.rank as usize;
    let start = |d: usize| DenseMat::<f64>::try_random([x.dim(d), rank], d as u64 + 1);
    let [mut a, mut b, mut c] = [start(0)?, start(1)?, start(2)?];
    let mut fit = f64::NEG_INFINITY;
    for sweep in 1..=arguments.sweeps.max(1) {
        a = solve(mttkrp_a(x, &b, &c)?, &hadamard(&gram(&b)?, &gram(&c)?)?)?;
        b = solve(mttkrp_b(x, &a, &c)?, &hadamard(&gram(&a)?, &gram(&c)?)?)?;
        let (m, v) = (mttkrp_c(x, &a, &b)?, hadamard(&gram(&a)?, &gram(&b)?)?);
        c = solve(m.clone(), &v)?;

        // |X − Y|² = |X|² − 2⟨X, Y⟩ + |Y|², of which the last MTTKRP has done the work.
        let (cross, own) = (inner(&m, &c)?.value()?, inner(&v, &gram(&c)?)?.value()?);
        let residual = (norm * norm - 2.0 * cross + own).max(0.0).sqrt();
        let (before, now) = (fit, 1.0 - residual / norm);
        println!("  sweep {sweep:>3}: fit {now:.6}");
        if now.is_nan() || now < before - 1e-6 {
            return Err(format!("the fit fell from {before} to {now}").into());
        }
        fit = now;
        if now - before < 1e-7 {
            break;
        }
    }
    Ok(Model { factors: [a, b, c], fit })
}

/// The factor F with F·V = M.
fn solve(mut m: DenseMat<f64>, v: &DenseMat<f64>) -> Outcome<DenseMat<f64>> {
    let rank = v.dim(0);
    let system =
        Cholesky::new(rank, v.vals()).ok_or("the factors' columns depend on each other: lower --rank")?;
    m.vals_mut().chunks_exact_mut(rank).for_each(|row| system.solve(row));
    Ok(m)
}

/// A tensor of known rank: each vector stores this share of its elements.
fn outer_products([i, j, k]: [usize; 3], count: u64, density: f64) -> Result<Csf3<f64>, Error> {
    let vector = |n: usize, seed: u64| SparseVec::<f64>::try_random_sparse([n], density, seed);
    let mut entries = vec![];
    for r in 0..count {
        let [a, b, c] = [vector(i, 3 * r)?, vector(j, 3 * r + 1)?, vector(k, 3 * r + 2)?];
        for ([i], x) in &a {
            for ([j], y) in &b {
                entries.extend(c.iter().map(|([k], z)| ([i, j, k], x * y * z)));
            }
        }
    }
    Csf3::from_triplets([i, j, k], entries)
}

/// The fit without kernels.
fn plain_fit(x: &Csf3<f64>, model: &Model) -> f64 {
    let [a, b, c] = &model.factors;
    let rank = a.dim(1);
    let gram = |f: &DenseMat<f64>, r: usize, s: usize| -> f64 {
        f.vals().chunks_exact(rank).map(|row| row[r] * row[s]).sum()
    };
    let (mut own, mut cross, mut norm) = (0.0, 0.0, 0.0);
    for (r, s) in (0..rank).flat_map(|r| (0..rank).map(move |s| (r, s))) {
        own += gram(a, r, s) * gram(b, r, s) * gram(c, r, s);
    }
    let element = |f: &DenseMat<f64>, i: usize, r: usize| f.vals()[i * rank + r];
    for ([i, j, k], v) in x {
        let model = (0..rank).map(|r| element(a, i, r) * element(b, j, r) * element(c, k, r));
        cross += v * model.sum::<f64>();
        norm += v * v;
    }
    1.0 - (norm - 2.0 * cross + own).max(0.0).sqrt() / f64::sqrt(norm)
}
