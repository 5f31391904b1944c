//! The algebra that sparsity comes from.
//!
//! A [`Val`] is a right-hand side during lowering. [`simplify`] applies identities, annihilators, idempotence and
//! constant folding, nothing else: replacing an operand by its fill and simplifying is how the compiler learns what
//! has to be computed where the operand stores nothing. A fill or literal that annihilates an operator does so
//! whatever the other operand is, infinities and NaN included (DESIGN: numeric policy).
//!
//! An infinite fill or literal annihilates a sum. Infinities of integers are their largest and smallest values, as fills;
//! since kernels can name these as numbers, and arithmetic can make them by wrapping, they are constants of their own:
//! [`Val::Infinite`].

use super::{Cin, Expr, Stmt, Target, Workspace};
use crate::cin::Access;
use crate::front::ast::IndexVar;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};

/// A distinct access: equal accesses share one number, and so one iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccessId(pub u32);

impl AccessId {
    /// As an index into a table of accesses.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What stands for an element that is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// A number, be it the largest or the least of integers.
    Number(Value),
    /// A fill: of an integer type these two are the infinities.
    Fill(Value),
}

impl Constant {
    /// As it is stored.
    pub fn value(self) -> Value {
        let (Constant::Number(v) | Constant::Fill(v)) = self;
        v
    }
}

impl From<Value> for Constant {
    fn from(fill: Value) -> Constant {
        Constant::Fill(fill)
    }
}

impl From<Constant> for Val {
    fn from(c: Constant) -> Val {
        match c {
            Constant::Number(v) => Val::Lit(v),
            Constant::Fill(v) => Val::structural(v),
        }
    }
}

/// A right-hand side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Val {
    /// A constant: a literal, or the fill of an operand that stores nothing here.
    Lit(Value),
    /// A fill of an integer type that stands for an infinity.
    Infinite(Value),
    /// An operand.
    Access(AccessId),
    /// A scalar parameter.
    Param(usize),
    /// A scalar that lowering has computed (by its number there).
    Temp(u32),
    /// A unary operator.
    Un(UnaryOp, Box<Val>),
    /// An operator: any number of arguments if it is associative, else two.
    Op(BinaryOp, Vec<Val>),
    /// A reduction with loops of its own.
    Reduce(Monoid, Vec<IndexVar>, Box<Val>),
    /// An element of a workspace that its producer has yet to fill.
    Work(Box<Production>),
}

/// A workspace's producer, and the element that the consumer reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Production {
    /// The workspace.
    pub workspace: Workspace,
    /// The element that the consumer reads.
    pub read: Vec<IndexVar>,
    /// The element that the producer writes.
    pub written: Vec<IndexVar>,
    /// The producer.
    pub nest: Nest,
}

/// An assignment's loops, operator and value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nest {
    /// Loops, outermost first.
    pub loops: Vec<IndexVar>,
    /// Where workspaces are filled: inside all loops but the last so many.
    pub opens: Vec<(usize, Workspace)>,
    /// Reduction.
    pub op: Option<Monoid>,
    /// Value.
    pub rhs: Val,
}

impl Val {
    /// Calls `f` on every access, reductions included.
    pub fn for_each_access(&self, f: &mut impl FnMut(AccessId)) {
        match self {
            Val::Access(a) => f(*a),
            Val::Lit(_) | Val::Infinite(_) | Val::Param(_) | Val::Temp(_) => {}
            Val::Un(_, a) | Val::Reduce(_, _, a) => a.for_each_access(f),
            Val::Op(_, args) => args.iter().for_each(|a| a.for_each_access(f)),
            Val::Work(p) => p.nest.rhs.for_each_access(f),
        }
    }

    /// With every part that `f` has something for replaced by it, from the outside in.
    #[must_use]
    pub fn map(&self, f: &impl Fn(&Val) -> Option<Val>) -> Val {
        if let Some(by) = f(self) {
            return by;
        }
        match self {
            Val::Access(_) | Val::Lit(_) | Val::Infinite(_) | Val::Param(_) | Val::Temp(_) => self.clone(),
            Val::Un(op, a) => Val::Un(*op, Box::new(a.map(f))),
            Val::Op(op, args) => Val::Op(*op, args.iter().map(|a| a.map(f)).collect()),
            Val::Reduce(m, vars, a) => Val::Reduce(*m, vars.clone(), Box::new(a.map(f))),
            Val::Work(p) => {
                let nest = Nest { rhs: p.nest.rhs.map(f), ..p.nest.clone() };
                Val::Work(Box::new(Production { nest, ..(**p).clone() }))
            }
        }
    }

    /// The workspaces that are still to be filled, outermost first.
    pub fn for_each_production<'a>(&'a self, f: &mut impl FnMut(&'a Production)) {
        match self {
            Val::Access(_) | Val::Lit(_) | Val::Infinite(_) | Val::Param(_) | Val::Temp(_) => {}
            Val::Un(_, a) | Val::Reduce(_, _, a) => a.for_each_production(f),
            Val::Op(_, args) => args.iter().for_each(|a| a.for_each_production(f)),
            Val::Work(p) => {
                f(p);
                p.nest.rhs.for_each_production(f);
            }
        }
    }

    /// Is this access in it?
    pub fn contains(&self, access: AccessId) -> bool {
        let mut found = false;
        self.for_each_access(&mut |a| found |= a == access);
        found
    }

    /// A fill.
    pub fn structural(v: Value) -> Val {
        let t = v.dtype();
        if t.is_integer() && t.is_infinity(v) { Val::Infinite(v) } else { Val::Lit(v) }
    }

    /// The value of a constant.
    pub fn constant(&self) -> Option<Value> {
        match self {
            Val::Lit(v) | Val::Infinite(v) => Some(*v),
            _ => None,
        }
    }

    /// A constant, for what is not stored.
    pub fn unstored(&self) -> Option<Constant> {
        match self {
            Val::Lit(v) => Some(Constant::Number(*v)),
            Val::Infinite(v) => Some(Constant::Fill(*v)),
            _ => None,
        }
    }

    /// Is it a constant that stands for an infinity?
    pub fn is_infinite(&self) -> bool {
        self.infinity().is_some()
    }

    /// The infinity that a constant stands for.
    fn infinity(&self) -> Option<Value> {
        match self {
            Val::Infinite(v) => Some(*v),
            Val::Lit(v) => (v.dtype().is_float() && v.dtype().is_infinity(*v)).then_some(*v),
            _ => None,
        }
    }

    /// Of a reduction that stands for itself, the value without terms.
    fn of_nothing(&self, t: DType) -> Val {
        let op = match self {
            Val::Reduce(m, ..) => Some(*m),
            Val::Work(p) => p.nest.op,
            _ => None,
        };
        op.and_then(|m| m.identity(t)).map_or_else(|| self.clone(), Val::structural)
    }

    /// With every occurrence of an access replaced by its fill.
    #[must_use]
    pub fn replace(&self, access: AccessId, by: impl Into<Constant>) -> Val {
        let by = Val::from(by.into());
        self.map(&|v| matches!(v, Val::Access(a) if *a == access).then(|| by.clone()))
    }
}

/// A CIN program as one nest: a target, and a nest whose value has reductions and producers inside.
#[derive(Clone, Debug)]
pub struct Nested {
    /// Written tensor element.
    pub lhs: Access,
    /// The loops around the assignment to it.
    pub nest: Nest,
    /// Distinct accesses of the right-hand side, by [`AccessId`].
    pub accesses: Vec<Access>,
}

impl Nested {
    /// Reads CIN; `None` if its root fills a workspace, or a workspace is read outside its consumer.
    pub fn from_cin(cin: &Cin) -> Option<Nested> {
        let mut reader = Reader { productions: Vec::new(), accesses: Vec::new() };
        let (target, nest) = reader.nest(&cin.root)?;
        match target {
            Target::Tensor(lhs) => Some(Nested { lhs, nest, accesses: reader.accesses }),
            Target::Workspace(..) => None,
        }
    }
}

struct Reader {
    /// Filled so far: the workspace, the element its producer writes, the producer, and whether consumers have loops
    /// of their own, over all of which it lives.
    productions: Vec<(Workspace, Vec<IndexVar>, Nest, bool)>,
    accesses: Vec<Access>,
}

impl Reader {
    fn nest(&mut self, s: &Stmt) -> Option<(Target, Nest)> {
        let mut loops = Vec::new();
        let mut opened = Vec::new();
        let mut at = s;
        loop {
            match at {
                Stmt::Forall { var, body } => {
                    loops.push(*var);
                    at = body;
                }
                Stmt::Where { consumer, producer } => {
                    let (Target::Workspace(w, written), nest) = self.nest(producer)? else { return None };
                    let in_place = match nest.op {
                        Some(_) => nest.opens.is_empty(),
                        None => nest.loops.is_empty(),
                    };
                    let lives = has_loops(consumer) || !written.is_empty() || !in_place;
                    if lives {
                        opened.push((loops.len(), w));
                    }
                    self.productions.push((w, written, nest, lives));
                    at = consumer;
                }
                Stmt::Assign { target, op, rhs } => {
                    let opens = opened.into_iter().map(|(outside, w)| (loops.len() - outside, w)).collect();
                    let rhs = self.value(rhs)?;
                    return Some((target.clone(), Nest { loops, opens, op: *op, rhs }));
                }
            }
        }
    }

    fn value(&mut self, e: &Expr) -> Option<Val> {
        Some(match e {
            Expr::Access(a) => Val::Access(intern(&mut self.accesses, a)),
            Expr::Workspace(w, read) => self.workspace(*w, read)?,
            Expr::Literal(v) => Val::Lit(*v),
            Expr::Scalar(n) => Val::Param(*n),
            Expr::Unary(op, a) => Val::Un(*op, Box::new(self.value(a)?)),
            Expr::Binary(op, a, b) => Val::Op(*op, vec![self.value(a)?, self.value(b)?]),
        })
    }

    fn workspace(&self, w: Workspace, read: &[IndexVar]) -> Option<Val> {
        let (_, written, nest, lives) = self.productions.iter().find(|p| p.0 == w)?;
        Some(match nest {
            // Used where it is computed: a scalar's sum, or the value itself.
            Nest { loops, op: Some(m), rhs, .. } if !lives => {
                Val::Reduce(*m, loops.clone(), Box::new(rhs.clone()))
            }
            Nest { op: None, rhs, .. } if !lives => rhs.clone(),
            nest => Val::Work(Box::new(Production {
                workspace: w,
                read: read.to_vec(),
                written: written.clone(),
                nest: nest.clone(),
            })),
        })
    }
}

/// Are there loops between a `where` and its consumer's assignment?
fn has_loops(consumer: &Stmt) -> bool {
    match consumer {
        Stmt::Forall { .. } => true,
        Stmt::Where { consumer, .. } => has_loops(consumer),
        Stmt::Assign { .. } => false,
    }
}

/// The number of an access, new if it has none.
pub fn intern(accesses: &mut Vec<Access>, a: &Access) -> AccessId {
    let at = accesses.iter().position(|b| b == a).unwrap_or_else(|| {
        accesses.push(a.clone());
        accesses.len() - 1
    });
    AccessId(at as u32)
}

/// An equal value in which no identity, annihilator, duplicate or constant operation is left.
pub fn simplify(v: &Val, t: DType) -> Val {
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

/// Folds two constants: an annihilator wins, the left one first; an identity leaves the other, even NaN. So it does not
/// matter which of several fills is put in first.
fn fold(op: BinaryOp, a: &Val, b: &Val, t: DType) -> Option<Val> {
    let (x, y) = (a.constant()?, b.constant()?);
    if let Some(infinity) = infinite_sum(op, a, b) {
        Some(infinity)
    } else if op.is_idempotent() && x == y {
        // Operands that are the same are one before they are constants; a number that annihilates is what is left
        // before an operand turns out to be infinite, and one that is the identity is gone by then.
        let annihilates = op.left_annihilators(t).contains(&x);
        Some(if a.infinity().is_some() == annihilates { b.clone() } else { a.clone() })
    } else if op.left_annihilators(t).contains(&x) {
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

/// Do constants +∞ and −∞ meet in a sum, or equal ones in a difference? It would have no value, and either would
/// annihilate the other. What is reduced first is such a constant where there is nothing to reduce.
pub fn infinities_meet(v: &Val, t: DType) -> bool {
    match v {
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, a) | Val::Reduce(_, _, a) => infinities_meet(a, t),
        Val::Work(p) => infinities_meet(&p.nest.rhs, t),
        Val::Op(op, args) => {
            let mut found = Vec::new();
            if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
                let args = args.iter().map(|a| simplify(a, t)).collect();
                infinite_terms(&Val::Op(*op, args), t, false, &mut found);
            }
            found.iter().any(|v| *v != found[0]) || args.iter().any(|a| infinities_meet(a, t))
        }
    }
}

/// The infinities among the terms of a sum, with their signs in it.
fn infinite_terms(v: &Val, t: DType, negated: bool, out: &mut Vec<Value>) {
    match v {
        Val::Op(BinaryOp::Add, args) => args.iter().for_each(|a| infinite_terms(a, t, negated, out)),
        Val::Op(BinaryOp::Sub, args) => {
            for (k, a) in args.iter().enumerate() {
                infinite_terms(a, t, negated != (k > 0), out);
            }
        }
        Val::Un(UnaryOp::Neg, a) => infinite_terms(a, t, !negated, out),
        v => out.extend(v.of_nothing(t).infinity().map(|v| if negated { t.opposite_infinity(v) } else { v })),
    }
}

/// Does it sum integers of which one is a constant ∞? Such a sum would have to stay infinite, and integers wrap.
pub fn sums_integer_infinity(op: Option<Monoid>, v: &Val, t: DType) -> bool {
    let here = op == Some(Monoid::Add) && matches!(simplify(v, t), Val::Infinite(_));
    here || match v {
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
        Val::Un(_, a) => sums_integer_infinity(None, a, t),
        Val::Reduce(m, _, a) => sums_integer_infinity(Some(*m), a, t),
        Val::Work(p) => sums_integer_infinity(p.nest.op, &p.nest.rhs, t),
        Val::Op(_, args) => args.iter().any(|a| sums_integer_infinity(None, a, t)),
    }
}

/// An associative and commutative operator: flatten, fold constants into one at the front, or in a product of floats where the
/// first of them stands, drop identities and, where the operator is idempotent, duplicates.
fn nary(op: BinaryOp, args: Vec<Val>, t: DType) -> Val {
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
        let annihilates = c.constant().is_some_and(|v| op.left_annihilators(t).contains(&v))
            || c.infinity().and_then(|v| op.of_infinite_left(v)).is_some();
        if annihilates || rest.is_empty() && !constants.apart {
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
        let identity = self.op.left_identity(self.t);
        let all = self.number.into_iter().chain(self.infinite);
        all.filter(|c| c.constant() != identity).collect()
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
            for op in [BinaryOp::Mul, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
                for (k, literal) in (0..4usize.pow(3)).flat_map(|k| [(k, false), (k, true)]) {
                    let fill = |n: u32| fills[k >> (2 * n) & 3];
                    let pair = Val::Op(op, vec![acc(0), acc(1)]);
                    let last = if literal { Val::Lit(fill(2)) } else { acc(2) };
                    let v = Val::Op(op, vec![pair, last]);
                    let gone = |order: [u32; 3]| {
                        order
                            .into_iter()
                            .fold(v.clone(), |v, n| simplify(&v.replace(AccessId(n), fill(n)), t))
                    };
                    let first = gone([0, 1, 2]);
                    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                        assert_eq!(gone(order), first, "{op:?} of {:?}, {order:?}", [0, 1, 2].map(fill));
                    }
                }
            }
        }
    }

    #[test]
    fn opposite_infinities_meet() {
        for t in [DType::F32, DType::I64] {
            let (pos, neg) = (Val::structural(t.pos_inf()), Val::structural(t.neg_inf()));
            let op = |op, a: &Val, b: &Val| Val::Op(op, vec![a.clone(), b.clone()]);
            assert!(infinities_meet(&op(BinaryOp::Add, &pos, &neg), t));
            assert!(infinities_meet(&op(BinaryOp::Sub, &pos, &pos), t));
            assert!(!infinities_meet(&op(BinaryOp::Add, &pos, &pos), t));
            assert!(!infinities_meet(&op(BinaryOp::Sub, &neg, &pos), t));
            let nested = op(BinaryOp::Add, &op(BinaryOp::Add, &pos, &acc(0)), &neg);
            assert!(infinities_meet(&nested, t));
        }
    }
}
