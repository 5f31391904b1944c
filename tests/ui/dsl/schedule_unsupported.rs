use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8);
}

tensor_kernel! {
    pub fn blocks(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        split(i, i0, i1, 64);
        parallelize(i0, GPUBlock, NoRaces);
    }
}

fn main() {}
