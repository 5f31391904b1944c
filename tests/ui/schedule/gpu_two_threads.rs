use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, t0, 8);
        split(k, k0, t1, 8);
        reorder(block, k0, t0, t1, j);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(t0, GPUThread, NoRaces);
        parallelize(t1, GPUThread, NoRaces);
    }
}

fn main() {}
