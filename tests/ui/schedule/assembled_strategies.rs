//! Strategies that an assembled result has no use for, and what to write instead.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn on_threads(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        parallelize(j, CPUThread, Deterministic);
    }
}

tensor_kernel! {
    pub fn by_groups(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, lane, 64);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(lane, GPUGroup(8), Segment);
    }
}

tensor_kernel! {
    pub fn by_entries(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
    schedule cpu {
        fuse(i, j, f);
        pos(f, p, A[i, j]);
        split(p, p0, p1, 3);
        parallelize(p0, CPUThread, NoRaces);
    }
}

fn main() {}
