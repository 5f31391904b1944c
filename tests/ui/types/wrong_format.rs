//! An argument in another format: the function takes what the kernel declares.

use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[i] = A[i, j] * x[j];
    }
}

fn main() {
    let a = Csc::<f64>::from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
    let x = DenseVec::zeros([2]);
    let mut y = DenseVec::zeros([2]);
    spmv(&a, &x, &mut y).unwrap();
}
