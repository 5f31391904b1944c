use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, warp, 1);
        bound(k, kb, 32, MaxExact);
        reorder(block, warp, j, kb);
        precompute(B[j, k], [kb], [kw], w);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, NoRaces);
        parallelize(kb, GPUThread, NoRaces);
        parallelize(kw, GPUThread, NoRaces);
    }
}

fn main() {}
