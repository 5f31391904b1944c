use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn residual(b: DenseVec<f32>, A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        r[i] = b[i] - A[i, j] * x[j];
    }
    schedule cpu {
        parallelize(j, CPUThread, Temporary);
    }
}

fn main() {}
