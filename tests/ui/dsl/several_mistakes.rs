use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm<T>(A: &Csr<f32>, B: DenseMat<f64>, beta: f32) -> DenseMat<f32> {
        C[i, i] = alpha * A[i] * X[j, 0];
    }
}

// A mistake in a kernel is not one in its callers.
fn main() -> Result<(), Error> {
    let a = Csr::from_triplets([1, 1], [([0, 0], 1.0)])?;
    let b = DenseMat::from_dense([1, 1], vec![1.0])?;
    let c = spmm(&a, &b, 2.0)?;
    println!("{:?} {}", c.dims(), spmm::explain());
    Ok(())
}
