//! Kernels in the type system: which devices they run on.

use crate::error::Error;
use crate::tensor::Device;

/// What a kernel takes and gives, on any device.
pub trait Signature {
    /// Parameters in order, as a tuple.
    type Args<'a, D: Device>;
    /// The result; `()` for a kernel that writes in place.
    type Output<D: Device>;
}

/// A kernel's parameters on a device.
pub type Args<'a, K, D> = <K as Signature>::Args<'a, D>;
/// A kernel's result on a device.
pub type Output<K, D> = <K as Signature>::Output<D>;

/// A kernel that runs on a device.
#[diagnostic::on_unimplemented(
    message = "this kernel does not run on `{D}`",
    label = "no code for `{D}`",
    note = "every kernel runs on `Host`: bring the tensors there with `to_host()`"
)]
pub trait RunsOn<D: Device>: Signature {
    /// Checks the sizes, allocates the result, and runs the kernel.
    ///
    /// # Errors
    /// Sizes that disagree, and results too large.
    fn run(args: Args<'_, Self, D>) -> Result<Output<Self, D>, Error>;

    /// Compiles the kernel for a device, where that happens at run time.
    ///
    /// # Errors
    /// What is missing to compile it, or why it does not.
    fn prepare(device: &D) -> Result<(), Error> {
        let _ = device;
        Ok(())
    }
}

/// [`RunsOn`] as a property of the device: a call's device comes from its arguments, not from where its kernel runs,
/// so that a device where it does not run is an error that says so.
pub trait Runs<K: Signature>: Device {
    /// [`RunsOn::run`]
    ///
    /// # Errors
    /// As there.
    fn run(args: Args<'_, K, Self>) -> Result<Output<K, Self>, Error>;

    /// [`RunsOn::prepare`]
    ///
    /// # Errors
    /// As there.
    fn prepare(&self) -> Result<(), Error>;
}

impl<K: RunsOn<D>, D: Device> Runs<K> for D {
    fn run(args: Args<'_, K, D>) -> Result<Output<K, D>, Error> {
        K::run(args)
    }

    fn prepare(&self) -> Result<(), Error> {
        K::prepare(self)
    }
}

/// An entry point of a kernel's CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name in the source.
    pub name: &'static str,
    /// Its parameters in order, as they are declared: `const int* A2_pos, const float* A_vals`.
    pub signature: &'static str,
    /// How many blocks are launched in x, y and z: expressions of sizes and lengths of arrays.
    pub grid: &'static [&'static str],
    /// Threads of a block.
    pub block: u32,
}
