use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = "2" * x[i];
    }
}

fn main() {}
