//! Which dimension is worth compiling for: the one along which rows are cut into register tiles or vectors.
//!
//! With its size a constant, the tiles that do not occur disappear, and what is left is unrolled: 1.5 to 2 times as
//! fast for rows of 4 elements, where the tests for the other tiles cost more than the arithmetic.

use super::partial::Partial;
use crate::llir::walk::{visit_stmts, visit_thread};
use crate::llir::{Expr, LoopKind, Param, Program, Step, Stmt, VarId};
use std::collections::BTreeMap;

/// Sizes that programs use.
pub(super) const COMMON: [u64; 6] = [4, 8, 16, 32, 64, 128];

/// The dimension of the code outside of loops on threads, if there is exactly one.
pub(super) fn row_size(program: &Program) -> Option<VarId> {
    let code = program.steps.iter().filter_map(|s| match s {
        Step::Run(block) => Some(&block[..]),
        _ => None,
    });
    only(program, code.collect())
}

/// The dimension of the body of a loop on threads, if there is exactly one.
pub(super) fn task_row_size(program: &Program, body: &[Stmt]) -> Option<VarId> {
    only(program, vec![body])
}

/// Does the body of a loop on threads run along rows, in tiles or vectors?
pub(super) fn runs_along_rows(program: &Program, body: &[Stmt]) -> bool {
    !ends(program, vec![body]).is_empty()
}

fn only(program: &Program, code: Vec<&[Stmt]>) -> Option<VarId> {
    let dims = program.params.iter().filter_map(|p| match p {
        Param::Dim { var, .. } => Some(*var),
        Param::Scalar { .. } => None,
    });
    let ends = ends(program, code);
    let mut found = dims.filter(|d| ends.iter().any(|e| e.mentions(*d)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Where loops over tiles and vectors end.
fn ends<'a>(program: &'a Program, code: Vec<&'a [Stmt]>) -> Vec<&'a Expr> {
    let lets = lets(program);
    let mut ends = vec![];
    for block in code {
        visit_thread(block, &mut |stmt| {
            let end = match stmt {
                Stmt::For { hi, body, .. } if has_lanes(body) => Some(hi),
                stmt => Partial::of(program, &lets, stmt, false).and_then(|p| p.vector_end()),
            };
            // The end of whole tiles is computed beforehand.
            ends.extend(end.map(|e| match e {
                Expr::Var(v) => lets.get(v).copied().unwrap_or(e),
                e => e,
            }));
        });
    }
    ends
}

/// What constant variables are declared as.
pub(super) type Lets<'a> = BTreeMap<VarId, &'a Expr>;

pub(super) fn lets(program: &Program) -> Lets<'_> {
    let mut lets = BTreeMap::new();
    for step in &program.steps {
        let Step::Run(block) = step else { continue };
        visit_stmts(block, &mut |stmt| {
            if let Stmt::Let { var, value } = stmt {
                lets.insert(*var, value);
            }
        });
    }
    lets
}

/// Does a tile's body end with a loop over its lanes?
fn has_lanes(body: &[Stmt]) -> bool {
    body.iter().any(|s| matches!(s, Stmt::For { kind: LoopKind::Lanes, .. }))
}
