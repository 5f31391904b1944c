use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(r#type: f32, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = r#type * x[i];
    }
}

fn main() {}
