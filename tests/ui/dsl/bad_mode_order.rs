use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Tensor<f32, Reordered<(Dense, Compressed), 1, 2>>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {}
