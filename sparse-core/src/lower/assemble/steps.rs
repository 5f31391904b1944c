//! The steps of a program that assembles on a GPU: which launches there are in each pass, and what the host does between them.

use super::{Assembly, Pass};
use crate::cin::Cin;
use crate::cin::assembly::Groups;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Array, Block, BufferId, Elem, Expr, Space, Step, Stmt, Ty, build};
use crate::lower::gpu::{Class, Rows, Tier};
use crate::lower::region::guard;
use crate::lower::state::State;
use crate::lower::{Lowered, Lowerer, counts, tidy};
use crate::scalar::Value;

/// The launches of the passes that count a result's entries and that store them.
#[derive(Default)]
struct Launches {
    counts: Vec<Step>,
    fills: Vec<Step>,
    /// How many rows there are, if any: what the host computes, and what a thread does.
    rows: Option<(Expr, Expr)>,
}

impl Launches {
    fn by_pass(&mut self) -> [(Pass, &mut Vec<Step>); 2] {
        [(Pass::Count, &mut self.counts), (Pass::Fill, &mut self.fills)]
    }
}

impl<'k> Lowerer<'k> {
    /// The steps of a program that assembles on a GPU.
    pub(in super::super) fn assembly_steps(
        &mut self,
        cin: &Cin,
        loops: &[IndexVar],
        state: &State,
        classes: &[Class<'k>],
    ) -> Result<Vec<Step>, Box<Diagnostic>> {
        let g = self.out_groups();
        self.fix_lengths();
        let begins: Vec<BufferId> = (0..g.appended.len()).map(|group| self.begins(group, &g)).collect();
        let (mut steps, mut found) = (Vec::new(), None);
        if self.workspaces.iter().any(|w| w.format.is_sparse()) {
            self.tiers.all = self.tiers(cin, classes);
            let scatters = self.pass_launch(Pass::Scatters, &begins, loops, state)?;
            if let Some((scatters, all)) = scatters.and_then(|step| Some((step, self.rows(&g)?))) {
                self.note_classes(classes);
                let (made, rows) = self.tables(scatters, all);
                steps.extend(made);
                found = Some(rows);
            }
            self.on_gpu();
        }
        let Launches { counts, fills, rows } = match found {
            Some(rows) => self.launches_of_tiers(rows, classes, &begins, loops, state)?,
            None => self.launches_of_rows(&begins, loops, state, &mut steps)?,
        };
        let totals = match rows {
            Some(rows) if !counts.is_empty() => {
                // What no thread counts has no entries.
                let init = self.out.pos_gaps.then_some(Value::I32(0));
                for &buffer in &begins {
                    let len = build::add(rows.0.clone(), Expr::Index(1));
                    steps.push(Step::Allocate { buffer, len, init });
                }
                steps.extend(self.allocate_pieces());
                steps.extend(counts);
                self.scan_counts(&begins, &rows, state, &mut steps)
            }
            _ => {
                // Nothing is written, whatever the operands hold.
                for &begin in begins.iter().rev() {
                    if self.buffers[begin.index()].array == Array::Local {
                        self.forget_last(begin);
                    }
                }
                vec![Expr::Index(0); begins.len()]
            }
        };
        steps.extend(self.room(&g, &begins, &totals));
        steps.extend(fills);
        Ok(steps)
    }

    /// A launch for each tier of rows and pass.
    fn launches_of_tiers(
        &mut self,
        Rows { all, tiers }: Rows,
        classes: &[Class<'k>],
        begins: &[BufferId],
        loops: &[IndexVar],
        state: &State,
    ) -> Result<Launches, Box<Diagnostic>> {
        let mut launches = Launches { rows: Some(all), ..Launches::default() };
        for tier in tiers {
            self.tiers.lowered = Some(tier.clone());
            let class = tier.class.and_then(|n| classes.get(n));
            if let Some(class) = class {
                launches.counts.extend(self.pieces_launch(&tier, class, begins)?);
            }
            for (pass, launches) in launches.by_pass() {
                self.on_gpu();
                launches.extend(match class {
                    Some(class) => self.class_launch(class, pass, begins)?,
                    None => self.pass_launch(pass, begins, loops, state)?,
                });
            }
        }
        self.tiers.lowered = None;
        Ok(launches)
    }

    /// A launch for all rows in each pass, and others for what it leaves of long rows, whose lists are made first.
    fn launches_of_rows(
        &mut self,
        begins: &[BufferId],
        loops: &[IndexVar],
        state: &State,
        steps: &mut Vec<Step>,
    ) -> Result<Launches, Box<Diagnostic>> {
        let (mut launches, mut rows) = (Launches::default(), None);
        self.find_stored_rows(loops, state)?;
        let g = self.out_groups();
        self.out.gpu.row_parts = self.row_parts(loops, state);
        for (pass, launches) in launches.by_pass() {
            self.on_gpu();
            launches.extend(self.pass_launch(pass, begins, loops, state)?);
            rows = rows.or_else(|| self.rows(&g));
        }
        let (made, lists) = self.made_lists();
        steps.extend(made);
        self.note_parts(&lists);
        for list in lists {
            for (pass, launches) in launches.by_pass() {
                launches.push(self.parts_launch(&list, pass, begins, state)?);
            }
        }
        Ok(Launches { rows, ..launches })
    }

    /// Makes begins of counts, and tells the host how many entries each group has.
    fn scan_counts(
        &mut self,
        begins: &[BufferId],
        (rows, on_device): &(Expr, Expr),
        state: &State,
        steps: &mut Vec<Step>,
    ) -> Vec<Expr> {
        let g = self.out_groups();
        let tensor = self.kernel.tensors[self.out.tensor.index()].name.to_string();
        for (&begin, levels) in begins.iter().zip(&g.appended) {
            let suffix = if begins.len() > 1 { (levels.start + 1).to_string() } else { String::new() };
            let sums = format!("{tensor}{}_sums", levels.start + 1);
            steps.extend(self.scan(begin, [&sums, &suffix], rows, on_device));
        }
        let mut totals = Vec::new();
        for (&buffer, levels) in begins.iter().zip(&g.appended) {
            let var = self.fresh(&format!("{tensor}{}_len", levels.start + 1), Ty::Index);
            let (index, within) = (rows.clone(), self.options.list_elements);
            // What is packed is read when its levels are counted, too.
            let most = self.bound_in_all(&state.rhs).filter(|_| self.is_packed());
            steps.push(match most.and_then(|most| self.host_size(&most)) {
                Some(most) => Step::AtMost { var, most, within, buffer, index },
                None => Step::Read { var, buffer, index },
            });
            totals.push(Expr::Var(var));
        }
        totals
    }

    /// The result's arrays do not grow: they are made when their lengths are known.
    pub(in super::super) fn fix_lengths(&mut self) {
        for buffer in self.buffers.iter_mut().filter(|b| b.space == Space::Growable) {
            buffer.space = Space::Output;
        }
    }

    /// Is the result made of a list of entries, which further launches pack?
    pub(in super::super) fn is_packed(&self) -> bool {
        self.kernel.tensors[self.out.tensor.index()].packed.is_some()
    }

    /// How many rows there are: what the host computes, and what a thread does.
    fn rows(&mut self, g: &Groups) -> Option<(Expr, Expr)> {
        let (on_host, on_device) = match g.prefix.is_empty() {
            false => (self.dense_size(g.prefix.clone()), self.dense_size(g.prefix.clone())),
            true => self.numbers_of_rows()?,
        };
        Some((self.named_size("row_numbers", on_host), on_device))
    }

    /// How many rows there are of a result without dense levels at the root.
    fn numbers_of_rows(&self) -> Option<(Expr, Expr)> {
        self.numbers_of_stored_rows().or_else(|| self.row_numbers())
    }

    /// Allocates what is filled.
    fn room(&mut self, g: &Groups, begins: &[BufferId], totals: &[Expr]) -> Vec<Step> {
        let t = self.out.tensor;
        let mut steps = Vec::new();
        let mut parents = self.dense_size(g.prefix.clone());
        for ((levels, &begin), total) in g.appended.iter().zip(begins).zip(totals) {
            let pos = self.out_array(Array::Pos(t, levels.start));
            let counted = pos == begin && *total != Expr::Index(0);
            if !counted {
                let len = build::add(parents, Expr::Index(1));
                steps.push(Step::Allocate { buffer: pos, len, init: Some(Value::I32(0)) });
            }
            for l in levels.clone() {
                let buffer = self.out_array(Array::Crd(t, l));
                steps.push(Step::Allocate { buffer, len: total.clone(), init: None });
            }
            parents = total.clone();
        }
        let buffer = self.out_array(Array::Vals(t));
        let init = (!g.suffix.is_empty()).then_some(self.out.background);
        let len = build::mul(parents, self.dense_size(g.suffix.clone()));
        steps.push(Step::Allocate { buffer, len, init });
        steps
    }

    /// Where a group's entries begin, by row.
    fn begins(&mut self, group: usize, g: &Groups) -> BufferId {
        let level = g.appended[group].start;
        if group == 0 && !g.prefix.is_empty() {
            return self.out_array(Array::Pos(self.out.tensor, level));
        }
        let tensor = &self.kernel.tensors[self.out.tensor.index()].name;
        self.device_array(&format!("{tensor}{}_begins", level + 1))
    }

    /// An index array of the device that is gone after the call.
    pub(in super::super) fn device_array(&mut self, name: &str) -> BufferId {
        self.local(name, Elem::Index, Space::Output)
    }

    /// What is assembled is lowered for a pass from here on.
    pub(in super::super) fn begin_pass(&mut self, pass: Pass, begins: &[BufferId]) {
        self.out.assembly = Some(Assembly::new(pass, begins));
        self.points = 0;
    }

    pub(in super::super) fn pass_launch(
        &mut self,
        pass: Pass,
        begins: &[BufferId],
        loops: &[IndexVar],
        state: &State,
    ) -> Result<Option<Step>, Box<Diagnostic>> {
        self.begin_pass(pass, begins);
        self.take_turns();
        let g = self.out_groups();
        let mut body = match g.prefix.is_empty() {
            true if self.has_stored_rows() => self.assemble_stored_rows(loops, state.clone())?,
            true => self.assemble_threads(loops, state.clone())?,
            false => self.lower(loops, state.clone())?,
        };
        if let Some(refused) = self.refused.take() {
            return Err(refused);
        }
        if pass == Pass::Scatters
            && let Some(read) = self.read_before_filled(&body)
        {
            return Err(self.refuse_chain(read));
        }
        let first = self.tiers.lowered.as_ref().is_none_or(Tier::is_first);
        if pass == Pass::Fill && g.prefix.is_empty() && !body.is_empty() && first {
            let root = self.close_root(&g, begins)?;
            body.splice(0..0, self.share_row(root));
        }
        let name = match pass {
            Pass::Scatters => "_scatters",
            Pass::Pieces => "_pieces",
            Pass::Count => "_count",
            Pass::Fill => "_fill",
        };
        let name = format!("{name}{}", self.tiers.lowered.as_ref().map_or(String::new(), Tier::suffix));
        let body = counts::tidy(tidy::tidy(body, &self.buffers));
        let body = self.in_turns(body)?;
        self.launch(&name, body)
    }

    /// What the rows of a result without dense levels at the root are: the threads, in order, or teams of them.
    fn assemble_threads(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        let Some(row) = self.row_number() else { return Err(self.refuse_assembly()) };
        let mut block = Block::new();
        let row = self.bind("row", row, &mut block);
        let before = self.open_row(&row);
        let body = self.lower(loops, st)?;
        if body.is_empty() {
            return Ok(body);
        }
        let body = self.close_row_of(before, body, &row);
        self.leave_row();
        let body = self.share_row(body);
        block.extend(self.of_tier(&row, body));
        Ok(block)
    }

    /// The root level's only row ends at the number of all its entries.
    fn close_root(&mut self, g: &Groups, begins: &[BufferId]) -> Lowered {
        let (Some(row), Some((_, rows))) = (self.row_number(), self.numbers_of_rows()) else {
            return Err(self.refuse_assembly());
        };
        let pos = self.out_array(Array::Pos(self.out.tensor, g.appended[0].start));
        let end = Stmt::Store { buffer: pos, index: Expr::Index(1), value: build::load(begins[0], rows) };
        Ok(guard(build::eq(row, Expr::Index(0)), vec![end]))
    }

    pub(in super::super) fn refuse_assembly(&self) -> Box<Diagnostic> {
        let out = &self.kernel.tensors[self.out.tensor.index()].name;
        Box::new(
            Diagnostic::new(
                "parallel-append",
                self.kernel.assignment.lhs.span,
                format!("`{out}` is assembled in order, and its threads are not in that order"),
            )
            .help("run the outermost loop on `GPUBlock` and `GPUThread`: `split(i, b, t, 256)`, then `parallelize(b, GPUBlock, NoRaces)` and `parallelize(t, GPUThread, NoRaces)`"),
        )
    }
}
