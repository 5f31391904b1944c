use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(k, ko, ki, 8);
        split(i, block, thread, 32);
        reorder(block, thread, ko, j, ki);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
        parallelize(ki, GPUVector, NoRaces);
    }
}

fn main() {}
