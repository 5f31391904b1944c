//! What is left to compute, and how far each operand's storage has been walked.

use super::Lowerer;
use super::gpu::{Carried, Resume, Segment};
use super::place::{Count, Counted, Place};
use super::region::Window;
use super::tabled::Table;
use crate::cin::Workspace;
use crate::cin::algebra::simplify;
use crate::cin::val::{AccessId, Nest, Val};
use crate::front::ast::IndexVar;
use crate::front::command::Strategy;
use crate::llir::{BufferId, Expr, VarId, WorkspaceId};
use crate::looplet::Position;
use crate::scalar::{Monoid, Value};
use std::collections::BTreeMap;

/// How far an operand has been walked: `position` is that of its parent at `level`.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub(super) level: usize,
    pub(super) position: Position,
}

/// Where the output is written, if it has the pattern of an operand: at the position of the last level that they share.
#[derive(Clone, Debug)]
pub(super) struct Fiber {
    pub(super) access: AccessId,
    /// How many levels they share.
    pub(super) levels: usize,
    /// Once they have been walked.
    pub(super) position: Option<Position>,
}

/// Where the value goes.
#[derive(Clone, Debug)]
pub(super) enum Lhs {
    /// A scalar that is reduced into.
    Scalar(VarId),
    /// A scalar that is assigned, and what it is before, if that is also what it is where nothing is done.
    Assigned(VarId, Option<Value>),
    /// The register array of a tile.
    Register(BufferId),
    /// An array workspace.
    Array(ArrayTarget),
    /// A sparse workspace.
    Scattered(SparseTarget),
    /// The output; `block` is the position of the dense block that was appended for it.
    Output { block: Option<Expr> },
}

/// An element of an array workspace that a producer writes.
#[derive(Clone, Debug)]
pub(super) struct ArrayTarget {
    pub(super) buffer: BufferId,
    pub(super) indices: Vec<IndexVar>,
    /// Sizes of its dimensions.
    pub(super) dims: Vec<Expr>,
    /// What its elements are before the producer runs, if that is also what they are where the producer does nothing.
    pub(super) init: Option<Value>,
    /// Declared outside the loop that runs on several threads.
    pub(super) shared: bool,
    /// Is written only where a sum has terms: whether any is written is asked.
    pub(super) part: bool,
    /// Is it a block of a sparse workspace, whose rows are written as a result's are?
    pub(super) placed: bool,
}

/// An element of a sparse workspace that a producer writes.
#[derive(Clone, Debug)]
pub(super) struct SparseTarget {
    /// None: the list that the launch makes.
    pub(super) workspace: Option<WorkspaceId>,
    pub(super) indices: Vec<IndexVar>,
    /// What elements are that are not written.
    pub(super) init: Value,
    /// Operands that are searched for its coordinate: nothing is scattered where they have no entry.
    pub(super) masks: Vec<AccessId>,
}

/// A loop outside that runs on several threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads {
    pub(super) var: IndexVar,
    pub(super) strategy: Strategy,
}

/// A loop that runs over the lanes of a register tile: `base..base + count`.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) var: IndexVar,
    pub(super) base: Expr,
    /// Of the array.
    pub(super) width: u32,
    /// Lanes that are used, if not all.
    pub(super) count: Option<Expr>,
    /// The lane, once inside its loop.
    pub(super) at: Option<VarId>,
}

#[derive(Clone, Debug)]
pub(super) struct State {
    /// Value to be written.
    pub(super) rhs: Val,
    /// By access.
    pub(super) cursors: Vec<Cursor>,
    /// None of an output with a pattern of its own, and of what is written that is not the output.
    pub(super) fiber: Option<Fiber>,
    /// Known coordinates, by index variable.
    pub(super) coords: Vec<Option<Expr>>,
    pub(super) lhs: Lhs,
    pub(super) op: Option<Monoid>,
    /// How many levels of an assembled output have a coordinate.
    pub(super) opened: usize,
    /// A loop outside visits the output's element again.
    pub(super) repeated: bool,
    pub(super) lane: Option<Lane>,
    /// Where workspaces are filled: when so many loops are left.
    pub(super) opens: Vec<(usize, Workspace)>,
    /// Ranges of the loops whose range is known: of variables without a maker, their coordinates; of the others, the
    /// coordinates or positions that they are a part of.
    pub(super) places: BTreeMap<IndexVar, Place>,
    /// Iterations of the inner parts of divided variables.
    pub(super) steps: BTreeMap<IndexVar, Count>,
    /// In how many parts loops are done of which the schedule leaves that open, by the variable that is divided.
    pub(super) parts: BTreeMap<IndexVar, Expr>,
    /// Iterations of the inner ones of fused variables.
    pub(super) fused: BTreeMap<IndexVar, Count>,
    /// Outer parts of splits whose loops run.
    pub(super) counted: Vec<Counted>,
    /// Recovered variables whose values lie in their windows.
    pub(super) within: Vec<IndexVar>,
    /// A fused position variable whose upper levels are known, and its positions in this row.
    pub(super) leaf: Option<(IndexVar, Window)>,
    pub(super) threads: Option<Threads>,
    /// Operands whose positions the loops that are left run over, though their values wait in a workspace.
    pub(super) walks: Vec<AccessId>,
    /// The next loop takes steps of this.
    pub(super) stride: Option<u32>,
    /// The loops around it.
    pub(super) around: Vec<IndexVar>,
    /// Those of them that a GPU's units run.
    pub(super) bound: Vec<IndexVar>,
    /// Those of these that have ended: they reduced into what is written now.
    pub(super) ended: Vec<IndexVar>,
    /// The lanes' segments of equal output coordinates, inside a loop that reduces by them.
    pub(super) segment: Option<Segment>,
    /// The group's lanes have reduced, and each has elements of its own.
    pub(super) scattered: bool,
    /// Where this holds nobody else writes the element, though iterations of a parallel loop may write the same.
    pub(super) sole: Option<Expr>,
    /// Where it does not, the value is carried out, if the order of updates is to be the same in every run.
    pub(super) carried: Option<Carried>,
    /// Fibers that are walked tile by tile.
    pub(super) resumes: Vec<Resume>,
    /// Fibers in which a coordinate is looked up.
    pub(super) tables: Vec<Table>,
    /// Those, with their levels, whose dimension is too large for that.
    pub(super) untabled: Vec<(AccessId, usize)>,
}

impl State {
    /// Writing the value would change nothing.
    pub(super) fn is_noop(&self, l: &Lowerer<'_>) -> bool {
        self.is_unchanged_by(&self.rhs, l)
    }

    /// Writing this value would change nothing.
    fn is_unchanged_by(&self, value: &Val, l: &Lowerer<'_>) -> bool {
        let Some(v) = value.constant() else { return false };
        match self.op {
            Some(m) => m.identity(l.dtype) == Some(v),
            None => match &self.lhs {
                Lhs::Array(target) => target.init == Some(v),
                Lhs::Scattered(target) => target.init == v,
                Lhs::Assigned(_, init) => *init == Some(v),
                _ => l.out.fill == v,
            },
        }
    }

    /// Is the position of the written element known, once its coordinates are? In an operand's pattern it is that operand's.
    pub(super) fn has_position(&self) -> bool {
        self.fiber.as_ref().is_none_or(|fiber| fiber.position.is_some())
    }

    /// An operand whose next coordinate is known.
    pub(super) fn locatable(&self, l: &Lowerer<'_>) -> Option<AccessId> {
        self.all_locatable(l).first().copied()
    }

    /// All of them.
    pub(super) fn all_locatable(&self, l: &Lowerer<'_>) -> Vec<AccessId> {
        let mut found = Vec::new();
        let mut walked = |a: AccessId| {
            if self.next_var(l, a).is_some_and(|v| l.known(v, self).is_some()) && !found.contains(&a) {
                found.push(a);
            }
        };
        self.rhs.for_each_access(&mut walked);
        self.walks.iter().copied().for_each(walked);
        found
    }

    /// The loops that fill a workspace, or an array instead of the output, and the state that they begin with.
    pub(super) fn producer(&self, nest: Nest, lhs: Lhs) -> (Vec<IndexVar>, State) {
        let Nest { loops, opens, op, rhs } = nest;
        let own = State {
            rhs,
            lhs,
            op,
            opens,
            fiber: None,
            lane: None,
            leaf: None,
            repeated: false,
            ..self.clone()
        };
        (loops, own)
    }

    /// A workspace that is to be filled when so many loops are left: of several the outermost, which the others may read.
    pub(super) fn opening(&self, left: usize) -> Option<Workspace> {
        let mut unfilled = Vec::new();
        self.rhs.for_each_production(&mut |p| unfilled.push(p.workspace));
        self.opens.iter().find(|(n, w)| *n == left && unfilled.contains(w)).map(|(_, w)| *w)
    }

    /// The ways in which a workspace's elements are read: by which variables.
    pub(super) fn reads(&self, w: Workspace) -> Vec<Vec<IndexVar>> {
        let mut reads: Vec<Vec<IndexVar>> = Vec::new();
        self.rhs.for_each_production(&mut |p| {
            if p.workspace == w && !reads.contains(&p.read) {
                reads.push(p.read.clone());
            }
        });
        reads
    }

    /// The elements that are read by these variables are those of an operand from here on.
    pub(super) fn read_operand(&mut self, w: Workspace, read: &[IndexVar], operand: AccessId) {
        self.rhs = self.rhs.map(&|v| match v {
            Val::Work(q) if q.workspace == w && q.read == read => Some(Val::Access(operand)),
            _ => None,
        });
    }

    /// The variable of the level that an operand's cursor stands at; `None` if it is fully walked.
    pub(super) fn next_var(&self, l: &Lowerer<'_>, a: AccessId) -> Option<IndexVar> {
        l.level_vars[a.index()].get(self.cursors[a.index()].level).copied()
    }

    /// With an operand stepped down to a child.
    pub(super) fn step(mut self, a: AccessId, position: Position) -> State {
        let level = self.cursors[a.index()].level + 1;
        self.arrive(a, level, position);
        self
    }

    /// So many levels of an operand have been walked, down to a position of the last.
    pub(super) fn arrive(&mut self, a: AccessId, level: usize, position: Position) {
        if let Some(fiber) = &mut self.fiber
            && (fiber.access, fiber.levels) == (a, level)
        {
            fiber.position = Some(position.clone());
        }
        self.cursors[a.index()] = Cursor { level, position };
    }

    /// With operands replaced by their fill.
    pub(super) fn without(mut self, l: &Lowerer<'_>, gone: &[AccessId]) -> State {
        self.rhs = self.value_without(l, gone);
        self
    }

    fn value_without(&self, l: &Lowerer<'_>, gone: &[AccessId]) -> Val {
        let mut value: Option<Val> = None;
        for &a in gone {
            if let Some(fill) = l.fill(a) {
                value = Some(value.as_ref().unwrap_or(&self.rhs).replace(a, fill));
            }
        }
        simplify(value.as_ref().unwrap_or(&self.rhs), l.dtype)
    }

    /// Is nothing done where none of these operands has a coordinate?
    pub(super) fn idles_without(&self, l: &Lowerer<'_>, gone: &[AccessId]) -> bool {
        self.is_unchanged_by(&self.value_without(l, gone), l)
    }

    /// Does the value or the written place depend on a variable's coordinate?
    pub(super) fn varies(&self, l: &Lowerer<'_>, v: IndexVar) -> bool {
        let mut varies = match &self.lhs {
            Lhs::Output { .. } => l.out.vars.contains(&v),
            Lhs::Array(ArrayTarget { indices, .. }) | Lhs::Scattered(SparseTarget { indices, .. }) => {
                indices.iter().any(|i| l.provenance.roots(*i).contains(&v))
            }
            Lhs::Scalar(_) | Lhs::Assigned(..) | Lhs::Register(_) => false,
        };
        self.rhs.for_each_production(&mut |p| {
            let indices = p.read.iter().chain(&p.written);
            varies |= indices.into_iter().any(|i| l.provenance.roots(*i).contains(&v));
        });
        self.rhs.for_each_access(&mut |a| {
            varies |= l.level_vars[a.index()][self.cursors[a.index()].level..]
                .iter()
                .any(|i| l.provenance.roots(*i).contains(&v));
        });
        varies
    }
}
