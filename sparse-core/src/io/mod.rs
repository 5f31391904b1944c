//! Files: Matrix Market and FROSTT `.tns`, plain and gzip, in and out.
//!
//! Readers stream: a file of any size goes through one bounded buffer, gzip is told by its first bytes and not by
//! the name, and memory grows with the entries that were read, never with what a header promises. Every fault of a
//! file is a [`FileError`] which names the line. Numbers are read exactly as `str::parse` reads them, and written so
//! that reading gives them back.

mod entries;
mod error;
mod lines;
mod matrix_market;
mod number;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tns;
mod value;

pub use entries::Coordinates;
pub use error::{FileError, FileErrorKind};
pub use matrix_market::{Field, Layout, MatrixMarketHeader, Symmetry};

use crate::scalar::Element;
use lines::Lines;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The entries of a Matrix Market file, symmetry expanded, in the order of the file.
///
/// `progress` is told, now and then, how many bytes of the file have been read, and how many there are.
pub fn read_matrix_market_coordinates<T: Element>(
    path: impl AsRef<Path>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Coordinates<T>, FileError> {
    let (file, name, total) = open(path.as_ref())?;
    let mut lines = Lines::new(file, &name, total, &mut progress)?;
    let header = matrix_market::header(&mut lines)?;
    matrix_market::entries(&mut lines, &header, None)
}

/// As [`read_matrix_market_coordinates`], from any reader; `name` stands for the file in errors.
pub fn read_matrix_market_coordinates_from<T: Element>(
    reader: impl Read,
    name: &str,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Coordinates<T>, FileError> {
    let mut lines = Lines::new(reader, name, None, &mut progress)?;
    let header = matrix_market::header(&mut lines)?;
    matrix_market::entries(&mut lines, &header, None)
}

/// What a Matrix Market file announces, without reading its entries.
pub fn read_matrix_market_header(path: impl AsRef<Path>) -> Result<MatrixMarketHeader, FileError> {
    let (file, name, total) = open(path.as_ref())?;
    matrix_market::header(&mut Lines::new(file, &name, total, &mut |_, _| {})?)
}

/// The entries of a `.tns` file, in the order of the file.
///
/// Without `dims`, the dimensions are those of a comment `# dims: 4 5 6` before the first entry, else the largest
/// coordinates. `progress` is told, now and then, how many bytes of the file have been read, and how many there are.
pub fn read_tns_coordinates<T: Element>(
    path: impl AsRef<Path>,
    dims: Option<&[usize]>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Coordinates<T>, FileError> {
    let (file, name, total) = open(path.as_ref())?;
    tns::read(&mut Lines::new(file, &name, total, &mut progress)?, dims, None)
}

/// As [`read_tns_coordinates`], from any reader; `name` stands for the file in errors.
pub fn read_tns_coordinates_from<T: Element>(
    reader: impl Read,
    name: &str,
    dims: Option<&[usize]>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Coordinates<T>, FileError> {
    tns::read(&mut Lines::new(reader, name, None, &mut progress)?, dims, None)
}

/// A file, its name for errors, and its size if it is a regular file.
fn open(path: &Path) -> Result<(File, String, Option<u64>), FileError> {
    let name = path.display().to_string();
    let opened = File::open(path).and_then(|file| {
        let meta = file.metadata()?;
        if meta.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        }
        Ok((file, meta.is_file().then_some(meta.len())))
    });
    match opened {
        Ok((file, total)) => Ok((file, name, total)),
        Err(e) => Err(FileError { file: name, line: None, kind: e.into() }),
    }
}
