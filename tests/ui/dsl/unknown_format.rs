use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(x: Tensor<f32, (Dense)>) -> DenseVec<f32> {
        y[i] = 2 * x[i];
    }
}

fn main() {}
