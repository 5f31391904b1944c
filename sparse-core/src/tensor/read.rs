//! Reading a tensor: entries, single elements, the value of a scalar.

use super::{Device, Tensor, check_inside, fill, level_sizes};
use crate::error::{Error, Result};
use crate::format::types::Coord;
use crate::format::{Format, Walk, locate};
use crate::scalar::Element;
use std::any::Any;
use std::fmt;

impl<T: Element, F: Format> Tensor<T, F> {
    /// The stored entries in the order of storage: by the first level's dimension, then the second's.
    pub fn iter(&self) -> Iter<'_, T, F> {
        Iter { walk: Walk::new(self.views()), vals: &self.vals, format: std::marker::PhantomData }
    }

    /// The element at these coordinates: the fill where nothing is stored, the sum where duplicates are.
    ///
    /// # Panics
    /// If a coordinate is outside its dimension; [`Tensor::try_get`] says so by an error.
    pub fn get(&self, at: F::Coord) -> T {
        self.try_get(at).unwrap_or_else(|e| match e {
            Error::CoordinateOutOfRange { dim, coordinate, size, .. } => {
                panic!("coordinate {coordinate} of dimension {dim} is outside 0..{size}")
            }
            e => panic!("{e}"),
        })
    }

    /// The element at these coordinates: the fill where nothing is stored, the sum where duplicates are.
    ///
    /// # Errors
    /// [`Error::CoordinateOutOfRange`]
    pub fn try_get(&self, at: F::Coord) -> Result<T> {
        check_inside(at.as_ref(), self.dims.as_ref(), 0)?;
        let found = locate(&self.views(), &level_sizes(at.as_ref(), F::ORDER));
        Ok(self.vals[found].iter().copied().reduce(T::sum).unwrap_or_else(fill::<T, F>))
    }
}

impl<T: Element, F: Format<Coord = [usize; 0]>> Tensor<T, F> {
    /// A scalar.
    pub fn scalar(value: T) -> Self {
        // SAFETY: a scalar has no level, and one value.
        unsafe { Self::assembled([], vec![], [value][..].into()) }
    }
}

/// Stored entries of a tensor: coordinates and value.
pub struct Iter<'a, T: Element, F: Format> {
    walk: Walk<'a>,
    vals: &'a [T],
    format: std::marker::PhantomData<fn() -> F>,
}

impl<T: Element, F: Format> Iterator for Iter<'_, T, F> {
    type Item = (F::Coord, T);

    fn next(&mut self) -> Option<Self::Item> {
        let (by_level, position) = self.walk.next()?;
        let mut at = F::Coord::ZERO;
        by_level.iter().zip(F::ORDER).for_each(|(&c, &d)| at.as_mut()[d] = c);
        Some((at, self.vals[position]))
    }
}

impl<'a, T: Element, F: Format> IntoIterator for &'a Tensor<T, F> {
    type Item = (F::Coord, T);
    type IntoIter = Iter<'a, T, F>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Element, F: Format, D: Device> fmt::Debug for Tensor<T, F, D> {
    /// Type, dimensions, and on the host the first few entries; of a tensor in a device's memory which kind of device.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        write!(f, "Tensor<{}, {}> {:?} ", T::DTYPE, F::spec(), self.dims)?;
        let Some(host) = (self as &dyn Any).downcast_ref::<Tensor<T, F>>() else {
            let device = std::any::type_name::<D>();
            return write!(f, "on {}", device.rsplit("::").next().unwrap_or(device));
        };
        let stored = host.stored();
        write!(f, "{stored} stored {{")?;
        for (n, (at, v)) in host.iter().take(SHOWN).enumerate() {
            write!(f, "{}{at:?}: {v:?}", if n == 0 { " " } else { ", " })?;
        }
        f.write_str(if stored > SHOWN { ", … }" } else { " }" })
    }
}
