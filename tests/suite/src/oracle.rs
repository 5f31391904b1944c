//! The dense oracle: index notation evaluated by nested loops over every index variable.
//!
//! It shares nothing with the compiler but the scalar operators. Its rules are the language's (*The language* in
//! `ARCHITECTURE.md`):
//!
//! - A value is *structural* if it stands for something that is not stored, a literal, or an operator on structural
//!   values alone. A structural annihilator annihilates, even infinities and NaN; a structural identity leaves the
//!   other operand; a stored value takes part as an ordinary number, a stored 0 too.
//! - What a schedule precomputes takes part as a number, fills and all.
//! - Duplicates are summed.
//! - For `=` and `+=` each additive term is summed over its own variables that are not on the left; any other
//!   reduction goes over the whole right-hand side.
//!
//! [`number`](crate::number) is the arithmetic that tracks all this.

use crate::case::{Case, Entry, Operand};
use crate::number::{Arithmetic, Number};
use sparse_core::format::FormatSpec;
use sparse_core::front::ast::{Access, AssignOp, Expr, IndexVar, Mode};
use sparse_core::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};

/// What a tensor stores: the meaning of its entries in its format.
struct Stored {
    dims: Vec<usize>,
    /// In row-major order.
    values: Vec<Option<Value>>,
    fill: Value,
}

impl Stored {
    /// The stored elements of a tensor: its entries, duplicates summed, and what dense levels store besides.
    fn new(spec: &FormatSpec, dims: &[usize], entries: &[Entry], dtype: DType) -> Stored {
        let fill = spec.fill.value(dtype);
        let values = vec![None; dims.iter().product()];
        let mut stored = Stored { dims: dims.to_vec(), values, fill };
        for (c, v) in entries {
            let place = stored.place(c.iter().copied());
            let old = &mut stored.values[place];
            *old = Some(old.map_or(*v, |old| sum(old, *v)));
        }
        pad(spec, dims, entries.iter().map(|e| &e.0).collect(), &mut |c| {
            let place = stored.place(c.iter().copied());
            stored.values[place].get_or_insert(fill);
        });
        stored
    }

    fn of(t: &Operand, dtype: DType) -> Stored {
        Stored::new(&t.spec, &t.dims, &t.entries, dtype)
    }

    fn place(&self, at: impl Iterator<Item = usize>) -> usize {
        at.zip(&self.dims).fold(0, |place, (c, dim)| {
            assert!(c < *dim, "{c} is not a coordinate of {dim}");
            place * dim + c
        })
    }

    fn read(&self, at: impl Iterator<Item = usize>) -> Number {
        match self.values[self.place(at)] {
            Some(v) => Number::leaf(v, false),
            None => Number::leaf(self.fill, true),
        }
    }
}

fn sum(a: Value, b: Value) -> Value {
    let op = if a.dtype() == DType::Bool { BinaryOp::Or } else { BinaryOp::Add };
    op.apply(a, b).expect("both are of one type")
}

/// Walks the storage tree over these entries: every coordinate of a dense level, those of the entries in the others.
pub(crate) fn pad(
    spec: &FormatSpec,
    dims: &[usize],
    mut entries: Vec<&Vec<usize>>,
    f: &mut impl FnMut(&[usize]),
) {
    let order: Vec<usize> = (0..spec.rank()).map(|level| spec.map.dim_of_level(level)).collect();
    entries.sort_by(|a, b| order.iter().map(|&d| a[d]).cmp(order.iter().map(|&d| b[d])));
    pad_level(spec, dims, &entries, 0, &mut vec![0; dims.len()], f);
}

/// The entries are sorted, and have these coordinates of the levels above.
fn pad_level(
    spec: &FormatSpec,
    dims: &[usize],
    mut below: &[&Vec<usize>],
    level: usize,
    at: &mut [usize],
    f: &mut impl FnMut(&[usize]),
) {
    if level == spec.rank() {
        f(at);
        return;
    }
    let (dim, full) = (spec.map.dim_of_level(level), spec.levels[level].is_full());
    let mut c = 0;
    loop {
        match below.first() {
            Some(first) if !full => c = first[dim],
            _ if full && c < dims[dim] => {}
            _ => return,
        }
        let (these, after) = below.split_at(below.partition_point(|e| e[dim] <= c));
        at[dim] = c;
        pad_level(spec, dims, these, level + 1, at, f);
        below = after;
        c += 1;
    }
}

/// Calls `f` on every point of a box, last coordinate fastest.
pub fn for_each_point(dims: &[usize], f: &mut impl FnMut(&[usize])) {
    if dims.contains(&0) {
        return;
    }
    let mut at = vec![0; dims.len()];
    loop {
        f(&at);
        let Some(d) = (0..dims.len()).rev().find(|&d| at[d] + 1 < dims[d]) else { return };
        at[d] += 1;
        at[d + 1..].fill(0);
    }
}

/// What the kernel's output must be, in row-major order. Where a schedule precomputes, fills that take part as numbers
/// may make NaN, or of an integer's infinities other values, and then the rules leave the element open.
pub fn evaluate(case: &Case) -> Vec<Number> {
    let mut out = elements(&Oracle::new(case), case);
    if case.schedule.iter().any(|c| c.name == "precompute") {
        let mut oracle = Oracle::new(case);
        oracle.arithmetic.fills_take_part = true;
        // A workspace that nothing is summed into is a number too, which may be divided by zero or multiplied with infinity.
        let of_tensor = |t: &Operand| {
            let fill = t.spec.fill.value(case.dtype);
            !fill.to_f64().is_finite() || t.entries.iter().any(|e| !e.1.to_f64().is_finite())
        };
        let infinite =
            case.tensors.iter().any(of_tensor) || case.scalars.iter().any(|s| !s.1.to_f64().is_finite());
        let nothing =
            case.vars.iter().any(|(_, size)| *size == 0) && (infinite || divides(&case.assignment.rhs));
        for (n, plain) in out.iter_mut().zip(elements(&oracle, case)) {
            n.open |= if case.dtype.is_float() {
                nothing || plain.open || plain.value.to_f64().is_nan()
            } else {
                plain.value != n.value
            };
        }
    }
    out
}

fn divides(e: &Expr) -> bool {
    e.any(|e| matches!(e, Expr::Binary(BinaryOp::Div, ..)))
}

fn elements(oracle: &Oracle<'_>, case: &Case) -> Vec<Number> {
    let lhs = &case.assignment.lhs;
    let mut out = Vec::new();
    for_each_point(&case.output().dims, &mut |at| {
        let mut point = vec![0; case.vars.len()];
        for (v, &c) in lhs.indices.iter().zip(at) {
            point[v.index()] = c;
        }
        out.push(oracle.element(at, &mut point));
    });
    out
}

/// What an expression is when nothing sparse is stored: the value of all elements of a result that are not assembled.
/// `None` if it depends on a stored value or a scalar.
pub fn background(case: &Case) -> Option<Value> {
    background_without(case, &|_, t| !t.spec.is_dense())
}

/// The same where only these sparse tensors store nothing.
pub(crate) fn background_without(case: &Case, without: &dyn Fn(usize, &Operand) -> bool) -> Option<Value> {
    let mut empty = case.clone();
    // Under a dense root everything below may still be absent, so look at one point of a tensor without dense padding.
    for (number, t) in empty.tensors.iter_mut().enumerate() {
        let stores = !without(number, t);
        t.entries.clear();
        if !t.spec.is_dense() {
            t.spec.levels.fill(sparse_core::format::Level::Compressed { unique: true });
        }
        t.dims.fill(1);
        if stores && t.mode == Mode::Input {
            t.entries = vec![(vec![0; t.dims.len()], case.dtype.from_i64(1))];
        }
    }
    empty.vars.iter_mut().for_each(|v| v.1 = 1);
    let oracle = Oracle::new(&empty);
    let mut point = vec![0; empty.vars.len()];
    let n = oracle.right_side(&mut point);
    n.structural.then_some(n.value)
}

struct Oracle<'a> {
    case: &'a Case,
    stored: Vec<Stored>,
    sizes: Vec<usize>,
    arithmetic: Arithmetic,
}

impl<'a> Oracle<'a> {
    fn new(case: &'a Case) -> Self {
        let stored = case.tensors.iter().map(|t| Stored::of(t, case.dtype)).collect();
        let mut oracle =
            Oracle { case, stored, sizes: case.sizes(), arithmetic: Arithmetic::new(case.dtype) };
        oracle.arithmetic.begins = !oracle.free_vars(&case.assignment.rhs).is_empty();
        oracle
    }

    /// The output's element at these coordinates, which are bound in `point`.
    fn element(&self, at: &[usize], point: &mut [usize]) -> Number {
        let (a, dtype) = (&self.case.assignment, self.case.dtype);
        // A variable twice on the left names the diagonal; the rest of the output is left alone.
        let on_diagonal = a.lhs.indices.iter().zip(at).all(|(v, &c)| point[v.index()] == c);
        let old = match (self.case.output().mode, a.op) {
            (Mode::InOut, op) => {
                let old = Number {
                    structural: false,
                    ..self.stored[a.lhs.tensor.index()].read(at.iter().copied())
                };
                match op {
                    // NaN loses to anything that is reduced into it, and may lose to nothing at all.
                    AssignOp::Reduce(m @ (Monoid::Min | Monoid::Max)) if old.value.to_f64().is_nan() => {
                        let identity = m.identity(dtype).expect("checked with the kernel");
                        Number { open: true, ..Number::leaf(identity, true) }
                    }
                    _ => old,
                }
            }
            (_, AssignOp::Reduce(m)) => {
                Number::leaf(m.identity(dtype).expect("checked with the kernel"), true)
            }
            _ => Number::leaf(self.case.output().spec.fill.value(dtype), true),
        };
        if !on_diagonal {
            return old;
        }
        match a.op {
            AssignOp::Assign => self.right_side(point),
            AssignOp::Reduce(Monoid::Add) => {
                let new = self.right_side(point);
                self.arithmetic.accumulate(Monoid::Add, old, new)
            }
            AssignOp::Reduce(m) => self.reduce(m, old, &a.rhs, point),
        }
    }

    /// The right-hand side where the left's variables are bound; sums applied.
    fn right_side(&self, point: &mut [usize]) -> Number {
        match self.case.assignment.op {
            AssignOp::Reduce(m) if m != Monoid::Add => {
                let start = Number::leaf(m.identity(self.case.dtype).expect("checked with the kernel"), true);
                self.reduce(m, start, &self.case.assignment.rhs, point)
            }
            _ => self.scoped(&self.case.assignment.rhs, point),
        }
    }

    /// An expression in which each additive term is summed over its own variables.
    fn scoped(&self, e: &Expr, point: &mut [usize]) -> Number {
        match e {
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (a, b) = (self.scoped(a, point), self.scoped(b, point));
                self.arithmetic.binary(*op, a, b)
            }
            Expr::Unary(UnaryOp::Neg, a) => {
                let a = self.scoped(a, point);
                self.arithmetic.unary(UnaryOp::Neg, a)
            }
            term if self.free_vars(term).is_empty() => self.value(term, point),
            term => {
                let zero = Number::leaf(self.case.dtype.zero(), true);
                let sum = self.reduce(Monoid::Add, zero, term, point);
                // A sum that is not known to be zero is a number like any other, even if its terms are fills.
                Number { structural: sum.structural && sum.value.is_zero(), ..sum }
            }
        }
    }

    /// Reduces an expression over its variables that are not on the left.
    fn reduce(&self, m: Monoid, start: Number, e: &Expr, point: &mut [usize]) -> Number {
        let vars = self.free_vars(e);
        let sizes: Vec<usize> = vars.iter().map(|v| self.sizes[v.index()]).collect();
        let mut total = start;
        let mut factors = Factors::default();
        factors.take(start);
        for_each_point(&sizes, &mut |at| {
            for (v, &c) in vars.iter().zip(at) {
                point[v.index()] = c;
            }
            let value = self.value(e, point);
            factors.take(value);
            total = self.arithmetic.accumulate(m, total, value);
        });
        total.open |= m == Monoid::Mul && !self.arithmetic.holds(factors.largest, factors.smallest);
        // A fixed factor may be taken out of a sum: ∞·0 + ∞·1 is NaN, ∞·(0 + 1) is not.
        total.open |=
            m == Monoid::Add && !total.value.to_f64().is_finite() && self.has_fixed_factor(e, &vars);
        total
    }

    /// Is the expression a product with a factor that does not have all of these variables, or does not where a sparse
    /// operand stores nothing?
    fn has_fixed_factor(&self, e: &Expr, vars: &[IndexVar]) -> bool {
        match e {
            Expr::Binary(BinaryOp::Mul, a, b) => [a, b]
                .into_iter()
                .any(|e| vars.iter().any(|&v| self.may_be_fixed(e, v)) || self.has_fixed_factor(e, vars)),
            Expr::Binary(BinaryOp::Div, a, _) | Expr::Unary(UnaryOp::Neg, a) => {
                self.has_fixed_factor(a, vars)
            }
            _ => false,
        }
    }

    /// Can what is left of an expression be without this variable? In `A[i, j] + b[i]` j is gone where A stores nothing.
    fn may_be_fixed(&self, e: &Expr, v: IndexVar) -> bool {
        let fixed = |e: &Expr| self.may_be_fixed(e, v);
        let spec = |a: &Access| &self.case.tensors[a.tensor.index()].spec;
        let vanishes = |e: &Expr| {
            let mut any = false;
            e.for_each_access(&mut |a| any |= !spec(a).is_dense());
            any
        };
        match e {
            // A factor of zero leaves no product, any other fill is a fixed factor.
            Expr::Access(a) => {
                let fill = spec(a).fill.value(self.case.dtype);
                !a.indices.contains(&v) || !spec(a).is_dense() && !fill.is_zero()
            }
            Expr::Literal(_) | Expr::Scalar(_) => true,
            Expr::Unary(_, a) => fixed(a),
            Expr::Binary(BinaryOp::Mul, a, b) => fixed(a) && fixed(b),
            Expr::Binary(_, a, b) => fixed(a) && (fixed(b) || vanishes(b)) || vanishes(a) && fixed(b),
        }
    }

    fn free_vars(&self, e: &Expr) -> Vec<IndexVar> {
        let bound = &self.case.assignment.lhs.indices;
        let mut vars = Vec::new();
        e.for_each_access(&mut |a| {
            for v in &a.indices {
                if !bound.contains(v) && !vars.contains(v) {
                    vars.push(*v);
                }
            }
        });
        vars
    }

    fn value(&self, e: &Expr, point: &[usize]) -> Number {
        match e {
            Expr::Access(a) => self.number(self.access(a, point)),
            Expr::Literal(v) => self.number(Number::literal(*v)),
            Expr::Scalar(n) => Number::leaf(self.case.scalars[*n].1, false),
            Expr::Unary(op, a) => self.arithmetic.unary(*op, self.value(a, point)),
            Expr::Binary(op, ..) if self.case.dtype.is_integer() && makes_numbers_of_infinities(*op) => {
                let mut operands = Vec::new();
                self.operands(*op, e, point, &mut operands);
                self.arithmetic.several(*op, operands)
            }
            Expr::Binary(op, a, b) => self.arithmetic.binary(*op, self.value(a, point), self.value(b, point)),
        }
    }

    /// The operands of an associative operator, however they are grouped.
    fn operands(&self, op: BinaryOp, e: &Expr, point: &[usize], out: &mut Vec<Number>) {
        match e {
            Expr::Binary(inner, a, b) if *inner == op => {
                self.operands(op, a, point, out);
                self.operands(op, b, point, out);
            }
            e => out.push(self.value(e, point)),
        }
    }

    fn number(&self, n: Number) -> Number {
        if self.arithmetic.fills_take_part {
            Number { structural: false, open: n.open || n.value.to_f64().is_nan(), ..n }
        } else {
            n
        }
    }

    fn access(&self, a: &Access, point: &[usize]) -> Number {
        self.stored[a.tensor.index()].read(a.indices.iter().map(|v| point[v.index()]))
    }
}

/// Is what it makes of two infinities of integers a number, in whatever order they come?
fn makes_numbers_of_infinities(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

/// How large and how small the product of some of a reduction's values may be. They may come in any order: what is 0 in
/// one is NaN in another, where those before the 0 overflow.
#[derive(Default)]
struct Factors {
    /// Binary logarithms.
    largest: f64,
    smallest: f64,
}

impl Factors {
    fn take(&mut self, n: Number) {
        let size = n.value.to_f64().abs().log2();
        if size.is_finite() {
            self.largest += size.max(0.0);
            self.smallest += size.min(0.0);
        }
    }
}
