use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn scale(x: DenseVec<u8>) -> DenseVec<u8> {
        y[i] = 300 * x[i];
    }
}

fn main() {}
