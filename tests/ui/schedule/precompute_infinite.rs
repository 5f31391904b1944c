use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn shortest(A: Tensor<i32, Filled<(Dense, Compressed), PosInf>>, x: DenseVec<i32>) -> DenseVec<i32> {
        y[i] min= A[i, j] + x[j];
    }
    schedule cpu {
        precompute(A[i, j], [j], [jw], w);
    }
}

tensor_kernel! {
    pub fn nearest(A: DenseMat<f64>, D: Tensor<f64, Filled<(Compressed,), PosInf>>) -> DenseVec<f64> {
        R[j] min= A[j, k] - D[j];
    }
    schedule cpu {
        precompute(A[j, k], [j], [j], w, Hash);
    }
}

fn main() {}
