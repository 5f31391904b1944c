//! All groups have parts of one element: no order of the positions says which comes first.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn sum(A: Csr<f32>) -> Scalar<f32> {
        s = A[i, j];
    }
    schedule cuda {
        fuse(i, j, f);
        pos(f, p, A[i, j]);
        split(p, block, lane, 64);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(8), Deterministic);
    }
}

fn main() {}
