//! What kernels are run on: generated matrices and a tensor, and the files of a folder.

use super::options::Options;
use sparse_core::io;
use sparse_core::tensor::{Coordinates, Csf3, generate};
use std::path::{Path, PathBuf};

/// An input that is not in memory yet.
pub(super) struct Input {
    pub(super) name: String,
    /// Of the tensor.
    pub(super) rank: usize,
    source: Source,
}

enum Source {
    Matrix(PathBuf),
    Tensor(PathBuf),
    Generated(Generate),
}

type Generate = fn() -> sparse_core::error::Result<Coordinates<f64>>;

/// With rows of all lengths, and with none; sizes that no tile divides.
const GENERATED: &[(&str, usize, Generate)] = &[
    ("rmat", 2, || generate::rmat(8, 8, 1)),
    ("stencil", 2, || generate::stencil_2d(19, 23)),
    ("uniform", 2, || generate::uniform(301, 203, 7.0, 1)),
    ("mostly-empty", 2, || generate::uniform(1025, 301, 0.3, 1)),
    ("few-long-rows", 2, || generate::uniform(3, 1500, 400.0, 1)),
    ("banded", 2, || generate::banded(257, 3, 5, 1)),
    ("no-entries", 2, || Ok(Coordinates { dims: vec![67, 45], crd: vec![], vals: vec![] })),
    ("uniform3", 3, || {
        let dims = [31, 20, 45];
        let tensor = Csf3::<f64>::try_random_sparse(dims, 0.05, 1)?;
        let crd = tensor.iter().flat_map(|(at, _)| at.map(|c| c as i32)).collect();
        Ok(Coordinates { dims: dims.to_vec(), crd, vals: tensor.vals().to_vec() })
    }),
];

/// The generated inputs, then the files by name; those that are wanted.
pub(super) fn list(options: &Options) -> Result<Vec<Input>, String> {
    let generated = GENERATED.iter().map(|&(name, rank, make)| Input {
        name: name.into(),
        rank,
        source: Source::Generated(make),
    });
    let mut inputs: Vec<Input> = generated.collect();
    if let Some(folder) = Options::folder(options.data.as_ref(), "data") {
        inputs.extend(files(&folder)?);
    }
    let wanted = &options.inputs;
    inputs.retain(|i| wanted.is_empty() || wanted.iter().any(|part| i.name.contains(part.as_str())));
    Ok(inputs)
}

fn files(folder: &Path) -> Result<Vec<Input>, String> {
    let at = |e: std::io::Error| format!("{}: {e}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(at)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|e| Ok(e.map_err(at)?.path())).collect::<Result<_, String>>()?;
    paths.sort();
    let mut inputs = vec![];
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = file.strip_suffix(".gz").unwrap_or(&file);
        if let Some(name) = plain.strip_suffix(".mtx") {
            inputs.push(Input { name: name.into(), rank: 2, source: Source::Matrix(path) });
        } else if let Some(name) = plain.strip_suffix(".tns") {
            inputs.push(Input { name: name.into(), rank: 3, source: Source::Tensor(path) });
        }
    }
    Ok(inputs)
}

impl Input {
    /// Has it more entries than this, as far as can be told without reading it?
    pub(super) fn is_larger_than(&self, most: usize) -> bool {
        // A file that can't be read is for `load` to report.
        let entries = |path| io::read_matrix_market_header(path).map_or(0, |header| header.entries);
        matches!(&self.source, Source::Matrix(path) if entries(path) > most as u64)
    }

    /// Its entries, each coordinate once, in row-major order.
    pub(super) fn load(&self) -> Result<Entries, String> {
        let read = match &self.source {
            Source::Matrix(path) => io::read_matrix_market_coordinates(path, |_, _| {}),
            Source::Tensor(path) => io::read_tns_coordinates(path, |_, _| {}),
            Source::Generated(generate) => generate(),
        };
        let Coordinates { dims, crd, .. } = read.map_err(|e| format!("{}: {e}", self.name))?;
        let mut coords: Vec<Vec<usize>> =
            crd.chunks_exact(dims.len().max(1)).map(|c| c.iter().map(|&c| c as usize).collect()).collect();
        coords.sort_unstable();
        coords.dedup();
        Ok(Entries { dims, coords })
    }
}

/// Where an input's entries are. Values are made when a kernel is run: small integers, whose sums are the same in any
/// order.
pub(super) struct Entries {
    pub(super) dims: Vec<usize>,
    pub(super) coords: Vec<Vec<usize>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn generated_inputs_are_sorted() {
        let options = Options::parse_from(["run-gpu-tests"]);
        let inputs = list(&options).unwrap();
        assert_eq!(inputs.len(), GENERATED.len());
        for input in inputs {
            let entries = input.load().unwrap();
            assert_eq!(entries.dims.len(), input.rank, "{}", input.name);
            assert!(entries.coords.is_sorted() && entries.coords.iter().all(|c| c.len() == input.rank));
            assert_eq!(entries.coords.is_empty(), input.name == "no-entries");
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let options = Options::parse_from(["run-gpu-tests", "--data", "/no/such/folder"]);
        let error = list(&options).err().unwrap();
        assert!(error.starts_with("/no/such/folder: "), "{error}");
    }
}
