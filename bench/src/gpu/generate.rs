//! Large matrices and tensors in storage order, row by row and in parallel: a row depends on the seed and its number
//! alone, so that the result is the same on any number of threads.
//!
//! Values are small integers. Their sums are exact in `f32` in any order, so that a result is either equal to the
//! reference or wrong.

use crate::error::Result;
use rayon::prelude::*;
use sparse_core::format::{Buffer, LevelArrays};
use sparse_core::scalar::Element;
use sparse_core::tensor::{Csf3, Csr, Parts};

/// Rows that a task makes.
const ROWS: usize = 1024;
/// What values are, zero never.
const VALUES: [f32; 5] = [1.0, 2.0, 3.0, -1.0, -2.0];

/// A small generator of random numbers; each row has its own.
pub(crate) struct Dice(u64);

impl Dice {
    /// For one row of a matrix.
    pub(crate) fn new(seed: u64, row: usize) -> Dice {
        Dice(mix(seed).wrapping_add(mix(!(row as u64))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.next() as u128 * n as u128) >> 64) as usize
    }

    /// From 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number near `x`, whose mean it is.
    pub(crate) fn round(&mut self, x: f64) -> usize {
        (x.floor() + f64::from(u8::from(self.unit() < x.fract()))) as usize
    }

    /// From Poisson's distribution; above 64 from the normal one of the same mean and variance.
    pub(crate) fn poisson(&mut self, mean: f64) -> usize {
        if mean > 64.0 {
            let normal: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            return (mean + mean.sqrt() * normal).round().max(0.0) as usize;
        }
        let (least, mut product, mut count) = ((-mean).exp(), self.unit(), 0);
        while product > least {
            product *= self.unit();
            count += 1;
        }
        count
    }

    /// Appends `count` different numbers below `n`, in order.
    pub(crate) fn distinct(&mut self, count: usize, n: usize, out: &mut Vec<i32>) {
        let (count, from) = (count.min(n), out.len());
        if count > n / 4 {
            // Each number is taken with the chance of what is wanted to what is left.
            let mut wanted = count;
            for c in 0..n {
                if wanted > 0 && self.below(n - c) < wanted {
                    out.push(c as i32);
                    wanted -= 1;
                }
            }
            return;
        }
        while out.len() - from < count {
            for _ in out.len() - from..count {
                out.push(self.below(n) as i32);
            }
            sort_from(out, from);
        }
    }
}

/// The finaliser of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Sorts what comes after `from`, each number once.
pub(crate) fn sort_from(out: &mut Vec<i32>, from: usize) {
    out[from..].sort_unstable();
    let mut kept = from;
    for at in from..out.len() {
        if at == from || out[at] != out[kept - 1] {
            out[kept] = out[at];
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// The value at a position.
pub(crate) fn value(seed: u64, position: usize) -> f32 {
    VALUES[(mix(position as u64 ^ (seed << 40)) % VALUES.len() as u64) as usize]
}

/// So many of them.
pub(crate) fn values<T: Element>(seed: u64, len: usize) -> Vec<T> {
    (0..len).into_par_iter().map(|at| T::from_f64(f64::from(value(seed, at)))).collect()
}

/// Row lengths and columns in storage order; `row` appends a row's columns, in order and each once.
struct Rows {
    pos: Vec<i32>,
    crd: Vec<i32>,
}

fn rows(count: usize, seed: u64, row: impl Fn(usize, &mut Dice, &mut Vec<i32>) + Sync) -> Rows {
    let tasks: Vec<(Vec<usize>, Vec<i32>)> = (0..count.div_ceil(ROWS))
        .into_par_iter()
        .map(|task| {
            let (mut ends, mut crd) = (vec![], vec![]);
            for r in task * ROWS..count.min((task + 1) * ROWS) {
                row(r, &mut Dice::new(seed, r), &mut crd);
                ends.push(crd.len());
            }
            (ends, crd)
        })
        .collect();
    let total = tasks.iter().map(|(_, crd)| crd.len()).sum();
    let (mut pos, mut crd) = (Vec::with_capacity(count + 1), Vec::with_capacity(total));
    pos.push(0);
    for (ends, part) in tasks {
        let before = crd.len();
        // Positions are i32: the validation of the parts refuses what wraps around here.
        pos.extend(ends.iter().map(|end| (before + end) as i32));
        crd.extend_from_slice(&part);
    }
    Rows { pos, crd }
}

/// A matrix of rows that `row` makes.
pub(crate) fn matrix(
    dims: [usize; 2],
    seed: u64,
    row: impl Fn(usize, &mut Dice, &mut Vec<i32>) + Sync,
) -> Result<Csr<f32>> {
    let Rows { pos, crd } = rows(dims[0], seed, row);
    let vals = Buffer::from(values(seed, crd.len()));
    let levels = vec![LevelArrays::Dense, LevelArrays::compressed(Buffer::from(pos), Buffer::from(crd))];
    Ok(Csr::try_from_parts(Parts { dims: dims.to_vec(), levels, vals }).map_err(|e| e.error)?)
}

/// A tensor of slices that `slice` makes: for each of the first dimension, entries j·dims[2] + k in order, each once.
pub(crate) fn tensor(
    dims: [usize; 3],
    seed: u64,
    slice: impl Fn(usize, &mut Dice, &mut Vec<i32>) + Sync,
) -> Result<Csf3<f32>> {
    let Rows { pos, crd } = rows(dims[0], seed, slice);
    let depth = dims[2] as i32;
    let (mut crd1, mut pos2, mut crd2, mut pos3) = (vec![], vec![0], vec![], vec![]);
    for i in 0..dims[0] {
        let (from, to) = (pos[i] as usize, pos[i + 1] as usize);
        if from == to {
            continue;
        }
        for p in from..to {
            if p == from || crd[p] / depth != crd[p - 1] / depth {
                crd2.push(crd[p] / depth);
                pos3.push(p as i32);
            }
        }
        crd1.push(i as i32);
        pos2.push(crd2.len() as i32);
    }
    pos3.push(crd.len() as i32);
    let vals = Buffer::from(values(seed, crd.len()));
    let crd3: Vec<i32> = crd.into_par_iter().map(|c| c % depth).collect();
    let level = |pos: Vec<i32>, crd: Vec<i32>| LevelArrays::compressed(Buffer::from(pos), Buffer::from(crd));
    let levels = vec![level(vec![0, crd1.len() as i32], crd1), level(pos2, crd2), level(pos3, crd3)];
    Ok(Csf3::try_from_parts(Parts { dims: dims.to_vec(), levels, vals }).map_err(|e| e.error)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_do_not_depend_on_threads() {
        let make = || {
            matrix([3000, 500], 3, |_, dice, out| {
                let count = dice.poisson(7.5);
                dice.distinct(count, 500, out);
            })
        };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (a, b) = (make().unwrap(), one.install(make).unwrap());
        assert_eq!((a.level(1).crd(), a.vals()), (b.level(1).crd(), b.vals()));
        let mean = a.stored() as f64 / 3000.0;
        assert!((7.2..7.8).contains(&mean), "{mean}");
        assert!(a.vals().iter().all(|v| VALUES.contains(v)) && VALUES.iter().all(|v| a.vals().contains(v)));
    }

    #[test]
    fn means() {
        let dice = &mut Dice::new(1, 1);
        for mean in [0.5, 9.0, 200.0] {
            let sum: usize = (0..4000).map(|_| dice.poisson(mean)).sum();
            assert!((sum as f64 / 4000.0 / mean - 1.0).abs() < 0.05, "{mean}: {sum}");
        }
        let sum: usize = (0..4000).map(|_| dice.round(2.25)).sum();
        assert!((8700..9300).contains(&sum), "{sum}");
    }

    #[test]
    fn distinct_numbers() {
        for (count, n) in [(0, 9), (5, 5), (3, 100), (30, 100), (200, 100)] {
            let mut out = vec![7];
            Dice::new(4, 4).distinct(count, n, &mut out);
            assert_eq!(out.len(), 1 + count.min(n));
            assert!(out[1..].is_sorted_by(|a, b| a < b) && out[1..].iter().all(|c| (*c as usize) < n));
        }
    }

    #[test]
    fn tensors_have_fibers() {
        let t = tensor([5, 4, 3], 1, |i, _, out| {
            if i != 2 {
                out.extend([0, 2, 3, 11]);
            }
        })
        .unwrap();
        assert_eq!((t.stored(), t.level(0).crd()), (16, &[0, 1, 3, 4][..]));
        let entries: Vec<_> = t.iter().map(|(at, _)| at).take(4).collect();
        assert_eq!(entries, [[0, 0, 0], [0, 0, 2], [0, 1, 0], [0, 3, 2]]);
        assert!(tensor([2, 2, 2], 1, |_, _, _| ()).unwrap().stored() == 0);
    }
}
