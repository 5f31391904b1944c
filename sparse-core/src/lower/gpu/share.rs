//! Rows that a group of lanes, a warp's or fewer, or a block assembles together.
//!
//! A row's loops are run by all of the team's lanes alike, and what they do is shared out afterwards:
//!
//! ```text
//! for j in … { for p in lo..hi { scatter w[crd[p]] += … } }    each lane scatters every T-th element of a row of B, whose
//!                                                             coordinates are all different; then all wait
//! scatter w[k] += …                                           elsewhere the first lane does it
//! for p in begin..end { C_crd[n] = …; n += 1 }                 each lane stores every T-th entry
//! C2_pos[i] = …                                               the first lane does the rest
//! ```
//!
//! So the terms of an element are summed in the order in which one thread would sum them, whoever has it.

use super::super::assemble::Pass;
use super::super::{Block, Lowerer};
use super::Table;
use super::team::Lanes;
use crate::front::ast::IndexVar;
use crate::llir::uniform::is_joint;
use crate::llir::walk::{substitute, visit_exprs, visit_stmts};
use crate::llir::{BufferId, Expr, IndexOp, Scope, Space, Stmt, VarId, WorkspaceId, build};
use std::cell::Cell;
use std::collections::BTreeSet;

/// A workspace that is filled.
pub(super) struct Filled<'a> {
    pub(super) workspace: WorkspaceId,
    /// Its variable.
    pub(super) var: IndexVar,
    pub(super) pass: Pass,
    pub(super) table: &'a Table,
    /// Are its elements to begin with the reduction's identity?
    pub(super) begun: Cell<bool>,
    /// Are sums of the row before, which lanes may still read, written over?
    pub(super) looks: Cell<bool>,
    /// How many statements of the producer are around what is shared out.
    pub(super) depth: Cell<u32>,
}

impl Lowerer<'_> {
    /// Empties a table, and shares out what a producer scatters into it, for a row that does so once or comes to it again. The team has waited after each part of that, if values
    /// are combined.
    pub(in super::super) fn share_producer(
        &mut self,
        mut block: Block,
        lanes: &Lanes,
        (workspace, var): (WorkspaceId, IndexVar),
        (pass, row, once): (Pass, &Expr, bool),
        table: &Table,
    ) -> Block {
        let (begun, looks, depth) = (Cell::new(false), Cell::new(false), Cell::new(0));
        let filled = Filled { workspace, var, pass, table, begun, looks, depth };
        let pieces = if once { self.cut_producer(&mut block, row, &filled) } else { None };
        let shared = match self.shared_out(&block, lanes, &filled) {
            Some(shared) => shared,
            None => {
                filled.begun.set(false);
                filled.looks.set(false);
                let mut done = self.scatter_alone(block, lanes, &filled);
                done.extend(pass.combines().then(|| lanes.barrier()));
                done
            }
        };
        let mut all = vec![self.empty_table(workspace, table, filled.begun.get())];
        // What a block has counted a row by is read at its end.
        let looks = filled.looks.get() && lanes.scope == Scope::Block;
        let waits = claims_first(&shared) || looks && pass == Pass::Count;
        all.extend(waits.then(|| lanes.barrier()));
        all.extend(shared);
        match pieces {
            Some(pieces) => self.around_pieces(pieces, all, lanes, &filled),
            None => all,
        }
    }

    /// `None` where all of it is one lane's: what one lane alone has changed would be read by others.
    fn shared_out(&mut self, block: &[Stmt], lanes: &Lanes, filled: &Filled<'_>) -> Option<Block> {
        let alone = |l: &mut Self, stmts: &[Stmt]| -> Option<Block> {
            if changed_outside(stmts).is_empty() {
                let mut done = l.scatter_alone(stmts.to_vec(), lanes, filled);
                // Elements wait for their next terms.
                done.extend(filled.pass.combines().then(|| lanes.barrier()));
                Some(done)
            } else {
                None
            }
        };
        if !self.is_shareable(block, filled) {
            return if scatters(block) { alone(self, block) } else { Some(block.to_vec()) };
        }
        let mut out = Block::new();
        for stmt in block {
            let one = std::slice::from_ref(stmt);
            match stmt {
                Stmt::For { var, lo, hi, body, .. } if self.is_shared_loop(stmt, filled) => {
                    let body = self.claims(body.clone(), filled);
                    out.push(lanes.each(*var, lo.clone(), hi.clone(), body));
                    out.extend(filled.pass.combines().then(|| lanes.barrier()));
                }
                stmt if self.is_shareable(one, filled) => {
                    if let Some(abreast) = self.abreast(stmt, lanes, filled) {
                        out.extend(abreast);
                        continue;
                    }
                    let mut stmt = stmt.clone();
                    let mut whole = true;
                    filled.depth.set(filled.depth.get() + 1);
                    stmt.for_each_block_mut(&mut |nested| match self.shared_out(nested, lanes, filled) {
                        Some(shared) => *nested = shared,
                        None => whole = false,
                    });
                    filled.depth.set(filled.depth.get() - 1);
                    match whole {
                        true => out.push(stmt),
                        false => out.extend(alone(self, one)?),
                    }
                }
                stmt if scatters(one) => out.extend(match stmt {
                    Stmt::Let { .. } | Stmt::Mut { .. } => vec![stmt.clone()],
                    _ => alone(self, one)?,
                }),
                stmt => out.push(stmt.clone()),
            }
        }
        Some(out)
    }

    /// The first lane scatters.
    fn scatter_alone(&mut self, block: Block, lanes: &Lanes, filled: &Filled<'_>) -> Block {
        if let Some(gpu) = &mut self.gpu {
            gpu.alone = true;
        }
        lanes.first(self.claims(block, filled))
    }

    fn is_shareable(&self, block: &[Stmt], filled: &Filled<'_>) -> bool {
        let mut found = false;
        visit_stmts(block, &mut |s| found |= self.is_shared_loop(s, filled));
        found
    }

    /// Does each iteration scatter another element, and nothing else that lasts?
    pub(super) fn is_shared_loop(&self, stmt: &Stmt, filled: &Filled<'_>) -> bool {
        match stmt {
            Stmt::For { var, step: 1, body, .. } => {
                self.apart.get(var) == Some(&filled.var) && scatters(body) && changed_outside(body).is_empty()
            }
            _ => false,
        }
    }

    /// Scatters become claims of the table's places.
    pub(super) fn claims(&mut self, block: Block, filled: &Filled<'_>) -> Block {
        self.for_scatters(block, filled.workspace, &mut |l, at, value| {
            l.claim(filled.workspace, filled.pass, filled.table, at, value)
        })
    }

    /// A block in which others stand for what it scatters into a workspace, by its coordinates and its value.
    pub(super) fn for_scatters(
        &mut self,
        block: Block,
        of: WorkspaceId,
        by: &mut dyn FnMut(&mut Self, &[Expr], Expr) -> Block,
    ) -> Block {
        let mut out = Block::new();
        for mut stmt in block {
            match stmt {
                Stmt::Scatter { workspace, at, value } if workspace == of => out.extend(by(self, &at, value)),
                _ => {
                    stmt.for_each_block_mut(&mut |nested| {
                        *nested = self.for_scatters(std::mem::take(nested), of, by);
                    });
                    out.push(stmt);
                }
            }
        }
        out
    }

    /// Shares out what is left of a row: the entries that are stored, and what one lane does.
    pub(in super::super) fn share_row(&mut self, block: Block) -> Block {
        let Some(lanes) = self.row_lanes() else { return block };
        let row = block.clone();
        let row = Row { all: &row, decides: decides(&row) };
        self.rest_of_row(block, &lanes, &row, false)
    }

    fn rest_of_row(&mut self, block: Block, lanes: &Lanes, row: &Row<'_>, again: bool) -> Block {
        let mut out = Block::new();
        let mut first = Block::new();
        for mut stmt in block {
            // One lane does not decide for all: what does is done by all, and what it does besides by one.
            let joint = is_joint(&stmt) || self.stores_result(&stmt) && row.decides_in(&stmt);
            if !joint && let Some(shared) = self.shared_entries(&stmt, lanes, row.all, again) {
                out.extend(lanes.first(std::mem::take(&mut first)));
                out.extend(shared);
            } else if !joint && self.stores_result(&stmt) {
                first.push(stmt);
            } else {
                out.extend(lanes.first(std::mem::take(&mut first)));
                if joint {
                    let again = again || !matches!(stmt, Stmt::If { .. });
                    stmt.for_each_block_mut(&mut |nested| {
                        *nested = self.rest_of_row(std::mem::take(nested), lanes, row, again);
                    });
                }
                out.push(stmt);
            }
        }
        out.extend(lanes.first(first));
        out
    }

    /// Is anything stored that is not the team's own?
    fn stores_result(&self, stmt: &Stmt) -> bool {
        let own = |b: BufferId| {
            matches!(self.buffers[b.index()].space, Space::Shared { .. } | Space::Register { .. })
                || self.spas.iter().any(|w| w.vals == b || w.crd.contains(&b))
                || self.out.gpu.marks.iter().flatten().any(|marks| marks.arrays().contains(&b))
                || self.is_of_pieces(b)
        };
        let mut stores = false;
        visit_stmts(std::slice::from_ref(stmt), &mut |s| {
            stores |= !matches!(s, Stmt::Local { .. }) && s.buffers().into_iter().any(|b| !own(b));
        });
        stores
    }

    /// A loop that stores one entry an iteration, at consecutive positions that nothing else counts; the row may come to it
    /// again.
    fn shared_entries(&self, stmt: &Stmt, lanes: &Lanes, row: &[Stmt], again: bool) -> Option<Block> {
        let changed = changed_in(row);
        let Stmt::For { var, lo, hi, step: 1, body, .. } = stmt else { return None };
        let (last, entry) = body.split_last()?;
        let Stmt::Assign { var: next, value: Expr::IndexOp(IndexOp::Add, a, b) } = last else { return None };
        let counts = a.is_var(*next) && **b == Expr::Index(1);
        let stores = entry.iter().all(|s| match s {
            Stmt::Let { .. } => true,
            Stmt::Store { index, .. } => index.is_var(*next),
            _ => false,
        });
        let alone = changed.iter().filter(|v| *v == next).count() == 1;
        let mut fixed = true;
        let mut check = |e: &Expr| fixed &= !changed.iter().any(|v| v != next && e.mentions(*v));
        check(lo);
        check(hi);
        entry.iter().for_each(|s| s.for_each_expr(&mut check));
        if !(counts && stores && alone && fixed) || lo.mentions(*next) || hi.mentions(*next) {
            return None;
        }
        let at = build::add(*next, build::sub(Expr::Var(*var), lo.clone()));
        let mut entry = entry.to_vec();
        substitute(&mut entry, *next, &at);
        let mut shared = vec![lanes.each(*var, lo.clone(), hi.clone(), entry)];
        if again || reads(row, *next) > reads(std::slice::from_ref(stmt), *next) {
            let more = build::add(*next, build::sub(hi.clone(), lo.clone()));
            shared.push(Stmt::Assign { var: *next, value: more });
        }
        Some(shared)
    }
}

/// What a team does of a row after its elements are scattered.
struct Row<'a> {
    all: &'a [Stmt],
    /// The variables by which it is decided whether lanes wait for each other, and how often.
    decides: BTreeSet<VarId>,
}

impl Row<'_> {
    /// Does it change a variable of others by which they decide that?
    fn decides_in(&self, stmt: &Stmt) -> bool {
        let nested = !matches!(stmt, Stmt::Assign { .. });
        nested && changed_outside(std::slice::from_ref(stmt)).iter().any(|v| self.decides.contains(v))
    }
}

/// The variables that conditions and bounds around joint statements are computed of.
fn decides(row: &[Stmt]) -> BTreeSet<VarId> {
    let mut decides = BTreeSet::new();
    let note = |e: &Expr, decides: &mut BTreeSet<VarId>| {
        e.visit(&mut |e| {
            if let Expr::Var(v) = e {
                decides.insert(*v);
            }
        });
    };
    visit_stmts(row, &mut |s| match s {
        Stmt::If { cond, .. } | Stmt::While { cond, .. } if is_joint(s) => note(cond, &mut decides),
        Stmt::For { lo, hi, .. } if is_joint(s) => {
            note(lo, &mut decides);
            note(hi, &mut decides);
        }
        _ => {}
    });
    loop {
        let known = decides.len();
        visit_stmts(row, &mut |s| {
            if let Stmt::Let { var, value } | Stmt::Mut { var, value } | Stmt::Assign { var, value } = s
                && decides.contains(var)
            {
                note(value, &mut decides);
            }
        });
        if decides.len() == known {
            return decides;
        }
    }
}

/// Is a place claimed before the lanes have waited for each other?
fn claims_first(block: &[Stmt]) -> bool {
    for stmt in block {
        match stmt {
            Stmt::Barrier(_) => return false,
            Stmt::Collective(c) if c.is_barrier() => return false,
            Stmt::Claim { .. } => return true,
            stmt if stmt.blocks().into_iter().any(claims_first) => return true,
            _ => {}
        }
    }
    false
}

/// Is something scattered?
pub(super) fn scatters(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |s| found |= matches!(s, Stmt::Scatter { .. }));
    found
}

/// The variables that are changed, as often as they are.
fn changed_in(block: &[Stmt]) -> Vec<VarId> {
    let mut changed = vec![];
    visit_stmts(block, &mut |s| changed.extend(s.assigned()));
    changed
}

/// The variables that are changed and not declared there.
fn changed_outside(block: &[Stmt]) -> BTreeSet<VarId> {
    let mut changed: BTreeSet<VarId> = changed_in(block).into_iter().collect();
    visit_stmts(block, &mut |s| {
        if let Stmt::Mut { var, .. } = s {
            changed.remove(var);
        }
    });
    changed
}

/// How often a variable is read.
fn reads(block: &[Stmt], var: VarId) -> usize {
    let mut reads = 0;
    visit_exprs(block, &mut |e| reads += usize::from(e.is_var(var)));
    reads
}
