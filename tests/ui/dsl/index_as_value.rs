use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn ramp(x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = i * x[i];
    }
}

fn main() {}
