use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn convolve(x: DenseVec<f32>, w: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = x[i + k] * w[-k];
    }
}

fn main() {}
