//! Concretization: index notation → CIN.
//!
//! Applies the einsum rule and chooses the loop order. For `=` and `+=` a right-hand-side variable that is not on
//! the left is summed over the smallest additive term that contains it, descending only through `+`, `-` and
//! negation; any other reduction reduces the whole right side (DESIGN: kernels).

use super::order::{self, Nest};
use super::{Access, Cin, Expr, Provenance, Stmt, Target, Workspace, WorkspaceDecl};
use crate::diag::Diagnostics;
use crate::front::ast::{self, AssignOp, IndexVar, Kernel, Mode};
use crate::scalar::{BinaryOp, Monoid, UnaryOp};

/// A reduction below the root: `workspace op= body` over `vars`.
struct Reduction {
    workspace: Workspace,
    vars: Vec<IndexVar>,
    body: Expr,
}

/// Writes out the loops of a checked kernel.
///
/// # Errors
/// An operand that cannot be iterated in any loop order, or a result that cannot be assembled in one.
pub fn concretize(kernel: &Kernel) -> Result<Cin, Diagnostics> {
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
                let rhs = scope(&a.rhs, &lhs, &mut reductions);
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
    let orders = order::choose(kernel, &lhs, op, &nests)?;

    let mut inner = Stmt::Assign { target: Target::Tensor(lhs), op, rhs: rhs.clone() };
    for (r, vars) in reductions.iter().zip(&orders[1..]) {
        let assign = Stmt::Assign {
            target: Target::Workspace(r.workspace, vec![]),
            op: Some(Monoid::Add),
            rhs: r.body.clone(),
        };
        inner = Stmt::Where { consumer: Box::new(inner), producer: Box::new(Stmt::nest(vars, assign)) };
    }
    let output = &kernel.tensors[a.lhs.tensor.index()];
    Ok(Cin {
        root: Stmt::nest(&orders[0], inner),
        workspaces: (0..reductions.len())
            .map(|n| WorkspaceDecl { name: format!("t{n}"), vars: vec![] })
            .collect(),
        provenance: Provenance::new(kernel),
        accumulates: output.mode == Mode::InOut && a.op != AssignOp::Assign,
    })
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

fn scope(e: &ast::Expr, lhs: &Access, reductions: &mut Vec<Reduction>) -> Expr {
    match e {
        ast::Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let a = scope(a, lhs, reductions);
            let b = scope(b, lhs, reductions);
            Expr::Binary(*op, Box::new(a), Box::new(b))
        }
        ast::Expr::Unary(UnaryOp::Neg, a) if is_additive(a) => {
            Expr::Unary(UnaryOp::Neg, Box::new(scope(a, lhs, reductions)))
        }
        term => {
            let body = plain(term);
            let vars = free_vars(&body, lhs);
            if vars.is_empty() {
                return body;
            }
            let workspace = Workspace(reductions.len() as u32);
            reductions.push(Reduction { workspace, vars, body });
            Expr::Workspace(workspace, vec![])
        }
    }
}
