use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, row, 8);
        split(j, tile, entry, 32);
        reorder(block, tile, row, k, entry);
        precompute(B[j, k], [entry, k], [from, lane], B_tile);
        reorder(from, lane);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(row, GPUThread, NoRaces);
    }
}

fn main() {}
