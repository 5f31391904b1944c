//! A mistake of a kernel is none of what uses the items of its module.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * Z[j, k];
    }
}

fn device<D: Device>()
where
    spmm::Kernel: RunsOn<D>,
{
}

fn main() -> Result<(), Error> {
    println!("{}{}{}", spmm::CIN, spmm::PROGRAM, spmm::explain());
    println!("{}{}{}", spmm::CUDA_SOURCE, spmm::CUDA_CIN, spmm::TEXT);
    println!("{:?}", spmm::KERNELS);
    device::<Sim>();
    spmm::prepare(&Sim::new())
}
