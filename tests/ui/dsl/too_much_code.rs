use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn masked(
        m: SparseVec<f32>,
        a: SparseVec<f32>,
        b: SparseVec<f32>,
        c: SparseVec<f32>,
        d: SparseVec<f32>,
        e: SparseVec<f32>,
        f: SparseVec<f32>,
    ) -> DenseVec<f32> {
        y[i] = m[i] * (a[i] + b[i] + c[i] + d[i] + e[i] + f[i]);
    }
}

fn main() {}
