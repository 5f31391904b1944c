use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn clamp(x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = max(x[i]) + sqrt(x[i], 2);
    }
}

fn main() {}
