use sparse_gpu::prelude::*;

type Matrix = Csr<f32>;

tensor_kernel! {
    pub fn spmv(A: Matrix, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {}
