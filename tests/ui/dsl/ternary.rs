use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn positive(a: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = a[i] > 0 ? a[i] : 0;
    }
}

fn main() {}
