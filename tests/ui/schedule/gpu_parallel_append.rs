use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn add(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] * B[i, j];
    }
    schedule cuda {
        pos(j, p, A[i, j]);
        split(p, block, thread, 32);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

fn main() {}
