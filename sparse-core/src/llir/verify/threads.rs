//! The rule of threads: what the body of a loop on threads may touch, and how.

use super::code::{Place, Verifier, monoid};
use super::tables::var_ty;
use super::{Rule, VerifyError, ensure};
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Appends, Array, Block, BufferId, Elem, Expr, Space, Stmt, Ty, VarId};
use crate::scalar::Monoid;

/// A [`Stmt::Threads`].
pub(super) struct ThreadLoop<'a> {
    pub(super) var: VarId,
    pub(super) lo: &'a Expr,
    pub(super) hi: &'a Expr,
    pub(super) work: &'a Expr,
    pub(super) balance: &'a [BufferId],
    pub(super) private: Option<(BufferId, Monoid)>,
    pub(super) appends: Option<&'a Appends>,
    pub(super) body: &'a Block,
}

/// What the iterations of a loop on threads share.
pub(super) struct Shared {
    /// So many of the live variables were declared outside.
    vars: usize,
    /// By buffer: was it declared outside?
    buffers: Vec<bool>,
    /// Of this one each thread has its own copy.
    private: Option<BufferId>,
    /// Tells the loop from others.
    pub(super) number: usize,
    /// To these each task appends.
    appends: Vec<BufferId>,
}

impl Verifier<'_> {
    pub(super) fn thread_loop(&mut self, l: &ThreadLoop<'_>, at: Place) -> Result<(), VerifyError> {
        ensure(self.threads.is_none(), Rule::Threads, at, || "it is inside another loop on threads".into())?;
        ensure(!self.in_lanes, Rule::Threads, at, || "it is inside a loop over lanes or a reduction".into())?;
        for e in [l.lo, l.hi, l.work] {
            self.expect(e, Ty::Index, at)?;
        }
        ensure(var_ty(self.p, l.var, at)? == Ty::Index, Rule::Types, at, || {
            "a loop variable is an index".into()
        })?;
        for balance in l.balance {
            let b = self.usable(*balance, at)?;
            ensure(matches!(b.array, Array::Pos(..)), Rule::Threads, at, || {
                format!("`{}` does not hold positions: it cannot balance a loop", b.name)
            })?;
        }
        if let Some((buffer, op)) = l.private {
            self.private_contract(buffer, op, l.body, at)?;
        }
        if let Some(appends) = l.appends {
            self.appends_contract(appends, at)?;
        }
        let private = l.private.map(|p| p.0);
        self.thread_loops += 1;
        let number = self.thread_loops;
        let appends = l.appends.map_or(vec![], |a| a.buffers.clone());
        let (vars, buffers) = (self.live.len(), self.buffers.clone());
        self.threads = Some(Shared { vars, buffers, private, appends, number });
        let outer = self.live.len();
        self.declare(l.var, false, at)?;
        if let Some(before) = l.appends.and_then(|a| a.before.as_ref()) {
            self.host_index(before, at)?;
        }
        self.block(l.body)?;
        self.leave(outer);
        self.threads = None;
        let left = self.scattered.iter().find(|(_, home)| **home == Some(number));
        ensure(left.is_none(), Rule::Workspaces, at, || {
            let name = left.map_or("", |(id, _)| &self.p.workspace(*id).name);
            format!("a thread leaves elements in `{name}`")
        })
    }

    /// Buffers that threads append to are different growable ones: of indices, and one of values, the last.
    fn appends_contract(&self, appends: &Appends, at: Place) -> Result<(), VerifyError> {
        for (n, id) in appends.buffers.iter().enumerate() {
            let b = self.usable(*id, at)?;
            ensure(b.space == Space::Growable, Rule::Space, at, || format!("`{}` does not grow", b.name))?;
            let bounded = self.p.has_capacity(*id);
            ensure(bounded == appends.before.is_some(), Rule::Threads, at, || {
                format!("`{}` has a bound for all tasks, or for each, but not for both", b.name)
            })?;
            let last = n + 1 == appends.buffers.len();
            let fits = (b.elem != Elem::Index) == last && !appends.buffers[..n].contains(id);
            ensure(fits, Rule::Threads, at, || {
                format!("`{}` is out of place among what threads append to", b.name)
            })?;
        }
        ensure(!appends.buffers.is_empty(), Rule::Threads, at, || "it appends to nothing".into())
    }

    /// Counts that become positions are indices outside of loops on threads.
    pub(super) fn scanned(&self, id: BufferId, at: Place) -> Result<(), VerifyError> {
        let b = self.usable(id, at)?;
        let fits = matches!(b.space, Space::Output | Space::Growable) && b.elem == Elem::Index;
        ensure(fits, Rule::Space, at, || format!("`{}` can't be scanned", b.name))?;
        ensure(self.threads.is_none(), Rule::Threads, at, || {
            format!("`{}` is scanned inside a loop on threads", b.name)
        })
    }

    /// A buffer of which threads have copies: reduced into with one operator, and not touched otherwise.
    fn private_contract(
        &self,
        buffer: BufferId,
        op: Monoid,
        body: &[Stmt],
        at: Place,
    ) -> Result<(), VerifyError> {
        let b = self.usable(buffer, at)?;
        let fits = matches!(b.space, Space::InOut | Space::Output | Space::Scratch);
        ensure(fits, Rule::Threads, at, || format!("threads can have no copies of `{}`", b.name))?;
        monoid(op, b.elem.ty(), at)?;
        let mut otherwise = false;
        visit_stmts(body, &mut |s| {
            otherwise |= match s {
                Stmt::Reduce { buffer: b, op: o, .. } => *b == buffer && *o != op,
                Stmt::Store { buffer: b, .. } | Stmt::Atomic { buffer: b, .. } => *b == buffer,
                _ => false,
            };
        });
        visit_exprs(body, &mut |e| {
            otherwise |= match e {
                Expr::Load { buffer: b, .. } | Expr::Search { buffer: b, .. } => *b == buffer,
                _ => false,
            };
        });
        ensure(!otherwise, Rule::Threads, at, || {
            format!("it touches its copies of `{}` otherwise than by `{}=`", b.name, op.symbol())
        })
    }

    /// A variable that all iterations see stays as it is.
    pub(super) fn may_change(&self, id: VarId, at: Place) -> Result<(), VerifyError> {
        let outside = |s: &Shared| self.live[..s.vars].contains(&id);
        ensure(!self.threads.as_ref().is_some_and(outside), Rule::Threads, at, || {
            format!("`{}` is declared outside of the loop on threads", self.p.var(id).name)
        })
    }

    /// What grows does so in order, of each task apart.
    pub(super) fn may_grow(&self, id: BufferId, at: Place) -> Result<(), VerifyError> {
        let apart = |s: &Shared| s.appends.contains(&id);
        ensure(self.threads.as_ref().is_none_or(apart), Rule::Threads, at, || {
            format!("`{}` grows inside a loop on threads that does not append to it", self.p.buffer(id).name)
        })
    }

    /// Registers are one thread's.
    pub(super) fn may_use(&self, id: BufferId, at: Place) -> Result<(), VerifyError> {
        let b = self.p.buffer(id);
        let outside = |s: &Shared| matches!(b.space, Space::Register { .. }) && s.buffers[id.index()];
        ensure(!self.threads.as_ref().is_some_and(outside), Rule::Threads, at, || {
            format!("`{}` is in the registers of the thread outside of the loop", b.name)
        })
    }

    /// An atomic update is of what several iterations write.
    pub(super) fn is_shared(&self, id: BufferId, at: Place) -> Result<(), VerifyError> {
        let shared = |s: &Shared| s.buffers[id.index()] && s.private != Some(id);
        ensure(self.threads.as_ref().is_some_and(shared), Rule::Threads, at, || {
            format!("no other thread writes this `{}`", self.p.buffer(id).name)
        })
    }
}
