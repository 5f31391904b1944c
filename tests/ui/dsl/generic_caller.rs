//! A mistake of a kernel is none of a generic function that calls it.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn product(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * Z[j, k];
    }
}

tensor_kernel! {
    pub fn scaled(A: Csr<f16>, x: DenseVec<f64>, alpha: f64) -> DenseVec<f64> {
        y[i] = alpha * A[i, j] * x[j];
    }
}

type On<D> = <Csr<f64> as OnDevice>::On<D>;

fn squared<D: Device>(a: &On<D>) -> Result<On<D>, Error>
where
    product::Kernel: RunsOn<D>,
{
    product(a, a)
}

fn vector<D: Device>(a: &On<D>, x: &<DenseVec<f64> as OnDevice>::On<D>) -> Result<(), Error>
where
    scaled::Kernel: RunsOn<D>,
{
    scaled(a, x, 2.0).map(drop)
}

fn main() -> Result<(), Error> {
    let (a, sim) = (Csr::<f64>::random_sparse([3, 3], 0.5, 1), Sim::new());
    vector(&a, &DenseVec::random([3], 1))?;
    println!("{:?}", squared(&a)?.dims());
    println!("{:?}", squared(&a.to(&sim)?)?.to_host()?.dims());
    Ok(())
}
