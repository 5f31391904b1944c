use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(A: Csr<f32>, x: DenseVec<f32>) -> Csr<f32> {
        C[i, j] = A[i, k] * x[j];
    }
    schedule cpu {
        fuse(j, k, f);
    }
}

fn main() {}
