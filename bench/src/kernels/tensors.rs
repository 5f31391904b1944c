//! Order-3 tensors: times a vector (TTV), and times two factor matrices (MTTKRP). No library here has them.

use super::dense::DenseResult;
use super::{Bench, Candidate, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand;
use crate::peers::{Scalar, gcc};
use crate::scheduled::Scheduled;
use crate::storage;
use sparse_core::format::Dense;
use sparse_core::tensor::{Csf3, DenseMat, DenseVec};

/// A dense matrix.
type MatrixResult<T> = DenseResult<T, (Dense, Dense)>;

/// Into a dense matrix.
pub(super) fn ttv<T: Scalar>(bench: &mut Bench, input: &str, tensor: &Csf3<T>) -> Result<()> {
    let a = storage::fibers(tensor);
    let [rows, cols, depth] = a.dims;
    let x = DenseVec::<T>::random([depth], 7);
    let mut result = DenseResult::new([rows, cols])?;
    let mut candidates = vec![];
    for (name, ours) in <T as Scheduled>::ttv() {
        let x = &x;
        candidates.push(Candidate::new(name, move |y: &mut MatrixResult<T>| {
            // A call that fails leaves the result as it was, full of NaN.
            ours(tensor, x, &mut y.values).unwrap_or(());
        }));
    }
    if bench.alone() {
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, |y: &mut MatrixResult<T>| hand::ttv(a, x.vals(), y.vals())));
        }
        if let Ok(gcc) = gcc::get() {
            let call = |y: &mut MatrixResult<T>| T::loops(gcc).ttv(a, x.vals(), y.vals());
            candidates.push(Candidate::new("gcc", call));
        }
    }
    let mut expected = Reference::builder::<T>(rows * cols);
    let mut terms = 0;
    for (n, i) in a.crd1.iter().enumerate() {
        for q in a.pos2[n] as usize..a.pos2[n + 1] as usize {
            let fiber = a.pos3[q] as usize..a.pos3[q + 1] as usize;
            terms = terms.max(fiber.len());
            for p in fiber {
                let product = a.vals[p].to_f64() * x.vals()[a.crd3[p] as usize].to_f64();
                expected.add(*i as usize * cols + a.crd2[q] as usize, product);
            }
        }
    }
    let expected = expected.finish(|_| terms);
    let key = key::<T>(bench, Kernel::Ttv, "", input);
    bench.run(&key, &mut result, candidates, |y, call| y.check(call, &expected))
}

/// With factors of `r` columns.
pub(super) fn mttkrp<T: Scalar>(bench: &mut Bench, input: &str, tensor: &Csf3<T>, r: usize) -> Result<()> {
    let a = storage::fibers(tensor);
    let c = DenseMat::<T>::random([a.dims[1], r], 7);
    let d = DenseMat::<T>::random([a.dims[2], r], 8);
    let mut result = DenseResult::new([a.dims[0], r])?;
    let mut candidates = vec![];
    for (name, ours) in <T as Scheduled>::mttkrp() {
        let (c, d) = (&c, &d);
        candidates.push(Candidate::new(name, move |m: &mut MatrixResult<T>| {
            ours(tensor, c, d, &mut m.values).unwrap_or(());
        }));
    }
    if bench.alone() {
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, |m: &mut MatrixResult<T>| {
                hand::mttkrp(a, c.vals(), d.vals(), r, m.vals());
            }));
        }
        if let Ok(gcc) = gcc::get() {
            let call = |m: &mut MatrixResult<T>| T::loops(gcc).mttkrp(a, c.vals(), d.vals(), r, m.vals());
            candidates.push(Candidate::new("gcc", call));
        }
    }
    let mut expected = Reference::builder::<T>(a.dims[0] * r);
    let mut terms = 0;
    for (n, i) in a.crd1.iter().enumerate() {
        let fibers = a.pos2[n] as usize..a.pos2[n + 1] as usize;
        terms = terms.max((a.pos3[fibers.end] - a.pos3[fibers.start]) as usize);
        for q in fibers {
            for p in a.pos3[q] as usize..a.pos3[q + 1] as usize {
                for s in 0..r {
                    let factors = c.vals()[a.crd2[q] as usize * r + s].to_f64()
                        * d.vals()[a.crd3[p] as usize * r + s].to_f64();
                    expected.add(*i as usize * r + s, a.vals[p].to_f64() * factors);
                }
            }
        }
    }
    let expected = expected.finish(|_| terms);
    let key = key::<T>(bench, Kernel::Mttkrp, format!("R={r}"), input);
    bench.run(&key, &mut result, candidates, |m, call| m.check(call, &expected))
}
