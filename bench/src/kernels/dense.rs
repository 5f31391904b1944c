//! A sparse matrix times a vector, and times a dense matrix.

use super::{Bench, Candidate, faer, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand;
use crate::peers::{Scalar, mkl, sprs};
use crate::scheduled::{Named, Scheduled};
use crate::storage;
use crate::view::CsrView;
use ndarray::{ArrayView2, ArrayViewMut2};
use sparse_core::format::DenseFormat;
use sparse_core::tensor::{Csc, Csr, DenseMat, DenseMatColumnMajor, DenseVec, Tensor};

/// A dense result, and how the last call has laid it out.
pub(super) struct DenseResult<T: Scalar, F: DenseFormat> {
    pub(super) values: Tensor<T, F>,
    pub(super) by_columns: bool,
}

impl<T: Scalar, F: DenseFormat> DenseResult<T, F> {
    /// With room for a result of these dimensions.
    pub(super) fn new(dims: F::Coord) -> Result<Self> {
        Ok(DenseResult { values: Tensor::try_full(dims, T::ZERO)?, by_columns: false })
    }

    /// The values, to be written.
    pub(super) fn vals(&mut self) -> &mut [T] {
        self.values.vals_mut()
    }

    /// Calls on a result full of NaN, and compares.
    pub(super) fn check(
        &mut self,
        call: &mut dyn FnMut(&mut Self),
        reference: &Reference,
    ) -> std::result::Result<(), String> {
        self.vals().fill(T::NAN);
        self.by_columns = false;
        call(self);
        let (dims, vals, by_columns) = (self.values.dims(), self.values.vals(), self.by_columns);
        // A number is one row of one.
        let (rows, cols) = dims.as_ref().split_first().map_or((1, 1), |(r, c)| (*r, c.iter().product()));
        reference.accepts(|n| vals[if by_columns { n % cols * rows + n / cols } else { n }])
    }
}

pub(super) fn spmv<T: Scalar>(bench: &mut Bench, input: &str, a: &Csr<T>) -> Result<()> {
    let [rows, cols] = a.dims();
    let factor = DenseVec::random([cols], 7);
    product(bench, input, a, &factor, None, DenseResult::new([rows])?, <T as Scheduled>::spmv())
}

pub(super) fn spmm<T: Scalar>(bench: &mut Bench, input: &str, a: &Csr<T>, n: usize) -> Result<()> {
    let [rows, cols] = a.dims();
    let factor = DenseMat::random([cols, n], 7);
    product(bench, input, a, &factor, Some(n), DenseResult::new([rows, n])?, <T as Scheduled>::spmm(n))
}

/// Our kernel for a product.
type Product<T, F> =
    fn(&Csr<T>, &Tensor<T, F>, &mut Tensor<T, F>) -> std::result::Result<(), sparse_core::error::Error>;

/// `columns`: of the dense factor; `None` for a vector.
fn product<T: Scalar, F: DenseFormat>(
    bench: &mut Bench,
    input: &str,
    matrix: &Csr<T>,
    factor: &Tensor<T, F>,
    columns: Option<usize>,
    mut result: DenseResult<T, F>,
    ours: Named<Product<T, F>>,
) -> Result<()> {
    let a = storage::by_rows(matrix);
    let n = columns.unwrap_or(1);
    let b = factor.vals();
    let by_columns = DenseMatColumnMajor::from_dense([a.cols, n], b.to_vec())?;
    let transposed: Csc<T> = matrix.convert()?;
    let mut candidates = vec![];
    for (name, ours) in ours {
        // A call that fails leaves the result as it was, full of NaN.
        candidates.push(Candidate::new(name, move |c: &mut DenseResult<T, F>| {
            ours(matrix, factor, &mut c.values).unwrap_or(());
        }));
    }
    if bench.alone() {
        libraries(&mut candidates, a, (b, by_columns.vals()), &transposed, columns, &mut result);
    }
    let of_mkl = || mkl::get().ok().and_then(|mkl| mkl::Matrix::new(mkl, a));
    if let Some(m) = of_mkl() {
        let m = m.optimize(columns);
        candidates.push(Candidate::new("mkl", move |c: &mut DenseResult<T, F>| match columns {
            None => m.mv(b, c.vals()),
            Some(n) => m.mm(b, n, c.vals()),
        }));
    }
    // Its inspector takes the matrix to a format of its own. On the same arrays as everyone else:
    if let Some(m) = of_mkl().filter(|_| bench.alone() && columns.is_none()) {
        candidates.push(Candidate::new("mkl-csr", move |c: &mut DenseResult<T, F>| m.mv(b, c.vals())));
    }

    let mut expected = Reference::builder::<T>(a.rows * n);
    for i in 0..a.rows {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            expected.add_row(i * n, a.vals[p].to_f64(), &b[a.crd[p] as usize * n..][..n]);
        }
    }
    let expected = expected.finish(|at| (a.pos[at / n + 1] - a.pos[at / n]) as usize);
    let kernel = if columns.is_some() { Kernel::Spmm } else { Kernel::Spmv };
    let key = key::<T>(bench, kernel, columns.map_or(String::new(), |n| format!("N={n}")), input);
    bench.run(&key, &mut result, candidates, |c, call| c.check(call, &expected))
}

/// Those that have one thread: hand-written loops and libraries, over the shared storage. The dense factor is there by
/// rows and by columns.
fn libraries<'a, T: Scalar, F: DenseFormat>(
    candidates: &mut Vec<Candidate<'a, DenseResult<T, F>>>,
    a: CsrView<'a, T>,
    (b, by_columns): (&'a [T], &'a [T]),
    transposed: &'a Csc<T>,
    columns: Option<usize>,
    result: &mut DenseResult<T, F>,
) {
    let n = columns.unwrap_or(1);
    for name in ["hand", "probe"] {
        candidates.push(Candidate::new(name, move |c: &mut DenseResult<T, F>| match columns {
            None => hand::spmv(a, b, c.vals()),
            Some(n) => hand::spmm(a, b, n, c.vals()),
        }));
    }
    let view = sprs::matrix(a);
    let array = ArrayView2::from_shape((a.cols, n), b).expect("B has this many values");
    candidates.push(Candidate::new("sprs", move |c: &mut DenseResult<T, F>| match columns {
        None => sprs::spmv(view, b, c.vals()),
        Some(n) => {
            let c = ArrayViewMut2::from_shape((a.rows, n), c.vals()).expect("C has this many values");
            sprs::spmm(view, array, c);
        }
    }));
    faer::matmul(candidates, a, storage::by_columns(transposed), by_columns, n, result);
}
