//! Sorting entries by one level more by counting: of each of its coordinates, how many entries have it.
//!
//! Entries in the order of rows come into that of columns in two passes, whatever the sizes. That takes a number a coordinate
//! of the level, which a dense level's positions take anyway.

use crate::error::Result;
use crate::format::{Buffer, Level, LevelArrays};
use crate::scalar::Element;

/// Coordinates in level order, a column a level, and where each entry has gone.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) columns: Vec<Buffer<i32>>,
    to: Buffer<i32>,
}

impl Counted {
    /// Values in the order of the coordinates.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::error::Error::OutOfMemory)
    pub(super) fn apply<V: Element>(&self, values: &[V]) -> Result<Buffer<V>> {
        moved(values, &self.to)
    }
}

/// Is it worth it to count the coordinates of the first of these levels, of so many entries? If the level below has a position for
/// each of them, or there are no more of them than entries.
pub(super) fn is_worth(levels: &[Level], size: usize, entries: usize) -> bool {
    size <= entries || matches!(levels, [Level::Dense, Level::Compressed { .. }, ..])
}

/// Sorts entries by level, of which level `l` is `sources[l]`, a level that they have columns of now. The first one has
/// coordinates below `size`; by the others they are in order. Equal ones stay as they stand.
///
/// With what is given and comes out, this takes two columns a level, and a number a coordinate.
///
/// # Errors
/// [`OutOfMemory`](crate::error::Error::OutOfMemory)
pub(super) fn count(mut columns: Vec<Buffer<i32>>, sources: &[usize], size: usize) -> Result<Counted> {
    let mut to = std::mem::take(&mut columns[sources[0]]);
    // Where the next entry with a coordinate goes: in the end, where those of the next coordinate begin.
    let mut heads = Buffer::try_full(size, 0_i32)?;
    to.iter().for_each(|&c| heads[c as usize] += 1);
    let mut sum = 0;
    for head in heads.iter_mut() {
        sum += std::mem::replace(head, sum);
    }
    for at in to.iter_mut() {
        let head = &mut heads[*at as usize];
        *at = *head;
        *head += 1;
    }
    let mut first = Buffer::try_with_capacity(to.len())?;
    for (c, &end) in heads.iter().enumerate() {
        first.resize(end as usize, c as i32);
    }
    let mut sorted = vec![first];
    for &source in &sources[1..] {
        sorted.push(moved(&std::mem::take(&mut columns[source]), &to)?);
    }
    Ok(Counted { columns: sorted, to })
}

/// The columns of a matrix, of which there are so many, from its rows: a level, and its values. This takes no memory but theirs.
///
/// # Errors
/// [`OutOfMemory`](crate::error::Error::OutOfMemory)
pub(super) fn transposed<T: Element>(
    pos: &[i32],
    crd: &[i32],
    vals: &[T],
    size: usize,
) -> Result<(LevelArrays<Buffer<i32>>, Buffer<T>)> {
    let mut ends = Buffer::try_full(size + 1, 0_i32)?;
    let mut rows = Buffer::try_with_capacity(crd.len())?;
    let mut moved = Buffer::try_with_capacity(crd.len())?;
    // Where the next entry of a column goes: in the end, where the column ends.
    let next = &mut ends[1..];
    crd.iter().for_each(|&c| next[c as usize] += 1);
    let mut sum = 0;
    for head in next.iter_mut() {
        sum += std::mem::replace(head, sum);
    }
    let to_rows = &mut rows.spare_capacity_mut()[..crd.len()];
    let to_vals = &mut moved.spare_capacity_mut()[..crd.len()];
    for (row, bounds) in pos.windows(2).enumerate() {
        let entries = bounds[0] as usize..bounds[1] as usize;
        for (&c, &v) in crd[entries.clone()].iter().zip(&vals[entries]) {
            let head = &mut next[c as usize];
            to_rows[*head as usize].write(row as i32);
            to_vals[*head as usize].write(v);
            *head += 1;
        }
    }
    // SAFETY: columns have as many places as entries, so that each place has been written.
    unsafe {
        rows.set_len(crd.len());
        moved.set_len(crd.len());
    }
    Ok((LevelArrays::Compressed { pos: ends, crd: rows }, moved))
}

/// Each value where it goes, which is another place for each.
fn moved<V: Element>(values: &[V], to: &[i32]) -> Result<Buffer<V>> {
    let mut out = Buffer::try_with_capacity(values.len())?;
    let places = &mut out.spare_capacity_mut()[..values.len()];
    for (&v, &at) in values.iter().zip(to) {
        places[at as usize].write(v);
    }
    // SAFETY: `count` numbers the entries anew, each with a number below theirs, so that each place has been written.
    unsafe { out.set_len(values.len()) };
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_stay_as_they_stand() {
        let columns = vec![Buffer::from(vec![0, 0, 0, 1, 3, 3]), Buffer::from(vec![1, 4, 4, 0, 1, 4])];
        let counted = count(columns, &[1, 0], 6).unwrap();
        assert_eq!(*counted.columns[0], [0, 1, 1, 4, 4, 4]);
        assert_eq!(*counted.columns[1], [1, 0, 3, 0, 0, 3]);
        assert_eq!(*counted.apply(&[10, 20, 30, 40, 50, 60]).unwrap(), [40, 10, 50, 20, 30, 60]);
        let none = count(vec![Buffer::new(), Buffer::new()], &[1, 0], 0).unwrap();
        assert_eq!((none.columns.len(), none.apply::<i32>(&[]).unwrap().len()), (2, 0));
    }

    #[test]
    fn counting_sorts_as_sorting_does() {
        use super::super::random::SplitMix64;
        use super::super::sort::{Column, sort};
        let mut rng = SplitMix64(1);
        for case in 0..200 {
            let sizes = [1 + rng.below(9), 1 + rng.below(9), 1 + rng.below(3)];
            let n = case + 2;
            let mut entries: Vec<[i32; 3]> = (0..n).map(|_| sizes.map(|s| rng.below(s) as i32)).collect();
            entries.sort_unstable();
            let columns: Vec<Buffer<i32>> = (0..3).map(|l| entries.iter().map(|e| e[l]).collect()).collect();
            let numbers: Vec<i32> = (0..n as i32).collect();
            for sources in [[1, 0, 2], [2, 0, 1]] {
                let by_level = sources.map(|s| sizes[s]);
                let counted = count(columns.clone(), &sources, by_level[0]).unwrap();
                let sorted = sort(&by_level, n, &Column::of_columns(&columns, &sources), 1).unwrap();
                assert_eq!(counted.columns, sorted.columns);
                let mut order = vec![];
                sorted.apply(&numbers, |v| order.push(v));
                assert_eq!(*counted.apply(&numbers).unwrap(), order);
            }
        }
    }

    #[test]
    fn rows_become_columns() {
        let (level, vals) = transposed(&[0, 2, 2, 4], &[1, 3, 0, 1], &[10, 20, 30, 40], 5).unwrap();
        let LevelArrays::Compressed { pos, crd } = level else { panic!("columns are listed") };
        assert_eq!(
            (&*pos, &*crd, &*vals),
            (&[0, 1, 3, 3, 4, 4][..], &[2, 0, 2, 0][..], &[30, 10, 40, 20][..])
        );
        let (level, none) = transposed::<i32>(&[0], &[], &[], 0).unwrap();
        assert_eq!(
            (level, none.len()),
            (LevelArrays::Compressed { pos: vec![0].into(), crd: vec![].into() }, 0)
        );
    }

    #[test]
    fn counts_take_no_more_than_entries_or_the_result() {
        let csc = [Level::Dense, Level::Compressed { unique: true }];
        assert!(is_worth(&csc, 1000, 1));
        assert!(is_worth(&csc[1..], 10, 10));
        assert!(!is_worth(&csc[1..], 11, 10));
        assert!(!is_worth(&[Level::Dense, Level::Dense], 11, 10), "which may be too many positions");
    }
}
