//! Matrix Market files: the banner, the size line, and the entries.
//!
//! The format is that of Boisvert, Pozo and Remington, *The Matrix Market Exchange Formats* (NISTIR 5935, 1996).
//! Beyond it, blank lines and comments may stand anywhere, and the one triangle of a symmetric matrix may be the
//! upper one.

use super::entries::Entries;
use super::error::{FileError, FileErrorKind, excerpt};
use super::lines::{Fields, Lines};
use super::number::parse_unsigned;
use super::value::{negate, one, parse_value};
use crate::scalar::{Element, Value};
use crate::tensor::Coordinates;

const BANNER: &str = "%%MatrixMarket";
const COMMENT: u8 = b'%';

/// How a file lists its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `row column value` an entry.
    Coordinate,
    /// Every value, column after column.
    Array,
}

/// What the values of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Decimal fractions; `double` is another name for it.
    Real,
    /// Whole numbers.
    Integer,
    /// No values: every entry is one.
    Pattern,
}

/// Which entries a file leaves out because others imply them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// None.
    General,
    /// A(i, j) = A(j, i).
    Symmetric,
    /// A(i, j) = −A(j, i).
    SkewSymmetric,
}

impl Symmetry {
    fn name(self) -> &'static str {
        match self {
            Symmetry::General => "general",
            Symmetry::Symmetric => "symmetric",
            Symmetry::SkewSymmetric => "skew-symmetric",
        }
    }
}

/// What a Matrix Market file announces: its banner and its size line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixMarketHeader {
    /// How entries are listed.
    pub layout: Layout,
    /// What the values are.
    pub field: Field,
    /// Which entries are implied.
    pub symmetry: Symmetry,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of entries in the file, before symmetry is expanded.
    pub entries: u64,
}

/// The banner and the size line.
pub(super) fn header(lines: &mut Lines<'_>) -> Result<MatrixMarketHeader, FileError> {
    let banner = match lines.next_line()? {
        Some(line) => banner(line),
        None => Err(FileErrorKind::Empty { expected: "a Matrix Market banner" }),
    };
    let (layout, field, symmetry) = banner.map_err(|kind| lines.error(kind))?;
    let size = match lines.next_data(COMMENT)? {
        Some(line) => size(line, layout, field, symmetry),
        None => Err(FileErrorKind::NoSizeLine { expected: size_shape(layout) }),
    };
    size.map_err(|kind| lines.error(kind))
}

/// Does a line begin as the first of a Matrix Market file does?
pub(super) fn is_banner(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    Fields(line).next().is_some_and(|w| w.eq_ignore_ascii_case(BANNER.as_bytes()))
}

fn banner(line: &[u8]) -> Result<(Layout, Field, Symmetry), FileErrorKind> {
    if !is_banner(line) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        return Err(FileErrorKind::NotMatrixMarket { found: excerpt(line) });
    }
    let mut words = Fields(line).skip(1);
    let mut word = |what, expected| {
        let word = words.next().unwrap_or_default();
        (word.to_ascii_lowercase(), FileErrorKind::UnknownWord { what, found: excerpt(word), expected })
    };
    let (object, unknown) = word("object", "matrix");
    match object.as_slice() {
        b"matrix" => {}
        b"vector" => {
            return Err(FileErrorKind::Unsupported {
                what: "vector",
                help: "write it as a matrix of one column",
            });
        }
        _ => return Err(unknown),
    }
    let (layout, unknown) = word("layout", "coordinate or array");
    let layout = match layout.as_slice() {
        b"coordinate" => Layout::Coordinate,
        b"array" => Layout::Array,
        _ => return Err(unknown),
    };
    let (field, unknown) = word("field", "real, integer or pattern");
    let field = match field.as_slice() {
        b"real" | b"double" => Field::Real,
        b"integer" | b"unsigned-integer" => Field::Integer,
        b"pattern" if layout == Layout::Array => {
            return Err(FileErrorKind::Unsupported {
                what: "array pattern",
                help: "a pattern lists coordinates: say `coordinate` in the banner",
            });
        }
        b"pattern" => Field::Pattern,
        b"complex" => {
            return Err(FileErrorKind::Unsupported {
                what: "complex",
                help: "write the real and the imaginary part to a real file each",
            });
        }
        _ => return Err(unknown),
    };
    let (symmetry, unknown) = word("symmetry", "general, symmetric or skew-symmetric");
    let symmetry = match symmetry.as_slice() {
        b"general" => Symmetry::General,
        b"symmetric" => Symmetry::Symmetric,
        b"skew-symmetric" if field == Field::Pattern => {
            return Err(FileErrorKind::Unsupported {
                what: "skew-symmetric pattern",
                help: "a pattern has no signs: say `symmetric` in the banner, or write the values",
            });
        }
        b"skew-symmetric" => Symmetry::SkewSymmetric,
        b"hermitian" => {
            return Err(FileErrorKind::Unsupported {
                what: "hermitian",
                help: "a real hermitian matrix is symmetric: say so in the banner",
            });
        }
        _ => return Err(unknown),
    };
    Ok((layout, field, symmetry))
}

fn size_shape(layout: Layout) -> &'static str {
    match layout {
        Layout::Coordinate => "rows columns entries",
        Layout::Array => "rows columns",
    }
}

fn size(
    line: &[u8],
    layout: Layout,
    field: Field,
    symmetry: Symmetry,
) -> Result<MatrixMarketHeader, FileErrorKind> {
    let shape = size_shape(layout);
    let mut fields = fields(line, shape)?;
    let rows = dimension(fields.next().unwrap_or_default(), "number of rows")?;
    let cols = dimension(fields.next().unwrap_or_default(), "number of columns")?;
    if symmetry != Symmetry::General && rows != cols {
        return Err(FileErrorKind::NotSquare { symmetry: symmetry.name(), rows, cols });
    }
    let (m, n) = (rows as u64, cols as u64);
    let too_many = |found: String| FileErrorKind::TooManyEntries { found };
    let entries = match layout {
        Layout::Coordinate => {
            let text = fields.next().unwrap_or_default();
            let entries = whole(text, "number of entries")?;
            if entries > i32::MAX as u64 {
                return Err(too_many(excerpt(text)));
            }
            entries
        }
        Layout::Array if m * n > i32::MAX as u64 => return Err(too_many((m * n).to_string())),
        Layout::Array => match symmetry {
            Symmetry::General => m * n,
            Symmetry::Symmetric => n * (n + 1) / 2,
            Symmetry::SkewSymmetric => n * n.saturating_sub(1) / 2,
        },
    };
    Ok(MatrixMarketHeader { layout, field, symmetry, rows, cols, entries })
}

/// The fields of a line that must have those that `shape` names.
#[inline]
fn fields<'a>(line: &'a [u8], shape: &'static str) -> Result<Fields<'a>, FileErrorKind> {
    let (expected, found) = (shape.split(' ').count(), Fields(line).count());
    if expected == found {
        Ok(Fields(line))
    } else {
        Err(FileErrorKind::FieldCount { expected, shape, found })
    }
}

fn whole(text: &[u8], what: &'static str) -> Result<u64, FileErrorKind> {
    parse_unsigned(text).ok_or_else(|| FileErrorKind::NotAnInteger { what, found: excerpt(text) })
}

/// A dimension that 32-bit coordinates can count.
pub(super) fn dimension(text: &[u8], what: &'static str) -> Result<usize, FileErrorKind> {
    let n = whole(text, what)?;
    if n > i32::MAX as u64 {
        return Err(FileErrorKind::DimensionTooLarge { found: excerpt(text) });
    }
    Ok(n as usize)
}

/// A coordinate, counted from one in the file and from zero in memory.
#[inline]
pub(super) fn coordinate(text: &[u8], dim: usize, size: usize) -> Result<i32, FileErrorKind> {
    match parse_unsigned(text) {
        // A dimension is at most `i32::MAX`.
        Some(c) if c.wrapping_sub(1) < size as u64 => Ok((c - 1) as i32),
        Some(0) => Err(FileErrorKind::ZeroCoordinate { dim: dim + 1 }),
        Some(_) => Err(FileErrorKind::OutOfRange { dim: dim + 1, found: excerpt(text), size }),
        None => Err(FileErrorKind::NotAnInteger { what: "coordinate", found: excerpt(text) }),
    }
}

/// What follows the header, symmetry expanded. Of an array, values equal to `skip` are left out.
pub(super) fn entries<T: Element>(
    lines: &mut Lines<'_>,
    header: &MatrixMarketHeader,
    skip: Option<Value>,
) -> Result<Coordinates<T>, FileError> {
    // The shortest lines: `1 1` and `1`.
    let room = match header.layout {
        Layout::Coordinate => lines.room_for(4),
        Layout::Array => lines.room_for(2),
    };
    let copies = if header.symmetry == Symmetry::General { 1 } else { 2 };
    let limit = copies * header.entries;
    let entries = Entries::new(2, Some(limit), limit.min(copies * room)).map_err(|kind| lines.error(kind))?;
    match header.layout {
        Layout::Coordinate => read_coordinates(lines, header, entries),
        Layout::Array => read_array(lines, header, entries, skip),
    }
}

fn read_coordinates<T: Element>(
    lines: &mut Lines<'_>,
    header: &MatrixMarketHeader,
    mut entries: Entries<T>,
) -> Result<Coordinates<T>, FileError> {
    let mut triangles = Triangles { lower: false, upper: false };
    let mut found = 0;
    while let Some(line) = lines.next_data(COMMENT)? {
        if let Err(kind) = read_entry(line, header, found, &mut triangles, &mut entries) {
            return Err(lines.error(kind));
        }
        found += 1;
    }
    complete(lines, header, found)?;
    Ok(entries.finish(vec![header.rows, header.cols]))
}

/// On which sides of the diagonal there have been entries. On both, a reader that mirrors would count some twice.
struct Triangles {
    lower: bool,
    upper: bool,
}

#[inline]
fn read_entry<T: Element>(
    line: &[u8],
    header: &MatrixMarketHeader,
    found: u64,
    triangles: &mut Triangles,
    entries: &mut Entries<T>,
) -> Result<(), FileErrorKind> {
    let mut fields = Fields(line);
    let (row, col) = (fields.next(), fields.next());
    let value = if header.field == Field::Pattern { Some(&b""[..]) } else { fields.next() };
    let (Some(row), Some(col), Some(value), None) = (row, col, value, fields.next()) else {
        return Err(wrong_field_count(line, header.field));
    };
    if found == header.entries {
        return Err(FileErrorKind::OverLong { expected: header.entries });
    }
    let (row, col) = (coordinate(row, 0, header.rows)?, coordinate(col, 1, header.cols)?);
    let value = match header.field {
        Field::Pattern => one(),
        Field::Real => parse_value(value, false)?,
        Field::Integer => parse_value(value, true)?,
    };
    entries.push(&[row, col], value)?;
    if header.symmetry == Symmetry::General {
        return Ok(());
    }
    triangles.lower |= row > col;
    triangles.upper |= row < col;
    if triangles.lower && triangles.upper {
        return Err(FileErrorKind::BothTriangles { symmetry: header.symmetry.name() });
    }
    match header.symmetry {
        Symmetry::SkewSymmetric if row == col => Err(FileErrorKind::SkewDiagonal(row as u64 + 1)),
        Symmetry::SkewSymmetric => entries.push(&[col, row], negate(value)?),
        _ if row != col => entries.push(&[col, row], value),
        _ => Ok(()),
    }
}

#[cold]
fn wrong_field_count(line: &[u8], field: Field) -> FileErrorKind {
    let shape = if field == Field::Pattern { "row column" } else { "row column value" };
    FileErrorKind::FieldCount { expected: shape.split(' ').count(), shape, found: Fields(line).count() }
}

fn read_array<T: Element>(
    lines: &mut Lines<'_>,
    header: &MatrixMarketHeader,
    mut entries: Entries<T>,
    skip: Option<Value>,
) -> Result<Coordinates<T>, FileError> {
    let first_row = |col: i32| match header.symmetry {
        Symmetry::General => 0,
        Symmetry::Symmetric => col,
        Symmetry::SkewSymmetric => col + 1,
    };
    let rows = header.rows as i32;
    let (mut row, mut col) = (first_row(0), 0);
    let mut found = 0;
    while let Some(line) = lines.next_data(COMMENT)? {
        if let Err(kind) = read_array_entry(line, header, found, [row, col], skip, &mut entries) {
            return Err(lines.error(kind));
        }
        found += 1;
        row += 1;
        if row == rows {
            col += 1;
            row = first_row(col);
        }
    }
    complete(lines, header, found)?;
    Ok(entries.finish(vec![header.rows, header.cols]))
}

#[inline]
fn read_array_entry<T: Element>(
    line: &[u8],
    header: &MatrixMarketHeader,
    found: u64,
    [row, col]: [i32; 2],
    skip: Option<Value>,
    entries: &mut Entries<T>,
) -> Result<(), FileErrorKind> {
    let text = fields(line, "value")?.next().unwrap_or_default();
    if found == header.entries {
        return Err(FileErrorKind::OverLong { expected: header.entries });
    }
    let value: T = parse_value(text, header.field == Field::Integer)?;
    let mut push = |crd: [i32; 2], value: T| {
        if skip == Some(value.to_value()) { Ok(()) } else { entries.push(&crd, value) }
    };
    push([row, col], value)?;
    match header.symmetry {
        Symmetry::Symmetric if row != col => push([col, row], value),
        Symmetry::SkewSymmetric => push([col, row], negate(value)?),
        _ => Ok(()),
    }
}

fn complete(lines: &Lines<'_>, header: &MatrixMarketHeader, found: u64) -> Result<(), FileError> {
    if found == header.entries {
        Ok(())
    } else {
        Err(lines.error(FileErrorKind::Truncated { expected: header.entries, found }))
    }
}
