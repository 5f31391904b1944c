use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        split(i, block, warp, 4);
        pos(j, p, A[i, j]);
        split(p, p0, p1, 8);
        reorder(block, warp, p1, p0);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, NoRaces);
        parallelize(p1, GPUGroup(16), ParallelReduction);
    }
}

fn main() {}
