//! Vectors of every instruction set, against numbers.

use super::super::{Avx2, Avx512, Baseline, Float, Isa, Level, Streaming, isa, largest, smallest};
use super::{Quad, Vector};
use crate::scalar::Element;

/// (a·b − a) / b + a, negated, summed: every operator.
fn check<I: Isa, T: Float + Element>(isa: I, from: impl Fn(u8) -> T, value: impl Fn(T) -> f64) {
    let (a, b): ([T; 16], [T; 16]) =
        (std::array::from_fn(|l| from(1 << (l % 4))), std::array::from_fn(|l| from(1 << (l % 3))));
    // SAFETY: at most 16 elements are loaded.
    let (x, y) = unsafe { (isa.load(&a[..], 0), isa.load(&b[..], 0)) };
    let mut all = -((x * y - x) / y + x);
    all += isa.mul_add(x, y, isa.splat(from(3)));
    let one = |l: usize| {
        let (x, y) = (value(a[l]), value(b[l]));
        -((x * y - x) / y + x) + x * y + 3.0
    };
    let expected: f64 = (0..isa.width::<T>()).map(one).sum();
    assert_eq!(value(all.sum()), expected);
}

/// Of four elements picked and four loaded, every part.
fn check_four<I: Isa, T: Float + Element>(isa: I, from: impl Fn(u8) -> T, value: impl Fn(T) -> f64) {
    let a: [T; 8] = std::array::from_fn(|l| from(1 << l));
    let places = [7, 0, 3, 3];
    for n in 0..=4 {
        // SAFETY: four elements are loaded, and four indices.
        let sum = unsafe {
            let at = isa.four_indices(&places[..], 0);
            assert_eq!(at, isa.last_four_indices(&places[..], 0));
            isa.pick(|l| a[at[l]]).first(n, isa.load_four(&a[..], 1)).sum()
        };
        let picked = places[..n].iter().map(|p| 1 << p).sum::<i32>();
        let loaded = (n..4).map(|l| 2 << l).sum::<i32>();
        assert_eq!(value(sum), f64::from(picked + loaded), "{n}");
    }
    assert_eq!(value(isa.four(from(3)).sum()), 12.0);
}

/// What is no number is passed over, wherever it comes.
fn check_extremes<I: Isa, T: Float + Element>(isa: I, from: impl Fn(f64) -> T, value: impl Fn(T) -> f64) {
    let numbers =
        |l: usize| [5.0, -3.0, f64::NAN, -0.0, f64::NEG_INFINITY, f64::NAN, 8.5, f64::INFINITY][l % 8];
    let all: Vec<T> = (0..64).map(|l| from(numbers(l))).collect();
    for at in 0..48 {
        let (least, most) = (from(f64::NEG_INFINITY), from(f64::INFINITY));
        // SAFETY: at most 16 elements are loaded.
        let (large, small) = unsafe {
            let x = isa.load(&all[..], at);
            (isa.splat(least).max(x).max(isa.splat(from(f64::NAN))), isa.splat(most).min(x))
        };
        let here = || (at..at + isa.width::<T>()).map(numbers);
        assert_eq!(value(large.largest()), here().fold(f64::NEG_INFINITY, f64::max));
        assert_eq!(value(small.smallest()), here().fold(f64::INFINITY, f64::min));
        assert_eq!(value(largest([isa.splat(least), large]).largest()), value(large.largest()));
        assert_eq!(value(smallest([isa.splat(most), small]).smallest()), value(small.smallest()));
    }
}

/// What functions of one argument make of each element, of fours of stored entries too.
fn check_functions<I: Isa, T: Float + Element>(isa: I, from: impl Fn(f64) -> T, value: impl Fn(T) -> f64) {
    let numbers = [2.25, -2.5, 0.0, f64::NEG_INFINITY, -0.75, 4.0, f64::INFINITY, -1.0];
    let all: Vec<T> = (0..16).map(|l| from(numbers[l % 8])).collect();
    // SAFETY: at most 16 elements are loaded.
    let (x, four) = unsafe { (isa.load(&all[..], 0), isa.load_four(&all[..], 0)) };
    let of = |n: usize, f: fn(f64) -> f64, combine: fn(f64, f64) -> f64, first: f64| {
        (0..n).map(|l| f(numbers[l % 8])).fold(first, combine)
    };
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    let n = isa.width::<T>();
    assert_eq!(value(x.abs().smallest()), of(n, f64::abs, f64::min, most));
    assert_eq!(value(x.floor().largest()), of(n, f64::floor, f64::max, least));
    assert_eq!(value(x.ceil().smallest()), of(n, f64::ceil, f64::min, most));
    assert_eq!(value(four.floor().largest()), 2.0);
    assert_eq!(value(four.ceil().largest()), 3.0);
    assert_eq!(value(four.abs().largest()), most);
    assert_eq!(value(isa.splat(from(6.25)).sqrt().smallest()), 2.5);
    assert_eq!(value(isa.four(from(9.0)).sqrt().largest()), 3.0);
}

#[test]
fn every_instruction_set_computes_the_same() {
    fn both(isa: impl Isa) {
        check_functions::<_, f32>(isa, |x| x as f32, f64::from);
        check_functions::<_, f64>(isa, |x| x, |x| x);
        check::<_, f32>(isa, f32::from, f64::from);
        check::<_, f64>(isa, f64::from, |x| x);
        check_four::<_, f32>(isa, f32::from, f64::from);
        check_four::<_, f64>(isa, f64::from, |x| x);
        check_extremes::<_, f32>(isa, |x| x as f32, f64::from);
        check_extremes::<_, f64>(isa, |x| x, |x| x);
    }
    both(Baseline);
    both(Streaming(Baseline));
    // SAFETY: the processor has them.
    unsafe {
        if isa() >= Level::Avx2 {
            both(Avx2::assume());
        }
        if isa() >= Level::Avx512 {
            both(Avx512::assume());
            both(Streaming(Avx512::assume()));
        }
    }
}
