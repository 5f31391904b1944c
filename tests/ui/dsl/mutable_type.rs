use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>, y: mut DenseVec<f32>) {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {}
