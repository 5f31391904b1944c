use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn nearest(A: Csr<f32>) -> SparseVec<f32> {
        y[i] min= A[i, j];
    }
}

fn main() {}
