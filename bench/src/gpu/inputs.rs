//! What GPU kernels are measured on: the files of a folder, and generated matrices and tensors of four sizes. Each is
//! made when its turn comes.

use super::generate::{self, Dice, sort_from};
use super::stats::Stats;
use crate::error::Result;
use crate::inputs::{DataFile, files};
use crate::storage;
use examples::progress;
use sparse_core::io;
use sparse_core::scalar::Element;
use sparse_core::tensor::{Csf3, Csr};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// An input that is not in memory yet.
pub(crate) struct Input {
    /// Its name in tables.
    pub(crate) name: String,
    /// 2 for a matrix.
    pub(crate) order: usize,
    /// How many it has, as far as can be told without making it.
    pub(crate) entries: usize,
    source: Source,
}

enum Source {
    File(PathBuf),
    Generated(Box<dyn Fn() -> Result<Sparse>>),
}

/// A matrix by rows, or a tensor of order 3 by fibers. Values are small integers, whatever the file says.
pub(crate) enum Sparse<T: Element = f32> {
    /// Order 2.
    Matrix(Csr<T>),
    /// Order 3.
    Tensor(Csf3<T>),
}

impl<T: Element> Sparse<T> {
    /// With values of another type, which are the same small integers.
    pub(crate) fn cast<U: Element>(&self) -> Sparse<U> {
        match self {
            Sparse::Matrix(a) => Sparse::Matrix(a.cast()),
            Sparse::Tensor(a) => Sparse::Tensor(a.cast()),
        }
    }

    /// Why there is nothing to do, if there is nothing: a kernel takes no time then, and nothing is faster than another.
    pub(crate) fn why_empty(&self) -> Option<&'static str> {
        let Stats { dims, entries, .. } = self.stats();
        match entries {
            _ if dims.contains(&0) => Some("one of its dimensions has size 0"),
            0 => Some("it has no entries"),
            _ => None,
        }
    }

    /// What is known of its rows.
    pub(crate) fn stats(&self) -> Stats {
        match self {
            Sparse::Matrix(a) => Stats::of_rows(&a.dims(), a.level(1).pos()),
            Sparse::Tensor(a) => {
                let (slices, pos2, pos3) = (a.level(0).crd(), a.level(1).pos(), a.level(2).pos());
                let mut pos = vec![0; a.dim(0) + 1];
                for (n, i) in slices.iter().enumerate() {
                    pos[*i as usize + 1] = pos3[pos2[n + 1] as usize] - pos3[pos2[n] as usize];
                }
                for i in 1..pos.len() {
                    pos[i] += pos[i - 1];
                }
                Stats::of_rows(&a.dims(), &pos)
            }
        }
    }
}

impl Input {
    /// Of a generator, with about so many entries.
    pub(crate) fn generated(
        name: impl Into<String>,
        entries: usize,
        make: impl Fn() -> Result<Csr<f32>> + 'static,
    ) -> Input {
        let source = Source::Generated(Box::new(move || Ok(Sparse::Matrix(make()?))));
        Input { name: name.into(), order: 2, entries, source }
    }

    /// Of a file.
    fn of_file(DataFile { name, path, is_matrix }: DataFile) -> Input {
        let (order, entries) = match is_matrix {
            // A file that can't be read is for `load` to report.
            true => (2, io::read_matrix_market_header(&path).map_or(0, |h| h.entries as usize)),
            false => (3, 0),
        };
        Input { name, order, entries, source: Source::File(path) }
    }

    /// Does no file hold it?
    pub(crate) fn is_generated(&self) -> bool {
        matches!(self.source, Source::Generated(_))
    }

    /// Reads or makes it; `None` if it is a tensor of another order than 3. Long reads show a bar.
    pub(crate) fn load(&self) -> Result<Option<Sparse>> {
        let path = match &self.source {
            Source::Generated(make) => return make().map(Some),
            Source::File(path) => path,
        };
        if self.order == 2 {
            let mut a: Csr<f32> = storage::build(&io::read_matrix_market_coordinates(path, progress(path))?)?;
            overwrite(a.vals_mut());
            return Ok(Some(Sparse::Matrix(a)));
        }
        let entries = io::read_tns_coordinates(path, progress(path))?;
        if entries.dims.len() != 3 {
            return Ok(None);
        }
        let mut a: Csf3<f32> = storage::build(&entries)?;
        overwrite(a.vals_mut());
        Ok(Some(Sparse::Tensor(a)))
    }
}

fn overwrite(vals: &mut [f32]) {
    vals.iter_mut().enumerate().for_each(|(at, v)| *v = generate::value(1, at));
}

/// The files of `folder` and what is generated, kinds in turn.
pub(crate) fn list(folder: Option<&Path>) -> Result<Vec<Input>> {
    let mut inputs = generated();
    if let Some(folder) = folder {
        let is_generated = |name: &str| inputs.iter().any(|i| i.name == name);
        let files = files(folder, is_generated)?;
        inputs.extend(files.into_iter().map(Input::of_file));
    }
    Ok(in_turn(inputs))
}

/// Up to so many entries a call's launch costs more than its work, and a matrix fits into a GPU's second-level cache.
const FEW: usize = 1 << 17;
const CACHED: usize = 5_000_000;

/// Inputs of each kind in turn, the smallest of each first: a run that ends early has some of all. A kind is a size, an
/// order, and whether it is generated.
fn in_turn(mut inputs: Vec<Input>) -> Vec<Input> {
    inputs.sort_by(|a, b| (a.entries, &a.name).cmp(&(b.entries, &b.name)));
    let count = inputs.len();
    let mut kinds: BTreeMap<_, VecDeque<Input>> = BTreeMap::new();
    for input in inputs {
        let size = [FEW, CACHED].iter().filter(|most| input.entries > **most).count();
        kinds.entry((size, input.is_generated(), input.order)).or_default().push_back(input);
    }
    let mut turns = Vec::with_capacity(count);
    while turns.len() < count {
        turns.extend(kinds.values_mut().filter_map(VecDeque::pop_front));
    }
    turns
}

/// The four sizes: a call's launch costs more than its work; operands stay in the GPU's cache; they do not; they are as large
/// as it gets.
const SIZES: [(&str, u32); 4] = [("small", 0), ("medium", 1), ("past", 2), ("large", 3)];

/// Every shape in every size, up to 2²⁷ entries.
fn generated() -> Vec<Input> {
    let mut inputs = vec![];
    for (size, n) in SIZES {
        let of = |sizes: [usize; 4]| sizes[n as usize];
        let mut add = |name: &str, entries: usize, make: Box<dyn Fn() -> Result<Csr<f32>>>| {
            inputs.push(Input::generated(format!("{name}-{size}"), entries, make));
        };
        let rows = of([1 << 11, 1 << 17, 1 << 21, 1 << 24]);
        add("uniform", rows * 8, Box::new(move || uniform([rows, rows], 8.0)));
        let rows = of([1 << 7, 1 << 13, 1 << 17, 1 << 20]);
        add("uniform-long", rows * 128, Box::new(move || uniform([rows, rows.max(1024)], 128.0)));
        let (scale, degree) = ([11, 16, 20, 22][n as usize], of([8, 16, 16, 32]));
        add("rmat", degree << scale, Box::new(move || rmat(scale, degree as f64)));
        let rows = of([1 << 10, 1 << 16, 1 << 20, 1 << 23]);
        add("banded", rows * 17, Box::new(move || banded(rows, 8)));
        let side = of([56, 458, 1832, 5180]);
        add("stencil", side * side * 5, Box::new(move || stencil(side)));
        let (rows, cols) = (of([8, 64, 64, 64]), of([1 << 13, 1 << 16, 1 << 20, 1 << 23]));
        add("few-long-rows", rows * cols / 4, Box::new(move || uniform([rows, cols], cols as f64 / 4.0)));
        let (rows, cols) = (of([16, 100, 256, 1024]), of([1 << 12, 100_000, 1 << 18, 1 << 21]));
        let mean = of([1024, 10_000, 65_536, 131_072]);
        add("short-wide", rows * mean, Box::new(move || uniform([rows, cols], mean as f64)));
        let (rows, cols) = (of([1 << 11, 1 << 17, 1 << 21, 1 << 24]), of([16, 64, 128, 256]));
        add("tall-skinny", rows * 8, Box::new(move || uniform([rows, cols], 8.0)));
        let rows = of([1 << 11, 1 << 17, 1 << 21, 1 << 23]);
        add("dense-row", rows * 8, Box::new(move || dense_row(rows, 7.0)));
        let rows = of([1 << 14, 1 << 20, 1 << 24, 1 << 26]);
        add("mostly-empty", rows / 2, Box::new(move || uniform([rows, 1 << 14], 0.5)));
        let rows = of([1 << 11, 1 << 17, 1 << 20, 1 << 22]);
        add("power-law", rows * 16, Box::new(move || power_law(rows, 16.0)));
        inputs.extend(tensors(size, n as usize));
    }
    inputs
}

/// Order 3: entries anywhere, and slices whose lengths follow a power law.
fn tensors(size: &str, n: usize) -> Vec<Input> {
    let dims = [[200, 100, 150], [4000, 500, 2000], [1 << 15, 500, 10_000], [1 << 17, 500, 20_000]][n];
    let mean = [80.0, 256.0, 512.0, 512.0][n];
    let entries = (dims[0] as f64 * mean) as usize;
    let slice = move |count: usize, dice: &mut Dice, out: &mut Vec<i32>| {
        // Fibers of about three entries: distinct fibers first.
        let (fibers, mut chosen) = (count.div_ceil(3), vec![]);
        dice.distinct(fibers, dims[1], &mut chosen);
        let each = count as f64 / chosen.len().max(1) as f64;
        for j in chosen {
            let (from, count) = (out.len(), dice.round(each));
            dice.distinct(count, dims[2], out);
            out[from..].iter_mut().for_each(|k| *k += j * dims[2] as i32);
        }
    };
    let even = move || {
        generate::tensor(dims, 1, |_, dice, out| {
            let count = dice.poisson(mean);
            slice(count, dice, out);
        })
    };
    let skewed = move || {
        generate::tensor(dims, 2, |_, dice, out| {
            let count = pareto(dice, mean, dims[1] * dims[2] / 4);
            slice(count, dice, out);
        })
    };
    let input = |name: &str, make: Box<dyn Fn() -> Result<Csf3<f32>>>| {
        let source = Source::Generated(Box::new(move || Ok(Sparse::Tensor(make()?))));
        Input { name: format!("{name}-{size}"), order: 3, entries, source }
    };
    vec![input("uniform3", Box::new(even)), input("power-law3", Box::new(skewed))]
}

/// Entries anywhere, row lengths from Poisson's distribution.
pub(crate) fn uniform(dims: [usize; 2], mean: f64) -> Result<Csr<f32>> {
    generate::matrix(dims, 1, |_, dice, out| {
        let count = dice.poisson(mean);
        dice.distinct(count, dims[1], out);
    })
}

/// 2ˢᶜᵃˡᵉ vertices, Graph500's probabilities. A row's expected length and the chances of its columns' bits follow from
/// the bits of its number; what is drawn twice is there once, so that there are somewhat fewer entries.
fn rmat(scale: u32, degree: f64) -> Result<Csr<f32>> {
    const A: f64 = 0.57;
    const B: f64 = 0.19;
    const C: f64 = 0.19;
    const D: f64 = 0.05;
    let size = 1usize << scale;
    generate::matrix([size, size], 1, |row, dice, out| {
        let ones = row.count_ones() as i32;
        let share = (A + B).powi(scale as i32 - ones) * (C + D).powi(ones);
        let (from, count) = (out.len(), dice.round(share * degree * size as f64).min(size / 2));
        for _ in 0..count {
            let col = (0..scale).fold(0, |col, bit| {
                let one = if row >> bit & 1 == 1 { D / (C + D) } else { B / (A + B) };
                col | i32::from(dice.unit() < one) << bit
            });
            out.push(col);
        }
        sort_from(out, from);
    })
}

/// Everything up to so far from the diagonal.
fn banded(size: usize, beside: usize) -> Result<Csr<f32>> {
    generate::matrix([size, size], 1, |row, _, out| {
        out.extend((row.saturating_sub(beside)..(row + beside + 1).min(size)).map(|c| c as i32));
    })
}

/// The five points of a square grid's Laplacian.
fn stencil(side: usize) -> Result<Csr<f32>> {
    let size = side * side;
    generate::matrix([size, size], 1, |row, _, out| {
        let (x, y) = (row % side, row / side);
        let near = [
            (y > 0, row.wrapping_sub(side)),
            (x > 0, row.wrapping_sub(1)),
            (true, row),
            (x + 1 < side, row + 1),
            (y + 1 < side, row + side),
        ];
        out.extend(near.iter().filter(|(inside, _)| *inside).map(|(_, at)| *at as i32));
    })
}

/// Like `uniform`, but the row in the middle is full.
fn dense_row(size: usize, mean: f64) -> Result<Csr<f32>> {
    generate::matrix([size, size], 1, |row, dice, out| {
        let count = if row == size / 2 { size } else { dice.poisson(mean) };
        dice.distinct(count, size, out);
    })
}

/// Row lengths from a power law, columns anywhere.
fn power_law(size: usize, mean: f64) -> Result<Csr<f32>> {
    generate::matrix([size, size], 1, |_, dice, out| {
        let count = pareto(dice, mean, size / 4);
        dice.distinct(count, size, out);
    })
}

/// From Pareto's distribution with exponent 1.5, cut at `most`.
fn pareto(dice: &mut Dice, mean: f64, most: usize) -> usize {
    const EXPONENT: f64 = 1.5;
    let least = mean * (EXPONENT - 1.0) / EXPONENT;
    let length = least * (1.0 - dice.unit()).powf(-1.0 / EXPONENT);
    dice.round(length.min(most as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_inputs_are_what_their_names_say() {
        let small: Vec<Input> = generated().into_iter().filter(|i| i.name.ends_with("-small")).collect();
        assert_eq!(small.len(), 13);
        for input in small {
            let loaded = input.load().unwrap().unwrap();
            let Stats { entries, mean, cv, .. } = loaded.stats();
            let about = entries as f64 / input.entries as f64;
            assert!((0.6..1.4).contains(&about), "{}: {entries} of {}", input.name, input.entries);
            let skewed =
                ["rmat", "power-law", "dense-row", "mostly-empty"].iter().any(|n| input.name.starts_with(n));
            assert_eq!(cv > 0.8, skewed, "{}: {cv}", input.name);
            assert_eq!(
                mean > 100.0,
                ["uniform-long-small", "few-long-rows-small", "short-wide-small"].contains(&&*input.name),
                "{}",
                input.name
            );
        }
    }

    #[test]
    fn sizes_reach_2_to_the_27th() {
        let all = generated();
        let most = all.iter().map(|i| i.entries).max().unwrap();
        assert!((1 << 27..(1 << 27) + (1 << 24)).contains(&most), "{most}");
        for size in ["small", "medium", "past", "large"] {
            assert_eq!(all.iter().filter(|i| i.name.ends_with(size)).count(), 13);
        }
        // With 8 bytes an entry, 50 MB of cache have no room for any of them.
        assert!(all.iter().filter(|i| i.name.ends_with("-past")).all(|i| i.entries > 8_000_000));
    }

    #[test]
    fn a_run_that_ends_early_has_some_of_each_kind() {
        let mut inputs = generated();
        for (name, order, entries) in [("a", 2, 1000), ("b", 2, 2_000_000), ("c", 2, 3000), ("d", 3, 0)] {
            inputs.push(Input { name: name.into(), order, entries, source: Source::File(PathBuf::new()) });
        }
        let count = inputs.len();
        let turns = in_turn(inputs);
        assert_eq!(turns.len(), count);
        // Two orders of three files' sizes and of generated ones of three.
        let first: Vec<&str> = turns[..9].iter().map(|i| &*i.name).collect();
        for part in ["a", "b", "d"] {
            assert!(first.contains(&part), "{first:?}");
        }
        for size in ["-small", "-medium", "-past"] {
            assert_eq!(first.iter().filter(|name| name.ends_with(size)).count(), 2, "{first:?}");
        }
        let at = |name: &str| turns.iter().position(|i| i.name == name);
        assert!(at("mostly-empty-past") < at("uniform-past") && at("uniform-past") < at("uniform-large"));
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = list(Some(Path::new("/no/such/folder"))).err().unwrap();
        assert!(error.to_string().starts_with("/no/such/folder: "), "{error}");
    }
}
