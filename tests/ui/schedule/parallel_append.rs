use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn outer(b: SparseVec<f32>, c: DenseVec<f32>) -> Csr<f32> {
        A[i, j] = b[i] * c[j];
    }
    schedule cpu {
        parallelize(j, CPUThread, NoRaces);
    }
}

tensor_kernel! {
    pub fn sum(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, j] = A[i, j] + B[i, j];
    }
    schedule cpu {
        parallelize(i, CPUThread, Temporary);
    }
}

fn main() {}
