//! Tensors in host memory: build, convert, read.
//!
//! A [`Tensor`] holds its levels' arrays and its values, each counted by reference. What compiled kernels rely on
//! (`pos` monotone, coordinates in range and in order, lengths that agree: [`format::validate`](crate::format::validate))
//! is established by every constructor and can't be broken from safe code: only values can be changed in place.
//!
//! ```
//! use sparse_core::tensor::{Csr, DenseMat};
//! let a = Csr::from_triplets([3, 4], [([2, 1], 2.0), ([0, 3], 1.0), ([2, 1], 0.5)])?;
//! assert_eq!((a.dims(), a.stored(), a.get([2, 1])), ([3, 4], 2, 2.5));
//! let d: DenseMat<f64> = a.to_dense()?;
//! assert_eq!(d.get([0, 3]), 1.0);
//! # Ok::<(), sparse_core::error::Error>(())
//! ```

mod alias;
mod build;
mod cast;
mod compare;
mod convert;
mod count;
mod device;
mod dynamic;
pub mod generate;
pub mod lengths;
#[cfg(feature = "ndarray")]
mod ndarray;
mod parts;
pub(crate) mod random;
mod raw;
mod read;
#[cfg(test)]
mod roundtrip;
mod sort;
#[cfg(feature = "sprs")]
mod sprs;
#[cfg(test)]
mod tests;
mod transfer;

pub use crate::format::{Buffer, LevelArrays, LevelView};
pub use alias::*;
pub use build::Coordinates;
pub use device::{Device, Host, Memory, OnDevice, has_structure};
pub use dynamic::{DynLevel, DynTensor};
pub use lengths::Lengths;
pub use parts::{Parts, PartsError};
pub use read::Iter;

use crate::error::{Error, Result};
use crate::format::{Format, FormatSpec};
use crate::scalar::Element;
use std::marker::PhantomData;
use std::sync::Arc;

/// A tensor of elements `T`, stored in format `F`, on device `D`. A clone shares the storage.
pub struct Tensor<T: Element, F: Format, D: Device = Host> {
    dims: F::Coord,
    /// From the root down.
    levels: Vec<LevelArrays<Arc<D::Array<i32>>>>,
    vals: Arc<D::Array<T>>,
    device: D,
    /// Of the levels, which do not change.
    lengths: lengths::KnownLengths,
    format: PhantomData<fn() -> F>,
}

impl<T: Element, F: Format, D: Device> Clone for Tensor<T, F, D> {
    fn clone(&self) -> Self {
        let (levels, vals, lengths) = (self.levels.clone(), self.vals.clone(), self.lengths.clone());
        Tensor { dims: self.dims, levels, vals, device: self.device.clone(), lengths, format: PhantomData }
    }
}

impl<T: Element, F: Format, D: Device> Tensor<T, F, D> {
    /// Sizes of the dimensions.
    #[inline]
    pub fn dims(&self) -> F::Coord {
        self.dims
    }

    /// Size of dimension `k`.
    ///
    /// # Panics
    /// If there is no dimension `k`.
    #[inline]
    pub fn dim(&self, k: usize) -> usize {
        self.dims.as_ref()[k]
    }

    /// The format as a value.
    pub fn spec(&self) -> FormatSpec {
        F::spec()
    }

    /// Where the tensor is.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The value of what is not stored.
    pub fn fill() -> T {
        fill::<T, F>()
    }
}

// What depends on neither the elements nor the format is a function of its own: it is compiled once, in this crate, where a
// closure would be for each type of tensor in each crate that uses one.

/// The sizes of levels of this order, from those of the dimensions.
fn level_sizes(dims: &[usize], order: &[usize]) -> Vec<usize> {
    order.iter().map(|&d| dims[d]).collect()
}

/// Arrays that others may share from now on.
fn shared(levels: Vec<LevelArrays<Buffer<i32>>>) -> Vec<LevelArrays<Arc<Buffer<i32>>>> {
    levels.into_iter().map(|l| l.map(Arc::new)).collect()
}

/// Checks that coordinates are inside of the dimensions.
fn check_inside(at: &[usize], dims: &[usize], entry: usize) -> Result<()> {
    match at.iter().zip(dims).position(|(c, size)| c >= size) {
        None => Ok(()),
        Some(dim) => {
            let coordinate = at[dim].min(i64::MAX as usize) as i64;
            Err(Error::CoordinateOutOfRange { entry, dim, coordinate, size: dims[dim] })
        }
    }
}

/// A format's fill in an element type.
fn fill<T: Element, F: Format>() -> T {
    T::from_value(F::FILL.value(T::DTYPE)).unwrap_or_default()
}
