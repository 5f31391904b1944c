//! Reductions as types: what threads combine with, at once or afterwards.
//!
//! An atomic update orders nothing but the updates of its own element (`Relaxed`): what else threads read and write is
//! ordered by their start and their end.

use crate::scalar::Element;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// A commutative monoid on an element type.
pub trait Monoid<T: Element>: Copy + Send + Sync {
    /// What combines with anything to that.
    const IDENTITY: T;

    /// The two as one.
    fn combine(self, a: T, b: T) -> T;

    /// Combines a value into an element that other threads change at the same time, in this way alone.
    ///
    /// # Safety
    /// The pointer is valid for reads and writes and aligned, the element is initialised, and all other accesses at
    /// the same time are of this function.
    unsafe fn combine_atomic(self, element: *mut T, value: T);
}

/// Sum.
#[derive(Clone, Copy, Debug)]
pub struct Add;
/// Product.
#[derive(Clone, Copy, Debug)]
pub struct Mul;
/// Minimum.
#[derive(Clone, Copy, Debug)]
pub struct Min;
/// Maximum.
#[derive(Clone, Copy, Debug)]
pub struct Max;
/// Bitwise or logical and.
#[derive(Clone, Copy, Debug)]
pub struct And;
/// Bitwise or logical or.
#[derive(Clone, Copy, Debug)]
pub struct Or;

/// One monoid on some types, each with its atomic update: an instruction's name, or `retry` where there is none.
macro_rules! monoid {
    ($op:ident: $($t:ident $atomic:ident, $identity:expr, |$a:ident, $b:ident| $combine:expr, $how:ident;)*) => {$(
        impl Monoid<$t> for $op {
            const IDENTITY: $t = $identity;

            #[inline(always)]
            fn combine(self, $a: $t, $b: $t) -> $t {
                $combine
            }

            #[inline(always)]
            unsafe fn combine_atomic(self, element: *mut $t, value: $t) {
                monoid!(@ $how self $t $atomic element value);
            }
        }
    )*};
    (@ retry $op:ident $t:ident $atomic:ident $element:ident $value:ident) => {
        const { assert!(align_of::<$t>() >= align_of::<$atomic>(), "no atomic updates of this type on this processor") };
        // SAFETY: the caller's promise; the alignment is that of the element.
        let cell = unsafe { $atomic::from_ptr($element.cast()) };
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            let new = Bits::to_bits($op.combine(Bits::from_bits(old), $value));
            if new == old {
                return;
            }
            match cell.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    };
    (@ $fetch:ident $op:ident $t:ident $atomic:ident $element:ident $value:ident) => {
        const { assert!(align_of::<$t>() >= align_of::<$atomic>(), "no atomic updates of this type on this processor") };
        // SAFETY: the caller's promise; the alignment is that of the element.
        unsafe { $atomic::from_ptr($element) }.$fetch($value, Ordering::Relaxed);
    };
}

/// Elements as their bits: what a compare-and-swap compares.
trait Bits<B> {
    fn to_bits(self) -> B;
    fn from_bits(bits: B) -> Self;
}

macro_rules! bits {
    ($($t:ident $bits:ident, |$x:ident| $to:expr, $from:expr;)*) => {$(
        impl Bits<$bits> for $t {
            #[inline(always)]
            fn to_bits(self) -> $bits {
                let $x = self;
                $to
            }
            #[inline(always)]
            fn from_bits($x: $bits) -> $t {
                $from
            }
        }
    )*};
}
bits! {
    f32 u32, |x| f32::to_bits(x), f32::from_bits(x);
    f64 u64, |x| f64::to_bits(x), f64::from_bits(x);
    i32 i32, |x| x, x;
    i64 i64, |x| x, x;
    u8 u8, |x| x, x;
}

monoid! { Add:
    f32 AtomicU32, 0.0, |a, b| a + b, retry;
    f64 AtomicU64, 0.0, |a, b| a + b, retry;
    i32 AtomicI32, 0, |a, b| a.wrapping_add(b), fetch_add;
    i64 AtomicI64, 0, |a, b| a.wrapping_add(b), fetch_add;
    u8 AtomicU8, 0, |a, b| a.wrapping_add(b), fetch_add;
}
monoid! { Mul:
    f32 AtomicU32, 1.0, |a, b| a * b, retry;
    f64 AtomicU64, 1.0, |a, b| a * b, retry;
    i32 AtomicI32, 1, |a, b| a.wrapping_mul(b), retry;
    i64 AtomicI64, 1, |a, b| a.wrapping_mul(b), retry;
    u8 AtomicU8, 1, |a, b| a.wrapping_mul(b), retry;
}
monoid! { Min:
    f32 AtomicU32, f32::INFINITY, |a, b| a.min(b), retry;
    f64 AtomicU64, f64::INFINITY, |a, b| a.min(b), retry;
    i32 AtomicI32, i32::MAX, |a, b| Ord::min(a, b), fetch_min;
    i64 AtomicI64, i64::MAX, |a, b| Ord::min(a, b), fetch_min;
    u8 AtomicU8, u8::MAX, |a, b| Ord::min(a, b), fetch_min;
    bool AtomicBool, true, |a, b| a & b, fetch_and;
}
monoid! { Max:
    f32 AtomicU32, f32::NEG_INFINITY, |a, b| a.max(b), retry;
    f64 AtomicU64, f64::NEG_INFINITY, |a, b| a.max(b), retry;
    i32 AtomicI32, i32::MIN, |a, b| Ord::max(a, b), fetch_max;
    i64 AtomicI64, i64::MIN, |a, b| Ord::max(a, b), fetch_max;
    u8 AtomicU8, u8::MIN, |a, b| Ord::max(a, b), fetch_max;
    bool AtomicBool, false, |a, b| a | b, fetch_or;
}
monoid! { And:
    i32 AtomicI32, -1, |a, b| a & b, fetch_and;
    i64 AtomicI64, -1, |a, b| a & b, fetch_and;
    u8 AtomicU8, u8::MAX, |a, b| a & b, fetch_and;
    bool AtomicBool, true, |a, b| a & b, fetch_and;
}
monoid! { Or:
    i32 AtomicI32, 0, |a, b| a | b, fetch_or;
    i64 AtomicI64, 0, |a, b| a | b, fetch_or;
    u8 AtomicU8, 0, |a, b| a | b, fetch_or;
    bool AtomicBool, false, |a, b| a | b, fetch_or;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{DType, Monoid as Tag};

    /// The type's identity, results and atomic results are those of the compiler's tables.
    fn check<T: Element, M: Monoid<T>>(monoid: M, tag: Tag, values: &[T]) {
        assert_eq!(Some(M::IDENTITY.to_value()), tag.identity(T::DTYPE));
        for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
            let expected = tag.op().apply(a.to_value(), b.to_value()).expect("the monoid exists on the type");
            assert_eq!(monoid.combine(a, b).to_value(), expected, "{tag:?} of {a:?} and {b:?}");
            let mut element = a;
            // SAFETY: the element is ours alone.
            unsafe { monoid.combine_atomic(&mut element, b) };
            assert_eq!(element.to_value(), expected, "{tag:?} of {a:?} and {b:?}, atomic");
        }
    }

    macro_rules! check_all {
        ($($op:ident: $($t:ident)*;)*) => {[$($({
            check::<$t, _>($op, Tag::$op, &values::<$t>());
            (Tag::$op, <$t>::DTYPE)
        }),*),*]};
    }

    fn values<T: Element>() -> Vec<T> {
        let mut values: Vec<T> = [0.0, 1.0, 3.0, 100.0].map(T::from_f64).to_vec();
        let more = [T::DTYPE.pos_inf(), T::DTYPE.neg_inf()];
        values.extend(more.into_iter().filter_map(T::from_value));
        values
    }

    #[test]
    fn every_monoid_on_every_type() {
        let seen = check_all! {
            Add: f32 f64 i32 i64 u8;
            Mul: f32 f64 i32 i64 u8;
            Min: f32 f64 i32 i64 u8 bool;
            Max: f32 f64 i32 i64 u8 bool;
            And: i32 i64 u8 bool;
            Or: i32 i64 u8 bool;
        };
        let all = Tag::ALL.into_iter().flat_map(|m| DType::ALL.map(|t| (m, t)));
        assert_eq!(seen[..], all.filter(|(m, t)| m.accepts(*t)).collect::<Vec<_>>());
    }

    #[test]
    fn nan_loses_atomically_too() {
        let mut element = f64::NAN;
        // SAFETY: the element is ours alone.
        unsafe {
            Max.combine_atomic(&mut element, 2.0);
            Max.combine_atomic(&mut element, f64::NAN);
        }
        assert_eq!(element, 2.0);
    }
}
