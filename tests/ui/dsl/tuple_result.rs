use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sums(A: Csr<f32>) -> (DenseVec<f32>, DenseVec<f32>) {
        y[i] = A[i, j];
    }
}

fn main() {}
