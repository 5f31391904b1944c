use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Coo<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda = atomic(<8 nnz, 1 col>, 8);
}

fn main() {}
