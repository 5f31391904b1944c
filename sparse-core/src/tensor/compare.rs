//! Comparing tensors: exactly by storage, or nearly by value.

use super::build::volume;
use super::sort::{Column, sort};
use super::{Buffer, Tensor, fill};
use crate::error::Result;
use crate::format::{Format, expand};
use crate::scalar::{Element, Value};
use std::cmp::Ordering;

impl<T: Element, F: Format> PartialEq for Tensor<T, F> {
    /// Equal storage: dimensions, level arrays and values. An explicit zero is not the same as none.
    fn eq(&self, other: &Self) -> bool {
        self.dims == other.dims && self.levels == other.levels && self.vals == other.vals
    }
}

impl<T: Element, F: Format> Tensor<T, F> {
    /// Are the elements equal, but for a relative error? They differ by at most `tolerance` times the larger
    /// magnitude of the two, or times the root mean square of all stored values where that is larger, so that
    /// rounding near a cancellation does not count. Stored or not makes no difference. Equal infinities are equal,
    /// and NaN equals NaN. `false` if the dimensions differ.
    pub fn approx_eq<G: Format<Coord = F::Coord>>(&self, other: &Tensor<T, G>, tolerance: f64) -> bool {
        if self.dims != other.dims {
            return false;
        }
        let scale = self.root_mean_square().max(other.root_mean_square());
        let near = |a: T, b: T| {
            if a == b {
                return true;
            }
            let difference = difference(a.to_value(), b.to_value());
            let (a, b) = (a.to_value().to_f64(), b.to_value().to_f64());
            let bound = tolerance * a.abs().max(b.abs()).max(scale);
            (a.is_nan() && b.is_nan()) || (difference.is_finite() && difference <= bound)
        };
        let dense = |levels: &[crate::format::Level]| levels.iter().all(|l| l.is_full());
        if dense(F::LEVELS) && dense(G::LEVELS) && F::ORDER == G::ORDER {
            return self.vals.iter().zip(&**other.vals).all(|(&a, &b)| near(a, b));
        }
        let (Ok(a), Ok(b)) = (self.canonical(), other.canonical()) else { return false };
        let (fill_a, fill_b) = (fill::<T, F>(), fill::<T, G>());
        let (mut i, mut j, mut seen) = (0, 0, 0u128);
        while i < a.vals.len() || j < b.vals.len() {
            let order = match (i < a.vals.len(), j < b.vals.len()) {
                (true, true) => {
                    let pairs = a.columns.iter().zip(&b.columns);
                    let mut orders = pairs.map(|(x, y)| x[i].cmp(&y[j]));
                    orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
                }
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let x = if order.is_le() { a.vals[i] } else { fill_a };
            let y = if order.is_ge() { b.vals[j] } else { fill_b };
            if !near(x, y) {
                return false;
            }
            i += order.is_le() as usize;
            j += order.is_ge() as usize;
            seen += 1;
        }
        seen == volume(self.dims.as_ref()) || near(fill_a, fill_b)
    }

    /// Of the finite values.
    fn root_mean_square(&self) -> f64 {
        let finite = self.vals.iter().map(|v| v.to_value().to_f64()).filter(|v| v.is_finite());
        // In units of the largest, so that squares neither overflow nor vanish.
        let largest = finite.clone().fold(0.0, |m: f64, v| m.max(v.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let (sum, n) = finite.fold((0.0, 0usize), |(s, n), v| (s + (v / largest).powi(2), n + 1));
        largest * (sum / n as f64).sqrt()
    }

    /// Entries in row-major order, duplicates summed.
    fn canonical(&self) -> Result<Entries<T>> {
        let by_level = expand(&self.views())?;
        let level_of = |d: usize| F::ORDER.iter().position(|&o| o == d).unwrap_or(d);
        let levels: Vec<usize> = (0..F::RANK).map(level_of).collect();
        let sorted =
            sort(self.dims.as_ref(), self.stored(), &Column::of_columns(&by_level, &levels), F::RANK)?;
        let mut all = Vec::with_capacity(self.stored());
        sorted.apply(&self.vals, |v| all.push(v));
        let mut entries: Entries<T> = Entries { columns: vec![Buffer::new(); F::RANK], vals: vec![] };
        for (e, v) in all.into_iter().enumerate() {
            let repeats = e > 0 && sorted.columns.iter().all(|c| c[e] == c[e - 1]);
            match entries.vals.last_mut() {
                Some(last) if repeats => *last = last.sum(v),
                _ => {
                    entries.vals.push(v);
                    entries.columns.iter_mut().zip(&sorted.columns).for_each(|(to, c)| to.push(c[e]));
                }
            }
        }
        Ok(entries)
    }
}

/// How far two values of one type are apart: of integers rounded once, so that different ones are not as equal.
fn difference(a: Value, b: Value) -> f64 {
    match (a, b) {
        (Value::I64(a), Value::I64(b)) => a.abs_diff(b) as f64,
        _ => (a.to_f64() - b.to_f64()).abs(),
    }
}

struct Entries<T> {
    columns: Vec<Buffer<i32>>,
    vals: Vec<T>,
}
