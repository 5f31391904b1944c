//! Writers: what they write, the readers give back bit for bit.
//!
//! Floats are printed with the fewest digits that read back the same (Rust's `{:?}`), integers exactly. A matrix is
//! written as coordinates, or as an array if its format is dense; always `general`. A pattern stands for entries
//! that are all `true`; other `bool`s are written as 0 and 1.

use super::error::{FileError, FileErrorKind};
use super::tns::{DIMS, MAX_ORDER};
use crate::scalar::{DType, Element, Value};
use flate2::{Compression, write::GzEncoder};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

type Result = std::io::Result<()>;

/// Creates `path`, gzip if it ends in `.gz`, and writes it.
pub(super) fn create(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::result::Result<(), FileErrorKind>,
) -> std::result::Result<(), FileError> {
    let gzip = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    let written = || -> std::result::Result<(), FileErrorKind> {
        let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
        if gzip {
            // The encoder is slow on small pieces.
            let gz = GzEncoder::new(file, Compression::default());
            let mut text = BufWriter::with_capacity(1 << 16, gz);
            write(&mut text)?;
            text.into_inner().map_err(|e| e.into_error())?.finish()?.flush()?;
        } else {
            write(&mut file)?;
            file.flush()?;
        }
        Ok(())
    };
    written().map_err(|kind| FileError { file: path.display().to_string(), line: None, kind })
}

/// A matrix as coordinates; a vector is a matrix of one column. `entries` are gone through three times.
pub(super) fn coordinate_matrix<T: Element, C: AsRef<[usize]>, I: Iterator<Item = (C, T)>>(
    out: &mut dyn Write,
    dims: &[usize],
    entries: impl Fn() -> I,
) -> std::result::Result<(), FileErrorKind> {
    let (rows, cols) = matrix_dims(dims)?;
    let pattern = T::DTYPE == DType::Bool && entries().all(|(_, v)| v.to_value() == Value::Bool(true));
    let field = if pattern { "pattern" } else { field(T::DTYPE) };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(out, "{rows} {cols} {}", entries().count())?;
    for (crd, v) in entries() {
        write_coordinates(out, crd.as_ref())?;
        if dims.len() == 1 {
            out.write_all(b" 1")?;
        }
        if !pattern {
            out.write_all(b" ")?;
            write_value(out, v)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A dense matrix, column after column; a vector is a matrix of one column. All of `dims` must be in `entries`.
pub(super) fn array_matrix<T: Element, C: AsRef<[usize]>>(
    out: &mut dyn Write,
    dims: &[usize],
    entries: impl Iterator<Item = (C, T)>,
) -> std::result::Result<(), FileErrorKind> {
    let (rows, cols) = matrix_dims(dims)?;
    let mut columns = vec![T::default(); rows * cols];
    for (crd, v) in entries {
        let crd = crd.as_ref();
        columns[crd[0] + crd.get(1).map_or(0, |col| col * rows)] = v;
    }
    writeln!(out, "%%MatrixMarket matrix array {} general", field(T::DTYPE))?;
    writeln!(out, "{rows} {cols}")?;
    for v in columns {
        write_value(out, v)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A tensor, with a comment that gives the dimensions.
pub(super) fn tns<T: Element, C: AsRef<[usize]>>(
    out: &mut dyn Write,
    dims: &[usize],
    entries: impl Iterator<Item = (C, T)>,
) -> std::result::Result<(), FileErrorKind> {
    if !(1..=MAX_ORDER).contains(&dims.len()) {
        let help = "a .tns file holds 1 to 6 dimensions";
        return Err(FileErrorKind::CannotWrite { rank: dims.len(), help });
    }
    write!(out, "{DIMS}")?;
    for n in dims {
        write!(out, " {n}")?;
    }
    out.write_all(b"\n")?;
    for (crd, v) in entries {
        write_coordinates(out, crd.as_ref())?;
        out.write_all(b" ")?;
        write_value(out, v)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn matrix_dims(dims: &[usize]) -> std::result::Result<(usize, usize), FileErrorKind> {
    match *dims {
        [rows] => Ok((rows, 1)),
        [rows, cols] => Ok((rows, cols)),
        _ => Err(FileErrorKind::CannotWrite {
            rank: dims.len(),
            help: "a Matrix Market file holds a matrix or a vector; write a .tns file",
        }),
    }
}

fn field(dtype: DType) -> &'static str {
    if dtype.is_float() { "real" } else { "integer" }
}

/// Coordinates from one, between blanks.
fn write_coordinates(out: &mut dyn Write, crd: &[usize]) -> Result {
    for (n, c) in crd.iter().enumerate() {
        if n > 0 {
            out.write_all(b" ")?;
        }
        write!(out, "{}", c + 1)?;
    }
    Ok(())
}

fn write_value<T: Element>(out: &mut dyn Write, v: T) -> Result {
    match v.to_value() {
        Value::Bool(v) => write!(out, "{}", v as u8),
        v => write!(out, "{v}"),
    }
}
