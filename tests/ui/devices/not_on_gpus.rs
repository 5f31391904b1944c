//! A sum of sparse matrices is assembled, which a GPU does not do; and nobody has to want one.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn sum(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

tensor_kernel! {
    fn rows(A: Csr<f64>) -> DenseVec<f64> {
        y[i] = A[i, j];
    }
    schedule cuda = none;
}

fn main() {
    let a = Csr::random_sparse([3, 3], 0.5, 1).to(&Sim::new()).unwrap();
    let _ = sum(&a, &a);
    let _ = rows(&a);
}
