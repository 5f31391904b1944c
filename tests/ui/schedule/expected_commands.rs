use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn copy(x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = x[i];
    }
    schedule cpu = serial;
}

fn main() {}
