use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(A: Tensor<f32, (Dense, Dense, Dense, Dense, Dense, Dense, Dense)>) -> Scalar<f32> {
        s = A[i, j, k, l, m, n, o];
    }
}

fn main() {}
