//! Inputs for tests and benchmarks, made from a seed: the same call gives the same matrix on every machine.
//!
//! Four kinds of structure that sparse kernels meet: power-law graphs ([`rmat`]), meshes ([`stencil_2d`],
//! [`stencil_3d`]), no structure at all ([`uniform`]), and a band ([`banded`]). Values are random, never zero:
//! in ±(½, 1) for floats, ±1…8 for integers, 1…8 for `u8`, `true` for `bool`; stencils have their own.

use super::Coordinates;
use super::random::SplitMix64;
use crate::error::{Error, Result};
use crate::scalar::{DType, Element};

/// A power-law graph of 2^`scale` vertices and `edge_factor` edges a vertex, by R-MAT (Chakrabarti, Zhan and
/// Faloutsos, 2004) with the probabilities of Graph500 (0.57, 0.19, 0.19, 0.05) and vertices renamed at random.
///
/// Edges come in random order and some repeat, so that building a tensor sorts and sums them.
///
/// # Errors
/// [`Error::DimensionTooLarge`] above scale 30, [`Error::TooManyEntries`] from 2³¹ edges.
pub fn rmat<T: Element>(scale: u32, edge_factor: usize, seed: u64) -> Result<Coordinates<T>> {
    if scale > 30 {
        return Err(Error::DimensionTooLarge {
            dim: 0,
            size: 1usize.checked_shl(scale).unwrap_or(usize::MAX),
        });
    }
    let n = 1usize << scale;
    let mut out = Builder::new(vec![n, n], n as u128 * edge_factor as u128, seed)?;
    let mut name: Vec<i32> = (0..n as i32).collect();
    for last in (1..n).rev() {
        name.swap(last, out.rng.below(last + 1));
    }
    for _ in 0..n * edge_factor {
        let (row, col) = rmat_edge(scale, &mut out.rng);
        out.push_random([name[row], name[col]]);
    }
    Ok(out.finish())
}

/// Descends one quadrant a level, from sixteen random bits each.
fn rmat_edge(scale: u32, rng: &mut SplitMix64) -> (usize, usize) {
    const A: u64 = (0.57 * 65536.0) as u64;
    const B: u64 = A + (0.19 * 65536.0) as u64;
    const C: u64 = B + (0.19 * 65536.0) as u64;
    let (mut row, mut col) = (0, 0);
    let mut bits = 0;
    for level in 0..scale {
        if level % 4 == 0 {
            bits = rng.next();
        }
        let x = bits & 0xffff;
        bits >>= 16;
        row = row << 1 | (x >= B) as usize;
        col = col << 1 | ((A..B).contains(&x) || x >= C) as usize;
    }
    (row, col)
}

/// The five-point Laplacian of an `nx` by `ny` grid: 4 on the diagonal, −1 for each neighbour (what `T` has next to
/// it: 0 for `u8`). A square matrix of `nx * ny` rows, sorted by row and column.
///
/// # Errors
/// [`Error::DimensionTooLarge`] or [`Error::TooManyEntries`] where 32 bits do not suffice.
pub fn stencil_2d<T: Element>(nx: usize, ny: usize) -> Result<Coordinates<T>> {
    stencil([1, ny, nx], 4.0)
}

/// The seven-point Laplacian of an `nx` by `ny` by `nz` grid: 6 on the diagonal, −1 for each neighbour (what `T` has
/// next to it: 0 for `u8`). A square matrix of `nx * ny * nz` rows, sorted by row and column.
///
/// # Errors
/// [`Error::DimensionTooLarge`] or [`Error::TooManyEntries`] where 32 bits do not suffice.
pub fn stencil_3d<T: Element>(nx: usize, ny: usize, nz: usize) -> Result<Coordinates<T>> {
    stencil([nz, ny, nx], 6.0)
}

fn stencil<T: Element>([nz, ny, nx]: [usize; 3], diagonal: f64) -> Result<Coordinates<T>> {
    let n = nx.saturating_mul(ny).saturating_mul(nz);
    let (x, y, z) = (nx as u128, ny as u128, nz as u128);
    let pairs =
        |along: u128, b: u128, c: u128| (2 * along.saturating_sub(1)).saturating_mul(b).saturating_mul(c);
    let count =
        [pairs(x, y, z), pairs(y, x, z), pairs(z, x, y)].into_iter().fold(n as u128, u128::saturating_add);
    let mut out = Builder::new(vec![n, n], count, 0)?;
    let (diagonal, beside) = (T::from_f64(diagonal), T::from_f64(-1.0));
    for at in 0..n {
        let (i, j, k) = (at % nx, at / nx % ny, at / (nx * ny));
        let neighbours = [
            (k > 0, at.wrapping_sub(nx * ny)),
            (j > 0, at.wrapping_sub(nx)),
            (i > 0, at.wrapping_sub(1)),
            (true, at),
            (i + 1 < nx, at + 1),
            (j + 1 < ny, at + nx),
            (k + 1 < nz, at + nx * ny),
        ];
        for (_, to) in neighbours.into_iter().filter(|(inside, _)| *inside) {
            out.push([at as i32, to as i32], if to == at { diagonal } else { beside });
        }
    }
    Ok(out.finish())
}

/// Entries spread evenly: `rows * mean` of them, in rows drawn at random (so that row lengths are Poisson-like, and
/// some rows are empty when `mean` is small) and distinct columns. Sorted by row and column.
///
/// A row holds `cols` entries at most, so that a `mean` near `cols` gives somewhat fewer, and a larger one no more.
///
/// # Errors
/// [`Error::InvalidDensity`] if `mean` is negative or NaN, [`Error::DimensionTooLarge`] or [`Error::TooManyEntries`] where 32 bits do not suffice.
pub fn uniform<T: Element>(rows: usize, cols: usize, mean: f64, seed: u64) -> Result<Coordinates<T>> {
    if mean.is_nan() || mean < 0.0 {
        let what = "the mean number of entries a row";
        return Err(Error::InvalidDensity { what, found: mean, range: "that is not negative" });
    }
    let count = (rows as f64 * mean.min(cols as f64)).round();
    let mut out = Builder::new(vec![rows, cols], count as u128, seed)?;
    let mut lengths = vec![0usize; rows];
    for _ in 0..count as usize {
        lengths[out.rng.below(rows)] += 1;
    }
    let mut columns = Vec::new();
    for (row, length) in lengths.into_iter().enumerate() {
        distinct(length.min(cols), cols, &mut out.rng, &mut columns);
        for col in &columns {
            out.push_random([row as i32, *col]);
        }
    }
    Ok(out.finish())
}

/// `count` of the numbers below `n`, in order.
fn distinct(count: usize, n: usize, rng: &mut SplitMix64, picked: &mut Vec<i32>) {
    picked.clear();
    if count > n / 4 {
        // Knuth's algorithm S: each number is taken with the chance of what is wanted to what is left.
        let mut wanted = count;
        for c in 0..n {
            if rng.below(n - c) < wanted {
                picked.push(c as i32);
                wanted -= 1;
            }
        }
        return;
    }
    while picked.len() < count {
        for _ in picked.len()..count {
            picked.push(rng.below(n) as i32);
        }
        picked.sort_unstable();
        picked.dedup();
    }
}

/// A square matrix with every entry from `lower` below the diagonal to `upper` above it, sorted by row and column.
///
/// # Errors
/// [`Error::DimensionTooLarge`] or [`Error::TooManyEntries`] where 32 bits do not suffice.
pub fn banded<T: Element>(n: usize, lower: usize, upper: usize, seed: u64) -> Result<Coordinates<T>> {
    let (lower, upper) = (lower.min(n.saturating_sub(1)), upper.min(n.saturating_sub(1)));
    let beside = |width: usize| width as u128 * n as u128 - width as u128 * (width as u128 + 1) / 2;
    let mut out = Builder::new(vec![n, n], n as u128 + beside(lower) + beside(upper), seed)?;
    for row in 0..n {
        for col in row.saturating_sub(lower)..(row + upper + 1).min(n) {
            out.push_random([row as i32, col as i32]);
        }
    }
    Ok(out.finish())
}

struct Builder<T> {
    out: Coordinates<T>,
    rng: SplitMix64,
}

impl<T: Element> Builder<T> {
    /// Checks that 32 bits suffice for the dimensions and for the number of entries.
    fn new(dims: Vec<usize>, count: u128, seed: u64) -> Result<Self> {
        const LARGEST: usize = i32::MAX as usize;
        if let Some(dim) = dims.iter().position(|n| *n > LARGEST) {
            return Err(Error::DimensionTooLarge { dim, size: dims[dim] });
        }
        if count > LARGEST as u128 {
            return Err(Error::TooManyEntries { count });
        }
        let count = count as usize;
        let out = Coordinates {
            crd: Vec::with_capacity(count * dims.len()),
            vals: Vec::with_capacity(count),
            dims,
        };
        Ok(Builder { out, rng: SplitMix64(seed) })
    }

    #[inline]
    fn push(&mut self, crd: [i32; 2], v: T) {
        self.out.crd.extend_from_slice(&crd);
        self.out.vals.push(v);
    }

    #[inline]
    fn push_random(&mut self, crd: [i32; 2]) {
        let v = value(&mut self.rng);
        self.push(crd, v);
    }

    fn finish(self) -> Coordinates<T> {
        self.out
    }
}

/// Never zero, and the same in every floating-point type.
#[inline]
fn value<T: Element>(rng: &mut SplitMix64) -> T {
    let bits = rng.next();
    let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
    T::from_f64(match T::DTYPE {
        // Odd multiples of 2⁻²⁴ between 1/2 and 1, exact in f32 as well.
        DType::F32 | DType::F64 => sign * (0.5 + ((bits >> 41) | 1) as f64 / (1u64 << 24) as f64),
        DType::I32 | DType::I64 => sign * (1 + (bits >> 61)) as f64,
        DType::U8 | DType::Bool => (1 + (bits >> 61)) as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inside the dimensions, and one value an entry; gives the row lengths.
    #[track_caller]
    fn row_lengths<T: Element>(c: &Coordinates<T>) -> Vec<usize> {
        assert_eq!(c.crd.len(), 2 * c.vals.len());
        let mut lengths = vec![0; c.dims[0]];
        for crd in c.crd.chunks(2) {
            assert!((0..c.dims[1] as i32).contains(&crd[1]));
            lengths[crd[0] as usize] += 1;
        }
        lengths
    }

    fn is_sorted_and_distinct<T>(c: &Coordinates<T>) -> bool {
        c.crd.chunks(2).is_sorted_by(|a, b| a < b)
    }

    #[test]
    fn rmat_is_a_power_law() -> Result<()> {
        let g = rmat::<f32>(12, 16, 1)?;
        assert_eq!((g.dims.as_slice(), g.vals.len()), (&[4096, 4096][..], 16 << 12));
        let longest = row_lengths(&g).into_iter().max().unwrap_or(0);
        assert!(longest > 16 * 10, "{longest}");
        assert_eq!(g, rmat(12, 16, 1)?);
        assert_ne!(g, rmat(12, 16, 2)?);
        assert_eq!(rmat::<f64>(0, 3, 1)?.crd, [0; 6]);
        Ok(())
    }

    #[test]
    fn stencils_are_laplacians() -> Result<()> {
        let a = stencil_2d::<f64>(5, 3)?;
        assert_eq!(a.dims, [15, 15]);
        assert_eq!(a.vals.len(), 15 + 2 * (4 * 3 + 5 * 2));
        assert!(is_sorted_and_distinct(&a));
        let lengths = row_lengths(&a);
        assert_eq!((lengths[0], lengths[1], lengths[6]), (3, 4, 5));
        let b = stencil_3d::<i32>(3, 4, 5)?;
        assert_eq!(b.vals.len(), 60 + 2 * (2 * 20 + 3 * 15 + 4 * 12));
        assert_eq!(row_lengths(&b).into_iter().max(), Some(7));
        assert!(is_sorted_and_distinct(&b));
        assert_eq!(stencil_3d::<f32>(5, 3, 1)?.crd, a.crd);
        assert_eq!(stencil_2d::<f32>(0, 3)?.dims, [0, 0]);
        Ok(())
    }

    #[test]
    fn uniform_has_the_mean() -> Result<()> {
        let a = uniform::<f32>(1000, 500, 7.5, 3)?;
        assert_eq!(a.vals.len(), 7500);
        let lengths = row_lengths(&a);
        assert!(lengths.iter().max() > Some(&12) && lengths.iter().min() < Some(&4));
        assert!(is_sorted_and_distinct(&a));
        assert_eq!(a, uniform(1000, 500, 7.5, 3)?);
        let full = uniform::<i64>(20, 4, 1e9, 3)?;
        assert!(is_sorted_and_distinct(&full) && full.vals.len() > 50);
        for (rows, cols, mean) in [(0, 5, 1.0), (5, 0, 1.0), (5, 5, 0.0)] {
            assert!(uniform::<f32>(rows, cols, mean, 3)?.vals.is_empty());
        }
        Ok(())
    }

    #[test]
    fn bands() -> Result<()> {
        let a = banded::<f64>(6, 1, 2, 4)?;
        assert_eq!(row_lengths(&a), [3, 4, 4, 4, 3, 2]);
        assert!(is_sorted_and_distinct(&a));
        assert_eq!(a.vals.capacity(), a.vals.len());
        assert_eq!(banded::<bool>(3, 9, 9, 4)?.vals, [true; 9]);
        assert!(banded::<u8>(0, 1, 1, 4)?.vals.is_empty());
        Ok(())
    }

    #[test]
    fn values_are_never_zero() -> Result<()> {
        assert!(banded::<f32>(300, 5, 5, 1)?.vals.iter().all(|v| v.abs() > 0.5 && v.abs() < 1.0));
        assert!(banded::<i32>(300, 5, 5, 1)?.vals.iter().all(|v| *v != 0 && v.abs() <= 8));
        assert!(banded::<u8>(300, 5, 5, 1)?.vals.iter().all(|v| (1..=8).contains(v)));
        Ok(())
    }

    #[test]
    fn too_large_is_an_error() {
        let dimension = |r: Result<Coordinates<f32>>| matches!(r, Err(Error::DimensionTooLarge { .. }));
        let entries = |r: Result<Coordinates<f32>>| matches!(r, Err(Error::TooManyEntries { .. }));
        assert!(dimension(rmat(31, 1, 0)) && dimension(rmat(200, 1, 0)) && entries(rmat(30, 2, 0)));
        assert!(dimension(stencil_2d(1 << 16, 1 << 16)) && dimension(stencil_3d(usize::MAX, usize::MAX, 2)));
        assert!(entries(stencil_3d(1 << 10, 1 << 10, 1 << 9)));
        assert!(entries(uniform(1 << 20, 1 << 20, 1e6, 0)) && dimension(uniform(1, 1 << 40, 1.0, 0)));
        assert!(entries(banded(1 << 20, usize::MAX, usize::MAX, 0)) && dimension(banded(1 << 33, 0, 0, 0)));
    }
}
