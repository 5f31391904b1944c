use sparse_gpu::prelude::*;

tensor_kernel! {
    fn scale(Kernel: DenseVec<f64>, Host: f64) -> DenseVec<f64> {
        y[i] = Host * Kernel[i];
    }
}

fn main() {}
