//! Vectors of floating-point elements, one type an instruction set.
//!
//! Plain loops over arrays become vector code by the Rust compiler's grace; for sums over adjacent elements it is not
//! given reliably (f64 dot products came out four times slower than f32 ones), so these say what they mean.

use super::MulAdd;
use super::scalar::halved;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A few elements side by side. Operators work element by element.
pub trait Vector<T>:
    MulAdd + Sub<Output = Self> + Div<Output = Self> + Neg<Output = Self> + AddAssign + SubAssign
{
    /// How many elements.
    const LANES: usize;

    /// The same value in all.
    ///
    /// # Safety
    /// The processor has the vector's instruction set.
    unsafe fn splat(value: T) -> Self;

    /// The elements from an address on.
    ///
    /// # Safety
    /// As for [`splat`](Vector::splat); and [`LANES`](Vector::LANES) initialised elements lie there.
    unsafe fn load(from: *const T) -> Self;

    /// The sum of all elements.
    fn sum(self) -> T;

    /// Each element's magnitude.
    #[must_use]
    fn abs(self) -> Self;

    /// Each element's square root.
    #[must_use]
    fn sqrt(self) -> Self;

    /// Each element, rounded down.
    #[must_use]
    fn floor(self) -> Self;

    /// Each element, rounded up.
    #[must_use]
    fn ceil(self) -> Self;

    /// Of each two elements the larger one: IEEE 754's maxNum, where none of the first vector's is NaN, as none is that began as a
    /// number and took only what is larger.
    #[must_use]
    fn max(self, other: Self) -> Self;

    /// Of each two elements the smaller one, in the same way.
    #[must_use]
    fn min(self, other: Self) -> Self;

    /// The largest of all elements, of which none is NaN.
    fn largest(self) -> T;

    /// The smallest one.
    fn smallest(self) -> T;
}

/// The larger one, and the first one where the second is NaN: one instruction, which `f32::max` is not.
#[inline(always)]
fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

#[inline(always)]
fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// Four elements, which need not be adjacent in memory.
pub trait Quad<T>: Vector<T> {
    /// These four.
    ///
    /// # Safety
    /// As for [`splat`](Vector::splat).
    unsafe fn of(elements: [T; 4]) -> Self;

    /// The first `n` elements of this, the others of that.
    fn first(self, n: usize, others: Self) -> Self;
}

/// Four elements for whatever the baseline has.
#[derive(Clone, Copy, Debug)]
pub struct Four<T>([T; 4]);

macro_rules! operators {
    (impl [$($generics:tt)*] $v:ty, |$a:ident, $b:ident| $add:expr, $sub:expr, $mul:expr, $div:expr, $neg:expr) => {
        operators!(@one [$($generics)*] $v, Add, add, |$a, $b| $add);
        operators!(@one [$($generics)*] $v, Sub, sub, |$a, $b| $sub);
        operators!(@one [$($generics)*] $v, Mul, mul, |$a, $b| $mul);
        operators!(@one [$($generics)*] $v, Div, div, |$a, $b| $div);
        impl $($generics)* Neg for $v {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                let $a = self;
                $neg
            }
        }
        impl $($generics)* AddAssign for $v {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl $($generics)* SubAssign for $v {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
    };
    (@one [$($generics:tt)*] $v:ty, $trait:ident, $op:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $($generics)* $trait for $v {
            type Output = Self;
            #[inline(always)]
            fn $op(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $result
            }
        }
    };
}

macro_rules! four {
    ($t:ident) => {
        operators!(
            impl [] Four<$t>,
            |a, b| Four(std::array::from_fn(|l| a.0[l] + b.0[l])),
            Four(std::array::from_fn(|l| a.0[l] - b.0[l])),
            Four(std::array::from_fn(|l| a.0[l] * b.0[l])),
            Four(std::array::from_fn(|l| a.0[l] / b.0[l])),
            Four(a.0.map(|x| -x))
        );
        impl MulAdd for Four<$t> {
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                Four(std::array::from_fn(|l| self.0[l].mul_add(b.0[l], c.0[l])))
            }
        }
        impl Vector<$t> for Four<$t> {
            const LANES: usize = 4;
            #[inline(always)]
            unsafe fn splat(value: $t) -> Self {
                Four([value; 4])
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: the caller's promise.
                Four(unsafe { from.cast::<[$t; 4]>().read_unaligned() })
            }
            #[inline(always)]
            fn sum(self) -> $t {
                (self.0[0] + self.0[2]) + (self.0[1] + self.0[3])
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Four(self.0.map($t::abs))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Four(self.0.map($t::sqrt))
            }
            #[inline(always)]
            fn floor(self) -> Self {
                Four(self.0.map($t::floor))
            }
            #[inline(always)]
            fn ceil(self) -> Self {
                Four(self.0.map($t::ceil))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Four(std::array::from_fn(|l| larger(self.0[l], other.0[l])))
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Four(std::array::from_fn(|l| smaller(self.0[l], other.0[l])))
            }
            #[inline(always)]
            fn largest(self) -> $t {
                halved(self.0, larger)
            }
            #[inline(always)]
            fn smallest(self) -> $t {
                halved(self.0, smaller)
            }
        }
        impl Quad<$t> for Four<$t> {
            #[inline(always)]
            unsafe fn of(elements: [$t; 4]) -> Self {
                Four(elements)
            }
            #[inline(always)]
            fn first(self, n: usize, others: Self) -> Self {
                Four(std::array::from_fn(|l| if l < n { self.0[l] } else { others.0[l] }))
            }
        }
    };
}
four!(f32);
four!(f64);

#[cfg(target_arch = "x86_64")]
pub use x86::{F32x4, F32x8, F32x16, F64x4, F64x8};

/// On other processors the kinds that x86-64 has are never chosen; any vector will do.
#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    use super::Four;
    /// Never used.
    pub type F32x4 = Four<f32>;
    /// Never used.
    pub type F32x8 = Four<f32>;
    /// Never used.
    pub type F32x16 = Four<f32>;
    /// Never used.
    pub type F64x4 = Four<f64>;
    /// Never used.
    pub type F64x8 = Four<f64>;
}
#[cfg(not(target_arch = "x86_64"))]
pub use elsewhere::{F32x4, F32x8, F32x16, F64x4, F64x8};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{MulAdd, Quad, Vector, halved, larger, smaller};
    use std::arch::x86_64::*;
    use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

    /// To whole numbers, without exceptions.
    const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;

    /// A vector from an instruction on vectors.
    macro_rules! sound {
        ($name:ident($call:expr)) => {
            // SAFETY: whoever made the first vector promised that the processor has the instructions.
            $name(unsafe { $call })
        };
    }

    macro_rules! vector {
        (
            $(#[$doc:meta])* $name:ident($inner:ident) of $lanes:literal $t:ident:
            $set1:ident $loadu:ident $storeu:ident $add:ident $sub:ident $mul:ident $div:ident $fmadd:ident $max:ident
            $min:ident $sum:ident $andnot:ident $sqrt:ident [$floor:expr] [$ceil:expr]
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name($inner);
            operators!(
                impl [] $name,
                |a, b| sound!($name($add(a.0, b.0))),
                sound!($name($sub(a.0, b.0))),
                sound!($name($mul(a.0, b.0))),
                sound!($name($div(a.0, b.0))),
                sound!($name($sub($set1(-0.0), a.0)))
            );
            impl MulAdd for $name {
                #[inline(always)]
                fn fused(self, b: Self, c: Self) -> Self {
                    sound!($name($fmadd(self.0, b.0, c.0)))
                }
            }
            impl Vector<$t> for $name {
                const LANES: usize = $lanes;
                #[inline(always)]
                unsafe fn splat(value: $t) -> Self {
                    // SAFETY: the caller's promise.
                    $name(unsafe { $set1(value) })
                }
                #[inline(always)]
                unsafe fn load(from: *const $t) -> Self {
                    // SAFETY: the caller's promise.
                    $name(unsafe { $loadu(from) })
                }
                #[inline(always)]
                fn sum(self) -> $t {
                    // SAFETY: as in `sound!`.
                    unsafe { $sum(self.0) }
                }
                #[inline(always)]
                fn abs(self) -> Self {
                    sound!($name($andnot($set1(-0.0), self.0)))
                }
                #[inline(always)]
                fn sqrt(self) -> Self {
                    sound!($name($sqrt(self.0)))
                }
                #[inline(always)]
                fn floor(self) -> Self {
                    sound!($name($floor(self.0)))
                }
                #[inline(always)]
                fn ceil(self) -> Self {
                    sound!($name($ceil(self.0)))
                }
                // Where one of two is NaN the instructions give the second one.
                #[inline(always)]
                fn max(self, other: Self) -> Self {
                    sound!($name($max(other.0, self.0)))
                }
                #[inline(always)]
                fn min(self, other: Self) -> Self {
                    sound!($name($min(other.0, self.0)))
                }
                #[inline(always)]
                fn largest(self) -> $t {
                    halved(self.lanes(), larger)
                }
                #[inline(always)]
                fn smallest(self) -> $t {
                    halved(self.lanes(), smaller)
                }
            }
            impl $name {
                #[inline(always)]
                fn lanes(self) -> [$t; $lanes] {
                    let mut lanes = [0.0; $lanes];
                    // SAFETY: as in `sound!`, and there is room for all.
                    unsafe { $storeu(lanes.as_mut_ptr(), self.0) };
                    lanes
                }
            }
        };
    }
    vector!(
        /// 4 × f32 in AVX2.
        F32x4(__m128) of 4 f32:
        _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps
        _mm_fmadd_ps _mm_max_ps _mm_min_ps sum_f32x4 _mm_andnot_ps _mm_sqrt_ps
        [_mm_floor_ps] [_mm_ceil_ps]
    );
    vector!(
        /// 8 × f32 in AVX2.
        F32x8(__m256) of 8 f32:
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps
        _mm256_fmadd_ps _mm256_max_ps _mm256_min_ps sum_f32x8 _mm256_andnot_ps _mm256_sqrt_ps
        [_mm256_floor_ps] [_mm256_ceil_ps]
    );
    vector!(
        /// 4 × f64 in AVX2.
        F64x4(__m256d) of 4 f64:
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd
        _mm256_fmadd_pd _mm256_max_pd _mm256_min_pd sum_f64x4 _mm256_andnot_pd _mm256_sqrt_pd
        [_mm256_floor_pd] [_mm256_ceil_pd]
    );
    vector!(
        /// 16 × f32 in AVX-512.
        F32x16(__m512) of 16 f32:
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps
        _mm512_fmadd_ps _mm512_max_ps _mm512_min_ps sum_f32x16 _mm512_andnot_ps _mm512_sqrt_ps
        [_mm512_roundscale_ps::<DOWN>] [_mm512_roundscale_ps::<UP>]
    );
    vector!(
        /// 8 × f64 in AVX-512.
        F64x8(__m512d) of 8 f64:
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd
        _mm512_fmadd_pd _mm512_max_pd _mm512_min_pd sum_f64x8 _mm512_andnot_pd _mm512_sqrt_pd
        [_mm512_roundscale_pd::<DOWN>] [_mm512_roundscale_pd::<UP>]
    );

    impl Quad<f32> for F32x4 {
        #[inline(always)]
        unsafe fn of([a, b, c, d]: [f32; 4]) -> Self {
            // SAFETY: the caller's promise.
            F32x4(unsafe { _mm_setr_ps(a, b, c, d) })
        }
        #[inline(always)]
        fn first(self, n: usize, others: Self) -> Self {
            // SAFETY: as in `sound!`.
            F32x4(unsafe {
                let ours = _mm_cmpgt_epi32(_mm_set1_epi32(n as i32), _mm_setr_epi32(0, 1, 2, 3));
                _mm_blendv_ps(others.0, self.0, _mm_castsi128_ps(ours))
            })
        }
    }

    impl Quad<f64> for F64x4 {
        #[inline(always)]
        unsafe fn of([a, b, c, d]: [f64; 4]) -> Self {
            // SAFETY: the caller's promise.
            F64x4(unsafe { _mm256_setr_pd(a, b, c, d) })
        }
        #[inline(always)]
        fn first(self, n: usize, others: Self) -> Self {
            // SAFETY: as in `sound!`.
            F64x4(unsafe {
                let ours = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3));
                _mm256_blendv_pd(others.0, self.0, _mm256_castsi256_pd(ours))
            })
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum_f32x4(all: __m128) -> f32 {
        let two = _mm_add_ps(all, _mm_movehl_ps(all, all));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum_f32x8(all: __m256) -> f32 {
        sum_f32x4(_mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all)))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx2")]
    fn sum_f32x16(all: __m512) -> f32 {
        sum_f32x8(_mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps::<1>(all)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum_f64x4(all: __m256d) -> f64 {
        let two = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd::<1>(all));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx2")]
    fn sum_f64x8(all: __m512d) -> f64 {
        sum_f64x4(_mm256_add_pd(_mm512_castpd512_pd256(all), _mm512_extractf64x4_pd::<1>(all)))
    }
}

#[cfg(test)]
mod tests;
