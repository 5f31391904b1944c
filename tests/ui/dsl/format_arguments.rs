use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sums(
        A: Tensor<f32, Dense, Compressed>,
        B: Tensor<(Dense, Compressed), f32>,
        C: Tensor<f32, Csr>,
        D: Filled<Csr<f32>, PosInf>,
    ) -> DenseVec<f32> {
        y[i] = A[i, j] * B[i, j] * C[i, j] * D[i, j];
    }
}

fn main() {}
