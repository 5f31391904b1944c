use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<8 nnz, 4 col>, 8, scatter);
}

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8, scatter);
}

fn main() {}
