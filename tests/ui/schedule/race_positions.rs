use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu {
        fuse(i, j, f);
        pos(f, p, A[i, j]);
        split(p, p0, p1, 1024);
        parallelize(p0, CPUThread, NoRaces);
    }
}

fn main() {}
