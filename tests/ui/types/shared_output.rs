//! An output that is not borrowed mutably.

use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn copy(x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[i] = x[i];
    }
}

fn main() {
    let x = DenseVec::from_dense([2], vec![1.0, 2.0]).unwrap();
    let y = DenseVec::from_dense([2], vec![0.0, 0.0]).unwrap();
    copy(&x, &y).unwrap();
}
