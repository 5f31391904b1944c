use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        pos(j, p, A[i, j]);
        split(p, p0, p1, 8);
        precompute(A[i, j] * B[j, k], [p1], [pw], w);
        coord(pw, c);
    }
}

fn main() {}
