//! `sprs`: CSR kernels over the shared storage. Its products accumulate, so that clearing the output is part of them.

use super::Scalar;
use crate::view::CsrView;
use ndarray::{ArrayView2, ArrayViewMut2};
use sprs::{CsMatI, CsMatViewI};

/// A view of the shared arrays.
pub(crate) fn matrix<T: Scalar>(a: CsrView<'_, T>) -> CsMatViewI<'_, T, i32> {
    CsMatViewI::new((a.rows, a.cols), a.pos, a.crd, a.vals)
}

/// `y = A·x`
pub(crate) fn spmv<T: Scalar>(a: CsMatViewI<'_, T, i32>, x: &[T], y: &mut [T]) {
    y.fill(T::ZERO);
    sprs::prod::mul_acc_mat_vec_csr(a, x, y);
}

/// `C = A·B`, dense matrices by rows
pub(crate) fn spmm<T: Scalar>(a: CsMatViewI<'_, T, i32>, b: ArrayView2<'_, T>, mut c: ArrayViewMut2<'_, T>) {
    c.fill(T::ZERO);
    sprs::prod::csr_mulacc_dense_rowmaj(a, b, c);
}

/// `A + B`, which is what its operator `+` does
pub(crate) fn add<T: Scalar>(a: CsMatViewI<'_, T, i32>, b: CsMatViewI<'_, T, i32>) -> CsMatI<T, i32> {
    sprs::binop::csmat_binop(a, b, |x, y| *x + *y)
}

/// `A·B`, which is what its operator `*` does
pub(crate) fn spgemm<T: Scalar>(a: CsMatViewI<'_, T, i32>, b: CsMatViewI<'_, T, i32>) -> CsMatI<T, i32> {
    sprs::smmp::mul_csr_csr(a, b)
}

/// `A ∘ B`, as `mul_mat_same_storage` does it
pub(crate) fn mul<T: Scalar>(a: CsMatViewI<'_, T, i32>, b: CsMatViewI<'_, T, i32>) -> CsMatI<T, i32> {
    sprs::binop::csmat_binop(a, b, |x, y| *x * *y)
}

/// `Aᵀ`, by rows
pub(crate) fn transpose<T: Scalar>(a: CsMatViewI<'_, T, i32>) -> CsMatI<T, i32> {
    a.transpose_view().to_csr()
}

/// `Aᵀ·A`, of a transpose by rows
pub(crate) fn ata<T: Scalar>(a: CsMatViewI<'_, T, i32>) -> CsMatI<T, i32> {
    sprs::smmp::mul_csr_csr(transpose(a).view(), a)
}
