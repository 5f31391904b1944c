//! Scalar operations where the language's rule is not Rust's operator.

use std::ops::{Add, Mul};

/// A floating-point element.
pub trait Float: Copy + Add<Output = Self> + Mul<Output = Self> {
    /// `self * b + c` with one rounding.
    fn fused(self, b: Self, c: Self) -> Self;
}

impl Float for f32 {
    #[inline(always)]
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl Float for f64 {
    #[inline(always)]
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}

/// An integer element.
pub trait Integer: Copy {
    /// Quotient that wraps, and is zero for a zero divisor.
    fn div_or_zero(self, divisor: Self) -> Self;
}

macro_rules! integer {
    ($($t:ident)*) => {$(
        impl Integer for $t {
            #[inline(always)]
            fn div_or_zero(self, divisor: $t) -> $t {
                if divisor == 0 { 0 } else { self.wrapping_div(divisor) }
            }
        }
    )*};
}
integer!(i32 i64 u8);
