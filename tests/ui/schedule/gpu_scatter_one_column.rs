use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        pos(j, p, A[i, j]);
        split(p, step, lane, 8);
        reorder(i, lane, step);
        parallelize(i, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(8), ReduceScatter);
    }
}

fn main() {}
