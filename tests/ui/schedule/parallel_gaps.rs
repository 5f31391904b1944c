use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn products(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] *= A[i, j] * x[j]; }
    schedule cpu { parallelize(j, CPUThread, Temporary); }
}

tensor_kernel! {
    pub fn intersection(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> { c[i] = a[i] * b[i]; }
    schedule cpu { parallelize(i, CPUThread, NoRaces); }
}

fn main() {}
