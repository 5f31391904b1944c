//! Numbers that are out of range.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn block(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8, threads = 100);
}

tensor_kernel! {
    pub fn columns(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 64 col>, 1);
}

tensor_kernel! {
    pub fn entries(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<2048 nnz, 4 col>, 8);
}

tensor_kernel! {
    pub fn rows(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<2048 row, 4 col>, 1);
}

tensor_kernel! {
    pub fn group(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 nnz, 4 col>, 3);
}

tensor_kernel! {
    pub fn spans(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 16);
}

tensor_kernel! {
    pub fn whole(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 4 col>, 8);
}

fn main() {}
