//! Long rows of operands that are merged, in parts.
//!
//! A thread merges a row of sums or products entry by entry. A row of many entries it leaves to a team, whose lanes have the
//! entries from one coordinate to another each:
//!
//! ```text
//! launch of threads: if LONG <= entries of B's row and C's { list[many++] = row } else { merge; }
//! launch of teams:   each lane finds its part
//!                    count: n = how many entries it has when it is merged; sums of the lanes' n; the first lane stores that of
//!                           all, each lane that of the lanes before it
//!                    fill:  p += what lies before the lane's part; merge
//! ```
//!
//! What lies before its part each lane keeps from one pass to the next: a number for an entry at most by default, as rows have
//! entries of their own, and as many as lanes or more. Where several rows have the same fiber, as those of `A[i, j] + v[j]`, or a class has more
//! lanes than entries, there may be far more of these numbers than entries. There each lane merges its part twice when it fills,
//! first to count: there is no telling how many entries it has without that, but for a bound.
//!
//! Coordinates where parts begin are *samples* ([`super::samples`]): every n-th entry of each operand, from its first on, n so that
//! there are no more of them than lanes. Between two neighbours an operand has no more than n entries, so that a lane merges no
//! more than n of each, however they lie. What is stored is what one thread stores, as nothing is combined along a row.

use super::super::assemble::Pass;
use super::super::region::{Env, Sweep, Window, guard};
use super::super::state::State;
use super::super::{Lowered, Lowerer, Operand};
use super::TeamLanes;
use super::classes::who;
use super::enlist::{Enlisted, Teams, Wanted};
use crate::cin::grid::{Grid, RowClass};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::Schedule;
use crate::llir::kernel::SHARED_BYTES;
use crate::llir::{Block, BufferId, Expr, Fibers, Scanned, Scope, Step, Stmt, Ty, VarId, build};
use crate::looplet::{Looplet, Stepper};

/// How rows are shared out whose operands have many entries.
pub(in super::super) struct RowParts {
    /// The variable of the only loop inside of a row.
    var: IndexVar,
    /// What may be merged along it, and at which level.
    operands: Vec<(AccessId, usize)>,
    /// The teams that have long rows, by how many entries all operands have in one.
    classes: Vec<RowClass>,
    /// Their lists, once a row may be put there.
    lists: Option<(Vec<Step>, Vec<RowsOfTeams>)>,
    /// By operand, the positions of samples in shared memory.
    pub(super) samples: Vec<(AccessId, BufferId)>,
    /// Who merges a row together, in launches of teams.
    team: Option<Team>,
}

/// The long rows that teams of one class have.
#[derive(Clone)]
pub(in super::super) struct RowsOfTeams {
    list: Enlisted,
    /// By the row's rank and the lane, how many entries lie before the lane's part, if there is room for so many numbers.
    before: Option<BufferId>,
}

/// A team and its row.
struct Team {
    lanes: TeamLanes,
    /// Where it keeps how many entries lie before a lane's part.
    before: Option<(BufferId, Expr)>,
}

/// What is merged along a row.
struct Merged<'s> {
    sweep: Sweep<'s>,
    window: Window,
    env: Env,
    state: State,
}

pub(super) fn select(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
    build::select(cond, then, otherwise)
}

impl Lowerer<'_> {
    /// Whether long rows are teams', and which: rows below dense levels, or those that operands store, inside of which one loop merges
    /// operands, if nobody scheduled them.
    pub(in super::super) fn row_parts(&self, loops: &[IndexVar], state: &State) -> Option<RowParts> {
        let g = self.out_groups();
        let (&var, rows) = loops.split_last()?;
        let of_row = self.of_row();
        let is_row = g.suffix.is_empty() && self.out.vars.len() == of_row.len() + 1;
        let inside = self.out.vars.last() == Some(&var) && self.provenance.made_by(var).is_none();
        let around = |v: &IndexVar| self.provenance.roots(*v).iter().all(|root| of_row.contains(root));
        let filled = !self.workspaces.is_empty() || !self.lists.is_empty();
        let default = matches!(self.kernel.cuda, Schedule::Default);
        if of_row.is_empty() || !is_row || !inside || !rows.iter().all(around) || filled || !default {
            return None;
        }
        // How long rows of a list of entries are the host does not know, so that classes without rows are launched, too. Where rows
        // are entries' there are so many anyway that this is little.
        let is_listed = |level| match level {
            Level::Compressed { unique } => unique,
            Level::Singleton { unique } => unique && self.has_stored_rows(),
            Level::Dense => false,
        };
        let mut operands = Vec::new();
        state.rhs.for_each_access(&mut |a| {
            let (vars, levels) = (&self.level_vars[a.index()], &self.levels[a.index()]);
            let at = vars.iter().position(|v| *v == var);
            if let (Some(at), Operand::Tensor(_)) = (at, self.tensors[a.index()])
                && at + 1 == levels.len()
                && is_listed(levels[at].level)
                && !operands.contains(&(a, at))
            {
                operands.push((a, at));
            }
        });
        let n = operands.len() as u64;
        let has_room = |rows: &&RowClass| {
            let bytes = 4 * (n + 1) * Grid::of_teams(rows.threads).threads();
            u64::from(rows.threads) >= 2 * n && bytes <= SHARED_BYTES
        };
        let classes: Vec<_> = self.options.merged_classes.iter().filter(has_room).copied().collect();
        if operands.is_empty() || classes.is_empty() {
            return None;
        }
        Some(RowParts { var, operands, classes, lists: None, samples: vec![], team: None })
    }

    /// Sweeps a variable; along a row, if it is short, or a part of it.
    pub(in super::super) fn region_in_parts(
        &mut self,
        sweep: Sweep<'_>,
        window: Window,
        env: Env,
        state: State,
    ) -> Lowered {
        let parts = self.out.gpu.row_parts.as_ref().filter(|parts| parts.var == sweep.var);
        let Some((parts, (pass, row))) = parts.zip(self.assembled_row()) else {
            return self.region(sweep, window, env, state);
        };
        let (team, from) = (parts.team.as_ref().map(|team| team.lanes.clone()), parts.classes[0].from);
        let merged = Merged { sweep, window, env, state };
        let steppers = self.steppers(&merged);
        match (team, steppers) {
            (None, None) => self.merged(merged),
            // No row is on a list for this: one lane does for all what there may be to do.
            (Some(lanes), None) => Ok(lanes.first(self.merged(merged)?)),
            (Some(lanes), Some(steppers)) => self.merged_by_team(merged, steppers, &lanes, pass),
            (None, Some(steppers)) => {
                let body = self.merged(merged)?;
                if body.is_empty() {
                    return Ok(body);
                }
                let lens = steppers.iter().map(|(_, s)| build::sub(s.end.clone(), s.begin.clone()));
                let all = lens.reduce(build::count).unwrap_or(Expr::Index(0));
                let mut block = Block::new();
                let entries = self.bind("entries", all, &mut block);
                block.extend(match pass {
                    Pass::Fill => guard(build::lt(entries, Expr::Index(from)), body),
                    Pass::Scatters | Pass::Pieces | Pass::Count => {
                        let lists: Vec<_> = self.rows_of_teams().into_iter().map(|rows| rows.list).collect();
                        let item = self.out.gpu.stored_rows.as_ref().and_then(|rows| rows.entry.clone());
                        self.enlist(&lists, &item.unwrap_or(row), &entries, body)
                    }
                });
                Ok(block)
            }
        }
    }

    fn merged(&mut self, Merged { sweep, window, env, state }: Merged<'_>) -> Lowered {
        self.region(sweep, window, env, state)
    }

    /// The operands that are merged along a row, if each entry of the result is at one of theirs.
    fn steppers(&self, merged: &Merged<'_>) -> Option<Vec<(AccessId, Stepper)>> {
        let Merged { sweep, window, env, state } = merged;
        let parts = self.out.gpu.row_parts.as_ref()?;
        let whole = sweep.leaf == sweep.var && sweep.rest.is_empty() && self.is_whole(*sweep, window);
        let mut steppers = Vec::new();
        for (a, looplet) in env {
            match looplet {
                Looplet::Lookup { .. } => {}
                Looplet::Stepper(s) | Looplet::Jumper(s) if s.unique => steppers.push((*a, s.clone())),
                _ => return None,
            }
        }
        let all: Vec<AccessId> = steppers.iter().map(|(a, _)| *a).collect();
        let known = all.iter().all(|a| parts.operands.iter().any(|(known, _)| known == a));
        (whole && known && !all.is_empty() && state.idles_without(self, &all)).then_some(steppers)
    }

    /// The rows that teams have.
    fn rows_of_teams(&mut self) -> Vec<RowsOfTeams> {
        let Some(RowParts { operands, classes, lists, .. }) = &self.out.gpu.row_parts else { return vec![] };
        if let Some((_, lists)) = lists {
            return lists.clone();
        }
        let (operands, classes) = (operands.clone(), classes.clone());
        let of_row = self.of_row();
        let rows = self.number_of_rows();
        let (mut longest, mut entries) = (Expr::Index(0), Some(Expr::Index(0)));
        for (a, level) in operands {
            let len = self.levels[a.index()][level].crd.map(Expr::Len);
            // Several rows may have the same fiber.
            let own = of_row.iter().all(|v| self.level_vars[a.index()][..level].contains(v));
            entries = entries.zip(len.clone().filter(|_| own)).map(|(all, len)| build::add(all, len));
            let of_fiber = match (level, len) {
                (0, Some(len)) => len,
                // Equal coordinates of the level above are a row's, which nobody has counted.
                (_, Some(len)) if matches!(self.levels[a.index()][level].level, Level::Singleton { .. }) => {
                    build::min(len, self.extent(self.level_vars[a.index()][level]))
                }
                _ => self.fiber_lengths(self.accesses[a.index()].tensor, level, Fibers::Longest),
            };
            longest = build::add(longest, of_fiber);
        }
        let longest = self.named_size("longest_row", longest);
        let if_long =
            |from: u64, n: Expr| select(build::le(Expr::Index(from), longest.clone()), n, Expr::Index(0));
        let wanted = classes.iter().map(|class| {
            let long = |all| build::div(all, Expr::Index(class.from));
            let most = match entries.clone() {
                Some(all) => build::min(rows.clone(), long(all)),
                None => rows.clone(),
            };
            let (who, threads, from) = (who(class), class.threads, class.from);
            Wanted { who, threads, from, most: if_long(from, most) }
        });
        let (mut made, lists) = self.lists_of("rows", wanted.collect());
        // Where no row is long nobody counts how many are.
        if let Some(Step::Allocate { len, .. }) = made.last_mut() {
            *len = if_long(classes[0].from, len.clone());
        }
        let lists: Vec<_> = lists
            .into_iter()
            .map(|list| {
                let few = entries.is_some() && list.from >= u64::from(list.threads);
                let before = few.then(|| {
                    let before = self.device_array(&format!("before_of_{}s", list.who));
                    let len = build::mul(list.most.clone(), Expr::Index(list.threads.into()));
                    made.push(Step::Allocate { buffer: before, len, init: None });
                    before
                });
                RowsOfTeams { list, before }
            })
            .collect();
        if let Some(parts) = &mut self.out.gpu.row_parts {
            parts.lists = Some((made, lists.clone()));
        }
        lists
    }

    /// The lists that launches of threads put rows on, and the steps that make them.
    pub(in super::super) fn made_lists(&mut self) -> (Vec<Step>, Vec<RowsOfTeams>) {
        self.out.gpu.row_parts.as_ref().and_then(|parts| parts.lists.clone()).unwrap_or_default()
    }

    /// For `explain`: who merges rows.
    pub(in super::super) fn note_parts(&mut self, lists: &[RowsOfTeams]) {
        if lists.is_empty() {
            return;
        }
        let teams = lists.iter().map(|RowsOfTeams { list, .. }| {
            format!(", {} threads from {} entries of its operands on", list.threads, list.from)
        });
        let out = self.kernel.tensors[self.out.tensor.index()].name.clone();
        let teams: String = teams.collect();
        self.note(format!("a row of `{out}` is assembled by one thread{teams}"));
    }

    /// The variables that tell rows apart.
    fn of_row(&self) -> Vec<IndexVar> {
        match &self.out.gpu.stored_rows {
            Some(rows) => vec![rows.var],
            None => self.out.vars[self.out_groups().prefix].to_vec(),
        }
    }

    /// How many rows there may be, for the host.
    fn number_of_rows(&self) -> Expr {
        match self.numbers_of_stored_rows() {
            Some((rows, _)) => rows,
            None => self.dense_size(self.out_groups().prefix),
        }
    }

    /// The launch of the teams that have the rows of a list.
    pub(in super::super) fn parts_launch(
        &mut self,
        RowsOfTeams { list, before }: &RowsOfTeams,
        pass: Pass,
        begins: &[BufferId],
        state: &State,
    ) -> Result<Step, Box<Diagnostic>> {
        let grid = Grid::of_teams(list.threads);
        let others = std::mem::replace(&mut self.grid, grid.clone());
        self.on_gpu();
        if let Some(gpu) = &mut self.gpu {
            gpu.of_class = true;
        }
        let rank = self.fresh("rank", Ty::Index);
        let team = self.row_lanes().map(|lanes| {
            let first = build::mul(rank, Expr::Index(list.threads.into()));
            let before = before.map(|buffer| (buffer, build::add(first, lanes.lane.clone())));
            Team { lanes, before }
        });
        if let Some(parts) = &mut self.out.gpu.row_parts {
            parts.team = team;
        }
        self.begin_pass(pass, begins);
        let body = self.listed_row(list, rank, state);
        if let Some(parts) = &mut self.out.gpu.row_parts {
            parts.team = None;
        }
        self.grid = others;
        let body = super::super::counts::tidy(super::super::tidy::tidy(body?, &self.buffers));
        let gpu = self.gpu();
        let (block, thread, lane, shared) = (gpu.axes[0].0, gpu.thread, gpu.lane, gpu.shared.clone());
        let (most, _) = self.in_flight(&grid, 1);
        let suffix = if pass == Pass::Fill { "fill" } else { "count" };
        let teams = Teams { grid, block, thread, lane, rank, shared };
        Ok(self.launch_of_teams(&format!("{suffix}_{}", list.who), list, teams, Some(most), body))
    }

    /// What a team does for the row of this rank.
    fn listed_row(&mut self, list: &Enlisted, rank: VarId, state: &State) -> Lowered {
        let vars = self.out.vars[self.out_groups().prefix].to_vec();
        let Some(var) = self.out.gpu.row_parts.as_ref().map(|parts| parts.var) else { return Ok(vec![]) };
        let (mut state, mut block) = (state.clone(), Block::new());
        if self.has_stored_rows() {
            let entry = self.bind(&self.name_of_entries(), list.item(rank), &mut block);
            block.extend(self.assemble_listed_row(&entry, &[var], state)?);
            return Ok(block);
        }
        let name = if let [only] = vars[..] { self.name(only) } else { "row".to_owned() };
        let mut row = self.bind(&name, list.item(rank), &mut block);
        for (n, v) in vars.iter().enumerate().rev() {
            let size = self.extent(*v);
            let (at, above) = match n {
                0 => (row.clone(), row.clone()),
                _ => (build::rem(row.clone(), size.clone()), build::div(row.clone(), size)),
            };
            let at = self.bind(&self.name(*v), at, &mut block);
            state.coords[v.index()] = Some(at);
            row = above;
        }
        block.extend(self.lower(&[var], state)?);
        Ok(block)
    }

    /// Merges a row's part in each lane.
    fn merged_by_team(
        &mut self,
        merged: Merged<'_>,
        steppers: Vec<(AccessId, Stepper)>,
        lanes: &TeamLanes,
        pass: Pass,
    ) -> Lowered {
        let sampled = steppers.len() > 1;
        let (mut block, own) = self.own_parts(merged.sweep, steppers, lanes);
        let Merged { sweep, window, mut env, state } = merged;
        for (a, looplet) in &mut env {
            if let Looplet::Stepper(s) | Looplet::Jumper(s) = looplet
                && let Some((_, part)) = own.iter().find(|(of, _)| of == a)
            {
                *s = part.clone();
            }
        }
        let Some(next) = self.next_of_row() else { return Ok(vec![]) };
        let part = || Merged { sweep, window: window.clone(), env: env.clone(), state: state.clone() };
        let kept = self.out.gpu.row_parts.as_ref().and_then(|parts| parts.team.as_ref()?.before.clone());
        // Samples of the next row are stored when all have read these: after a block's sum they have.
        let waits = (sampled && matches!(lanes.scope, Scope::Group(_))).then(|| lanes.barrier());
        // A block's sum is in memory, which is stored to when all have read that of the row before.
        let other_sum = (!sampled && matches!(lanes.scope, Scope::Block)).then(|| lanes.barrier());
        if pass != Pass::Fill {
            block.extend(self.merged(part())?);
            block.extend(other_sum);
            let (scan, prefix) = self.team_scan(lanes, Scanned::Sum(next.into()));
            block.push(scan);
            block.extend(waits);
            block.extend(kept.map(|(buffer, index)| Stmt::Store { buffer, index, value: prefix.before }));
            block.push(Stmt::Assign { var: next, value: prefix.all });
            return Ok(block);
        }
        if let Some((buffer, index)) = kept {
            // Samples are another row's after this.
            block.extend(sampled.then(|| lanes.barrier()));
            block.push(Stmt::Assign { var: next, value: build::add(next, build::load(buffer, index)) });
            block.extend(self.merged(part())?);
            block.extend(self.end_of_row(next));
            return Ok(block);
        }
        let count = self.fresh("count", Ty::Index);
        block.push(Stmt::Mut { var: count, value: Expr::Index(0) });
        block.extend(self.counting_in(count, |l| l.merged(part()))?);
        block.extend(other_sum);
        let (scan, prefix) = self.team_scan(lanes, Scanned::Sum(count.into()));
        block.push(scan);
        block.extend(waits);
        block.push(Stmt::Assign { var: next, value: build::add(next, prefix.before) });
        // How much code there may be is said of one merge.
        self.points = 0;
        block.extend(self.merged(part())?);
        block.extend(self.end_of_row(next));
        Ok(block)
    }

    /// Where levels above ask whether a row has entries, all lanes learn where these end.
    fn end_of_row(&self, next: VarId) -> Option<Stmt> {
        let last = self.out_groups().appended.len() - 1;
        let (_, row) = self.assembled_row().filter(|_| last > 0)?;
        Some(Stmt::Assign { var: next, value: self.end_of_entries(last, &row)? })
    }

    /// Does a team merge the row that is assembled, each lane a part of it?
    pub(in super::super) fn merges_parts(&self) -> Option<&TeamLanes> {
        Some(&self.out.gpu.row_parts.as_ref()?.team.as_ref()?.lanes)
    }
}
