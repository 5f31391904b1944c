//! One tensor as the output and as an operand.

use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {
    let a = Csr::from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
    let mut x = DenseVec::from_dense([2], vec![1.0, 2.0]).unwrap();
    spmv(&a, &x, &mut x).unwrap();
}
