use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn copy(A: Csf3<f32>) -> Tensor<f32, (Compressed, Dense, Compressed)> {
        C[i, j, k] = A[i, j, k];
    }
}

fn main() {}
