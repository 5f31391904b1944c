use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(
        A: Dcsr<f32>,
        B: Dcsr<f32>,
        C: Dcsr<f32>,
        D: Dcsr<f32>,
        E: Dcsr<f32>,
        F: Dcsr<f32>,
    ) -> DenseMat<f32> {
        y[i, j] = A[i, j] + B[i, j] + C[i, j] + D[i, j] + E[i, j] + F[i, j];
    }
}

fn main() {}
