//! The parts of an expression that can be computed first.

use crate::rng::Rng;
use sparse_core::front::ast::Expr;
use sparse_core::scalar::BinaryOp;

/// What an expression is made of, and any two factors or terms.
pub(super) fn parts(e: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    collect(e, &mut out);
    out
}

fn collect(e: &Expr, out: &mut Vec<Expr>) {
    match e {
        Expr::Access(_) => out.push(e.clone()),
        Expr::Literal(_) | Expr::Scalar(_) => {}
        Expr::Unary(_, a) => {
            out.push(e.clone());
            collect(a, out);
        }
        Expr::Binary(op, a, b) => {
            out.push(e.clone());
            if let Expr::Binary(inner, x, y) = &**a
                && inner == op
            {
                out.extend([x, y].map(|x| Expr::Binary(*op, x.clone(), b.clone())));
            }
            collect(a, out);
            collect(b, out);
        }
    }
}

/// Some of three or more factors or terms, wherever they stand, in another order; `None` if nothing has so many.
pub(super) fn some_of_many(rng: &mut Rng, e: &Expr) -> Option<Expr> {
    let mut found: Vec<(BinaryOp, Vec<(bool, &Expr)>)> = Vec::new();
    e.visit(&mut |e| {
        if let Some(op) = e.binary().and_then(|(op, ..)| op.joining()) {
            found.push((op, op.arguments(e, &Expr::binary)));
        }
    });
    found.retain(|(_, args)| args.len() > 2);
    let (op, mut args) = found.swap_remove(rng.below(found.len().max(1)).min(found.len().checked_sub(1)?));
    rng.shuffle(&mut args);
    args.truncate(2 + rng.below(args.len() - 1));
    let first = args.iter().position(|(negative, _)| !negative)?;
    args.swap(0, first);
    let (_, first) = args.remove(0);
    let joined = |all, (negative, e): (bool, &Expr)| {
        let op = if negative { BinaryOp::Sub } else { op };
        Expr::Binary(op, Box::new(all), Box::new(e.clone()))
    };
    Some(args.into_iter().fold(first.clone(), joined))
}
