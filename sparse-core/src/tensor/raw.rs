//! The arrays themselves, for compiled kernels and device transfers.

use super::lengths::KnownLengths;
use super::{Buffer, Device, Host, LevelArrays, LevelView, Tensor, level_sizes};
use crate::format::{Format, views};
use crate::scalar::Element;
use std::marker::PhantomData;
use std::sync::Arc;

impl<T: Element, F: Format, D: Device> Tensor<T, F, D> {
    /// The levels' arrays from the root down, counted by reference: a result can share its operand's.
    pub fn levels(&self) -> &[LevelArrays<Arc<D::Array<i32>>>] {
        &self.levels
    }

    /// The values' array.
    pub fn vals_array(&self) -> &Arc<D::Array<T>> {
        &self.vals
    }

    /// Sizes of the levels, from the root down.
    pub fn level_sizes(&self) -> Vec<usize> {
        level_sizes(self.dims.as_ref(), F::ORDER)
    }

    /// A tensor on any device of arrays that are correct by construction.
    ///
    /// # Safety
    /// The arrays have to satisfy [`validate`](crate::format::validate) for the format and these dimensions.
    pub unsafe fn from_raw_arrays(
        device: D,
        dims: F::Coord,
        levels: Vec<LevelArrays<Arc<D::Array<i32>>>>,
        vals: Arc<D::Array<T>>,
    ) -> Self {
        Tensor { dims, levels, vals, device, lengths: KnownLengths::default(), format: PhantomData }
    }
}

impl<T: Element, F: Format> Tensor<T, F> {
    /// A level's size and arrays, from the root down.
    ///
    /// # Panics
    /// If there is no such level.
    #[inline]
    pub fn level(&self, level: usize) -> LevelView<'_> {
        LevelView::new(F::LEVELS[level], self.dims.as_ref()[F::ORDER[level]], &self.levels[level])
    }

    /// The values, one a position of the last level.
    #[inline]
    pub fn vals(&self) -> &[T] {
        &self.vals
    }

    /// The values, to be changed. Copies them first if another tensor shares them.
    #[inline]
    pub fn vals_mut(&mut self) -> &mut [T] {
        let vals: &mut Buffer<T> = Arc::make_mut(&mut self.vals);
        vals
    }

    /// A tensor of arrays that are correct by construction: what a compiled kernel has assembled.
    ///
    /// # Safety
    /// The arrays have to satisfy [`validate`](crate::format::validate) for the format and these dimensions: later
    /// kernels read without bounds checks. Debug builds check it.
    pub unsafe fn from_raw_levels(
        dims: F::Coord,
        levels: Vec<LevelArrays<Arc<Buffer<i32>>>>,
        vals: Buffer<T>,
    ) -> Self {
        #[cfg(debug_assertions)]
        if let Err(e) = crate::format::validate(&F::spec(), dims.as_ref(), &levels, vals.len()) {
            panic!("a kernel assembled an invalid tensor: {e}");
        }
        // SAFETY: the caller promises that the arrays are valid.
        unsafe { Self::from_raw_arrays(Host, dims, levels, Arc::new(vals)) }
    }

    /// All levels, from the root down.
    pub(super) fn views(&self) -> Vec<LevelView<'_>> {
        views(F::LEVELS, &self.level_sizes(), &self.levels)
    }
}
