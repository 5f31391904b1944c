use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn reach(A: Csr<bool>, x: DenseVec<bool>) -> DenseVec<bool> {
        y[i] = A[i, j] & x[j];
    }
}

fn main() {}
