//! Mistakes that have nothing to do with each other are reported together.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn elements_and_bounds(A: Csr<f64>, B: Csr<f32>) -> Csr<f64> {
        C[i, q] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    pub fn function_and_bounds(A: Csr<f64>) -> Csr<f64> {
        C[i, q] = foo(A[i, j]);
    }
}

tensor_kernel! {
    pub fn names(A: Csr<f64>, i: f64, j: f64) -> Csr<f64> {
        C[i, k] = i * A[i, k] * j;
    }
}

// Brackets tell a tensor from a function of its name.
tensor_kernel! {
    pub fn largest(core: Csr<f64>, max: Csr<f64>) -> Csr<f64> {
        r[i, j] = max(core[i, j], 1.0) + max[i, q];
    }
}

fn main() {}
