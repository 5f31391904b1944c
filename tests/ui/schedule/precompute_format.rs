//! What is computed first says where entries are only in a format that lists them, and has no name in what is computed after it.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn product(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = M[i, k] * A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [kw], w);
    }
}

tensor_kernel! {
    pub fn chain(R: Csr<f64>, A: Csr<f64>, P: Csr<f64>) -> Csr<f64> {
        C[i, l] = R[i, j] * A[j, k] * P[k, l];
    }
    schedule cpu {
        precompute(R[i, j] * A[j, k], [k], [kw], ra, List);
        precompute(ra[k] * P[k, l], [l], [lw], acc, Sort);
    }
}

fn main() {}
