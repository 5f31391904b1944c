use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i]
            + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i]
            + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i]
            + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i]
            + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i] + x[i];
    }
}

fn main() {}
