use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] + B[i, j];
    }
    schedule cpu {
        split(j, j0, j1, 64);
        reorder(j0, i);
    }
}

fn main() {}
