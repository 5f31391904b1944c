//! Random entries that a format can hold.

use super::Values;
use super::theme::{Taste, Theme};
use crate::bare::may_be_bare;
use crate::case::{Entry, Operand};
use crate::rng::Rng;
use sparse_core::format::FormatSpec;
use sparse_core::scalar::{DType, Value};

/// Entries of a random density, some of them explicit zeros, some twice where the format allows it, one below each parent
/// where the format asks for that.
pub(super) fn entries(rng: &mut Rng, spec: &FormatSpec, dims: &[usize], taste: &Taste) -> Vec<Entry> {
    let density = rng.weighted(&[(8, 0u32), (15, 15), (30, 35), (25, 60), (22, 100)]);
    let rows = match taste.pattern {
        Pattern::Even => vec![],
        Pattern::Rows => rows(rng, spec, dims, density),
    };
    let mut coords = Vec::new();
    let repeats = match rng.percent(taste.percent(Theme::Duplicates, 2, 12)) {
        true => Repeats { percent: 10, times: 40 },
        false => Repeats { percent: taste.percent(Theme::Duplicates, 25, 60), times: 2 },
    };
    let walk = Walk { spec, dims, density, rows, repeats };
    walk.level(rng, 0, false, &mut vec![0; dims.len()], &mut coords);
    coords.into_iter().map(|c| (c, value(rng, taste.dtype, taste.values))).collect()
}

/// Seldom, fibers that are stored though nothing is in them, beside the entries.
pub(super) fn bare(rng: &mut Rng, operand: &Operand, taste: &Taste) -> Vec<Vec<usize>> {
    let Operand { spec, dims, entries, .. } = operand;
    let levels: Vec<usize> = (0..spec.rank()).filter(|&l| may_be_bare(spec, l)).collect();
    if levels.is_empty() || dims.contains(&0) || !rng.percent(taste.percent(Theme::Bare, 6, 80)) {
        return vec![];
    }
    let fiber = |rng: &mut Rng| {
        let level = rng.pick(&levels);
        let beside = entries.get(rng.below(entries.len().max(1)));
        let of = |rng: &mut Rng, l: usize, d: usize| match beside {
            Some((c, _)) if l < level && !spec.levels[l].is_full() => c[d],
            _ => rng.below(dims[d]),
        };
        spec.order()[..=level].iter().enumerate().map(|(l, &d)| of(rng, l, d)).collect()
    };
    (0..1 + rng.below(6)).map(|_| fiber(rng)).collect()
}

/// How entries lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// As densely everywhere.
    Even,
    /// Some rows as densely as others, most of them empty but for a few, or one that has nearly all.
    Rows,
}

/// How densely each row is filled; none where all are alike.
fn rows(rng: &mut Rng, spec: &FormatSpec, dims: &[usize], density: u32) -> Vec<u32> {
    if spec.rank() < 2 {
        return vec![];
    }
    let size = dims[spec.map.dim_of_level(0)];
    let some = rng.pick(&[20, 50, 80]);
    match rng.below(100) {
        0..40 => vec![],
        40..65 => (0..size).map(|_| if rng.percent(some) { density } else { 0 }).collect(),
        65..85 => {
            let huge = rng.below(size.max(1));
            let others = rng.pick(&[0, 4, 15]);
            (0..size).map(|row| if row == huge { 100 } else { others }).collect()
        }
        _ => (0..size).map(|row| (100 / (row as u32 + 1)).min(density)).collect(),
    }
}

struct Walk<'a> {
    spec: &'a FormatSpec,
    dims: &'a [usize],
    density: u32,
    rows: Vec<u32>,
    repeats: Repeats,
}

/// How coordinates occur again, where they may.
struct Repeats {
    /// So many of a hundred do.
    percent: u32,
    /// At most so many times.
    times: usize,
}

impl Walk<'_> {
    /// Of the row that these coordinates are in.
    fn density(&self, at: &[usize]) -> u32 {
        let row = at.get(self.spec.map.dim_of_level(0)).and_then(|&row| self.rows.get(row));
        row.copied().unwrap_or(self.density)
    }

    /// `needed`: the parents of a singleton above have exactly one entry, so this one must have some.
    fn level(
        &self,
        rng: &mut Rng,
        level: usize,
        needed: bool,
        at: &mut Vec<usize>,
        out: &mut Vec<Vec<usize>>,
    ) {
        let Some(&format) = self.spec.levels.get(level) else {
            out.push(at.clone());
            return;
        };
        let dim = self.spec.map.dim_of_level(level);
        let size = self.dims[dim];
        if self.spec.has_one_child(level) {
            at[dim] = rng.below(size);
            return self.level(rng, level + 1, true, at, out);
        }
        // The coordinates of a tuple down to a unique singleton are distinct as a whole.
        if !format.is_unique() {
            return self.tuple(rng, level, needed, at, out);
        }
        let one = if needed { Some(rng.below(size)) } else { None };
        for c in 0..size {
            at[dim] = c;
            // A compressed row is there if its entries are.
            let density = if level == 0 && self.density(at) > 0 { self.density } else { self.density(at) };
            if format.is_full() || rng.percent(density) || one == Some(c) {
                self.level(rng, level + 1, needed, at, out);
            }
        }
    }

    /// A level with repeats and the singletons below it: a list of coordinate tuples in order.
    fn tuple(
        &self,
        rng: &mut Rng,
        first: usize,
        needed: bool,
        at: &mut Vec<usize>,
        out: &mut Vec<Vec<usize>>,
    ) {
        let levels = self.spec.tuple(first);
        let (length, end) = (levels.len(), levels.end);
        let dims: Vec<usize> = levels.map(|l| self.spec.map.dim_of_level(l)).collect();
        let sizes: Vec<usize> = dims.iter().map(|&d| self.dims[d]).collect();
        let distinct = self.spec.levels[end - 1].is_unique();
        let mut tuples = Vec::new();
        let density = if length > 1 { self.density.min(60) } else { self.density };
        crate::oracle::for_each_point(&sizes, &mut |c| {
            if rng.percent(match self.rows.get(c[0]) {
                Some(row) if first == 0 => *row,
                _ => density,
            }) {
                let again = !distinct && rng.percent(self.repeats.percent);
                let times = if again { 2 + rng.below(self.repeats.times) } else { 1 };
                tuples.extend(std::iter::repeat_n(c.to_vec(), times));
            }
        });
        if needed && tuples.is_empty() {
            tuples.push(sizes.iter().map(|&s| rng.below(s)).collect());
        }
        for tuple in tuples {
            for (&d, c) in dims.iter().zip(tuple) {
                at[d] = c;
            }
            self.level(rng, end, needed, at, out);
        }
    }
}

/// A random value of the type.
pub(super) fn value(rng: &mut Rng, dtype: DType, values: Values) -> Value {
    let small = |rng: &mut Rng| if dtype == DType::U8 { rng.between(0, 5) } else { rng.between(-4, 5) };
    match (values, dtype) {
        (_, DType::Bool) => Value::Bool(rng.percent(75)),
        (Values::Cancelling, _) => dtype.from_i64(rng.pick(&[-1, -1, 0, 1, 1])),
        (Values::Factors, DType::F32 | DType::F64) => {
            let v = if rng.percent(2) { 0.0 } else { rng.pick(&[-2.0, -1.0, -0.5, 0.5, 1.0, 1.0, 1.0, 2.0]) };
            if dtype == DType::F32 { Value::F32(v as f32) } else { Value::F64(v) }
        }
        (Values::General, DType::F32) => Value::F32(((rng.unit() - 0.4) * 4.0) as f32),
        (Values::General, DType::F64) => Value::F64((rng.unit() - 0.4) * 4.0),
        (Values::General, _) if rng.percent(15) => rng.pick(&[dtype.pos_inf(), dtype.neg_inf()]),
        (Values::Special, DType::F32 | DType::F64) if rng.percent(25) => {
            let v = rng.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0]);
            if dtype == DType::F32 { Value::F32(v as f32) } else { Value::F64(v) }
        }
        (Values::NotNumbers, DType::F32 | DType::F64) if rng.percent(50) => {
            let v = rng.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::NAN]);
            if dtype == DType::F32 { Value::F32(v as f32) } else { Value::F64(v) }
        }
        _ => dtype.from_i64(small(rng)),
    }
}
