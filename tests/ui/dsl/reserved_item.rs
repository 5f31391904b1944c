use sparse_gpu::prelude::*;

tensor_kernel! {
    fn scale(Kernel: DenseVec<f64>, Host: f64, SIZE: f64) -> DenseVec<f64> {
        y[i] = SIZE * Host * Kernel[i];
    }
}

fn main() {}
