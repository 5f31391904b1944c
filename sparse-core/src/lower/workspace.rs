//! Array workspaces: declared where the `where` stands, filled by the producer, read by the consumer.
//!
//! Small constant ones are register arrays. Where the producer has nothing to do, the workspace holds what it was
//! declared with: the reduction's identity, or the value that the missing operands leave.

use super::gpu::Shared;
use super::place::Swept;
use super::region::either;
use super::state::{ArrayTarget, Cursor, Lhs, State};
use super::{Lowered, Lowerer, Operand, internal, joined};
use crate::cin::algebra::simplify;
use crate::cin::val::Nest;
use crate::cin::val::{AccessId, Constant, Production, Val};
use crate::cin::{Workspace, WorkspaceDecl};
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::kernel::SHARED_BYTES;
use crate::llir::{Block, BufferId, Elem, Expr, Init, Scope, Space, Stmt, Ty, build};
use crate::looplet::{LevelRef, Position};
use crate::scalar::Value;

/// Elements of the largest workspace that is kept in registers (and, past their number, in the first-level cache).
const REGISTERS: u64 = 256;

impl Lowerer<'_> {
    /// Fills a workspace, then goes on with its consumer.
    pub(super) fn open(&mut self, w: Workspace, loops: &[IndexVar], mut st: State) -> Lowered {
        let mut found: Vec<Production> = Vec::new();
        st.rhs.for_each_production(&mut |p| {
            if p.workspace == w {
                found.push(p.clone());
            }
        });
        let Some(Production { nest, written, .. }) = found.first().cloned() else {
            return Err(internal(self.kernel, "a workspace is opened that nothing reads"));
        };
        let mut block = Block::new();
        for &v in found.iter().flat_map(|p| &p.read).chain(&written) {
            self.number(v, &mut st, &mut block)?;
        }
        if self.workspaces[w.index()].format.is_sparse() {
            let opened = self.open_sparse(w, nest, written, loops, st)?;
            return Ok(if opened.is_empty() { opened } else { joined(block, opened) });
        }
        let dims = self.dims(w)?;
        if let Some(rows) = self.workspaces[w.index()].rows.clone() {
            let buffer = self.fill_product((w, &dims), (nest, written), &st, &mut block)?;
            return Ok(joined(block, self.read_rows((buffer, &dims, &rows), &found, loops, st)?));
        }
        if dims.is_empty() && self.is_own(&nest, loops) {
            return Ok(joined(block, self.open_scalar((w, nest), loops, st)?));
        }
        let shared = self.gpu.is_some() && self.is_shared(w, &dims, nest.loops.iter().chain(loops), &st)?;
        if shared && !nest.loops.iter().any(|v| self.is_bound(*v)) {
            let name = &self.workspaces[w.index()].name;
            self.note(format!("one thread fills `{name}`, which its block shares, and the others wait"));
        }
        let init = self.before(&nest).map(Constant::value);
        let background = init.unwrap_or_else(|| self.dtype.zero());
        let on_threads = self.is_used_on_threads(w, &nest, loops, &st);
        let buffer = match shared {
            true => self.shared_workspace(w, &dims, init, &mut block),
            false => self.workspace(w, &dims, background, on_threads, &mut block),
        };
        let is_part = self.workspaces[w.index()].part;
        let target = ArrayTarget {
            buffer,
            indices: written,
            dims: dims.clone(),
            init,
            shared,
            part: is_part,
            placed: false,
        };
        let filled = self.produce(nest, Lhs::Array(target), &st)?;
        let some = self.array_terms(buffer, filled, is_part, &mut block);
        let without = self.without_terms((w, &some), loops, &st)?;
        if shared {
            block.push(Stmt::Barrier(Scope::Block));
        }
        let again = shared && self.comes_again(&st);
        for p in found {
            let id = self.read(buffer, &dims, &p.read, &mut st);
            st.rhs = st.rhs.map(&|v| match v {
                Val::Work(q) if q.workspace == w && q.read == p.read => Some(Val::Access(id)),
                _ => None,
            });
        }
        st.walks = self.walked(loops, &st)?;
        let mut consumer = self.lower(loops, st)?;
        if consumer.is_empty() && !self.notes_scattered(&block) {
            return Ok(without);
        }
        if again {
            // The next round fills it anew.
            consumer.push(Stmt::Barrier(Scope::Block));
        }
        Ok(joined(block, either(some, consumer, without)))
    }

    /// The producer's loops, which write its workspace.
    pub(super) fn produce(&mut self, nest: Nest, lhs: Lhs, st: &State) -> Lowered {
        let (loops, producer) = st.producer(nest, lhs);
        self.lower(&loops, producer)
    }

    /// Does whoever opens a workspace fill it, and read it, alone? Threads of the CPU may read what is filled before them.
    fn is_own(&self, nest: &Nest, loops: &[IndexVar]) -> bool {
        let on_unit = |v: &IndexVar| self.unit(*v).is_some();
        !nest.loops.iter().any(|v| on_unit(v) || self.runs_on_threads(*v)) && !loops.iter().any(on_unit)
    }

    /// One number, in a variable.
    fn open_scalar(&mut self, (w, nest): (Workspace, Nest), loops: &[IndexVar], mut st: State) -> Lowered {
        let init = self.before(&nest).map(Constant::value);
        let name = self.workspaces[w.index()].name.clone();
        let t = self.fresh(&name, Ty::Scalar(self.dtype));
        let value = Expr::Lit(init.unwrap_or_else(|| self.dtype.zero()));
        let mut block = vec![Stmt::Mut { var: t, value }];
        if nest.op.is_some() {
            self.accumulators.insert(t);
        }
        let lhs = if nest.op.is_some() { Lhs::Scalar(t) } else { Lhs::Assigned(t, init) };
        let filled = self.produce(nest, lhs, &st)?;
        let is_part = self.workspaces[w.index()].part;
        let some = self.terms(t, filled, is_part, &mut block);
        let without = self.without_terms((w, &some), loops, &st)?;
        st.rhs = st.rhs.map(&|v| match v {
            Val::Work(p) if p.workspace == w => Some(Val::Temp(t.0)),
            _ => None,
        });
        st.walks = self.walked(loops, &st)?;
        let consumer = self.lower(loops, st)?;
        let ends = consumer.is_empty() && !self.notes_scattered(&block);
        Ok(if ends { without } else { joined(block, either(some, consumer, without)) })
    }

    /// What is done where the sum in a workspace has no terms, which it may have.
    fn without_terms(&mut self, (w, some): (Workspace, &Expr), loops: &[IndexVar], st: &State) -> Lowered {
        if *some == Expr::Cond(true) {
            return Ok(vec![]);
        }
        let nothing = Val::structural(self.dtype.zero());
        let is_read = |v: &Val| matches!(v, Val::Work(p) if p.workspace == w).then(|| nothing.clone());
        let rhs = simplify(&st.rhs.map(&is_read), self.dtype);
        let mut without = State { rhs, ..st.clone() };
        without.walks = self.walked(loops, &without)?;
        self.lower(loops, without)
    }

    /// Do threads fill a workspace, or read it: by the consumer's loops, or by those that fill another one from it?
    fn is_used_on_threads(&self, w: Workspace, nest: &Nest, loops: &[IndexVar], st: &State) -> bool {
        let on_threads = |loops: &[IndexVar]| loops.iter().any(|v| self.runs_on_threads(*v));
        let mut found = on_threads(&nest.loops) || on_threads(loops);
        st.rhs.for_each_production(&mut |other| {
            let mut reads = false;
            other.nest.rhs.for_each_production(&mut |p| reads |= p.workspace == w);
            found |= reads && on_threads(&other.nest.loops);
        });
        found
    }

    pub(super) fn dims(&self, w: Workspace) -> Result<Vec<Expr>, Box<Diagnostic>> {
        let vars = &self.workspaces[w.index()].vars;
        let size = |v: &IndexVar| self.size_of(&self.provenance.size(*v));
        // `precompute` refuses dimensions that count positions.
        let unknown = || internal(self.kernel, "a workspace with one element a stored position");
        vars.iter().map(size).collect::<Option<_>>().ok_or_else(unknown)
    }

    /// The operands whose positions these loops run over, but that are read by the producer alone.
    pub(super) fn walked(&self, loops: &[IndexVar], st: &State) -> Result<Vec<AccessId>, Box<Diagnostic>> {
        let mut walked = st.walks.clone();
        for &v in loops {
            if let Swept::Positions(leader) = self.swept(v)?
                && !st.rhs.contains(leader.access)
            {
                walked.push(leader.access);
            }
        }
        Ok(walked)
    }

    /// On a GPU a workspace is a thread's own, in registers, or shared by the threads of a block, which fill it or read
    /// it by loops of theirs.
    fn is_shared<'v>(
        &self,
        w: Workspace,
        dims: &[Expr],
        loops: impl Iterator<Item = &'v IndexVar>,
        st: &State,
    ) -> Result<bool, Box<Diagnostic>> {
        let WorkspaceDecl { name, vars, .. } = &self.workspaces[w.index()];
        let units: Vec<Unit> = loops.filter_map(|v| self.unit(*v)).collect();
        if units.contains(&Unit::GpuBlock) {
            return Err(self.refuse_shared(name));
        }
        let shared = !units.is_empty();
        if let Some(warp) = st.bound.iter().find(|v| self.is_one_of_warps(**v)).filter(|_| shared) {
            return Err(self.refuse_of_warps(name, *warp));
        }
        if let Some((v, _)) = vars.iter().zip(dims).find(|(_, n)| !matches!(n, Expr::Index(_))) {
            return Err(self.refuse_dimension(name, *v));
        }
        let size = self.dtype.size() as u64;
        let taken = if shared { self.shared_bytes() } else { 0 };
        let most = if shared { SHARED_BYTES.saturating_sub(taken) / size } else { REGISTERS };
        match dims.iter().cloned().fold(Expr::Index(1), build::mul) {
            Expr::Index(n) if (1..=most).contains(&n) => Ok(shared),
            Expr::Index(n) if shared => Err(self.refuse_bytes(name, n.saturating_mul(size), taken)),
            _ => Err(self.refuse_heap(name, most)),
        }
    }

    /// An array in the block's shared memory, which all of its threads fill with what the producer leaves out.
    fn shared_workspace(
        &mut self,
        w: Workspace,
        dims: &[Expr],
        init: Option<Value>,
        block: &mut Block,
    ) -> BufferId {
        let Expr::Index(len) = dims.iter().cloned().fold(Expr::Index(1), build::mul) else {
            unreachable!("a shared workspace has a constant size")
        };
        let name = self.workspaces[w.index()].name.clone();
        let buffer = self.shared_array(Shared::Workspace(w), &name, Elem::Scalar(self.dtype), len as u32);
        if let Some(init) = init {
            block.push(self.fill_shared(buffer, len, init));
            block.push(Stmt::Barrier(Scope::Block));
        }
        buffer
    }

    /// What elements hold that the producer does not write: `None` if it writes all of them.
    pub(super) fn before(&self, nest: &Nest) -> Option<Constant> {
        if let Some(m) = nest.op {
            return m.identity(self.dtype).map(Constant::Fill);
        }
        self.unstored(&nest.rhs)
    }

    /// What a value is where none of its sparse operands stores anything, if it is the same everywhere.
    pub(super) fn unstored(&self, v: &Val) -> Option<Constant> {
        simplify(&self.gap(v), self.dtype).unstored()
    }

    /// A value with the fills of its sparse operands in their places.
    pub(super) fn gap(&self, v: &Val) -> Val {
        let mut rest = v.clone();
        v.for_each_access(&mut |a| {
            let sparse = self.is_sparse(a);
            if let Some(fill) = self.fill(a).filter(|_| sparse) {
                rest = rest.replace(a, fill);
            }
        });
        rest
    }

    /// Declares the array: in registers if it is small, and not shared by threads.
    fn workspace(
        &mut self,
        w: Workspace,
        dims: &[Expr],
        init: Value,
        on_threads: bool,
        block: &mut Block,
    ) -> BufferId {
        let len = dims.iter().cloned().fold(Expr::Index(1), build::mul);
        let wanted = self.workspaces[w.index()].name.clone();
        let small = match len {
            Expr::Index(n) if (1..=REGISTERS).contains(&n) && !on_threads => Some(n as u32),
            _ => None,
        };
        let space = small.map_or(Space::Scratch, |len| Space::Register { len });
        let elem = Elem::Scalar(self.dtype);
        let buffer = self.local(&wanted, elem, space);
        block.push(match small {
            Some(_) => Stmt::Local { buffer, init: Some(init) },
            None => Stmt::Alloc { buffer, len, init: Init::Value(init) },
        });
        buffer
    }

    /// The workspace as an operand of its consumer: dense levels, one a dimension.
    pub(super) fn read(
        &mut self,
        buffer: BufferId,
        dims: &[Expr],
        vars: &[IndexVar],
        st: &mut State,
    ) -> AccessId {
        let level = |size: &Expr| LevelRef { level: Level::Dense, size: size.clone(), pos: None, crd: None };
        self.levels.push(dims.iter().map(level).collect());
        self.level_vars.push(vars.to_vec());
        self.tensors.push(Operand::Workspace(buffer));
        let root = Cursor { level: 0, position: Position::One(Expr::Index(0)) };
        st.cursors.resize(self.levels.len(), root);
        AccessId(self.levels.len() as u32 - 1)
    }

    /// The written element, once its coordinates are known.
    pub(super) fn element(&self, target: &ArrayTarget, st: &State) -> Option<Expr> {
        let indices = target.indices.iter().zip(&target.dims);
        indices.into_iter().try_fold(Expr::Index(0), |at, (v, n)| {
            Some(build::add(build::mul(at, n.clone()), self.known(*v, st)?))
        })
    }
}
