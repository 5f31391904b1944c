use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn ttv(B: Tensor<f32, (Dense, Dense, Compressed)>, c: DenseVec<f32>) -> DenseVec<f32> {
        y[j] = B[i, j, k] * c[i];
    }
    schedule cpu {
        reorder(j, i);
        fuse(j, i, f);
        fuse(f, k, g);
        pos(g, p, B[i, j, k]);
    }
}

fn main() {}
