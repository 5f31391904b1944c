use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn norm(x: DenseVec<i32>) -> DenseVec<i32> {
        y[i] = sqrt(x[i]);
    }
}

fn main() {}
