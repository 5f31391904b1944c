use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        split(j, block, lane, 32);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(32), ParallelReduction);
    }
}

fn main() {}
