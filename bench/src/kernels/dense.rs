//! A sparse matrix times a vector, and times a dense matrix.

use super::{Bench, Candidate, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand;
use crate::peers::{Scalar, faer, mkl, sprs};
use crate::storage;
use ::faer::{MatMut, MatRef};
use ndarray::{ArrayView2, ArrayViewMut2};
use sparse_core::tensor::{Csc, Csr, DenseMat, DenseMatColumnMajor};
use std::time::Instant;

/// A dense result, and how the last call has laid it out.
pub(super) struct DenseResult<T: Scalar> {
    pub(super) values: DenseMat<T>,
    pub(super) by_columns: bool,
}

impl<T: Scalar> DenseResult<T> {
    /// With room for a result of these dimensions.
    pub(super) fn new(dims: [usize; 2]) -> Result<Self> {
        Ok(DenseResult { values: DenseMat::try_full(dims, T::ZERO)?, by_columns: false })
    }

    /// Calls on a result full of NaN, and compares.
    pub(super) fn check(
        &mut self,
        call: &mut dyn FnMut(&mut Self),
        reference: &Reference,
    ) -> std::result::Result<(), String> {
        self.values.vals_mut().fill(T::NAN);
        self.by_columns = false;
        call(self);
        let ([rows, cols], vals) = (self.values.dims(), self.values.vals());
        let by_columns = self.by_columns;
        reference.accepts(|n| vals[if by_columns { n % cols * rows + n / cols } else { n }])
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
    let a = storage::by_rows(matrix);
    let n = columns.unwrap_or(1);
    let factor = DenseMat::<T>::random([a.cols, n], 7);
    let b = factor.vals();
    let by_columns: DenseMatColumnMajor<T> = factor.convert()?;
    let transposed: Csc<T> = matrix.convert()?;
    let mut candidates = vec![];
    for name in ["hand", "probe"] {
        candidates.push(Candidate::new(name, |c: &mut DenseResult<T>| match columns {
            None => hand::spmv(a, b, c.values.vals_mut()),
            Some(n) => hand::spmm(a, b, n, c.values.vals_mut()),
        }));
    }
    let view = sprs::matrix(a);
    let array = ArrayView2::from_shape((a.cols, n), b).expect("B has this many values");
    candidates.push(Candidate::new("sprs", move |c: &mut DenseResult<T>| match columns {
        None => sprs::spmv(view, b, c.values.vals_mut()),
        Some(n) => {
            let c =
                ArrayViewMut2::from_shape((a.rows, n), c.values.vals_mut()).expect("C has this many values");
            sprs::spmm(view, array, c);
        }
    }));

    // faer by its own layouts: the dense matrices by columns, A whichever way is faster on this input.
    let dense = MatRef::from_column_major_slice(by_columns.vals(), a.cols, n);
    let (rows_first, columns_first) = (faer::by_rows(a), faer::by_columns(storage::by_columns(&transposed)));
    let call = move |c: &mut DenseResult<T>, rows: bool| {
        c.by_columns = true;
        let c = MatMut::from_column_major_slice_mut(c.values.vals_mut(), a.rows, n);
        if rows {
            faer::matmul_by_rows(rows_first, dense, c)
        } else {
            faer::matmul_by_columns(columns_first, dense, c)
        }
    };
    let mut result = DenseResult::new([a.rows, n])?;
    let rows = [true, false].map(|rows| {
        call(&mut result, rows);
        let start = Instant::now();
        call(&mut result, rows);
        start.elapsed()
    });
    candidates.push(Candidate::new("faer", move |c| call(c, rows[0] <= rows[1])));

    if let Some(m) = mkl::get().ok().and_then(|mkl| mkl::Matrix::new(mkl, a)) {
        let m = m.optimize(columns);
        candidates.push(Candidate::new("mkl", move |c: &mut DenseResult<T>| match columns {
            None => m.mv(b, c.values.vals_mut()),
            Some(n) => m.mm(b, n, c.values.vals_mut()),
        }));
    }

    let mut expected = Reference::builder::<T>(a.rows * n);
    for i in 0..a.rows {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            expected.add_row(i * n, a.vals[p].to_f64(), &b[a.crd[p] as usize * n..][..n]);
        }
    }
    let expected = expected.finish(|at| (a.pos[at / n + 1] - a.pos[at / n]) as usize);
    let kernel = if columns.is_some() { Kernel::Spmm } else { Kernel::Spmv };
    let key = key::<T>(kernel, columns.map_or(String::new(), |n| format!("N={n}")), input);
    bench.run(&key, &mut result, candidates, |c, call| c.check(call, &expected))
}
