//! Arithmetic on registers: 32 lanes at a time.

use super::array::{from_word, to_word};
use crate::llir::{Cmp, IndexOp, MOST, marks_below, place_of};
use crate::scalar::{BinaryOp, DType, UnaryOp};
use crate::sim::fault::Fault;

/// A register.
pub(super) type Lanes = [u64; 32];
/// Lanes of a warp, one a bit.
pub(super) type Mask = u32;

pub(super) const ALL: Mask = !0;

/// What went wrong, and in which lane.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) fault: Fault,
    pub(super) lane: u32,
}

pub(super) type Done<T> = Result<T, Box<Stop>>;

/// The lanes of a mask.
pub(super) fn lanes(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros();
            mask &= mask - 1;
            lane as usize
        })
    })
}

fn map2(a: &Lanes, b: &Lanes, f: impl Fn(u64, u64) -> u64) -> Lanes {
    std::array::from_fn(|l| f(a[l], b[l]))
}

/// The lanes in which it holds.
fn holds(a: &Lanes, b: &Lanes, f: impl Fn(u64, u64) -> bool) -> Mask {
    let mut mask = 0;
    for l in 0..32 {
        mask |= u32::from(f(a[l], b[l])) << l;
    }
    mask
}

pub(super) fn compare(op: Cmp, a: &Lanes, b: &Lanes) -> Mask {
    match op {
        Cmp::Eq => holds(a, b, |a, b| a == b),
        Cmp::Ne => holds(a, b, |a, b| a != b),
        Cmp::Lt => holds(a, b, |a, b| a < b),
        Cmp::Le => holds(a, b, |a, b| a <= b),
    }
}

pub(super) fn select(cond: Mask, a: &Lanes, b: &Lanes) -> Lanes {
    std::array::from_fn(|l| if cond >> l & 1 == 1 { a[l] } else { b[l] })
}

/// Index arithmetic, faulty where an active lane's result is no index.
pub(super) fn index(op: IndexOp, mask: Mask, a: &Lanes, b: &Lanes) -> Done<Lanes> {
    let (out, wrong) = match op {
        IndexOp::Add => (map2(a, b, u64::wrapping_add), holds(a, b, |a, b| a.checked_add(b).is_none())),
        IndexOp::Sub => (map2(a, b, u64::wrapping_sub), holds(a, b, |a, b| a < b)),
        IndexOp::Mul => (map2(a, b, u64::wrapping_mul), holds(a, b, |a, b| a.checked_mul(b).is_none())),
        IndexOp::Div => (map2(a, b, |a, b| a.checked_div(b).unwrap_or(0)), holds(a, b, |_, b| b == 0)),
        IndexOp::Rem => (map2(a, b, |a, b| a.checked_rem(b).unwrap_or(0)), holds(a, b, |_, b| b == 0)),
        IndexOp::Min => (map2(a, b, u64::min), 0),
        IndexOp::Max => (map2(a, b, u64::max), 0),
        IndexOp::Xor => (map2(a, b, |a, b| a ^ b), 0),
        IndexOp::And => (map2(a, b, |a, b| a & b), 0),
        IndexOp::Place => (map2(a, b, place_of), 0),
        IndexOp::Below => (map2(a, b, marks_below), 0),
        IndexOp::Count => (map2(a, b, |a, b| a.saturating_add(b).min(MOST)), 0),
    };
    let wrong = wrong & mask;
    if wrong == 0 {
        return Ok(out);
    }
    let lane = wrong.trailing_zeros();
    let (left, right) = (a[lane as usize], b[lane as usize]);
    let fault = match op {
        IndexOp::Sub => Fault::NegativeIndex { left, right },
        IndexOp::Div | IndexOp::Rem => Fault::DivisionByZero { left },
        _ => Fault::Overflow { left, right },
    };
    Err(Box::new(Stop { fault, lane }))
}

/// An operator on scalars of one type.
pub(super) fn binary(op: BinaryOp, t: DType, a: &Lanes, b: &Lanes) -> Lanes {
    macro_rules! float {
        ($bits:ty, $float:ident, $f:expr) => {{
            let f: fn($float, $float) -> $float = $f;
            return map2(a, b, |a, b| {
                u64::from(f($float::from_bits(a as $bits), $float::from_bits(b as $bits)).to_bits())
            });
        }};
    }
    match (op, t) {
        (BinaryOp::Add, DType::F32) => float!(u32, f32, |a, b| a + b),
        (BinaryOp::Mul, DType::F32) => float!(u32, f32, |a, b| a * b),
        (BinaryOp::Add, DType::F64) => float!(u64, f64, |a, b| a + b),
        (BinaryOp::Mul, DType::F64) => float!(u64, f64, |a, b| a * b),
        _ => map2(a, b, |a, b| binary_word(op, t, a, b)),
    }
}

/// [`binary`] in one lane.
pub(super) fn binary_word(op: BinaryOp, t: DType, a: u64, b: u64) -> u64 {
    let result = op.apply(from_word(t, a), from_word(t, b));
    to_word(result.unwrap_or_else(|| unreachable!("a verified operator accepts its operands")))
}

pub(super) fn unary(op: UnaryOp, t: DType, a: &Lanes) -> Lanes {
    a.map(|a| {
        let result = op.apply(from_word(t, a));
        to_word(result.unwrap_or_else(|| unreachable!("a verified operator accepts its operand")))
    })
}

/// Indices as scalars: wrapping on integers, non-zero is `true`.
pub(super) fn from_index(t: DType, a: &Lanes) -> Lanes {
    a.map(|a| to_word(t.from_i64(a as i64)))
}
