use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn positive(A: Csr<f32>) -> DenseVec<f32> {
        y[i] = if A[i, j] > 0 { A[i, j] } else { 0 };
    }
}

fn main() {}
