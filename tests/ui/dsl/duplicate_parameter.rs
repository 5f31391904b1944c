use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn add(A: Csr<f32>, A: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] + A[i, j];
    }
}

fn main() {}
