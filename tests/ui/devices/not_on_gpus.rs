//! Nobody has to want a GPU.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn rows(A: Csr<f64>) -> DenseVec<f64> {
        y[i] = A[i, j];
    }
    schedule cuda = none;
}

fn main() {
    let a = Csr::random_sparse([3, 3], 0.5, 1).to(&Sim::new()).unwrap();
    let _ = rows(&a);
}
