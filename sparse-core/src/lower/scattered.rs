//! Sparse workspaces: the producer scatters into them, and the consumer reads what was written alone, in the order of
//! coordinates, as an operand like any other.
//!
//! What was gathered is one list of coordinates and values: a compressed level whose only fiber is all of it, with
//! singleton levels below it for the further dimensions, as in `Coo`.

use super::assemble::Pass;
use super::gpu::Table;
use super::region::guard;
use super::state::{Cursor, Lhs, SparseTarget, State};
use super::{Binder, Lowered, Lowerer, Operand, joined};
use crate::cin::Workspace;
use crate::cin::algebra::simplify;
use crate::cin::check::infinities_meet;
use crate::cin::val::{AccessId, Constant, Nest, Val};
use crate::diag::Diagnostic;
use crate::format::{Level, WorkspaceFormat};
use crate::front::ast::IndexVar;
use crate::llir::{self, Block, DenseBlock, Elem, Expr, Space, Stmt, WorkspaceId, build};
use crate::looplet::{self, LevelRef, Looplet, Position, Stepper};
use crate::scalar::Value;
use crate::work::{SHARED, WORTH_LOG2};

/// The coordinates that a masked workspace takes.
struct Mask {
    listed: Stepper,
    /// Does its consumer do nothing at all elsewhere?
    leads: bool,
}

impl Lowerer<'_> {
    /// Fills a sparse workspace, then goes on with its consumer.
    pub(super) fn open_sparse(
        &mut self,
        w: Workspace,
        nest: Nest,
        written: Vec<IndexVar>,
        loops: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        if self.has_buckets(w, &nest, &written, loops, &st) {
            return self.open_buckets(w, nest, written, loops, st);
        }
        let mut code = Block::new();
        let mask = self.mask(w, &nest, &st, &mut code);
        let dims = self.dims(w)?;
        let init = self.before(&nest).unwrap_or_else(|| self.absent(w, &st));
        let id = self.sparse_workspace(w, dims, &nest, init.value(), mask.is_some());
        let lhs = Lhs::Scattered(SparseTarget {
            workspace: Some(id),
            indices: written,
            init: init.value(),
            masks: vec![],
        });
        let (inner, producer) = st.producer(nest, lhs);
        if self.gpu.is_some() {
            return self.open_on_gpu((w, id), init, &inner, producer, loops, st);
        }
        let mut block = Block::new();
        let mut fill = self.lower(&inner, producer)?;
        if let Some(Mask { listed: Stepper { crd, begin, end, .. }, leads }) = &mask {
            block.push(Stmt::Mask { workspace: id, crd: *crd, lo: begin.clone(), hi: end.clone() });
            if !leads {
                // Under an empty mask there is nothing to compute.
                fill = guard(build::lt(begin.clone(), end.clone()), fill);
            }
        }
        block.extend(fill);
        block.push(Stmt::Gather(id));
        let root = Position::One(Expr::Index(0));
        self.with_gathered((w, id), init, &root, &mut st);
        st.walks = self.walked(loops, &st)?;
        if mask.as_ref().is_some_and(|mask| mask.leads) {
            self.note_dropped(&st);
        }
        let consumer = self.lower(loops, st)?;
        if consumer.is_empty() {
            return Ok(consumer);
        }
        block.extend(consumer);
        code.extend(match mask {
            // Nor anything to read.
            Some(Mask { listed: Stepper { begin, end, .. }, leads: true }) => {
                guard(build::lt(begin, end), block)
            }
            _ => block,
        });
        Ok(code)
    }

    /// The fiber that lists all coordinates at which a consumer reads a workspace's elements: others need not be computed. It is
    /// one that stands when the workspace is filled.
    fn mask(&mut self, w: Workspace, nest: &Nest, st: &State, block: &mut Block) -> Option<Mask> {
        let decl = &self.workspaces[w.index()];
        let reads = st.reads(w);
        let [read] = &reads[..] else { return None };
        let [read] = read[..] else { return None };
        if self.gpu.is_some() || decl.format != WorkspaceFormat::List || nest.op.is_none() {
            return None;
        }
        let mut found = None;
        st.rhs.for_each_access(&mut |a| {
            let level = st.cursors[a.index()].level;
            let lists =
                st.next_var(self, a) == Some(read) && self.levels[a.index()][level].lists_coordinates();
            if found.is_none() && lists && !nest.rhs.contains(a) && !self.reads_without(w, a, st) {
                found = Some((a, level));
            }
        });
        let (a, level) = found?;
        let listed = self.levels[a.index()][level].clone();
        let position = st.cursors[a.index()].position.clone();
        let mut binder = Binder::new(self, block, a, level, read);
        let Looplet::Stepper(stepper) = looplet::unfurl(&listed, &position, &mut binder) else { return None };
        let (name, mask) = (self.workspaces[w.index()].name.clone(), self.tensor_name(a));
        self.note(format!("`{name}` takes elements where `{mask}` has entries, and no others"));
        Some(Mask { listed: stepper, leads: st.idles_without(self, &[a]) })
    }

    /// Is a workspace read where an operand has no entry?
    fn reads_without(&self, w: Workspace, a: AccessId, st: &State) -> bool {
        let mut reads = false;
        st.clone().without(self, &[a]).rhs.for_each_production(&mut |p| reads |= p.workspace == w);
        reads
    }

    /// What stands for an element that is not there, of a workspace that is written everywhere: a value by which the
    /// consumer does nothing, so that its loops go over what was written alone.
    pub(super) fn absent(&self, w: Workspace, st: &State) -> Constant {
        let fill = self.out.fill;
        let rhs = st.rhs.map(&|v| match v {
            Val::Work(q) if q.workspace == w => Some(Val::structural(fill)),
            _ => None,
        });
        // Nor does it make anything else of the other operands: an infinite fill annihilates, and one that it met would it.
        let alone = simplify(&rhs, self.dtype).constant().is_none_or(|v| v == fill)
            && !infinities_meet(&self.gap(&rhs), self.dtype);
        let unstored = self.unstored(&rhs).map(Constant::value);
        Constant::Fill(if alone && unstored == Some(fill) { fill } else { self.dtype.zero() })
    }

    /// The consumer reads what was gathered as operands that are at this position.
    fn with_gathered(
        &mut self,
        (w, id): (Workspace, WorkspaceId),
        init: Constant,
        at: &Position,
        st: &mut State,
    ) {
        for read in st.reads(w) {
            let access = self.read_gathered(id, &read, init, at, st);
            st.read_operand(w, &read, access);
        }
    }

    /// Is what is read by these variables read by the outermost loop?
    pub(super) fn is_read_first(&self, read: &[IndexVar], loops: &[IndexVar]) -> bool {
        match (read.first(), loops.first()) {
            (Some(v), Some(outermost)) => self.provenance.roots(*outermost).contains(v),
            (v, outermost) => v.is_none() && outermost.is_none(),
        }
    }

    /// Is the result what is scattered into a workspace, in a format whose rows or tuples of coordinates can be the buckets? What
    /// the workspace does not hold has to be what the result does not store.
    pub(super) fn is_listed(&self, w: Workspace, init: Constant, loops: &[IndexVar], st: &State) -> bool {
        let same = |read: &[IndexVar]| *read == self.out.vars[..] && *loops == self.out.vars[..];
        let reads = matches!(&st.rhs, Val::Work(p) if p.workspace == w && same(&p.read));
        let (g, rank) = (self.out_groups(), self.out.vars.len());
        let group = |levels| g.appended.len() == 1 && g.appended[0] == levels;
        let fits = g.prefix == (0..1) && group(1..rank) || group(0..rank);
        self.out.is_assembled() && init.value() == self.out.fill && reads && fits && st.op.is_none()
    }

    /// The same in a thread's table.
    fn open_on_gpu(
        &mut self,
        (w, id): (Workspace, WorkspaceId),
        init: Constant,
        inner: &[IndexVar],
        producer: State,
        loops: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        let Some((pass, row)) = self.assembled_row().filter(|_| !producer_is_shared(self, inner)) else {
            return Err(self.refuse_scattered(w));
        };
        let entries = self.gives_entries((w, id), init, loops, &st);
        // What has been counted says how few they are of what is scattered.
        let most = entries.filter(|_| pass == Pass::Fill).and_then(|group| self.entries_of_row(group, &row));
        let (mut block, table) = self.fill_table(id, (pass, &row), most, inner, producer, &st)?;
        match pass {
            Pass::Pieces => return Ok(block),
            Pass::Scatters => {
                let root = Position::One(Expr::Index(0));
                self.with_gathered((w, id), init, &root, &mut st);
                if !self.only_reads(&st) {
                    block.extend(self.lower(loops, st)?);
                }
                return Ok(block);
            }
            Pass::Count | Pass::Fill => {}
        }
        // Where each element that it holds is an entry, they are as many.
        if let Some(last) = entries
            && self.counts(&st)
        {
            let several = self.spas.len() > 1;
            let (counted, len) = self.table_len(&table, several || self.comes_again(&st));
            block.extend(counted);
            block.extend(self.advance_by(last, len));
            return Ok(block);
        }
        // The team's next elements go where these are read.
        let again = self.row_lanes().filter(|_| self.comes_again(&st));
        let (gathered, begin, end) = self.gather_table(id, pass, &table);
        block.extend(gathered);
        self.with_gathered((w, id), init, &Position::Range(begin, end), &mut st);
        st.walks = self.walked(loops, &st)?;
        let consumer = self.lower(loops, st)?;
        if consumer.is_empty() {
            return Ok(consumer);
        }
        block.extend(consumer);
        block.extend(again.map(|lanes| lanes.barrier()));
        Ok(block)
    }

    /// The producer fills a table, or counts what it would scatter there.
    fn fill_table(
        &mut self,
        id: WorkspaceId,
        (pass, row): (Pass, &Expr),
        most: Option<Expr>,
        inner: &[IndexVar],
        mut producer: State,
        consumer: &State,
    ) -> Result<(Block, Table), Box<Diagnostic>> {
        let masks = self.masks_of_table(&producer);
        let mut looks = Block::new();
        let listed = self.listed_by(&masks, &producer, &mut looks);
        if let Lhs::Scattered(target) = &mut producer.lhs {
            target.masks = masks;
        }
        if let (Pass::Scatters, Lhs::Scattered(target)) = (pass, &producer.lhs) {
            self.bound_table(id, inner, &producer, &target.indices);
        }
        producer = self.under_masks(producer, pass);
        let (mut block, table) = self.open_table(id, pass, row, most);
        self.use_table(id, Some(table.clone()));
        let written = match &producer.lhs {
            Lhs::Scattered(target) => target.indices.first().copied(),
            _ => None,
        };
        let mut scattered = self.lower(inner, producer)?;
        self.use_table(id, None);
        match (self.row_lanes(), written) {
            _ if pass == Pass::Scatters => {
                block.extend(scattered);
                block.extend(joined(looks, self.note_scattered(id, table.len(), listed)));
                return Ok((block, table));
            }
            (Some(lanes), Some(var)) => {
                let once = !self.comes_again(consumer);
                scattered = self.share_producer(scattered, &lanes, (id, var), (pass, row, once), &table);
            }
            _ => {
                block.push(self.empty_table(id, &table, false));
                // Teams have no such rows.
                if let Some(listed) = listed {
                    block.extend(looks);
                    scattered = guard(build::lt(Expr::Index(0), listed), scattered);
                }
            }
        }
        block.extend(scattered);
        Ok((block, table))
    }

    /// The group of appended levels of which each element that a workspace holds is an entry.
    fn gives_entries(
        &self,
        (w, id): (Workspace, WorkspaceId),
        init: Constant,
        loops: &[IndexVar],
        st: &State,
    ) -> Option<usize> {
        let whole = matches!(&st.rhs, Val::Work(q) if q.workspace == w) && st.op.is_none();
        let whole = whole && init.value() == self.out.fill;
        let g = self.out_groups();
        let dims = self.spas[id.index()].dims.len();
        let last = g.appended.iter().rposition(|levels| levels.len() >= dims)?;
        let fits = last + 1 == g.appended.len() && loops.len() == dims && g.suffix.is_empty();
        (whole && fits).then_some(last)
    }

    /// Declares the workspace and the arrays that it gathers into: one of each, however often the code forks.
    fn sparse_workspace(
        &mut self,
        w: Workspace,
        dims: Vec<Expr>,
        nest: &Nest,
        init: Value,
        masked: bool,
    ) -> WorkspaceId {
        let alike = |at: &usize| self.spas[*at].init == init && self.spas[*at].masked == masked;
        let known = (0..self.spas.len()).filter(|at| self.spas_of[*at] == w);
        if let Some(at) = known.into_iter().find(alike) {
            return WorkspaceId(at as u32);
        }
        let decl = &self.workspaces[w.index()];
        let (wanted, format) = (decl.name.clone(), decl.format);
        let block = if self.gpu.is_some() { 0 } else { decl.block };
        let on_threads = decl.in_parts && format == WorkspaceFormat::Sort && self.gpu.is_none();
        if on_threads {
            self.note(format!(
                "threads sort `{wanted}`, if it has 2^{} elements, along dimensions that have fewer coordinates than that",
                WORTH_LOG2 + SHARED.ilog2()
            ));
        }
        let name = self.unique(&wanted);
        let space = if self.gpu.is_some() { Space::Output } else { Space::Gathered };
        let (dims, block) = dims.split_at(dims.len() - block);
        let crd_name = |d: usize| match dims.len() {
            1 => format!("{name}_crd"),
            _ => format!("{name}{}_crd", d + 1),
        };
        let crd = (0..dims.len()).map(|d| self.local(&crd_name(d), Elem::Index, space)).collect();
        let vals = self.local(&format!("{name}_vals"), Elem::Scalar(self.dtype), space);
        let block = (!block.is_empty()).then(|| DenseBlock {
            dims: block.to_vec(),
            open: self.local(&format!("{name}_block"), Elem::Scalar(self.dtype), Space::Scratch),
        });
        self.spas_of.push(w);
        self.spas.push(llir::Workspace {
            name,
            format,
            dims: dims.to_vec(),
            block,
            op: nest.op,
            init,
            masked,
            on_threads,
            crd,
            vals,
        });
        WorkspaceId(self.spas.len() as u32 - 1)
    }

    /// What was gathered, as an operand.
    fn read_gathered(
        &mut self,
        id: WorkspaceId,
        vars: &[IndexVar],
        init: Constant,
        at: &Position,
        st: &mut State,
    ) -> AccessId {
        let w = &self.spas[id.index()];
        let last = w.dims.len() - 1;
        let levels = w.dims.iter().zip(&w.crd).enumerate().map(|(d, (size, crd))| {
            let unique = d == last;
            let level = if d == 0 { Level::Compressed { unique } } else { Level::Singleton { unique } };
            LevelRef { level, size: size.clone(), pos: None, crd: Some(*crd) }
        });
        let dense = |size: &Expr| LevelRef { level: Level::Dense, size: size.clone(), pos: None, crd: None };
        let block = w.block.iter().flat_map(|block| block.dims.iter().map(dense));
        self.levels.push(levels.chain(block).collect());
        self.level_vars.push(vars.to_vec());
        self.tensors.push(Operand::Gathered(id, init));
        let root = Cursor { level: 0, position: at.clone() };
        st.cursors.resize(self.levels.len(), root);
        AccessId(self.levels.len() as u32 - 1)
    }

    pub(super) fn scatter(&mut self, target: &SparseTarget, st: &State, value: Expr) -> Block {
        if let (None, Some(buckets)) = (target.workspace, self.buckets.clone()) {
            return self.put_in_bucket(buckets, target, st, value);
        }
        let Some(workspace) = target.workspace else { return self.scatter_into_list(target, st, value) };
        if self.gpu.is_some() {
            return self.scatter_into_table(workspace, target, st, value);
        }
        let value = match self.scatter_into_block(target, st, value) {
            Ok(block) => return block,
            Err(value) => value,
        };
        let at = target.indices.iter().map(|v| {
            self.known(*v, st)
                .unwrap_or_else(|| unreachable!("a workspace's loops are open when it is written"))
        });
        vec![Stmt::Scatter { workspace, at: at.collect(), value }]
    }
}

/// Do units share a loop of the producer's?
fn producer_is_shared(l: &Lowerer<'_>, loops: &[IndexVar]) -> bool {
    loops.iter().any(|v| l.is_bound(*v))
}
