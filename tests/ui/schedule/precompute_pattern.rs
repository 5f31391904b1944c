use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sddmm(A: Csr<f32>, B: DenseMat<f32>, D: DenseMat<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] * B[i, k] * D[j, k];
    }
    schedule cpu {
        precompute(A[i, j], [j], [jw], w);
    }
}

fn main() {}
