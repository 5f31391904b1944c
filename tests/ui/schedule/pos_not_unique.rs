use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Coo<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        pos(i, p, A[i, j]);
    }
}

fn main() {}
