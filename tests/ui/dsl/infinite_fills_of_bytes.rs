use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn f(A: Csr<u8>, B: Csr<u8>, D: Tensor<u8, Filled<(Dense, Compressed), PosInf>>) -> DenseMat<u8> {
        C[i, j] = A[i, j] - D[i, j] - B[i, j];
    }
}

fn main() {}
