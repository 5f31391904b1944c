//! Steps of iterative solvers.

use super::{at, check, coords, entries, everywhere, sparse, vector};
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn apply(A: Csr<f64>, p: DenseVec<f64>) -> DenseVec<f64> { q[i] = A[i, j] * p[j]; }
}
tensor_kernel! {
    fn dot(a: DenseVec<f64>, b: DenseVec<f64>) -> Scalar<f64> { s = a[i] * b[i]; }
}
tensor_kernel! {
    fn axpy(x: &mut DenseVec<f64>, alpha: f64, p: DenseVec<f64>) { x[i] += alpha * p[i]; }
}
tensor_kernel! {
    fn direction(r: DenseVec<f64>, p: DenseVec<f64>, beta: f64) -> DenseVec<f64> { q[i] = r[i] + beta * p[i]; }
}
tensor_kernel! {
    /// b − A·x
    fn residual(A: Csr<f64>, x: DenseVec<f64>, b: DenseVec<f64>) -> DenseVec<f64> { r[i] = b[i] - A[i, j] * x[j]; }
}
tensor_kernel! {
    fn diagonal(A: Csr<f64>) -> DenseVec<f64> { d[i] = A[i, i]; }
}
tensor_kernel! {
    /// x + ω·(b − A·x)/d, each term divided.
    fn jacobi(A: Csr<f64>, d: DenseVec<f64>, b: DenseVec<f64>, x: DenseVec<f64>, w: f64) -> DenseVec<f64> {
        y[i] = x[i] + w * b[i] / d[i] - w * A[i, j] * x[j] / d[i];
    }
}
tensor_kernel! {
    /// Scales rows and columns.
    fn scale(A: Csr<f64>, l: DenseVec<f64>, r: DenseVec<f64>) -> Csr<f64> { B[i, j] = l[i] * A[i, j] * r[j]; }
}
tensor_kernel! {
    /// xᵀ·A·x
    fn energy(A: Csr<f64>, x: DenseVec<f64>) -> Scalar<f64> { e = x[i] * A[i, j] * x[j]; }
}
tensor_kernel! {
    /// Aᵀ·(A·x): the normal equations without the product.
    fn normal(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[k] = A[i, k] * A[i, j] * x[j]; }
}
tensor_kernel! {
    /// The Frobenius norm of a difference.
    fn distance(A: Csr<f64>, B: Csr<f64>) -> Scalar<f64> { s = (A[i, j] - B[i, j]) * (A[i, j] - B[i, j]); }
}
tensor_kernel! {
    /// α·A + β·B
    fn combine(A: Csr<f64>, B: Csc<f64>, alpha: f64, beta: f64) -> Csr<f64> { C[i, j] = alpha * A[i, j] + beta * B[i, j]; }
}
tensor_kernel! {
    /// The largest magnitude.
    fn norm(x: DenseVec<f64>) -> Scalar<f64> { m max= abs(x[i]); }
}

/// A symmetric matrix with a heavy diagonal.
fn definite(n: usize) -> super::Entries<2> {
    let some = entries([n, n], 4);
    let mut all = super::Entries::new();
    for (c, v) in &some {
        *all.entry(*c).or_default() += v;
        *all.entry([c[1], c[0]]).or_default() += v;
    }
    (0..n).for_each(|i| {
        all.insert([i, i], 100.0 + i as f64);
    });
    all
}

#[test]
fn conjugate_gradients() -> Result<(), Error> {
    let n = 20;
    let all = definite(n);
    let a: Csr<f64> = sparse([n, n], &all)?;
    let solution = vector(n, 3)?;
    let b = apply(&a, &solution)?;
    let mut x = DenseVec::zeros([n]);
    let mut r = residual(&a, &x, &b)?;
    let mut p = r.clone();
    let mut rr = dot(&r, &r)?.value()?;
    for _ in 0..n {
        let q = everywhere!(apply, &a, &p);
        let alpha = rr / everywhere!(dot, &p, &q).value()?;
        axpy(&mut x, alpha, &p)?;
        axpy(&mut r, -alpha, &q)?;
        let next = everywhere!(dot, &r, &r).value()?;
        p = everywhere!(direction, &r, &p; next / rr);
        rr = next;
        if rr < 1e-24 {
            break;
        }
    }
    assert!(x.approx_eq(&solution, 1e-9));
    // What is left is rounding, which is another on another device.
    check(&residual(&a, &x, &b)?, |_| 0.0);
    let sim = Sim::new();
    check(&residual(&a.to(&sim)?, &x.to(&sim)?, &b.to(&sim)?)?.to_host()?, |_| 0.0);
    Ok(())
}

#[test]
fn one_step_each() -> Result<(), Error> {
    let n = 18;
    let all = definite(n);
    let a: Csr<f64> = sparse([n, n], &all)?;
    let (x, b) = (vector(n, 5)?, vector(n, 6)?);
    let d = everywhere!(diagonal, &a);
    check(&d, |[i]| 100.0 + i as f64);
    let product = |i: usize| (0..n).map(|j| at(&all, [i, j]) * x.get([j])).sum::<f64>();
    check(&everywhere!(jacobi, &a, &d, &b, &x; 0.5), |[i]| {
        x.get([i]) + 0.5 * (b.get([i]) - product(i)) / (100.0 + i as f64)
    });
    check(&everywhere!(scale, &a, &x, &b), |[i, j]| x.get([i]) * at(&all, [i, j]) * b.get([j]));
    check(&everywhere!(energy, &a, &x), |_| (0..n).map(|i| x.get([i]) * product(i)).sum());
    let wide = entries([9, n], 8);
    let w: Csr<f64> = sparse([9, n], &wide)?;
    check(&everywhere!(normal, &w, &x), |[k]| {
        coords([9, n]).map(|[i, j]| at(&wide, [i, k]) * at(&wide, [i, j]) * x.get([j])).sum()
    });
    let other = entries([n, n], 9);
    let (c, t): (Csr<f64>, Csc<f64>) = (sparse([n, n], &other)?, sparse([n, n], &other)?);
    check(&everywhere!(distance, &a, &c), |_| {
        coords([n, n]).map(|at2| (at(&all, at2) - at(&other, at2)).powi(2)).sum()
    });
    check(&everywhere!(combine, &a, &t; 2.0, -1.0), |c| 2.0 * at(&all, c) - at(&other, c));
    check(&everywhere!(norm, &x), |_| x.vals().iter().fold(0.0, |m, v| v.abs().max(m)));
    Ok(())
}

#[test]
fn one_tensor_as_several_operands() -> Result<(), Error> {
    let n = 15;
    let all = definite(n);
    let a: Csr<f64> = sparse([n, n], &all)?;
    let x = vector(n, 5)?;
    check(&everywhere!(dot, &x, &x), |_| x.vals().iter().map(|v| v * v).sum());
    check(&everywhere!(distance, &a, &a), |_| 0.0);
    check(&everywhere!(residual, &a, &x, &x), |[i]| {
        x.get([i]) - (0..n).map(|j| at(&all, [i, j]) * x.get([j])).sum::<f64>()
    });
    check(&everywhere!(direction, &x, &x; 1.0), |[i]| 2.0 * x.get([i]));
    Ok(())
}
