use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda {
        split(i, block, warp, 4);
        reorder(warp, block);
        parallelize(block, GPUWarp, NoRaces);
    }
}

fn main() {}
