use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn norm(x: DenseVec<f32>, alpha: &f32, s: &mut f32) {
        s += alpha * x[i] * x[i];
    }
}

fn main() {}
