//! FROSTT `.tns` files: an entry a line, its coordinates from one and then its value.
//!
//! The format has no header: the order is that of the first line, and the dimensions are the largest coordinates,
//! unless the caller gives them or a comment before the first entry says `# dims: 4 5 6`, as our writer does
//! (other readers skip it).

use super::entries::Entries;
use super::error::{FileError, FileErrorKind};
use super::lines::{Fields, Lines};
use super::matrix_market::{coordinate, dimension, is_banner};
use super::value::parse_value;
use crate::scalar::Element;
use crate::tensor::Coordinates;

/// The largest order that is read.
pub(super) const MAX_ORDER: usize = 6;
/// What our writer puts before the dimensions.
pub(super) const DIMS: &str = "# dims:";
const COMMENT: u8 = b'#';

/// The whole file. `dims` are the dimensions, if known; `rank` the order that the caller needs, if any.
pub(super) fn read<T: Element>(
    lines: &mut Lines<'_>,
    dims: Option<&[usize]>,
    rank: Option<usize>,
) -> Result<Coordinates<T>, FileError> {
    let mut dims = dims.map(<[usize]>::to_vec);
    let mut largest = Vec::new();
    let mut entries: Option<Entries<T>> = None;
    // The shortest line: `1 1`.
    let room = lines.room_for(4);
    loop {
        let read = match (&mut entries, lines.next_line()?) {
            (_, None) => break,
            (Some(entries), Some(line)) => read_entry(line, dims.as_deref(), &mut largest, entries),
            (None, Some(line)) => (|| {
                if is_comment(line) {
                    if dims.is_none() {
                        dims = announced(line)?;
                    }
                    return Ok(());
                }
                let order = order(line, dims.as_deref(), rank)?;
                largest = vec![0; order];
                let room = room * 2 / (order as u64 + 1);
                let new = entries.insert(Entries::new(order, None, room.min(1 << 20))?);
                read_entry(line, dims.as_deref(), &mut largest, new)
            })(),
        };
        read.map_err(|kind| lines.error(kind))?;
    }
    match (entries, dims) {
        (Some(entries), Some(dims)) => Ok(entries.finish(dims)),
        (Some(entries), None) => Ok(entries.finish(largest)),
        (None, Some(dims)) => {
            check_rank(dims.len(), rank).map_err(|kind| lines.error(kind))?;
            Ok(Coordinates { dims, crd: Vec::new(), vals: Vec::new() })
        }
        (None, None) => Err(lines.error(FileErrorKind::NoOrder)),
    }
}

#[inline]
fn is_comment(line: &[u8]) -> bool {
    Fields(line).next().is_none_or(|word| word[0] == COMMENT)
}

/// The dimensions that a comment announces. One that goes on with a word and not with a number is a comment like any
/// other.
fn announced(line: &[u8]) -> Result<Option<Vec<usize>>, FileErrorKind> {
    let Some(text) = line.strip_prefix(DIMS.as_bytes()) else { return Ok(None) };
    if !Fields(text).next().is_some_and(|word| word[0].is_ascii_digit()) {
        return Ok(None);
    }
    let dims = Fields(text).map(|word| dimension(word, "dimension")).collect::<Result<Vec<_>, _>>()?;
    match dims.len() {
        1..=MAX_ORDER => Ok(Some(dims)),
        found => Err(FileErrorKind::TooManyDimensions { found }),
    }
}

fn check_rank(file: usize, rank: Option<usize>) -> Result<(), FileErrorKind> {
    match rank {
        Some(wanted) if wanted != file => Err(FileErrorKind::Rank { file, wanted }),
        _ => Ok(()),
    }
}

fn order(line: &[u8], dims: Option<&[usize]>, rank: Option<usize>) -> Result<usize, FileErrorKind> {
    if is_banner(line) {
        return Err(FileErrorKind::IsMatrixMarket);
    }
    let found = Fields(line).count();
    let order = found - 1;
    if !(1..=MAX_ORDER).contains(&order) {
        return Err(FileErrorKind::Order { found });
    }
    match dims {
        Some(dims) if dims.len() != order => Err(field_count(dims.len(), found)),
        _ => check_rank(order, rank).map(|()| order),
    }
}

#[cold]
fn field_count(order: usize, found: usize) -> FileErrorKind {
    FileErrorKind::FieldCount { expected: order + 1, shape: "coordinates… value", found }
}

#[inline]
fn read_entry<T: Element>(
    line: &[u8],
    dims: Option<&[usize]>,
    largest: &mut [usize],
    entries: &mut Entries<T>,
) -> Result<(), FileErrorKind> {
    let mut fields = Fields(line).peekable();
    if fields.peek().is_none_or(|word| word[0] == COMMENT) {
        return Ok(());
    }
    let order = largest.len();
    let mut crd = [0; MAX_ORDER];
    for (dim, c) in crd[..order].iter_mut().enumerate() {
        let Some(text) = fields.next() else { return Err(field_count(order, Fields(line).count())) };
        *c = coordinate(text, dim, dims.map_or(i32::MAX as usize, |dims| dims[dim]))?;
        largest[dim] = largest[dim].max(*c as usize + 1);
    }
    let (Some(value), None) = (fields.next(), fields.next()) else {
        return Err(field_count(order, Fields(line).count()));
    };
    entries.push(&crd[..order], parse_value(value, false)?)
}
