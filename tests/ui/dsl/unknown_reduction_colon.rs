use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn twice(A: Csr<f32>) -> Csr<f32> {
        C[i, j] := 2 * A[i, j];
    }
}

fn main() {}
