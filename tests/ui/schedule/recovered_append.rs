use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn add(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] + B[i, j];
    }
    schedule cpu {
        split(i, i0, i1, 4);
        fuse(i0, i1, f);
    }
}

fn main() {}
