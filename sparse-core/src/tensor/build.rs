//! Tensors from entries and from dense arrays.

use super::convert::{dense_levels, is_row_major, sources, unsorted};
use super::parts::coord;
use super::sort::{Column, Sorted, sort};
use super::{Buffer, Host, Tensor, check_inside, fill, level_sizes};
use crate::error::{Error, Result};
use crate::format::types::Coord;
use crate::format::{Assembled, DenseFormat, Format, Parents, assemble, check_dims, dense_positions};
use crate::scalar::Element;
use std::sync::Arc;

/// Entries of a tensor in any order, as file readers produce them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordinates<T> {
    /// Sizes of the dimensions.
    pub dims: Vec<usize>,
    /// One coordinate a dimension for each entry, entry after entry.
    pub crd: Vec<i32>,
    /// One value an entry.
    pub vals: Vec<T>,
}

impl<T: Element, F: Format> Tensor<T, F> {
    /// A tensor of entries in any order; duplicates are summed.
    ///
    /// # Errors
    /// [`Error::CoordinateOutOfRange`], and what [`Tensor::from_coordinates`] says.
    pub fn from_triplets(dims: F::Coord, entries: impl IntoIterator<Item = (F::Coord, T)>) -> Result<Self> {
        check_dims(F::RANK, dims.as_ref())?;
        let entries = entries.into_iter();
        // An iterator may promise more than it has, or have no end.
        let expected = entries.size_hint().0.min(EXPECTED);
        let (mut crd, mut vals) = (vec![], vec![]);
        reserve(&mut crd, expected * F::RANK)?;
        reserve(&mut vals, expected)?;
        for (entry, (at, value)) in entries.enumerate() {
            if entry >= i32::MAX as usize {
                return Err(Error::TooManyEntries { count: entry as u128 + 1 });
            }
            reserve(&mut crd, F::RANK)?;
            reserve(&mut vals, 1)?;
            check_inside(at.as_ref(), dims.as_ref(), entry)?;
            push(&mut crd, at.as_ref());
            vals.push(value);
        }
        Self::from_coordinates(Coordinates { dims: dims.as_ref().to_vec(), crd, vals })
    }

    /// A tensor of entries in any order; duplicates are summed. The quickest way from a file.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::CoordinateCount`] if there is not one coordinate a dimension for each entry,
    /// [`Error::CoordinateOutOfRange`], [`Error::DimensionTooLarge`], [`Error::TooManyEntries`] (dense levels count
    /// all their positions), [`Error::NotOneEntry`] (a singleton level below a unique one), [`Error::OutOfMemory`].
    pub fn from_coordinates(entries: Coordinates<T>) -> Result<Self> {
        let Coordinates { dims, crd, vals } = entries;
        let dims = coord::<F>(&dims)?;
        check_range(dims.as_ref(), &crd, vals.len())?;
        let sizes = level_sizes(dims.as_ref(), F::ORDER);
        let sorted = sort(&sizes, vals.len(), &Column::of_list(&crd, F::ORDER), F::RANK)?;
        drop(crd);
        // SAFETY: they were in range, and are sorted.
        unsafe { Self::from_sorted(dims, sorted, vals.into()) }
    }

    /// Of entries in the order of the levels: a column of coordinates a level.
    ///
    /// # Safety
    /// There is a column for each level of the format, as long as the values. Coordinates are below the size of their level's
    /// dimension, and entries in ascending order.
    pub(crate) unsafe fn from_columns(
        dims: F::Coord,
        columns: Vec<Buffer<i32>>,
        vals: Buffer<T>,
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { Self::from_sorted(dims, Sorted { columns, order: None }, vals) }
    }

    /// Of coordinates in level order, and values in the order that the entries had before.
    ///
    /// # Safety
    /// As for [`Tensor::from_columns`] of what is sorted.
    pub(super) unsafe fn from_sorted(dims: F::Coord, sorted: Sorted, vals: Buffer<T>) -> Result<Self> {
        let vals = match &sorted.order {
            None => vals,
            Some(_) => {
                let mut moved = Buffer::try_with_capacity(vals.len())?;
                sorted.apply(&vals, |v| moved.push(v));
                moved
            }
        };
        // SAFETY: the caller's promise.
        unsafe { Self::from_shared(dims, sorted.shared(), Arc::new(vals)) }
    }

    /// The same of what is sorted, and other tensors may share: what stays as it is, is shared.
    ///
    /// # Safety
    /// As for [`Tensor::from_columns`].
    pub(super) unsafe fn from_shared(
        dims: F::Coord,
        columns: Vec<Arc<Buffer<i32>>>,
        vals: Arc<Buffer<T>>,
    ) -> Result<Self> {
        let built = assemble(&F::spec(), dims.as_ref(), columns, vals.len(), false)?;
        // SAFETY: they are of sorted coordinates in range.
        unsafe { Self::from_assembled(dims, built, vals) }
    }

    /// Of levels, and their entries' values.
    ///
    /// # Safety
    /// The levels are valid for the format and these dimensions, and there is a value for each entry that they are made of.
    pub(super) unsafe fn from_assembled(
        dims: F::Coord,
        built: Assembled,
        vals: Arc<Buffer<T>>,
    ) -> Result<Self> {
        if let Parents::Own = built.leaf {
            // SAFETY: the caller's promise, and each entry has its own value.
            return Ok(unsafe { Self::from_raw_arrays(Host, dims, built.levels, vals) });
        }
        let mut placed = Buffer::try_full(built.positions, fill::<T, F>())?;
        built.place(&vals, &mut placed, T::sum);
        // SAFETY: likewise, and each position has a value.
        Ok(unsafe { Self::from_raw_arrays(Host, dims, built.levels, Arc::new(placed)) })
    }

    /// A tensor of all its values, in row-major order. A format whose last level is not dense stores those that
    /// differ from the fill. A row-major dense tensor adopts the vector.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if there isn't one value an element, [`Error::DimensionTooLarge`],
    /// [`Error::TooManyEntries`], [`Error::NotOneEntry`], [`Error::OutOfMemory`].
    pub fn from_dense(dims: F::Coord, vals: Vec<T>) -> Result<Self> {
        Self::from_dense_buffer(dims, vals.into())
    }

    /// The same, of a buffer.
    pub(super) fn from_dense_buffer(dims: F::Coord, vals: Buffer<T>) -> Result<Self> {
        if check_dense(dims.as_ref())? != vals.len() {
            return Err(Error::ShapeMismatch { expected: dims.as_ref().to_vec(), found: vec![vals.len()] });
        }
        if is_row_major(F::LEVELS, F::ORDER) {
            let levels = dense_levels(F::RANK);
            // SAFETY: there are as many values as positions.
            return Ok(unsafe { Self::assembled(dims, levels, vals) });
        }
        let differing = differing::<T, F::Coord>(dims, &vals, fill::<T, F>());
        drop(vals);
        let order: Vec<usize> = (0..F::RANK).collect();
        Self::from_differing(dims, differing, &order)
    }

    /// Of values, and their coordinates in the ascending order of levels that are the dimensions in another order.
    pub(super) fn from_differing(
        dims: F::Coord,
        (crd, mut kept): (Vec<i32>, Buffer<T>),
        order: &[usize],
    ) -> Result<Self> {
        kept.shrink();
        let sizes = level_sizes(dims.as_ref(), F::ORDER);
        let sources = sources(order, F::ORDER);
        let sorted = sort(&sizes, kept.len(), &Column::of_list(&crd, &sources), unsorted(&sources))?;
        drop(crd);
        // SAFETY: they are coordinates of the dimensions, and are sorted.
        unsafe { Self::from_sorted(dims, sorted, kept) }
    }
}

impl<T: Element, F: DenseFormat> Tensor<T, F> {
    /// A dense tensor that holds one value everywhere.
    ///
    /// # Errors
    /// [`Error::DimensionTooLarge`], [`Error::TooManyEntries`], [`Error::OutOfMemory`].
    pub fn try_full(dims: F::Coord, value: T) -> Result<Self> {
        let vals = Buffer::try_full(dense_len::<F>(dims.as_ref())?, value)?;
        // SAFETY: there are as many values as positions.
        Ok(unsafe { Self::assembled(dims, dense_levels(F::RANK), vals) })
    }

    /// A dense tensor that holds one value everywhere.
    ///
    /// # Panics
    /// If there are too many elements; [`Tensor::try_full`] says so by an error.
    pub fn full(dims: F::Coord, value: T) -> Self {
        Self::try_full(dims, value).unwrap_or_else(|e| panic!("{e}"))
    }

    /// A dense tensor of zeros.
    ///
    /// # Panics
    /// If there are too many elements; [`Tensor::try_full`] says so by an error.
    pub fn zeros(dims: F::Coord) -> Self {
        Self::full(dims, T::default())
    }
}

/// Appends an entry's coordinates.
pub(super) fn push(crd: &mut Vec<i32>, at: &[usize]) {
    crd.extend(at.iter().map(|&c| c as i32));
}

/// The coordinates of the values that differ from one, in row-major order of these sizes, and these values.
pub(super) fn differing<T: Element, C: Coord>(dims: C, vals: &[T], skip: T) -> (Vec<i32>, Buffer<T>) {
    let (mut crd, mut kept) = (vec![], Buffer::new());
    let row = dims.as_ref().last().map_or(1, |&size| size.max(1));
    let mut at = C::ZERO;
    for values in vals.chunks(row) {
        // Most parts of most rows are skipped, by vectors.
        for (part, values) in values.chunks(PART).enumerate() {
            if values.iter().fold(false, |any, v| any | (*v != skip)) {
                for (n, &v) in values.iter().enumerate().filter(|(_, v)| **v != skip) {
                    push(&mut crd, at.as_ref());
                    if let Some(last) = crd.last_mut() {
                        *last = (part * PART + n) as i32;
                    }
                    kept.push(v);
                }
            }
        }
        if let [outer @ .., _] = at.as_mut() {
            let rank = outer.len();
            advance(outer, &dims.as_ref()[..rank]);
        }
    }
    (crd, kept)
}

/// Values that are asked at once.
const PART: usize = 32;

/// Entries that there is memory for before they come.
const EXPECTED: usize = 1 << 20;

/// Room for more elements.
#[inline]
fn reserve<A>(array: &mut Vec<A>, additional: usize) -> Result<()> {
    let bytes = (array.len() as u128 + additional as u128) * size_of::<A>() as u128;
    array.try_reserve(additional).map_err(|_| Error::OutOfMemory { bytes })
}

/// Checks the shape of entries, and that their coordinates are inside the dimensions.
pub(super) fn check_range(dims: &[usize], crd: &[i32], entries: usize) -> Result<()> {
    let rank = dims.len();
    if crd.len() as u128 != entries as u128 * rank as u128 {
        return Err(Error::CoordinateCount { entries, rank, found: crd.len() });
    }
    for (entry, at) in crd.chunks_exact(rank.max(1)).enumerate() {
        // A negative coordinate is above every size as an unsigned number.
        if let Some(dim) = (0..rank).find(|&d| at[d] as u32 as usize >= dims[d]) {
            let (coordinate, size) = (at[dim] as i64, dims[dim]);
            return Err(Error::CoordinateOutOfRange { entry, dim, coordinate, size });
        }
    }
    Ok(())
}

/// The number of elements of a dense tensor in row-major order, if 32 bits can count the positions of its levels.
pub(super) fn check_dense(dims: &[usize]) -> Result<usize> {
    check_dims(dims.len(), dims)?;
    dense_positions(1, dims.iter().copied())
}

/// The same, in the order of a dense format's levels.
pub(super) fn dense_len<F: Format>(dims: &[usize]) -> Result<usize> {
    check_dims(F::RANK, dims)?;
    dense_positions(1, F::ORDER.iter().map(|&d| dims[d]))
}

/// The number of elements.
pub(super) fn volume(dims: &[usize]) -> u128 {
    dims.iter().fold(1u128, |n, &d| n.saturating_mul(d as u128))
}

/// The next coordinates in row-major order.
pub(super) fn advance(at: &mut [usize], dims: &[usize]) {
    for (c, &size) in at.iter_mut().zip(dims).rev() {
        *c += 1;
        if *c < size {
            return;
        }
        *c = 0;
    }
}
