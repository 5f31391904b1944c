use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] + B[i, j];
    }
    schedule cpu {
        precompute(A[i, j], [j], [jw], w);
    }
}

fn main() {}
