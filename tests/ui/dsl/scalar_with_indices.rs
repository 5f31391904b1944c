use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(alpha: f32, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = alpha[i] * x[i];
    }
}

fn main() {}
