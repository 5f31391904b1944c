use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: CsrMatrix<f32>, x: Vec<f32>) -> Result<DenseVec<f32>, Error> {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {}
