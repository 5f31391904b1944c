use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn column(A: Csr<f32>, j: f32) -> DenseVec<f32> {
        y[i] = A[i, j];
    }
}

fn main() {}
