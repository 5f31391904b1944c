//! What is measured on: the files of a folder, and generated matrices and tensors whose sizes span a core's own cache
//! and main memory.

use crate::error::{Error, Result};
use examples::progress;
use sparse_core::io;
use sparse_core::tensor::{Coordinates, Csf3, generate};
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
    Generated(Generate),
}

/// Makes a generated input.
type Generate = fn() -> sparse_core::error::Result<Coordinates<f64>>;

/// Name, generator, and is it small enough for a core's own cache?
const GENERATED: [(&str, Generate, bool); 12] = [
    ("rmat-small", || generate::rmat(11, 16, 1), true),
    ("stencil-small", || generate::stencil_2d(80, 80), true),
    ("uniform-small", || generate::uniform(4096, 4096, 8.0, 1), true),
    ("banded-small", || generate::banded(2048, 8, 8, 1), true),
    ("rmat-middle", || generate::rmat(15, 8, 1), false),
    ("uniform-middle", || generate::uniform(1 << 15, 1 << 15, 16.0, 1), false),
    ("rmat-large", || generate::rmat(17, 32, 1), false),
    ("stencil-large", || generate::stencil_3d(80, 80, 80), false),
    ("uniform-large", || generate::uniform(1 << 17, 1 << 17, 32.0, 1), false),
    ("banded-large", || generate::banded(1 << 17, 16, 16, 1), false),
    ("uniform3-small", || uniform3([400, 300, 200], 1.5e-3), true),
    ("uniform3-large", || uniform3([2000, 500, 4000], 1e-3), false),
];

/// An order-3 tensor of entries anywhere.
fn uniform3(dims: [usize; 3], density: f64) -> sparse_core::error::Result<Coordinates<f64>> {
    let tensor = Csf3::<f64>::try_random_sparse(dims, density, 1)?;
    let crd = tensor.iter().flat_map(|(at, _)| at.map(|c| c as i32)).collect();
    Ok(Coordinates { dims: dims.to_vec(), crd, vals: tensor.vals().to_vec() })
}

impl Input {
    /// Its entries, in any order. Long reads show a bar.
    pub(crate) fn load(&self) -> Result<Coordinates<f64>> {
        Ok(match &self.source {
            Source::Matrix(path) => io::read_matrix_market_coordinates(path, progress(path))?,
            Source::Tensor(path) => io::read_tns_coordinates(path, progress(path))?,
            Source::Generated(generate) => generate()?,
        })
    }
}

/// The files of `folder` by name, then what is generated; `quick`: the small ones of the latter alone.
pub(crate) fn list(folder: Option<&Path>, quick: bool) -> Result<Vec<Input>> {
    let mut inputs = vec![];
    let mut files = vec![];
    if let Some(folder) = folder {
        for entry in std::fs::read_dir(folder).map_err(Error::at(folder))? {
            files.push(entry.map_err(Error::at(folder))?.path());
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
    inputs.extend(
        generated
            .map(|(name, make, _)| Input { name: (*name).to_string(), source: Source::Generated(*make) }),
    );
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_inputs_load() {
        let all = list(None, false).unwrap();
        let small = list(None, true).unwrap();
        assert!(small.len() < all.len());
        for input in small {
            let entries = input.load().unwrap();
            assert!(entries.vals.len() > 10_000 && [2, 3].contains(&entries.dims.len()), "{}", input.name);
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = list(Some(Path::new("/no/such/folder")), true).err().unwrap();
        assert!(error.to_string().starts_with("/no/such/folder: "), "{error}");
    }
}
