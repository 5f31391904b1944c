use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn difference(
        a: Tensor<f32, Filled<(Compressed,), PosInf>>,
        b: Tensor<f32, Filled<(Compressed,), PosInf>>,
    ) -> DenseVec<f32> {
        y[i] = a[i] - b[i];
    }
}

fn main() {}
