//! A schedule that somebody wrote has to be possible, on each target.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        split(i, i0, i0, 4);
    }
    schedule cuda {
        split(i, block, thread, 4096);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

fn main() {
    let a = Csr::random_sparse([3, 3], 0.5, 1);
    let _ = spmv(&a, &DenseVec::zeros([3]));
}
