use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        pos(j, p, A[i, j]);
        split(p, p0, p1, 4);
        split(i, block, thread, 32);
        reorder(block, thread, k, p0, p1);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
        parallelize(p1, GPUVector, NoRaces);
    }
}

fn main() {}
