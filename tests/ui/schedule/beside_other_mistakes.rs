use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn smallest(A: Csr<f32>, x: DenseVec<f32>) -> SparseVec<f32> {
        y[i] min= A[i, j] * x[j];
    }
    schedule cpu {
        bound(i, ib, 0, MaxExact);
        parallelize(ib, CPUVector, Atomics);
    }
    schedule cuda {
        parallelize(i, CPUThread, NoRaces);
    }
}

fn main() {}
