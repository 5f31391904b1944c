use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(
        A: Tensor<f32, (Compressed, Dense)>,
        B: Tensor<f32, (Compressed, Dense)>,
        C: Tensor<f32, (Compressed, Dense)>,
        D: Tensor<f32, (Compressed, Dense)>,
        E: Tensor<f32, (Compressed, Dense)>,
        F: Tensor<f32, (Compressed, Dense)>,
        G: Tensor<f32, (Compressed, Dense)>,
    ) -> Tensor<f32, (Compressed, Dense)> {
        R[i, j] = A[i, j] + B[i, j] + C[i, j] + D[i, j] + E[i, j] + F[i, j] + G[i, j];
    }
}

fn main() {}
