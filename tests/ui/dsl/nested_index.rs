use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn chosen(p: DenseVec<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = x[p[i]];
    }
}

fn main() {}
