//! Lowering: CIN → LLIR, by looplets.
//!
//! `lower` takes the loops that are left and a [`State`] (what is to be computed, and how far each operand's
//! storage has been walked) and gives the code. A state is a value: where the code forks, so does the state.
//!
//! The files. Loops:
//!
//! - `place`: where a loop's iterations lie, by the provenance graph
//! - `recover`: what is known once a loop runs
//! - `derived`, `position`: loops over derived variables, and over stored positions
//! - `rows`: a window of fused positions, row by row
//! - `region`: one variable over an interval
//! - `merge`, `cases`: co-iteration of steppers, and the cases at one coordinate
//! - `tabled`: fibers that loops inside come to again, by a table of their coordinates
//! - `directory`: operands that loops around come to from their beginning, and where to search in them
//! - `lanes`: an output's unit-stride loop, in registers
//! - `kinds`, `work`: how a finished loop runs, and how much it does
//! - `gpu`: loops on a GPU
//!
//! Values and results:
//!
//! - `state`: what is left to compute
//! - `value`: what is computed where all loops are done
//! - `accumulate`, `factor`: sums that are held until they are written, and what leaves them
//! - `update`, `output`: how elements are written, and where
//! - `append`, `assemble`: results in order, and by count, scan and fill
//! - `capacity`: bounds of their size
//! - `workspace`, `scattered`, `blocks`, `bucketed`: array workspaces, sparse ones, those of dense blocks, and those that are
//!   filled by counting
//! - `chained`: arrays outside of all loops for parts of products, if enough of them is read
//!
//! The program:
//!
//! - `begin`: what is known before the first loop
//! - `options`: what a caller may choose
//! - `program`: what the launcher checks and passes
//! - `declare`, `binder`: names of variables and arrays, and of what looplets bind
//! - `tags`, `remarks`: what became of a schedule's tags, and what `explain` says
//! - `counts`, `tidy`: mends of finished code

mod accumulate;
mod append;
mod assemble;
mod begin;
mod binder;
mod blocks;
mod bucketed;
mod capacity;
mod cases;
mod chained;
mod counts;
mod declare;
mod derived;
mod directory;
mod factor;
mod gpu;
mod kinds;
mod lanes;
mod merge;
mod options;
mod output;
mod place;
mod position;
mod program;
mod recover;
mod region;
mod remarks;
mod rows;
mod scattered;
mod small_blocks;
mod state;
mod tabled;
mod tags;
#[cfg(test)]
mod tests;
mod tidy;
mod update;
mod value;
mod work;
mod workspace;

use crate::cin::algebra::simplify;
use crate::cin::assembly::groups;
use crate::cin::grid::Grid;
use crate::cin::nested::Nested;
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::val::{AccessId, Constant};
use crate::cin::{Access, Beside, Cin, Provenance, Workspace, WorkspaceDecl};
use crate::diag::Diagnostic;
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::Platform;
use crate::llir::{self, Array, Block, Buffer, BufferId, Expr, Program, Stmt, Var, VarId, WorkspaceId};
use crate::looplet::{self, Body, LevelRef, Looplet};
use crate::scalar::DType;
use begin::root_state;
use binder::Binder;
use directory::Directory;
use gpu::{Before, Here, HostSizes, List, Listing, Tiers};
pub use options::Options;
use output::Output;
pub use remarks::Remarks;
use state::State;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tags::Tags;

/// Code, or the one reason why there is none.
type Lowered = Result<Block, Box<Diagnostic>>;

/// Statements, or steps, and what comes after them.
fn joined<T>(mut first: Vec<T>, after: Vec<T>) -> Vec<T> {
    first.extend(after);
    first
}

/// More merged points than this in one kernel is an error: the lattice grows exponentially with the operands.
const MAX_POINTS: usize = 3000;

/// What an access reads.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Tensor(TensorId),
    Workspace(BufferId),
    /// What was gathered of a sparse workspace, and the value of what was not written.
    Gathered(WorkspaceId, Constant),
    /// The same of a list that threads have scattered.
    Listed(usize, Constant),
    /// The same of rows that were filled by counting.
    Bucketed(BufferId, Constant),
}

struct Lowerer<'k> {
    kernel: &'k Kernel,
    options: &'k Options,
    dtype: DType,
    /// Storage of each level of each distinct access.
    levels: Vec<Vec<LevelRef>>,
    /// The variable at each level of each distinct access.
    level_vars: Vec<Vec<IndexVar>>,
    /// What each distinct access reads.
    tensors: Vec<Operand>,
    /// The distinct accesses of the statement; workspaces that are read follow them in the tables above.
    accesses: Vec<Access>,
    provenance: &'k Provenance,
    workspaces: &'k [WorkspaceDecl],
    /// For `explain`.
    remarks: Remarks,
    tags: Tags,
    /// Size of each index variable's dimension.
    extents: Vec<Expr>,
    /// The parameters that hold them.
    sizes: Vec<VarId>,
    /// Scalar parameters.
    scalars: Vec<VarId>,
    /// Named as they were asked for; `rename` tells those of one scope apart.
    vars: Vec<Var>,
    buffers: Vec<Buffer>,
    /// Register arrays that the code may not need, named like variables.
    provisional: BTreeSet<BufferId>,
    /// Sparse workspaces, and of which of CIN's they are.
    spas: Vec<llir::Workspace>,
    spas_of: Vec<Workspace>,
    /// What all threads of a GPU scatter into, and the one of these that the launch makes.
    lists: Vec<List>,
    listing: Option<Listing>,
    /// On a GPU, the launches that fill arrays before the statement's own.
    before: Vec<Before>,
    /// Where there are some: the loops of the launch that is lowered.
    launched: Vec<IndexVar>,
    /// Of arrays that hold parts of products: the positions of an operand that has entries where their rows have terms.
    rows: BTreeMap<AccessId, BufferId>,
    /// The rows that are filled by counting.
    buckets: Option<bucketed::Buckets>,
    /// Of operands, and what makes them.
    directories: Vec<(Directory, Block)>,
    out: Output,
    /// Points generated so far.
    points: usize,
    /// What constants stand for; shared with what asks about many.
    definitions: Rc<BTreeMap<VarId, Expr>>,
    /// Scalars that are their reduction's identity until something is reduced into them.
    accumulators: BTreeSet<VarId>,
    /// Loop variables each of whose values belongs to another coordinate of an index variable.
    apart: BTreeMap<VarId, IndexVar>,
    /// How bound loops lie on a GPU.
    grid: Grid,
    /// The outermost loop, where threads have its coordinates without a schedule.
    root: Option<IndexVar>,
    /// The rows that have tables, on a GPU.
    tiers: Tiers,
    /// What the host learns or computes for several steps.
    sizes_on_host: HostSizes,
    /// The launch, on a GPU.
    gpu: Option<gpu::Gpu>,
    /// Why a write is not possible, which is found where there is no other way to say so.
    refused: Option<Box<Diagnostic>>,
}

/// Lowers a program for a platform. On a GPU rows that scatter much have another one that has them on blocks; on a CPU calls in which
/// few rows of parts of products are read have others that make no arrays of them.
///
/// # Errors
/// A kernel whose co-iteration would need more code than [`MAX_POINTS`] allows.
pub fn lower(
    kernel: &Kernel,
    (cin, beside): (&Cin, &Beside),
    options: &Options,
    platform: Platform,
) -> Result<(Program, Remarks), Box<Diagnostic>> {
    let nested =
        Nested::from_cin(cin).ok_or_else(|| internal(kernel, "a workspace is read outside its consumer"))?;
    let kind = result_kind(kernel, cin);
    if kind == ResultKind::Append && groups(&kernel.tensors[nested.lhs.tensor.index()].spec).is_none() {
        return Err(internal(kernel, "a result that is neither appended to nor packed"));
    }
    let mut l = Lowerer::new(kernel, options, &nested, (kind.clone(), cin), None);
    if platform == Platform::Cuda {
        if !gpu::are_classes(&options.row_classes) || !gpu::are_classes(&options.merged_classes) {
            return Err(internal(kernel, "the classes of rows are not what teams of threads can be for"));
        }
        l.before = gpu::before(cin);
        l.on_gpu();
    }
    let mut state = root_state(&nested, cin, kernel, l.out.fiber());
    let addends = l.addends(&nested.nest.loops, &mut state);
    let before = match platform {
        Platform::Cuda => l.fill_outside(&nested.nest.loops, &mut state)?,
        Platform::Cpu => vec![],
    };
    l.after_launches(cin, &nested.nest.loops);
    // An operand's pattern may have entries for which a sparse workspace has no element: nothing writes them.
    l.out.needs_init =
        matches!(kind, ResultKind::Like { .. }) && cin.workspaces.iter().any(|w| w.format.is_sparse());
    if state.is_noop(&l) {
        l.out.needs_init = true;
        l.out.pos_gaps = true;
    }
    let mut steps = if l.lists.iter().any(|list| list.is_result) {
        before
    } else if l.gpu.is_some() && kind == ResultKind::Append {
        let classes = l.row_classes(&nested, beside.on_blocks(), &state)?;
        joined(before, l.assembly_steps(cin, &nested.nest.loops, &state, &classes)?)
    } else {
        let own = l.written_steps(&nested.nest.loops, state.clone(), "")?;
        joined(joined(before, own), l.add_addends(addends, &state)?)
    };
    steps = l.or_others(steps, cin, (beside.for_other_calls(), &kind))?;
    if let (Platform::Cuda, Some(packed)) = (platform, &kernel.tensors[nested.lhs.tensor.index()].packed) {
        let packs = l.pack(packed, &steps)?;
        steps.extend(packs);
    }
    if let Some(refused) = l.refused.take() {
        return Err(refused);
    }
    let steps = l.with_sizes(steps);
    let mut steps = l.with_fibers(steps);
    gpu::mark_following(&mut steps);
    l.rename(&steps);
    let remarks = l.take_remarks();
    Ok((l.finish(steps, &nested, &kind), remarks))
}

impl<'k> Lowerer<'k> {
    fn extent(&self, v: IndexVar) -> Expr {
        self.extents[self.provenance.original(v).index()].clone()
    }

    fn name(&self, v: IndexVar) -> String {
        self.provenance.name(v).to_string()
    }

    fn tensor_name(&self, a: AccessId) -> String {
        match self.tensors[a.index()] {
            Operand::Tensor(t) => self.kernel.tensors[t.index()].name.to_string(),
            Operand::Workspace(b) => self.buffers[b.index()].name.clone(),
            Operand::Gathered(w, _) => self.spas[w.index()].name.clone(),
            Operand::Listed(list, _) => self.lists[list].name.clone(),
            Operand::Bucketed(vals, _) => {
                self.buffers[vals.index()].name.trim_end_matches("_vals").to_owned()
            }
        }
    }

    /// The value of what an operand does not store.
    fn fill(&self, a: AccessId) -> Option<Constant> {
        match self.tensors[a.index()] {
            Operand::Tensor(t) => Some(self.kernel.tensors[t.index()].spec.fill.value(self.dtype).into()),
            Operand::Workspace(_) => self.rows.contains_key(&a).then(|| Constant::Fill(self.dtype.zero())),
            Operand::Gathered(_, init) | Operand::Listed(_, init) | Operand::Bucketed(_, init) => Some(init),
        }
    }

    fn values(&mut self, a: AccessId) -> BufferId {
        match self.tensors[a.index()] {
            Operand::Tensor(t) => self.input(Array::Vals(t)),
            Operand::Workspace(b) | Operand::Bucketed(b, _) => b,
            Operand::Gathered(w, _) => self.spas[w.index()].vals,
            Operand::Listed(list, _) => self.lists[list].values(),
        }
    }

    /// The code for the loops that are left.
    fn lower(&mut self, loops: &[IndexVar], mut st: State) -> Lowered {
        let level = self.next_level(&st);
        if let Some(level) = level.filter(|l| !self.appends_block(*l)) {
            return self.open_level(level, loops, st);
        }
        if self.ends_here(&st) {
            return Ok(vec![]);
        }
        st.rhs = simplify(&st.rhs, self.dtype);
        if self.drops(&st) {
            return Ok(vec![]);
        }
        if let Some(level) = level {
            // A block is there only if the operands at its coordinate are.
            return match st.locatable(self) {
                Some(a) => self.find(a, loops, st),
                None => self.open_level(level, loops, st),
            };
        }
        if let Some(block) = self.next_block(loops, &st) {
            return self.place_block(block, loops, st);
        }
        // Conditions about what is stored stay inside what a group's lanes sum by themselves.
        if self.meets(&st) && self.is_located(&st) {
            return self.promote(loops, st);
        }
        if let Some(a) = st.locatable(self) {
            return self.find(a, loops, st);
        }
        if let Some(w) = st.opening(loops.len()) {
            return self.open(w, loops, st);
        }
        let Some((&v, rest)) = loops.split_first() else { return self.leaf(st) };
        if let Some(lane) = st.lane.clone()
            && lane.var == v
        {
            return self.lane_loop(lane, rest, st);
        }
        // A scalar or a register tile around a parallel loop would be shared by its threads.
        if loops.iter().any(|&v| self.runs_on_threads(v)) {
            return self.sweep(loops, st);
        }
        if let Some(held) = self.held(loops, &st) {
            return self.hold(loops, &held, st);
        }
        if let Some(columns) = self.columns(loops, &st) {
            return self.keep_columns(loops, columns, st);
        }
        if let Some((blocks, sums)) = self.block_sums(loops, &st) {
            let small = st.clone();
            let rows = |l: &mut Self, lane| l.tile_of_numbers(&sums, lane, &small);
            return self.with_small_blocks(&blocks, rows, |l| l.first_loop(loops, st));
        }
        if let Some((blocks, inside)) = self.small_blocks(loops, &st) {
            let small = st.clone();
            let rows = |l: &mut Self, lane| l.one_tile(&inside, lane, &small);
            return self.with_small_blocks(&blocks, rows, |l| l.first_loop(loops, st));
        }
        if let Some((blocks, inside)) = self.small_product(loops, &st) {
            let small = st.clone();
            let rows = |l: &mut Self, lane| l.product_rows(inside, lane, &small);
            return self.with_small_blocks(&blocks, rows, |l| l.first_loop(loops, st));
        }
        self.first_loop(loops, st)
    }

    /// A loop, whatever size it has: with what is kept in registers around it, or what is found or computed before it.
    fn first_loop(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        if let Some(sums) = self.number_tiles(loops, &st) {
            return self.tile_numbers(loops[0], &sums, st);
        }
        if st.op.is_some() {
            if self.tiles(loops, &st) {
                return self.tile(loops, st);
            }
            if let Some(inside) = self.vector_around(loops, &st) {
                return self.tile(&inside, st);
            }
            if self.appended_tiles(loops, &st) {
                return self.tile_appended(loops, st);
            }
            if self.is_located(&st) {
                return self.promote(loops, st);
            }
        }
        if let Some(block) = self.hoist(loops, &st)? {
            return Ok(block);
        }
        if let Some(tabled) = self.tabled(loops, &st) {
            return self.with_table(tabled, loops, st);
        }
        self.sweep(loops, st)
    }

    /// True if a state has nothing to do; the output learns that some of its elements are not written.
    fn drops(&mut self, st: &State) -> bool {
        let noop = st.is_noop(self);
        if noop {
            self.note_dropped(st);
        }
        noop
    }

    /// Steps one operand to a coordinate that is already known, or many at once.
    fn find(&mut self, a: AccessId, loops: &[IndexVar], st: State) -> Lowered {
        match self.found_together(loops, &st)? {
            Some(block) => Ok(block),
            None => self.locate(a, loops, st),
        }
    }

    /// Steps one operand to a coordinate that is already known.
    fn locate(&mut self, a: AccessId, loops: &[IndexVar], st: State) -> Lowered {
        let cursor = &st.cursors[a.index()];
        let level = self.levels[a.index()][cursor.level].clone();
        let var = self.level_vars[a.index()][cursor.level];
        let Some(coordinate) = self.known(var, &st) else {
            unreachable!("only a known coordinate is located")
        };
        let (mut block, here) = (Block::new(), self.stored_here(a, &st));
        let mut binder = Binder::new(self, &mut block, a, cursor.level, var);
        let located = match here {
            Some(Here { p, end, surely, .. }) => {
                looplet::found(&level, p, end, &coordinate, surely, &mut binder)
            }
            None => match st.table_of(a) {
                Some(table) => table.look_up(&coordinate, &mut binder),
                None => looplet::locate(&level, &cursor.position, &coordinate, &mut binder),
            },
        };
        let located = match (self.has_row(a, cursor.level, &coordinate), located) {
            (Some(cond), Looplet::Run(then)) => Looplet::Switch { cond, then, otherwise: Body::Fill },
            (_, located) => located,
        };
        match located {
            Looplet::Run(Body::Child(p)) => {
                block.extend(self.lower(loops, st.step(a, p))?);
            }
            Looplet::Switch { cond, then: Body::Child(p), otherwise: Body::Fill } => {
                let then = self.lower(loops, st.clone().step(a, p))?;
                let otherwise = if st.walks.contains(&a) {
                    // No position, no iteration.
                    self.note_dropped(&st);
                    vec![]
                } else {
                    self.lower(loops, st.without(self, &[a]))?
                };
                if !then.is_empty() || !otherwise.is_empty() {
                    block.push(Stmt::If { cond, then, otherwise });
                }
            }
            other => {
                let name = self.tensor_name(a);
                let what = format!(
                    "a level of `{name}` is located as what is neither a `Run` of a child nor a `Switch` from one to fill: {other:?}"
                );
                return Err(internal(self.kernel, &what));
            }
        }
        Ok(block)
    }
}

/// A mistake of the compiler.
fn internal(kernel: &Kernel, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("internal", kernel.name.span(), format!("internal error in lowering: {what}"))
            .help("this is a mistake of the compiler: please report it with this kernel"),
    )
}
