use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(x: DenseVec<i32>) -> DenseVec<i32> {
        y[i] = 2.5 * x[i] + true + 3i64;
    }
}

fn main() {}
