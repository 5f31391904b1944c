//! A simulated device's arrays: any element type in words of 64 bits, and which elements have been written.

use crate::error::{Error, Result};
use crate::llir::Elem;
use crate::scalar::{DType, Value};
use std::ops::Range;

/// An array in a simulated device's memory.
#[derive(Debug, PartialEq)]
pub struct Array {
    pub(super) elem: Elem,
    pub(super) words: Vec<u64>,
    /// Which elements have been written, where not all have.
    pub(super) written: Option<Vec<bool>>,
}

impl Array {
    /// So many elements that nobody has written.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn uninitialised(elem: Elem, len: usize) -> Result<Array> {
        let written = Some(repeated(false, len)?);
        Ok(Array { elem, words: repeated(0, len)?, written })
    }

    pub(in crate::sim) fn empty(elem: Elem) -> Array {
        Array { elem, words: vec![], written: None }
    }

    /// So many elements of one value, which has the elements' type (`I32` for indices).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn filled(elem: Elem, len: usize, value: Value) -> Result<Array> {
        Ok(Array { elem, words: repeated(to_word(value), len)?, written: None })
    }

    /// Elements of a type, indices as `i32`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn of(elem: Elem, values: impl ExactSizeIterator<Item = Value>) -> Result<Array> {
        let mut words = room(values.len())?;
        words.extend(values.map(to_word));
        Ok(Array { elem, words, written: None })
    }

    /// A second array of the same elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]
    pub fn try_clone(&self) -> Result<Array> {
        let mut words = room(self.len())?;
        words.extend_from_slice(&self.words);
        Ok(Array { elem: self.elem, words, written: self.written.clone() })
    }

    /// Some of the elements have not been written.
    pub(in crate::sim) fn with_written(self, written: Option<Vec<bool>>) -> Array {
        Array { written, ..self }
    }

    /// Sets every element.
    pub fn fill(&mut self, value: Value) {
        self.words.fill(to_word(value));
        self.written = None;
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Has it no elements?
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The elements' type.
    pub fn elem(&self) -> Elem {
        self.elem
    }

    /// The first element that nobody has written.
    pub fn unwritten(&self) -> Option<usize> {
        self.written.as_ref()?.iter().position(|written| !written)
    }

    pub(in crate::sim) fn written(&self) -> Option<&[bool]> {
        self.written.as_deref()
    }

    /// The elements as scalars, those of indices as `I32`.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value> {
        let dtype = self.dtype();
        self.words.iter().map(move |&w| from_word(dtype, w))
    }

    /// An element, that of indices as `I32`, if there is one and it has been written.
    pub fn get(&self, at: usize) -> Option<Value> {
        let written = self.written.as_ref().is_none_or(|w| w.get(at) == Some(&true));
        self.words.get(at).filter(|_| written).map(|&w| from_word(self.dtype(), w))
    }

    fn dtype(&self) -> DType {
        match self.elem {
            Elem::Index => DType::I32,
            Elem::Scalar(t) => t,
        }
    }

    /// An element, written or not.
    pub(in crate::sim) fn value(&self, at: usize) -> Value {
        from_word(self.dtype(), self.words[at])
    }

    /// One of indices.
    pub(in crate::sim) fn index(&self, at: usize) -> i32 {
        debug_assert_eq!(self.elem, Elem::Index);
        self.words[at] as u32 as i32
    }

    /// A range of indices.
    pub(in crate::sim) fn indices(&self, range: Range<usize>) -> impl Iterator<Item = i32> {
        debug_assert_eq!(self.elem, Elem::Index);
        self.words[range].iter().map(|&w| w as u32 as i32)
    }

    /// Bytes of an element on a device.
    pub(super) fn bytes(elem: Elem) -> u64 {
        match elem {
            Elem::Index | Elem::Scalar(DType::F32 | DType::I32) => 4,
            Elem::Scalar(DType::F64 | DType::I64) => 8,
            Elem::Scalar(DType::U8 | DType::Bool) => 1,
        }
    }
}

fn room<T>(len: usize) -> Result<Vec<T>> {
    let mut v = vec![];
    let bytes = len as u128 * size_of::<T>() as u128;
    v.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(v)
}

fn repeated<T: Clone>(value: T, len: usize) -> Result<Vec<T>> {
    let mut v = room(len)?;
    v.resize(len, value);
    Ok(v)
}

/// A scalar's bits, zeros above them.
pub(super) fn to_word(v: Value) -> u64 {
    match v {
        Value::F32(v) => u64::from(v.to_bits()),
        Value::F64(v) => v.to_bits(),
        Value::I32(v) => u64::from(v as u32),
        Value::I64(v) => v as u64,
        Value::U8(v) => u64::from(v),
        Value::Bool(v) => u64::from(v),
    }
}

pub(super) fn from_word(t: DType, word: u64) -> Value {
    match t {
        DType::F32 => Value::F32(f32::from_bits(word as u32)),
        DType::F64 => Value::F64(f64::from_bits(word)),
        DType::I32 => Value::I32(word as u32 as i32),
        DType::I64 => Value::I64(word as i64),
        DType::U8 => Value::U8(word as u8),
        DType::Bool => Value::Bool(word != 0),
    }
}
