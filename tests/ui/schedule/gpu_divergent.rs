use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        pos(j, p, A[i, j]);
        split(p, p0, p1, 32);
        reorder(i, p1, p0, k);
        parallelize(i, GPUBlock, NoRaces);
        parallelize(p1, GPUGroup(32), ParallelReduction);
    }
}

fn main() {}
