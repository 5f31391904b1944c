//! What a kernel's launcher does with tensors: check, allocate, hand out arrays, assemble.

use crate::error::{Error, Result};
use crate::format::{Buffer, Format, LevelArrays, dense_positions};
use crate::scalar::Element;
use crate::tensor::Tensor;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// The largest number of positions.
pub(super) const MOST: usize = i32::MAX as usize;

/// Checks that the dimensions which an index variable ranges over have one size. `sources` are tensors' names with
/// the size there.
///
/// # Errors
/// [`Error::DimensionMismatch`] for the first that differs from the first of all.
#[inline]
pub fn check_extent(variable: &str, sources: &[(&str, usize)]) -> Result<()> {
    match sources.iter().find(|s| s.1 != sources[0].1) {
        None => Ok(()),
        Some(&second) => Err(mismatch(variable, sources[0], second)),
    }
}

/// Checks that a dimension has the size that a schedule promises: `n`, or a multiple of it.
///
/// # Errors
/// [`Error::BrokenBound`].
#[inline]
pub fn check_bound(variable: &str, source: (&str, usize), n: usize, exact: bool) -> Result<()> {
    let holds = if exact { source.1 == n } else { source.1.is_multiple_of(n) };
    if holds { Ok(()) } else { Err(broken_bound(variable, source, n, exact)) }
}

/// A dimension must make so many parts of this size, the last perhaps smaller, as a schedule promises.
///
/// # Errors
/// [`Error::BrokenBound`]
pub fn check_parts(variable: &str, source: (&str, usize), part: usize, count: usize) -> Result<()> {
    if part != 0 && source.1.div_ceil(part) == count {
        return Ok(());
    }
    let most = part.saturating_mul(count);
    let promise = format!("from {} to {most}: {count} parts of {part}", most.saturating_sub(part) + 1);
    Err(Error::BrokenBound { variable: variable.into(), tensor: source.0.into(), size: source.1, promise })
}

#[cold]
fn broken_bound(variable: &str, (tensor, size): (&str, usize), n: usize, exact: bool) -> Error {
    let promise = if exact { format!("exactly {n}") } else { format!("a multiple of {n}") };
    Error::BrokenBound { variable: variable.into(), tensor: tensor.into(), size, promise }
}

#[cold]
fn mismatch(variable: &str, first: (&str, usize), second: (&str, usize)) -> Error {
    Error::DimensionMismatch {
        variable: variable.into(),
        first: first.0.into(),
        first_size: first.1,
        second: second.0.into(),
        second_size: second.1,
    }
}

/// The positions of a level, counted by reference.
pub fn shared_pos<T: Element, F: Format>(tensor: &Tensor<T, F>, level: usize) -> Arc<Buffer<i32>> {
    tensor.levels()[level].pos().cloned().unwrap_or_default()
}

/// The coordinates of a level, counted by reference.
pub fn shared_crd<T: Element, F: Format>(tensor: &Tensor<T, F>, level: usize) -> Arc<Buffer<i32>> {
    tensor.levels()[level].crd().cloned().unwrap_or_default()
}

/// Checks that positions can count the first levels of a result, which are dense and of these sizes: its arrays' lengths
/// do not say so where a size is 0, and loops above it would run as long.
///
/// # Errors
/// [`Error::TooManyEntries`]
pub fn check_dense(sizes: &[usize]) -> Result<()> {
    dense_positions(1, sizes.iter().copied()).map(|_| ())
}

/// Room for an output array of a known length, not initialised.
///
/// # Errors
/// [`Error::TooManyEntries`] if positions could not count it, [`Error::OutOfMemory`].
pub fn allocate<T: Element>(len: usize) -> Result<Buffer<T>> {
    // An array of positions has one element more than there are positions.
    if len > MOST + 1 {
        return Err(Error::TooManyEntries { count: len as u128 });
    }
    Buffer::try_with_capacity(len)
}

/// An output array of `len` copies of a value; its length is set as of one not initialised.
///
/// # Errors
/// As of [`allocate`].
pub fn allocate_full<T: Element>(len: usize, value: T) -> Result<Buffer<T>> {
    let mut buffer = allocate(len)?;
    buffer.resize(len, value);
    Ok(buffer)
}

/// Room for at most so many elements.
///
/// # Errors
/// [`Error::OutOfMemory`]
pub fn reserve<T: Element>(capacity: usize) -> Result<Buffer<T>> {
    Buffer::try_with_capacity(capacity)
}

/// Room for just so many elements.
///
/// # Errors
/// [`Error::TooManyEntries`] if positions could not count them, [`Error::OutOfMemory`].
pub fn reserve_exactly<T: Element>(len: usize) -> Result<Buffer<T>> {
    allocate(len)
}

/// The whole memory of a buffer, written or not.
///
/// # Safety
/// Elements that are initialised stay so: nothing uninitialised is written to the first `len` of them, as
/// `MaybeUninit` would allow.
pub unsafe fn room<T: Element>(buffer: &mut Buffer<T>) -> &mut [MaybeUninit<T>] {
    // SAFETY: the buffer owns memory for `capacity` elements (or none, and its pointer dangles aligned).
    unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), buffer.capacity()) }
}

/// A result from the arrays that a kernel has written.
///
/// # Safety
/// Apart from the number of entries, which is checked, they satisfy [`validate`](crate::format::validate) for the
/// format and these dimensions.
///
/// # Errors
/// [`Error::TooManyEntries`]
pub unsafe fn assemble<T: Element, F: Format>(
    dims: F::Coord,
    levels: Vec<LevelArrays<Arc<Buffer<i32>>>>,
    vals: Buffer<T>,
) -> Result<Tensor<T, F>> {
    if vals.len() > MOST {
        return Err(Error::TooManyEntries { count: vals.len() as u128 });
    }
    let mut positions = 1;
    for (level, &dim) in levels.iter().zip(F::ORDER) {
        positions = match level.crd() {
            Some(crd) if crd.len() > MOST => {
                return Err(Error::TooManyEntries { count: crd.len() as u128 });
            }
            Some(crd) => crd.len(),
            None => dense_positions(positions, [dims.as_ref()[dim]])?,
        };
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { Tensor::from_raw_levels(dims, levels, vals) })
}

/// A result in any format, from the list of its entries in the order of its levels: a column of coordinates a level.
///
/// # Safety
/// There is a column for each level of the format, as long as the values. Coordinates are below the size of their level's
/// dimension, and entries in ascending order.
///
/// # Errors
/// [`Error::TooManyEntries`] (dense levels count all their positions), [`Error::NotOneEntry`] where a level needs one
/// entry a parent, [`Error::OutOfMemory`].
pub unsafe fn pack<T: Element, F: Format>(
    dims: F::Coord,
    columns: Vec<Buffer<i32>>,
    vals: Buffer<T>,
) -> Result<Tensor<T, F>> {
    // SAFETY: the caller's promise.
    unsafe { Tensor::from_columns(dims, columns, vals) }
}

/// A result with another tensor's levels and its own values.
///
/// # Safety
/// There are as many values as the other tensor has.
pub unsafe fn assemble_like<T: Element, U: Element, F: Format, G: Format<Coord = F::Coord>>(
    pattern: &Tensor<U, G>,
    vals: Buffer<T>,
) -> Tensor<T, F> {
    // SAFETY: the levels are valid for the other tensor, whose format differs from this one in nothing but the fill
    // (the verifier's rule), so that lengths are the same, and the caller promises the number of values.
    unsafe {
        Tensor::from_raw_levels(pattern.dims(), pattern.levels().to_vec(), vals)
            .with_lengths(pattern.known_lengths().clone())
    }
}

/// A result with the first levels of another tensor, so many, and dense ones below.
///
/// # Safety
/// These levels, for these dimensions, and as many values as they have positions satisfy
/// [`validate`](crate::format::validate) for the format.
///
/// # Errors
/// [`Error::TooManyEntries`]
pub unsafe fn assemble_within<T: Element, U: Element, F: Format, G: Format>(
    dims: F::Coord,
    pattern: &Tensor<U, G>,
    shared: usize,
    vals: Buffer<T>,
) -> Result<Tensor<T, F>> {
    let mut levels: Vec<_> = pattern.levels().iter().take(shared).cloned().collect();
    levels.resize(F::ORDER.len(), LevelArrays::Dense);
    // SAFETY: the caller's promise.
    unsafe { assemble(dims, levels, vals) }
}
