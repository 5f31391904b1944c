use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, i0, i1, 8);
        split(k, k0, k1, 8);
        reorder(i0, i1, k0, k1, j);
        parallelize(i0, GPUBlock, NoRaces);
        parallelize(i1, GPUBlock, NoRaces);
        parallelize(k0, GPUBlock, NoRaces);
        parallelize(k1, GPUBlock, NoRaces);
    }
}

fn main() {}
