//! Mistakes of one schedule hide none of another.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn target_and_variable(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        split(z, z0, z1, 4);
    }
    schedule gpu {
        split(i, a, b, 3);
    }
}

tensor_kernel! {
    pub fn twice(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 4 col>, 8);
    schedule cuda = none;
}

tensor_kernel! {
    pub fn order_and_point(A: Csr<f64>, B: Csc<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = b[i] - (A[i, j] + B[i, j]) * x[j];
    }
    schedule cuda = atomic(<1 row, 4 col>, 8);
}

tensor_kernel! {
    pub fn sum_and_point(A: Csr<f64>, B: Csc<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
    schedule cpu {
        split(z, z0, z1, 4);
    }
    schedule cuda = atomic(<1 row, 4 col>, 8);
}

fn main() {}
