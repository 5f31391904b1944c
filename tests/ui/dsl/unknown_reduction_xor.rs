use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn parity(A: Csr<bool>) -> DenseMat<bool> {
        C[i, k] ^= A[i, j] & A[j, k];
    }
}

fn main() {}
