//! The rule of launches: their shape, and what lanes do together.

use super::code::{Place, Verifier, monoid};
use super::tables::{is_identifier, var_ty};
use super::{Rule, VerifyError, ensure, place};
use crate::llir::kernel::{
    Carry, Collective, Launch, MAX_RESIDENT, MAX_THREADS, Over, SHARED_BYTES, Scanned, Scope, WARP, Write,
};
use crate::llir::uniform::{BLOCK, Spans};
use crate::llir::walk::visit_stmts;
use crate::llir::{Elem, Expr, Program, Space, Step, Stmt, Ty};
use std::collections::BTreeSet;

impl Verifier<'_> {
    pub(super) fn launch(&mut self, l: &Launch, at: Place) -> Result<(), VerifyError> {
        let same = self.p.launches().filter(|other| other.name == l.name).count();
        ensure(is_identifier(&l.name) && same == 1, Rule::Launch, at, || {
            format!("`{}` is no name of its own", l.name)
        })?;
        ensure((1..=3).contains(&l.grid.len()), Rule::Launch, at, || {
            format!("its grid has {} dimensions", l.grid.len())
        })?;
        let whole = l.threads > 0 && l.threads <= MAX_THREADS && l.threads.is_multiple_of(WARP);
        ensure(whole, Rule::Launch, at, || format!("a block of {} threads is not whole warps", l.threads))?;
        ensure(u64::from(l.threads) * u64::from(l.resident) <= MAX_RESIDENT, Rule::Launch, at, || {
            format!("no multiprocessor has room for {} blocks of {} threads", l.resident, l.threads)
        })?;
        for axis in &l.grid {
            self.host_index(&axis.blocks, at)?;
        }
        let outer = self.live.len();
        for var in l.grid.iter().map(|axis| axis.var).chain([l.thread]) {
            ensure(var_ty(self.p, var, at)? == Ty::Index, Rule::Types, at, || {
                "blocks and threads are numbered by indices".into()
            })?;
            self.declare(var, false, at)?;
        }
        for id in &l.shared {
            let shared = self.p.buffers.get(id.index()).map(|b| b.space);
            ensure(matches!(shared, Some(Space::Shared { .. })), Rule::Launch, at, || {
                "it shares a buffer that is not shared".into()
            })?;
            self.buffers[id.index()] = true;
        }
        let bytes: u64 = l.shared.iter().map(|id| self.p.buffer(*id).shared_bytes()).sum();
        ensure(bytes <= SHARED_BYTES, Rule::Launch, at, || format!("its threads share {bytes} bytes"))?;
        let (mut together, mut leaves) = (false, false);
        let (mut waiting, mut partial) = (BTreeSet::new(), BTreeSet::new());
        visit_stmts(&l.body, &mut |s| {
            if let Stmt::Collective(Collective::Scan { over: Over::Block { partial: buffer }, .. }) = s {
                partial.insert(*buffer);
            }
            together |= matches!(s, Stmt::Collective(_) | Stmt::Barrier(_));
            leaves |= matches!(s, Stmt::Exit);
            if let Stmt::Barrier(Scope::Group(size)) = s {
                waiting.insert(*size);
            }
        });
        ensure(waiting.len() <= 1, Rule::Launch, at, || {
            format!("lanes wait for each other in groups of {waiting:?}")
        })?;
        for buffer in partial.iter().filter_map(|id| self.p.buffers.get(id.index())) {
            let fits = matches!(buffer.space, Space::Shared { len } if len == l.threads / WARP);
            ensure(fits, Rule::Launch, at, || format!("`{}` has not one element a warp", buffer.name))?;
        }
        ensure(!(together && leaves), Rule::Launch, at, || {
            "a thread leaves, but others may wait for it".into()
        })?;
        self.launched = true;
        self.block(&l.body)?;
        self.launched = false;
        converges(self.p, l)?;
        for id in &l.shared {
            self.buffers[id.index()] = false;
        }
        self.leave(outer);
        Ok(())
    }

    pub(super) fn in_launch(&self, at: Place) -> Result<(), VerifyError> {
        ensure(self.launched, Rule::Launch, at, || "it stands outside of a launch".into())
    }

    pub(super) fn on_host(&self, at: Place) -> Result<(), VerifyError> {
        ensure(!self.launched, Rule::Launch, at, || "a launch cannot do it".into())
    }

    pub(super) fn barrier(&self, scope: Scope, at: Place) -> Result<(), VerifyError> {
        self.in_launch(at)?;
        match scope {
            Scope::Block => Ok(()),
            Scope::Group(size) => is_group(size, at),
        }
    }

    pub(super) fn collective(&mut self, c: &Collective, at: Place) -> Result<(), VerifyError> {
        self.in_launch(at)?;
        is_group(c.group().size, at)?;
        match c {
            Collective::Total { var, op, .. } => monoid(*op, self.mutable(*var, at)?, at),
            Collective::Scatter { buffer, op, .. } => {
                let b = self.usable(*buffer, at)?;
                let halves = matches!(b.space, Space::Register { len } if len > 1 && len.is_power_of_two());
                ensure(halves, Rule::Launch, at, || format!("`{}` is not exchanged by halves", b.name))?;
                monoid(*op, b.elem.ty(), at)
            }
            Collective::Shuffle { var, value, .. } => {
                let ty = var_ty(self.p, *var, at)?;
                ensure(matches!(ty, Ty::Index | Ty::Scalar(_)), Rule::Types, at, || {
                    "lanes exchange indices and scalars".into()
                })?;
                self.expect(value, ty, at)?;
                self.declare(*var, false, at)
            }
            Collective::Scan { of, over, .. } => {
                if let Over::Block { partial } = over {
                    let b = self.usable(*partial, at)?;
                    let shared = matches!(b.space, Space::Shared { .. }) && b.elem == Elem::Index;
                    ensure(shared, Rule::Space, at, || {
                        format!("a block does not share indices in `{}`", b.name)
                    })?;
                }
                let ty = if matches!(of, Scanned::Lanes(_)) { Ty::Cond } else { Ty::Index };
                self.expect(of.value(), ty, at)?;
                for var in c.declared() {
                    ensure(var_ty(self.p, var, at)? == Ty::Index, Rule::Types, at, || {
                        "lanes are counted by indices".into()
                    })?;
                    self.declare(var, false, at)?;
                }
                Ok(())
            }
            Collective::Segments { var, key, .. } => {
                ensure(var_ty(self.p, *var, at)? == Ty::Segments, Rule::Types, at, || {
                    "it declares segments".into()
                })?;
                self.expect(key, Ty::Index, at)?;
                self.declare(*var, false, at)
            }
            Collective::Reduce { segments, op, value, buffer, index, when, write, .. } => {
                let b = self.usable(*buffer, at)?;
                let global = matches!(b.space, Space::Output | Space::InOut | Space::Shared { .. });
                ensure(global, Rule::Space, at, || format!("a group cannot write `{}`", b.name))?;
                let ty = b.elem.ty();
                monoid(*op, ty, at)?;
                self.expect(value, ty, at)?;
                self.expect(index, Ty::Index, at)?;
                self.expect(when, Ty::Cond, at)?;
                let mut loads = false;
                index.visit(&mut |e| loads |= matches!(e, Expr::Load { .. } | Expr::Search { .. }));
                ensure(!loads, Rule::Launch, at, || "the index that it writes is loaded".into())?;
                match segments {
                    Some(var) => ensure(self.used(*var, at)? == Ty::Segments, Rule::Types, at, || {
                        "it reduces by what are no segments".into()
                    }),
                    None => ensure(!matches!(write, Write::Complete(_)), Rule::Launch, at, || {
                        "only segments are complete or not".into()
                    }),
                }
            }
            Collective::Carry(c) => self.carry(c, at),
        }
    }

    fn carry(&mut self, c: &Carry, at: Place) -> Result<(), VerifyError> {
        let ty = self.usable(c.buffer, at)?.elem.ty();
        for (id, ty) in [(c.buffer, ty), (c.sums, ty), (c.elements, Ty::Index)] {
            let b = self.usable(id, at)?;
            ensure(matches!(b.space, Space::Output | Space::InOut), Rule::Space, at, || {
                format!("a group cannot write `{}`", b.name)
            })?;
            ensure(b.elem.ty() == ty, Rule::Types, at, || format!("`{}` holds something else", b.name))?;
        }
        let apart = c.buffer != c.sums && c.buffer != c.elements && c.sums != c.elements;
        ensure(apart, Rule::Launch, at, || "it carries out to where it writes".into())?;
        monoid(c.op, ty, at)?;
        self.expect(&c.value, ty, at)?;
        self.expect(&c.index, Ty::Index, at)?;
        self.expect(&c.slot, Ty::Index, at)?;
        self.expect(&c.when, Ty::Cond, at)?;
        self.expect(&c.began, Ty::Cond, at)?;
        let mut loads = false;
        for e in [&c.index, &c.slot] {
            e.visit(&mut |e| loads |= matches!(e, Expr::Load { .. } | Expr::Search { .. }));
        }
        ensure(!loads, Rule::Launch, at, || "the index that it writes is loaded".into())?;
        ensure(self.used(c.segments, at)? == Ty::Segments, Rule::Types, at, || {
            "it reduces by what are no segments".into()
        })
    }
}

/// A launch that is said to follow another one does.
pub(super) fn follows(p: &Program) -> Result<(), VerifyError> {
    let mut after_launch = false;
    for step in &p.steps {
        match step {
            Step::Launch(l) => {
                ensure(
                    after_launch || !l.follows,
                    Rule::Launch,
                    || format!("`{}`", l.name),
                    || "it follows no other launch directly".into(),
                )?;
                after_launch = true;
            }
            other => after_launch &= other.between(),
        }
    }
    Ok(())
}

/// Are there groups of so many lanes?
fn is_group(size: u32, at: Place) -> Result<(), VerifyError> {
    let fits = (2..=WARP).contains(&size) && size.is_power_of_two();
    ensure(fits, Rule::Launch, at, || format!("there is no group of {size} lanes"))
}

/// Every lane that a collective or barrier names provably arrives at it.
pub(super) fn converges(p: &Program, l: &Launch) -> Result<(), VerifyError> {
    let spans = Spans::of(l, p.vars.len(), &p.buffers);
    arrives(p, &spans, &l.body, BLOCK)
}

fn arrives(p: &Program, spans: &Spans, block: &[Stmt], control: u32) -> Result<(), VerifyError> {
    for stmt in block {
        let needed = match stmt {
            Stmt::Collective(c) => c.threads(),
            Stmt::Barrier(scope) => scope.threads(),
            _ => 1,
        };
        ensure(
            control >= needed,
            Rule::Convergence,
            || place(p, stmt),
            || format!("runs of {control} threads decide alike whether they come here, not of {needed}"),
        )?;
        let inner = control.min(spans.control(stmt));
        for nested in stmt.blocks() {
            arrives(p, spans, nested, inner)?;
        }
    }
    Ok(())
}
