use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn path(A: Tensor<f32, Filled<(Dense, Compressed), Infinity>>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] min= A[i, j] + x[j];
    }
}

fn main() {}
