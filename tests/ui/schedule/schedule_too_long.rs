use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4); unroll(i, 4);
        unroll(j, 4);
    }
}

fn main() {}
