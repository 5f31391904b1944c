//! The oracle's arithmetic: values that know whether they are structural, how far rounding may move them, and whether
//! the rules leave them open.
//!
//! An infinite fill annihilates a sum, on integers too, whose infinities are their largest and smallest values; what is written
//! in a kernel or made by integer arithmetic is never infinite.
//!
//! The bound of the rounding error lets a compiler reassociate sums. Open are a comparison of two values that rounding
//! may swap, a quotient by a computed zero whose sign nobody promises, two annihilators that meet, an infinite fill and a
//! number that come to NaN as numbers, an integer's infinity and a number as large of which each annihilates a `min` or `max`, a
//! product in which several fills come to 0.

use sparse_core::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};

/// A value and what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The value.
    pub value: Value,
    /// Bound of the rounding error.
    pub error: f64,
    /// What the terms of a sum come to if none is negative: they may be added in any order.
    pub(crate) terms: f64,
    /// The rules allow another value.
    pub open: bool,
    /// Stands for what is not stored.
    pub(crate) structural: bool,
    /// Read as it is, not computed: the sign of a zero is certain.
    pub(crate) leaf: bool,
    /// A fill that stands for ∞ or −∞, or an infinite literal. Integers have no infinities but such fills.
    pub(crate) infinite: bool,
}

impl Number {
    pub(crate) fn leaf(value: Value, structural: bool) -> Number {
        Number {
            value,
            error: 0.0,
            terms: value.to_f64().abs(),
            open: false,
            structural,
            leaf: true,
            infinite: structural && is_extreme(value),
        }
    }

    /// What is written in a kernel. The largest and smallest integers are numbers there: 255 − x inverts a picture.
    pub(crate) fn literal(value: Value) -> Number {
        let number = Number::leaf(value, true);
        Number { infinite: number.infinite && value.dtype().is_float(), ..number }
    }

    /// Does it annihilate a sum?
    fn is_infinity(&self) -> bool {
        let float = self.value.dtype().is_float() && self.value.to_f64().is_infinite();
        self.structural && (self.infinite || float)
    }

    /// The infinity of the other sign, 0 for the largest `u8`.
    fn opposite(self) -> Number {
        let value = match self.value {
            Value::F32(v) => Value::F32(-v),
            Value::F64(v) => Value::F64(-v),
            Value::I32(v) => Value::I32(if v < 0 { i32::MAX } else { i32::MIN }),
            Value::I64(v) => Value::I64(if v < 0 { i64::MAX } else { i64::MIN }),
            Value::U8(_) => return Number { value: Value::U8(0), infinite: false, leaf: false, ..self },
            v => v,
        };
        Number { value, leaf: false, ..self }
    }

    /// Is a computed value within the tolerance of this one?
    pub fn accepts(&self, got: Value) -> bool {
        if got.dtype() != self.value.dtype() {
            return false;
        }
        if self.open || got == self.value {
            return true;
        }
        let (a, b) = (self.value.to_f64(), got.to_f64());
        if !got.dtype().is_float() {
            return false;
        }
        (a.is_nan() && b.is_nan()) || (a - b).abs() <= 4.0 * self.error
    }
}

/// The operators on one element type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    dtype: DType,
    epsilon: f64,
    /// What is not stored, and a literal, is a number like any other.
    pub(crate) fills_take_part: bool,
    /// Something is reduced: by `min` or `max` it begins with the identity, not with the first value.
    pub(crate) begins: bool,
}

impl Arithmetic {
    /// For an element type.
    pub(crate) fn new(dtype: DType) -> Self {
        let epsilon = match dtype {
            DType::F32 => f32::EPSILON.into(),
            DType::F64 => f64::EPSILON,
            _ => 0.0,
        };
        Arithmetic { dtype, epsilon, fills_take_part: false, begins: false }
    }

    /// `total m= value`: what is structurally the identity does not take part.
    pub(crate) fn accumulate(self, m: Monoid, total: Number, value: Number) -> Number {
        let dtype = self.dtype;
        if value.structural && m.identity(dtype) == Some(value.value) {
            return Number { open: total.open | value.open, ..total };
        }
        if total.structural && m.identity(dtype) == Some(total.value) {
            // A reduction begins with its identity, which wins over NaN. Where nothing is reduced NaN is itself, or loses.
            if matches!(m, Monoid::Min | Monoid::Max) && value.value.to_f64().is_nan() {
                return match self.begins {
                    true => Number { structural: false, leaf: false, open: total.open | value.open, ..total },
                    false => Number { open: true, ..total },
                };
            }
            return Number { leaf: false, open: total.open | value.open, ..value };
        }
        let mut new = self.apply(m.op(), total, value);
        // Whether a structural annihilator ends the reduction or takes part as a number is left open.
        let z = m.op().left_annihilators(dtype);
        let annihilates =
            |n: &Number| n.structural && (z.contains(&n.value) || m == Monoid::Add && n.is_infinity());
        new.open |= (annihilates(&total) && new.value != total.value)
            || (annihilates(&value) && new.value != value.value);
        new.structural = total.structural && value.structural;
        new
    }

    pub(crate) fn unary(self, op: UnaryOp, a: Number) -> Number {
        match op {
            UnaryOp::Neg if a.is_infinity() => return a.opposite(),
            UnaryOp::Abs if a.is_infinity() && a.value.to_f64() < 0.0 => return a.opposite(),
            UnaryOp::Abs if a.is_infinity() => return Number { leaf: false, ..a },
            _ => {}
        }
        let value = op.apply(a.value).expect("the operator accepts the type");
        let (x, r) = (a.value.to_f64(), value.to_f64());
        let (mut error, mut open) = (a.error, a.open);
        if self.dtype.is_float() {
            let grown = match op {
                UnaryOp::Neg | UnaryOp::Abs => a.error,
                UnaryOp::Floor | UnaryOp::Ceil => {
                    open |= a.error > 0.0 && (x - x.round()).abs() <= a.error;
                    0.0
                }
                UnaryOp::Sqrt | UnaryOp::Ln => {
                    open |= a.error > 0.0 && x.abs() <= 4.0 * a.error;
                    open |= op == UnaryOp::Ln && x == 0.0 && !a.leaf;
                    let slope = if op == UnaryOp::Ln { 1.0 / x.abs() } else { 0.5 / x.abs().sqrt() };
                    (if a.error > 0.0 { slope * a.error } else { 0.0 }) + 8.0 * self.epsilon * r.abs()
                }
                UnaryOp::Exp => r.abs() * (a.error + 8.0 * self.epsilon),
                _ => a.error + 8.0 * self.epsilon,
            };
            (error, open) = self.settle(grown, open, r);
        }
        let terms = if op == UnaryOp::Neg { a.terms } else { r.abs() };
        Number { value, error, terms, open, structural: a.structural, leaf: false, infinite: false }
    }

    pub(crate) fn binary(self, op: BinaryOp, a: Number, b: Number) -> Number {
        let dtype = self.dtype;
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) && (a.is_infinity() || b.is_infinity()) {
            // ∞ + b, ∞ − b, a + ∞ are ∞, a − ∞ is −∞; where both are infinite they agree.
            let n = match (a.is_infinity(), op) {
                (true, _) => Number { leaf: false, ..a },
                (false, BinaryOp::Add) => Number { leaf: false, ..b },
                (false, _) => b.opposite(),
            };
            // An operand that is read from a workspace is a number: the fill and a computed ∞ may come to NaN.
            let plain = op.apply(a.value, b.value).expect("the operator accepts the type");
            return Number { open: n.open | plain.to_f64().is_nan(), ..n };
        }
        // An idempotent operator leaves what it finds on both sides.
        if a.structural && b.structural && op.is_idempotent() && a.value == b.value {
            // An infinity that meets the same as a number leaves that.
            let kept = if a.infinite { b } else { a };
            // Where both annihilate, the one counts whose operand is gone first.
            let either = op.left_annihilators(dtype).contains(&a.value) && a.is_infinity() != b.is_infinity();
            return Number { open: a.open | b.open | either, leaf: false, ..kept };
        }
        let left = a.structural && op.left_annihilators(dtype).contains(&a.value);
        let right = b.structural && op.right_annihilators(dtype).contains(&b.value);
        match (left, right) {
            (true, true) => return Number { open: a.open | b.open | (a.value != b.value), leaf: false, ..a },
            (true, false) => return Number { leaf: false, ..a },
            (false, true) => return Number { leaf: false, ..b },
            (false, false) => {}
        }
        if a.structural && op.left_identity(dtype) == Some(a.value) {
            return Number { leaf: false, open: a.open | b.open, ..b };
        }
        if b.structural && op.right_identity(dtype) == Some(b.value) {
            return Number { leaf: false, open: a.open | b.open, ..a };
        }
        let mut n = self.apply(op, a, b);
        n.structural = a.structural && b.structural;
        n
    }

    /// An associative operator on integers. An infinity that no number changes is what it was; several, unless they are
    /// one to the operator, come to a number.
    pub(crate) fn several(self, op: BinaryOp, operands: Vec<Number>) -> Number {
        let open = self.folds_to_annihilator(op, &operands);
        let (mut infinite, finite): (Vec<_>, Vec<_>) = operands.into_iter().partition(|n| n.is_infinity());
        if op.is_idempotent() {
            infinite.sort_by_key(|n| n.value.to_f64() < 0.0);
            infinite.dedup_by(|next, kept| {
                kept.open |= next.open && next.value == kept.value;
                next.value == kept.value
            });
        }
        if infinite.len() > 1 {
            infinite.iter_mut().for_each(|n| n.infinite = false);
        }
        let all = finite.into_iter().chain(infinite);
        let n = all.reduce(|a, b| self.binary(op, a, b)).expect("an operator has operands");
        Number { open: n.open || open, ..n }
    }

    /// Do fills and literals of which none annihilates come to what does? Whether the other operands are met then is left open,
    /// which shows beside an infinity: `−∞ ^ 0` is −∞ if that 0 stands for what is not stored, and a number if it is one.
    fn folds_to_annihilator(self, op: BinaryOp, operands: &[Number]) -> bool {
        let annihilates = |v: Value| op.left_annihilators(self.dtype).contains(&v);
        let constants = || operands.iter().filter(|n| n.structural).map(|n| n.value);
        let folded = constants().reduce(|a, b| op.apply(a, b).expect("the operator accepts the type"));
        operands.iter().any(|n| !n.structural)
            && folded.is_some_and(annihilates)
            && !constants().any(annihilates)
    }

    /// The operator on ordinary numbers.
    fn apply(self, op: BinaryOp, a: Number, b: Number) -> Number {
        let value = op.apply(a.value, b.value).expect("the operator accepts the type");
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let mut n = Number {
            value,
            error: 0.0,
            terms: if is_sum { a.terms + b.terms } else { value.to_f64().abs() },
            open: a.open | b.open,
            structural: false,
            leaf: false,
            infinite: false,
        };
        if !self.dtype.is_float() {
            return n;
        }
        let (x, y, r) = (a.value.to_f64(), b.value.to_f64(), value.to_f64());
        // NaN where fills take part as numbers.
        n.open |= self.fills_take_part && r.is_nan();
        let exact = a.error == 0.0 && b.error == 0.0;
        let error = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let rounding = self.epsilon * (n.terms + r.abs());
                a.error + b.error + if exact && [x, y, r].into_iter().all(is_short) { 0.0 } else { rounding }
            }
            BinaryOp::Mul => {
                n.open |= r == 0.0 && x != 0.0 && y != 0.0;
                let rounding =
                    if exact && [x, y, r].into_iter().all(is_short) { 0.0 } else { self.epsilon * r.abs() };
                let of = |v: f64, e: f64| if e == 0.0 { 0.0 } else { v.abs() * e };
                of(x, b.error) + of(y, a.error) + a.error * b.error + rounding
            }
            BinaryOp::Div => {
                n.open |= b.error > 0.0 && y.abs() <= 4.0 * b.error;
                n.open |= r == 0.0 && x != 0.0 && y.is_finite();
                n.open |= y == 0.0 && x != 0.0 && (!b.leaf || y.is_sign_negative());
                let of = |e: f64| if e == 0.0 { 0.0 } else { e / y.abs() };
                of(a.error) + r.abs() * of(b.error) + self.epsilon * r.abs()
            }
            BinaryOp::Min | BinaryOp::Max => a.error.max(b.error),
            _ => {
                n.open |= !exact && (x - y).abs() <= 4.0 * (a.error + b.error);
                0.0
            }
        };
        (n.error, n.open) = self.settle(error, n.open, r);
        n
    }

    /// No bound where the value is not finite; near overflow or underflow, or with no bound, it is open.
    fn settle(self, error: f64, open: bool, r: f64) -> (f64, bool) {
        let (least, most) = self.range();
        let near_zero = r != 0.0 && r.abs() < least;
        if r.is_finite() {
            (error, open | !error.is_finite() | (r.abs() > most) | near_zero)
        } else {
            (0.0, open)
        }
    }

    /// Magnitudes that are not near underflow or overflow.
    fn range(self) -> (f64, f64) {
        match self.dtype {
            DType::F32 => (f64::from(f32::MIN_POSITIVE) * 1e8, f64::from(f32::MAX) / 1e3),
            _ => (f64::MIN_POSITIVE * 1e8, f64::MAX / 1e3),
        }
    }

    /// Does the type hold numbers of these sizes? They are binary logarithms.
    pub(crate) fn holds(self, largest: f64, smallest: f64) -> bool {
        let (least, most) = self.range();
        !self.dtype.is_float() || (largest <= most.log2() && smallest >= least.log2())
    }
}

/// Is it an infinity, or an integer that stands for one as a fill?
pub(crate) fn is_extreme(v: Value) -> bool {
    match v {
        Value::F32(v) => v.is_infinite(),
        Value::F64(v) => v.is_infinite(),
        Value::I32(v) => v == i32::MAX || v == i32::MIN,
        Value::I64(v) => v == i64::MAX || v == i64::MIN,
        Value::U8(v) => v == u8::MAX,
        Value::Bool(_) => false,
    }
}

/// Has it so few binary digits that sums and products of a few such are exact in `f32`?
fn is_short(v: f64) -> bool {
    v.abs() < 65536.0 && (v * 16.0).fract() == 0.0
}
