//! Rows by how many elements they scatter: few are one thread's work, more a group's, a warp's, many a block's.
//!
//! When these have been counted, or the places of their tables if these are more, rows that teams have are enlisted ([`super::enlist`]),
//! and a class's teams take them in turn ([`super::turns`]). Groups of up to 32 lanes share blocks, and each waits for its
//! own lanes alone, since others have rows of other lengths.

use super::super::Lowerer;
use super::super::assemble::Pass;
use super::super::begin::root_state;
use super::super::state::State;
use crate::cin::Cin;
use crate::cin::grid::{Grid, RowClass};
use crate::cin::nested::Nested;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::kernel::{MAX_THREADS, WARP};
use crate::llir::{BufferId, Step};

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

/// What the names of a class's launches and arrays end in.
pub(super) fn who(class: &RowClass) -> String {
    match class.threads {
        WARP => "warp".to_owned(),
        n if n < WARP => format!("group{n}"),
        _ => "block".to_owned(),
    }
}

impl<'k> Lowerer<'k> {
    /// The classes of rows that teams assemble by another program, which has rows on blocks, if there is one.
    pub(in super::super) fn row_classes(
        &self,
        nested: &Nested,
        on_blocks: Option<&'k Cin>,
        state: &State,
    ) -> Result<Vec<Class<'k>>, Box<Diagnostic>> {
        let on_blocks = on_blocks.and_then(|cin| Some((cin, Nested::from_cin(cin)?)));
        let Some((cin, blocks)) = on_blocks.filter(|(_, blocks)| blocks.accesses == nested.accesses) else {
            return Ok(vec![]);
        };
        // Nor where all that is filled first is not read, as a factor of 0: its loops are no threads'.
        if self.lists.is_empty() && cin.outside().next().is_some() {
            return Ok(vec![]);
        }
        let class = |rows: &RowClass| Class {
            rows: *rows,
            cin,
            loops: blocks.nest.loops.clone(),
            // Lists have been filled, which its operands stand for.
            state: match self.lists.is_empty() {
                true => root_state(&blocks, cin, self.kernel, self.out.fiber()),
                false => state.clone(),
            },
        };
        Ok(self.options.row_classes.iter().map(class).collect())
    }

    /// For `explain`: who assembles rows.
    pub(in super::super) fn note_classes(&mut self, classes: &[Class<'k>]) {
        if classes.is_empty() {
            return;
        }
        let mut who = "one thread".to_owned();
        for class in classes {
            who += &format!(
                ", {} threads from {} elements that it scatters, or places of its table, on",
                class.rows.threads, class.rows.from
            );
        }
        let out = self.kernel.tensors[self.out.tensor.index()].name.clone();
        self.note(format!("a row of `{out}` is assembled by {who}"));
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
        pass: Pass,
        begins: &[BufferId],
    ) -> Result<Option<Step>, Box<Diagnostic>> {
        let grid = Grid { blocks: Grid::of(class.cin).blocks, ..Grid::of_teams(class.rows.threads) };
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
        let alone = self.gpu().alone;
        exchange(self);
        if alone {
            return Err(self.refuse_classes());
        }
        launch
    }
}
