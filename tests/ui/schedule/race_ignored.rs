use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn products(A: DenseMat<f32>) -> DenseVec<f32> {
        y[i] *= A[i, j];
    }
    schedule cpu {
        parallelize(j, CPUThread, IgnoreRaces);
    }
}

fn main() {}
