use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * q[j];
    }
    schedule cpu {
        split(i, i0, i1, 0);
        divide(i, i2, i3, 0);
        unroll(j, 2000);
        parallelize(i, GPUBlock, NoRaces);
    }
    schedule cuda = atomic(<1/2 nnz, 1 col>, 3);
}

fn main() {}
