use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn sum(
        a: SparseVec<f32>,
        b: SparseVec<f32>,
        c: SparseVec<f32>,
        d: SparseVec<f32>,
        e: SparseVec<f32>,
        f: SparseVec<f32>,
        g: SparseVec<f32>,
    ) -> DenseVec<f32> {
        y[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i];
    }
}

fn main() {}
