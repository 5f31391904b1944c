use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sums(a: DenseVec<f32>, b: DenseVec<f32>) -> Scalar<f32> {
        s = a[i] + b[j];
    }
    schedule cpu {
        fuse(i, j, f);
    }
}

fn main() {}
