//! Tensors of a call are on one device.

use sparse_gpu::prelude::*;

tensor_kernel! {
    fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {
    let a = Csr::random_sparse([3, 3], 0.5, 1).to(&Sim::new()).unwrap();
    let _ = spmv(&a, &DenseVec::zeros([3]));
}
