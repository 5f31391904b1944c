use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(k, ko, ki, 4);
        reorder(i, j, ko, ki);
        parallelize(ki, GPUVector, NoRaces);
    }
}

fn main() {}
