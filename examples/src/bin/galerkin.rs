//! Two-grid method for a symmetric system: the coarse matrix is the Galerkin product R·A·P, with R = Pᵀ.
//!
//! P interpolates from aggregates of neighbouring unknowns, smoothed once by the matrix (Vaněk, Mandel and Brezina,
//! 1996). P, its transposition and the triple product are one kernel each; all of them assemble a sparse result.
//!
//! `cargo run --release -p examples --bin galerkin -- [FILE.mtx[.gz]]`

use clap::Parser;
use examples::{Outcome, finish, println, progress, square};
use sparse_gpu::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

tensor_kernel! {
    fn diagonal(A: Csr<f64>) -> DenseVec<f64> {
        d[i] = A[i, i];
    }
}

tensor_kernel! {
    /// P = T − ω·D⁻¹·A·T: a step of Jacobi's method on each column of T.
    fn smoothed(T: Csr<f64>, A: Csr<f64>, d: DenseVec<f64>, omega: f64) -> Csr<f64> {
        P[i, k] = T[i, k] - omega * A[i, j] * T[j, k] / d[i];
    }
}

tensor_kernel! {
    fn transpose(P: Csr<f64>) -> Csr<f64> {
        R[j, i] = P[i, j];
    }
}

tensor_kernel! {
    fn galerkin(R: Csr<f64>, A: Csr<f64>, P: Csr<f64>) -> Csr<f64> {
        C[i, l] = R[i, j] * A[j, k] * P[k, l];
    }
}

tensor_kernel! {
    fn multiply(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    fn residual(b: DenseVec<f64>, A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        r[i] = b[i] - A[i, j] * x[j];
    }
}

tensor_kernel! {
    /// A step of Jacobi's method.
    fn relax(r: DenseVec<f64>, d: DenseVec<f64>, omega: f64, x: &mut DenseVec<f64>) {
        x[i] += omega * r[i] / d[i];
    }
}

tensor_kernel! {
    fn prolong(P: Csr<f64>, e: DenseVec<f64>, x: &mut DenseVec<f64>) {
        x[i] += P[i, j] * e[j];
    }
}

tensor_kernel! {
    fn axpy(alpha: f64, x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[i] += alpha * x[i];
    }
}

tensor_kernel! {
    fn dot(x: DenseVec<f64>, y: DenseVec<f64>) -> Scalar<f64> {
        s = x[i] * y[i];
    }
}

/// Solves A·x = 1 by two grids.
#[derive(Parser)]
struct Arguments {
    /// Matrix Market file with a symmetric positive definite matrix; by default, the Laplacian of a square
    file: Option<PathBuf>,
    /// Generate a small matrix
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    finish(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Outcome {
    let (name, a): (_, Csr<f64>) = match &arguments.file {
        Some(file) => (file.display().to_string(), io::read_matrix_market_with(file, progress(file))?),
        None => {
            let n = if arguments.quick { 24 } else { 200 };
            (
                format!("the Laplacian of {n} x {n} points"),
                Csr::from_coordinates(generate::stencil_2d(n, n)?)?,
            )
        }
    };
    let n = square(&name, a.dims())?;
    let d = diagonal(&a)?;
    if let Some(i) = d.vals().iter().position(|d| d.is_nan() || *d <= 0.0) {
        let element = format!("element {} of the diagonal is {}", i + 1, d.vals()[i]);
        return Err(format!("{name}: {element}: in a positive definite matrix it is above 0").into());
    }
    println!("{name}: {n} unknowns, {} entries", a.stored());

    let started = Instant::now();
    let p = smoothed(&aggregates(&a)?, &a, &d, OMEGA)?;
    let r = transpose(&p)?;
    let coarse = galerkin(&r, &a, &p)?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    println!("  coarse: {} unknowns, {} entries, {milliseconds:.3} ms", coarse.dim(0), coarse.stored());
    verify(&r, &a, &p, &coarse)?;

    let level = Level { a: &a, d: &d, p: &p, r: &r, coarse: &coarse };
    let b = DenseVec::full([n], 1.0);
    let (cycles, left) = level.solve(&b)?;
    let rate = left.powf(1.0 / cycles as f64);
    println!("  {cycles} cycles, each leaves {rate:.3} of the residual, at the end {left:.1e}");
    if left > GOAL {
        return Err(
            format!("{name}: the cycles do not converge; is the matrix symmetric and positive?").into()
        );
    }
    println!("  verified: the coarse matrix by plain loops, and A·x = b");
    Ok(())
}

/// Weight of a step of Jacobi's method.
const OMEGA: f64 = 2.0 / 3.0;
/// Steps before and after the coarse grid.
const STEPS: usize = 2;
/// The residual that is small enough, of the right-hand side.
const GOAL: f64 = 1e-8;
const MOST_CYCLES: usize = 100;

/// A column for each aggregate, 1 in the rows of its unknowns: an unknown with all its neighbours, where none of them is
/// in another one; what is left joins a neighbour's.
fn aggregates(a: &Csr<f64>) -> Result<Csr<f64>, Error> {
    let n = a.dim(0);
    let (pos, crd) = (a.level(1).pos(), a.level(1).crd());
    let row = |i: usize| crd[pos[i] as usize..pos[i + 1] as usize].iter().map(|&j| j as usize);
    let mut of = vec![None; n];
    let mut count = 0;
    for i in 0..n {
        if of[i].is_none() && row(i).all(|j| of[j].is_none()) {
            row(i).for_each(|j| of[j] = Some(count));
            of[i] = Some(count);
            count += 1;
        }
    }
    for i in 0..n {
        if of[i].is_none() {
            let joined = row(i).find_map(|j| of[j]);
            of[i] = joined.or(Some(count));
            count += usize::from(joined.is_none());
        }
    }
    let entries = of.into_iter().enumerate().filter_map(|(i, aggregate)| Some(([i, aggregate?], 1.0)));
    Csr::from_triplets([n, count], entries)
}

/// A matrix with its diagonal, interpolation from the coarse unknowns and restriction to them, and their matrix.
struct Level<'a> {
    a: &'a Csr<f64>,
    d: &'a DenseVec<f64>,
    p: &'a Csr<f64>,
    r: &'a Csr<f64>,
    coarse: &'a Csr<f64>,
}

impl Level<'_> {
    /// Number of cycles, and what is left of the residual, relative to `b`.
    fn solve(&self, b: &DenseVec<f64>) -> Result<(usize, f64), Error> {
        let mut x = DenseVec::zeros(b.dims());
        let norm = dot(b, b)?.value()?.sqrt();
        for cycle in 1.. {
            self.cycle(b, &mut x)?;
            let r = residual(b, self.a, &x)?;
            let left = dot(&r, &r)?.value()?.sqrt() / norm;
            if left <= GOAL || !left.is_finite() || cycle == MOST_CYCLES {
                return Ok((cycle, left));
            }
        }
        unreachable!("the last cycle returns")
    }

    /// Smooths, corrects by the coarse unknowns, and smooths again.
    fn cycle(&self, b: &DenseVec<f64>, x: &mut DenseVec<f64>) -> Result<(), Error> {
        self.smooth(b, x)?;
        let left = multiply(self.r, &residual(b, self.a, x)?)?;
        prolong(self.p, &conjugate_gradients(self.coarse, &left)?, x)?;
        self.smooth(b, x)
    }

    fn smooth(&self, b: &DenseVec<f64>, x: &mut DenseVec<f64>) -> Result<(), Error> {
        for _ in 0..STEPS {
            relax(&residual(b, self.a, x)?, self.d, OMEGA, x)?;
        }
        Ok(())
    }
}

/// Solves the coarse system, far enough for a correction.
fn conjugate_gradients(a: &Csr<f64>, b: &DenseVec<f64>) -> Result<DenseVec<f64>, Error> {
    let mut x = DenseVec::zeros(b.dims());
    let (mut r, mut p) = (b.clone(), b.clone());
    let mut rr = dot(&r, &r)?.value()?;
    let enough = rr * 1e-12;
    for _ in 0..2 * a.dim(0) {
        let ap = multiply(a, &p)?;
        let curvature = dot(&p, &ap)?.value()?;
        if rr <= enough || curvature <= 0.0 {
            break;
        }
        let alpha = rr / curvature;
        axpy(alpha, &p, &mut x)?;
        axpy(-alpha, &ap, &mut r)?;
        let next = dot(&r, &r)?.value()?;
        let mut direction = r.clone();
        axpy(next / rr, &p, &mut direction)?;
        (p, rr) = (direction, next);
    }
    Ok(x)
}

/// Compares R·A·P with a product by plain loops, row after row: where it has entries, and what they are.
fn verify(r: &Csr<f64>, a: &Csr<f64>, p: &Csr<f64>, coarse: &Csr<f64>) -> Outcome {
    let row = |m: &Csr<f64>, i: usize| {
        let (pos, crd) = (m.level(1).pos(), m.level(1).crd());
        let entries = pos[i] as usize..pos[i + 1] as usize;
        entries.map(|q| (crd[q] as usize, m.vals()[q])).collect::<Vec<_>>()
    };
    for i in 0..r.dim(0) {
        let mut expected: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (j, x) in row(r, i) {
            for (k, y) in row(a, j) {
                for (l, z) in row(p, k) {
                    let (sum, magnitude) = expected.entry(l).or_default();
                    *sum += x * y * z;
                    *magnitude += (x * y * z).abs();
                }
            }
        }
        let found = row(coarse, i);
        let mut pairs = found.iter().zip(&expected);
        let same =
            pairs.all(|((k, v), (l, (sum, magnitude)))| k == l && (v - sum).abs() <= 1e-12 * magnitude);
        if found.len() != expected.len() || !same {
            return Err(format!("row {} of the coarse matrix differs from a plain loop's", i + 1).into());
        }
    }
    Ok(())
}
