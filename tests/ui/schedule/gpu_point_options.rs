//! Options of points that they are not for.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn several_rows(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<8 nnz, 4 col>, 8, rows = 2);
}

tensor_kernel! {
    pub fn deterministic_rows(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8, deterministic);
}

tensor_kernel! {
    pub fn deterministic_alone(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 nnz, 4 col>, 1, deterministic);
}

tensor_kernel! {
    pub fn scatter_alone(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 1, scatter);
}

tensor_kernel! {
    pub fn scatter_columns(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 3 col>, 8, scatter);
}

fn main() {}
