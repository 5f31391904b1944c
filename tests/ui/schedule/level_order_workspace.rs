use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn product(
        A: Tensor<f64, (Compressed, Dense)>,
        B: Tensor<f64, (Compressed, Dense)>,
    ) -> Tensor<f64, (Compressed, Dense)> {
        R[j, i] = A[j, i] * B[j, i];
    }
    schedule cpu {
        precompute(A[j, i] * B[j, i], [i, j], [i, j], w, Sort);
    }
}

tensor_kernel! {
    pub fn turned(A: DenseMat<f64>, b: SparseVec<f64>) -> DenseMat<f64> {
        R[i, j] = A[i, j] * b[j];
    }
    schedule cpu {
        precompute(A[i, j], [i, j], [i, j], w, Hash);
        reorder(j, i);
    }
}

fn main() {}
