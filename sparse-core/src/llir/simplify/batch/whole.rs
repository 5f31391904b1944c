//! Batches of entries that stand together and are all there: what the arrays have for them is loaded in vectors.
//!
//! ```text
//! if batch + 8 <= end && batch % 4 == 0 {             else {
//!     vector A2_crd_batch[0, 4] = A2_crd[batch];          for unroll(8) n in 0..8 {
//!     vector A2_crd_batch[4, 4] = A2_crd[batch + 4];          let p = batch + n;
//!     …                                                       if p < end {
//!     for unroll(8) n in 0..8 {                                   let j = A2_crd[p];
//!         let j = A2_crd_batch[n];                                A_val_batch[n] = A_vals[p];
//!         x_val_batch[n] = x_vals[j];                             x_val_batch[n] = x_vals[j];
//! } }                                                     } } }
//! ```
//!
//! Neighbouring threads have eight entries each: where these are loaded one by one, each access of a warp touches every sector
//! that the warp has, and all eight do. A vector of four is a
//! quarter of the accesses. The condition is decided by where a thread begins, which is a multiple of its entries but for the
//! last one's; loops that begin where a row does stay as they are, as one in four would begin at such a place.

use super::plan::Plan;
use super::{Arrays, Batch};
use crate::llir::align::Facts;
use crate::llir::walk::{rename, visit_stmts};
use crate::llir::{
    Block, Buffer, BufferId, Elem, Expr, IndexOp, LoopKind, Space, Stmt, VarId, VectorPart, build,
};
use std::collections::BTreeMap;

/// What is known of where loops begin.
pub(super) fn facts_of(block: &[Stmt]) -> Facts {
    let mut facts = Facts::default();
    visit_stmts(block, &mut |s| {
        if let Stmt::Let { var, value } = s {
            facts.define_index(*var, value);
        }
    });
    facts
}

/// Does a loop begin at a multiple of `n`, if it does not begin where it ends?
fn begins_whole(facts: &Facts, e: &Expr, n: u64) -> bool {
    match e {
        Expr::Var(v) => {
            facts.is_multiple(e, n) || facts.definition(*v).is_some_and(|e| begins_whole(facts, e, n))
        }
        Expr::IndexOp(IndexOp::Min, a, b) => begins_whole(facts, a, n) || begins_whole(facts, b, n),
        e => facts.is_multiple(e, n),
    }
}

/// How many iterations a loop has at most, if that is known.
pub(super) fn most(facts: &Facts, lo: &Expr, hi: &Expr) -> Option<u64> {
    match (lo, hi) {
        (Expr::Index(lo), Expr::Index(hi)) => Some(hi.saturating_sub(*lo)),
        (_, Expr::Var(v)) => most(facts, lo, facts.definition(*v)?),
        (_, Expr::IndexOp(IndexOp::Min, a, b)) => {
            [a, b].into_iter().filter_map(|end| most(facts, lo, end)).min()
        }
        (_, Expr::IndexOp(IndexOp::Add, a, b)) if **a == *lo => match **b {
            Expr::Index(n) => Some(n),
            _ => None,
        },
        _ => None,
    }
}

/// An array of which a batch has elements that stand together.
struct Run {
    from: BufferId,
    /// What the elements are called.
    vars: Vec<VarId>,
    /// The register array that they are loaded into.
    to: BufferId,
    /// Elements of a vector.
    len: u64,
}

impl Batch<'_> {
    /// The statements that fill the register arrays, for a batch that is whole and begins at `first`, and `otherwise` for any
    /// other, in which the entry is `first + n`. The loop has this range.
    pub(super) fn in_vectors(
        &mut self,
        plan: &Plan,
        arrays: &Arrays,
        (entry, first, n): (VarId, VarId, VarId),
        (begin, end): (&Expr, &Expr),
        early: &Block,
        otherwise: Stmt,
    ) -> Block {
        let Some(runs) = self.runs(plan, arrays, entry, begin, early) else { return vec![otherwise] };
        let aligned = runs.iter().map(|run| run.len).max().unwrap_or(1);
        let entries = u64::from(plan.entries);
        let whole = build::and(
            build::le(build::add(first, Expr::Index(entries)), end.clone()),
            build::eq(build::rem(first, Expr::Index(aligned)), Expr::Index(0)),
        );
        let (mut out, mut then) = (vec![], vec![]);
        for run in &runs {
            if !arrays.all().any(|b| b == run.to) {
                out.push(Stmt::Local { buffer: run.to, init: None });
            }
            for at in (0..entries).step_by(run.len as usize) {
                let part = Some(VectorPart { at: Expr::Index(at), len: run.len as u32 });
                let index = build::add(first, Expr::Index(at));
                then.push(Stmt::LoadVector { to: run.to, part, buffer: run.from, index });
            }
        }
        then.extend(self.found_by(plan, arrays, (entry, first, n), &runs, early));
        out.push(Stmt::If { cond: whole, then, otherwise: vec![otherwise] });
        out
    }

    /// What is loaded so; `None` if nothing is.
    fn runs(
        &mut self,
        plan: &Plan,
        arrays: &Arrays,
        entry: VarId,
        begin: &Expr,
        early: &Block,
    ) -> Option<Vec<Run>> {
        let mut loaded: BTreeMap<BufferId, Vec<VarId>> = BTreeMap::new();
        for stmt in early {
            if let Stmt::Let { var, value: Expr::Load { buffer, index } } = stmt
                && index.is_var(entry)
                && self.program.buffer(*buffer).space == Space::Input
            {
                loaded.entry(*buffer).or_default().push(*var);
            }
        }
        let len = |elem: Elem| {
            let lengths = elem.vector_lengths();
            lengths.filter(|n| *n <= plan.entries.into() && begins_whole(&self.facts, begin, *n)).max()
        };
        let loaded: Option<Vec<_>> = loaded
            .into_iter()
            .map(|(from, vars)| Some((from, vars, len(self.program.buffer(from).elem)?)))
            .collect();
        let loaded = loaded.filter(|all| !all.is_empty())?;
        let run = |(from, vars, len): (BufferId, Vec<VarId>, u64)| {
            let kept = plan.kept.iter().position(|v| vars.contains(v)).map(|at| arrays.vars[at]);
            let own = || {
                let Buffer { name, elem, .. } = self.program.buffer(from).clone();
                self.register(&name, elem, plan.entries)
            };
            Run { from, to: kept.unwrap_or_else(own), vars, len }
        };
        Some(loaded.into_iter().map(run).collect())
    }

    /// The loop over what the elements of runs lead to; nothing if that is all.
    fn found_by(
        &mut self,
        plan: &Plan,
        arrays: &Arrays,
        (entry, first, n): (VarId, VarId, VarId),
        runs: &[Run],
        early: &Block,
    ) -> Option<Stmt> {
        let n = self.again(n);
        let mut each = early.clone();
        for stmt in &mut each {
            if let Stmt::Let { var, value } = stmt
                && let Some(run) = runs.iter().find(|run| run.vars.contains(var))
            {
                *value = build::load(run.to, n);
            }
        }
        let mut each = arrays.filled(each, plan, n);
        // Its own array has it.
        each.retain(|s| !matches!(s, Stmt::Store { buffer, .. } if runs.iter().any(|r| r.to == *buffer)));
        if each.is_empty() {
            return None;
        }
        if each.iter().any(|s| s.mentions(entry)) {
            each.insert(0, Stmt::Let { var: entry, value: build::add(first, n) });
        }
        // Each variable is declared once.
        let own: Vec<VarId> = each.iter().flat_map(Stmt::declared).collect();
        for var in own {
            let again = self.again(var);
            rename(&mut each, var, again);
        }
        let (lo, hi) = (Expr::Index(0), Expr::Index(plan.entries.into()));
        Some(Stmt::For { var: n, lo, hi, step: 1, kind: LoopKind::Unroll(plan.entries), body: each })
    }
}
