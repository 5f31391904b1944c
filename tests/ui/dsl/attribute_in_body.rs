use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        /// The product.
        y[i] = A[i, j] * x[j];
    }
}

fn main() {}
