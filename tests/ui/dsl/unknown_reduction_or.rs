use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn reached(A: Csr<bool>, x: DenseVec<bool>) -> DenseVec<bool> {
        y[i] ||= A[i, j] & x[j];
    }
}

fn main() {}
