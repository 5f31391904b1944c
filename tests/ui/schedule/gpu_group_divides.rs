use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        pos(j, p, A[i, j]);
        split(p, p0, p1, 24);
        reorder(i, p1, p0);
        parallelize(i, GPUBlock, NoRaces);
        parallelize(p1, GPUGroup(16), ParallelReduction);
    }
}

fn main() {}
