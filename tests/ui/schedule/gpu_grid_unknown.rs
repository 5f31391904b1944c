use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sums(A: Dcsr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        pos(j, p, A[i, j]);
        split(p, p0, p1, 32);
        parallelize(p0, GPUBlock, NoRaces);
        parallelize(p1, GPUGroup(32), ParallelReduction);
    }
}

fn main() {}
