use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn residual(A: Csr<f32>, x: DenseVec<f32>, r: &mut DenseVec<f32>) {
        r[i] -= A[i, j] * x[j];
    }
}

fn main() {}
