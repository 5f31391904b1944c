//! Our kernels, as a user writes them, and one name for both precisions of each.

use sparse_gpu::prelude::*;

/// The kernels in one precision. Dense results are written in place, sparse ones are new tensors.
pub(crate) trait Ours: Element {
    /// `y = A·x`
    fn spmv(a: &Csr<Self>, x: &DenseVec<Self>, y: &mut DenseVec<Self>) -> Result<(), Error>;
    /// `C = A·B`
    fn spmm(a: &Csr<Self>, b: &DenseMat<Self>, c: &mut DenseMat<Self>) -> Result<(), Error>;
    /// The sum of the squares of all entries.
    fn norm(a: &Csr<Self>, s: &mut Scalar<Self>) -> Result<(), Error>;
    /// `yᵀ·A·x`
    fn bilinear(
        a: &Csr<Self>,
        x: &DenseVec<Self>,
        y: &DenseVec<Self>,
        s: &mut Scalar<Self>,
    ) -> Result<(), Error>;
    /// `A ∘ (X·Yᵀ)`
    fn sddmm(a: &Csr<Self>, x: &DenseMat<Self>, y: &DenseMat<Self>) -> Result<Csr<Self>, Error>;
    /// `Y[i, j] = A[i, j, k]·x[k]`
    fn ttv(a: &Csf3<Self>, x: &DenseVec<Self>, y: &mut DenseMat<Self>) -> Result<(), Error>;
    /// `M[i, r] = A[i, k, l]·C[k, r]·D[l, r]`
    fn mttkrp(
        a: &Csf3<Self>,
        c: &DenseMat<Self>,
        d: &DenseMat<Self>,
        m: &mut DenseMat<Self>,
    ) -> Result<(), Error>;
    /// `A + B`
    fn add(a: &Csr<Self>, b: &Csr<Self>) -> Result<Csr<Self>, Error>;
    /// `A ∘ B`
    fn mul(a: &Csr<Self>, b: &Csr<Self>) -> Result<Csr<Self>, Error>;
    /// `A·B`
    fn spgemm(a: &Csr<Self>, b: &Csr<Self>) -> Result<Csr<Self>, Error>;
    /// `M ∘ (A·B)`
    fn masked(m: &Csr<Self>, a: &Csr<Self>, b: &Csr<Self>) -> Result<Csr<Self>, Error>;
    /// The same by the statement's own loops, which merge each row with the mask's, on one thread.
    fn merged(m: &Csr<Self>, a: &Csr<Self>, b: &Csr<Self>) -> Result<Csr<Self>, Error>;
    /// `Aᵀ`
    fn transpose(a: &Csr<Self>) -> Result<Csr<Self>, Error>;
    /// `Aᵀ·A`
    fn ata(a: &Csr<Self>) -> Result<Csr<Self>, Error>;
}

macro_rules! ours {
    ($t:ident, $kernels:ident) => {
        mod $kernels {
            use sparse_gpu::prelude::*;

            tensor_kernel! {
                pub fn spmv(A: Csr<$t>, x: DenseVec<$t>, y: &mut DenseVec<$t>) {
                    y[i] = A[i, j] * x[j];
                }
            }
            tensor_kernel! {
                pub fn spmm(A: Csr<$t>, B: DenseMat<$t>, C: &mut DenseMat<$t>) {
                    C[i, k] = A[i, j] * B[j, k];
                }
            }
            tensor_kernel! {
                pub fn norm(A: Csr<$t>, s: &mut Scalar<$t>) {
                    s = A[i, j] * A[i, j];
                }
            }
            tensor_kernel! {
                pub fn bilinear(A: Csr<$t>, x: DenseVec<$t>, y: DenseVec<$t>, s: &mut Scalar<$t>) {
                    s = y[i] * A[i, j] * x[j];
                }
            }
            tensor_kernel! {
                pub fn sddmm(A: Csr<$t>, X: DenseMat<$t>, Y: DenseMat<$t>) -> Csr<$t> {
                    S[i, j] = A[i, j] * X[i, k] * Y[j, k];
                }
            }
            tensor_kernel! {
                pub fn ttv(A: Csf3<$t>, x: DenseVec<$t>, Y: &mut DenseMat<$t>) {
                    Y[i, j] = A[i, j, k] * x[k];
                }
            }
            tensor_kernel! {
                pub fn mttkrp(A: Csf3<$t>, C: DenseMat<$t>, D: DenseMat<$t>, M: &mut DenseMat<$t>) {
                    M[i, r] = A[i, k, l] * C[k, r] * D[l, r];
                }
            }
            tensor_kernel! {
                pub fn add(A: Csr<$t>, B: Csr<$t>) -> Csr<$t> {
                    S[i, j] = A[i, j] + B[i, j];
                }
            }
            tensor_kernel! {
                pub fn mul(A: Csr<$t>, B: Csr<$t>) -> Csr<$t> {
                    S[i, j] = A[i, j] * B[i, j];
                }
            }
            tensor_kernel! {
                pub fn spgemm(A: Csr<$t>, B: Csr<$t>) -> Csr<$t> {
                    C[i, k] = A[i, j] * B[j, k];
                }
            }
            tensor_kernel! {
                pub fn masked(M: Csr<$t>, A: Csr<$t>, B: Csr<$t>) -> Csr<$t> {
                    C[i, k] = M[i, k] * A[i, j] * B[j, k];
                }
            }
            tensor_kernel! {
                pub fn merged(M: Csr<$t>, A: Csr<$t>, B: Csr<$t>) -> Csr<$t> {
                    C[i, k] = M[i, k] * A[i, j] * B[j, k];
                }
                schedule cpu = none;
                schedule cuda = none;
            }
            tensor_kernel! {
                pub fn transpose(A: Csr<$t>) -> Csr<$t> {
                    T[j, i] = A[i, j];
                }
            }
            tensor_kernel! {
                pub fn ata(A: Csr<$t>) -> Csr<$t> {
                    C[i, k] = A[j, i] * A[j, k];
                }
            }
        }

        impl Ours for $t {
            fn spmv(a: &Csr<$t>, x: &DenseVec<$t>, y: &mut DenseVec<$t>) -> Result<(), Error> {
                $kernels::spmv(a, x, y)
            }
            fn spmm(a: &Csr<$t>, b: &DenseMat<$t>, c: &mut DenseMat<$t>) -> Result<(), Error> {
                $kernels::spmm(a, b, c)
            }
            fn norm(a: &Csr<$t>, s: &mut Scalar<$t>) -> Result<(), Error> {
                $kernels::norm(a, s)
            }
            fn bilinear(
                a: &Csr<$t>,
                x: &DenseVec<$t>,
                y: &DenseVec<$t>,
                s: &mut Scalar<$t>,
            ) -> Result<(), Error> {
                $kernels::bilinear(a, x, y, s)
            }
            fn sddmm(a: &Csr<$t>, x: &DenseMat<$t>, y: &DenseMat<$t>) -> Result<Csr<$t>, Error> {
                $kernels::sddmm(a, x, y)
            }
            fn ttv(a: &Csf3<$t>, x: &DenseVec<$t>, y: &mut DenseMat<$t>) -> Result<(), Error> {
                $kernels::ttv(a, x, y)
            }
            fn mttkrp(
                a: &Csf3<$t>,
                c: &DenseMat<$t>,
                d: &DenseMat<$t>,
                m: &mut DenseMat<$t>,
            ) -> Result<(), Error> {
                $kernels::mttkrp(a, c, d, m)
            }
            fn add(a: &Csr<$t>, b: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::add(a, b)
            }
            fn mul(a: &Csr<$t>, b: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::mul(a, b)
            }
            fn spgemm(a: &Csr<$t>, b: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::spgemm(a, b)
            }
            fn masked(m: &Csr<$t>, a: &Csr<$t>, b: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::masked(m, a, b)
            }
            fn merged(m: &Csr<$t>, a: &Csr<$t>, b: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::merged(m, a, b)
            }
            fn transpose(a: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::transpose(a)
            }
            fn ata(a: &Csr<$t>) -> Result<Csr<$t>, Error> {
                $kernels::ata(a)
            }
        }
    };
}
ours!(f32, single);
ours!(f64, double);
