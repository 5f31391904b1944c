use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(A: Csr<f32>, C: &mut Csr<f32>) {
        C[i, j] += 2 * A[i, j];
    }
}

fn main() {}
