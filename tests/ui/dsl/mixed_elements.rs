use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(alpha: f64, A: Csr<f32>, x: DenseVec<f64>) -> DenseVec<f32> {
        y[i] = alpha * A[i, j] * x[j];
    }
}

fn main() {}
