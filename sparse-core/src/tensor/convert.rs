//! The same tensor in another format.

use super::build::check_dense;
use super::sort::{Column, Sorted, sort};
use super::{Buffer, LevelArrays, Tensor, fill};
use crate::error::Result;
use crate::format::types::Coord;
use crate::format::{Format, Level, expand};
use crate::scalar::Element;
use std::any::{Any, TypeId};

impl<T: Element, F: Format> Tensor<T, F> {
    /// The tensor in another format. Stored entries stay stored, zeros included, except that those of a dense last
    /// level that equal the fill are dropped; duplicates are summed. If the fills differ, the elements that were
    /// not stored are written out, and those that equal the new fill are dropped.
    ///
    /// ```
    /// use sparse_core::tensor::{Csc, Csr};
    /// let a = Csr::from_triplets([2, 2], [([1, 0], 3)])?;
    /// let by_columns: Csc<i32> = a.convert()?;
    /// assert_eq!(by_columns.level(1).pos(), [0, 1, 1]);
    /// # Ok::<(), sparse_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TooManyEntries`](crate::error::Error::TooManyEntries) if a dense level or a change of fill makes too many,
    /// [`NotOneEntry`](crate::error::Error::NotOneEntry) if the other format can't hold the entries,
    /// [`OutOfMemory`](crate::error::Error::OutOfMemory).
    pub fn convert<G: Format<Coord = F::Coord>>(&self) -> Result<Tensor<T, G>> {
        if TypeId::of::<F>() == TypeId::of::<G>() {
            let same: Box<dyn Any> = Box::new(self.clone());
            if let Ok(same) = same.downcast() {
                return Ok(*same);
            }
        }
        if fill::<T, F>() != fill::<T, G>() {
            return Tensor::from_dense_buffer(self.dims, self.row_major()?);
        }
        if !F::LEVELS.is_empty() && is_row_major(G::LEVELS, G::ORDER) {
            return Tensor::from_dense_buffer(self.dims, self.row_major()?);
        }
        let (mut columns, mut vals) = (expand(&self.views())?, (*self.vals).clone());
        if F::LEVELS.last().is_some_and(|l| l.is_full()) {
            drop_fill(&mut columns, &mut vals, fill::<T, F>());
        }
        let sorted = reordered(columns, vals.len(), (F::ORDER, G::ORDER), self.dims.as_ref())?;
        // SAFETY: a tensor's coordinates are in range, and are sorted.
        unsafe { Tensor::from_sorted(self.dims, sorted, vals) }
    }

    /// All elements, in a dense tensor in row-major order.
    ///
    /// # Errors
    /// [`TooManyEntries`](crate::error::Error::TooManyEntries) if there are more than 32-bit positions can count, [`OutOfMemory`](crate::error::Error::OutOfMemory).
    pub fn to_dense(&self) -> Result<Tensor<T, <F::Coord as Coord>::Dense>> {
        Tensor::from_dense_buffer(self.dims, self.row_major()?)
    }

    /// All elements in row-major order.
    pub(super) fn row_major(&self) -> Result<Buffer<T>> {
        let dims = self.dims.as_ref();
        let count = check_dense(dims)?;
        if is_row_major(F::LEVELS, F::ORDER) {
            return Ok((*self.vals).clone());
        }
        // Sizes beside one that is 0 may have any product.
        if count == 0 {
            return Ok(Buffer::new());
        }
        let mut dense: Buffer<T> = Buffer::try_full(count, fill::<T, F>())?;
        let mut strides = vec![1; dims.len()];
        for d in (1..dims.len()).rev() {
            strides[d - 1] = strides[d] * dims[d];
        }
        let strides: Vec<usize> = F::ORDER.iter().map(|&d| strides[d]).collect();
        let columns = expand(&self.views())?;
        let mut last = usize::MAX;
        for (e, &v) in self.vals.iter().enumerate() {
            let at: usize = columns.iter().zip(&strides).map(|(c, s)| c[e] as usize * s).sum();
            // Duplicates follow each other.
            dense[at] = if at == last { dense[at].sum(v) } else { v };
            last = at;
        }
        Ok(dense)
    }
}

/// Are all elements stored, in row-major order?
pub(super) fn is_row_major(levels: &[Level], order: &[usize]) -> bool {
    levels.iter().all(|l| l.is_full()) && order.is_sorted()
}

/// Sorts entries whose levels are the dimensions in one order, and which are in that order, by those of another. It does not
/// depend on the formats' types, so that it is compiled once.
fn reordered(
    columns: Vec<Buffer<i32>>,
    entries: usize,
    (from, to): (&[usize], &[usize]),
    dims: &[usize],
) -> Result<Sorted> {
    let sizes: Vec<usize> = to.iter().map(|&d| dims[d]).collect();
    let level_of = |&d: &usize| from.iter().position(|&o| o == d).unwrap_or(d);
    let sources: Vec<usize> = to.iter().map(level_of).collect();
    let first = unsorted(&sources);
    if first == 0 {
        return Ok(Sorted { columns, order: None });
    }
    sort(&sizes, entries, &Column::of_columns(&columns, &sources), first)
}

/// By how many of these levels what is sorted by levels 0, 1, 2, … has to be sorted, in a way that leaves equal ones as they
/// stand, to be sorted by all: the others follow in their old order.
fn unsorted(levels: &[usize]) -> usize {
    let sorted = (0..levels.len()).rev().take_while(|&n| levels[n..].is_sorted()).last();
    sorted.unwrap_or(levels.len())
}

/// Removes the entries whose value is the fill.
fn drop_fill<T: Element>(columns: &mut [Buffer<i32>], vals: &mut Buffer<T>, fill: T) {
    for column in columns {
        let kept = column.iter().zip(&**vals).filter(|(_, v)| **v != fill).map(|(c, _)| *c);
        *column = kept.collect();
    }
    *vals = vals.iter().copied().filter(|v| *v != fill).collect();
}

/// The levels of a tensor that is dense throughout.
pub(super) fn dense_levels(rank: usize) -> Vec<LevelArrays<Buffer<i32>>> {
    (0..rank).map(|_| LevelArrays::Dense).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_keep_their_order_are_not_sorted() {
        for (levels, first) in [
            (&[0, 1, 2][..], 0),
            (&[1, 0], 1),
            (&[1, 0, 2], 1),
            (&[2, 0, 1], 1),
            (&[0, 2, 1], 2),
            (&[2, 1, 0], 2),
            (&[], 0),
        ] {
            assert_eq!(unsorted(levels), first, "{levels:?}");
        }
    }
}
