use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        split(i, block, warp, 64);
        pos(j, p, A[i, j]);
        split(p, p0, p1, 32);
        reorder(block, warp, p1, p0);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, NoRaces);
        parallelize(p1, GPUGroup(32), ParallelReduction);
    }
}

fn main() {}
