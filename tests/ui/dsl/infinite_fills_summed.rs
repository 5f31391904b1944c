use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sums(A: Tensor<i32, Filled<(Dense, Compressed), PosInf>>) -> DenseVec<i32> {
        y[i] = A[i, j];
    }
}

fn main() {}
