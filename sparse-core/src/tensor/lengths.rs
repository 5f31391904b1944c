//! How many stored entries the rows of a matrix have, and the slices and fibers of a tensor: what decides how a kernel is
//! best balanced (Sgap, section 7).

use super::{Device, DynTensor, Host, Memory, Tensor};
use crate::error::Result;
use crate::format::{Children, Format, Indices, LevelArrays};
use crate::scalar::Element;
use std::any::TypeId;
use std::sync::{Arc, OnceLock};

/// How many entries the subtrees have that begin below some of a tensor's levels.
///
/// ```
/// use sparse_core::tensor::Csr;
/// let a = Csr::from_triplets([3, 4], [([0, 0], 1.0), ([0, 3], 1.0), ([2, 1], 1.0)])?;
/// let rows = a.lengths(1).unwrap();
/// assert_eq!((rows.parts, rows.entries, rows.largest, rows.empty), (3, 3, 2, 1));
/// assert!(rows.mean() == 1.0 && (rows.variance - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), sparse_core::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lengths {
    /// Rows, slices or fibers: positions of the level above.
    pub parts: u64,
    /// Stored entries of all of them.
    pub entries: u64,
    /// Entries of the longest.
    pub largest: u64,
    /// Parts without entries.
    pub empty: u64,
    /// The sum of the squares of their numbers of entries.
    pub squares: u64,
    /// The mean square deviation of the number of entries from its mean.
    pub variance: f64,
}

impl Lengths {
    /// Of so many entries each.
    pub fn of(lengths: impl IntoIterator<Item = u64>) -> Lengths {
        let mut all = Lengths::default();
        for n in lengths {
            all.parts += 1;
            all.entries += n;
            all.largest = all.largest.max(n);
            all.empty += u64::from(n == 0);
            all.squares = all.squares.saturating_add(n.saturating_mul(n));
        }
        let mean = all.mean();
        all.variance =
            if all.parts == 0 { 0.0 } else { (all.squares as f64 / all.parts as f64 - mean * mean).max(0.0) };
        all
    }

    /// The same of blocks of so many entries, which are stored together: those of dense levels below a sparse one.
    #[must_use]
    pub fn in_blocks(self, size: u64) -> Lengths {
        let size = size.max(1);
        let square = size.saturating_mul(size);
        Lengths {
            parts: self.parts,
            entries: self.entries / size,
            largest: self.largest / size,
            empty: self.empty,
            squares: self.squares / square,
            variance: self.variance / square as f64,
        }
    }

    /// Entries a part; 0 without parts.
    pub fn mean(&self) -> f64 {
        if self.parts == 0 { 0.0 } else { self.entries as f64 / self.parts as f64 }
    }

    /// The coefficient of variation: standard deviation by mean; 0 without entries.
    pub fn variation(&self) -> f64 {
        if self.entries == 0 { 0.0 } else { self.variance.sqrt() / self.mean() }
    }
}

/// The lengths below each level, once they are known. Tensors that share their levels share them.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct KnownLengths(Arc<OnceLock<Vec<Lengths>>>);

impl KnownLengths {
    /// Those of a tensor of the host.
    pub fn of_dynamic(tensor: &DynTensor) -> KnownLengths {
        KnownLengths(Arc::new(OnceLock::from(of_dynamic(tensor))))
    }

    /// Of no levels, of the first, and so on; `None` where nobody has asked yet.
    pub fn get(&self) -> Option<&[Lengths]> {
        self.0.get().map(|known| &**known)
    }
}

impl<T: Element, F: Format, D: Device> Tensor<T, F, D> {
    /// Where the lengths are kept, and who shares them: for tensors of the same levels.
    #[doc(hidden)]
    pub fn known_lengths(&self) -> &KnownLengths {
        &self.lengths
    }

    /// With the lengths of a tensor that has the same levels: what the launcher knows of a result.
    ///
    /// # Safety
    /// They are those of its levels, where they are known: kernels make room by them.
    #[doc(hidden)]
    #[must_use]
    pub unsafe fn with_lengths(self, lengths: KnownLengths) -> Self {
        Tensor { lengths, ..self }
    }
}

impl<T: Element, F: Format, D: Memory> Tensor<T, F, D> {
    /// How many entries there are below each position of the first `depth` levels: with 1, a matrix's rows, stored by
    /// rows. Computed once, from the arrays of positions; those of a device are fetched for it.
    ///
    /// # Errors
    /// What the device's driver reports, and what is wrong with the positions that it holds; none on the host.
    ///
    /// # Panics
    /// If there are not so many levels.
    pub fn lengths(&self, depth: usize) -> Result<Lengths> {
        Ok(known(&self.lengths, &self.level_sizes(), &self.levels, &self.device)?[depth])
    }
}

/// The lengths of a tensor of these levels, computed where they are not known.
///
/// # Errors
/// What the device's driver reports, and what is wrong with the positions that it holds.
#[doc(hidden)]
pub fn known<'a, D: Memory>(
    lengths: &'a KnownLengths,
    sizes: &[usize],
    levels: &[LevelArrays<Arc<D::Array<i32>>>],
    device: &D,
) -> Result<&'a [Lengths]> {
    if let Some(known) = lengths.get() {
        return Ok(known);
    }
    let fetch = |pos: &Arc<D::Array<i32>>| device.download::<i32>(pos);
    let fetched = std::iter::zip(levels, sizes).map(|(level, &size)| level.children(size).try_map(fetch));
    let children: Vec<_> = fetched.collect::<Result<_>>()?;
    if TypeId::of::<D>() != TypeId::of::<Host>() {
        let mut levels = children.iter().enumerate();
        levels.try_fold(1, |parents, (level, children)| children.check(level, parents))?;
    }
    Ok(lengths.0.get_or_init(|| below(&children)))
}

/// How many entries there are below each position of the first levels, by their number.
#[doc(hidden)]
pub fn of_dynamic(tensor: &DynTensor) -> Vec<Lengths> {
    let sizes = tensor.spec.level_sizes(&tensor.dims);
    let children = std::iter::zip(&tensor.levels, sizes).map(|(level, size)| level.children(size));
    below(&children.collect::<Vec<_>>())
}

/// Of each number of levels, what is below them.
fn below<P: Indices>(levels: &[Children<P>]) -> Vec<Lengths> {
    let mut parts = 1u64;
    let mut all = Vec::with_capacity(levels.len() + 1);
    for depth in 0..=levels.len() {
        let below = &levels[depth..];
        // The first entry below a position of the level above, or of one past the last.
        let begin = |part: u64| below.iter().fold(part, |at, level| level.first(at));
        // A dimension of 0 is below as many parts as there may be, which nothing stores.
        all.push(match begin(parts) {
            0 => equal(parts, 0),
            _ if below.iter().any(|level| matches!(level, Children::Between(_))) => {
                Lengths::of((0..parts).map(|part| begin(part + 1) - begin(part)))
            }
            _ => equal(parts, begin(1)),
        });
        if let Some(level) = below.first() {
            parts = level.first(parts);
        }
    }
    all
}

/// Of parts with the same number of entries.
fn equal(parts: u64, each: u64) -> Lengths {
    let empty = if each == 0 { parts } else { 0 };
    let largest = if parts == 0 { 0 } else { each };
    let squares = parts.saturating_mul(each.saturating_mul(each));
    Lengths { parts, entries: parts * each, largest, empty, squares, variance: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{Coo, Csf3, Csr, Dcsr, DenseMat, Host};

    #[test]
    fn rows_and_what_is_below_them() {
        let entries = [([0, 1], 1.0f32), ([2, 0], 2.0), ([2, 1], 3.0), ([2, 4], 4.0)];
        let rows = Csr::from_triplets([4, 5], entries).unwrap().lengths(1).unwrap();
        assert_eq!(rows, Lengths::of([1, 0, 3, 0]));
        assert_eq!((rows.largest, rows.squares), (3, 10));
        assert_eq!((rows.mean(), rows.empty, rows.largest), (1.0, 2, 3));
        assert!((rows.variation() - 1.5f64.sqrt()).abs() < 1e-12);
        // Rows without entries are no positions of a compressed level.
        let stored = Dcsr::from_triplets([4, 5], entries).unwrap();
        assert_eq!(stored.lengths(1).unwrap(), Lengths::of([1, 3]));
        assert_eq!(stored.lengths(0).unwrap(), Lengths::of([4]));
        assert_eq!(stored.lengths(2).unwrap(), Lengths::of([1; 4]));
        let dense = DenseMat::<f32>::random([3, 7], 1);
        assert_eq!(dense.lengths(1).unwrap(), Lengths::of([7, 7, 7]));
        let coo = Coo::from_triplets([4, 5], entries).unwrap();
        assert_eq!(coo.lengths(1).unwrap(), Lengths::of([1; 4]));
        let empty = Csr::<f64>::from_triplets([0, 5], []).unwrap().lengths(1).unwrap();
        assert_eq!((empty, empty.mean(), empty.variation()), (Lengths::default(), 0.0, 0.0));
    }

    /// Parts without a stored position are not counted one by one.
    #[test]
    fn as_many_empty_parts_as_there_may_be() {
        type Matrices = crate::tensor::Tensor<
            f32,
            (crate::format::Dense, crate::format::Dense, crate::format::Compressed),
        >;
        let n = i32::MAX as usize;
        let a = Matrices::from_triplets([n, 0, n], []).unwrap();
        let rows = a.lengths(1).unwrap();
        assert_eq!((rows.parts, rows.entries, rows.empty, rows.mean()), (n as u64, 0, n as u64, 0.0));
        assert_eq!(a.lengths(0).unwrap(), Lengths { parts: 1, empty: 1, ..Lengths::default() });
    }

    #[test]
    fn slices_and_fibers() {
        let entries = [([0, 0, 0], 1.0f64), ([0, 0, 2], 1.0), ([0, 3, 1], 1.0), ([2, 1, 1], 1.0)];
        let a = Csf3::from_triplets([3, 4, 3], entries).unwrap();
        assert_eq!(a.lengths(1).unwrap(), Lengths::of([3, 1]));
        assert_eq!(a.lengths(2).unwrap(), Lengths::of([2, 1, 1]));
    }

    #[test]
    fn clones_and_other_devices_know_them() {
        let a = Csr::from_triplets([2, 2], [([0, 1], 1.0f32)]).unwrap();
        let b = a.clone();
        a.lengths(1).unwrap();
        assert!(b.known_lengths().get().is_some());
        assert!(a.to(&Host).unwrap().known_lengths().get().is_some());
    }
}
