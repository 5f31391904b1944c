//! Assembly as a program: count, scan, fill.
//!
//! The loops are lowered twice. The first time each *row* counts the entries that it appends to each group of levels;
//! sums of the counts before are where a row's entries begin; the second time each row stores its entries from there
//! on. A row is an element of the result's dense levels at the root, or, where it has none, a coordinate that operands store
//! (`super::gpu::stored_rows`), or what one thread has of the loops that are bound: rows are in the order of the result's
//! coordinates. The first group's begins below dense levels
//! are the result's `pos`.
//!
//! ```text
//! launch count:  count[row] = how many      for every row
//! launches scan: begin[row] = Σ count[..row], begin[rows] = all of them
//! read n = begin[rows]; allocate crd[n], vals[n]
//! launch fill:   p = begin[row]; crd[p] = …, vals[p] = …, p += 1      for every row
//! ```
//!
//! Here is what a pass does at a row; `steps` has the launches, and what the host does between them.

mod steps;

use super::gpu::Table;
use super::region::guard;
use super::state::{Lhs, SparseTarget, State};
use super::{Lowered, Lowerer, joined};
use crate::front::ast::IndexVar;
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, BufferId, Expr, Stmt, Ty, VarId, WorkspaceId, build};

/// What a lowering of the loops does to an assembled result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Counts what each row scatters into each sparse workspace, the most at a time.
    Scatters,
    /// Combines what parts of rows scatter that have very much of it: what these are in the passes that follow.
    Pieces,
    /// Counts the entries of each row; values are not computed.
    Count,
    /// Stores each row's entries from its begin on.
    Fill,
}

impl Pass {
    /// Are values of what is scattered combined?
    pub(super) fn combines(self) -> bool {
        matches!(self, Pass::Fill | Pass::Pieces)
    }

    /// Is nothing done but what rows scatter?
    fn only_scatters(self) -> bool {
        matches!(self, Pass::Scatters | Pass::Pieces)
    }
}

/// A result that is assembled by rows.
pub(super) struct Assembly {
    pass: Pass,
    /// By appended group, an element a row: how many it has, then where they begin.
    begins: Vec<BufferId>,
    /// By appended group: how many entries the row has up to here, or the position of its next one.
    next: Vec<VarId>,
    /// The row, inside of one.
    row: Option<Expr>,
    /// The tables that the row's producers fill.
    tables: Vec<(WorkspaceId, Table)>,
    /// What the row scatters into workspaces.
    scattered: Vec<Scattered>,
}

/// What a row scatters into a workspace.
#[derive(Clone, Copy)]
struct Scattered {
    workspace: WorkspaceId,
    /// The most elements at a time.
    most: VarId,
    /// The most of these that it takes, where masks say that of all openings.
    taken: Option<VarId>,
}

impl Assembly {
    fn new(pass: Pass, begins: &[BufferId]) -> Self {
        let begins = begins.to_vec();
        Assembly { pass, begins, next: vec![], row: None, tables: vec![], scattered: vec![] }
    }

    /// The pass, and the table that is filled for a workspace.
    pub(super) fn table(&self, w: WorkspaceId) -> Option<(Pass, Table)> {
        let found = self.tables.iter().find(|(of, _)| *of == w);
        found.map(|(_, table)| (self.pass, table.clone()))
    }
}

impl<'k> Lowerer<'k> {
    /// Is it the pass that makes pieces of rows?
    pub(super) fn makes_pieces(&self) -> bool {
        self.pass() == Some(Pass::Pieces)
    }

    fn pass(&self) -> Option<Pass> {
        self.out.assembly.as_ref().map(|a| a.pass)
    }

    /// Is only counted what this state would append?
    pub(super) fn counts(&self, st: &State) -> bool {
        match st.lhs {
            Lhs::Output { block: None } => self.pass() == Some(Pass::Count),
            Lhs::Scattered(SparseTarget { workspace: None, .. }) => self.counts_list(),
            Lhs::Scattered(_) => matches!(self.pass(), Some(Pass::Scatters | Pass::Count)),
            _ => false,
        }
    }

    /// Is nothing left to do: are only scatters counted, and are there none inside?
    pub(super) fn ends_here(&self, st: &State) -> bool {
        if !self.pass().is_some_and(Pass::only_scatters) || !matches!(st.lhs, Lhs::Output { .. }) {
            return false;
        }
        !self.scatters_first(st)
    }

    /// Are workspaces to be filled first that elements are scattered into?
    fn scatters_first(&self, st: &State) -> bool {
        let mut scatters = false;
        st.rhs.for_each_production(&mut |p| {
            scatters |= self.workspaces[p.workspace.index()].format.is_sparse();
        });
        scatters
    }

    /// Are only scatters counted, and is what reads a workspace that has been filled none of them, nor fills another first? Its values
    /// are nothing's count.
    pub(super) fn only_reads(&self, st: &State) -> bool {
        let scatters = matches!(st.lhs, Lhs::Scattered(_)) || self.scatters_first(st);
        self.pass() == Some(Pass::Scatters) && !scatters
    }

    /// Has a row scattered anything in a block?
    pub(super) fn notes_scattered(&self, block: &[Stmt]) -> bool {
        let Some(assembly) = &self.out.assembly else { return false };
        let mut notes = false;
        visit_stmts(block, &mut |s| {
            notes |= s.assigned().is_some_and(|var| assembly.scattered.iter().any(|of| of.most == var));
        });
        notes
    }

    /// The pass and the row that is assembled here.
    pub(super) fn assembled_row(&self) -> Option<(Pass, Expr)> {
        self.out.assembly.as_ref().and_then(|a| Some((a.pass, a.row.clone()?)))
    }

    /// How many entries of a group a row has, when they have been counted.
    pub(super) fn entries_of_row(&self, group: usize, row: &Expr) -> Option<Expr> {
        let begins = *self.out.assembly.as_ref()?.begins.get(group)?;
        Some(build::sub(self.end_of_entries(group, row)?, build::load(begins, row.clone())))
    }

    /// Where a row's entries of a group end, when they have been counted.
    pub(super) fn end_of_entries(&self, group: usize, row: &Expr) -> Option<Expr> {
        let begins = *self.out.assembly.as_ref()?.begins.get(group)?;
        Some(build::load(begins, build::add(row.clone(), Expr::Index(1))))
    }

    /// A producer begins to fill a table, or ends.
    pub(super) fn use_table(&mut self, w: WorkspaceId, table: Option<Table>) {
        if let Some(assembly) = &mut self.out.assembly {
            assembly.tables.retain(|(of, _)| *of != w);
            assembly.tables.extend(table.map(|table| (w, table)));
        }
    }

    /// A row scatters so many elements into a workspace, which takes no more than its mask lists: nothing is done for none.
    pub(super) fn note_scattered(&mut self, w: WorkspaceId, elements: VarId, listed: Option<Expr>) -> Block {
        let known = self.out.assembly.as_ref().and_then(|a| a.scattered.iter().find(|s| s.workspace == w));
        let noted = match known {
            Some(known) => *known,
            None => {
                let name = self.spas[w.index()].name.clone();
                let most = self.fresh(&format!("{name}_most"), Ty::Index);
                let taken = listed.as_ref().map(|_| self.fresh(&format!("{name}_taken"), Ty::Index));
                let noted = Scattered { workspace: w, most, taken };
                if let Some(assembly) = &mut self.out.assembly {
                    assembly.scattered.push(noted);
                }
                noted
            }
        };
        let at_least = |var: VarId, value: Expr| Stmt::Assign { var, value: build::max(var, value) };
        let all = Expr::from(elements);
        let (most, taken) = match listed {
            Some(listed) => {
                let some = build::lt(Expr::Index(0), listed.clone());
                let most = build::select(some, all.clone(), Expr::Index(0));
                (most, build::min(all, listed))
            }
            None => (all.clone(), all),
        };
        let mut block = vec![at_least(noted.most, most)];
        block.extend(noted.taken.map(|var| at_least(var, taken)));
        block
    }

    /// What the entries of a result's last group of levels are counted in, or where the next one is stored.
    pub(super) fn next_of_row(&self) -> Option<VarId> {
        self.out.assembly.as_ref()?.next.last().copied()
    }

    /// Lowers what counts a row's entries in a variable, those of the last group, whatever the pass is.
    pub(super) fn counting_in<T>(&mut self, count: VarId, lower: impl FnOnce(&mut Self) -> T) -> T {
        let exchange = |l: &mut Self, pass: &mut Pass, next: &mut Vec<VarId>| {
            if let Some(assembly) = &mut l.out.assembly {
                std::mem::swap(&mut assembly.pass, pass);
                std::mem::swap(&mut assembly.next, next);
            }
        };
        let above = self
            .out
            .assembly
            .as_ref()
            .map_or(&[][..], |a| a.next.split_last().map_or(&[], |(_, above)| above));
        let (mut pass, mut next) = (Pass::Count, [above, &[count]].concat());
        exchange(self, &mut pass, &mut next);
        let lowered = lower(self);
        exchange(self, &mut pass, &mut next);
        lowered
    }

    /// The next position of a group, in the row; `None` where arrays grow.
    pub(super) fn next_position(&self, group: usize) -> Option<Expr> {
        let assembly = self.out.assembly.as_ref()?;
        Some(assembly.next.get(group).map_or(Expr::Index(0), |var| Expr::Var(*var)))
    }

    /// One more element of an array of a group, which has so many more than the group has entries.
    pub(super) fn push(&self, group: usize, buffer: BufferId, more: u64, value: Expr) -> Block {
        match &self.out.assembly {
            None => vec![Stmt::Append { buffer, value }],
            Some(Assembly { pass: Pass::Scatters | Pass::Pieces | Pass::Count, .. }) => vec![],
            Some(Assembly { pass: Pass::Fill, next, .. }) => {
                vec![Stmt::Store { buffer, index: build::add(next[group], Expr::Index(more)), value }]
            }
        }
    }

    /// All arrays of a group have one more element.
    pub(super) fn advance(&self, group: usize) -> Block {
        self.advance_by(group, Expr::Index(1))
    }

    /// They have so many more.
    pub(super) fn advance_by(&self, group: usize, more: Expr) -> Block {
        let Some(Assembly { pass, next, .. }) = &self.out.assembly else { return vec![] };
        let Some(&var) = next.get(group) else { return vec![] };
        // A row has no more coordinates of one level than the dimension is long.
        let bounded = group == 0 && self.out_groups().appended[0].len() == 1;
        let value = match pass {
            Pass::Count if !bounded => build::count(var, more),
            _ => build::add(var, more),
        };
        vec![Stmt::Assign { var, value }]
    }

    /// A row of the innermost dense level of the prefix.
    pub(super) fn assemble_row(&mut self, loops: &[IndexVar], st: State, row: Expr) -> Lowered {
        let mut block = Block::new();
        let row = self.bind("row", row, &mut block);
        let one = self.one_thread(&st);
        let before = self.open_row(&row);
        let body = self.lower(loops, st)?;
        let mut body = self.close_row_of(before, body, &row);
        self.leave_row();
        if self.merges_parts().is_none() {
            body = self.share_row(body);
        }
        block.extend(self.of_tier(&row, body));
        Ok(guard(one, block))
    }

    /// Declares the row's next positions.
    pub(super) fn open_row(&mut self, row: &Expr) -> Block {
        let Some(assembly) = &mut self.out.assembly else { return vec![] };
        assembly.row = Some(row.clone());
        let (pass, begins) = (assembly.pass, assembly.begins.clone());
        let tensor = self.kernel.tensors[self.out.tensor.index()].name.to_string();
        let (mut next, mut block) = (vec![], vec![]);
        for (levels, begin) in self.out_groups().appended.iter().zip(begins) {
            let level = levels.start + 1;
            let (name, value) = match pass {
                Pass::Scatters | Pass::Pieces => break,
                Pass::Count => (format!("{tensor}{level}_count"), Expr::Index(0)),
                Pass::Fill => (format!("p{tensor}{level}"), build::load(begin, row.clone())),
            };
            let var = self.fresh(&name, Ty::Index);
            block.push(Stmt::Mut { var, value });
            next.push(var);
        }
        if let Some(assembly) = &mut self.out.assembly {
            assembly.next = next;
        }
        block
    }

    pub(super) fn leave_row(&mut self) {
        if let Some(assembly) = &mut self.out.assembly {
            assembly.row = None;
            assembly.scattered.clear();
        }
    }

    pub(super) fn close_row_of(&mut self, before: Block, body: Block, row: &Expr) -> Block {
        let Some(Assembly { pass, begins, next, scattered, .. }) = &self.out.assembly else { return body };
        let store = |(&buffer, &var): (&BufferId, &VarId)| Stmt::Store {
            buffer,
            index: row.clone(),
            value: Expr::Var(var),
        };
        match pass {
            Pass::Scatters => {
                let mut block = before;
                let scattered = scattered.clone();
                let vars = scattered.iter().flat_map(|s| std::iter::once(s.most).chain(s.taken));
                block.extend(vars.map(|var| Stmt::Mut { var, value: Expr::Index(0) }));
                block.extend(body);
                let mut all = Vec::new();
                for Scattered { workspace: w, most, taken } in scattered {
                    let (places, value) = self.table_places(w, taken.unwrap_or(most));
                    block.extend(places);
                    let buffer = self.places_array(w);
                    block.push(Stmt::Store { buffer, index: row.clone(), value: value.clone() });
                    all.push((w, most, value));
                }
                block.extend(self.enlist_row(row, &all));
                self.leave_long_row(row, block)
            }
            Pass::Pieces | Pass::Fill if body.is_empty() => body,
            Pass::Pieces | Pass::Fill => joined(before, body),
            Pass::Count => {
                let stores = begins.iter().zip(next).map(store).collect();
                let stores = match self.merges_parts() {
                    Some(lanes) => lanes.first(stores),
                    None => stores,
                };
                joined(joined(before, body), stores)
            }
        }
    }
}
