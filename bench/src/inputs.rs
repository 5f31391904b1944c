//! What is measured on: the files of a folder, and generated matrices and tensors whose sizes span a core's own cache
//! and main memory.

use sparse_core::io::{self, Coordinates, FileError};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// An input that is not in memory yet.
pub(crate) struct Input {
    /// Its name in the table.
    pub(crate) name: String,
    source: Source,
}

enum Source {
    Matrix(PathBuf),
    Tensor(PathBuf),
    Generated(fn() -> Coordinates<f64>),
}

/// Makes a generated input.
type Generate = fn() -> Coordinates<f64>;

/// Name, generator, and does it take part in a quick run?
const GENERATED: [(&str, Generate, bool); 10] = [
    ("rmat-small", || rmat(12, 40_000), true),
    ("stencil-small", || stencil([20, 20, 20]), true),
    ("uniform-small", || uniform(&[4096, 4096], 40_000), true),
    ("banded-small", || banded(4096, 5), true),
    ("rmat-large", || rmat(17, 4_000_000), false),
    ("stencil-large", || stencil([54, 54, 54]), false),
    ("uniform-large", || uniform(&[1 << 17, 1 << 17], 4_000_000), false),
    ("banded-large", || banded(1 << 17, 15), false),
    ("uniform3-small", || uniform(&[400, 300, 200], 40_000), true),
    ("uniform3-large", || uniform(&[2000, 500, 4000], 4_000_000), false),
];

impl Input {
    /// Its entries.
    pub(crate) fn load(&self) -> Result<Coordinates<f64>, FileError> {
        match &self.source {
            Source::Matrix(path) => io::read_matrix_market_coordinates(path, |_, _| {}),
            Source::Tensor(path) => io::read_tns_coordinates(path, None, |_, _| {}),
            Source::Generated(generate) => Ok(generate()),
        }
    }
}

/// The files of `folder` by name, then what is generated; `quick`: the small ones of the latter alone.
pub(crate) fn list(folder: Option<&Path>, quick: bool) -> std::io::Result<Vec<Input>> {
    let mut inputs = vec![];
    let mut files = vec![];
    if let Some(folder) = folder {
        for entry in std::fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    files.sort();
    for path in files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = file.strip_suffix(".gz").unwrap_or(&file);
        if let Some(name) = plain.strip_suffix(".mtx") {
            inputs.push(Input { name: name.to_string(), source: Source::Matrix(path) });
        } else if let Some(name) = plain.strip_suffix(".tns") {
            inputs.push(Input { name: name.to_string(), source: Source::Tensor(path) });
        }
    }
    let generated = GENERATED.iter().filter(|(_, _, small)| *small || !quick);
    inputs.extend(generated.map(|(name, generate, _)| Input {
        name: (*name).to_string(),
        source: Source::Generated(*generate),
    }));
    Ok(inputs)
}

/// Random numbers, the same ones every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> i32 {
        (self.next() * n as f64) as i32
    }
}

/// Entries each once, with values between −1 and 1.
fn collect(dims: &[usize], count: usize, mut draw: impl FnMut(&mut Random) -> Vec<i32>) -> Coordinates<f64> {
    let mut random = Random(42);
    let mut seen = HashSet::with_capacity(count);
    let (mut crd, mut vals) = (Vec::with_capacity(count * dims.len()), Vec::with_capacity(count));
    while vals.len() < count {
        let at = draw(&mut random);
        if seen.insert(at.iter().fold(0u64, |key, c| key << 20 | *c as u64)) {
            crd.extend(at);
            vals.push(random.next() * 2.0 - 1.0);
        }
    }
    Coordinates { dims: dims.to_vec(), crd, vals }
}

/// A power-law graph with 2^scale vertices, by recursive quadrants of probability 0.57, 0.19, 0.19, 0.05.
fn rmat(scale: u32, count: usize) -> Coordinates<f64> {
    collect(&[1 << scale, 1 << scale], count, |random| {
        let (mut i, mut j) = (0, 0);
        for _ in 0..scale {
            let quadrant = random.next();
            i = i << 1 | i32::from(quadrant >= 0.76);
            j = j << 1 | i32::from((0.57..0.76).contains(&quadrant) || quadrant >= 0.95);
        }
        vec![i, j]
    })
}

/// Entries anywhere.
fn uniform(dims: &[usize], count: usize) -> Coordinates<f64> {
    collect(dims, count, |random| dims.iter().map(|n| random.below(*n)).collect())
}

/// Every point of a grid with itself and its neighbours, 27 in all.
fn stencil([x, y, z]: [i32; 3]) -> Coordinates<f64> {
    let (mut crd, mut vals) = (vec![], vec![]);
    let mut random = Random(42);
    let near = |c: i32, size: i32| (c - 1).max(0)..(c + 2).min(size);
    for (i, (a, (b, c))) in
        (0..x).flat_map(|a| (0..y).flat_map(move |b| (0..z).map(move |c| (a, (b, c))))).enumerate()
    {
        for j in near(a, x)
            .flat_map(|a| near(b, y).flat_map(move |b| near(c, z).map(move |c| (a * y + b) * z + c)))
        {
            crd.extend([i as i32, j]);
            vals.push(random.next() * 2.0 - 1.0);
        }
    }
    let points = (x * y * z) as usize;
    Coordinates { dims: vec![points, points], crd, vals }
}

/// The diagonal and `half` diagonals on either side.
fn banded(n: i32, half: i32) -> Coordinates<f64> {
    let (mut crd, mut vals) = (vec![], vec![]);
    let mut random = Random(42);
    for i in 0..n {
        for j in (i - half).max(0)..(i + half + 1).min(n) {
            crd.extend([i, j]);
            vals.push(random.next() * 2.0 - 1.0);
        }
    }
    Coordinates { dims: vec![n as usize; 2], crd, vals }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_generated_inputs() {
        assert_eq!(rmat(6, 100).vals.len(), 100);
        assert_eq!(uniform(&[3, 3, 3], 27).crd.len(), 81);
        assert_eq!(stencil([3, 3, 3]).vals.len(), 343);
        assert_eq!(banded(10, 1).vals.len(), 28);
        assert!(list(None, true).unwrap().len() < list(None, false).unwrap().len());
    }
}
