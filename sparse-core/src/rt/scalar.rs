//! Scalar operations where the language's rule is not Rust's operator.

use super::vector::{F32x4, F32x8, F32x16, F64x4, F64x8, Four, Quad, Vector};
use std::ops::{Add, Mul};

/// What can be multiplied and added with one rounding.
pub trait MulAdd: Copy + Add<Output = Self> + Mul<Output = Self> {
    /// `self * b + c` with one rounding.
    fn fused(self, b: Self, c: Self) -> Self;
}

/// A floating-point element, and the vectors of it.
pub trait Float: MulAdd {
    /// In whatever the baseline has.
    type Baseline: Quad<Self>;
    /// Four in AVX2, and where there is more.
    type Quad: Quad<Self>;
    /// In AVX2.
    type Avx2: Vector<Self>;
    /// In AVX-512.
    type Avx512: Vector<Self>;
}

impl MulAdd for f32 {
    #[inline(always)]
    fn fused(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl Float for f32 {
    type Baseline = Four<f32>;
    type Quad = F32x4;
    type Avx2 = F32x8;
    type Avx512 = F32x16;
}

impl MulAdd for f64 {
    #[inline(always)]
    fn fused(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}

impl Float for f64 {
    type Baseline = Four<f64>;
    type Quad = F64x4;
    type Avx2 = F64x4;
    type Avx512 = F64x8;
}

/// The sum of an array, pairwise.
#[inline(always)]
pub fn sum<T: MulAdd, const N: usize>(lanes: [T; N]) -> T {
    halved(lanes, |a, b| a + b)
}

/// Element by element the largest of an array's vectors, none of whose elements is NaN.
#[inline(always)]
pub fn largest<T, V: Vector<T>, const N: usize>(vectors: [V; N]) -> V {
    halved(vectors, V::max)
}

/// Element by element the smallest.
#[inline(always)]
pub fn smallest<T, V: Vector<T>, const N: usize>(vectors: [V; N]) -> V {
    halved(vectors, V::min)
}

/// An array's elements combined, one half with the other.
#[inline(always)]
pub(super) fn halved<T: Copy, const N: usize>(mut lanes: [T; N], combine: impl Fn(T, T) -> T) -> T {
    let mut half = N / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = combine(lanes[l], lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
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
