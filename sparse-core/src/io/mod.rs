//! Files: Matrix Market and FROSTT `.tns`, plain and gzip, in and out.
//!
//! Readers stream: a file of any size goes through one bounded buffer, gzip is told by its first bytes and not by
//! the name, and memory grows with the entries that were read, never with what a header promises. That is true of
//! reading: the tensor that is then built has the dimensions that the header says, and a level above the first sparse
//! one stores an element a coordinate, entries or none ([`Csr`](crate::tensor::Csr): a position a row, 2 GB for 500
//! million rows; a dense tensor: all values). [`Dcsr`](crate::tensor::Dcsr) and [`Coo`](crate::tensor::Coo) store entries
//! alone. Every fault of a file is a [`FileError`] which names the line. Numbers are read exactly as `str::parse` reads them, and written so
//! that reading gives them back. Duplicate entries are summed.
//!
//! Where a `progress` is asked for, it is told, now and then, how many bytes of the file have been read, and how
//! many there are, if known.

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
mod write;

pub use error::{FileError, FileErrorKind};
pub use matrix_market::{Field, Layout, MatrixMarketHeader, Symmetry};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::scalar::Element;
use crate::tensor::{Coordinates, Tensor};
use lines::Lines;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads a Matrix Market file: a matrix, or, into a format of one dimension, a single column or row.
///
/// Symmetry is expanded, the entries of a pattern are ones. Of an array, a format whose last level is not dense
/// stores what differs from its fill.
///
/// ```no_run
/// use sparse_core::{io, tensor::Csr};
/// let a: Csr<f32> = io::read_matrix_market("m.mtx.gz")?;
/// # Ok::<(), sparse_core::error::Error>(())
/// ```
///
/// # Errors
/// [`Error::File`], and what [`Tensor::from_coordinates`] says.
pub fn read_matrix_market<T: Element, F: Format>(path: impl AsRef<Path>) -> Result<Tensor<T, F>> {
    read_matrix_market_with(path, |_, _| {})
}

/// As [`read_matrix_market`], telling its progress.
///
/// # Errors
/// As [`read_matrix_market`].
pub fn read_matrix_market_with<T: Element, F: Format>(
    path: impl AsRef<Path>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Tensor<T, F>> {
    let (file, name, total) = open(path.as_ref())?;
    matrix(Lines::new(file, &name, total, &mut progress)?)
}

/// As [`read_matrix_market`], from any reader; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_matrix_market`].
pub fn read_matrix_market_from<T: Element, F: Format>(
    reader: impl Read,
    name: &str,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Tensor<T, F>> {
    matrix(Lines::new(reader, name, None, &mut progress)?)
}

/// What a Matrix Market file announces, without reading its entries.
///
/// # Errors
/// [`Error::File`]
pub fn read_matrix_market_header(path: impl AsRef<Path>) -> Result<MatrixMarketHeader> {
    let (file, name, total) = open(path.as_ref())?;
    Ok(matrix_market::header(&mut Lines::new(file, &name, total, &mut |_, _| {})?)?)
}

/// The entries of a Matrix Market file, symmetry expanded, in the order of the file: for building tensors of several
/// formats from one reading.
///
/// # Errors
/// [`Error::File`]
pub fn read_matrix_market_coordinates<T: Element>(
    path: impl AsRef<Path>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Coordinates<T>> {
    let (file, name, total) = open(path.as_ref())?;
    let mut lines = Lines::new(file, &name, total, &mut progress)?;
    let header = matrix_market::header(&mut lines)?;
    Ok(matrix_market::entries(&mut lines, &header, None)?)
}

/// Reads a `.tns` file of any order from 1 to 6.
///
/// The dimensions are those of a comment `# dims: 4 5 6` before the first entry, else the largest coordinates;
/// [`read_tns_with`] takes them from the caller.
///
/// # Errors
/// [`Error::File`], and what [`Tensor::from_coordinates`] says.
pub fn read_tns<T: Element, F: Format>(path: impl AsRef<Path>) -> Result<Tensor<T, F>> {
    read_tns_with(path, None, |_, _| {})
}

/// As [`read_tns`], with dimensions, if given, and telling its progress.
///
/// # Errors
/// As [`read_tns`].
pub fn read_tns_with<T: Element, F: Format>(
    path: impl AsRef<Path>,
    dims: Option<F::Coord>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Tensor<T, F>> {
    let (file, name, total) = open(path.as_ref())?;
    tensor(Lines::new(file, &name, total, &mut progress)?, dims)
}

/// As [`read_tns_with`], from any reader; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_tns`].
pub fn read_tns_from<T: Element, F: Format>(
    reader: impl Read,
    name: &str,
    dims: Option<F::Coord>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Tensor<T, F>> {
    tensor(Lines::new(reader, name, None, &mut progress)?, dims)
}

/// The entries of a `.tns` file, in the order of the file: where the order is not known beforehand.
///
/// # Errors
/// [`Error::File`]
pub fn read_tns_coordinates<T: Element>(
    path: impl AsRef<Path>,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Coordinates<T>> {
    let (file, name, total) = open(path.as_ref())?;
    Ok(tns::read(&mut Lines::new(file, &name, total, &mut progress)?, None, None)?)
}

/// Writes a matrix or a vector as a Matrix Market file, gzip if the path ends in `.gz`: a dense format as an array,
/// any other as coordinates.
///
/// The file does not say what the fill is: read it into the same format.
///
/// # Errors
/// [`Error::File`], also if the tensor has not 1 or 2 dimensions.
pub fn write_matrix_market<T: Element, F: Format>(
    path: impl AsRef<Path>,
    tensor: &Tensor<T, F>,
) -> Result<()> {
    let dims = tensor.dims();
    write::create(path.as_ref(), |out| {
        if F::LEVELS.iter().all(|level| level.is_full()) {
            write::array_matrix(out, dims.as_ref(), tensor.iter())
        } else {
            write::coordinate_matrix(out, dims.as_ref(), || tensor.iter())
        }
    })?;
    Ok(())
}

/// Writes a tensor as a `.tns` file, gzip if the path ends in `.gz`. The dimensions stand in a comment, which
/// [`read_tns`] heeds.
///
/// The file does not say what the fill is: read it into the same format.
///
/// # Errors
/// [`Error::File`], also if the tensor has no dimensions.
pub fn write_tns<T: Element, F: Format>(path: impl AsRef<Path>, tensor: &Tensor<T, F>) -> Result<()> {
    let dims = tensor.dims();
    write::create(path.as_ref(), |out| write::tns(out, dims.as_ref(), tensor.iter()))?;
    Ok(())
}

fn matrix<T: Element, F: Format>(mut lines: Lines<'_>) -> Result<Tensor<T, F>> {
    let header = matrix_market::header(&mut lines)?;
    let (rows, cols) = (header.rows, header.cols);
    match F::RANK {
        2 => {}
        1 if rows == 1 || cols == 1 => {}
        1 => return Err(lines.error(FileErrorKind::NotAVector { rows, cols }).into()),
        wanted => return Err(lines.error(FileErrorKind::Rank { file: 2, wanted }).into()),
    }
    let sparse = F::LEVELS.last().is_some_and(|level| !level.is_full());
    let skip = sparse.then(|| F::FILL.value(T::DTYPE));
    let mut entries = matrix_market::entries(&mut lines, &header, skip)?;
    drop(lines);
    if F::RANK == 1 {
        let along = if cols == 1 { 0 } else { 1 };
        entries.dims = vec![entries.dims[along]];
        entries.crd = entries.crd.chunks_exact(2).map(|crd| crd[along]).collect();
    }
    Tensor::from_coordinates(entries)
}

fn tensor<T: Element, F: Format>(mut lines: Lines<'_>, dims: Option<F::Coord>) -> Result<Tensor<T, F>> {
    let entries = tns::read(&mut lines, dims.as_ref().map(AsRef::as_ref), Some(F::RANK))?;
    drop(lines);
    Tensor::from_coordinates(entries)
}

/// A file, its name for errors, and its size if it is a regular file.
fn open(path: &Path) -> std::result::Result<(File, String, Option<u64>), FileError> {
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

impl From<FileError> for Error {
    fn from(e: FileError) -> Self {
        Error::File(Box::new(e))
    }
}
