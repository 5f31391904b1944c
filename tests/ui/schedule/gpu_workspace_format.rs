use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spgemm(B: Csr<f32>, C: Csr<f32>) -> Csr<f32> {
        A[i, k] = B[i, j] * C[j, k];
    }
    schedule cuda {
        precompute(B[i, j] * C[j, k], [k], [k], acc, Sort);
    }
}

tensor_kernel! {
    pub fn listed(B: Csr<f32>, C: Csr<f32>) -> Csr<f32> {
        A[i, k] = B[i, j] * C[j, k];
    }
    schedule cuda {
        precompute(B[i, j] * C[j, k], [k], [k], acc, List);
        parallelize(i, GPUBlock, NoRaces);
    }
}

fn main() {}
