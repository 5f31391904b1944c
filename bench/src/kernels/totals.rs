//! One number of a whole matrix: the square of its norm, and its bilinear form.

use super::dense::DenseResult;
use super::{Bench, Candidate, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand;
use crate::kernels::ours::Ours;
use crate::peers::{Scalar, gcc, mkl};
use crate::storage;
use sparse_core::tensor::{Csr, DenseVec};

/// A number.
type Total<T> = DenseResult<T, ()>;

/// `s = A[i, j] * A[i, j]`
pub(super) fn norm<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let a = storage::by_rows(matrix);
    // A call that fails leaves the result as it was, NaN.
    let ours =
        Candidate::new("ours", |s: &mut Total<T>| <T as Ours>::norm(matrix, &mut s.values).unwrap_or(()));
    let mut candidates = vec![ours];
    if bench.alone() {
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, |s: &mut Total<T>| s.vals()[0] = hand::norm(a)));
        }
        if let Ok(gcc) = gcc::get() {
            candidates.push(Candidate::new("gcc", |s: &mut Total<T>| s.vals()[0] = T::loops(gcc).norm(a)));
        }
    }
    if let Ok(mkl) = mkl::get() {
        candidates
            .push(Candidate::new("mkl", |s: &mut Total<T>| s.vals()[0] = mkl::dot(mkl, a.vals, a.vals)));
    }
    let mut expected = Reference::builder::<T>(1);
    a.vals.iter().for_each(|v| expected.add(0, v.to_f64() * v.to_f64()));
    let expected = expected.finish(|_| a.vals.len());
    let key = key::<T>(bench, Kernel::Norm, "", input);
    bench.run(&key, &mut DenseResult::new([])?, candidates, |s, call| s.check(call, &expected))
}

/// `s = y[i] * A[i, j] * x[j]`
pub(super) fn bilinear<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let a = storage::by_rows(matrix);
    let (x, y) = (DenseVec::<T>::random([a.cols], 7), DenseVec::<T>::random([a.rows], 8));
    let mut between = vec![T::ZERO; a.rows];
    let ours = Candidate::new("ours", |s: &mut Total<T>| {
        <T as Ours>::bilinear(matrix, &x, &y, &mut s.values).unwrap_or(());
    });
    let mut candidates = vec![ours];
    if bench.alone() {
        for name in ["hand", "probe"] {
            let call = |s: &mut Total<T>| s.vals()[0] = hand::bilinear(a, x.vals(), y.vals());
            candidates.push(Candidate::new(name, call));
        }
        if let Ok(gcc) = gcc::get() {
            let call = |s: &mut Total<T>| s.vals()[0] = T::loops(gcc).bilinear(a, x.vals(), y.vals());
            candidates.push(Candidate::new("gcc", call));
        }
    }
    // It has no such function: a product, and that of two vectors.
    if let Some((mkl, m)) = mkl::get().ok().and_then(|mkl| Some((mkl, mkl::Matrix::new(mkl, a)?))) {
        let m = m.optimize(None);
        let (x, y) = (&x, &y);
        candidates.push(Candidate::new("mkl", move |s: &mut Total<T>| {
            m.mv(x.vals(), &mut between);
            s.vals()[0] = mkl::dot(mkl, y.vals(), &between);
        }));
    }
    let mut expected = Reference::builder::<T>(1);
    for (i, y) in y.vals().iter().enumerate() {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            expected.add(0, y.to_f64() * a.vals[p].to_f64() * x.vals()[a.crd[p] as usize].to_f64());
        }
    }
    let expected = expected.finish(|_| a.vals.len());
    let key = key::<T>(bench, Kernel::Bilinear, "", input);
    bench.run(&key, &mut DenseResult::new([])?, candidates, |s, call| s.check(call, &expected))
}
