//! What is wrong with a file, and on which line.

use crate::scalar::DType;
use std::fmt;

/// A file that could not be read or written. Displays as `FILE:LINE: what is wrong: what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The path, or the name given to a reader.
    pub file: String,
    /// The line, from 1; `None` where the fault is not on a line (the file cannot be opened).
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: FileErrorKind,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.kind),
            None => write!(f, "{}: {}", self.file, self.kind),
        }
    }
}

impl std::error::Error for FileError {}

/// The ways in which a file can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The operating system refused.
    #[error("{message}")]
    Io {
        /// The operating system's reason.
        kind: std::io::ErrorKind,
        /// The same, in words.
        message: String,
    },
    /// The file starts as gzip and does not go on as gzip.
    #[error("the gzip stream is damaged or cut short ({message}): fetch or compress the file again")]
    Gzip {
        /// What the decoder said.
        message: String,
    },
    /// Nothing in the file.
    #[error("the file is empty: expected {expected}")]
    Empty {
        /// What the file should have started with.
        expected: &'static str,
    },
    /// A line longer than a reader will hold.
    #[error("the line is longer than {limit} bytes: is this a text file?")]
    LineTooLong {
        /// The longest line that is read.
        limit: usize,
    },
    /// The first line is not a Matrix Market banner.
    #[error("expected `%%MatrixMarket matrix coordinate real general` or the like, found `{found}`")]
    NotMatrixMarket {
        /// How the line starts.
        found: String,
    },
    /// A Matrix Market file where entries of a `.tns` file should be.
    #[error("this is a Matrix Market file: read it with `read_matrix_market`")]
    IsMatrixMarket,
    /// A word of the banner that no Matrix Market file has.
    #[error("unknown {what} `{found}` in the banner: expected {expected}")]
    UnknownWord {
        /// Which word of the banner.
        what: &'static str,
        /// The word.
        found: String,
        /// The words that are read.
        expected: &'static str,
    },
    /// A Matrix Market file of a kind that is not read.
    #[error("{what} files are not read: {help}")]
    Unsupported {
        /// The kind, by its name in the banner.
        what: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// The file ends before the line that gives the sizes.
    #[error("the file ends before the size line: expected `{expected}`")]
    NoSizeLine {
        /// What the line holds.
        expected: &'static str,
    },
    /// Too few or too many fields on a line.
    #[error("expected {expected} fields, `{shape}`, found {found}")]
    FieldCount {
        /// How many there should be.
        expected: usize,
        /// What they are.
        shape: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A field that should be a whole number.
    #[error("`{found}` is not a {what}: expected a whole number in decimal digits")]
    NotAnInteger {
        /// What the field should be.
        what: &'static str,
        /// The field.
        found: String,
    },
    /// A value that is not a number.
    #[error("`{found}` is not a number")]
    NotANumber {
        /// The field.
        found: String,
    },
    /// A dimension that i32 coordinates cannot count.
    #[error("a dimension of {found} is too large: coordinates are 32-bit, so at most 2147483647")]
    DimensionTooLarge {
        /// The field.
        found: String,
    },
    /// More entries than i32 positions can count.
    #[error("{found} entries are too many: positions are 32-bit, so at most 2147483647")]
    TooManyEntries {
        /// The count.
        found: String,
    },
    /// A symmetric or skew-symmetric matrix that is not square.
    #[error("a {symmetry} matrix must be square, this one is {rows} x {cols}: say `general` in the banner")]
    NotSquare {
        /// As in the banner.
        symmetry: &'static str,
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// Coordinates count from one.
    #[error("coordinate {dim} is 0: coordinates in a file start at 1")]
    ZeroCoordinate {
        /// The dimension, from 1.
        dim: usize,
    },
    /// A coordinate beyond its dimension.
    #[error("coordinate {dim} is {found}, outside 1..={size}")]
    OutOfRange {
        /// The dimension, from 1.
        dim: usize,
        /// The coordinate, as in the file.
        found: String,
        /// The dimension's size.
        size: usize,
    },
    /// A diagonal entry in a skew-symmetric matrix.
    #[error(
        "a skew-symmetric matrix has no diagonal entries: remove ({0}, {0}), or say `general` in the banner"
    )]
    SkewDiagonal(u64),
    /// Entries above and below the diagonal of a matrix of which only one triangle should be stored.
    #[error(
        "a {symmetry} matrix stores one triangle, this one has entries on both sides of the diagonal: \
         keep one, or say `general` in the banner"
    )]
    BothTriangles {
        /// As in the banner.
        symmetry: &'static str,
    },
    /// A fraction, where the tensor holds integers.
    #[error("{found} is not an integer: read the file into a tensor of f64 instead of {dtype}")]
    NotIntegral {
        /// The value.
        found: String,
        /// The tensor's element type.
        dtype: DType,
    },
    /// A value outside the element type.
    #[error("{found} does not fit {dtype}: read the file into a tensor of a wider type")]
    DoesNotFit {
        /// The value.
        found: String,
        /// The tensor's element type.
        dtype: DType,
    },
    /// Fewer entries than announced.
    #[error("the file ends after {found} of {expected} entries: is it cut short?")]
    Truncated {
        /// As announced.
        expected: u64,
        /// As found.
        found: u64,
    },
    /// More entries than announced.
    #[error("an entry beyond the {expected} that the size line announces")]
    OverLong {
        /// As announced.
        expected: u64,
    },
    /// No line from which to tell a tensor's order.
    #[error("no entries, so that the order is unknown: add a line `# dims: 4 5 6`")]
    NoOrder,
    /// An order outside 1 to 6.
    #[error("a line of {found} fields: expected 1 to 6 coordinates and a value")]
    Order {
        /// How many fields the line has.
        found: usize,
    },
    /// A comment that announces more than 6 dimensions.
    #[error("{found} dimensions: a tensor has at most 6")]
    TooManyDimensions {
        /// How many it announces.
        found: usize,
    },
    /// The file's tensor has another number of dimensions than the type.
    #[error("the file holds a tensor of {file} dimensions, the type has {wanted}")]
    Rank {
        /// In the file.
        file: usize,
        /// In the type.
        wanted: usize,
    },
    /// A Matrix Market file for a type of one dimension is a single column or row.
    #[error("the file holds a {rows} x {cols} matrix, the type is a vector: read it into a matrix")]
    NotAVector {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// A tensor that the file format cannot hold.
    #[error("a tensor of {rank} dimensions does not fit this file format: {help}")]
    CannotWrite {
        /// The tensor's rank.
        rank: usize,
        /// What to do.
        help: &'static str,
    },
    /// The allocator refused.
    #[error("out of memory after {entries} entries")]
    OutOfMemory {
        /// How many had been read.
        entries: u64,
    },
}

/// A piece of a file for a message: printable, and short.
pub(super) fn excerpt(text: &[u8]) -> String {
    const LIMIT: usize = 40;
    let mut s: String = text[..text.len().min(LIMIT)].escape_ascii().to_string();
    if text.len() > LIMIT {
        s.push('…');
    }
    s
}

impl From<std::io::Error> for FileErrorKind {
    fn from(e: std::io::Error) -> Self {
        FileErrorKind::Io { kind: e.kind(), message: e.to_string() }
    }
}
