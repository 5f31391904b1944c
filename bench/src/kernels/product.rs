//! `C = A·B` of sparse matrices, the result's rows in order.

use super::sparse::{SparseResult, arrays, of_faer, of_sprs};
use super::{Bench, Candidate, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand::{self, Merged};
use crate::peers::{Scalar, faer, mkl, sprs};
use crate::storage;
use crate::view::CsrView;
use sparse_core::tensor::Csr;

/// Inputs whose product takes more multiplications than this are left out, unless all are asked for: samples would take
/// minutes.
const MOST: usize = 2_000_000_000;
/// And those whose result has more entries: the implementations' results and what they have to be would take more than
/// 16 GB.
const LARGEST: usize = 200_000_000;

/// A·A, or A·Aᵀ where A isn't square.
pub(super) fn spgemm<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let [rows, cols] = matrix.dims();
    let transposed = if rows == cols { None } else { Some(storage::transposed(matrix)?) };
    let other = transposed.as_ref().unwrap_or(matrix);
    let (a, b) = (storage::by_rows(matrix), storage::by_rows(other));
    let products: usize = a.crd.iter().map(|j| length(b, *j as usize)).sum();
    let left_out = match products {
        _ if bench.all_products => None,
        MOST.. => Some(format!("{products} multiplications")),
        _ => entries(a, b).is_none().then(|| format!("more than {LARGEST} entries")),
    };
    let key = key::<T>(bench, Kernel::Spgemm, "", input);
    if let Some(why) = left_out {
        // The bar prints nothing where there is no terminal.
        bench.bar.suspend(|| eprintln!("spgemm: {input} left out: {why}"));
        bench.report.leave_out(&key, why);
        return Ok(());
    }
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(T::spgemm(matrix, other), |m| m.as_ref().ok().map(arrays));
    })];
    if bench.alone() {
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
                c.put(hand::spgemm(a, b), |m| Some(m.clone()));
            }));
        }
        let (left, right) = (sprs::matrix(a), sprs::matrix(b));
        candidates.push(Candidate::new("sprs", move |c: &mut SparseResult<T>| {
            c.put(sprs::spgemm(left, right), |m| Some(of_sprs(m)));
        }));
        let (left, right) = (faer::by_columns(a), faer::by_columns(b));
        candidates.push(Candidate::new("faer", move |c: &mut SparseResult<T>| {
            c.put(faer::spgemm(left, right), |m| m.as_ref().map(of_faer));
        }));
    }
    if let Ok(mkl) = mkl::get()
        && let (Some(left), Some(right)) = (mkl::Matrix::new(mkl, a), mkl::Matrix::new(mkl, b))
    {
        candidates.push(Candidate::new("mkl", move |c: &mut SparseResult<T>| {
            c.put(left.product(&right), |m| {
                let (pos, crd, vals) = m.as_ref()?.parts()?;
                Some(Merged { pos, crd, vals })
            });
        }));
    }
    let expected = expected(a, b);
    let mut result = SparseResult::new();
    bench.run(&key, &mut result, candidates, |c, call| c.check(call, a.rows, &expected))
}

/// Entries in a row.
fn length<T>(m: CsrView<'_, T>, i: usize) -> usize {
    (m.pos[i + 1] - m.pos[i]) as usize
}

/// On how many coordinates products fall, unless they are too many.
fn entries<T: Copy>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Option<usize> {
    let row = |m: CsrView<'_, T>, i: usize| m.pos[i] as usize..m.pos[i + 1] as usize;
    let mut last = vec![usize::MAX; b.cols];
    let mut entries = 0;
    for i in 0..a.rows {
        for p in row(a, i) {
            for q in row(b, a.crd[p] as usize) {
                let k = b.crd[q] as usize;
                entries += usize::from(last[k] != i);
                last[k] = i;
            }
        }
        if entries > LARGEST {
            return None;
        }
    }
    Some(entries)
}

/// Every coordinate that a product falls on, by a dense row.
fn expected<T: Scalar>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> (Merged<f64>, Reference) {
    let mut pattern = Merged { pos: vec![0], crd: vec![], vals: vec![] };
    let mut terms = vec![0_u32; b.cols];
    let mut counts = vec![];
    let row = |m: CsrView<'_, T>, i: usize| m.pos[i] as usize..m.pos[i + 1] as usize;
    let columns = |j: i32| row(b, j as usize).map(|q| b.crd[q] as usize);
    for i in 0..a.rows {
        let begin = pattern.crd.len();
        for k in row(a, i).flat_map(|p| columns(a.crd[p])) {
            if terms[k] == 0 {
                pattern.crd.push(k as i32);
            }
            terms[k] += 1;
        }
        pattern.crd[begin..].sort_unstable();
        counts.extend(pattern.crd[begin..].iter().map(|k| std::mem::take(&mut terms[*k as usize])));
        pattern.pos.push(pattern.crd.len() as i32);
    }
    let mut values = Reference::builder::<T>(counts.len());
    let mut place = vec![0; b.cols];
    for i in 0..a.rows {
        for n in pattern.pos[i] as usize..pattern.pos[i + 1] as usize {
            place[pattern.crd[n] as usize] = n;
        }
        for p in row(a, i) {
            for q in row(b, a.crd[p] as usize) {
                values.add(place[b.crd[q] as usize], a.vals[p].to_f64() * b.vals[q].to_f64());
            }
        }
    }
    (pattern, values.finish(|n| counts[n] as usize))
}
