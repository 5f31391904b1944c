//! Without the feature `faer` it is not measured.

use super::Candidate;
use super::dense::DenseResult;
use super::sparse::SparseResult;
use crate::peers::Scalar;
use crate::view::CsrView;
use sparse_core::format::DenseFormat;

pub(super) fn add<T: Scalar>(_: &mut Vec<Candidate<'_, SparseResult<T>>>, _: CsrView<T>, _: CsrView<T>) {}

pub(super) fn spgemm<T: Scalar>(_: &mut Vec<Candidate<'_, SparseResult<T>>>, _: CsrView<T>, _: CsrView<T>) {}

pub(super) fn matmul<T: Scalar, F: DenseFormat>(
    _: &mut Vec<Candidate<'_, DenseResult<T, F>>>,
    _: CsrView<T>,
    _: CsrView<T>,
    _: &[T],
    _: usize,
    _: &mut DenseResult<T, F>,
) {
}
