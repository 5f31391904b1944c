use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn twice(A: Csr<f32>) -> Csr<f32> {
        B[i, j] = 2A[i, j];
    }
}

fn main() {}
