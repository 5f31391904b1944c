use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn entries(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<8 nnz, 4 col>, 8, shared = 64);
}

tensor_kernel! {
    pub fn large(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 4 col>, 1, shared = 64);
}

tensor_kernel! {
    pub fn no_tile(A: Csr<f32>) -> DenseVec<f32> {
        y[i] = A[i, j];
    }
    schedule cuda = atomic(<1 row, 1 col>, 1, shared = 64);
}

tensor_kernel! {
    pub fn stored_rows(A: Dcsr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 1 col>, 1, shared = 64);
}

tensor_kernel! {
    pub fn two_dense(A: Csr<f32>, B: Tensor<f32, (Dense, Dense, Dense)>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, l, k];
    }
    schedule cuda = atomic(<1 row, 1 col>, 1, shared = 64);
}

fn main() {}
