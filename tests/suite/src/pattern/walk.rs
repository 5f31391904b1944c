//! Which operands are there at a coordinate that loops visit, and what the statement comes to then.

use super::places::{Bound, Place, sorted};
use crate::case::Case;
use crate::number::{Arithmetic, Number};
use crate::oracle::for_each_point;
use sparse_core::front::ast::{Access, AssignOp, Expr};
use sparse_core::scalar::{BinaryOp, Monoid, UnaryOp};
use std::collections::HashSet;

/// An access of the statement, as far as it is walked when a coordinate of the result is visited.
struct Walked {
    access: Access,
    /// Variables of the loops around it.
    bound: Vec<usize>,
    /// Variables of the levels that are walked, down to the last that may lack some coordinate.
    vars: Vec<usize>,
    /// Their coordinates; `None` if they are all there.
    present: Option<HashSet<Vec<usize>>>,
    /// May it be there all the same?
    perhaps: bool,
}

/// The right-hand side, as its sums nest: each additive term is reduced by itself, as the oracle's is.
enum Scoped<'a> {
    Sum(BinaryOp, Box<Scoped<'a>>, Box<Scoped<'a>>),
    Neg(Box<Scoped<'a>>),
    Term(Term<'a>),
}

struct Term<'a> {
    e: &'a Expr,
    operands: Vec<Walked>,
    /// Variables that it is reduced over.
    reduced: Vec<usize>,
}

fn scoped<'a>(case: &Case, loops: &Bound, e: &'a Expr) -> Scoped<'a> {
    let inner = |e| Box::new(scoped(case, loops, e));
    match e {
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => Scoped::Sum(*op, inner(a), inner(b)),
        Expr::Unary(UnaryOp::Neg, a) => Scoped::Neg(inner(a)),
        e => Scoped::Term(term(case, loops, e)),
    }
}

fn term<'a>(case: &Case, loops: &Bound, e: &'a Expr) -> Term<'a> {
    let lhs = &case.assignment.lhs.indices;
    let (mut texts, mut reduced) = (Vec::new(), Vec::new());
    e.for_each_access(&mut |a| {
        texts.push(case.access_text(a));
        reduced.extend(a.indices.iter().filter(|v| !lhs.contains(v)).map(|v| v.index()));
    });
    let texts = sorted(texts);
    reduced.sort_unstable();
    reduced.dedup();
    let mut operands = Vec::new();
    e.for_each_access(&mut |a| {
        let place = loops.place(&case.access_text(a), &texts);
        operands.push(operand(case, a, place.unwrap_or(&Place::default())));
    });
    Term { e, operands, reduced }
}

fn operand(case: &Case, a: &Access, place: &Place) -> Walked {
    let t = &case.tensors[a.tensor.index()];
    let bound = place.vars.clone();
    let dims = t.spec.order();
    let var = |d: usize| a.indices[d].index();
    let walked = dims.iter().take_while(|&&d| bound.contains(&var(d))).count();
    let last = (0..walked).rev().find(|&l| !t.spec.levels[l].is_full() && !place.by_rows);
    let dims = &dims[..last.map_or(0, |l| l + 1)];
    let coordinates = |c: &Vec<usize>| dims.iter().map(|&d| c[d]).collect();
    Walked {
        access: a.clone(),
        vars: dims.iter().map(|&d| var(d)).collect(),
        present: last.map(|last| {
            let bare = t.bare_fibers().filter_map(|at| at.get(..=last)).map(<[usize]>::to_vec);
            t.entries.iter().map(|e| coordinates(&e.0)).chain(bare).collect()
        }),
        perhaps: place.by_copies,
        bound,
    }
}

/// Evaluates which operands are there, not what they hold.
pub struct Walk<'a> {
    case: &'a Case,
    right: Scoped<'a>,
    /// Do coordinates go through a workspace?
    scattered: bool,
    arithmetic: Arithmetic,
}

/// A coordinate a variable, as far as they are known.
pub type Point = [Option<usize>];

impl<'a> Walk<'a> {
    pub fn new(case: &'a Case, loops: &Bound) -> Self {
        let rhs = &case.assignment.rhs;
        let right = match case.assignment.op {
            AssignOp::Reduce(m) if m != Monoid::Add => Scoped::Term(term(case, loops, rhs)),
            _ => scoped(case, loops, rhs),
        };
        Walk { case, right, scattered: loops.scattered, arithmetic: Arithmetic::new(case.dtype) }
    }

    pub fn right_side(&self, point: &mut Point) -> Number {
        match (self.case.assignment.op, &self.right) {
            (AssignOp::Reduce(m), Scoped::Term(whole)) if m != Monoid::Add => self.reduce(m, whole, point),
            (_, right) => self.scoped(right, point),
        }
    }

    fn scoped(&self, e: &Scoped, point: &mut Point) -> Number {
        match e {
            Scoped::Sum(op, a, b) => {
                let (a, b) = (self.scoped(a, point), self.scoped(b, point));
                self.arithmetic.binary(*op, a, b)
            }
            Scoped::Neg(a) => {
                let a = self.scoped(a, point);
                self.arithmetic.unary(UnaryOp::Neg, a)
            }
            Scoped::Term(term) if term.reduced.is_empty() => self.value(term, term.e, point),
            Scoped::Term(term) => {
                let sum = self.reduce(Monoid::Add, term, point);
                Number { structural: sum.structural && sum.value.is_zero(), ..sum }
            }
        }
    }

    /// Over the variables that are bound before the result's last coordinate; the others stay unknown.
    fn reduce(&self, m: Monoid, term: &Term, point: &mut Point) -> Number {
        let Some(identity) = m.identity(self.case.dtype) else { unreachable!("checked with the kernel") };
        // What a workspace is filled by may have a loop that its reader has inside: if that is empty, the reader has visited
        // its coordinates all the same.
        let inside = |v: usize| self.scattered && self.case.vars[v].1 == 0;
        let bound = |&&v: &&usize| term.operands.iter().any(|w| w.bound.contains(&v)) && !inside(v);
        let outside: Vec<usize> = term.reduced.iter().filter(bound).copied().collect();
        let sizes: Vec<usize> = outside.iter().map(|&v| self.case.vars[v].1).collect();
        let mut total = Number::leaf(identity, true);
        for_each_point(&sizes, &mut |at| {
            outside.iter().zip(at).for_each(|(&v, &c)| point[v] = Some(c));
            total = self.arithmetic.accumulate(m, total, self.value(term, term.e, point));
        });
        outside.iter().for_each(|&v| point[v] = None);
        total
    }

    /// Of a part of a term.
    fn value(&self, term: &Term, e: &Expr, point: &Point) -> Number {
        match e {
            Expr::Access(a) => self.access(term, a, point),
            Expr::Literal(v) => Number::literal(*v),
            Expr::Scalar(_) => self.something(),
            Expr::Unary(op, a) => self.arithmetic.unary(*op, self.value(term, a, point)),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(term, a, point), self.value(term, b, point));
                self.arithmetic.binary(*op, a, b)
            }
        }
    }

    fn access(&self, term: &Term, a: &Access, point: &Point) -> Number {
        let is = |w: &&Walked| w.access.tensor == a.tensor && w.access.indices == a.indices;
        let Some(walked) = term.operands.iter().find(is) else { unreachable!("all accesses are known") };
        let at = || walked.vars.iter().map(|&v| point[v]).collect::<Option<Vec<usize>>>();
        match &walked.present {
            Some(present) if !at().is_some_and(|c| present.contains(&c)) => {
                let t = &self.case.tensors[a.tensor.index()];
                Number { open: walked.perhaps, ..Number::leaf(t.spec.fill.value(self.case.dtype), true) }
            }
            _ => self.something(),
        }
    }

    fn something(&self) -> Number {
        Number::leaf(self.case.dtype.from_i64(1), false)
    }
}
