//! Things of an element type that is known at run time alone.

use super::Element;

/// What there is of each element type: vectors, slices, arrays on a device.
pub trait Family {
    /// The one of this element type.
    type Of<T: Element>;
}

/// One of a family, of whatever element type: made by [`Element::typed`], taken apart by [`Element::untyped`] or a match.
///
/// ```
/// use sparse_core::scalar::{Element, Family, Typed};
/// struct Vectors;
/// impl Family for Vectors {
///     type Of<T: Element> = Vec<T>;
/// }
/// let any: Typed<Vectors> = f32::typed(vec![1.0, 2.0]);
/// assert_eq!(sparse_core::typed_each!(&any, T: v => v.len() * size_of::<T>()), 8);
/// assert_eq!(f32::untyped(any), Some(vec![1.0, 2.0]));
/// ```
pub enum Typed<F: Family> {
    /// Of `f32`.
    F32(F::Of<f32>),
    /// Of `f64`.
    F64(F::Of<f64>),
    /// Of `i32`.
    I32(F::Of<i32>),
    /// Of `i64`.
    I64(F::Of<i64>),
    /// Of `u8`.
    U8(F::Of<u8>),
    /// Of `bool`.
    Bool(F::Of<bool>),
}

/// The same expression for a [`Typed`] of whatever element type, with the type under a name.
#[macro_export]
macro_rules! typed_each {
    ($any:expr, $t:ident: $of:ident => $body:expr) => {
        match $any {
            $crate::scalar::Typed::F32($of) => $crate::typed_of!(@ f32, $t, $body),
            $crate::scalar::Typed::F64($of) => $crate::typed_of!(@ f64, $t, $body),
            $crate::scalar::Typed::I32($of) => $crate::typed_of!(@ i32, $t, $body),
            $crate::scalar::Typed::I64($of) => $crate::typed_of!(@ i64, $t, $body),
            $crate::scalar::Typed::U8($of) => $crate::typed_of!(@ u8, $t, $body),
            $crate::scalar::Typed::Bool($of) => $crate::typed_of!(@ bool, $t, $body),
        }
    };
}

/// The same expression for whatever element type a value says, with the type under a name.
///
/// ```
/// use sparse_core::scalar::{DType, Element};
/// let dtype = DType::I64;
/// assert_eq!(sparse_core::typed_of!(dtype, T => size_of::<T>()), 8);
/// ```
#[macro_export]
macro_rules! typed_of {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::scalar::DType::F32 => $crate::typed_of!(@ f32, $t, $body),
            $crate::scalar::DType::F64 => $crate::typed_of!(@ f64, $t, $body),
            $crate::scalar::DType::I32 => $crate::typed_of!(@ i32, $t, $body),
            $crate::scalar::DType::I64 => $crate::typed_of!(@ i64, $t, $body),
            $crate::scalar::DType::U8 => $crate::typed_of!(@ u8, $t, $body),
            $crate::scalar::DType::Bool => $crate::typed_of!(@ bool, $t, $body),
        }
    };
    (@ $type:ty, $t:ident, $body:expr) => {{
        type $t = $type;
        $body
    }};
}
