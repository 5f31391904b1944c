//! `C[i, k] = A[i, j] * B[j, k]`, B and C by rows

use super::isa::{ISA, Isa, multiversion};
use super::lanes::Lanes;
use crate::real::Real;
use crate::view::CsrView;

multiversion! {
    /// Sums of scaled rows of B: a strip of columns stays in registers over a whole row of A and is stored once.
    pub(crate) fn spmm<T>(a: CsrView<'_, T>, b: &[T], n: usize, c: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Real, const FMA: bool>(a: CsrView<'_, T>, b: &[T], n: usize, c: &mut [T]) {
    assert!(b.len() == a.cols * n && c.len() == a.rows * n && a.pos.len() == a.rows + 1);
    match n {
        4 => narrow::<T, FMA, 4>(a, b, c),
        8 => narrow::<T, FMA, 8>(a, b, c),
        _ => wide::<T, FMA>(a, b, n, c),
    }
}

/// A row of B is one vector: four entries at a time, so that additions do not wait for each other.
#[inline(always)]
fn narrow<T: Real, const FMA: bool, const N: usize>(a: CsrView<'_, T>, b: &[T], c: &mut [T]) {
    // SAFETY: positions are below the number of entries, coordinates below `b.len() / N`.
    let term = |p: usize, sum: &mut Lanes<T, N>| unsafe {
        let j = *a.crd.get_unchecked(p) as usize;
        sum.axpy::<FMA>(*a.vals.get_unchecked(p), Lanes::load(b, j * N));
    };
    let mut p = 0;
    for i in 0..a.rows {
        let end = a.pos[i + 1] as usize;
        let mut sums = [Lanes::<T, N>::ZERO; 4];
        while p + 4 <= end {
            term(p, &mut sums[0]);
            term(p + 1, &mut sums[1]);
            term(p + 2, &mut sums[2]);
            term(p + 3, &mut sums[3]);
            p += 4;
        }
        while p < end {
            term(p, &mut sums[0]);
            p += 1;
        }
        let [mut s0, s1, mut s2, s3] = sums;
        s0.add(s1);
        s2.add(s3);
        s0.add(s2);
        // SAFETY: i < rows and c has rows · N values.
        unsafe { s0.store(c, i * N) };
    }
}

#[inline(always)]
fn wide<T: Real, const FMA: bool>(a: CsrView<'_, T>, b: &[T], n: usize, c: &mut [T]) {
    // 128 values of 64 bits fill half of AVX-512's registers, and twice those of anything less.
    let many_registers = *ISA == Isa::Avx512;
    let mut start = 0;
    for i in 0..a.rows {
        let end = a.pos[i + 1] as usize;
        let mut k = 0;
        while many_registers && k + 128 <= n {
            pair_of_strips::<T, FMA, 16, 4>(a, b, n, c, i, start..end, k);
            k += 128;
        }
        while k + 64 <= n {
            strip::<T, FMA, 16, 4>(a, b, n, c, i, start..end, k);
            k += 64;
        }
        while k + 32 <= n {
            strip::<T, FMA, 16, 2>(a, b, n, c, i, start..end, k);
            k += 32;
        }
        while k + 8 <= n {
            strip::<T, FMA, 8, 1>(a, b, n, c, i, start..end, k);
            k += 8;
        }
        while k < n {
            strip::<T, FMA, 1, 1>(a, b, n, c, i, start..end, k);
            k += 1;
        }
        start = end;
    }
}

/// Columns `k .. k + L · R` of row `i`.
#[inline(always)]
fn strip<T: Real, const FMA: bool, const L: usize, const R: usize>(
    a: CsrView<'_, T>,
    b: &[T],
    n: usize,
    c: &mut [T],
    i: usize,
    row: std::ops::Range<usize>,
    k: usize,
) {
    let mut acc = [Lanes::<T, L>::ZERO; R];
    for p in row {
        // SAFETY: positions are below the number of entries; the coordinate is below `b.len() / n`, and the strip
        // is inside a row.
        unsafe {
            let at = *a.crd.get_unchecked(p) as usize * n + k;
            let v = *a.vals.get_unchecked(p);
            for r in 0..R {
                acc[r].axpy::<FMA>(v, Lanes::load(b, at + r * L));
            }
        }
    }
    for r in 0..R {
        // SAFETY: row i has n values from i · n on, and the strip is inside.
        unsafe { acc[r].store(c, i * n + k + r * L) };
    }
}

/// Columns `k .. k + 2 · L · R` of row `i`. One array of 2 · R accumulators is more than the optimiser unrolls, and
/// would live in memory.
#[inline(always)]
fn pair_of_strips<T: Real, const FMA: bool, const L: usize, const R: usize>(
    a: CsrView<'_, T>,
    b: &[T],
    n: usize,
    c: &mut [T],
    i: usize,
    row: std::ops::Range<usize>,
    k: usize,
) {
    let mut left = [Lanes::<T, L>::ZERO; R];
    let mut right = [Lanes::<T, L>::ZERO; R];
    for p in row {
        // SAFETY: positions are below the number of entries; the coordinate is below `b.len() / n`, and the strips
        // are inside a row.
        unsafe {
            let at = *a.crd.get_unchecked(p) as usize * n + k;
            let v = *a.vals.get_unchecked(p);
            for r in 0..R {
                left[r].axpy::<FMA>(v, Lanes::load(b, at + r * L));
            }
            for r in 0..R {
                right[r].axpy::<FMA>(v, Lanes::load(b, at + (R + r) * L));
            }
        }
    }
    let at = i * n + k;
    for r in 0..R {
        // SAFETY: row i has n values from i · n on, and the strips are inside.
        unsafe { left[r].store(c, at + r * L) };
    }
    for r in 0..R {
        // SAFETY: as above.
        unsafe { right[r].store(c, at + (R + r) * L) };
    }
}
