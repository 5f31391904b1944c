use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn diagonal(x: DenseVec<f32>) -> DenseMat<f32> {
        D[i, i] = x[i];
    }
}

fn main() {}
