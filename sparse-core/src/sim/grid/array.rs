//! A simulated device's arrays: any element type in words of 64 bits, and which elements have been written.

use crate::llir::Elem;
use crate::scalar::{DType, Element, Value};

/// An array in a simulated device's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub(super) elem: Elem,
    pub(super) words: Vec<u64>,
    /// Which elements have been written, where not all have.
    pub(super) written: Option<Vec<bool>>,
}

impl Array {
    /// So many elements that nobody has written.
    pub fn uninitialised(elem: Elem, len: usize) -> Array {
        Array { elem, words: vec![0; len], written: Some(vec![false; len]) }
    }

    /// So many elements of one value, which has the elements' type (`I32` for indices).
    pub fn filled(elem: Elem, len: usize, value: Value) -> Array {
        Array { elem, words: vec![to_word(value); len], written: None }
    }

    /// Positions or coordinates.
    pub fn of_indices(values: &[i32]) -> Array {
        let words = values.iter().map(|&v| to_word(Value::I32(v))).collect();
        Array { elem: Elem::Index, words, written: None }
    }

    /// Values of a tensor.
    pub fn of_values<T: Element>(values: &[T]) -> Array {
        let words = values.iter().map(|&v| to_word(v.to_value())).collect();
        Array { elem: Elem::Scalar(T::DTYPE), words, written: None }
    }

    pub(in crate::sim) fn of_scalars(dtype: DType, values: &[Value]) -> Array {
        let words = values.iter().map(|&v| to_word(v)).collect();
        Array { elem: Elem::Scalar(dtype), words, written: None }
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
    pub fn values(&self) -> impl Iterator<Item = Value> {
        let dtype = match self.elem {
            Elem::Index => DType::I32,
            Elem::Scalar(t) => t,
        };
        self.words.iter().map(move |&w| from_word(dtype, w))
    }

    /// Elements that are indices.
    pub fn indices(&self) -> Vec<i32> {
        self.words.iter().map(|&w| w as u32 as i32).collect()
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
