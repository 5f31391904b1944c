use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn transpose(A: Csr<f32>) -> Tensor<f32, (Dense, Singleton)> {
        C[i, j] = A[j, i];
    }
    schedule cuda {
        split(j, block, thread, 128);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

fn main() {}
