use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(A: Tensor<f32, (Compressed<NonUnique>, Dense)>) -> Scalar<f32> {
        s = A[i, j];
    }
}

fn main() {}
