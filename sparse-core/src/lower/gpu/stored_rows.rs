//! Rows of a result whose first level is sparse: the coordinates that operands store in their first levels.
//!
//! Without a schedule a thread has an entry of one of these levels:
//!
//! ```text
//! entry = the thread's number;   i = entry < A's entries ? A1_crd[entry] : B1_crd[entry - A's entries]
//! pA, pB = where i is in A and B, or would be
//! if entry is the first that has i { row = pA + pB; … }
//! ```
//!
//! A row's number is how many entries lie before its coordinate, so rows are in the order of these. There are as many numbers as
//! entries, however long the dimension is; a number that is no row's counts nothing. Where something is done at a coordinate that
//! no operand stores, an operand has all of them, and threads have coordinates.

use super::super::place::ceil;
use super::super::region::guard;
use super::super::state::State;
use super::super::{Lowered, Lowerer, Operand};
use super::parts::select;
use super::{Blocks, THREADS};
use crate::cin::grid::Grid;
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::Schedule;
use crate::llir::{Block, Bound, BufferId, Expr, build};

/// Which coordinates threads have.
#[derive(Clone)]
pub(in super::super) struct StoredRows {
    pub(super) var: IndexVar,
    /// The operands whose entries have them; without one, they are all.
    operands: Vec<Stored>,
    /// What of these the thread has.
    pub(super) entry: Option<Expr>,
    /// Where its coordinate is in them.
    here: Vec<Here>,
}

/// A first level that is sparse.
#[derive(Clone, Copy)]
struct Stored {
    access: AccessId,
    pos: BufferId,
    crd: BufferId,
    unique: bool,
}

/// Where a coordinate is in a first level, or would be, and where that ends.
#[derive(Clone)]
pub(in super::super) struct Here {
    access: AccessId,
    pub(in super::super) p: Expr,
    pub(in super::super) end: Expr,
    /// Is it there?
    pub(in super::super) surely: bool,
}

/// The entries of all operands, one operand's after another's.
struct Entries {
    /// Where each operand's end among its own.
    ends: Vec<Expr>,
    /// How many there are in the operands before each.
    before: Vec<Expr>,
    all: Expr,
}

impl Lowerer<'_> {
    /// The rows that threads have where nobody scheduled loops, of which the outermost is over the coordinates of the result's first
    /// level.
    fn stored_rows(&self, loops: &[IndexVar], state: &State) -> Option<StoredRows> {
        let (&var, inside) = loops.split_first()?;
        let first = self.out_groups().prefix.is_empty() && self.out.vars.first() == Some(&var);
        let (p, filled) = (self.provenance, !self.workspaces.is_empty() || !self.lists.is_empty());
        let is_its_own = p.made_by(var).is_none() && p.consumed_by(var).is_none();
        if !first || !is_its_own || inside.is_empty() || filled {
            return None;
        }
        let (mut sparse, mut has_all) = (Vec::new(), false);
        state.rhs.for_each_access(&mut |a| {
            let level = &self.levels[a.index()].first();
            if let (Some(level), Operand::Tensor(_)) = (level, self.tensors[a.index()])
                && self.level_vars[a.index()][0] == var
                && !sparse.iter().any(|known: &Stored| known.access == a)
            {
                has_all |= level.level == Level::Dense;
                if let (Level::Compressed { unique }, Some(pos), Some(crd)) =
                    (level.level, level.pos, level.crd)
                {
                    sparse.push(Stored { access: a, pos, crd, unique });
                }
            }
        });
        let all: Vec<AccessId> = sparse.iter().map(|s| s.access).collect();
        let leader = sparse.iter().find(|s| state.idles_without(self, &[s.access])).copied();
        let operands = match leader {
            Some(leader) => vec![leader],
            None if !all.is_empty() && state.idles_without(self, &all) => sparse,
            None if has_all => vec![],
            None => return None,
        };
        Some(StoredRows { var, operands, entry: None, here: vec![] })
    }

    /// Gives threads the rows that operands store, if the loops are without a schedule.
    ///
    /// # Errors
    /// Loops without a schedule whose rows are not found so.
    pub(in super::super) fn find_stored_rows(
        &mut self,
        loops: &[IndexVar],
        state: &State,
    ) -> Result<(), Box<Diagnostic>> {
        let is_default = matches!(self.kernel.cuda, Schedule::Default) && self.root.is_none();
        let Some(&outermost) = loops.first().filter(|_| is_default && self.grid.blocks.is_empty()) else {
            return Ok(());
        };
        if !self.out_groups().prefix.is_empty() {
            return Ok(());
        }
        let Some(rows) = self.stored_rows(loops, state) else { return Err(self.refuse_assembly()) };
        // Numbers that are no row's are not counted.
        self.out.pos_gaps |= rows.operands.len() > 1 || rows.operands.iter().any(|s| !s.unique);
        self.out.gpu.stored_rows = Some(rows);
        self.root = Some(outermost);
        self.grid = Grid { blocks: vec![], warps: 1, lanes: THREADS.into(), team: None };
        Ok(())
    }

    /// Have threads the rows that operands store?
    pub(in super::super) fn has_stored_rows(&self) -> bool {
        self.out.gpu.stored_rows.is_some()
    }

    /// How many numbers rows have: what the host computes, and what a thread does.
    pub(in super::super) fn numbers_of_stored_rows(&self) -> Option<(Expr, Expr)> {
        let rows = self.out.gpu.stored_rows.as_ref()?;
        let sum = |of: fn(&Stored) -> Expr| rows.operands.iter().map(of).reduce(build::add);
        let extent = self.extent(rows.var);
        Some((
            sum(|s| Expr::Len(s.crd)).unwrap_or_else(|| extent.clone()),
            sum(|s| build::load(s.pos, Expr::Index(1))).unwrap_or(extent),
        ))
    }

    /// The rows of the threads, one each.
    pub(in super::super) fn assemble_stored_rows(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        let (Some(rows), Some(number)) = (self.out.gpu.stored_rows.clone(), self.row_number()) else {
            return Err(self.refuse_assembly());
        };
        self.bind_blocks();
        let mut block = Block::new();
        let entry = self.bind(&self.name_of_entries(), number, &mut block);
        let entries = self.first_entries(&rows, &mut block);
        if let Some(rows) = &mut self.out.gpu.stored_rows {
            rows.entry = Some(entry.clone());
        }
        let mut inside = Block::new();
        let i = self.coordinate_of(&entry, &rows, &entries, &mut inside);
        let of_equal = first_of_equal(&entry, &i, &rows, &entries, &self.extent(rows.var));
        let mut found = Block::new();
        let row = self.find_row(&entry, &i, &rows, &entries, &mut found);
        let is_first = self.is_first(&entry, &i, &rows, &entries);
        let mut st = self.enter(rows.var, st);
        st.coords[rows.var.index()] = Some(i);
        let body = self.stored_row(row, &loops[1..], st)?;
        found.extend(guard(is_first, body.clone()));
        inside.extend(guard(of_equal, found));
        block.extend(guard(build::lt(entry, entries.all), inside));
        Ok(if body.is_empty() { body } else { block })
    }

    /// The row of the team that has an entry which a thread has enlisted.
    pub(super) fn assemble_listed_row(
        &mut self,
        entry: &Expr,
        inside: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        let Some(rows) = self.out.gpu.stored_rows.clone() else { return Err(self.refuse_assembly()) };
        let mut block = Block::new();
        let entries = self.first_entries(&rows, &mut block);
        let i = self.coordinate_of(entry, &rows, &entries, &mut block);
        let row = self.find_row(entry, &i, &rows, &entries, &mut block);
        st.coords[rows.var.index()] = Some(i);
        block.extend(self.stored_row(row, inside, st)?);
        Ok(block)
    }

    /// What the thing is called that threads have one of.
    pub(super) fn name_of_entries(&self) -> String {
        match &self.out.gpu.stored_rows {
            Some(rows) if rows.operands.is_empty() => self.name(rows.var),
            _ => "entry".to_owned(),
        }
    }

    /// What is done in a row.
    fn stored_row(&mut self, row: Expr, inside: &[IndexVar], st: State) -> Lowered {
        let mut block = Block::new();
        let row = self.bind("row", row, &mut block);
        let before = self.open_row(&row);
        let body = self.lower(inside, st)?;
        if body.is_empty() {
            return Ok(body);
        }
        block.extend(self.close_row_of(before, body, &row));
        self.leave_row();
        if let Some(rows) = &mut self.out.gpu.stored_rows {
            rows.here.clear();
        }
        Ok(block)
    }

    /// There are so many blocks that each entry has a thread.
    fn bind_blocks(&mut self) {
        let Some((on_host, on_device)) = self.numbers_of_stored_rows() else { return };
        let of = |size| ceil(size, THREADS.into());
        if let Some(gpu) = &mut self.gpu {
            gpu.axes[0].1 = Some(Blocks { on_host: of(on_host), on_device: Some(of(on_device)) });
        }
    }

    fn first_entries(&mut self, rows: &StoredRows, block: &mut Block) -> Entries {
        let (mut ends, mut before, mut all) = (Vec::new(), Vec::new(), Expr::Index(0));
        for s in &rows.operands {
            let name = format!("p{}1_end", self.tensor_name(s.access));
            let end = self.bind(&name, build::load(s.pos, Expr::Index(1)), block);
            before.push(all.clone());
            all = self.bind("entries", build::add(all, end.clone()), block);
            ends.push(end);
        }
        if ends.is_empty() {
            all = self.extent(rows.var);
        }
        Entries { ends, before, all }
    }

    /// The coordinate that an entry has.
    fn coordinate_of(
        &mut self,
        entry: &Expr,
        rows: &StoredRows,
        entries: &Entries,
        block: &mut Block,
    ) -> Expr {
        let of =
            |(s, before): (&Stored, &Expr)| build::load(s.crd, build::sub(entry.clone(), before.clone()));
        let i = by_operand(entry, entries, rows.operands.iter().zip(&entries.before).map(of).collect());
        self.bind(&self.name(rows.var), i.unwrap_or_else(|| entry.clone()), block)
    }

    /// The number of the row of a coordinate. Where this is in the operands is kept.
    fn find_row(
        &mut self,
        entry: &Expr,
        i: &Expr,
        rows: &StoredRows,
        entries: &Entries,
        block: &mut Block,
    ) -> Expr {
        let (mut row, mut here) = (Expr::Index(0), Vec::new());
        let surely = rows.operands.len() == 1;
        for (s, end) in rows.operands.iter().zip(&entries.ends) {
            let p = if surely {
                entry.clone()
            } else {
                let name = format!("p{}1", self.tensor_name(s.access));
                let value = build::search(Bound::Lower, s.crd, Expr::Index(0), end.clone(), i.clone());
                self.bind(&name, value, block)
            };
            row = build::add(row, p.clone());
            here.push(Here { access: s.access, p, end: end.clone(), surely });
        }
        if let Some(rows) = &mut self.out.gpu.stored_rows {
            rows.here = here;
        }
        if rows.operands.is_empty() { entry.clone() } else { row }
    }

    /// Is an entry the first that has its coordinate? One of the first operand that has it is.
    fn is_first(&self, entry: &Expr, i: &Expr, rows: &StoredRows, entries: &Entries) -> Expr {
        let here = self.out.gpu.stored_rows.as_ref().map_or(&[][..], |rows| &rows.here);
        if rows.operands.len() < 2 {
            return Expr::Cond(true);
        }
        let firsts =
            here.iter().zip(&entries.before).map(|(here, before)| build::add(before.clone(), here.p.clone()));
        let firsts: Vec<Expr> = firsts.collect();
        let has = rows.operands.iter().zip(here).map(|(s, here)| {
            let there = build::lt(here.p.clone(), here.end.clone());
            build::and(there, build::eq(build::load(s.crd, here.p.clone()), i.clone()))
        });
        // Some operand has it.
        let Some((last, others)) = firsts.split_last() else { return Expr::Cond(true) };
        let others = has.zip(others).collect::<Vec<_>>().into_iter().rev();
        let first = others.fold(last.clone(), |rest, (has, first)| select(has, first.clone(), rest));
        build::eq(entry.clone(), first)
    }

    /// Where the coordinate of a row is in an operand's first level, if that has been found.
    pub(in super::super) fn stored_here(&self, a: AccessId, st: &State) -> Option<Here> {
        let rows = self.out.gpu.stored_rows.as_ref()?;
        let here = rows.here.iter().find(|here| here.access == a)?;
        (st.cursors[a.index()].level == 0).then(|| here.clone())
    }
}

/// The value of the operand that an entry is of.
fn by_operand(entry: &Expr, entries: &Entries, values: Vec<Expr>) -> Option<Expr> {
    let mut of_each = values.into_iter().zip(&entries.before).rev();
    let (mut value, mut first) = of_each.next()?;
    for (other, before) in of_each {
        value = select(build::lt(entry.clone(), first.clone()), other, value);
        first = before;
    }
    Some(value)
}

/// Where operands may have a coordinate several times: is an entry the first one in its operand?
fn first_of_equal(entry: &Expr, i: &Expr, rows: &StoredRows, entries: &Entries, size: &Expr) -> Expr {
    if rows.operands.iter().all(|s| s.unique) {
        return Expr::Cond(true);
    }
    let before = |(s, first): (&Stored, &Expr)| {
        let at = build::sub(entry.clone(), first.clone());
        let one_before = build::load(s.crd, build::sub(at.clone(), Expr::Index(1)));
        // No coordinate is as large as the dimension.
        select(build::lt(Expr::Index(0), at), one_before, size.clone())
    };
    let before = rows.operands.iter().zip(&entries.before).map(before).collect();
    by_operand(entry, entries, before).map_or(Expr::Cond(true), |before| build::ne(before, i.clone()))
}
