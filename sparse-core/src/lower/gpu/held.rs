//! Outputs that threads hold over serial loops around theirs: what several tiles add to is written once, after the last.
//!
//! ```text
//! ∀j0 ∀row{GPUWarp} ∀k{GPUThread} ∀j1 C[i, k] += …
//!     →   t = 0; ∀j0 ∀row ∀k ∀j1 t += …; ∀row ∀k C[i, k] = t
//! ```
//!
//! A thread has one iteration of the loops that units run, so that `t` is its own element's whenever it comes by. Short
//! loops of constant size over the output make an array of it. Where a thread walks one fiber, tile by tile, and
//! nothing else along it, it goes on where the tile before ended.

use super::super::accumulate::Accumulator;
use super::super::state::{Lhs, State};
use super::super::{Lowered, Lowerer};
use crate::cin::grid::constant;
use crate::cin::provenance::{Part, Relation};
use crate::cin::val::{AccessId, Val};
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Expr, Stmt, Ty, VarId};

/// Elements of the largest array that a thread holds.
const KEPT_ELEMENTS: u64 = 32;

/// The loops over the output inside a serial one that reduces into all of it.
pub(in super::super) struct Held {
    /// All of them, outermost first.
    written: Vec<IndexVar>,
    /// Those that a thread runs itself.
    columns: Vec<IndexVar>,
}

/// A fiber that a thread walks tile by tile.
#[derive(Clone, Debug)]
pub(in super::super) struct Resume {
    /// Whose.
    pub(in super::super) access: AccessId,
    /// The loop over a tile's coordinates.
    pub(in super::super) leaf: IndexVar,
    /// The position at which the next tile begins, or something before the fiber.
    pub(in super::super) next: VarId,
}

impl Lowerer<'_> {
    /// Do threads hold what a serial loop outside of theirs reduces into?
    pub(in super::super) fn held(&self, loops: &[IndexVar], st: &State) -> Option<Held> {
        let first = loops.first()?;
        let output = matches!(st.lhs, Lhs::Output { .. }) && st.has_position();
        if self.gpu.is_none() || !output || st.op.is_none() || self.is_bound(*first) || self.is_located(st) {
            return None;
        }
        let reduces = |v: &IndexVar| !self.unknown_roots(*v, st).iter().any(|r| self.out.vars.contains(r));
        let (written, summed): (Vec<IndexVar>, Vec<IndexVar>) =
            loops.iter().partition(|v| self.is_written(**v));
        let columns: Vec<IndexVar> = written.iter().copied().filter(|v| !self.is_bound(*v)).collect();
        let sizes: Option<Vec<u64>> = columns.iter().map(|v| constant(self.provenance, *v)).collect();
        let units: Vec<Unit> = written.iter().filter_map(|v| self.unit(*v)).collect();
        let holds = reduces(first)
            && summed.iter().all(|v| reduces(v) && !self.is_bound(*v))
            && !units.is_empty()
            && !units.contains(&Unit::GpuBlock)
            && !written.iter().any(|v| self.provenance.is_position(*v))
            && sizes.is_some_and(|sizes| is_short(&sizes))
            && self.decides(&written, st);
        holds.then_some(Held { written, columns })
    }

    pub(in super::super) fn hold(&mut self, loops: &[IndexVar], held: &Held, st: State) -> Lowered {
        let mut block = Block::new();
        let acc = self.accumulator(&held.columns, &st, &mut block);
        let resumes = self.resumes(loops, &st);
        let begins: Vec<VarId> = resumes.iter().map(|r| r.next).collect();
        let inner = self.lower(loops, State { lhs: acc.lhs(), repeated: false, resumes, ..st.clone() })?;
        if inner.is_empty() {
            self.note_dropped(&st);
            return Ok(inner);
        }
        for next in begins {
            let mut used = false;
            visit_stmts(&inner, &mut |s| used |= s.assigned() == Some(next));
            block.extend(used.then_some(Stmt::Mut { var: next, value: Expr::Index(0) }));
        }
        block.extend(inner);
        let mut written = State { opens: vec![], ..st };
        written.rhs = match &acc {
            Accumulator::Scalar(t) => Val::Temp(t.0),
            Accumulator::Columns(target, _) => {
                Val::Access(self.read(target.buffer, &target.dims, &held.columns, &mut written))
            }
        };
        block.extend(self.lower(&held.written, written)?);
        Ok(block)
    }

    /// The fibers of which the first loop counts tiles: loops between are on units, so that a thread has one fiber.
    fn resumes(&mut self, loops: &[IndexVar], st: &State) -> Vec<Resume> {
        let Some((first, rest)) = loops.split_first() else { return vec![] };
        let inner = rest.iter().position(|v| !self.is_bound(*v)).map(|at| rest[at]);
        let splits: Vec<(IndexVar, IndexVar)> = self
            .provenance
            .relations()
            .iter()
            .filter_map(|r| match r {
                Relation::Split { parent, outer, inner, part: Part::Inner(_) } if outer == first => {
                    Some((*parent, *inner))
                }
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for (parent, leaf) in splits.into_iter().filter(|(_, leaf)| inner == Some(*leaf)) {
            let mut walked: Vec<(AccessId, Level)> = vec![];
            st.rhs.for_each_access(&mut |a| {
                let levels = self.levels[a.index()].iter().zip(&self.level_vars[a.index()]);
                let steps = levels.filter(|(l, v)| **v == parent && !l.level.is_full());
                let steps: Vec<_> = steps.map(|(l, _)| (a, l.level)).collect();
                if !walked.iter().any(|(known, _)| *known == a) {
                    walked.extend(steps);
                }
            });
            // With others, a tile is walked in pieces: between their coordinates, and at them it is only located. What fills
            // a workspace walks it on its own.
            let mut filled = false;
            st.rhs.for_each_production(&mut |p| {
                filled |= walked.iter().any(|(access, _)| p.nest.rhs.contains(*access));
            });
            if let ([(access, Level::Compressed { unique: true })], false) = (&walked[..], filled) {
                let name = format!("p{}_next", self.tensor_name(*access));
                found.push(Resume { access: *access, leaf, next: self.fresh(&name, Ty::Index) });
            }
        }
        found
    }
}

/// Is an array of these sizes?
fn is_short(sizes: &[u64]) -> bool {
    sizes.iter().try_fold(1_u64, |all, n| all.checked_mul(*n)).is_some_and(|all| all <= KEPT_ELEMENTS)
}
