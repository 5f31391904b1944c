use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(k, ko, ki, 3);
        pos(j, p, A[i, j]);
        split(p, step, lane, 8);
        reorder(i, ko, lane, step, ki);
        parallelize(i, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(8), ReduceScatter);
    }
}

fn main() {}
