use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(A: DenseMat<f32>) -> DenseMat<f32> {
        B[i, j] = A[i, j] + 1;
    }
    schedule cuda {
        split(i, block, thread, 32);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, Atomics);
    }
}

fn main() {}
