//! The same tensor in another format.

use super::build::{check_dense, differing};
use super::count::{Counted, count, is_worth, transposed};
use super::sort::{Column, Sorted, sort};
use super::{Buffer, LevelArrays, LevelView, Tensor, fill, level_sizes};
use crate::error::Result;
use crate::format::types::Coord;
use crate::format::{Assembled, Format, FormatSpec, Level, assemble_fibers, expand, expand_shared};
use crate::scalar::Element;
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::sync::Arc;

impl<T: Element, F: Format> Tensor<T, F> {
    /// The tensor in another format. Stored entries stay stored, zeros included, except that those of a dense last
    /// level that equal the fill are dropped; duplicates are summed. If the fills differ, the elements that were
    /// not stored are written out, and those that equal the new fill are dropped.
    ///
    /// Where levels keep their order, arrays that stay as they are are shared, and what is above fibers that stay is made of them
    /// alone, not of their entries. Rows become columns by counting, in time that is linear in entries and sizes, of
    /// `(Dense, Compressed)` in no other memory than the result's; what is out of order by more than the first level is sorted.
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
        if let (Some((pos, crd)), true) = (matrix(&self.levels, F::LEVELS), is_matrix(G::LEVELS))
            && F::ORDER != G::ORDER
        {
            let (level, vals) = transposed(pos, crd, &self.vals, self.dims.as_ref()[G::ORDER[0]])?;
            // SAFETY: rows are gone through in order, so that each column has theirs in order, and once, as they have the column's.
            return Ok(unsafe { Tensor::assembled(self.dims, vec![LevelArrays::Dense, level], vals) });
        }
        if !F::LEVELS.is_empty() && F::LEVELS.iter().all(|l| l.is_full()) {
            let mut sizes = F::Coord::ZERO;
            sizes.as_mut().iter_mut().zip(F::ORDER).for_each(|(size, &d)| *size = self.dims.as_ref()[d]);
            let differing = differing::<T, F::Coord>(sizes, &self.vals, fill::<T, F>());
            return Tensor::from_differing(self.dims, differing, F::ORDER);
        }
        let sources = sources(F::ORDER, G::ORDER);
        let whole = F::LEVELS.last().is_some_and(|l| l.is_full());
        if let (Some((pos, crd)), true) = (fibers(&self.levels, F::LEVELS), ends_in_fibers(G::LEVELS))
            && sources.is_sorted()
        {
            let built = above_fibers(&self.views(), (pos, crd), &G::spec(), self.dims.as_ref())?;
            // SAFETY: fibers stay as they are, and have the coordinates above in the order that they have them in now.
            return unsafe { Tensor::from_assembled(self.dims, built, self.vals.clone()) };
        }
        if sources.is_sorted() && !whole {
            let columns = expand_shared(&self.views(), &self.levels)?;
            // SAFETY: a tensor's coordinates are in range, and are sorted.
            return unsafe { Tensor::from_shared(self.dims, columns, self.vals.clone()) };
        }
        let mut columns = expand(&self.views())?;
        let mut vals: Cow<'_, Buffer<T>> = Cow::Borrowed(&self.vals);
        if whole {
            drop_fill(&mut columns, vals.to_mut(), fill::<T, F>());
        }
        // SAFETY: a tensor's coordinates are in range, and are sorted.
        unsafe {
            match reordered(columns, vals.len(), &sources, (G::LEVELS, G::ORDER), self.dims.as_ref())? {
                Ordered::Sorted(sorted) => Tensor::from_sorted(self.dims, sorted, vals.into_owned()),
                Ordered::Counted(counted) => {
                    let moved = counted.apply(&vals)?;
                    Tensor::from_columns(self.dims, counted.columns, moved)
                }
            }
        }
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

/// Are levels those of a matrix of rows, each of which has a coordinate once?
fn is_matrix(levels: &[Level]) -> bool {
    matches!(levels, [Level::Dense, Level::Compressed { unique: true }])
}

/// The arrays of such a matrix's rows.
fn matrix<'a, A: std::ops::Deref<Target = Buffer<i32>>>(
    arrays: &'a [LevelArrays<A>],
    levels: &[Level],
) -> Option<(&'a [i32], &'a [i32])> {
    match arrays {
        [_, LevelArrays::Compressed { pos, crd }] if is_matrix(levels) => Some((pos, crd)),
        _ => None,
    }
}

/// Is the last of several levels one of fibers, each of which has a coordinate once?
fn ends_in_fibers(levels: &[Level]) -> bool {
    matches!(levels, [_, .., Level::Compressed { unique: true }])
}

/// The last level's arrays, if it is such a one, and the levels above have each coordinate once, too.
fn fibers<'a, A>(arrays: &'a [LevelArrays<A>], levels: &[Level]) -> Option<(&'a A, &'a A)> {
    match arrays.last()? {
        LevelArrays::Compressed { pos, crd }
            if ends_in_fibers(levels) && levels.iter().all(|l| l.is_unique()) =>
        {
            Some((pos, crd))
        }
        _ => None,
    }
}

/// The levels above fibers in another format, whose order is the same. There are fewer of them than entries.
fn above_fibers(
    views: &[LevelView<'_>],
    (pos, crd): (&Buffer<i32>, &Arc<Buffer<i32>>),
    spec: &FormatSpec,
    dims: &[usize],
) -> Result<Assembled> {
    let mut columns = expand(&views[..views.len() - 1])?;
    let filled = || pos.windows(2).map(|w| w[0] < w[1]);
    let mut ends: Cow<'_, [i32]> = Cow::Borrowed(&pos[1..]);
    if !filled().all(|filled| filled) {
        let kept = |column: &[i32]| -> Buffer<i32> {
            column.iter().zip(filled()).filter(|(_, filled)| *filled).map(|(c, _)| *c).collect()
        };
        columns.iter_mut().for_each(|column| *column = kept(column));
        ends = Cow::Owned(kept(&ends).into_vec());
    }
    let columns = columns.into_iter().map(Arc::new).collect();
    assemble_fibers(spec, dims, columns, &ends, crd.clone())
}

/// Entries in level order, and how they have come to it.
enum Ordered {
    Sorted(Sorted),
    Counted(Counted),
}

/// By level of an order, which level of another one has its dimension.
pub(super) fn sources(from: &[usize], to: &[usize]) -> Vec<usize> {
    to.iter().map(|&d| from.iter().position(|&o| o == d).unwrap_or(d)).collect()
}

/// Sorts entries, which are in the order of their levels, by levels that are these in another order, the `sources`:
/// by counting, if the first of them alone is not in order, and few enough. It does not depend on the formats' types, so that it
/// is compiled once.
fn reordered(
    columns: Vec<Buffer<i32>>,
    entries: usize,
    sources: &[usize],
    (levels, to): (&[Level], &[usize]),
    dims: &[usize],
) -> Result<Ordered> {
    let sizes = level_sizes(dims, to);
    let first = unsorted(sources);
    Ok(match first {
        0 => Ordered::Sorted(Sorted { columns, order: None }),
        1 if is_worth(levels, sizes[0], entries) => Ordered::Counted(count(columns, sources, sizes[0])?),
        _ => Ordered::Sorted(sort(&sizes, entries, &Column::of_columns(&columns, sources), first)?),
    })
}

/// By how many of these levels what is sorted by levels 0, 1, 2, … has to be sorted, in a way that leaves equal ones as they
/// stand, to be sorted by all: the others follow in their old order.
pub(super) fn unsorted(levels: &[usize]) -> usize {
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
    use crate::format::types::{NonUnique, Reordered};
    use crate::format::{Compressed, Dense, Singleton};

    /// Is a tensor of so many entries, all at the origin, sorted by counting?
    fn is_counted<F: Format, G: Format<Coord = F::Coord>>(dims: &[usize], entries: usize) -> bool {
        let columns = dims.iter().map(|_| Buffer::full(entries, 0)).collect();
        let sources = sources(F::ORDER, G::ORDER);
        let ordered = reordered(columns, entries, &sources, (G::LEVELS, G::ORDER), dims).unwrap();
        matches!(ordered, Ordered::Counted(_))
    }

    #[test]
    fn what_is_out_of_order_by_its_first_level_alone_is_counted() {
        type Csr = (Dense, Compressed);
        type Csc = Reordered<Csr, 1, 0>;
        type Dcsr = (Compressed, Compressed);
        type Coo = (Compressed<NonUnique>, Singleton);
        type Dcsc = Reordered<Dcsr, 1, 0>;
        assert!(is_counted::<Csr, Csc>(&[1000, 1000], 10));
        assert!(is_counted::<Csc, Csr>(&[1000, 1000], 10));
        assert!(is_counted::<Dcsr, Csc>(&[1000, 1000], 10));
        assert!(is_counted::<Coo, Csc>(&[1000, 1000], 10));
        assert!(is_counted::<Csr, Dcsc>(&[10, 10], 10));
        assert!(!is_counted::<Csr, Dcsc>(&[10, 11], 10), "counts would be more than the entries");
        assert!(!is_counted::<Coo, Csr>(&[1000, 1000], 10), "they are in order");
        type Csf3 = (Compressed, Compressed, Compressed);
        assert!(is_counted::<Csf3, Reordered<Csf3, 1, 0, 2>>(&[10, 10, 10], 10));
        assert!(is_counted::<Csf3, Reordered<Csf3, 2, 0, 1>>(&[10, 10, 10], 10));
        assert!(
            !is_counted::<Csf3, Reordered<Csf3, 2, 1, 0>>(&[10, 10, 10], 10),
            "two levels are out of order"
        );
        assert!(
            !is_counted::<Csr, Reordered<(Dense, Dense), 1, 0>>(&[10, 11], 10),
            "may be too many positions"
        );
    }

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
