//! What `faer` is measured with.

use super::Candidate;
use super::dense::DenseResult;
use super::sparse::{Rows, SparseResult};
use crate::peers::{Scalar, faer};
use crate::view::CsrView;
use ::faer::sparse::SparseColMat;
use ::faer::{MatMut, MatRef};
use sparse_core::format::DenseFormat;
use std::time::Instant;

/// `A + B`
pub(super) fn add<'a, T: Scalar>(
    candidates: &mut Vec<Candidate<'a, SparseResult<T>>>,
    a: CsrView<'a, T>,
    b: CsrView<'a, T>,
) {
    let (left, right) = (faer::by_columns(a), faer::by_columns(b));
    candidates.push(Candidate::new("faer", move |c: &mut SparseResult<T>| {
        c.put(faer::add(left, right), |m| m.as_ref().map(rows));
    }));
}

/// `A·B`
pub(super) fn spgemm<'a, T: Scalar>(
    candidates: &mut Vec<Candidate<'a, SparseResult<T>>>,
    a: CsrView<'a, T>,
    b: CsrView<'a, T>,
) {
    let (left, right) = (faer::by_columns(a), faer::by_columns(b));
    candidates.push(Candidate::new("faer", move |c: &mut SparseResult<T>| {
        c.put(faer::spgemm(left, right), |m| m.as_ref().map(rows));
    }));
}

/// `A·B` with `B` dense, of `n` columns, by `faer`'s own layouts: the dense matrices by columns, A whichever way is faster on this
/// input.
pub(super) fn matmul<'a, T: Scalar, F: DenseFormat>(
    candidates: &mut Vec<Candidate<'a, DenseResult<T, F>>>,
    a: CsrView<'a, T>,
    transposed: CsrView<'a, T>,
    b_by_columns: &'a [T],
    n: usize,
    result: &mut DenseResult<T, F>,
) {
    let b = MatRef::from_column_major_slice(b_by_columns, a.cols, n);
    let (rows_first, columns_first) = (faer::by_rows(a), faer::by_columns(transposed));
    let call = move |c: &mut DenseResult<T, F>, rows: bool| {
        c.by_columns = true;
        let c = MatMut::from_column_major_slice_mut(c.vals(), a.rows, n);
        if rows {
            faer::matmul_by_rows(rows_first, b, c)
        } else {
            faer::matmul_by_columns(columns_first, b, c)
        }
    };
    let rows = [true, false].map(|rows| {
        call(result, rows);
        let start = Instant::now();
        call(result, rows);
        start.elapsed()
    });
    candidates.push(Candidate::new("faer", move |c| call(c, rows[0] <= rows[1])));
}

/// The rows of a matrix, which are its columns.
fn rows<T: Scalar>(m: &SparseColMat<u32, T>) -> Rows<'_, T> {
    let (pos, crd) = (faer::signed(m.col_ptr()), faer::signed(m.row_idx()));
    Rows { pos: pos.to_vec(), crd, vals: m.val() }
}
