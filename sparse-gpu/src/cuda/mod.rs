//! NVIDIA GPUs: [`Cuda`] is a GPU with a stream of work, and a [`Device`] of tensors.
//!
//! Work is asynchronous: uploads, launches and fills return when they are in the stream, and what the stream does next
//! waits for them. Only a download waits, and [`Cuda::synchronize`]. A failure of the GPU itself comes to light then.
//!
//! Nothing is linked: a program that uses this module runs where no driver is, and [`Cuda::new`] says so there.

mod array;
mod context;
mod driver;
mod event;
pub mod libraries;
mod module;
mod stream;
mod time;

pub use array::DeviceArray;
pub use event::Event;
pub use module::{Arguments, Function, Module};

use crate::hardware::Hardware;
use context::Context;
use cudarc::driver::sys::CUresult;
use sparse_core::error::{Error, Result};
use sparse_core::format::Buffer;
use sparse_core::scalar::Element;
use sparse_core::tensor::{Device, Memory};
use std::ffi::c_void;
use std::sync::Arc;
use stream::Stream;

/// A GPU, and the stream of work that kernels run in. A clone is the same stream.
#[derive(Clone)]
pub struct Cuda {
    stream: Arc<Stream>,
}

impl Cuda {
    /// The GPU of this number, and its main stream, which all handles from here share.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::DriverTooOld`], [`Error::NoSuchDevice`], and [`Error::Device`] if the driver
    /// can't start.
    pub fn new(ordinal: usize) -> Result<Self> {
        Ok(Cuda { stream: Context::get(ordinal)?.main_stream()? })
    }

    /// How many GPUs there are.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::DriverTooOld`]; no GPU is not an error.
    pub fn count() -> Result<usize> {
        context::count()
    }

    /// The same GPU with a stream of its own: what runs there overlaps with other streams. Tensors can be passed to
    /// kernels on any stream of their GPU; streams then wait for each other.
    ///
    /// # Errors
    /// [`Error::Device`]
    pub fn new_stream(&self) -> Result<Self> {
        Ok(Cuda { stream: Stream::new(self.context())? })
    }

    /// The GPU's number.
    pub fn ordinal(&self) -> usize {
        self.context().ordinal
    }

    /// The GPU's name, as `NVIDIA H100 PCIe`.
    pub fn name(&self) -> &str {
        &self.hardware().name
    }

    /// What the driver says of it.
    pub fn hardware(&self) -> &Hardware {
        &self.context().hardware
    }

    /// The GPU's compute capability, major and minor.
    pub fn compute_capability(&self) -> (u32, u32) {
        self.context().capability
    }

    /// The newest CUDA version that the driver supports, major and minor.
    pub fn driver_version(&self) -> (u32, u32) {
        self.context().driver
    }

    /// How many multiprocessors it has; `None` if the driver does not say.
    pub fn multiprocessors(&self) -> Option<u32> {
        self.hardware().multiprocessors
    }

    /// Bytes of its second-level cache; `None` if the driver does not say.
    pub fn second_level_cache(&self) -> Option<u64> {
        self.hardware().second_level.map(u64::from)
    }

    /// Free and total memory in bytes.
    ///
    /// # Errors
    /// [`Error::Device`]
    pub fn memory(&self) -> Result<(u64, u64)> {
        self.context().memory()
    }

    /// Waits for everything in the stream.
    ///
    /// # Errors
    /// [`Error::Device`] if something in it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize()
    }

    /// Marks this point of the stream, for timing.
    ///
    /// # Errors
    /// [`Error::Device`]
    pub fn record(&self) -> Result<Event> {
        Event::record(&self.stream)
    }

    /// The stream as `CUstream`, for other libraries: to put work between kernels, or to capture them in a graph. It is
    /// valid as long as a handle of it or a tensor made with one lives.
    pub fn raw_stream(&self) -> *mut c_void {
        self.stream.raw.cast()
    }

    pub(crate) fn context(&self) -> &'static Context {
        self.stream.context
    }

    pub(crate) fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }
}

impl std::fmt::Debug for Cuda {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cuda({}: {})", self.ordinal(), self.name())
    }
}

impl Device for Cuda {
    type Array<T: Element> = DeviceArray<T>;
}

impl Memory for Cuda {
    fn upload<T: Element>(&self, host: &Arc<Buffer<T>>) -> Result<Arc<DeviceArray<T>>> {
        DeviceArray::upload(self, host).map(Arc::new)
    }

    fn download<T: Element>(&self, array: &Arc<DeviceArray<T>>) -> Result<Arc<Buffer<T>>> {
        array.download().map(Arc::new)
    }

    fn duplicate<T: Element>(&self, array: &DeviceArray<T>) -> Result<DeviceArray<T>> {
        array.duplicate(self)
    }

    fn len<T: Element>(array: &DeviceArray<T>) -> usize {
        array.len()
    }

    fn shares_memory(&self, other: &Self) -> bool {
        self.ordinal() == other.ordinal()
    }
}

/// A call's outcome.
fn check(action: &'static str, code: CUresult) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(failure(action, code)) }
}

/// The error of a call that failed. The code's name is the bindings' own: asking the driver for it could fail too.
fn failure(action: &'static str, code: CUresult) -> Error {
    Error::Device { action, code: code as u32, name: format!("{code:?}") }
}
