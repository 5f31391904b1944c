//! A kernel of the macro on a GPU that is none: the same function, compiled and launched.

use crate::fake::{self, Fake, with};
use sparse_gpu::prelude::*;

tensor_kernel! {
    /// The fake's driver has this kernel.
    fn spmv(A: Csr<f64>, x: DenseVec<f64>, alpha: f64) -> DenseVec<f64> {
        y[i] = alpha * A[i, j] * x[j];
    }
    schedule cuda {
        split(i, block, thread, 64);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

#[test]
fn the_same_function_runs_on_a_gpu() {
    with(Fake::new("kernels::the_same_function_runs_on_a_gpu"), || {
        let signature = "const int* A2_pos, const int* A2_crd, const double* A_vals, const double* x_vals, \
                         int A1_dim, double alpha, double* y_vals";
        assert_eq!((spmv::KERNELS[0].name, spmv::KERNELS[0].signature), ("spmv", signature));
        let gpu = Cuda::new(0).unwrap();
        spmv::prepare(&gpu).unwrap();
        assert_eq!((fake::compiled().len(), fake::trace().iter().filter(|l| *l == "load").count()), (1, 1));
        let (a, x) = (Csr::<f64>::random_sparse([100, 50], 0.1, 3), DenseVec::<f64>::random([50], 4));
        let (there, x_there) = (a.to(&gpu).unwrap(), x.to(&gpu).unwrap());
        let before = fake::trace().len();
        let y = spmv(&there, &x_there, 2.0).unwrap();
        // A result is allocated and a kernel started; nobody waits, and nothing is compiled.
        assert_eq!(fake::trace()[before..], ["allocate in order", "launch"]);
        assert!(y.to_host().unwrap().approx_eq(&spmv(&a, &x, 2.0).unwrap(), 1e-12));
        assert_eq!(fake::compiled().len(), 1);
        // Another GPU of the same kind loads it, and compiles nothing.
        let other = Cuda::new(1).unwrap();
        let y = spmv(&a.to(&other).unwrap(), &x.to(&other).unwrap(), 2.0).unwrap();
        assert_eq!(y.device().ordinal(), 1);
        assert_eq!((fake::compiled().len(), fake::trace().iter().filter(|l| *l == "load").count()), (1, 2));
    });
}

#[test]
fn a_call_without_nvrtc_says_what_to_install() {
    with(Fake::new("kernels::a_call_without_nvrtc_says_what_to_install").without_nvrtc(), || {
        let gpu = Cuda::new(0).unwrap();
        let a = Csr::<f64>::random_sparse([10, 5], 0.1, 3).to(&gpu).unwrap();
        let x = DenseVec::<f64>::random([5], 4).to(&gpu).unwrap();
        let e = spmv(&a, &x, 2.0).map(drop).unwrap_err();
        assert!(matches!(e, Error::NoNvrtc { .. }), "{e}");
        let on_others = spmv(&a, &DenseVec::random([5], 4).to(&Cuda::new(1).unwrap()).unwrap(), 2.0);
        assert!(matches!(on_others.map(drop), Err(Error::DifferentDevices { .. })));
    });
}
