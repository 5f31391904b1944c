use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn reciprocal(A: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] * A[j, i];
    }
}

fn main() {}
