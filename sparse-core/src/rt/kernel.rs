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
    note = "kernels run on `Host`: bring the tensors there with `to_host()`"
)]
pub trait RunsOn<D: Device>: Signature {
    /// Checks the sizes, allocates the result, and runs the kernel.
    ///
    /// # Errors
    /// Sizes that disagree, and results too large.
    fn run(args: Args<'_, Self, D>) -> Result<Output<Self, D>, Error>;
}
