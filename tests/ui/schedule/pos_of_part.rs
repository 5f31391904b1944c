use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        split(j, j0, j1, 8);
        pos(j1, p, A[i, j]);
    }
}

fn main() {}
