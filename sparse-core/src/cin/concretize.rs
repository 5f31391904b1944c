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
    workspace: Workspace,
    vars: Vec<IndexVar>,
    body: Expr,
}

impl Term {
    fn op(&self) -> Option<Monoid> {
        (!self.vars.is_empty()).then_some(Monoid::Add)
    }
}

/// Writes out the loops of a checked kernel.
///
/// A term of a sum whose operands need an order of loops that the others do not suit is computed first, into a workspace;
/// not if a number there would take the place of an infinity.
///
/// # Errors
/// An operand that cannot be iterated in any loop order, or a result that cannot be assembled in one.
pub fn concretize(kernel: &Kernel) -> Result<Cin, Diagnostics> {
    let found = with_terms(kernel, &|_| false, Rows::Kept);
    let Err(refused) = &found else { return found };
    let terms = count_terms(&kernel.assignment.rhs);
    let alone = (0..terms).rev().map(|term| with_terms(kernel, &|t| t == term, Rows::Kept));
    let but_the_first = std::iter::once_with(|| with_terms(kernel, &|t| t > 0, Rows::Kept));
    let all = std::iter::once_with(|| with_terms(kernel, &|_| true, Rows::Kept));
    let sum = is_additive(&kernel.assignment.rhs).then(|| alone.chain(but_the_first).chain(all));
    let right = |cin: &Cin| !workspace_wraps(kernel, cin);
    sum.into_iter().flatten().flatten().find(right).ok_or_else(|| refused.clone())
}

/// Other loops with larger workspaces, which no loop stands outside of: one for the whole result, one for each term of a
/// sum, or those that there are, with the dimensions of the loops around them.
pub fn without_rows(kernel: &Kernel) -> impl Iterator<Item = Cin> {
    let whole = std::iter::once_with(|| with_terms(kernel, &|_| false, Rows::Scattered));
    let apart = std::iter::once_with(|| with_terms(kernel, &|_| true, Rows::Kept));
    let lifted = std::iter::once_with(|| with_terms(kernel, &|_| false, Rows::Lifted));
    whole.chain(apart).chain(lifted).filter_map(Result::ok).filter(|cin| !workspace_wraps(kernel, cin))
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

/// The loops, where some terms of a sum, by number, are computed first.
fn with_terms(kernel: &Kernel, apart: &dyn Fn(usize) -> bool, rows: Rows) -> Result<Cin, Diagnostics> {
    let a = &kernel.assignment;
    let lhs = access(&a.lhs);
    let mut reductions = Vec::new();
    let (op, root_vars, rhs) = match a.op {
        AssignOp::Reduce(m) if m != Monoid::Add => {
            let rhs = plain(&a.rhs);
            (Some(m), free_vars(&rhs, &lhs), rhs)
        }
        AssignOp::Assign | AssignOp::Reduce(_) => {
            if is_additive(&a.rhs) {
                let rhs = Terms { lhs: &lhs, apart, count: 0, found: &mut reductions }.scope(&a.rhs);
                (matches!(a.op, AssignOp::Reduce(_)).then_some(Monoid::Add), vec![], rhs)
            } else {
                let rhs = plain(&a.rhs);
                let vars = free_vars(&rhs, &lhs);
                let reduces = !vars.is_empty() || matches!(a.op, AssignOp::Reduce(_));
                (reduces.then_some(Monoid::Add), vars, rhs)
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
    for (n, r) in orders.reductions.iter().enumerate() {
        let format = format(&lhs, kernel, &r.over);
        workspaces.push(WorkspaceDecl {
            name: unused(&format!("t{n}"), kernel),
            vars: r.over.clone(),
            format,
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
            let format = format(&lhs, kernel, over);
            workspaces.push(WorkspaceDecl { name: unused("w", kernel), vars: over.clone(), format });
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
        let here = orders.reductions.iter().zip(reductions).filter(|(o, _)| o.outside == depth);
        for (order, r) in here.filter(|_| depths.contains(&depth)) {
            let target = Target::Workspace(r.workspace, order.over.clone());
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
fn format(lhs: &Access, kernel: &Kernel, over: &[IndexVar]) -> WorkspaceFormat {
    let dense = kernel.tensors[lhs.tensor.index()].spec.is_dense();
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

/// So many terms has a sum.
fn count_terms(e: &ast::Expr) -> usize {
    match e {
        ast::Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => count_terms(a) + count_terms(b),
        ast::Expr::Unary(UnaryOp::Neg, a) if is_additive(a) => count_terms(a),
        _ => 1,
    }
}

/// The terms of a sum, from left to right.
struct Terms<'a> {
    lhs: &'a Access,
    /// Is the term computed first, though it is not summed?
    apart: &'a dyn Fn(usize) -> bool,
    count: usize,
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
                if vars.is_empty() && !(self.apart)(self.count - 1) {
                    return body;
                }
                let workspace = Workspace(self.found.len() as u32);
                self.found.push(Term { workspace, vars, body });
                Expr::Workspace(workspace, vec![])
            }
        }
    }
}
