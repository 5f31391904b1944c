//! The element types that are measured, and what the hand-written loops need of them.

use sparse_core::scalar::Element;
use std::ops::{Add, AddAssign, Mul};

/// `f32` or `f64`.
pub(crate) trait Real: Element + Add<Output = Self> + AddAssign + Mul<Output = Self> {
    /// The type's name in the table.
    const NAME: &'static str;
    /// Distance from 1 to the next larger number.
    const EPSILON: f64;
    /// The least positive number.
    const LEAST: f64;
    /// Additive identity.
    const ZERO: Self;
    /// A value that no kernel computes: what output holds before a kernel is checked.
    const NAN: Self;

    /// The same value.
    fn to_f64(self) -> f64;
    /// `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
}

macro_rules! real {
    ($t:ident) => {
        impl Real for $t {
            const NAME: &'static str = stringify!($t);
            const EPSILON: f64 = $t::EPSILON as f64;
            const LEAST: f64 = $t::from_bits(1) as f64;
            const ZERO: Self = 0.0;
            const NAN: Self = $t::NAN;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
        }
    };
}
real!(f32);
real!(f64);
