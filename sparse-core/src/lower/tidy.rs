//! Small mends of finished code, so that it reads as a person would write it.

use crate::llir::{Block, Expr, Stmt, VarId};

/// Inlines constants that only the bounds of the loop right after them use: `for p in pos[i]..pos[i + 1]`.
///
/// Bounds are evaluated once, before the loop, so nothing can change between the binding and its use.
pub(super) fn tidy(block: Block) -> Block {
    let mut out: Block = Vec::with_capacity(block.len());
    for stmt in block {
        let stmt = descend(stmt);
        if let Stmt::For { var, mut lo, mut hi, step, kind, body } = stmt {
            while let Some(Stmt::Let { var: bound, value }) = out.last() {
                let in_bounds = usize::from(lo == Expr::Var(*bound)) + usize::from(hi == Expr::Var(*bound));
                if in_bounds != 1 || uses(&body, *bound) {
                    break;
                }
                let at = if lo == Expr::Var(*bound) { &mut lo } else { &mut hi };
                *at = value.clone();
                out.pop();
            }
            out.push(Stmt::For { var, lo, hi, step, kind, body });
        } else {
            out.push(stmt);
        }
    }
    out
}

fn descend(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::For { var, lo, hi, step, kind, body } => {
            Stmt::For { var, lo, hi, step, kind, body: tidy(body) }
        }
        Stmt::While { cond, body } => Stmt::While { cond, body: tidy(body) },
        Stmt::If { cond, then, otherwise } => Stmt::If { cond, then: tidy(then), otherwise: tidy(otherwise) },
        other => other,
    }
}

fn uses(block: &Block, v: VarId) -> bool {
    block.iter().any(|s| match s {
        Stmt::Let { value, .. } | Stmt::Mut { value, .. } | Stmt::Assign { value, .. } => reads(value, v),
        Stmt::Update { value, .. } | Stmt::Append { value, .. } => reads(value, v),
        Stmt::Store { index, value, .. } | Stmt::Reduce { index, value, .. } => {
            reads(index, v) || reads(value, v)
        }
        Stmt::AppendN { count, value, .. } => reads(count, v) || reads(value, v),
        Stmt::Local { .. } | Stmt::Comment(_) => false,
        Stmt::For { lo, hi, body, .. } => reads(lo, v) || reads(hi, v) || uses(body, v),
        Stmt::While { cond, body } => reads(cond, v) || uses(body, v),
        Stmt::If { cond, then, otherwise } => reads(cond, v) || uses(then, v) || uses(otherwise, v),
    })
}

fn reads(e: &Expr, v: VarId) -> bool {
    match e {
        Expr::Var(w) => *w == v,
        Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) | Expr::Len(_) => false,
        Expr::Load { index: a, .. } | Expr::Not(a) | Expr::Unary(_, a) | Expr::FromIndex(_, a) => reads(a, v),
        Expr::IndexOp(_, a, b)
        | Expr::Cmp(_, a, b)
        | Expr::And(a, b)
        | Expr::Or(a, b)
        | Expr::Binary(_, a, b) => reads(a, v) || reads(b, v),
        Expr::Select(c, a, b) => reads(c, v) || reads(a, v) || reads(b, v),
        Expr::Search { lo, hi, key, .. } => reads(lo, v) || reads(hi, v) || reads(key, v),
    }
}
