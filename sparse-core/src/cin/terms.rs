//! What of a statement is computed first: the einsum rule's sums, and terms and operands that need loops of their own.

use super::{Access, Expr, Workspace};
use crate::front::ast::{self, AssignOp, IndexVar, Kernel};
use crate::scalar::{BinaryOp, Monoid, UnaryOp};

/// What is computed first, into a workspace: `workspace += body` over `vars`, or without such variables `workspace = body`.
pub struct Term {
    /// The variables that are summed.
    pub vars: Vec<IndexVar>,
    /// Its value, in which workspaces have no indices yet.
    pub body: Expr,
    /// Is it a part of a term: of a sum in it, or an operand?
    pub inside: bool,
    /// The term, by number, that it is a part of; `None`: the statement.
    pub within: Option<usize>,
    /// Of a copy the order of the loops that read it, if not any.
    pub order: Vec<IndexVar>,
}

impl Term {
    /// How its elements are combined.
    pub fn op(&self) -> Option<Monoid> {
        (!self.vars.is_empty()).then_some(Monoid::Add)
    }
}

/// Some of many, by their numbers from left to right.
#[derive(Clone, Debug)]
pub enum Which {
    /// These.
    These(Vec<usize>),
    /// This one, and all after it.
    From(usize),
}

impl Which {
    /// None of them.
    pub const NONE: Self = Which::These(vec![]);

    fn has(&self, n: usize) -> bool {
        match self {
            Which::These(these) => these.contains(&n),
            Which::From(first) => n >= *first,
        }
    }
}

/// An operand that is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Which one, from left to right.
    pub operand: usize,
    /// The variables of the copy's levels, from the first one on: loops have to read it in this order. None: whatever order the
    /// loops have is the copy's.
    pub order: Vec<IndexVar>,
}

/// Which terms are computed first though they are not summed.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Of the sum that the right-hand side is.
    pub terms: Which,
    /// Of sums inside of a term.
    pub summands: Which,
    /// Of a product that is summed, the factors that have variables of the sum: the others multiply the sum.
    pub factors: bool,
    /// Of the operands that are left: those that are copied.
    pub operands: Vec<Copied>,
}

impl Apart {
    /// None is.
    pub const NONE: Self =
        Apart { terms: Which::NONE, summands: Which::NONE, factors: false, operands: Vec::new() };

    /// Is nothing computed first?
    pub fn is_none(&self) -> bool {
        let none = |which: &Which| matches!(which, Which::These(these) if these.is_empty());
        none(&self.terms) && none(&self.summands) && !self.factors && self.operands.is_empty()
    }

    /// Is nothing but sums computed first, as it is without choosing?
    pub fn is_of_sums(&self) -> bool {
        Apart { factors: false, ..self.clone() }.is_none()
    }

    /// Terms of the right-hand side.
    pub fn of_the_whole(terms: Which) -> Self {
        Apart { terms, ..Apart::NONE }
    }

    /// Terms of sums inside of a term.
    pub fn inside(summands: Which) -> Self {
        Apart { summands, ..Apart::NONE }
    }

    /// The same, and the factors of a sum.
    pub fn with_factors(&self) -> Self {
        Apart { factors: true, ..self.clone() }
    }

    /// Operands, in the order in which the loops read them.
    pub fn operands(operands: Vec<usize>) -> Self {
        let any = |operand| Copied { operand, order: vec![] };
        Apart::copies(operands.into_iter().map(any).collect())
    }

    /// The same, and one operand more; `None` if it is among them.
    pub fn with(&self, copied: &Copied) -> Option<Self> {
        let new = self.operands.iter().all(|c| c.operand != copied.operand);
        let operands = [&self.operands[..], std::slice::from_ref(copied)].concat();
        new.then(|| Apart { operands, ..self.clone() })
    }

    /// Operands, each in an order that may be given.
    pub fn copies(operands: Vec<Copied>) -> Self {
        Apart { operands, ..Apart::NONE }
    }
}

/// How many there are to choose from.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// Terms of the right-hand side.
    pub terms: usize,
    /// Terms of sums inside of them.
    pub summands: usize,
    /// Operands.
    pub operands: usize,
}

/// A statement's right-hand side, without what is computed first.
pub struct Split {
    /// How the root's loops reduce.
    pub op: Option<Monoid>,
    /// The variables that the root's loops reduce over.
    pub vars: Vec<IndexVar>,
    /// The value, in which workspaces have no indices yet.
    pub rhs: Expr,
    /// What is computed first, by number of its workspace: each after what it is a part of.
    pub first: Vec<Term>,
    /// How many there were to choose from.
    pub counts: Counts,
}

/// Takes out of a statement what is computed first. For `=` and `+=` a right-hand-side variable that is not on the left is summed
/// over the smallest additive term that contains it, descending only through `+`, `-` and negation; any other reduction reduces the
/// whole right side (*The language* in `ARCHITECTURE.md`).
pub fn split(kernel: &Kernel, apart: &Apart) -> Split {
    let a = &kernel.assignment;
    let lhs = access(&a.lhs);
    let mut terms = Terms { lhs: &lhs, apart, counts: Counts::default(), within: None, found: Vec::new() };
    let reduces = |m| matches!(a.op, AssignOp::Reduce(_)).then_some(m);
    let (op, vars, rhs) = match a.op {
        AssignOp::Reduce(m) if m != Monoid::Add => {
            (Some(m), free_vars(&plain(&a.rhs), &lhs), terms.term(&a.rhs))
        }
        _ if sums_terms(a) => (reduces(Monoid::Add), vec![], terms.scope(&a.rhs)),
        AssignOp::Assign | AssignOp::Reduce(_) if apart.factors && fixed_factors(&a.rhs, &lhs) => {
            (reduces(Monoid::Add), vec![], terms.factors(&a.rhs))
        }
        AssignOp::Assign | AssignOp::Reduce(_) => {
            let vars = free_vars(&plain(&a.rhs), &lhs);
            let op = if vars.is_empty() { reduces(Monoid::Add) } else { Some(Monoid::Add) };
            (op, vars, terms.term(&a.rhs))
        }
    };
    let (counts, first) = (terms.counts, terms.found);
    Split { op, vars, rhs, first, counts }
}

/// Is the right-hand side a sum whose terms are reduced on their own?
pub fn sums_terms(a: &ast::Assignment) -> bool {
    !matches!(a.op, AssignOp::Reduce(m) if m != Monoid::Add) && is_additive(&a.rhs)
}

/// The factors of a product, from left to right.
fn factors(e: &ast::Expr) -> Vec<&ast::Expr> {
    match e {
        ast::Expr::Binary(BinaryOp::Mul, a, b) => [factors(a), factors(b)].concat(),
        factor => vec![factor],
    }
}

/// Is a factor an operand that a sum does not change?
fn is_fixed(factor: &ast::Expr, lhs: &Access) -> bool {
    has_operand(factor) && free_vars(&plain(factor), lhs).is_empty()
}

/// Is a product summed that has a factor which the sum does not change, and others?
fn fixed_factors(e: &ast::Expr, lhs: &Access) -> bool {
    factors(e).into_iter().any(|f| is_fixed(f, lhs)) && !free_vars(&plain(e), lhs).is_empty()
}

fn is_additive(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => true,
        ast::Expr::Unary(UnaryOp::Neg, a) => is_additive(a),
        _ => false,
    }
}

/// An access without its places in the text.
pub fn access(a: &ast::Access) -> Access {
    Access { tensor: a.tensor, indices: a.indices.clone() }
}

/// The same expression, without its sums.
pub fn plain(e: &ast::Expr) -> Expr {
    match e {
        ast::Expr::Access(a) => Expr::Access(access(a)),
        ast::Expr::Literal(v) => Expr::Literal(*v),
        ast::Expr::Scalar(n) => Expr::Scalar(*n),
        ast::Expr::Unary(op, a) => Expr::Unary(*op, Box::new(plain(a))),
        ast::Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(plain(a)), Box::new(plain(b))),
    }
}

fn has_operand(e: &ast::Expr) -> bool {
    let mut found = false;
    e.for_each_access(&mut |_| found = true);
    found
}

/// Variables of an expression that are not on the left, in order of first use.
fn free_vars(e: &Expr, lhs: &Access) -> Vec<IndexVar> {
    let mut vars = Vec::new();
    e.for_each_access(&mut |a| {
        for v in &a.indices {
            if !lhs.indices.contains(v) && !vars.contains(v) {
                vars.push(*v);
            }
        }
    });
    vars
}

/// The terms of a sum, from left to right.
struct Terms<'a> {
    lhs: &'a Access,
    apart: &'a Apart,
    /// So many were met.
    counts: Counts,
    /// The term, by number, that is read.
    within: Option<usize>,
    found: Vec<Term>,
}

impl Terms<'_> {
    fn scope(&mut self, e: &ast::Expr) -> Expr {
        match e {
            ast::Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (a, b) = (self.scope(a), self.scope(b));
                Expr::Binary(*op, Box::new(a), Box::new(b))
            }
            ast::Expr::Unary(UnaryOp::Neg, a) if is_additive(a) => {
                Expr::Unary(UnaryOp::Neg, Box::new(self.scope(a)))
            }
            // What has no operand suits all loops.
            term if !has_operand(term) => plain(term),
            term => {
                let vars = free_vars(&plain(term), self.lhs);
                self.counts.terms += 1;
                match vars.is_empty() && !self.apart.terms.has(self.counts.terms - 1) {
                    true => self.term(term),
                    false if self.apart.factors && fixed_factors(term, self.lhs) => self.factors(term),
                    false => self.first(term, vars, false),
                }
            }
        }
    }

    /// A term that is not computed first; but of the sums in it some terms may be, and of its operands some.
    fn term(&mut self, e: &ast::Expr) -> Expr {
        match e {
            ast::Expr::Binary(op, a, b) => {
                let inside = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                let [a, b] = [a, b].map(|e| if inside { self.summand(e) } else { self.term(e) });
                Expr::Binary(*op, Box::new(a), Box::new(b))
            }
            ast::Expr::Unary(op, a) => Expr::Unary(*op, Box::new(self.term(a))),
            ast::Expr::Access(a) => {
                self.counts.operands += 1;
                let apart = self.apart;
                match apart.operands.iter().find(|copied| copied.operand == self.counts.operands - 1) {
                    Some(copied) => {
                        self.read_first(vec![], true, copied.order.clone(), |_| Expr::Access(access(a)))
                    }
                    None => Expr::Access(access(a)),
                }
            }
            ast::Expr::Literal(_) | ast::Expr::Scalar(_) => plain(e),
        }
    }

    /// A product that is summed: factors that the sum does not change, times the sum of the others.
    fn factors(&mut self, e: &ast::Expr) -> Expr {
        let product = |a: Expr, b: Expr| Expr::Binary(BinaryOp::Mul, Box::new(a), Box::new(b));
        let vars = free_vars(&plain(e), self.lhs);
        let around = self.within;
        let mut fixed = Vec::new();
        let sum = self.read_first(vars, false, vec![], |terms| {
            let within = terms.within;
            let mut summed = Vec::new();
            // From left to right, in which order operands are numbered.
            for factor in factors(e) {
                let is_fixed = is_fixed(factor, terms.lhs);
                terms.within = if is_fixed { around } else { within };
                let factor = terms.term(factor);
                if is_fixed { fixed.push(factor) } else { summed.push(factor) }
            }
            terms.within = within;
            let product = summed.into_iter().reduce(product);
            product.unwrap_or_else(|| unreachable!("what is summed has factors with variables of the sum"))
        });
        match fixed.into_iter().reduce(product) {
            Some(fixed) => product(fixed, sum),
            None => sum,
        }
    }

    fn summand(&mut self, e: &ast::Expr) -> Expr {
        if is_additive(e) || !has_operand(e) {
            return self.term(e);
        }
        self.counts.summands += 1;
        match self.apart.summands.has(self.counts.summands - 1) {
            true => self.first(e, vec![], true),
            false => self.term(e),
        }
    }

    fn first(&mut self, e: &ast::Expr, vars: Vec<IndexVar>, inside: bool) -> Expr {
        self.read_first(vars, inside, vec![], |terms| terms.term(e))
    }

    /// A workspace for what `body` reads.
    fn read_first(
        &mut self,
        vars: Vec<IndexVar>,
        inside: bool,
        order: Vec<IndexVar>,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let number = self.found.len();
        let within = self.within.replace(number);
        self.found.push(Term {
            vars,
            body: Expr::Workspace(Workspace(number as u32), vec![]),
            inside,
            within,
            order,
        });
        self.found[number].body = body(self);
        self.within = within;
        Expr::Workspace(Workspace(number as u32), vec![])
    }
}
