use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn dots(A: Csr<f64>, B: Csc<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * B[i, j];
    }
    schedule cpu {
        parallelize(i, CPUThread, NoRaces);
    }
}

fn main() {}
