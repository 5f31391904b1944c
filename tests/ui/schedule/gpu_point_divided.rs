//! What a point may not divide among threads.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn entry(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/2 nnz, 4 col>, 1);
}

tensor_kernel! {
    pub fn column(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 nnz, 1/2 col>, 1);
}

tensor_kernel! {
    pub fn column_of_rows(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 1/2 col>, 1);
}

tensor_kernel! {
    pub fn twice(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 1/2 col>, 8);
}

tensor_kernel! {
    pub fn row(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/6 row, 4 col>, 2);
}

fn main() {}
