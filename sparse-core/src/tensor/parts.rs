//! A tensor taken apart into its arrays, and put together from the user's, validated.

use super::lengths::KnownLengths;
use super::{Buffer, Host, LevelArrays, Tensor, shared};
use crate::error::{Error, Result};
use crate::format::{Format, check_dims, validate};
use crate::scalar::Element;
use std::marker::PhantomData;
use std::sync::Arc;

/// The arrays of a tensor. A `Vec` becomes a [`Buffer`] and back without a copy.
///
/// ```
/// use sparse_core::tensor::{Csr, LevelArrays, Parts};
/// let levels = vec![LevelArrays::Dense, LevelArrays::compressed(vec![0, 1, 3], vec![2, 0, 1])];
/// let a = Csr::try_from_parts(Parts { dims: vec![2, 3], levels, vals: vec![1.0, 2.0, 3.0].into() })?;
/// assert_eq!(a.get([1, 0]), 2.0);
/// # Ok::<(), sparse_core::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parts<T: Element> {
    /// Sizes of the dimensions.
    pub dims: Vec<usize>,
    /// The levels' arrays, from the root down.
    pub levels: Vec<LevelArrays<Buffer<i32>>>,
    /// One value a position of the last level.
    pub vals: Buffer<T>,
}

/// Parts that make no tensor, and why.
#[derive(Debug)]
pub struct PartsError<T: Element> {
    /// What is wrong with them.
    pub error: Error,
    /// As they were given.
    pub parts: Parts<T>,
}

impl<T: Element> std::fmt::Display for PartsError<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}
impl<T: Element> std::error::Error for PartsError<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}
impl<T: Element> From<Box<PartsError<T>>> for Error {
    fn from(e: Box<PartsError<T>>) -> Self {
        e.error
    }
}

impl<A> LevelArrays<A> {
    /// A compressed level's arrays.
    pub fn compressed(pos: impl Into<A>, crd: impl Into<A>) -> Self {
        LevelArrays::Compressed { pos: pos.into(), crd: crd.into() }
    }

    /// A singleton level's array.
    pub fn singleton(crd: impl Into<A>) -> Self {
        LevelArrays::Singleton { crd: crd.into() }
    }
}

impl<T: Element, F: Format> Tensor<T, F> {
    /// A tensor of arrays that exist already, which are checked and moved, not copied.
    ///
    /// # Errors
    /// What is wrong with the arrays, which come back in the error.
    pub fn try_from_parts(parts: Parts<T>) -> Result<Self, Box<PartsError<T>>> {
        let spec = F::spec();
        match validate(&spec, &parts.dims, &parts.levels, parts.vals.len())
            .and_then(|()| coord::<F>(&parts.dims))
        {
            // SAFETY: they have been validated.
            Ok(dims) => Ok(unsafe { Self::assembled(dims, parts.levels, parts.vals) }),
            Err(error) => Err(Box::new(PartsError { error, parts })),
        }
    }

    /// The arrays; those that another tensor shares are copied.
    pub fn into_parts(self) -> Parts<T> {
        let levels = self.levels.into_iter().map(|l| l.map(Arc::unwrap_or_clone)).collect();
        let vals = Arc::unwrap_or_clone(self.vals);
        Parts { dims: self.dims.as_ref().to_vec(), levels, vals }
    }

    /// Of arrays that are known to be valid.
    ///
    /// # Safety
    /// They are what [`Tensor::try_from_parts`] accepts: kernels read them without checks.
    pub(super) unsafe fn assembled(
        dims: F::Coord,
        levels: Vec<LevelArrays<Buffer<i32>>>,
        vals: Buffer<T>,
    ) -> Self {
        Tensor {
            dims,
            levels: shared(levels),
            vals: Arc::new(vals),
            device: Host,
            lengths: KnownLengths::default(),
            format: PhantomData,
        }
    }
}

/// A slice as coordinates or dimensions of the format's rank.
pub(super) fn coord<F: Format>(values: &[usize]) -> Result<F::Coord> {
    check_dims(F::RANK, values)?;
    let mut coord = <F::Coord as crate::format::types::Coord>::ZERO;
    coord.as_mut().copy_from_slice(values);
    Ok(coord)
}
