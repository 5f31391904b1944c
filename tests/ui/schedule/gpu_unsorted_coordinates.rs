use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: DenseMat<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        fuse(i, j, f);
        split(f, block, lane, 32);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(32), Segment);
    }
}

fn main() {}
