use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        split(i, block, thread, 32);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, ParallelReduction);
    }
}

fn main() {}
