use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(
        A: Tensor<f32, (Compressed, Dense, Compressed, Dense)>,
        B: Tensor<f32, (Compressed, Dense, Compressed, Dense)>,
        C: Tensor<f32, (Compressed, Dense, Compressed, Dense)>,
        D: Tensor<f32, (Compressed, Dense, Compressed, Dense)>,
        E: Tensor<f32, (Compressed, Dense, Compressed, Dense)>,
        F: Tensor<f32, (Compressed, Dense, Compressed, Dense)>,
    ) -> Tensor<f32, (Compressed, Dense, Compressed, Dense)> {
        R[i, j, k, l] = A[i, j, k, l] + B[i, j, k, l] + C[i, j, k, l] + D[i, j, k, l] + E[i, j, k, l] + F[i, j, k, l];
    }
}

fn main() {}
