//! Rules of code: types, scope, mutability, space, allocation, registers, loops, host. Those of threads and of
//! launches are next door.

use super::tables::var_ty;
use super::threads::{Shared, ThreadLoop};
use super::{Rule, VerifyError, broken, ensure, place};
use crate::llir::align::Facts;
use crate::llir::print::print_step_headline;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{
    Array, Block, Buffer, BufferId, Collective, Elem, Expr, IndexOp, LoopKind, Param, Program, Space, Step,
    Stmt, Ty, VarId, Workspace, WorkspaceId,
};
use crate::scalar::{DType, Monoid, Value};
use std::collections::BTreeMap;

/// Checks the steps in order.
pub(super) fn verify_code(p: &Program) -> Result<(), VerifyError> {
    let mut v = Verifier {
        p,
        vars: vec![VarState::Undeclared; p.vars.len()],
        buffers: p.buffers.iter().map(|b| b.space == Space::Input || b.space == Space::InOut).collect(),
        declared: vec![false; p.buffers.len()],
        live: vec![],
        host: false,
        threads: None,
        in_lanes: false,
        launched: false,
        facts: Facts::of(p),
        thread_loops: 0,
        scattered: BTreeMap::new(),
    };
    for param in &p.params {
        let (Param::Dim { var, .. } | Param::Scalar { var, .. }) = param;
        v.declare(*var, false, &|| format!("parameter `{}`", p.var(*var).name))?;
    }
    for step in &p.steps {
        v.step(step)?;
    }
    for (b, ready) in p.buffers.iter().zip(&v.declared) {
        let owned = matches!(b.space, Space::Output | Space::Growable);
        ensure(
            *ready || !owned,
            Rule::Allocation,
            || format!("buffer `{}`", b.name),
            || "no step allocates it".into(),
        )?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VarState {
    Undeclared,
    Live { mutable: bool },
    Gone,
}

pub(super) struct Verifier<'a> {
    pub(super) p: &'a Program,
    vars: Vec<VarState>,
    /// May the buffer be used here?
    pub(super) buffers: Vec<bool>,
    /// Has the buffer been allocated, reserved or declared somewhere before?
    declared: Vec<bool>,
    /// Variables that may be used here, innermost last.
    pub(super) live: Vec<VarId>,
    /// In the sizes of a host step?
    host: bool,
    /// What the iterations of the loop on threads around us share.
    pub(super) threads: Option<Shared>,
    /// In a loop over lanes or a reduction?
    pub(super) in_lanes: bool,
    /// In a launch?
    pub(super) launched: bool,
    /// What indices are multiples of here.
    pub(super) facts: Facts,
    /// Loops on threads so far.
    pub(super) thread_loops: usize,
    /// Of each workspace that has elements, the loop on threads in which they were scattered.
    pub(super) scattered: BTreeMap<WorkspaceId, Option<usize>>,
}

pub(super) type Place<'a> = &'a dyn Fn() -> String;

fn element(t: DType) -> Ty {
    Ty::Scalar(t)
}

impl<'a> Verifier<'a> {
    fn step(&mut self, step: &Step) -> Result<(), VerifyError> {
        let p = self.p;
        let at = &|| format!("`{}`", print_step_headline(p, step));
        match step {
            Step::Allocate { buffer, len, init } => {
                self.host_index(len, at)?;
                let b = self.allocate(*buffer, Space::Output, at)?;
                match init {
                    Some(v) => element_value(b, *v, at),
                    None => Ok(()),
                }
            }
            Step::Reserve { buffer, capacity, exact } => {
                ensure(!exact || capacity.is_some(), Rule::Allocation, at, || {
                    "its exact length is not known".into()
                })?;
                if let Some(capacity) = capacity {
                    self.host_index(capacity, at)?;
                }
                self.allocate(*buffer, Space::Growable, at).map(|_| ())
            }
            Step::Read { var, buffer, index } => {
                self.host_index(index, at)?;
                let b = self.usable(*buffer, at)?;
                ensure(b.space == Space::Output && b.elem == Elem::Index, Rule::Host, at, || {
                    format!("`{}` holds no number of entries that is read back", b.name)
                })?;
                ensure(p.launches().next().is_some(), Rule::Host, at, || {
                    "nothing is launched that it could wait for".into()
                })?;
                ensure(var_ty(p, *var, at)? == Ty::Index, Rule::Types, at, || "a number is an index".into())?;
                self.declare(*var, false, at)
            }
            Step::Fill { buffer, value } => {
                let b = self.usable(*buffer, at)?;
                ensure(matches!(b.space, Space::InOut | Space::Output), Rule::Host, at, || {
                    format!("`{}` cannot be filled", b.name)
                })?;
                element_value(b, *value, at)
            }
            Step::Run(block) => self.block(block),
            Step::Launch(launch) => self.launch(launch, at),
        }
    }

    pub(super) fn host_index(&mut self, e: &Expr, at: Place) -> Result<(), VerifyError> {
        self.host = true;
        let checked = self.expect(e, Ty::Index, at);
        self.host = false;
        checked
    }

    fn allocate(&mut self, id: BufferId, space: Space, at: Place) -> Result<&Buffer, VerifyError> {
        let p = self.p;
        let b = known(p, id, at)?;
        ensure(b.space == space, Rule::Allocation, at, || format!("`{}` is not {space:?}", b.name))?;
        ensure(!self.declared[id.index()], Rule::Allocation, at, || {
            format!("`{}` is allocated twice", b.name)
        })?;
        self.declared[id.index()] = true;
        self.buffers[id.index()] = true;
        Ok(b)
    }

    /// The buffer, if it may be used here.
    pub(super) fn usable(&self, id: BufferId, at: Place) -> Result<&Buffer, VerifyError> {
        let b = known(self.p, id, at)?;
        let rule = match b.space {
            Space::Register { .. } | Space::Scratch => Rule::Registers,
            Space::Gathered => Rule::Workspaces,
            _ => Rule::Allocation,
        };
        ensure(self.buffers[id.index()], rule, at, || format!("`{}` is not declared here", b.name))?;
        self.may_use(id, at)?;
        Ok(b)
    }

    pub(super) fn block(&mut self, block: &Block) -> Result<(), VerifyError> {
        let outer = self.live.len();
        for (at, stmt) in block.iter().enumerate() {
            self.scatter_again(&block[..at], stmt);
            self.stmt(stmt)?;
        }
        self.leave(outer);
        for stmt in block {
            match stmt {
                Stmt::Local { buffer, .. } | Stmt::Alloc { buffer, .. } => {
                    self.buffers[buffer.index()] = false
                }
                Stmt::Gather(workspace) => {
                    self.gathered(*workspace).into_iter().for_each(|b| self.buffers[b.index()] = false)
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the scope of all but the outermost variables.
    pub(super) fn leave(&mut self, outer: usize) {
        for var in self.live.drain(outer..) {
            self.vars[var.index()] = VarState::Gone;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), VerifyError> {
        let p = self.p;
        let at = &|| place(p, stmt);
        match stmt {
            Stmt::Let { var, value } | Stmt::Mut { var, value } => {
                let ty = var_ty(p, *var, at)?;
                self.expect(value, ty, at)?;
                if self.launched && matches!(stmt, Stmt::Let { .. }) {
                    self.facts.define(*var, value);
                }
                self.declare(*var, matches!(stmt, Stmt::Mut { .. }), at)
            }
            Stmt::Assign { var, value } => {
                let ty = self.mutable(*var, at)?;
                self.expect(value, ty, at)
            }
            Stmt::Update { var, op, value } => {
                let ty = self.mutable(*var, at)?;
                monoid(*op, ty, at)?;
                self.expect(value, ty, at)
            }
            Stmt::Store { buffer, index, value } => {
                let ty = self.stored(*buffer, at)?;
                self.expect(index, Ty::Index, at)?;
                self.expect(value, ty, at)
            }
            Stmt::Reduce { buffer, index, op, value } | Stmt::Atomic { buffer, index, op, value } => {
                let ty = self.stored(*buffer, at)?;
                if matches!(stmt, Stmt::Atomic { .. }) && !self.launched {
                    self.is_shared(*buffer, at)?;
                }
                monoid(*op, ty, at)?;
                self.expect(index, Ty::Index, at)?;
                self.expect(value, ty, at)
            }
            Stmt::Claim { var, buffer, index, value } => {
                self.in_launch(at)?;
                let b = self.usable(*buffer, at)?;
                let reached = matches!(b.space, Space::Output | Space::InOut | Space::Shared { .. });
                ensure(reached, Rule::Space, at, || format!("others do not see what is in `{}`", b.name))?;
                let stored = self.stored(*buffer, at)?;
                let held = self.mutable(*var, at)?;
                ensure(stored == Ty::Index && held == Ty::Index, Rule::Types, at, || {
                    "indices alone are claimed".into()
                })?;
                self.expect(index, Ty::Index, at)?;
                self.expect(value, Ty::Index, at)
            }
            Stmt::FetchAdd { var, buffer, index, value } => {
                self.in_launch(at)?;
                let b = self.usable(*buffer, at)?;
                let reached = matches!(b.space, Space::Output | Space::InOut | Space::Shared { .. });
                ensure(reached, Rule::Space, at, || format!("others do not see what is in `{}`", b.name))?;
                let stored = self.stored(*buffer, at)?;
                ensure(stored == Ty::Index, Rule::Types, at, || "indices alone are counted".into())?;
                self.expect(index, Ty::Index, at)?;
                self.expect(value, Ty::Index, at)?;
                let Some(var) = *var else { return Ok(()) };
                let declared = var_ty(p, var, at)?;
                ensure(declared == Ty::Index, Rule::Types, at, || "what was there is an index".into())?;
                self.declare(var, false, at)
            }
            Stmt::Append { buffer, value } => {
                let ty = self.grown(*buffer, at)?;
                self.expect(value, ty, at)
            }
            Stmt::AppendN { buffer, count, value } => {
                let ty = self.grown(*buffer, at)?;
                self.expect(count, Ty::Index, at)?;
                self.expect(value, ty, at)
            }
            Stmt::Local { buffer, init } => {
                let b = known(p, *buffer, at)?;
                let fits = matches!(b.space, Space::Register { .. }) && b.array == Array::Local;
                ensure(fits && !self.declared[buffer.index()], Rule::Registers, at, || {
                    format!("`{}` is no register array, or declared twice", b.name)
                })?;
                element_value(b, *init, at)?;
                self.declared[buffer.index()] = true;
                self.buffers[buffer.index()] = true;
                Ok(())
            }
            Stmt::Scatter { workspace, at: element, value } => {
                let w = self.workspace(*workspace, at)?;
                ensure(element.len() == w.dims.len(), Rule::Workspaces, at, || {
                    format!("`{}` has {} dimensions", w.name, w.dims.len())
                })?;
                ensure(!self.buffers[w.vals.index()], Rule::Workspaces, at, || {
                    format!("`{}` has been gathered, and is read", w.name)
                })?;
                self.scattered.insert(*workspace, self.threads.as_ref().map(|s| s.number));
                element.iter().try_for_each(|e| self.expect(e, Ty::Index, at))?;
                self.expect(value, Ty::Scalar(w.init.dtype()), at)
            }
            Stmt::Gather(workspace) => {
                let w = self.workspace(*workspace, at)?;
                ensure(!self.buffers[w.vals.index()], Rule::Workspaces, at, || {
                    format!("`{}` has been gathered, and is read", w.name)
                })?;
                self.scattered.remove(workspace);
                self.gathered(*workspace).into_iter().for_each(|b| self.buffers[b.index()] = true);
                Ok(())
            }
            Stmt::Alloc { buffer, len, init } => {
                self.on_host(at)?;
                let b = known(p, *buffer, at)?;
                let fits = b.space == Space::Scratch && b.array == Array::Local;
                ensure(fits && !self.declared[buffer.index()], Rule::Registers, at, || {
                    format!("`{}` is no scratch array, or declared twice", b.name)
                })?;
                self.expect(len, Ty::Index, at)?;
                element_value(b, *init, at)?;
                self.declared[buffer.index()] = true;
                self.buffers[buffer.index()] = true;
                Ok(())
            }
            Stmt::Scan { buffer, len } => {
                self.on_host(at)?;
                self.expect(len, Ty::Index, at)?;
                self.scanned(*buffer, at)
            }
            Stmt::Threads { var, lo, hi, work, balance, private, appends, body } => {
                self.on_host(at)?;
                let (var, balance, private, appends) = (*var, *balance, *private, appends.as_ref());
                self.thread_loop(&ThreadLoop { var, lo, hi, work, balance, private, appends, body }, at)
            }
            Stmt::For { var, lo, hi, step, kind, body } => {
                self.expect(lo, Ty::Index, at)?;
                self.expect(hi, Ty::Index, at)?;
                ensure(*step >= 1, Rule::Loops, at, || "its step is zero".into())?;
                ensure(var_ty(p, *var, at)? == Ty::Index, Rule::Types, at, || {
                    "a loop variable is an index".into()
                })?;
                match *kind {
                    LoopKind::Serial => {}
                    LoopKind::Unroll(copies) => {
                        ensure(copies >= 1, Rule::Loops, at, || "it has no copy of its body".into())?
                    }
                    LoopKind::Lanes => ensure(constant_trips(lo, hi), Rule::Loops, at, || {
                        "its trip count is not constant".into()
                    })?,
                    LoopKind::Reduce { var, op } => {
                        monoid(op, self.mutable(var, at)?, at)?;
                        reduction_contract(var, op, body, at)?;
                    }
                    LoopKind::ReduceArray { buffer, op } => {
                        let b = self.usable(buffer, at)?;
                        let register = matches!(b.space, Space::Register { .. });
                        ensure(register, Rule::Loops, at, || {
                            format!("`{}` is not a register array", b.name)
                        })?;
                        monoid(op, b.elem.ty(), at)?;
                        array_contract(buffer, op, body, at)?;
                    }
                }
                let in_lanes = self.in_lanes;
                self.in_lanes |= !matches!(kind, LoopKind::Serial | LoopKind::Unroll(_));
                self.loop_body(*var, body, at)?;
                self.in_lanes = in_lanes;
                Ok(())
            }
            Stmt::While { cond, body } => {
                self.expect(cond, Ty::Cond, at)?;
                self.block(body)
            }
            Stmt::If { cond, then, otherwise } => {
                self.expect(cond, Ty::Cond, at)?;
                let outside = self.facts.assume(cond);
                self.block(then)?;
                self.facts.forget(outside);
                self.block(otherwise)
            }
            Stmt::LoadVector { to, buffer, index } => {
                self.usable(*buffer, at)?;
                self.vector(*to, *buffer, index, at)
            }
            Stmt::StoreVector { buffer, index, from } => {
                self.stored(*buffer, at)?;
                self.vector(*from, *buffer, index, at)
            }
            Stmt::Collective(c) => self.collective(c, at),
            Stmt::Barrier(scope) => self.barrier(*scope, at),
            Stmt::Exit => self.in_launch(at),
            Stmt::Comment(_) => Ok(()),
        }
    }

    /// A workspace that may be used here.
    fn workspace(&mut self, id: WorkspaceId, at: Place) -> Result<&'a Workspace, VerifyError> {
        let Some(w) = self.p.workspaces.get(id.index()) else {
            return broken(Rule::Ids, at(), format!("there is no workspace {}", id.0));
        };
        self.on_host(at)?;
        ensure(!self.in_lanes, Rule::Workspaces, at, || format!("lanes or a reduction use `{}`", w.name))?;
        let here = self.threads.as_ref().map(|s| s.number);
        let there = self.scattered.get(&id).copied().unwrap_or(here);
        ensure(there == here, Rule::Workspaces, at, || {
            format!("the elements of `{}` are those of another thread", w.name)
        })?;
        Ok(w)
    }

    /// What a block has gathered it reads until it scatters into the same workspace again.
    fn scatter_again(&mut self, before: &[Stmt], stmt: &Stmt) {
        for done in before {
            let Stmt::Gather(id) = done else { continue };
            let mut again = false;
            visit_stmts(std::slice::from_ref(stmt), &mut |s| {
                again |= matches!(s, Stmt::Scatter { workspace: w, .. } | Stmt::Gather(w) if w == id);
            });
            if again {
                self.gathered(*id).into_iter().for_each(|b| self.buffers[b.index()] = false);
            }
        }
    }

    /// The arrays that a workspace gathers into.
    fn gathered(&self, id: WorkspaceId) -> Vec<BufferId> {
        self.p.workspaces.get(id.index()).map_or(vec![], |w| w.crd.iter().copied().chain([w.vals]).collect())
    }

    /// A body in which the loop's variable is declared.
    pub(super) fn loop_body(&mut self, var: VarId, body: &Block, at: Place) -> Result<(), VerifyError> {
        let outer = self.live.len();
        self.declare(var, false, at)?;
        self.block(body)?;
        self.leave(outer);
        Ok(())
    }

    pub(super) fn declare(&mut self, id: VarId, mutable: bool, at: Place) -> Result<(), VerifyError> {
        let state = &mut self.vars[id.index()];
        ensure(*state == VarState::Undeclared, Rule::Scope, at, || {
            format!("`{}` is declared a second time", self.p.var(id).name)
        })?;
        *state = VarState::Live { mutable };
        let name = &self.p.var(id).name;
        let hides = self.live.iter().any(|v| self.p.var(*v).name == *name);
        self.live.push(id);
        ensure(!hides, Rule::Names, at, || format!("`{name}` hides a variable of the same name"))
    }

    pub(super) fn mutable(&self, id: VarId, at: Place) -> Result<Ty, VerifyError> {
        let ty = self.used(id, at)?;
        ensure(self.vars[id.index()] == VarState::Live { mutable: true }, Rule::Mutability, at, || {
            format!("`{}` is constant", self.p.var(id).name)
        })?;
        self.may_change(id, at)?;
        Ok(ty)
    }

    pub(super) fn used(&self, id: VarId, at: Place) -> Result<Ty, VerifyError> {
        let ty = var_ty(self.p, id, at)?;
        ensure(matches!(self.vars[id.index()], VarState::Live { .. }), Rule::Scope, at, || {
            format!("`{}` is not declared here", self.p.var(id).name)
        })?;
        Ok(ty)
    }

    pub(super) fn stored(&self, id: BufferId, at: Place) -> Result<Ty, VerifyError> {
        let b = self.usable(id, at)?;
        let writable = matches!(
            b.space,
            Space::InOut
                | Space::Output
                | Space::Growable
                | Space::Scratch
                | Space::Shared { .. }
                | Space::Register { .. }
        );
        ensure(writable, Rule::Space, at, || format!("`{}` cannot be stored to", b.name))?;
        Ok(b.elem.ty())
    }

    fn grown(&self, id: BufferId, at: Place) -> Result<Ty, VerifyError> {
        let b = self.usable(id, at)?;
        self.on_host(at)?;
        ensure(b.space == Space::Growable, Rule::Space, at, || format!("`{}` does not grow", b.name))?;
        self.may_grow(id, at)?;
        Ok(b.elem.ty())
    }

    pub(super) fn expect(&self, e: &Expr, ty: Ty, at: Place) -> Result<(), VerifyError> {
        let found = self.ty(e, at)?;
        ensure(found == ty, Rule::Types, at, || {
            format!("`{}` is {found:?}, not {ty:?}", crate::llir::print::print_expr(self.p, e))
        })
    }

    /// Checks an expression and gives its type.
    pub(super) fn ty(&self, e: &Expr, at: Place) -> Result<Ty, VerifyError> {
        match e {
            Expr::Index(_) => Ok(Ty::Index),
            Expr::Lit(v) => Ok(element(v.dtype())),
            Expr::Cond(_) => Ok(Ty::Cond),
            Expr::Var(v) => self.used(*v, at),
            Expr::Fits(_) => {
                let what = || "what fits in registers is asked in a launch, or on the host".to_owned();
                ensure(!self.launched && !self.host, Rule::Space, at, what)?;
                Ok(Ty::Cond)
            }
            Expr::Load { buffer, index } => {
                let b = self.usable(*buffer, at)?;
                self.host_reads(b, at)?;
                self.expect(index, Ty::Index, at)?;
                Ok(b.elem.ty())
            }
            Expr::Len(buffer) => {
                let b = self.usable(*buffer, at)?;
                self.host_reads(b, at)?;
                let grows = matches!(b.space, Space::Growable | Space::Gathered) && !self.launched;
                let has_length = grows || self.host && b.space == Space::Input;
                ensure(has_length, Rule::Space, at, || format!("`{}` has no length", b.name))?;
                Ok(Ty::Index)
            }
            Expr::IndexOp(_, a, b) => {
                self.expect(a, Ty::Index, at)?;
                self.expect(b, Ty::Index, at)?;
                Ok(Ty::Index)
            }
            Expr::Cmp(_, a, b) => {
                self.expect(a, Ty::Index, at)?;
                self.expect(b, Ty::Index, at)?;
                Ok(Ty::Cond)
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.expect(a, Ty::Cond, at)?;
                self.expect(b, Ty::Cond, at)?;
                Ok(Ty::Cond)
            }
            Expr::Not(a) => {
                self.expect(a, Ty::Cond, at)?;
                Ok(Ty::Cond)
            }
            Expr::Binary(op, a, b) => {
                let t = self.scalar(a, at)?;
                self.expect(b, element(t), at)?;
                ensure(op.accepts(t), Rule::Types, at, || {
                    format!("`{}` is not defined on {t}", op.symbol())
                })?;
                Ok(element(t))
            }
            Expr::Unary(op, a) => {
                let t = self.scalar(a, at)?;
                ensure(op.accepts(t), Rule::Types, at, || {
                    format!("`{}` is not defined on {t}", op.symbol())
                })?;
                Ok(element(t))
            }
            Expr::FromIndex(t, a) => {
                self.expect(a, Ty::Index, at)?;
                Ok(element(*t))
            }
            Expr::Select(c, a, b) => {
                self.expect(c, Ty::Cond, at)?;
                let ty = self.ty(a, at)?;
                ensure(ty != Ty::Cond, Rule::Types, at, || "a selection is an index or a scalar".into())?;
                self.expect(b, ty, at)?;
                Ok(ty)
            }
            Expr::Search { buffer, lo, hi, key, .. } => {
                let b = self.usable(*buffer, at)?;
                self.host_reads(b, at)?;
                ensure(b.elem == Elem::Index, Rule::Space, at, || {
                    format!("`{}` does not hold indices: it cannot be searched", b.name)
                })?;
                for e in [lo, hi, key] {
                    self.expect(e, Ty::Index, at)?;
                }
                Ok(Ty::Index)
            }
        }
    }

    fn host_reads(&self, b: &Buffer, at: Place) -> Result<(), VerifyError> {
        ensure(!self.host || b.space == Space::Input, Rule::Host, at, || {
            format!("a size depends on `{}`, which is no input", b.name)
        })
    }

    fn scalar(&self, e: &Expr, at: Place) -> Result<DType, VerifyError> {
        match self.ty(e, at)? {
            Ty::Scalar(t) => Ok(t),
            found => {
                let e = crate::llir::print::print_expr(self.p, e);
                broken(Rule::Types, at(), format!("`{e}` is {found:?}, not a scalar"))
            }
        }
    }
}

fn known<'a>(p: &'a Program, id: BufferId, at: Place) -> Result<&'a Buffer, VerifyError> {
    match p.buffers.get(id.index()) {
        Some(b) => Ok(b),
        None => broken(Rule::Ids, at(), format!("there is no buffer {}", id.0)),
    }
}

/// A constant that an element of the buffer may be set to.
fn element_value(b: &Buffer, v: Value, at: Place) -> Result<(), VerifyError> {
    let fits = match b.elem {
        Elem::Index => matches!(v, Value::I32(v) if v >= 0),
        Elem::Scalar(t) => v.dtype() == t,
    };
    ensure(fits, Rule::Types, at, || format!("{v} is no element of `{}`", b.name))
}

pub(super) fn monoid(op: Monoid, ty: Ty, at: Place) -> Result<(), VerifyError> {
    let accepted = match ty {
        Ty::Scalar(t) => op.accepts(t),
        Ty::Index | Ty::Cond | Ty::Segments => false,
    };
    ensure(accepted, Rule::Types, at, || format!("`{}=` is not defined on {ty:?}", op.symbol()))
}

/// Is `hi - lo` the same number whatever the variables are?
fn constant_trips(lo: &Expr, hi: &Expr) -> bool {
    base(lo) == base(hi)
}

/// What a constant is added to; `None` of a constant alone.
fn base(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Index(_) => None,
        Expr::IndexOp(IndexOp::Add, a, b) => match (&**a, &**b) {
            (e, Expr::Index(_)) | (Expr::Index(_), e) => base(e),
            _ => Some(e),
        },
        e => Some(e),
    }
}

fn reduction_contract(var: VarId, op: Monoid, body: &Block, at: Place) -> Result<(), VerifyError> {
    let updates = body
        .iter()
        .filter(|s| matches!(s, Stmt::Update { var: v, op: o, .. } if *v == var && *o == op))
        .count();
    let mut touched = 0;
    visit_stmts(body, &mut |s| {
        if let Stmt::Update { var: v, .. } | Stmt::Assign { var: v, .. } = s {
            touched += usize::from(*v == var);
        }
        if let Stmt::For { kind: LoopKind::Reduce { var: v, .. }, .. } = s {
            touched += usize::from(*v == var);
        }
        s.for_each_expr(&mut |e| touched += usize::from(e.mentions(var)));
    });
    ensure(updates == 1 && touched == 1, Rule::Loops, at, || {
        "its body does not update the reduced variable exactly once, or touches it otherwise".into()
    })
}

/// A reduction into a register array updates it in one loop over lanes, and does not touch it otherwise.
fn array_contract(buffer: BufferId, op: Monoid, body: &[Stmt], at: Place) -> Result<(), VerifyError> {
    let is_update = |s: &Stmt| matches!(s, Stmt::Reduce { buffer: b, op: o, .. } if *b == buffer && *o == op);
    let updates = body.iter().filter(|s| match s {
        Stmt::For { kind: LoopKind::Lanes, body, .. } => body.iter().any(is_update),
        _ => false,
    });
    ensure(updates.count() == 1, Rule::Loops, at, || {
        "it does not update its array in one loop over lanes".into()
    })?;
    let mut touched = 0;
    visit_stmts(body, &mut |s| {
        touched += match s {
            Stmt::Store { buffer: b, .. }
            | Stmt::Reduce { buffer: b, .. }
            | Stmt::Collective(Collective::Scatter { buffer: b, .. })
            | Stmt::Local { buffer: b, .. } => usize::from(*b == buffer),
            _ => 0,
        };
    });
    visit_exprs(body, &mut |e| {
        touched += usize::from(matches!(e, Expr::Load { buffer: b, .. } if *b == buffer))
    });
    ensure(touched == 1, Rule::Loops, at, || "it uses its array besides updating it".into())
}
