//! The entries of a file as they come, in memory that grows with what was read and never with what was promised.

use super::error::FileErrorKind;
use crate::scalar::Element;
use crate::tensor::Coordinates;

const LARGEST: u64 = i32::MAX as u64;
const FIRST_CHUNK: u64 = 1 << 12;

pub(super) struct Entries<T> {
    rank: usize,
    limit: u64,
    crd: Vec<i32>,
    vals: Vec<T>,
}

impl<T: Element> Entries<T> {
    /// Room for `reserve` entries at once, for `limit` at most (`None`: unknown). `reserve` must be bounded by the
    /// size of the file.
    pub(super) fn new(rank: usize, limit: Option<u64>, reserve: u64) -> Result<Self, FileErrorKind> {
        let limit = limit.unwrap_or(LARGEST).min(LARGEST);
        let mut entries = Entries { rank, limit, crd: Vec::new(), vals: Vec::new() };
        entries.grow(reserve.min(limit))?;
        Ok(entries)
    }

    #[inline]
    pub(super) fn push(&mut self, crd: &[i32], v: T) -> Result<(), FileErrorKind> {
        if self.vals.len() == self.vals.capacity() {
            self.more()?;
        }
        self.crd.extend_from_slice(crd);
        self.vals.push(v);
        Ok(())
    }

    #[inline]
    pub(super) fn len(&self) -> u64 {
        self.vals.len() as u64
    }

    pub(super) fn finish(self, dims: Vec<usize>) -> Coordinates<T> {
        Coordinates { dims, crd: self.crd, vals: self.vals }
    }

    /// Twice the room, but no more than can be needed.
    #[cold]
    fn more(&mut self) -> Result<(), FileErrorKind> {
        let len = self.len();
        if len >= LARGEST {
            return Err(FileErrorKind::TooManyEntries { found: "more than 2147483647".into() });
        }
        self.grow(len.max(FIRST_CHUNK).min(self.limit.saturating_sub(len)).max(1))
    }

    fn grow(&mut self, by: u64) -> Result<(), FileErrorKind> {
        let fail = |entries| FileErrorKind::OutOfMemory { entries };
        let by = usize::try_from(by).map_err(|_| fail(self.len()))?;
        self.vals.try_reserve_exact(by).map_err(|_| fail(self.vals.len() as u64))?;
        self.crd.try_reserve_exact(by * self.rank).map_err(|_| fail(self.vals.len() as u64))
    }
}
