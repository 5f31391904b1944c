use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn squares(A: Csr<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] ** 2 + A[i, j] ^ 2;
    }
}

fn main() {}
