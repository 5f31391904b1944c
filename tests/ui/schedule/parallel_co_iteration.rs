use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn masked(A: Csr<f32>, B: Csr<f32>, D: Csr<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k] * D[i, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [kw], w, Hash);
        parallelize(k, CPUThread, NoRaces);
    }
}

fn main() {}
