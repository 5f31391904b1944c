//! Concretization: index notation → CIN.
//!
//! Applies the einsum rule and chooses the loop order. For `=` and `+=` a right-hand-side variable that is not on
//! the left is summed over the smallest additive term that contains it, descending only through `+`, `-` and
//! negation; any other reduction reduces the whole right side (DESIGN: kernels).

use super::check::workspace_wraps;
use super::order::{self, Nest, Orders};
use super::{Access, Cin, Expr, Provenance, Stmt, Target, Workspace, WorkspaceDecl, WorkspaceFormat};
use crate::diag::Diagnostics;
use crate::front::ast::{self, AssignOp, IndexVar, Kernel, Mode};
use crate::scalar::{BinaryOp, Monoid, UnaryOp};
use std::ops::RangeInclusive;

/// A term below the root: `workspace += body` over `vars`, or without such variables `workspace = body`.
struct Term {
    vars: Vec<IndexVar>,
    body: Expr,
    /// Is it one of a sum inside of a term?
    inside: bool,
}

impl Term {
    fn op(&self) -> Option<Monoid> {
        (!self.vars.is_empty()).then_some(Monoid::Add)
    }
}

/// Writes out the loops of a checked kernel.
///
/// A term of a sum whose operands need an order of loops that the others do not suit is computed first, into a workspace;
/// not if a number there would take the place of an infinity. So is one of a sum inside of a term, as in
/// `(A[i, j] + A[j, i]) / 2`, if no term of the whole helps.
///
/// # Errors
/// An operand that cannot be iterated in any loop order, or a result that cannot be assembled in one.
pub fn concretize(kernel: &Kernel) -> Result<Cin, Diagnostics> {
    let found = with_terms(kernel, Apart::NONE, Rows::Kept);
    let Err(refused) = &found else { return found };
    let (terms, summands) = count_terms(kernel);
    let alone =
        (0..terms).rev().map(|term| with_terms(kernel, Apart::of_the_whole(&|t| t == term), Rows::Kept));
    let but_the_first =
        std::iter::once_with(|| with_terms(kernel, Apart::of_the_whole(&|t| t > 0), Rows::Kept));
    let all = std::iter::once_with(|| with_terms(kernel, Apart::of_the_whole(&|_| true), Rows::Kept));
    let sum = sums_terms(&kernel.assignment).then(|| alone.chain(but_the_first).chain(all));
    let inside =
        (0..summands).rev().map(|term| with_terms(kernel, Apart::inside(&|t| t == term), Rows::Kept));
    let but_the_first = (summands > 2).then(|| with_terms(kernel, Apart::inside(&|t| t > 0), Rows::Kept));
    let right = |cin: &Cin| !workspace_wraps(kernel, cin);
    let tried = sum.into_iter().flatten().chain(inside).chain(but_the_first);
    tried.flatten().find(right).ok_or_else(|| refused.clone())
}

/// Other loops with larger workspaces, which no loop stands outside of: one for the whole result, one for each term of a
/// sum, or those that there are, with the dimensions of the loops around them.
pub fn without_rows(kernel: &Kernel) -> impl Iterator<Item = Cin> {
    let whole = std::iter::once_with(|| with_terms(kernel, Apart::NONE, Rows::Scattered));
    let apart = std::iter::once_with(|| with_terms(kernel, Apart::of_the_whole(&|_| true), Rows::Kept));
    let lifted = std::iter::once_with(|| with_terms(kernel, Apart::NONE, Rows::Lifted));
    whole.chain(apart).chain(lifted).filter_map(Result::ok).filter(|cin| !workspace_wraps(kernel, cin))
}

/// The loops where some operands of the whole, by their numbers from left to right, are copied first, in the order in
/// which the loops read them.
pub(super) fn with_copies(kernel: &Kernel, copied: &dyn Fn(usize) -> bool) -> Option<Cin> {
    let apart = Apart { operands: copied, ..Apart::NONE };
    with_terms(kernel, apart, Rows::Kept).ok().filter(|cin| !workspace_wraps(kernel, cin))
}

/// The same of some terms of a sum, by their numbers from left to right.
pub(super) fn with_terms_first(kernel: &Kernel, first: &dyn Fn(usize) -> bool) -> Option<Cin> {
    let apart = Apart::of_the_whole(first);
    with_terms(kernel, apart, Rows::Kept).ok().filter(|cin| !workspace_wraps(kernel, cin))
}

/// What becomes of workspaces inside of loops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// They stay there.
    Kept,
    /// All of the result is scattered at once.
    Scattered,
    /// Each goes outside of the loops around it, with their variables as its first dimensions.
    Lifted,
}

/// Which terms are computed first though they are not summed, by their numbers from left to right.
#[derive(Clone, Copy)]
struct Apart<'a> {
    /// Of the sum that the right-hand side is.
    terms: &'a dyn Fn(usize) -> bool,
    /// Of sums inside of a term.
    summands: &'a dyn Fn(usize) -> bool,
    /// Of the operands of the whole, those that are copied.
    operands: &'a dyn Fn(usize) -> bool,
}

impl<'a> Apart<'a> {
    const NONE: Self = Apart { terms: &|_| false, summands: &|_| false, operands: &|_| false };

    fn of_the_whole(terms: &'a dyn Fn(usize) -> bool) -> Self {
        Apart { terms, ..Apart::NONE }
    }

    fn inside(summands: &'a dyn Fn(usize) -> bool) -> Self {
        Apart { summands, ..Apart::NONE }
    }
}

/// The loops, where some terms are computed first.
fn with_terms(kernel: &Kernel, apart: Apart<'_>, rows: Rows) -> Result<Cin, Diagnostics> {
    let a = &kernel.assignment;
    let lhs = access(&a.lhs);
    let mut reductions = Vec::new();
    let mut terms = Terms { lhs: &lhs, apart, count: 0, summands: 0, operands: 0, found: &mut reductions };
    let (op, root_vars, rhs) = match a.op {
        AssignOp::Reduce(m) if m != Monoid::Add => {
            (Some(m), free_vars(&plain(&a.rhs), &lhs), terms.term(&a.rhs))
        }
        AssignOp::Assign | AssignOp::Reduce(_) => {
            if sums_terms(a) {
                let rhs = terms.scope(&a.rhs);
                (matches!(a.op, AssignOp::Reduce(_)).then_some(Monoid::Add), vec![], rhs)
            } else {
                let vars = free_vars(&plain(&a.rhs), &lhs);
                let reduces = !vars.is_empty() || matches!(a.op, AssignOp::Reduce(_));
                (reduces.then_some(Monoid::Add), vars, terms.term(&a.rhs))
            }
        }
    };

    let mut nests = vec![Nest { vars: [lhs.indices.clone(), root_vars].concat(), body: &rhs }];
    nests.extend(reductions.iter().map(|r| Nest { vars: r.vars.clone(), body: &r.body }));
    let mut orders = order::choose(kernel, &lhs, op, &nests, rows == Rows::Scattered)?;
    if rows == Rows::Lifted {
        lift(&mut orders);
    }
    let mut workspaces: Vec<WorkspaceDecl> = Vec::new();
    let dense = kernel.tensors[lhs.tensor.index()].spec.is_dense();
    for (n, (r, term)) in orders.reductions.iter().zip(&reductions).enumerate() {
        // Inside of a term what is not stored does not take part, and is no number.
        let format = format(dense && !term.inside, &r.over);
        workspaces.push(WorkspaceDecl {
            name: unused(&format!("t{n}"), kernel),
            vars: r.over.clone(),
            format,
            in_parts: false,
        });
    }
    let elements: Vec<_> = orders.reductions.iter().map(|r| r.over.clone()).collect();
    let rhs = with_elements(&rhs, &elements);
    let root = match &orders.scatters {
        None => {
            let assign = Stmt::Assign { target: Target::Tensor(lhs), op, rhs };
            nest(&orders.root, 0..=orders.root.len(), assign, &reductions, &orders)
        }
        Some((outside, over)) => {
            let w = Workspace(workspaces.len() as u32);
            let format = format(dense, over);
            workspaces.push(WorkspaceDecl {
                name: unused("w", kernel),
                vars: over.clone(),
                format,
                in_parts: false,
            });
            let (around, inside) = orders.root.split_at(*outside);
            let assign = Stmt::Assign { target: Target::Workspace(w, over.clone()), op, rhs };
            let producer = nest(inside, *outside..=orders.root.len(), assign, &reductions, &orders);
            let read = Expr::Workspace(w, over.clone());
            let assign = Stmt::Assign { target: Target::Tensor(lhs), op: None, rhs: read };
            let consumer = Box::new(Stmt::nest(over, assign));
            let inner = Stmt::Where { consumer, producer: Box::new(producer) };
            match outside.checked_sub(1) {
                Some(last) => nest(around, 0..=last, inner, &reductions, &orders),
                None => inner,
            }
        }
    };
    let output = &kernel.tensors[a.lhs.tensor.index()];
    Ok(Cin {
        root,
        workspaces,
        provenance: Provenance::new(kernel),
        accumulates: output.mode == Mode::InOut && a.op != AssignOp::Assign,
    })
}

/// Some of the root's loops around a statement, with the reductions that stand between them: where so many of the root's
/// loops are around.
fn nest(
    loops: &[IndexVar],
    depths: RangeInclusive<usize>,
    inner: Stmt,
    reductions: &[Term],
    orders: &Orders,
) -> Stmt {
    let first = *depths.start();
    let mut stmt = inner;
    for depth in (first..=first + loops.len()).rev() {
        let all = orders.reductions.iter().zip(reductions).zip(0..);
        for ((order, r), n) in all.filter(|((o, _), _)| o.outside == depth && depths.contains(&depth)) {
            let target = Target::Workspace(Workspace(n), order.over.clone());
            let assign = Stmt::Assign { target, op: r.op(), rhs: r.body.clone() };
            let producer = Box::new(Stmt::nest(&order.loops, assign));
            stmt = Stmt::Where { consumer: Box::new(stmt), producer };
        }
        if let Some(inside) = (depth - first).checked_sub(1) {
            stmt = Stmt::Forall { var: loops[inside], body: Box::new(stmt) };
        }
    }
    stmt
}

/// Takes the workspaces that are arrays out of the loops around them.
fn lift(orders: &mut Orders) {
    for r in orders.reductions.iter_mut().filter(|r| !r.over.is_empty()) {
        let around = &orders.root[..r.outside];
        r.over = [around, &r.over].concat();
        r.loops = [around, &r.loops].concat();
        r.outside = 0;
    }
}

/// How a workspace that nobody scheduled is stored: as an array where the result is dense, else with a list of what was
/// written, or, of several dimensions, whose product no memory need hold, as that list alone.
fn format(dense: bool, over: &[IndexVar]) -> WorkspaceFormat {
    match over {
        _ if dense => WorkspaceFormat::Dense,
        [] => WorkspaceFormat::Dense,
        [_] => WorkspaceFormat::List,
        _ => WorkspaceFormat::Sort,
    }
}

/// A name that nothing of the statement has.
fn unused(name: &str, kernel: &Kernel) -> String {
    let taken = |name: &str| {
        kernel.vars.iter().any(|v| v.name == name)
            || kernel.tensors.iter().any(|t| t.name == name)
            || kernel.scalars.iter().any(|s| s.name == name)
    };
    let mut name = name.to_owned();
    while taken(&name) {
        name.push('_');
    }
    name
}

/// With the elements of workspaces, by number, that an expression reads.
fn with_elements(e: &Expr, elements: &[Vec<IndexVar>]) -> Expr {
    match e {
        Expr::Workspace(w, _) => Expr::Workspace(*w, elements[w.0 as usize].clone()),
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(with_elements(a, elements))),
        Expr::Binary(op, a, b) => {
            let (a, b) = (with_elements(a, elements), with_elements(b, elements));
            Expr::Binary(*op, Box::new(a), Box::new(b))
        }
    }
}

fn access(a: &ast::Access) -> Access {
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

fn is_additive(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => true,
        ast::Expr::Unary(UnaryOp::Neg, a) => is_additive(a),
        _ => false,
    }
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

/// So many terms has the right-hand side, and so many the sums inside of them.
fn count_terms(kernel: &Kernel) -> (usize, usize) {
    let (lhs, mut found) = (access(&kernel.assignment.lhs), Vec::new());
    let mut terms =
        Terms { lhs: &lhs, apart: Apart::NONE, count: 0, summands: 0, operands: 0, found: &mut found };
    match sums_terms(&kernel.assignment) {
        true => terms.scope(&kernel.assignment.rhs),
        false => terms.term(&kernel.assignment.rhs),
    };
    (terms.count, terms.summands)
}

/// Is the right-hand side a sum whose terms are reduced on their own?
fn sums_terms(a: &ast::Assignment) -> bool {
    !matches!(a.op, AssignOp::Reduce(m) if m != Monoid::Add) && is_additive(&a.rhs)
}

/// The terms of a sum, from left to right.
struct Terms<'a> {
    lhs: &'a Access,
    apart: Apart<'a>,
    /// Terms of the whole, and of sums inside of terms, that were met.
    count: usize,
    summands: usize,
    operands: usize,
    found: &'a mut Vec<Term>,
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
            term => {
                let body = plain(term);
                let vars = free_vars(&body, self.lhs);
                self.count += 1;
                match vars.is_empty() && !(self.apart.terms)(self.count - 1) {
                    true => self.term(term),
                    false => self.first(Term { vars, body, inside: false }),
                }
            }
        }
    }

    /// A term that is not computed first; but of the sums in it some terms may be.
    fn term(&mut self, e: &ast::Expr) -> Expr {
        match e {
            ast::Expr::Binary(op, a, b) => {
                let inside = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                let [a, b] = [a, b].map(|e| if inside { self.summand(e) } else { self.term(e) });
                Expr::Binary(*op, Box::new(a), Box::new(b))
            }
            ast::Expr::Unary(op, a) => Expr::Unary(*op, Box::new(self.term(a))),
            ast::Expr::Access(_) => {
                self.operands += 1;
                match (self.apart.operands)(self.operands - 1) {
                    true => self.first(Term { vars: vec![], body: plain(e), inside: true }),
                    false => plain(e),
                }
            }
            ast::Expr::Literal(_) | ast::Expr::Scalar(_) => plain(e),
        }
    }

    fn summand(&mut self, e: &ast::Expr) -> Expr {
        if is_additive(e) {
            return self.term(e);
        }
        self.summands += 1;
        match (self.apart.summands)(self.summands - 1) {
            true => self.first(Term { vars: vec![], body: plain(e), inside: true }),
            false => self.term(e),
        }
    }

    fn first(&mut self, term: Term) -> Expr {
        self.found.push(term);
        Expr::Workspace(Workspace(self.found.len() as u32 - 1), vec![])
    }
}
