use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spgemm(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        parallelize(j, CPUThread, Atomics);
    }
}

fn main() {}
