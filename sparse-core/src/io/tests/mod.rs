//! Whole files: what is read, what is refused, what is written.

mod good;
mod malformed;
mod round_trip;

use super::testing::Rng;
use super::*;
use crate::format::Dense;
use crate::scalar::DType;
use crate::tensor::*;
use FileErrorKind as K;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

fn mtx<T: Element>(text: impl AsRef<[u8]>) -> Result<Coordinates<T>, FileError> {
    let mut progress = |_, _| {};
    let mut lines = Lines::new(text.as_ref(), "m.mtx", None, &mut progress)?;
    let header = matrix_market::header(&mut lines)?;
    matrix_market::entries(&mut lines, &header, None)
}

fn tns<T: Element>(text: impl AsRef<[u8]>) -> Result<Coordinates<T>, FileError> {
    tns_from(text.as_ref(), None)
}

fn tns_from<T: Element>(reader: impl Read, dims: Option<&[usize]>) -> Result<Coordinates<T>, FileError> {
    tns::read(&mut Lines::new(reader, "t.tns", None, &mut |_, _| {})?, dims, None)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(text).and_then(|()| gz.finish()).expect("writing to memory")
}

fn coordinates<T: Element>(dims: &[usize], entries: &[(&[i32], T)]) -> Coordinates<T> {
    Coordinates {
        dims: dims.to_vec(),
        crd: entries.iter().flat_map(|(crd, _)| crd.iter().copied()).collect(),
        vals: entries.iter().map(|(_, v)| *v).collect(),
    }
}

/// The line and the kind of the error.
#[track_caller]
fn fault<T: Element>(read: Result<Coordinates<T>, FileError>) -> (u64, FileErrorKind) {
    let e = read.expect_err("an error");
    (e.line.expect("a line"), e.kind)
}
