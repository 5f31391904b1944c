use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn both(A: Csr<f32>, y: &mut DenseVec<f32>, z: &mut DenseVec<f32>) {
        y[i] = A[i, j];
    }
}

fn main() {}
