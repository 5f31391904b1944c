use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn either(A: Csr<bool>, B: Csr<bool>) -> Csr<bool> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

fn main() {}
