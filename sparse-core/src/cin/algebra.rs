//! The algebra that sparsity comes from.
//!
//! [`simplify`] applies identities, annihilators, idempotence and constant folding to a [`Val`], nothing else: replacing an
//! operand by its fill and simplifying is how the compiler learns what has to be computed where the operand stores nothing. A
//! fill or literal that annihilates an operator does so whatever the other operand is, infinities and NaN included (*The
//! language* in `ARCHITECTURE.md`).
//!
//! An infinite fill or literal annihilates a sum. Infinities of integers are their largest and smallest values, as fills;
//! since kernels can name these as numbers, and arithmetic can make them by wrapping, they are constants of their own:
//! [`Val::Infinite`].

use super::val::{Nest, Production, Val};
use crate::scalar::{BinaryOp, DType, UnaryOp, Value};

/// An equal value in which no identity, annihilator, duplicate or constant operation is left. A constant 0 has no sign: 0 − 0 is
/// the same as −0, whichever operand is gone first.
pub fn simplify(v: &Val, t: DType) -> Val {
    match simplified(v, t) {
        Val::Lit(v) if v.is_zero() => Val::Lit(t.zero()),
        v => v,
    }
}

fn simplified(v: &Val, t: DType) -> Val {
    match v {
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => v.clone(),
        Val::Un(op, a) => match (op, simplify(a, t)) {
            (UnaryOp::Neg, Val::Infinite(a)) => Val::structural(t.opposite_infinity(a)),
            (UnaryOp::Abs, Val::Infinite(_)) => Val::Infinite(t.pos_inf()),
            (UnaryOp::Neg, Val::Un(UnaryOp::Neg, a)) => *a,
            (op, a) => match a.constant().and_then(|a| op.apply(a)) {
                Some(v) => Val::Lit(v),
                None => Val::Un(*op, Box::new(a)),
            },
        },
        Val::Reduce(m, vars, a) => match simplify(a, t) {
            a if a.constant().is_some() && a.constant() == m.identity(t) => a,
            a => Val::Reduce(*m, vars.clone(), Box::new(a)),
        },
        Val::Work(p) => match (p.nest.op, simplify(&p.nest.rhs, t)) {
            (None, v) if v.constant().is_some() => v,
            (Some(m), v) if v.constant().is_some() && v.constant() == m.identity(t) => v,
            (_, rhs) => {
                let nest = Nest { rhs, ..p.nest.clone() };
                Val::Work(Box::new(Production { nest, ..(**p).clone() }))
            }
        },
        Val::Op(op, args) => {
            let args: Vec<_> = args.iter().map(|a| simplify(a, t)).collect();
            if op.is_associative() { nary(*op, args, t) } else { binary(*op, args, t) }
        }
    }
}

/// Does a constant annihilate an operator, as its left operand?
fn annihilates(op: BinaryOp, v: &Val, t: DType) -> bool {
    v.constant().is_some_and(|c| op.left_annihilators(t).contains(&c))
}

/// Does an operator leave its left operand as it is if this constant is the right one?
///
/// Not if it is a number as large as an infinity of its type, and the operator idempotent. What is not stored may make such a
/// number, as `!b` does, before another operand turns out to be infinite, for which it is there still: `min` of both is the
/// number, whichever was gone first.
fn is_identity(op: BinaryOp, v: &Val, t: DType) -> bool {
    let like_infinity = |v: &Val| matches!(v, Val::Lit(v) if matches!(Val::structural(*v), Val::Infinite(_)));
    v.constant().is_some()
        && v.constant() == op.right_identity(t)
        && !(op.is_idempotent() && like_infinity(v))
}

/// Folds two constants: an annihilator wins, the left one first, and a number before an infinity; an identity leaves the other,
/// even NaN. So it does not matter which of several fills is put in first.
fn fold(op: BinaryOp, a: &Val, b: &Val, t: DType) -> Option<Val> {
    let (x, y) = (a.constant()?, b.constant()?);
    if let Some(infinity) = infinite_sum(op, a, b) {
        Some(infinity)
    } else if op.is_idempotent() && x == y {
        Some(if a.infinity().is_some() { b.clone() } else { a.clone() })
    } else if annihilates(op, a, t) {
        Some(a.clone())
    } else if op.right_annihilators(t).contains(&y) || op.left_identity(t) == Some(x) {
        Some(b.clone())
    } else if op.right_identity(t) == Some(y) {
        Some(a.clone())
    } else {
        op.apply(x, y).map(Val::Lit)
    }
}

/// A sum or difference in which one side is infinite; the left one wins.
fn infinite_sum(op: BinaryOp, a: &Val, b: &Val) -> Option<Val> {
    let left = a.infinity().and_then(|v| op.of_infinite_left(v));
    left.or_else(|| b.infinity().and_then(|v| op.of_infinite_right(v))).map(Val::structural)
}

/// An associative and commutative operator: flatten, fold constants into one at the front, or in a product of floats where the
/// first of them stands, drop identities and, where the operator is idempotent, duplicates.
fn nary(op: BinaryOp, args: Vec<Val>, t: DType) -> Val {
    // Most operators have nothing of this.
    let stays = |v: &Val| match v {
        Val::Lit(_) | Val::Infinite(_) => false,
        Val::Op(inner, _) => *inner != op,
        _ => true,
    };
    if args.len() > 1 && !op.is_idempotent() && args.iter().all(stays) {
        return Val::Op(op, args);
    }
    let mut constants = Constants { op, t, number: None, apart: false, infinite: Vec::new() };
    let grouped = Val::Op(op, args.clone());
    let mut rest: Vec<Val> = Vec::new();
    let mut first = None;
    let mut add = |v: Val| match v {
        v @ (Val::Lit(_) | Val::Infinite(_)) => {
            first.get_or_insert(rest.len());
            constants.add(v);
        }
        v if op.is_idempotent() && rest.contains(&v) => {}
        v => rest.push(v),
    };
    for arg in args {
        match arg {
            Val::Op(inner, args) if inner == op => args.into_iter().for_each(&mut add),
            arg => add(arg),
        }
    }
    if let Some(c) = constants.folded() {
        let decides = annihilates(op, &c, t) || c.infinity().and_then(|v| op.of_infinite_left(v)).is_some();
        if decides || rest.is_empty() && !constants.apart {
            return c;
        }
    }
    if constants.apart {
        return grouped;
    }
    // A small factor after a large one keeps the product in the range of its type.
    let at = first.filter(|_| op == BinaryOp::Mul && t.is_float()).unwrap_or(0);
    rest.splice(at..at, constants.remaining());
    if rest.len() == 1 { rest.remove(0) } else { Val::Op(op, rest) }
}

/// The constants among the operands of an associative and commutative operator.
///
/// Those that stand for infinities are kept apart as long as other operands may become constants too: two of them
/// multiplied are a number, and where that happens to be 1, it must not leave a third as the infinity that it is alone.
struct Constants {
    op: BinaryOp,
    t: DType,
    /// Of all others: what they come to.
    number: Option<Val>,
    /// Do some come to what neither is, 0 or no finite number? With the operands between them they need not, so that they
    /// stay where they are; unless one annihilates.
    apart: bool,
    infinite: Vec<Val>,
}

impl Constants {
    fn add(&mut self, v: Val) {
        let apart = matches!(v, Val::Infinite(_))
            && matches!(self.op, BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        if !apart {
            self.number = Some(match self.number.take() {
                Some(c) => {
                    let folded = fold(self.op, &c, &v, self.t).unwrap_or_else(|| v.clone());
                    let lost = is_ordinary(&c) && is_ordinary(&v) && is_lost(self.op, &folded);
                    self.apart |= lost;
                    if lost { c } else { folded }
                }
                None => v,
            });
        } else if !(self.op.is_idempotent() && self.infinite.contains(&v)) {
            self.infinite.push(v);
        }
    }

    /// All of them as one. Of several infinities the operator makes a number.
    fn folded(&self) -> Option<Val> {
        let several = self.infinite.len() > 1;
        let infinite = self.infinite.iter().map(|v| match v {
            Val::Infinite(v) if several => Val::Lit(*v),
            v => v.clone(),
        });
        let all = self.number.iter().cloned().chain(infinite);
        all.reduce(|a, b| fold(self.op, &a, &b, self.t).unwrap_or(b))
    }

    /// Those that are no identities.
    fn remaining(self) -> Vec<Val> {
        let (op, t) = (self.op, self.t);
        self.number.into_iter().chain(self.infinite).filter(|c| !is_identity(op, c, t)).collect()
    }
}

/// Is it a finite number other than 0?
fn is_ordinary(v: &Val) -> bool {
    v.constant().is_some_and(|v| v.to_f64().is_finite() && !v.is_zero())
}

/// Has an operator on ordinary numbers passed the range of its type?
fn is_lost(op: BinaryOp, result: &Val) -> bool {
    let Some(v) = result.constant().filter(|v| v.dtype().is_float()) else { return false };
    let normal = match v {
        Value::F32(v) => v.is_normal(),
        v => v.to_f64().is_normal(),
    };
    !normal && (op == BinaryOp::Mul || !v.to_f64().is_finite())
}

fn binary(op: BinaryOp, args: Vec<Val>, t: DType) -> Val {
    let [a, b] =
        <[Val; 2]>::try_from(args).unwrap_or_else(|_| unreachable!("binary operators have two arguments"));
    if let Some(v) = fold(op, &a, &b, t).or_else(|| infinite_sum(op, &a, &b)) {
        return v;
    }
    if let Some(z) = a.constant() {
        if op.left_annihilators(t).contains(&z) {
            return a;
        }
        if op == BinaryOp::Sub && z.is_zero() && UnaryOp::Neg.accepts(t) {
            return simplify(&Val::Un(UnaryOp::Neg, Box::new(b)), t);
        }
    }
    if let Some(e) = b.constant()
        && op.right_identity(t) == Some(e)
    {
        return a;
    }
    Val::Op(op, vec![a, b])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cin::val::AccessId;

    fn acc(n: u32) -> Val {
        Val::Access(AccessId(n))
    }

    #[test]
    fn a_fill_that_annihilates_deletes_its_term() {
        let t = DType::F32;
        let product = Val::Op(BinaryOp::Mul, vec![acc(0), acc(1)]);
        let sum = Val::Op(BinaryOp::Add, vec![product, acc(2)]);
        assert_eq!(simplify(&sum.replace(AccessId(0), t.zero()), t), acc(2));
        assert_eq!(
            simplify(&sum.replace(AccessId(2), t.zero()), t),
            Val::Op(BinaryOp::Mul, vec![acc(0), acc(1)])
        );
    }

    #[test]
    fn literals_that_pass_the_range_of_their_type_stay_where_they_are() {
        let t = DType::F32;
        let of = |op, v: f32| {
            let once = Val::Op(op, vec![acc(0), Val::Lit(Value::F32(v))]);
            Val::Op(op, vec![once, Val::Lit(Value::F32(v))])
        };
        for (op, v) in [(BinaryOp::Mul, 1e-30), (BinaryOp::Mul, 1e30), (BinaryOp::Add, 3e38)] {
            let literal = Val::Lit(Value::F32(v));
            let mut once = vec![acc(0), literal.clone()];
            if op == BinaryOp::Add {
                once.reverse();
            }
            let kept = Val::Op(op, vec![Val::Op(op, once), literal]);
            let v = of(op, v);
            assert_eq!(simplify(&v, t), kept);
            assert_eq!(simplify(&kept, t), kept);
            // What is not stored still decides.
            let fill = op.left_annihilators(t).first().copied().unwrap_or(t.neg_inf());
            assert_eq!(simplify(&v.replace(AccessId(0), fill), t), Val::Lit(fill));
        }
        assert!(matches!(simplify(&of(BinaryOp::Mul, 1e-3), t), Val::Op(_, args) if args.len() == 2));
    }

    #[test]
    fn division_keeps_its_sides_apart() {
        let t = DType::F64;
        let q = Val::Op(BinaryOp::Div, vec![acc(0), acc(1)]);
        assert_eq!(simplify(&q.replace(AccessId(0), t.zero()), t), Val::Lit(t.zero()));
        assert_eq!(simplify(&q.replace(AccessId(1), t.one()), t), acc(0));
        assert!(matches!(simplify(&q.replace(AccessId(1), t.zero()), t), Val::Op(BinaryOp::Div, _)));
    }

    #[test]
    fn min_plus_annihilates_at_infinity() {
        let t = DType::F32;
        let s = Val::Op(BinaryOp::Add, vec![acc(0), acc(1)]);
        assert_eq!(simplify(&s.replace(AccessId(0), t.pos_inf()), t), Val::Lit(t.pos_inf()));
    }

    #[test]
    fn integer_infinities_annihilate_as_those_of_floats_do() {
        for t in [DType::F64, DType::I32, DType::I64] {
            let is = |op, gone: u32, fill: Value, want: Value| {
                let v = Val::Op(op, vec![acc(0), acc(1)]).replace(AccessId(gone), fill);
                assert_eq!(simplify(&v, t).constant(), Some(want), "{op:?} {gone} {fill} in {t}");
            };
            for (v, opposite) in [(t.pos_inf(), t.neg_inf()), (t.neg_inf(), t.pos_inf())] {
                is(BinaryOp::Add, 0, v, v);
                is(BinaryOp::Add, 1, v, v);
                is(BinaryOp::Sub, 0, v, v);
                is(BinaryOp::Sub, 1, v, opposite);
                let negated = Val::Un(UnaryOp::Neg, Box::new(acc(0))).replace(AccessId(0), v);
                assert_eq!(simplify(&negated, t).constant(), Some(opposite));
            }
        }
    }

    #[test]
    fn what_integer_arithmetic_makes_is_not_infinite() {
        let t = DType::U8;
        let lit = |v: u8| Val::structural(Value::U8(v));
        let sum = |args| Val::Op(BinaryOp::Add, args);
        for v in [sum(vec![lit(200), lit(55)]), Val::Un(UnaryOp::Not, Box::new(lit(0)))] {
            assert_eq!(simplify(&v, t), Val::Lit(Value::U8(255)));
            let more = sum(vec![v, acc(0)]);
            assert_eq!(simplify(&more, t), sum(vec![Val::Lit(Value::U8(255)), acc(0)]));
        }
        assert_eq!(simplify(&sum(vec![lit(255), acc(0)]), t), lit(255));
        assert_eq!(simplify(&sum(vec![lit(0), acc(0)]), t), acc(0), "an unsigned 0 is no −∞");
    }

    /// Whichever operand is put in first, a product of fills comes to the same constant.
    #[test]
    fn the_order_in_which_operands_are_gone_does_not_matter() {
        for t in [DType::I32, DType::I64, DType::U8] {
            let fills = [t.zero(), t.one(), t.pos_inf(), t.neg_inf()];
            for op in
                [BinaryOp::Mul, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Min, BinaryOp::Max]
            {
                for (k, third) in (0..4usize.pow(3)).flat_map(|k| [(k, 0), (k, 1), (k, 2)]) {
                    let fill = |n: u32| fills[k >> (2 * n) & 3];
                    let pair = Val::Op(op, vec![acc(0), acc(1)]);
                    let last = match third {
                        0 => acc(2),
                        1 => Val::Lit(fill(2)),
                        // A number that may be as large as an infinity, when it is gone.
                        _ => Val::Un(UnaryOp::Not, Box::new(acc(2))),
                    };
                    let v = Val::Op(op, vec![pair, last]);
                    let gone = |order: [u32; 3]| {
                        order
                            .into_iter()
                            .fold(v.clone(), |v, n| simplify(&v.replace(AccessId(n), fill(n)), t))
                    };
                    let first = gone([0, 1, 2]);
                    let number = UnaryOp::Not.apply(fill(2)).filter(|_| third == 2);
                    let annihilates = number.is_some_and(|n| op.left_annihilators(t).contains(&n));
                    if annihilates || third == 2 && op == BinaryOp::Or {
                        // Once it is gone nobody asks whether an operand is infinite; bits of several may come to that.
                        continue;
                    }
                    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                        assert_eq!(
                            gone(order),
                            first,
                            "{op:?} of {:?}, {order:?}, {third}",
                            [0, 1, 2].map(fill)
                        );
                    }
                }
            }
        }
    }
}
