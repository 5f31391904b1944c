//! Rows by how many elements they scatter: few are one thread's work, more a group's, a warp's, many a block's.
//!
//! The places of their tables say how many. For each class of rows that a team of threads has a flag a row is scanned as
//! counts are, so that team n finds the n-th row of the class by a binary search. No row with a table of m places or more
//! than all places over m can be there: so many teams are launched, and the host need not ask. Groups of up to 32 lanes
//! share blocks, and each waits for its own lanes alone, since others have rows of other lengths.

use super::super::assemble::Pass;
use super::super::place::ceil;
use super::super::region::guard;
use super::super::state::State;
use super::super::{Lowerer, internal, root_state};
use super::team::number_in_block;
use crate::cin::Cin;
use crate::cin::algebra::Nested;
use crate::cin::grid::{Grid, RowClass};
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::kernel::{MAX_THREADS, WARP};
use crate::llir::walk::substitute;
use crate::llir::{Block, Bound, BufferId, Expr, IndexOp, Step, Stmt, Ty, WorkspaceId, build};

/// Are these classes of rows: groups', a warp's, one of blocks, each with more elements and threads than the one before it?
pub(in super::super) fn are_classes(classes: &[RowClass]) -> bool {
    let ordered =
        classes.windows(2).all(|pair| pair[0].from < pair[1].from && pair[0].threads < pair[1].threads);
    let fits =
        |c: &RowClass| c.from > 0 && c.threads.is_power_of_two() && (2..=MAX_THREADS).contains(&c.threads);
    let blocks = classes.iter().filter(|c| c.threads > WARP).count();
    ordered && blocks <= 1 && classes.iter().all(fits)
}

/// Rows that teams assemble.
pub(in super::super) struct Class<'k> {
    /// Who.
    pub(in super::super) rows: RowClass,
    /// The program that has rows on blocks.
    pub(in super::super) cin: &'k Cin,
    /// The loops that are left.
    pub(in super::super) loops: Vec<IndexVar>,
    /// Where lowering begins.
    pub(in super::super) state: State,
}

impl Class<'_> {
    fn name(&self) -> String {
        who(&self.rows)
    }
}

/// What the names of a class's launches and arrays end in.
pub(super) fn who(class: &RowClass) -> String {
    match class.threads {
        WARP => "warp".to_owned(),
        n if n < WARP => format!("group{n}"),
        _ => "block".to_owned(),
    }
}

/// The rows of a class.
pub(in super::super) struct Ranked {
    /// By row, how many of the class stand before it.
    before: BufferId,
    /// How many rows there are, of all classes: for the host, and for a thread.
    rows: (Expr, Expr),
    /// No more are of the class, for the host.
    most: Expr,
}

impl<'k> Lowerer<'k> {
    /// How many places a row's tables have.
    pub(in super::super) fn places_of(&mut self, row: &Expr) -> Expr {
        let all = (0..self.spas.len()).map(|w| WorkspaceId(w as u32));
        let begins: Vec<BufferId> = all.map(|w| self.table_begins(w)).collect();
        begins.into_iter().fold(Expr::Index(0), |sum, begins| {
            let end = build::load(begins, build::add(row.clone(), Expr::Index(1)));
            build::count(sum, build::sub(end, build::load(begins, row.clone())))
        })
    }

    /// The classes of rows that teams assemble by another program, which has rows on blocks, if there is one.
    pub(in super::super) fn row_classes(
        &self,
        nested: &Nested,
        on_blocks: Option<&'k Cin>,
    ) -> Result<Vec<Class<'k>>, Box<Diagnostic>> {
        let on_blocks = on_blocks.and_then(|cin| Some((cin, Nested::from_cin(cin)?)));
        let Some((cin, blocks)) = on_blocks.filter(|(_, blocks)| blocks.accesses == nested.accesses) else {
            return Ok(vec![]);
        };
        let class = |rows: &RowClass| Class {
            rows: *rows,
            cin,
            loops: blocks.nest.loops.clone(),
            state: root_state(&blocks, cin, self.kernel),
        };
        Ok(self.options.row_classes.iter().map(class).collect())
    }

    /// Tells the rows of each class.
    pub(in super::super) fn rank_rows(
        &mut self,
        classes: &[Class<'k>],
        rows: &(Expr, Expr),
        room: &Expr,
    ) -> (Vec<Step>, Vec<Ranked>) {
        let arrays: Vec<BufferId> =
            classes.iter().map(|c| self.device_array(&format!("{}_rows", c.name()))).collect();
        let mut steps = Vec::new();
        for &buffer in &arrays {
            let len = build::add(rows.0.clone(), Expr::Index(1));
            steps.push(Step::Allocate { buffer, len, init: None });
        }
        let Some(least) = classes.first().map(|c| c.rows.from) else { return (steps, vec![]) };
        steps.push(launched_from(least, room, self.flag_rows(classes, &arrays, rows)));
        let mut who = "one thread".to_owned();
        for class in classes {
            who += &format!(", {} threads from a table of {} places on", class.rows.threads, class.rows.from);
        }
        let out = self.kernel.tensors[self.out.tensor.index()].name.clone();
        self.note(format!("a row of `{out}` is assembled by {who}"));
        let mut ranked = Vec::new();
        for (class, &before) in classes.iter().zip(&arrays) {
            let name = class.name();
            let sums = format!("{name}_sums");
            let scan = self.scan(before, [&sums, &format!("_{name}")], &rows.0, &rows.1);
            steps.extend(scan.into_iter().map(|step| launched_from(class.rows.from, room, step)));
            let most =
                Expr::IndexOp(IndexOp::Div, Box::new(room.clone()), Box::new(Expr::Index(class.rows.from)));
            ranked.push(Ranked { before, rows: rows.clone(), most: build::min(rows.0.clone(), most) });
        }
        (steps, ranked)
    }

    /// For each row and class: is it of the class? 1 or 0.
    fn flag_rows(&mut self, classes: &[Class<'k>], arrays: &[BufferId], rows: &(Expr, Expr)) -> Step {
        let (row, places) = (self.fresh("row", Ty::Index), self.fresh("places", Ty::Index));
        let mut flags = vec![Stmt::Let { var: places, value: self.places_of(&row.into()) }];
        for (n, (class, &buffer)) in classes.iter().zip(arrays).enumerate() {
            let enough = build::le(Expr::Index(class.rows.from), places);
            let is_one = match classes.get(n + 1) {
                Some(next) => build::and(enough, build::lt(places, Expr::Index(next.rows.from))),
                None => enough,
            };
            let value = Expr::Select(is_one.into(), Expr::Index(1).into(), Expr::Index(0).into());
            flags.push(Stmt::Store { buffer, index: row.into(), value });
        }
        let body = guard(build::lt(row, rows.1.clone()), flags);
        self.by_threads("classes", row, rows.0.clone(), body)
    }

    /// Lanes that would only watch one of them are better rows of their own: the schedule without classes is taken.
    fn refuse_classes(&self) -> Box<Diagnostic> {
        let out = &self.kernel.tensors[self.out.tensor.index()].name;
        Box::new(
            Diagnostic::new(
                "row-classes",
                self.kernel.assignment.lhs.span,
                format!("several lanes cannot share what a row of `{out}` scatters"),
            )
            .help("run the loop over rows on `GPUBlock` and `GPUThread`"),
        )
    }

    /// A launch for the rows of a class; `None` if there is nothing to do.
    pub(in super::super) fn class_launch(
        &mut self,
        class: &Class<'k>,
        ranked: &Ranked,
        pass: Pass,
        begins: &[BufferId],
    ) -> Result<Option<Step>, Box<Diagnostic>> {
        let grid = Grid { blocks: Grid::of(class.cin).blocks, ..Grid::of_teams(class.rows.threads) };
        let (_, teams) = number_in_block(&grid, self.gpu().thread);
        let mut others = (&class.cin.provenance, &class.cin.workspaces[..], grid);
        let mut exchange = |l: &mut Self| {
            std::mem::swap(&mut l.provenance, &mut others.0);
            std::mem::swap(&mut l.workspaces, &mut others.1);
            std::mem::swap(&mut l.grid, &mut others.2);
        };
        exchange(self);
        self.on_gpu();
        if let Some(gpu) = &mut self.gpu {
            gpu.of_class = true;
        }
        let launch = self.pass_launch(pass, begins, &class.loops, &class.state);
        let (alone, number) = (self.gpu().alone, self.row_number());
        exchange(self);
        if alone {
            return Err(self.refuse_classes());
        }
        let Some(Step::Launch(mut launch)) = launch? else { return Ok(None) };
        let blocks_are_rows = matches!(&launch.grid[..], [axis] if axis.blocks == ranked.rows.0);
        let (Some(axis), Some(number), true) = (launch.grid.first_mut(), number, blocks_are_rows) else {
            return Err(internal(self.kernel, "blocks that assemble rows are not the rows"));
        };
        axis.blocks = ceil(ranked.most.clone(), teams);
        let block = axis.var;
        // Before this the block's number stood for the row.
        let row = self.fresh("row", Ty::Index);
        substitute(&mut launch.body, block, &row.into());
        let mut outside = Block::new();
        let rank = self.bind("rank", number, &mut outside);
        let end = build::add(ranked.rows.1.clone(), Expr::Index(1));
        let after = build::search(Bound::Upper, ranked.before, Expr::Index(0), end, rank.clone());
        let mut body = vec![Stmt::Let { var: row, value: build::sub(after, Expr::Index(1)) }];
        body.append(&mut launch.body);
        outside.extend(guard(build::lt(rank, build::load(ranked.before, ranked.rows.1.clone())), body));
        launch.body = outside;
        self.converge(&mut launch)?;
        launch.name += &format!("_{}", class.name());
        Ok(Some(Step::Launch(launch)))
    }
}

/// A launch that there is no need for where no row's tables can have so many places, of so many in all.
fn launched_from(places: u64, all: &Expr, mut step: Step) -> Step {
    if let Step::Launch(launch) = &mut step {
        for axis in &mut launch.grid {
            let some = build::le(Expr::Index(places), all.clone());
            let blocks = std::mem::replace(&mut axis.blocks, Expr::Index(0));
            axis.blocks = Expr::Select(some.into(), blocks.into(), Expr::Index(0).into());
        }
    }
    step
}
