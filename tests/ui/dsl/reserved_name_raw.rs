use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn copy(r#in: DenseVec<f32>) -> DenseVec<f32> {
        r#out[r#for] = r#in[r#for];
    }
}

tensor_kernel! {
    pub fn r#match(r#x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = x[i];
    }
}

fn main() {}
