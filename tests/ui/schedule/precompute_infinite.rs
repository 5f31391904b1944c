use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn shortest(A: Tensor<i32, Filled<(Dense, Compressed), PosInf>>, x: DenseVec<i32>) -> DenseVec<i32> {
        y[i] min= A[i, j] + x[j];
    }
    schedule cpu {
        precompute(A[i, j], [j], [jw], w);
    }
}

fn main() {}
