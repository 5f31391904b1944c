use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn product(a: SparseVec<f32>, b: SparseVec<f32>) -> DenseVec<f32> {
        y[i] = a[i] * b[i];
    }
    schedule cpu {
        parallelize(i, CPUThread, NoRaces);
    }
}

fn main() {}
