//! A sparse matrix times a vector, and times a dense matrix.

use super::{Bench, Candidate, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::hand;
use crate::peers::{Scalar, faer, mkl, sprs};
use crate::storage::{Aligned, Csr};
use ::faer::{MatMut, MatRef};
use ndarray::{ArrayView2, ArrayViewMut2};
use std::io::Result;
use std::time::Instant;

/// A dense result, and how the last call has laid it out.
pub(super) struct DenseResult<T> {
    pub(super) values: Aligned<T>,
    pub(super) by_columns: bool,
}

impl<T: Scalar> DenseResult<T> {
    pub(super) fn new(len: usize) -> Self {
        DenseResult { values: Aligned::zeros(len), by_columns: false }
    }

    /// Calls on a result full of NaN, and compares; `rows` matters for a result by columns.
    pub(super) fn check(
        &mut self,
        call: &mut dyn FnMut(&mut Self),
        reference: &Reference,
        (rows, cols): (usize, usize),
    ) -> std::result::Result<(), String> {
        self.values.fill(T::NAN);
        self.by_columns = false;
        call(self);
        let by_columns = self.by_columns;
        reference.accepts(|n| self.values[if by_columns { n % cols * rows + n / cols } else { n }])
    }
}

pub(super) fn spmv<T: Scalar>(bench: &mut Bench, input: &str, a: &Csr<T>) -> Result<()> {
    product(bench, input, a, None)
}

pub(super) fn spmm<T: Scalar>(bench: &mut Bench, input: &str, a: &Csr<T>, n: usize) -> Result<()> {
    product(bench, input, a, Some(n))
}

/// `columns`: of the dense matrix; `None` for a vector.
fn product<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>, columns: Option<usize>) -> Result<()> {
    let a = matrix.view();
    let n = columns.unwrap_or(1);
    let b = Aligned::<T>::random(a.cols * n, 7);
    let by_columns =
        Aligned::from_values((0..a.cols * n).map(|at| b[at % a.cols.max(1) * n + at / a.cols.max(1)]));
    let transposed = matrix.transposed();
    let mut candidates = vec![];
    for name in ["hand", "probe"] {
        candidates.push(Candidate::new(name, |c: &mut DenseResult<T>| match columns {
            None => hand::spmv(a, &b, &mut c.values),
            Some(n) => hand::spmm(a, &b, n, &mut c.values),
        }));
    }
    let view = sprs::matrix(a);
    let array = ArrayView2::from_shape((a.cols, n), &b[..]).expect("B has this many values");
    candidates.push(Candidate::new("sprs", move |c: &mut DenseResult<T>| match columns {
        None => sprs::spmv(view, array.as_slice().expect("by rows"), &mut c.values),
        Some(n) => {
            let c =
                ArrayViewMut2::from_shape((a.rows, n), &mut c.values[..]).expect("C has this many values");
            sprs::spmm(view, array, c);
        }
    }));

    // faer by its own layouts: the dense matrices by columns, A whichever way is faster on this input.
    let dense = MatRef::from_column_major_slice(&by_columns, a.cols, n);
    let (rows_first, columns_first) = (faer::by_rows(a), faer::by_columns(transposed.view()));
    let call = move |c: &mut DenseResult<T>, rows: bool| {
        c.by_columns = true;
        let c = MatMut::from_column_major_slice_mut(&mut c.values, a.rows, n);
        if rows {
            faer::matmul_by_rows(rows_first, dense, c)
        } else {
            faer::matmul_by_columns(columns_first, dense, c)
        }
    };
    let mut result = DenseResult::new(a.rows * n);
    let rows = [true, false].map(|rows| {
        call(&mut result, rows);
        let start = Instant::now();
        call(&mut result, rows);
        start.elapsed()
    });
    candidates.push(Candidate::new("faer", move |c| call(c, rows[0] <= rows[1])));

    if let Some(m) = mkl::get().ok().and_then(|mkl| mkl::Matrix::new(mkl, a)) {
        let m = m.optimize(columns);
        let b = &b;
        candidates.push(Candidate::new("mkl", move |c: &mut DenseResult<T>| match columns {
            None => m.mv(b, &mut c.values),
            Some(n) => m.mm(b, n, &mut c.values),
        }));
    }

    let mut expected = Reference::new::<T>(a.rows * n);
    for i in 0..a.rows {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            expected.add_row(i * n, a.vals[p].to_f64(), &b[a.crd[p] as usize * n..][..n]);
        }
    }
    let expected = expected.finish(|at| (a.pos[at / n + 1] - a.pos[at / n]) as usize);
    let kernel = if columns.is_some() { Kernel::Spmm } else { Kernel::Spmv };
    let key = key::<T>(kernel, columns.map_or(String::new(), |n| format!("N={n}")), input);
    bench.run(&key, &mut result, candidates, |c, call| c.check(call, &expected, (a.rows, n)))
}
