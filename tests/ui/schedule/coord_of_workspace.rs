use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        pos(j, p, A[i, j]);
        split(p, p0, p1, 8);
        precompute(A[i, j] * x[j], [p1], [pw], w);
        coord(pw, c);
    }
}

fn main() {}
