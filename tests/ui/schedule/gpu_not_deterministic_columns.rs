//! Only the columns that `B` stores are visited: the others would have no sums to add up.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn product(A: Csr<f32>, B: Tensor<f32, Reordered<(Compressed, Dense), 1, 0>>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        reorder(i, j, k);
        fuse(i, j, f);
        pos(f, p, A[i, j]);
        split(p, block, lane, 64);
        reorder(k, block, lane);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(8), Deterministic);
    }
}

fn main() {}
