//! Where a tensor is: the device as a type parameter, and the same tensor type on another device.

use super::{Buffer, Tensor};
use crate::error::Result;
use crate::format::types::is_format;
use crate::format::{Fill, Format, Level};
use crate::scalar::{DType, Element};
use std::sync::Arc;

/// A place where tensors are stored and kernels run. A tensor keeps a handle of its device.
pub trait Device: Clone + Send + Sync + 'static {
    /// An array in the device's memory.
    type Array<T: Element>: Send + Sync;
}

/// A device that arrays can be copied to and from. Nothing relies on what it gives back: a tensor that comes to the host
/// is validated.
pub trait Memory: Device {
    /// A copy of the host's array in the device's memory, or the same array where that is main memory.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](crate::error::Error::OutOfDeviceMemory), and what the device's driver reports.
    fn upload<T: Element>(&self, host: &Arc<Buffer<T>>) -> Result<Arc<Self::Array<T>>>;

    /// The host's copy of an array of this device, when the work that writes it is done.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::error::Error::OutOfMemory), and what the device's driver reports.
    fn download<T: Element>(&self, array: &Arc<Self::Array<T>>) -> Result<Arc<Buffer<T>>>;

    /// A second array of the same elements on this device.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](crate::error::Error::OutOfDeviceMemory), and what the device's driver reports.
    fn duplicate<T: Element>(&self, array: &Self::Array<T>) -> Result<Self::Array<T>>;

    /// An array's number of elements.
    fn len<T: Element>(array: &Self::Array<T>) -> usize;

    /// Can kernels on one of the two use arrays of the other?
    fn shares_memory(&self, other: &Self) -> bool;
}

/// Main memory, and the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Host;
impl Device for Host {
    type Array<T: Element> = Buffer<T>;
}
impl Memory for Host {
    fn upload<T: Element>(&self, host: &Arc<Buffer<T>>) -> Result<Arc<Buffer<T>>> {
        Ok(host.clone())
    }

    fn download<T: Element>(&self, array: &Arc<Buffer<T>>) -> Result<Arc<Buffer<T>>> {
        Ok(array.clone())
    }

    fn duplicate<T: Element>(&self, array: &Buffer<T>) -> Result<Buffer<T>> {
        let mut copy = Buffer::try_with_capacity(array.len())?;
        copy.extend_from_slice(array);
        Ok(copy)
    }

    fn len<T: Element>(array: &Buffer<T>) -> usize {
        array.len()
    }

    fn shares_memory(&self, _: &Self) -> bool {
        true
    }
}

/// A host tensor type, and what it is on other devices: a kernel that is generic over its device takes
/// `&<Csr<f32> as OnDevice>::On<D>`. Sealed: generated code relies on the element type and format that it states.
pub trait OnDevice: sealed::Sealed {
    /// The element type.
    type Element: Element;
    /// The format.
    type Format: Format;
    /// The same tensor on device `D`.
    type On<D: Device>;
}
mod sealed {
    pub trait Sealed {}
}
impl<T: Element, F: Format> sealed::Sealed for Tensor<T, F, Host> {}
impl<T: Element, F: Format> OnDevice for Tensor<T, F, Host> {
    type Element = T;
    type Format = F;
    type On<D: Device> = Tensor<T, F, D>;
}

/// Has a tensor type this element type, and a format with these levels, mode order and fill? Generated code asserts
/// it at compile time of the user's types.
pub const fn has_structure<X: OnDevice>(dtype: DType, levels: &[Level], order: &[usize], fill: Fill) -> bool {
    X::Element::DTYPE as u8 == dtype as u8 && is_format::<X::Format>(levels, order, fill)
}
