//! Typed scalars.

use super::DType;
use std::fmt;

/// A typed scalar. `Eq` and `Hash` go by bits, except that −0 equals +0, so that literals can be deduplicated, and that any NaN is
/// another: which one an operation gives is the processor's.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// A `u8`.
    U8(u8),
    /// A `bool`.
    Bool(bool),
}

impl Value {
    /// The type of this value.
    pub fn dtype(self) -> DType {
        match self {
            Value::F32(_) => DType::F32,
            Value::F64(_) => DType::F64,
            Value::I32(_) => DType::I32,
            Value::I64(_) => DType::I64,
            Value::U8(_) => DType::U8,
            Value::Bool(_) => DType::Bool,
        }
    }

    fn key(self) -> (DType, u64) {
        let bits = match self {
            Value::F32(v) if v.is_nan() => f32::NAN.to_bits().into(),
            Value::F64(v) if v.is_nan() => f64::NAN.to_bits(),
            Value::F32(v) => (if v == 0.0 { 0.0 } else { v }).to_bits().into(),
            Value::F64(v) => (if v == 0.0 { 0.0 } else { v }).to_bits(),
            Value::I32(v) => v as u32 as u64,
            Value::I64(v) => v as u64,
            Value::U8(v) => v as u64,
            Value::Bool(v) => v as u64,
        };
        (self.dtype(), bits)
    }

    /// The nearest `f64`, for tolerances and printing.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::F32(v) => v as f64,
            Value::F64(v) => v,
            Value::I32(v) => v as f64,
            Value::I64(v) => v as f64,
            Value::U8(v) => v as f64,
            Value::Bool(v) => v as u8 as f64,
        }
    }

    /// Is it the additive identity of its type?
    pub fn is_zero(self) -> bool {
        self == self.dtype().zero()
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Value {}
impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::F32(v) => write!(f, "{v:?}"),
            Value::F64(v) => write!(f, "{v:?}"),
            Value::I32(v) => write!(f, "{v}"),
            Value::I64(v) => write!(f, "{v}"),
            Value::U8(v) => write!(f, "{v}"),
            Value::Bool(v) => write!(f, "{v}"),
        }
    }
}
