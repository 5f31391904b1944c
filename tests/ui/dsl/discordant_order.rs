use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: Csc<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] * B[i, j];
    }
}

fn main() {}
