//! The Rust types that tensors hold.

use super::{DType, Family, Typed, Value};
use std::fmt;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that a tensor can hold. Sealed: the compiler has to know every one of them.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The type's tag in the compiler.
    const DTYPE: DType;
    /// As a tagged value.
    fn to_value(self) -> Value;
    /// From a tagged value of the same type; `None` for another type.
    fn from_value(v: Value) -> Option<Self>;
    /// Something of this type among the same of other types.
    fn typed<F: Family>(of: F::Of<Self>) -> Typed<F>;
    /// Back again; `None` for another type.
    fn untyped<F: Family>(typed: Typed<F>) -> Option<F::Of<Self>>;
    /// Sum of duplicates: wrapping on integers, `|` on bool.
    fn sum(self, other: Self) -> Self;
    /// Conversion from `f64`, for readers and random data: saturating on integers, `v != 0` on bool.
    fn from_f64(v: f64) -> Self;
}

macro_rules! element {
    ($t:ident, $tag:ident, |$a:ident, $b:ident| $sum:expr, |$v:ident| $from:expr) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$tag;
            fn to_value(self) -> Value {
                Value::$tag(self)
            }
            fn from_value(v: Value) -> Option<Self> {
                if let Value::$tag(v) = v { Some(v) } else { None }
            }
            fn typed<F: Family>(of: F::Of<Self>) -> Typed<F> {
                Typed::$tag(of)
            }
            fn untyped<F: Family>(typed: Typed<F>) -> Option<F::Of<Self>> {
                if let Typed::$tag(of) = typed { Some(of) } else { None }
            }
            fn sum(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
            fn from_f64($v: f64) -> Self {
                $from
            }
        }
    };
}
element!(f32, F32, |a, b| a + b, |v| v as f32);
element!(f64, F64, |a, b| a + b, |v| v);
element!(i32, I32, |a, b| a.wrapping_add(b), |v| v as i32);
element!(i64, I64, |a, b| a.wrapping_add(b), |v| v as i64);
element!(u8, U8, |a, b| a.wrapping_add(b), |v| v as u8);
element!(bool, Bool, |a, b| a | b, |v| v != 0.0);
