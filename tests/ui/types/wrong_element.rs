//! An argument of another element type: elements are never converted on the way.

use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(alpha: f64, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = alpha * x[i];
    }
}

fn main() {
    let x = DenseVec::<f32>::from_dense([2], vec![1.0, 2.0]).unwrap();
    let _ = scale(2.0, &x);
}
