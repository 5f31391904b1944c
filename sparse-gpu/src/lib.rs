//! Sparse tensor kernels in Rust: write index notation and formats, get a typed function.
//!
//! [`tensor_kernel!`] checks a kernel at compile time, with the error on the offending token, lowers it, and leaves
//! native code in the crate that uses it.
//!
//! ```
//! use sparse_gpu::prelude::*;
//!
//! tensor_kernel! {
//!     /// y = A·x
//!     pub fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
//!         y[i] = A[i, j] * x[j];
//!     }
//! }
//!
//! let a = Csr::from_triplets([2, 3], [([0, 0], 2.0), ([1, 2], 3.0)])?;
//! let x = DenseVec::from_dense([3], vec![1.0, 10.0, 100.0])?;
//! let y = spmv(&a, &x)?;
//! assert_eq!(y.vals(), [2.0, 300.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! Parallel loops run on rayon's pool: the one that the call is made in (`ThreadPool::install`), or the global one, of
//! which `RAYON_NUM_THREADS` says how many threads it has. Loops with little work stay on the calling thread.
//!
//! # GPUs
//!
//! The same function runs on an NVIDIA GPU and on a simulator of one: where the tensors are, there it runs.
//!
//! ```no_run
//! # use sparse_gpu::prelude::*;
//! # tensor_kernel! { fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; } }
//! # fn run(a: Csr<f64>, x: DenseVec<f64>) -> Result<(), Error> {
//! let gpu = Cuda::new(0)?; // or `Sim::new()`, which needs no GPU
//! spmv::prepare(&gpu)?; // compiles; the first call would do it too
//! let y = spmv(&a.to(&gpu)?, &x.to(&gpu)?)?.to_host()?;
//! println!("{}", spmv::CUDA_SOURCE);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing of CUDA is needed to build. To run on a GPU: NVIDIA's driver (525 or later), and NVRTC, which comes with the
//! CUDA toolkit and as the Python wheel `nvidia-cuda-nvrtc-cu12` ([`nvrtc`] says where it is looked for).
//! What is missing is an [`Error`](error::Error) that says what to install.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `SPARSE_NVRTC` | NVRTC's library, or the folder that holds it |
//! | `SPARSE_CACHE` | folder of compiled kernels and of what tuning found; empty: none |
//! | `SPARSE_GPU_ISA` | `baseline` or `avx2`: no more instructions than these on the CPU |
//!
//! Without the feature `cuda`, which is on by default, the crate is lighter, and [`Cuda`] is not there. The features
//! `ndarray` and `sprs` bring conversions between [tensors](tensor) and those libraries' arrays and matrices.

#[cfg(feature = "cuda")]
pub mod cuda;
mod folder;
mod hardware;
mod joined;
pub mod launch;
#[cfg(feature = "cuda")]
pub mod nvrtc;
pub mod sim;
mod structure;
pub mod tune;

/// The compiler as a library, for tools and tuners: the same that the macro runs.
///
/// ```
/// use sparse_gpu::compiler::command::{Schedule, Strategy, Unit};
/// use sparse_gpu::compiler::{Commands, driver, parse_str};
///
/// let text = "fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
/// let mut kernel = parse_str(text).map_err(|failed| failed.diagnostics)?;
/// let rows = Commands::new().split("i", "i0", "i1", 64).parallelize("i0", Unit::CpuThread, Strategy::NoRaces);
/// kernel.cpu = Schedule::Commands(rows.resolve(&kernel)?);
/// let compiled = driver::compile_kernel(kernel, &driver::Options::default())?;
/// println!("{}", compiled.explain());
/// # Ok::<(), sparse_gpu::compiler::Diagnostics>(())
/// ```
///
/// [`tune`] runs such kernels on a device.
pub mod compiler {
    pub use sparse_core::diag::{Diagnostic, Diagnostics};
    pub use sparse_core::front::ast::Kernel;
    pub use sparse_core::front::point::DA_SPMM;
    pub use sparse_core::front::{AtomicParallelism, Commands, command, parse_schedule, parse_str, point};
    pub use sparse_core::{driver, schedule};
}

#[cfg(feature = "cuda")]
pub use cuda::Cuda;
pub use hardware::{Hardware, Told};
pub use sim::Sim;
pub use sparse_core::{error, format, io, scalar, tensor};

/// A kernel from index notation: a function, and a module of the same name that tells what became of it.
///
/// ```
/// # use sparse_gpu::prelude::*;
/// tensor_kernel! {
///     /// C = α·A·B
///     pub fn spmm(A: Csr<f32>, B: DenseMat<f32>, alpha: f32) -> DenseMat<f32> {
///         C[i, k] = alpha * A[i, j] * B[j, k];
///     }
/// }
/// println!("{}", spmm::explain());
/// ```
///
/// Parameters are tensors (the function takes references) and scalars. The left-hand side names the result, or a
/// parameter `C: &mut DenseMat<f32>` that is written in place. A variable that is not on the left is summed over the
/// smallest term that has it. Tensor types are those of [`prelude`], or `Tensor<T, (Dense, Compressed)>` spelled out.
///
/// Beside `fn spmm` stands `mod spmm` with `CIN`, `PROGRAM` (the kernel as concrete index notation and as the
/// program it was lowered to), `explain()` and the type `Kernel`; for GPUs `CUDA_SOURCE`, `CUDA_CIN`, `KERNELS` and
/// `prepare(&device)`, which compiles the kernel ahead of its first call; and `TEXT`, the kernel as text, which
/// [`tune`] compiles again.
#[macro_export]
macro_rules! tensor_kernel {
    ($($tokens:tt)*) => { $crate::__private::expand_kernel! { $crate; $($tokens)* } };
}

/// What a program that uses kernels needs.
pub mod prelude {
    #[cfg(feature = "cuda")]
    pub use crate::Cuda;
    pub use crate::{Sim, tensor_kernel};
    pub use sparse_core::error::Error;
    pub use sparse_core::format::types::{
        Filled, Format, NegInf, NonUnique, One, PosInf, Reordered, Unique, Zero,
    };
    pub use sparse_core::format::{Compressed, Dense, Singleton};
    pub use sparse_core::io;
    pub use sparse_core::rt::RunsOn;
    pub use sparse_core::scalar::Element;
    pub use sparse_core::tensor::*;
}

/// What the expansion of [`tensor_kernel!`] refers to.
#[doc(hidden)]
pub mod __private {
    pub use crate::sim::Sim;
    pub use sparse_core::error::Error;
    pub use sparse_core::format::{Fill, Level};
    pub use sparse_core::rt::{self, Runs, RunsOn, Signature};
    pub use sparse_core::scalar::Element;
    pub use sparse_core::tensor::{Device, OnDevice, has_structure};
    pub use sparse_macros::expand_kernel;

    pub use crate::__have_structure as have_structure;

    /// In scope of a kernel's loops.
    pub mod native {
        // The user's crate may have no prelude.
        pub use core::prelude::rust_2024::*;
        pub use sparse_core::rt::{
            self, Counts, IndexArray, Integer, Isa, Load, MaybeUninit, Quad, Store, Vector,
        };
    }

    /// In scope of a kernel's launcher.
    pub mod host {
        pub use super::gpu;
        pub use core::prelude::rust_2024::*;
        // By their own names: behind a path, `gpu` could be a crate too.
        pub use super::native as in_native;
        pub use crate::{__does_not_run_on_gpus, __joined, __runs_on_gpus};
        pub use sparse_core::error::Error;
        pub use sparse_core::rt::{self, Args, IndexArray, KernelInfo, Output, Runs, RunsOn};
        pub use sparse_core::tensor::{Device, Host};
    }

    /// What the launcher on GPUs refers to.
    pub mod gpu {
        pub use crate::launch::{Argument, Backend, Call, Embedded, OnGpu};
        pub use sparse_core::emit::cuda::parts;
        pub use sparse_core::expand::explain;
        pub use sparse_core::scalar::Element;
    }
}
