use sparse_gpu::prelude::*;

tensor_kernel! {
    fn scale(Kernel: DenseVec<f64>, Host: f64, SIZE: f64) -> DenseVec<f64> {
        y[i] = SIZE * Host * Kernel[i];
    }
}

tensor_kernel! {
    fn grow(x: DenseVec<f64>) -> DenseVec<f64> {
        CIN[i, None] = x[i];
    }
}

tensor_kernel! {
    fn shift(None: f64, x: DenseVec<f64>) -> DenseVec<f64> {
        y[SIZE] = x[SIZE];
    }
}

fn main() {}
