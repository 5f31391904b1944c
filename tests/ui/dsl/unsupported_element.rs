use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<String>, x: DenseVec<u64>, n: usize) -> DenseVec<f32> {
        y[i] = n * A[i, j] * x[j];
    }
}

fn main() {}
