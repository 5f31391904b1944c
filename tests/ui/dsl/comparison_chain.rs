use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn within(x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = 0 < x[i] < 1;
    }
}

fn main() {}
