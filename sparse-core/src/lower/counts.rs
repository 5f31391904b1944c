//! Small mends of code that counts, so that it reads as a person would write it.

use super::place::length;
use super::region::Window;
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Expr, IndexOp, Stmt, VarId, build};

/// What is counted one by one is counted at once, and what is counted once is no counter.
pub(super) fn tidy(block: Block) -> Block {
    counted_once(counted_at_once(block))
}

/// `for p in lo..hi { n += 1 }` is `n += hi - lo`.
fn counted_at_once(block: Block) -> Block {
    let mut out = Block::new();
    for mut stmt in block {
        stmt.for_each_block_mut(&mut |nested| *nested = counted_at_once(std::mem::take(nested)));
        if let Stmt::For { lo, hi, step: 1, body, .. } = &stmt
            && let [Stmt::Assign { var, value: Expr::IndexOp(op @ (IndexOp::Add | IndexOp::Count), n, one) }] =
                &body[..]
            && **n == Expr::Var(*var)
            && **one == Expr::Index(1)
        {
            let end = if may_end_before(lo, hi) { build::max(lo.clone(), hi.clone()) } else { hi.clone() };
            let trips = length(&Window { lo: lo.clone(), hi: end });
            let value = Expr::IndexOp(*op, n.clone(), Box::new(trips));
            stmt = Stmt::Assign { var: *var, value };
        }
        out.push(stmt);
    }
    out
}

/// May a loop that runs up to the first of two ends have one that lies before its beginning? It has no iterations then. Not
/// if it is a part of a range, up to its own end or the range's: its beginning lies in the range.
fn may_end_before(lo: &Expr, hi: &Expr) -> bool {
    let from_lo = |e: &Expr| matches!(e, Expr::IndexOp(IndexOp::Add, a, _) if **a == *lo);
    match hi {
        Expr::IndexOp(IndexOp::Min, a, b) => *lo != Expr::Index(0) && !from_lo(a) && !from_lo(b),
        _ => false,
    }
}

/// `let mut n = 0; …; n += count; pos[i] = n` is `…; pos[i] = count`, where nothing between reads or changes `n`.
fn counted_once(mut block: Block) -> Block {
    for stmt in &mut block {
        stmt.for_each_block_mut(&mut |nested| *nested = counted_once(std::mem::take(nested)));
    }
    let mut at = 0;
    while at < block.len() {
        if let Stmt::Mut { var, value: Expr::Index(0) } = block[at]
            && let Some(rest) = settle(var, &block[at + 1..])
        {
            block.truncate(at);
            block.extend(rest);
        } else {
            at += 1;
        }
    }
    block
}

/// What comes after the declaration of a counter at 0, without it, if it counts once.
fn settle(var: VarId, after: &[Stmt]) -> Option<Block> {
    let at = after.iter().position(|s| changes(s, var) || s.mentions(var))?;
    let Stmt::Assign { var: assigned, value } = &after[at] else { return None };
    let count = first_count(var, value).filter(|_| *assigned == var)?;
    let (before, after) = (&after[..at], &after[at + 1..]);
    if after.iter().any(|s| changes(s, var)) {
        return None;
    }
    let mut out = before.to_vec();
    match after {
        [Stmt::Store { buffer, index, value }, rest @ ..]
            if !index.mentions(var) && uses(value, var) == 1 && !rest.iter().any(|s| s.mentions(var)) =>
        {
            let mut value = value.clone();
            value.substitute(var, &count);
            out.push(Stmt::Store { buffer: *buffer, index: index.clone(), value });
            out.extend_from_slice(rest);
        }
        _ => {
            out.push(Stmt::Let { var, value: count });
            out.extend_from_slice(after);
        }
    }
    Some(out)
}

/// The value of a counter at 0 after this.
fn first_count(var: VarId, value: &Expr) -> Option<Expr> {
    let Expr::IndexOp(op @ (IndexOp::Add | IndexOp::Count | IndexOp::Max), a, b) = value else { return None };
    let count = if a.is_var(var) { b } else { a };
    if !(a.is_var(var) || b.is_var(var)) || count.mentions(var) {
        return None;
    }
    Some(match op {
        IndexOp::Max => build::max(Expr::Index(0), (**count).clone()),
        _ => (**count).clone(),
    })
}

fn uses(e: &Expr, var: VarId) -> usize {
    let mut uses = 0;
    e.visit(&mut |e| uses += usize::from(e.is_var(var)));
    uses
}

fn changes(s: &Stmt, var: VarId) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(s), &mut |s| found |= s.assigned() == Some(var));
    found
}
