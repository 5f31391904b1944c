//! `faer`: sparse matrices by columns or by rows, dense ones by columns, which is its natural layout.
//!
//! It has no product by elements (its `binary_op` visits the union of two patterns), no SDDMM and no tensors.

use super::Scalar;
use crate::view::CsrView;
use faer::sparse::linalg::matmul::{sparse_dense_matmul, sparse_sparse_matmul};
use faer::sparse::{
    SparseColMat, SparseColMatRef, SparseRowMatRef, SymbolicSparseColMatRef, SymbolicSparseRowMatRef,
};
use faer::traits::{ComplexField, Conjugate};
use faer::{Accum, MatMut, MatRef, Par};

/// What the library asks of an element type.
pub(crate) trait Element: ComplexField + Conjugate<Canonical = Self> {}

impl Element for f32 {}
impl Element for f64 {}

/// Coordinates and positions as faer wants them.
fn unsigned(indices: &[i32]) -> &[u32] {
    // SAFETY: same size and alignment, and every bit pattern is a value of either.
    unsafe { std::slice::from_raw_parts(indices.as_ptr().cast(), indices.len()) }
}

/// Coordinates and positions of faer's, which are below 2³¹ where they came from ours.
pub(crate) fn signed(indices: &[u32]) -> &[i32] {
    // SAFETY: same size and alignment, and every bit pattern is a value of either.
    unsafe { std::slice::from_raw_parts(indices.as_ptr().cast(), indices.len()) }
}

/// The shared arrays, by rows.
pub(crate) fn by_rows<T: Scalar>(a: CsrView<'_, T>) -> SparseRowMatRef<'_, u32, T> {
    let pattern =
        SymbolicSparseRowMatRef::new_checked(a.rows, a.cols, unsigned(a.pos), None, unsigned(a.crd));
    SparseRowMatRef::new(pattern, a.vals)
}

/// A matrix by columns, from the rows of its transpose.
pub(crate) fn by_columns<T: Scalar>(transposed: CsrView<'_, T>) -> SparseColMatRef<'_, u32, T> {
    let t = transposed;
    let pattern =
        SymbolicSparseColMatRef::new_checked(t.cols, t.rows, unsigned(t.pos), None, unsigned(t.crd));
    SparseColMatRef::new(pattern, t.vals)
}

/// `C = A·B`, A by rows
pub(crate) fn matmul_by_rows<T: Scalar>(a: SparseRowMatRef<'_, u32, T>, b: MatRef<'_, T>, c: MatMut<'_, T>) {
    sparse_dense_matmul(c, Accum::Replace, a, b, T::from_f64(1.0), Par::Seq);
}

/// `C = A·B`, A by columns
pub(crate) fn matmul_by_columns<T: Scalar>(
    a: SparseColMatRef<'_, u32, T>,
    b: MatRef<'_, T>,
    c: MatMut<'_, T>,
) {
    sparse_dense_matmul(c, Accum::Replace, a, b, T::from_f64(1.0), Par::Seq);
}

/// `A + B`. The rows of both stand for the columns of their transposes, whose sum is the same work.
pub(crate) fn add<T: Scalar>(
    a: SparseColMatRef<'_, u32, T>,
    b: SparseColMatRef<'_, u32, T>,
) -> Option<SparseColMat<u32, T>> {
    faer::sparse::ops::add(a, b).ok()
}

/// `A·B`, given the columns of both transposes: the columns of the result's transpose, `Bᵀ·Aᵀ`.
pub(crate) fn spgemm<T: Scalar>(
    a: SparseColMatRef<'_, u32, T>,
    b: SparseColMatRef<'_, u32, T>,
) -> Option<SparseColMat<u32, T>> {
    sparse_sparse_matmul(b, a, T::from_f64(1.0), Par::Seq).ok()
}
