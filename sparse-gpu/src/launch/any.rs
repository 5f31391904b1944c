//! Arrays of a device whose element type is known at run time alone.

use sparse_core::scalar::{Element, Family, Typed};
use sparse_core::tensor::Device;
use std::marker::PhantomData;

/// Arrays of a device.
pub struct Owned<D>(PhantomData<D>);
impl<D: Device> Family for Owned<D> {
    type Of<T: Element> = D::Array<T>;
}

/// Arrays of a device that are read.
pub struct Read<'a, D>(PhantomData<&'a D>);
impl<'a, D: Device> Family for Read<'a, D> {
    type Of<T: Element> = &'a D::Array<T>;
}

/// Arrays of a device that are written.
pub struct Write<'a, D>(PhantomData<&'a D>);
impl<'a, D: Device> Family for Write<'a, D> {
    type Of<T: Element> = &'a mut D::Array<T>;
}

/// An array of one of the element types.
pub type AnyArray<D> = Typed<Owned<D>>;
/// A borrowed [`AnyArray`].
pub type AnyRef<'a, D> = Typed<Read<'a, D>>;
/// A borrowed [`AnyArray`], to be written.
pub type AnyMut<'a, D> = Typed<Write<'a, D>>;
