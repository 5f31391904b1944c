//! Random tensors for examples, tests and benchmarks. The same seed gives the same tensor everywhere.

use super::build::volume;
use super::{Coordinates, Tensor, fill};
use crate::error::{Error, Result};
use crate::format::{DenseFormat, Format, check_dims};
use crate::scalar::{DType, Element};

impl<T: Element, F: DenseFormat> Tensor<T, F> {
    /// A dense tensor of random values: uniform in [−1, 1) for floats, small integers, either truth value.
    ///
    /// # Panics
    /// If there are too many elements; [`Tensor::try_random`] says so by an error.
    pub fn random(dims: F::Coord, seed: u64) -> Self {
        Self::try_random(dims, seed).unwrap_or_else(|e| panic!("{e}"))
    }

    /// A dense tensor of random values, as [`Tensor::random`].
    ///
    /// # Errors
    /// [`Error::DimensionTooLarge`], [`Error::TooManyEntries`], [`Error::OutOfMemory`].
    pub fn try_random(dims: F::Coord, seed: u64) -> Result<Self> {
        let mut tensor = Self::try_full(dims, T::default())?;
        let mut rng = SplitMix64(seed);
        tensor.vals_mut().iter_mut().for_each(|v| *v = rng.element());
        Ok(tensor)
    }
}

impl<T: Element, F: Format> Tensor<T, F> {
    /// A tensor that stores each element with probability `density`, with random values that are not the fill.
    ///
    /// # Panics
    /// If `density` is not between 0 and 1, there are too many entries or the format can't hold them;
    /// [`Tensor::try_random_sparse`] says so by an error.
    pub fn random_sparse(dims: F::Coord, density: f64, seed: u64) -> Self {
        Self::try_random_sparse(dims, density, seed).unwrap_or_else(|e| panic!("{e}"))
    }

    /// A tensor that stores each element with probability `density`, with random values that are not the fill.
    ///
    /// # Errors
    /// [`Error::InvalidDensity`] if `density` is not between 0 and 1, [`Error::DimensionTooLarge`],
    /// [`Error::TooManyEntries`], [`Error::OutOfMemory`]; [`Error::NotOneEntry`] if the format does not
    /// [hold every tensor](crate::format::FormatSpec::holds_every_tensor), for chance seldom fits it.
    pub fn try_random_sparse(dims: F::Coord, density: f64, seed: u64) -> Result<Self> {
        let dims = dims.as_ref().to_vec();
        check_dims(F::RANK, &dims)?;
        if !(0.0..=1.0).contains(&density) {
            return Err(Error::InvalidDensity { what: "the density", found: density, range: "from 0 to 1" });
        }
        let (volume, skipped) = (volume(&dims), fill::<T, F>());
        let expected = density * volume as f64;
        if expected > i32::MAX as f64 {
            return Err(Error::TooManyEntries { count: expected as u128 });
        }
        let mut rng = SplitMix64(seed);
        let (mut crd, mut vals) = (vec![], vec![]);
        let mut at = rng.gap(density);
        while at < volume {
            let start = crd.len();
            let mut rest = at;
            for &size in dims.iter().rev() {
                crd.push((rest % size as u128) as i32);
                rest /= size as u128;
            }
            crd[start..].reverse();
            vals.push(rng.other_than(skipped));
            at = at.saturating_add(1).saturating_add(rng.gap(density));
        }
        Self::from_coordinates(Coordinates { dims, crd, vals })
    }
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    #[inline]
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `n`, which is above 0; the bias is below 2⁻³² for the size of a dimension.
    #[inline]
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.next() as u128 * n as u128) >> 64) as usize
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn element<T: Element>(&mut self) -> T {
        let v = match T::DTYPE {
            // 24 bits, so that rounding to `f32` does not reach 1.
            DType::F32 => (self.next() >> 40) as f64 / (1u64 << 23) as f64 - 1.0,
            DType::F64 => self.unit() * 2.0 - 1.0,
            DType::I32 | DType::I64 => (self.next() % 17) as f64 - 8.0,
            DType::U8 => (self.next() % 9) as f64,
            DType::Bool => (self.next() >> 63) as f64,
        };
        T::from_f64(v)
    }

    fn other_than<T: Element>(&mut self, unwanted: T) -> T {
        loop {
            let v = self.element();
            if v != unwanted {
                return v;
            }
        }
    }

    /// How many elements to pass over before the next stored one: a geometric distribution.
    fn gap(&mut self, density: f64) -> u128 {
        if density >= 1.0 {
            return 0;
        }
        if density > 0.0 {
            // `1 − unit` is in (0, 1]; the cast saturates.
            return ((1.0 - self.unit()).ln() / (-density).ln_1p()) as u128;
        }
        u128::MAX
    }
}
