use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn transpose(A: Csr<f64>) -> Csr<f64> { C[i, j] = A[j, i]; }
    schedule cpu { pos(i, p, A[j, i]); }
}

fn main() {}
