//! Element types.

use super::Value;
use std::fmt;

/// Bytes of the largest vector that one access of a GPU's thread moves; arrays on a device begin at a multiple of it.
pub const VECTOR_BYTES: u64 = 16;

/// Element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// Two's-complement 32-bit integer.
    I32,
    /// Two's-complement 64-bit integer.
    I64,
    /// Unsigned byte.
    U8,
    /// Truth value.
    Bool,
}

impl DType {
    /// Bytes of an element in memory.
    pub fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 => 1,
            DType::F32 | DType::I32 => 4,
            DType::F64 | DType::I64 => 8,
        }
    }

    /// How many elements one access of a GPU's thread moves: 2 or 4, as many as have [`VECTOR_BYTES`].
    pub fn vector_lengths(self) -> impl Iterator<Item = u64> {
        [2, 4].into_iter().filter(move |n| n * self.size() as u64 <= VECTOR_BYTES)
    }

    /// Every element type.
    pub const ALL: [DType; 6] = [DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::Bool];

    /// The type's name in Rust.
    pub fn rust_name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::Bool => "bool",
        }
    }

    /// The element type with this Rust name.
    pub fn from_rust_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.rust_name() == name)
    }

    /// Is it a floating-point type?
    pub fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }

    /// Is it an integer type?
    pub fn is_integer(self) -> bool {
        matches!(self, DType::I32 | DType::I64 | DType::U8)
    }

    /// Additive identity (`false` for bool).
    pub fn zero(self) -> Value {
        self.from_i64(0)
    }

    /// Multiplicative identity (`true` for bool).
    pub fn one(self) -> Value {
        self.from_i64(1)
    }

    /// Of floats what is no number: the identity of `min` and `max` where NaN is among what is compared.
    pub fn nan(self) -> Option<Value> {
        match self {
            DType::F32 => Some(Value::F32(f32::NAN)),
            DType::F64 => Some(Value::F64(f64::NAN)),
            DType::I32 | DType::I64 | DType::U8 | DType::Bool => None,
        }
    }

    /// Largest value: +∞ for floats, `MAX` for integers, `true` for bool. The identity of `min`.
    pub fn pos_inf(self) -> Value {
        match self {
            DType::F32 => Value::F32(f32::INFINITY),
            DType::F64 => Value::F64(f64::INFINITY),
            DType::I32 => Value::I32(i32::MAX),
            DType::I64 => Value::I64(i64::MAX),
            DType::U8 => Value::U8(u8::MAX),
            DType::Bool => Value::Bool(true),
        }
    }

    /// Smallest value: −∞ for floats, `MIN` for integers, `false` for bool. The identity of `max`.
    pub fn neg_inf(self) -> Value {
        match self {
            DType::F32 => Value::F32(f32::NEG_INFINITY),
            DType::F64 => Value::F64(f64::NEG_INFINITY),
            DType::I32 => Value::I32(i32::MIN),
            DType::I64 => Value::I64(i64::MIN),
            DType::U8 => Value::U8(u8::MIN),
            DType::Bool => Value::Bool(false),
        }
    }

    /// Is it one of the infinities that [`DType::pos_inf`] and [`DType::neg_inf`] give? An unsigned zero is not, nor is
    /// a truth value.
    pub fn is_infinity(self, v: Value) -> bool {
        self != DType::Bool && (v == self.pos_inf() || v == self.neg_inf() && !v.is_zero())
    }

    /// −∞ for +∞, and +∞ for −∞.
    pub fn opposite_infinity(self, v: Value) -> Value {
        if v == self.pos_inf() { self.neg_inf() } else { self.pos_inf() }
    }

    /// All bits set: the identity of `&`. `None` for floats.
    pub fn all_ones(self) -> Option<Value> {
        Some(match self {
            DType::F32 | DType::F64 => return None,
            DType::I32 => Value::I32(-1),
            DType::I64 => Value::I64(-1),
            DType::U8 => Value::U8(u8::MAX),
            DType::Bool => Value::Bool(true),
        })
    }

    /// A small integer in this type (wrapping; non-zero is `true`).
    pub fn from_i64(self, v: i64) -> Value {
        match self {
            DType::F32 => Value::F32(v as f32),
            DType::F64 => Value::F64(v as f64),
            DType::I32 => Value::I32(v as i32),
            DType::I64 => Value::I64(v),
            DType::U8 => Value::U8(v as u8),
            DType::Bool => Value::Bool(v != 0),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rust_name())
    }
}
