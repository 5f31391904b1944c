use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn outer(x: DenseVec<f32>) -> DenseMat<f32> {
        C[i, j] = x[i] * x[i];
    }
}

fn main() {}
