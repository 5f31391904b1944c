use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn residual(b: DenseVec<f32>, A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        r[i] = b[i] - A[i, j] * x[j];
    }
    schedule cpu {
        reorder(j, i);
    }
}

fn main() {}
