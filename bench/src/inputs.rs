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

/// A file that holds an input.
pub(crate) struct DataFile {
    /// Its own, without what it ends with.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Else it holds a tensor.
    pub(crate) is_matrix: bool,
}

/// The files of `folder` that hold inputs, by name. Results know an input by its name alone: each has one of its own, which
/// is not one that is generated.
///
/// # Errors
/// A folder that can't be read, and two inputs of one name.
pub(crate) fn files(folder: &Path, is_generated: impl Fn(&str) -> bool) -> Result<Vec<DataFile>> {
    let mut files: Vec<DataFile> = vec![];
    for entry in std::fs::read_dir(folder).map_err(Error::at(folder))? {
        files.extend(DataFile::at(entry.map_err(Error::at(folder))?.path()));
    }
    files.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    let same = |name: &str, of: [&Path; 2]| Err(Error::SameName { name: name.into(), of: of.map(file_name) });
    if let Some(pair) = files.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return same(&pair[0].name, [&pair[0].path, &pair[1].path]);
    }
    match files.iter().find(|f| is_generated(&f.name)) {
        Some(file) => same(&file.name, [&file.path, Path::new("what is generated")]),
        None => Ok(files),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl DataFile {
    /// What its name says; `None` if that is no input's.
    fn at(path: PathBuf) -> Option<DataFile> {
        let file = file_name(&path);
        let plain = file.strip_suffix(".gz").unwrap_or(&file);
        let (matrix, tensor) = (plain.strip_suffix(".mtx"), plain.strip_suffix(".tns"));
        Some(DataFile { name: matrix.or(tensor)?.into(), is_matrix: matrix.is_some(), path })
    }
}

/// The files of `folder` by name, then what is generated; `quick`: the small ones of the latter alone.
pub(crate) fn list(folder: Option<&Path>, quick: bool) -> Result<Vec<Input>> {
    let is_generated = |name: &str| GENERATED.iter().any(|(generated, ..)| *generated == name);
    let files = folder.map_or(Ok(vec![]), |folder| files(folder, is_generated))?;
    let of_file = |DataFile { name, path, is_matrix }| {
        let source = if is_matrix { Source::Matrix(path) } else { Source::Tensor(path) };
        Input { name, source }
    };
    let mut inputs: Vec<Input> = files.into_iter().map(of_file).collect();
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
    fn inputs_of_one_name_are_refused() {
        let folder = std::env::temp_dir().join(format!("bench-inputs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let with = |file: &str| {
            std::fs::write(folder.join(file), "").unwrap();
            let refused = list(Some(&folder), true).err().map(|e| e.to_string());
            let generated = |name: &str| name == "d";
            let by_files = files(&folder, generated).err().map(|e| e.to_string());
            assert_eq!(refused.is_some(), by_files.is_some() && file != "d.mtx");
            by_files
        };
        let mut said = vec![with("a.mtx"), with("b.tns.gz"), with("a.txt"), with("a.mtx.gz")];
        std::fs::remove_file(folder.join("a.mtx.gz")).unwrap();
        said.push(with("b.mtx"));
        std::fs::remove_file(folder.join("b.mtx")).unwrap();
        said.push(with("d.mtx"));
        let _ = std::fs::remove_dir_all(&folder);
        let both = |one: &str, other: &str, name: &str| {
            Some(format!("{one} and {other} are both the input `{name}`: rename a file, or move it away"))
        };
        let expected = [
            None,
            None,
            None,
            both("a.mtx", "a.mtx.gz", "a"),
            both("b.mtx", "b.tns.gz", "b"),
            both("d.mtx", "what is generated", "d"),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = list(Some(Path::new("/no/such/folder")), true).err().unwrap();
        assert!(error.to_string().starts_with("/no/such/folder: "), "{error}");
    }
}
