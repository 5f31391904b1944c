//! Right-hand sides during lowering.

use super::Workspace;
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
    pub(super) fn infinity(&self) -> Option<Value> {
        match self {
            Val::Infinite(v) => Some(*v),
            Val::Lit(v) => (v.dtype().is_float() && v.dtype().is_infinity(*v)).then_some(*v),
            _ => None,
        }
    }

    /// Of a reduction that stands for itself, the value without terms.
    pub(super) fn of_nothing(&self, t: DType) -> Val {
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
