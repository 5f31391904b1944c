use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, row, 8);
        split(j, tile, entry, 32);
        split(k, ko, column, 32);
        reorder(ko, tile, block, row, column, entry);
        precompute(B[j, k], [entry, column], [from, lane], B_tile);
        reorder(from, lane);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(row, GPUWarp, NoRaces);
        parallelize(column, GPUThread, NoRaces);
        parallelize(lane, GPUThread, NoRaces);
    }
}

fn main() {}
