//! Rules of statements: types, scope, mutability, space, allocation, registers. Next door are those of the host's `steps`,
//! of expressions, of a loop's kind, of `threads`, launches, vectors and sparse workspaces.

use super::tables::var_ty;
use super::threads::{Shared, ThreadLoop};
use super::{Rule, VerifyError, broken, ensure, launch, place};
use crate::llir::align::Facts;
use crate::llir::{
    Array, Block, Buffer, BufferId, Elem, Init, LoopKind, Param, Program, Space, Step, Stmt, Ty, VarId,
    WorkspaceId,
};
use crate::scalar::{Monoid, Value};
use std::collections::BTreeMap;

/// Checks the steps in order.
pub(super) fn verify_code(p: &Program) -> Result<(), VerifyError> {
    let mut v = Verifier {
        p,
        vars: vec![VarState::Undeclared; p.vars.len()],
        buffers: p.buffers.iter().map(|b| b.space == Space::Input || b.space == Space::InOut).collect(),
        declared: vec![false; p.buffers.len()],
        live: vec![],
        of_host: p.steps.iter().filter_map(Step::declared).collect(),
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
    launch::follows(p)?;
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
    pub(super) declared: Vec<bool>,
    /// Variables that may be used here, innermost last.
    pub(super) live: Vec<VarId>,
    /// Variables that the host's steps declare.
    of_host: Vec<VarId>,
    /// In the sizes of a host step?
    pub(super) host: bool,
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

impl<'a> Verifier<'a> {
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
                Stmt::Local { buffer, .. }
                | Stmt::Alloc { buffer, .. }
                | Stmt::Place { block: buffer, .. } => self.buffers[buffer.index()] = false,
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
                    self.facts.define_index(*var, value);
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
                let stored = self.exchanged(*buffer, at)?;
                let held = self.mutable(*var, at)?;
                ensure(stored == Ty::Index && held == Ty::Index, Rule::Types, at, || {
                    "indices alone are claimed".into()
                })?;
                self.expect(index, Ty::Index, at)?;
                self.expect(value, Ty::Index, at)
            }
            Stmt::Fetch { op: _, var, buffer, index, value } => {
                let stored = self.exchanged(*buffer, at)?;
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
                match value {
                    Some(value) => self.expect(value, ty, at),
                    None => ensure(p.has_capacity(*buffer), Rule::Allocation, at, || {
                        format!(
                            "nobody knows how much room `{}` has for what is not written yet",
                            p.buffer(*buffer).name
                        )
                    }),
                }
            }
            Stmt::Local { buffer, init } => {
                let b = known(p, *buffer, at)?;
                let fits = matches!(b.space, Space::Register { .. }) && b.array == Array::Local;
                ensure(fits && !self.declared[buffer.index()], Rule::Registers, at, || {
                    format!("`{}` is no register array, or declared twice", b.name)
                })?;
                match init {
                    Some(init) => element_value(b, *init, at)?,
                    None => self.in_launch(at)?,
                }
                self.declared[buffer.index()] = true;
                self.buffers[buffer.index()] = true;
                Ok(())
            }
            Stmt::Mask { workspace, crd, lo, hi } => self.mask(*workspace, *crd, [lo, hi], at),
            Stmt::Scatter { workspace, at: element, value } => self.scatter(*workspace, element, value, at),
            Stmt::Place { workspace, at: element, block } => self.place(*workspace, element, *block, at),
            Stmt::Gather(workspace) => self.gather(*workspace, at),
            Stmt::Alloc { buffer, len, init } => {
                self.on_host(at)?;
                let b = known(p, *buffer, at)?;
                let fits = b.space == Space::Scratch && b.array == Array::Local;
                ensure(fits && !self.declared[buffer.index()], Rule::Registers, at, || {
                    format!("`{}` is no scratch array, or declared twice", b.name)
                })?;
                self.expect(len, Ty::Index, at)?;
                match init {
                    Init::Value(init) => element_value(b, *init, at)?,
                    Init::Unwritten => {}
                    Init::Kept => ensure(b.elem == Elem::Index, Rule::Types, at, || {
                        format!("`{}` keeps what is stored there, and has no indices", b.name)
                    })?,
                }
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
                let (var, balance, private, appends) = (*var, &balance[..], *private, appends.as_ref());
                self.thread_loop(&ThreadLoop { var, lo, hi, work, balance, private, appends, body }, at)
            }
            Stmt::For { var, lo, hi, step, kind, body } => {
                self.expect(lo, Ty::Index, at)?;
                self.expect(hi, Ty::Index, at)?;
                ensure(*step >= 1, Rule::Loops, at, || "its step is zero".into())?;
                ensure(var_ty(p, *var, at)? == Ty::Index, Rule::Types, at, || {
                    "a loop variable is an index".into()
                })?;
                self.kind(*kind, [lo, hi], body, at)?;
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
            Stmt::LoadVector { to, part, buffer, index } => {
                self.usable(*buffer, at)?;
                self.vector((*to, part.as_ref()), *buffer, index, at)
            }
            Stmt::StoreVector { buffer, index, from, update } => {
                let ty = self.stored(*buffer, at)?;
                if let Some(op) = update {
                    monoid(*op, ty, at)?;
                    let b = self.usable(*buffer, at)?;
                    let global = matches!(b.space, Space::Output | Space::InOut);
                    ensure(global, Rule::Vectors, at, || format!("`{}` is not updated by vectors", b.name))?;
                }
                self.vector((*from, None), *buffer, index, at)
            }
            Stmt::Collective(c) => self.collective(c, at),
            Stmt::Barrier(scope) => self.barrier(*scope, at),
            Stmt::Exit => self.in_launch(at),
            Stmt::Comment(_) => Ok(()),
        }
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
        ensure(!self.launched || !self.of_host.contains(&id), Rule::Host, at, || {
            format!("`{}` is the host's, which passes it to no launch", self.p.var(id).name)
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

    /// An array through which threads of a launch tell each other something.
    fn exchanged(&self, id: BufferId, at: Place) -> Result<Ty, VerifyError> {
        self.in_launch(at)?;
        let b = self.usable(id, at)?;
        let reached = matches!(b.space, Space::Output | Space::InOut | Space::Shared { .. });
        ensure(reached, Rule::Space, at, || format!("others do not see what is in `{}`", b.name))?;
        self.stored(id, at)
    }

    fn grown(&self, id: BufferId, at: Place) -> Result<Ty, VerifyError> {
        let b = self.usable(id, at)?;
        self.on_host(at)?;
        ensure(b.space == Space::Growable, Rule::Space, at, || format!("`{}` does not grow", b.name))?;
        self.may_grow(id, at)?;
        Ok(b.elem.ty())
    }
}

pub(super) fn known<'a>(p: &'a Program, id: BufferId, at: Place) -> Result<&'a Buffer, VerifyError> {
    match p.buffers.get(id.index()) {
        Some(b) => Ok(b),
        None => broken(Rule::Ids, at(), format!("there is no buffer {}", id.0)),
    }
}

/// A constant that an element of the buffer may be set to.
pub(super) fn element_value(b: &Buffer, v: Value, at: Place) -> Result<(), VerifyError> {
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
