//! Tensors that kernels are called with.

use super::Backend;
use super::any::{AnyMut, AnyRef};
use sparse_core::error::Result;
use sparse_core::format::{Format, FormatSpec, LevelArrays};
use sparse_core::scalar::{DType, Element};
use sparse_core::tensor::Tensor;
use sparse_core::tensor::lengths::{self, KnownLengths, Lengths};
use sparse_core::typed_each;
use std::sync::Arc;

/// A tensor's levels on a device.
pub(super) type Levels<D> = Vec<LevelArrays<Arc<<D as sparse_core::tensor::Device>::Array<i32>>>>;

/// A tensor that a kernel is called with.
pub struct Argument<'a, D: Backend> {
    pub(super) device: D,
    pub(super) spec: FormatSpec,
    pub(super) dims: Vec<usize>,
    /// From the root down.
    pub(super) sizes: Vec<usize>,
    pub(super) levels: Levels<D>,
    pub(super) lengths: KnownLengths,
    pub(super) vals: Vals<'a, D>,
}

/// An argument's values.
pub(super) enum Vals<'a, D: Backend> {
    Read(AnyRef<'a, D>),
    Write(AnyMut<'a, D>),
}

impl<'a, D: Backend> Argument<'a, D> {
    /// A tensor that is read.
    pub fn read<T: Element, F: Format>(tensor: &'a Tensor<T, F, D>) -> Self {
        Argument {
            device: tensor.device().clone(),
            spec: F::spec(),
            dims: tensor.dims().as_ref().to_vec(),
            sizes: tensor.level_sizes(),
            levels: tensor.levels().to_vec(),
            lengths: tensor.known_lengths().clone(),
            vals: Vals::Read(T::typed(&**tensor.vals_array())),
        }
    }

    /// How many entries there are below each position of the first levels, by their number.
    pub(super) fn lengths(&self) -> Result<&[Lengths]> {
        lengths::known(&self.lengths, &self.sizes, &self.levels, &self.device)
    }

    /// How many values are stored at each entry of the last sparse level.
    pub(super) fn block(&self) -> u64 {
        let sizes = self.sizes.iter().rev().take(self.spec.block_levels());
        sizes.fold(1, |block, size| block.saturating_mul(*size as u64))
    }

    /// A tensor that is written in place; where another tensor shares its values, they are copied first.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]
    pub fn write<T: Element, F: Format>(tensor: &'a mut Tensor<T, F, D>) -> Result<Self> {
        let (device, dims) = (tensor.device().clone(), tensor.dims().as_ref().to_vec());
        let (levels, sizes) = (tensor.levels().to_vec(), tensor.level_sizes());
        let lengths = tensor.known_lengths().clone();
        // SAFETY: kernels write elements, and do not exchange the array.
        let vals = unsafe { tensor.vals_array_mut() }?;
        let vals = Vals::Write(T::typed(vals));
        Ok(Argument { device, spec: F::spec(), dims, sizes, levels, lengths, vals })
    }

    pub(super) fn dtype(&self) -> DType {
        match &self.vals {
            Vals::Read(array) => typed_each!(array, T: _array => T::DTYPE),
            Vals::Write(array) => typed_each!(array, T: _array => T::DTYPE),
        }
    }
}
