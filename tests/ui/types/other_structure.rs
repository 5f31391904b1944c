use sparse_gpu::prelude::*;

mod m {
    /// Has the name of another format.
    pub type Csr<T> = sparse_gpu::tensor::Dcsr<T>;
}

tensor_kernel! {
    pub fn spmv(A: m::Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {}
