use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn norm(x: DenseVec<f32>) -> f32 {
        s = x[i] * x[i];
    }
}

fn main() {}
