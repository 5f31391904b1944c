//! A result that is used without asking for an error.

use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn product(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
}

fn main() {
    let a = Csr::from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
    let c: Csr<f64> = product(&a, &a);
    assert_eq!(c.stored(), 1);
}
