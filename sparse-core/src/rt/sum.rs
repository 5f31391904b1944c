//! Sums over the lanes of an array, in vector registers.
//!
//! Left to the Rust compiler, the last halvings become a chain of scalar shuffles that costs more than a short dot
//! product itself.

/// A floating-point type whose lanes can be added up with an instruction set.
pub trait LaneSum: Copy {
    /// Pairwise, in whatever instructions the baseline has.
    fn sum_baseline<const N: usize>(lanes: [Self; N]) -> Self;

    /// # Safety
    /// The processor has AVX2.
    unsafe fn sum_avx2<const N: usize>(lanes: [Self; N]) -> Self;

    /// # Safety
    /// The processor has AVX-512 F and AVX2.
    unsafe fn sum_avx512<const N: usize>(lanes: [Self; N]) -> Self;
}

macro_rules! lane_sum {
    ($t:ident, $w256:literal, $sum256:ident, $w512:literal, $sum512:ident) => {
        impl LaneSum for $t {
            #[inline(always)]
            fn sum_baseline<const N: usize>(mut lanes: [$t; N]) -> $t {
                let mut half = N / 2;
                while half > 0 {
                    for l in 0..half {
                        lanes[l] += lanes[l + half];
                    }
                    half /= 2;
                }
                lanes[0]
            }

            #[inline(always)]
            unsafe fn sum_avx2<const N: usize>(lanes: [$t; N]) -> $t {
                #[cfg(target_arch = "x86_64")]
                if N.is_multiple_of($w256) {
                    // SAFETY: the caller's promise; the array holds whole vectors.
                    return unsafe { x86::$sum256(lanes.as_ptr(), N / $w256) };
                }
                Self::sum_baseline(lanes)
            }

            #[inline(always)]
            unsafe fn sum_avx512<const N: usize>(lanes: [$t; N]) -> $t {
                #[cfg(target_arch = "x86_64")]
                if N.is_multiple_of($w512) {
                    // SAFETY: the caller's promise; the array holds whole vectors.
                    return unsafe { x86::$sum512(lanes.as_ptr(), N / $w512) };
                }
                // SAFETY: the caller's promise.
                unsafe { Self::sum_avx2(lanes) }
            }
        }
    };
}
lane_sum!(f32, 8, sum_f32x8, 16, sum_f32x16);
lane_sum!(f64, 4, sum_f64x4, 8, sum_f64x8);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// # Safety
    /// `lanes` points to `n >= 1` vectors.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn sum_f32x8(lanes: *const f32, n: usize) -> f32 {
        // SAFETY: inside the `n` vectors of the caller's promise.
        let vector = |v: usize| unsafe { _mm256_loadu_ps(lanes.add(8 * v)) };
        let all = (1..n).fold(vector(0), |sum, v| _mm256_add_ps(sum, vector(v)));
        add_f32x8(all)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_f32x8(all: __m256) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }

    /// # Safety
    /// `lanes` points to `n >= 1` vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx2")]
    pub(super) unsafe fn sum_f32x16(lanes: *const f32, n: usize) -> f32 {
        // SAFETY: inside the `n` vectors of the caller's promise.
        let vector = |v: usize| unsafe { _mm512_loadu_ps(lanes.add(16 * v)) };
        let all = (1..n).fold(vector(0), |sum, v| _mm512_add_ps(sum, vector(v)));
        add_f32x8(_mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps::<1>(all)))
    }

    /// # Safety
    /// `lanes` points to `n >= 1` vectors.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn sum_f64x4(lanes: *const f64, n: usize) -> f64 {
        // SAFETY: inside the `n` vectors of the caller's promise.
        let vector = |v: usize| unsafe { _mm256_loadu_pd(lanes.add(4 * v)) };
        let all = (1..n).fold(vector(0), |sum, v| _mm256_add_pd(sum, vector(v)));
        add_f64x4(all)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_f64x4(all: __m256d) -> f64 {
        let two = _mm_add_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd::<1>(all));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }

    /// # Safety
    /// `lanes` points to `n >= 1` vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx2")]
    pub(super) unsafe fn sum_f64x8(lanes: *const f64, n: usize) -> f64 {
        // SAFETY: inside the `n` vectors of the caller's promise.
        let vector = |v: usize| unsafe { _mm512_loadu_pd(lanes.add(8 * v)) };
        let all = (1..n).fold(vector(0), |sum, v| _mm512_add_pd(sum, vector(v)));
        add_f64x4(_mm256_add_pd(_mm512_castpd512_pd256(all), _mm512_extractf64x4_pd::<1>(all)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Avx2, Avx512, Baseline, Isa, Level, isa};

    #[test]
    fn every_instruction_set_adds_all_lanes() {
        fn check<I: Isa>(isa: I) {
            fn lanes<const N: usize>() -> ([f32; N], [f64; N], f64) {
                let lanes = std::array::from_fn(|l| (l * l + 1) as f32);
                (lanes, lanes.map(f64::from), lanes.iter().map(|&x| f64::from(x)).sum())
            }
            fn one<I: Isa, const N: usize>(isa: I) {
                let (f, d, sum) = lanes::<N>();
                assert_eq!((f64::from(isa.sum(f)), isa.sum(d)), (sum, sum), "{N} lanes");
            }
            one::<I, 4>(isa);
            one::<I, 8>(isa);
            one::<I, 16>(isa);
            one::<I, 32>(isa);
        }
        check(Baseline);
        // SAFETY: the processor has them.
        unsafe {
            if isa() >= Level::Avx2 {
                check(Avx2::assume());
            }
            if isa() >= Level::Avx512 {
                check(Avx512::assume());
            }
        }
    }
}
