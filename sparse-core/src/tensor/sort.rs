//! Sorting entries in level order: a stable radix sort of packed coordinates.
//!
//! An entry's coordinates and its number are packed into one integer, 64 bits for most matrices, so that a pass moves
//! one word an entry, and the sorted columns come out of the keys by shifts.

use crate::error::{Error, Result};
use crate::format::Buffer;
use std::sync::Arc;

/// Coordinates in level order, a column a level, and where the entries stood before: `None` if they were sorted.
pub(super) struct Sorted {
    pub(super) columns: Vec<Buffer<i32>>,
    pub(super) order: Option<Vec<u32>>,
}

impl Sorted {
    /// The columns, which others may share from now on.
    pub(super) fn shared(self) -> Vec<Arc<Buffer<i32>>> {
        self.columns.into_iter().map(Arc::new).collect()
    }

    /// Do the same coordinates stand before an entry's?
    pub(super) fn repeats(&self, entry: usize) -> bool {
        entry > 0 && self.columns.iter().all(|c| c[entry] == c[entry - 1])
    }

    /// Appends an entry's coordinates.
    pub(super) fn push(&self, entry: usize, columns: &mut [Buffer<i32>]) {
        columns.iter_mut().zip(&self.columns).for_each(|(to, c)| to.push(c[entry]));
    }

    /// Values in the order of the coordinates.
    pub(super) fn apply<V: Copy>(&self, values: &[V], mut push: impl FnMut(V)) {
        match &self.order {
            None => values.iter().for_each(|&v| push(v)),
            Some(order) => order.iter().for_each(|&e| push(values[e as usize])),
        }
    }
}

/// Where the coordinates of a level stand, entry after entry. It is the same type for all tensors, so that sorting is compiled
/// once, and not for each pair of formats.
pub(super) struct Column<'a> {
    crd: &'a [i32],
    stride: usize,
}

impl<'a> Column<'a> {
    /// Of a list with one coordinate a dimension for each entry; level `l` has those of dimension `order[l]`.
    pub(super) fn of_list(crd: &'a [i32], order: &[usize]) -> Vec<Column<'a>> {
        let from = |&d: &usize| Column { crd: crd.get(d..).unwrap_or_default(), stride: order.len() };
        order.iter().map(from).collect()
    }

    /// Level `l` has the coordinates of column `sources[l]`.
    pub(super) fn of_columns(columns: &'a [Buffer<i32>], sources: &[usize]) -> Vec<Column<'a>> {
        sources.iter().map(|&k| Column { crd: &columns[k], stride: 1 }).collect()
    }

    fn at(&self, e: usize) -> i32 {
        self.crd[e * self.stride]
    }
}

/// Sorts `n` entries by level, of which the coordinates at level `l` are below `sizes[l]`. Those that are equal in the `first`
/// levels are in order.
pub(super) fn sort(sizes: &[usize], n: usize, levels: &[Column<'_>], first: usize) -> Result<Sorted> {
    if n > i32::MAX as usize {
        return Err(Error::TooManyEntries { count: n as u128 });
    }
    let compare = |a: usize, b: usize| {
        let mut differing = levels.iter().map(|l| l.at(a).cmp(&l.at(b)));
        differing.find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    if (1..n).all(|e| compare(e - 1, e).is_le()) {
        let mut columns = Vec::with_capacity(sizes.len());
        for level in levels {
            let mut column = Buffer::try_with_capacity(n)?;
            (0..n).for_each(|e| column.push(level.at(e)));
            columns.push(column);
        }
        return Ok(Sorted { columns, order: None });
    }
    let bits: Vec<u32> = sizes.iter().map(|&s| usize::BITS - s.saturating_sub(1).leading_zeros()).collect();
    let total = bits.iter().sum::<u32>() + (usize::BITS - (n - 1).leading_zeros());
    if total <= 64 {
        return radix_64(&bits, n, levels, first);
    }
    if total <= 128 {
        return radix_128(&bits, n, levels, first);
    }
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by(|&a, &b| compare(a as usize, b as usize));
    let column = |level: &Column<'_>| order.iter().map(|&e| level.at(e as usize)).collect();
    Ok(Sorted { columns: levels.iter().map(column).collect(), order: Some(order) })
}

/// The widest digit of a pass: its buckets' heads stay in the first-level cache.
const DIGIT_BITS: u32 = 11;

macro_rules! radix {
    ($name:ident, $key:ty) => {
        fn $name(bits: &[u32], n: usize, levels: &[Column<'_>], first: usize) -> Result<Sorted> {
            let number_bits = usize::BITS - (n - 1).leading_zeros();
            let mut keys: Vec<$key> = Vec::new();
            let mut other: Vec<$key> = Vec::new();
            for v in [&mut keys, &mut other] {
                let bytes = n as u128 * size_of::<$key>() as u128;
                v.try_reserve_exact(n).map_err(|_| Error::OutOfMemory { bytes })?;
            }
            keys.extend((0..n).map(|e| {
                let packed =
                    bits.iter().zip(levels).fold(0, |key: $key, (&b, level)| key << b | level.at(e) as $key);
                packed << number_bits | e as $key
            }));
            other.resize(n, 0);
            // What is in order needs no pass: each leaves equal keys as they stand.
            let in_order = bits[first..].iter().sum::<u32>();
            let total = bits[..first].iter().sum::<u32>();
            let passes = total.div_ceil(DIGIT_BITS);
            let digit_bits = total.div_ceil(passes.max(1));
            let mask = (1 << digit_bits) - 1;
            for pass in 0..passes {
                let shift = number_bits + in_order + pass * digit_bits;
                let digit = |key: $key| (key >> shift) as usize & mask;
                let mut heads = vec![0u32; mask + 1];
                keys.iter().for_each(|&key| heads[digit(key)] += 1);
                if heads.iter().any(|&count| count as usize == n) {
                    continue;
                }
                let mut sum = 0;
                for head in &mut heads {
                    sum += std::mem::replace(head, sum);
                }
                for &key in &keys {
                    let head = &mut heads[digit(key)];
                    other[*head as usize] = key;
                    *head += 1;
                }
                std::mem::swap(&mut keys, &mut other);
            }
            drop(other);
            let mut columns = Vec::with_capacity(bits.len());
            for l in 0..bits.len() {
                let shift = number_bits + bits[l + 1..].iter().sum::<u32>();
                let mask: $key = (1 << bits[l]) - 1;
                let mut column = Buffer::try_with_capacity(n)?;
                // Without bits the shift may be the key's width.
                if bits[l] == 0 {
                    column.resize(n, 0);
                } else {
                    keys.iter().for_each(|&key| column.push((key >> shift & mask) as i32));
                }
                columns.push(column);
            }
            let mask: $key = (1 << number_bits) - 1;
            Ok(Sorted { columns, order: Some(keys.iter().map(|&key| (key & mask) as u32).collect()) })
        }
    };
}
radix!(radix_64, u64);
radix!(radix_128, u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_sorts_alike() {
        let mut seed = 1u64;
        for sizes in [[5, 7, 3], [1 << 20, 1 << 10, 1 << 20], [1 << 30, 1 << 31, 1 << 30], [1, 2, 1]] {
            for wide in [1, 2] {
                let sizes: Vec<usize> = sizes.iter().copied().cycle().take(3 * wide).collect();
                let rank = sizes.len();
                let entries: Vec<Vec<i32>> = (0..500)
                    .map(|_| {
                        let draw = |&s: &usize| {
                            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                            ((seed >> 33) as usize % s) as i32
                        };
                        sizes.iter().map(draw).collect()
                    })
                    .collect();
                let crd = entries.concat();
                let levels = Column::of_list(&crd, &(0..rank).collect::<Vec<_>>());
                let sorted = sort(&sizes, entries.len(), &levels, rank).unwrap();
                let mut expected: Vec<usize> = (0..entries.len()).collect();
                expected.sort_by_key(|&e| entries[e].clone());
                let order = sorted.order.unwrap();
                assert_eq!(order.iter().map(|&e| e as usize).collect::<Vec<_>>(), expected);
                for (l, column) in sorted.columns.iter().enumerate() {
                    assert!(column.iter().zip(&expected).all(|(&c, &e)| c == entries[e][l]));
                }
            }
        }
    }
}
