//! The kernels that are measured on GPUs, as a user writes them: dense results in place, so that no call allocates.
//! Sparse results are made at each call.

use clap::ValueEnum;
use sparse_core::scalar::DType;

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(crate) enum Kernel {
    /// C = A·B
    Spmm,
    /// y = A·x
    Spmv,
    /// S = A ∘ (X·Yᵀ)
    Sddmm,
    /// M[i, r] = A[i, k, l]·C[k, r]·D[l, r]
    Mttkrp,
    /// Y[i, j, l] = A[i, j, k]·B[k, l]
    Ttm,
    /// Y[i, j] = A[i, j, k]·x[k]
    Ttv,
    /// C = A + B, B being A with every column moved one to the right
    Add,
    /// C = A·A, or A·Aᵀ where A is not square
    Spgemm,
}

impl Kernel {
    /// Every kernel, in the order of tables.
    pub(crate) const ALL: [Kernel; 8] = [
        Kernel::Spmm,
        Kernel::Spmv,
        Kernel::Sddmm,
        Kernel::Mttkrp,
        Kernel::Ttm,
        Kernel::Ttv,
        Kernel::Add,
        Kernel::Spgemm,
    ];

    /// Its name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kernel::Spmm => "spmm",
            Kernel::Spmv => "spmv",
            Kernel::Sddmm => "sddmm",
            Kernel::Mttkrp => "mttkrp",
            Kernel::Ttm => "ttm",
            Kernel::Ttv => "ttv",
            Kernel::Add => "add",
            Kernel::Spgemm => "spgemm",
        }
    }

    /// Of its sparse operand.
    pub(crate) fn order(self) -> usize {
        match self {
            Kernel::Spmm | Kernel::Spmv | Kernel::Sddmm | Kernel::Add | Kernel::Spgemm => 2,
            Kernel::Mttkrp | Kernel::Ttm | Kernel::Ttv => 3,
        }
    }

    /// Have its dense operands columns? Without, N is 1.
    pub(crate) fn has_columns(self) -> bool {
        !matches!(self, Kernel::Spmv | Kernel::Ttv) && !self.assembles()
    }

    /// Is its result assembled, of two sparse operands?
    pub(crate) fn assembles(self) -> bool {
        matches!(self, Kernel::Add | Kernel::Spgemm)
    }

    /// The column of tables that says N: `N=4`, as the kernel's own letter.
    pub(crate) fn params(self, n: usize) -> String {
        match self {
            Kernel::Spmv | Kernel::Ttv | Kernel::Add | Kernel::Spgemm => String::new(),
            Kernel::Spmm | Kernel::Ttm => format!("N={n}"),
            Kernel::Sddmm => format!("K={n}"),
            Kernel::Mttkrp => format!("R={n}"),
        }
    }

    /// Its statement in a function of elements of this type.
    pub(crate) fn statement(self, dtype: DType) -> String {
        self.of_f32().replace("f32", &dtype.to_string())
    }

    fn of_f32(self) -> &'static str {
        match self {
            Kernel::Spmm => {
                "pub fn spmm(A: Csr<f32>, B: DenseMat<f32>, C: &mut DenseMat<f32>) {
                    C[i, k] = A[i, j] * B[j, k];
                }"
            }
            Kernel::Spmv => {
                "pub fn spmv(A: Csr<f32>, x: DenseVec<f32>, y: &mut DenseVec<f32>) {
                    y[i] = A[i, j] * x[j];
                }"
            }
            Kernel::Sddmm => {
                "pub fn sddmm(A: Csr<f32>, X: DenseMat<f32>, Y: DenseMat<f32>) -> Csr<f32> {
                    S[i, j] = A[i, j] * X[i, k] * Y[j, k];
                }"
            }
            Kernel::Mttkrp => {
                "pub fn mttkrp(A: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>, M: &mut DenseMat<f32>) {
                    M[i, r] = A[i, k, l] * C[k, r] * D[l, r];
                }"
            }
            Kernel::Ttm => {
                "pub fn ttm(A: Csf3<f32>, B: DenseMat<f32>, Y: &mut Tensor<f32, (Dense, Dense, Dense)>) {
                    Y[i, j, l] = A[i, j, k] * B[k, l];
                }"
            }
            Kernel::Ttv => {
                "pub fn ttv(A: Csf3<f32>, x: DenseVec<f32>, Y: &mut DenseMat<f32>) {
                    Y[i, j] = A[i, j, k] * x[k];
                }"
            }
            Kernel::Add => {
                "pub fn add(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
                    C[i, j] = A[i, j] + B[i, j];
                }"
            }
            Kernel::Spgemm => {
                "pub fn spgemm(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
                    C[i, k] = A[i, j] * B[j, k];
                }"
            }
        }
    }
}
