//! Running a GPU program on a device: one launcher for GPUs and the simulator.
//!
//! A program is host steps around kernels. [`Call`] checks what the caller passes, evaluates sizes and grids on the
//! host, allocates and fills what the steps say, hands each kernel its parameters in the order of its signature, and
//! makes the result. A [`Backend`] does what only the device can.

mod any;
mod argument;
mod call;
#[cfg(feature = "cuda")]
mod cuda;
mod dynamic;
mod embedded;
mod kernel;
mod runs_on;
mod sim;
mod size;
mod steps;
mod types;
mod variants;

pub use any::{AnyArray, AnyMut, AnyRef};
pub use argument::Argument;
pub use call::Call;
pub(crate) use dynamic::fetch;
pub use dynamic::run_dynamic;
pub use embedded::Embedded;
pub use kernel::Kernel;
#[doc(hidden)]
pub use runs_on::OnGpu;
pub use variants::Variants;

use sparse_core::error::{Error, Result};
use sparse_core::format::Buffer;
use sparse_core::scalar::{Element, Value};
use sparse_core::tensor::Memory;

/// A device that runs GPU programs.
pub trait Backend: Memory {
    /// The device's number among those of its kind.
    fn number(&self) -> usize;

    /// Makes a kernel ready to run, so that its first call pays nothing.
    ///
    /// # Errors
    /// [`Error::NoNvrtc`](sparse_core::error::Error::NoNvrtc) and
    /// [`Error::Jit`](sparse_core::error::Error::Jit) where kernels are compiled, and what the driver reports.
    fn prepare(&self, kernel: &Kernel) -> Result<()>;

    /// An array of so many elements, of one value or not initialised.
    ///
    /// # Safety
    /// Without a value, every element is written before it is read, on the device or by a download.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](sparse_core::error::Error::OutOfDeviceMemory)
    unsafe fn allocate<T: Element>(&self, len: usize, init: Option<T>) -> Result<Self::Array<T>>;

    /// Overwrites every element.
    ///
    /// # Errors
    /// What the driver reports.
    fn fill<T: Element>(&self, array: &mut Self::Array<T>, value: T) -> Result<()>;

    /// One element, when the work that writes it is done.
    ///
    /// # Errors
    /// What the driver reports.
    fn read(&self, array: &Self::Array<i32>, at: usize) -> Result<i32>;

    /// The first elements of an array, whose others need not have been written.
    ///
    /// # Errors
    /// What the driver reports.
    fn read_first(&self, array: Self::Array<i32>, len: usize) -> Result<Buffer<i32>> {
        (0..len).map(|at| self.read(&array, at)).collect()
    }

    /// Starts one of the program's launches, counted from 0, on a grid of blocks. It may be `early`, before the one before it
    /// has ended, if it follows that one in the program and waits for it itself ([`follows`](sparse_core::llir::Launch::follows)),
    /// and the call has given the device nothing else to do in between.
    ///
    /// # Safety
    /// The arguments are those of the launch's signature, and the kernel stays inside its arrays.
    ///
    /// # Errors
    /// [`Error::Launch`](sparse_core::error::Error::Launch), and as [`Backend::prepare`].
    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: usize,
        grid: [u32; 3],
        arguments: Vec<Passed<'_, Self>>,
        early: bool,
    ) -> Result<()>;
}

/// What is passed to a kernel.
pub enum Passed<'a, D: Backend> {
    /// An array that it reads.
    Read(AnyRef<'a, D>),
    /// An array that it writes.
    Write(AnyMut<'a, D>),
    /// A size.
    Index(i32),
    /// A scalar.
    Scalar(Value),
}

/// Checks that two tensors of these names are in one memory.
///
/// # Errors
/// [`Error::DifferentDevices`]
pub(crate) fn share_memory<D: Backend>(first: (&str, &D), second: (&str, &D)) -> Result<()> {
    if second.1.shares_memory(first.1) {
        return Ok(());
    }
    Err(Error::DifferentDevices {
        first: first.0.into(),
        first_device: first.1.number(),
        second: second.0.into(),
        second_device: second.1.number(),
    })
}
