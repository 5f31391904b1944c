use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn masked(
        M: Csf3<f32>,
        A: Csf3<f32>,
        B: Csf3<f32>,
        C: Csf3<f32>,
        D: Csf3<f32>,
        E: Csf3<f32>,
    ) -> Csf3<f32> {
        R[i, j, k] = M[i, j, k] * (A[i, j, k] + B[i, j, k] + C[i, j, k] + D[i, j, k] + E[i, j, k]);
    }
}

fn main() {}
