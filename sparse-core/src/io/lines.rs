//! A file as lines: gunzipped if need be, in one bounded buffer, with the number of the current line.

use super::error::{FileError, FileErrorKind};
use flate2::bufread::MultiGzDecoder;
use std::io::{BufReader, Chain, Cursor, Read};

/// The longest line that is read; a longer one is an error, so that no input makes the buffer grow.
pub(super) const LINE_LIMIT: usize = 1 << 16;
const BUFFER: usize = 1 << 18;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Told, now and then, how many bytes of the file have been read and how many there are, if known.
pub(super) type Progress<'a> = &'a mut dyn FnMut(u64, Option<u64>);

struct Counted<'a> {
    inner: Box<dyn Read + 'a>,
    read: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.read += n as u64;
        Ok(n)
    }
}

/// The file, with the bytes that were read to detect its kind put back in front.
type Raw<'a> = Chain<Cursor<Vec<u8>>, Counted<'a>>;

enum Input<'a> {
    Plain(Raw<'a>),
    Gzip(Box<MultiGzDecoder<BufReader<Raw<'a>>>>),
}

pub(super) struct Lines<'a> {
    input: Input<'a>,
    buf: Vec<u8>,
    /// What is read but not yet handed out is `buf[start..end]`.
    start: usize,
    end: usize,
    at_end: bool,
    line: u64,
    name: String,
    total: Option<u64>,
    progress: Progress<'a>,
}

impl<'a> Lines<'a> {
    /// `total` is the size in bytes of what `reader` reads, if known.
    pub(super) fn new(
        reader: impl Read + 'a,
        name: &str,
        total: Option<u64>,
        progress: Progress<'a>,
    ) -> Result<Self, FileError> {
        let mut counted = Counted { inner: Box::new(reader), read: 0 };
        let mut magic = Vec::new();
        let fail = |e: std::io::Error| FileError { file: name.to_string(), line: None, kind: e.into() };
        counted.by_ref().take(2).read_to_end(&mut magic).map_err(fail)?;
        let gzip = magic == GZIP_MAGIC;
        let raw = Cursor::new(magic).chain(counted);
        let input = if gzip {
            Input::Gzip(Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, raw))))
        } else {
            Input::Plain(raw)
        };
        Ok(Lines {
            input,
            buf: vec![0; BUFFER],
            start: 0,
            end: 0,
            at_end: false,
            line: 0,
            name: name.to_string(),
            total,
            progress,
        })
    }

    /// The next line that is neither blank nor starts with `comment`, without its line feed.
    pub(super) fn next_data(&mut self, comment: u8) -> Result<Option<&[u8]>, FileError> {
        loop {
            let Some((from, to)) = self.advance()? else { return Ok(None) };
            let first = self.buf[from..to].iter().find(|b| !is_space(**b));
            if first.is_some_and(|b| *b != comment) {
                // Polonius would allow handing out the slice in one step; as ranges it is the same.
                return Ok(Some(&self.buf[from..to]));
            }
        }
    }

    /// The next line, without its line feed.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, FileError> {
        Ok(self.advance()?.map(|(from, to)| &self.buf[from..to]))
    }

    /// An error on the current line.
    pub(super) fn error(&self, kind: FileErrorKind) -> FileError {
        FileError { file: self.name.clone(), line: Some(self.line.max(1)), kind }
    }

    /// An upper bound, for reserving memory, on the entries of at least `bytes` bytes each that can still come: as
    /// many as a plain file has room for; for gzip a plausible ratio, and nothing where the size is unknown.
    pub(super) fn room_for(&self, bytes: u64) -> u64 {
        let ratio = match self.input {
            Input::Plain(_) => 1,
            Input::Gzip(_) => 4,
        };
        self.total.map_or(0, |total| total.saturating_mul(ratio) / bytes)
    }

    #[inline]
    fn advance(&mut self) -> Result<Option<(usize, usize)>, FileError> {
        let mut scanned = 0;
        loop {
            let fresh = &self.buf[self.start + scanned..self.end];
            if let Some(n) = fresh.iter().position(|b| *b == b'\n') {
                let from = self.start;
                self.start += scanned + n + 1;
                return self.hand_out(from, from + scanned + n);
            }
            scanned = self.end - self.start;
            if self.at_end {
                if scanned == 0 {
                    return Ok(None);
                }
                let from = self.start;
                self.start = self.end;
                return self.hand_out(from, self.end);
            }
            if scanned > LINE_LIMIT {
                return self.hand_out(self.start, self.end);
            }
            self.refill()?;
        }
    }

    #[inline]
    fn hand_out(&mut self, from: usize, to: usize) -> Result<Option<(usize, usize)>, FileError> {
        self.line += 1;
        if to - from > LINE_LIMIT {
            return Err(self.error(FileErrorKind::LineTooLong { limit: LINE_LIMIT }));
        }
        Ok(Some((from, to)))
    }

    #[cold]
    fn refill(&mut self) -> Result<(), FileError> {
        self.buf.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let free = &mut self.buf[self.end..];
        let (result, read) = match &mut self.input {
            Input::Plain(raw) => (retry(|| raw.read(free)), raw.get_ref().1.read),
            Input::Gzip(gz) => (retry(|| gz.read(free)), gz.get_ref().get_ref().get_ref().1.read),
        };
        let gzip = matches!(self.input, Input::Gzip(_));
        let n = result.map_err(|e| {
            self.line += 1;
            self.error(match e.kind() {
                std::io::ErrorKind::UnexpectedEof
                | std::io::ErrorKind::InvalidInput
                | std::io::ErrorKind::InvalidData
                    if gzip =>
                {
                    FileErrorKind::Gzip { message: e.to_string() }
                }
                _ => e.into(),
            })
        })?;
        self.end += n;
        self.at_end = n == 0;
        (self.progress)(read, self.total);
        Ok(())
    }
}

fn retry(mut read: impl FnMut() -> std::io::Result<usize>) -> std::io::Result<usize> {
    loop {
        match read() {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[inline]
fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// The fields of a line, between blanks.
#[derive(Clone)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let from = self.0.iter().position(|b| !is_space(*b))?;
        let rest = &self.0[from..];
        let to = rest.iter().position(|b| is_space(*b)).unwrap_or(rest.len());
        let (field, rest) = rest.split_at(to);
        self.0 = rest;
        Some(field)
    }
}
