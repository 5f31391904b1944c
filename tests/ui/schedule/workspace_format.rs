use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [], [], t, Hash);
        precompute(B[j, k], [j, k], [j, k], w, List);
    }
}

tensor_kernel! {
    pub fn spgemm(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [k], w, Dense);
    }
}

fn main() {}
