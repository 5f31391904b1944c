//! Comparing tensors: exactly by storage, or nearly by value.

use super::build::volume;
use super::convert::sources;
use super::sort::{Column, sort};
use super::{Buffer, LevelView, Tensor, fill};
use crate::error::Result;
use crate::format::{Format, Level, expand};
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
        let near = Near { tolerance, scale: root_mean_square(&self.vals).max(root_mean_square(&other.vals)) };
        let dense = |levels: &[Level]| levels.iter().all(|l| l.is_full());
        if F::ORDER == G::ORDER && dense(F::LEVELS) && dense(G::LEVELS) {
            return near.all(&self.vals, &other.vals);
        }
        match (self.entries(), other.entries()) {
            (Ok(a), Ok(b)) => near.entries(&a, &b, volume(self.dims.as_ref())),
            _ => false,
        }
    }

    fn entries(&self) -> Result<Entries<T>> {
        Entries::of(&self.views(), F::ORDER, self.dims.as_ref(), &self.vals, fill::<T, F>())
    }
}

/// Of the finite values.
fn root_mean_square<T: Element>(vals: &[T]) -> f64 {
    let finite = vals.iter().map(|v| v.to_value().to_f64()).filter(|v| v.is_finite());
    // In units of the largest, so that squares neither overflow nor vanish.
    let largest = finite.clone().fold(0.0, |m: f64, v| m.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let (sum, n) = finite.fold((0.0, 0usize), |(s, n), v| (s + (v / largest).powi(2), n + 1));
    largest * (sum / n as f64).sqrt()
}

/// Which values count as equal.
struct Near {
    tolerance: f64,
    /// Smaller magnitudes do not count.
    scale: f64,
}

impl Near {
    fn are<T: Element>(&self, a: T, b: T) -> bool {
        a == b || self.values(a.to_value(), b.to_value())
    }

    fn values(&self, a: Value, b: Value) -> bool {
        let difference = difference(a, b);
        let (a, b) = (a.to_f64(), b.to_f64());
        let bound = self.tolerance * a.abs().max(b.abs()).max(self.scale);
        (a.is_nan() && b.is_nan()) || (difference.is_finite() && difference <= bound)
    }

    fn all<T: Element>(&self, a: &[T], b: &[T]) -> bool {
        a.iter().zip(b).all(|(&a, &b)| self.are(a, b))
    }

    /// The same of tensors of so many elements.
    fn entries<T: Element>(&self, a: &Entries<T>, b: &Entries<T>, volume: u128) -> bool {
        let (mut i, mut j, mut seen) = (0, 0, 0u128);
        while i < a.vals.len() || j < b.vals.len() {
            let order = match (i < a.vals.len(), j < b.vals.len()) {
                (true, true) => compare(&a.columns, i, &b.columns, j),
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let x = if order.is_le() { a.vals[i] } else { a.fill };
            let y = if order.is_ge() { b.vals[j] } else { b.fill };
            if !self.are(x, y) {
                return false;
            }
            i += order.is_le() as usize;
            j += order.is_ge() as usize;
            seen += 1;
        }
        seen == volume || self.are(a.fill, b.fill)
    }
}

fn compare(a: &[Buffer<i32>], i: usize, b: &[Buffer<i32>], j: usize) -> Ordering {
    let mut orders = a.iter().zip(b).map(|(x, y)| x[i].cmp(&y[j]));
    orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// How far two values of one type are apart: of integers rounded once, so that different ones are not as equal.
fn difference(a: Value, b: Value) -> f64 {
    match (a, b) {
        (Value::I64(a), Value::I64(b)) => a.abs_diff(b) as f64,
        _ => (a.to_f64() - b.to_f64()).abs(),
    }
}

/// Entries in row-major order, duplicates summed.
struct Entries<T> {
    columns: Vec<Buffer<i32>>,
    vals: Vec<T>,
    fill: T,
}

impl<T: Element> Entries<T> {
    /// Of levels that have the dimensions in this order.
    fn of(
        levels: &[LevelView<'_>],
        order: &[usize],
        dims: &[usize],
        vals: &[T],
        fill: T,
    ) -> Result<Entries<T>> {
        let by_level = expand(levels)?;
        let rows = sources(order, &(0..order.len()).collect::<Vec<_>>());
        let sorted = sort(dims, vals.len(), &Column::of_columns(&by_level, &rows), order.len())?;
        let mut all = Vec::with_capacity(vals.len());
        sorted.apply(vals, |v| all.push(v));
        let mut entries = Entries { columns: vec![Buffer::new(); order.len()], vals: vec![], fill };
        for (e, v) in all.into_iter().enumerate() {
            match entries.vals.last_mut() {
                Some(last) if sorted.repeats(e) => *last = last.sum(v),
                _ => {
                    entries.vals.push(v);
                    sorted.push(e, &mut entries.columns);
                }
            }
        }
        Ok(entries)
    }
}
