//! Where a tensor is: the device as a type parameter, and the same tensor type on another device.

use super::{Buffer, Tensor};
use crate::format::types::is_format;
use crate::format::{Fill, Format, Level};
use crate::scalar::{DType, Element};

/// A place where tensors are stored and kernels run. A tensor keeps a handle of its device.
pub trait Device: Clone + Send + Sync + 'static {
    /// An array in the device's memory.
    type Array<T: Element>: Send + Sync;
}

/// Main memory, and the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Host;
impl Device for Host {
    type Array<T: Element> = Buffer<T>;
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
