//! Zero extension: lanes past the end stay, and contribute the identity (Sgap, section 5.2).
//!
//! What lanes do together needs all lanes of the warp to come by. A condition around it that lanes of a warp may decide
//! differently becomes a predicate: what stands before and after runs behind it, and the lanes for which it is false go
//! along with the identity, and write nothing.
//!
//! ```text
//! if i < n { t = …; atomicAddGroup(y, i, t) }   →   let live = i < n; if live { t = … }; atomicAddGroup(y, i, t, live)
//! ```
//!
//! A loop around it that lanes of a warp may leave at different times keeps the groups together at least: the group's own
//! lanes are named then. Where not even these agree there is no way, and the schedule is refused.

use super::super::Lowerer;
use super::super::region::guard;
use crate::diag::Diagnostic;
use crate::llir::kernel::WARP;
use crate::llir::uniform::{BLOCK, Spans, is_joint};
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{
    Arrive, Block, Collective, Expr, IndexOp, Launch, Over, Scanned, Stmt, Ty, VarId, Write, build,
};
use crate::scalar::Monoid;

type Converged = Result<Block, Box<Diagnostic>>;

/// Who comes by.
#[derive(Clone, Copy)]
struct Lanes {
    /// The lanes for which this is true have work.
    live: Option<VarId>,
    /// Runs of so many threads come by together.
    together: u32,
}

impl Lowerer<'_> {
    pub(super) fn converge(&mut self, launch: &mut Launch) -> Result<(), Box<Diagnostic>> {
        if !launch.body.iter().any(is_joint) {
            return Ok(());
        }
        let mut spans = Spans::of(launch, self.vars.len(), &self.buffers);
        let body = std::mem::take(&mut launch.body);
        launch.body = self.converged(body, Lanes { live: None, together: BLOCK }, &mut spans)?;
        Ok(())
    }

    fn converged(&mut self, block: Block, lanes: Lanes, spans: &mut Spans) -> Converged {
        let mut out = Block::new();
        let mut alone = Block::new();
        let shared = if lanes.live.is_some() { declared_for_all(&block) } else { vec![false; block.len()] };
        let mut rest = std::iter::zip(block, shared).peekable();
        while let Some((stmt, shared)) = rest.next() {
            let heads_joint =
                matches!(stmt, Stmt::Comment(_)) && rest.peek().is_some_and(|(next, _)| is_joint(next));
            if heads_joint {
                self.behind(lanes.live, &mut alone, &mut out);
                out.push(stmt);
            } else if is_joint(&stmt) {
                self.behind(lanes.live, &mut alone, &mut out);
                let joint = self.joint(stmt, lanes, spans)?;
                out.extend(joint);
            } else if lanes.live.is_none() {
                out.push(stmt);
            } else if shared {
                self.behind(lanes.live, &mut alone, &mut out);
                out.push(self.everywhere(stmt, lanes.live, spans));
            } else {
                alone.push(stmt);
            }
        }
        self.behind(lanes.live, &mut alone, &mut out);
        Ok(out)
    }

    /// What lanes do by themselves, those that have work.
    fn behind(&self, live: Option<VarId>, alone: &mut Block, out: &mut Block) {
        let block = std::mem::take(alone);
        match live {
            Some(live) => out.extend(guard(Expr::Var(live), block)),
            None => out.extend(block),
        }
    }

    /// A declaration that lanes without work have too.
    fn everywhere(&self, stmt: Stmt, live: Option<VarId>, spans: &mut Spans) -> Stmt {
        let ty = |v: VarId| self.vars[v.index()].ty;
        let stmt = match stmt {
            Stmt::Let { var, value } => Stmt::Let { var, value: self.guarded(value, ty(var), live) },
            Stmt::Mut { var, value } => Stmt::Mut { var, value: self.guarded(value, ty(var), live) },
            other => other,
        };
        if let Stmt::Let { var, value } = &stmt {
            spans.set(*var, spans.expr(value));
        }
        stmt
    }

    /// The value where there is work, something harmless elsewhere.
    fn guarded(&self, value: Expr, ty: Ty, live: Option<VarId>) -> Expr {
        let Some(live) = live.filter(|_| !is_total(&value)) else { return value };
        let live = Expr::Var(live);
        let select = |other| build::select(live.clone(), value.clone(), other);
        match ty {
            Ty::Index => select(Expr::Index(0)),
            Ty::Scalar(t) => select(Expr::Lit(t.zero())),
            Ty::Cond | Ty::Segments => build::and(live, value),
        }
    }

    /// A statement in which lanes do something together.
    fn joint(&mut self, stmt: Stmt, lanes: Lanes, spans: &mut Spans) -> Converged {
        match stmt {
            Stmt::Collective(c) => Ok(vec![Stmt::Collective(self.collective(c, lanes, spans)?)]),
            Stmt::Barrier(scope) => match lanes.together >= scope.threads() {
                true => Ok(vec![Stmt::Barrier(scope)]),
                false => Err(self.divergent_barrier()),
            },
            Stmt::If { cond, then, otherwise } => self.branch(cond, then, otherwise, lanes, spans),
            Stmt::For { var, lo, hi, step, kind, body } => {
                let agree = spans.span(&lo).min(spans.span(&hi)).min(lanes.together);
                if agree >= WARP {
                    let body = self.converged(body, Lanes { together: agree, ..lanes }, spans)?;
                    return Ok(vec![Stmt::For { var, lo, hi, step, kind, body }]);
                }
                let inside = self.groups_agree(&body, agree, lanes, spans)?;
                let hi = self.guarded_bound(hi, lanes.live);
                let lo = self.guarded_bound(lo, lanes.live);
                let body = self.converged(body, inside, spans)?;
                Ok(vec![Stmt::For { var, lo, hi, step, kind, body }])
            }
            Stmt::While { cond, body } => {
                let agree = spans.span(&cond).min(lanes.together);
                if agree >= WARP {
                    let body = self.converged(body, Lanes { together: agree, ..lanes }, spans)?;
                    return Ok(vec![Stmt::While { cond, body }]);
                }
                let inside = self.groups_agree(&body, agree, lanes, spans)?;
                let cond = match lanes.live {
                    Some(live) => build::and(live, cond),
                    None => cond,
                };
                let body = self.converged(body, inside, spans)?;
                Ok(vec![Stmt::While { cond, body }])
            }
            other => Ok(vec![other]),
        }
    }

    /// A bound of a loop that lanes without work do not enter.
    fn guarded_bound(&self, bound: Expr, live: Option<VarId>) -> Expr {
        match (bound, live) {
            (Expr::Index(0), _) => Expr::Index(0),
            (bound, Some(live)) => build::select(Expr::Var(live), bound, Expr::Index(0)),
            (bound, None) => bound,
        }
    }

    /// Inside a loop that lanes of a warp leave at different times: only groups stay together.
    fn groups_agree(
        &self,
        body: &Block,
        agree: u32,
        lanes: Lanes,
        spans: &Spans,
    ) -> Result<Lanes, Box<Diagnostic>> {
        let agree = lanes.live.map_or(agree, |live| agree.min(spans.span(&Expr::Var(live))));
        let mut largest = 1;
        visit_stmts(body, &mut |s| {
            largest = largest.max(match s {
                Stmt::Collective(c) if c.is_barrier() => c.threads(),
                Stmt::Collective(c) => c.group().size,
                Stmt::Barrier(scope) => scope.threads(),
                _ => 1,
            });
        });
        match agree >= largest {
            true => Ok(Lanes { live: None, together: agree }),
            false => Err(self.divergent()),
        }
    }

    fn branch(
        &mut self,
        cond: Expr,
        then: Block,
        otherwise: Block,
        lanes: Lanes,
        spans: &mut Spans,
    ) -> Converged {
        let agree = spans.span(&cond).min(lanes.together);
        // Groups that reduce take all of the warp along; those that wait or count need not.
        let mut needed = 1;
        let mut note = |s: &Stmt| {
            needed = needed.max(match s {
                Stmt::Collective(Collective::Scan { over: Over::Group(group), .. }) => group.size,
                Stmt::Collective(c) if c.is_barrier() => c.threads(),
                Stmt::Collective(_) => WARP,
                Stmt::Barrier(scope) => scope.threads(),
                _ => 1,
            });
        };
        visit_stmts(&then, &mut note);
        visit_stmts(&otherwise, &mut note);
        if agree >= needed && lanes.live.is_none() {
            let inside = Lanes { together: agree, ..lanes };
            let then = self.converged(then, inside, spans)?;
            let otherwise = self.converged(otherwise, inside, spans)?;
            return Ok(vec![Stmt::If { cond, then, otherwise }]);
        }
        let largest =
            |of: fn(&Collective) -> bool| largest_group(&then, of).max(largest_group(&otherwise, of));
        // Any lane may have what is left after a scatter: it has to have work if any of them has.
        if spans.span(&cond) < largest(|c| matches!(c, Collective::Scatter { .. })) {
            return Err(self.divergent());
        }
        let groups = largest(|c| matches!(c, Collective::Reduce { .. } | Collective::Carry(_)));
        // The first lane of a group writes: it has to have work if any of them has.
        let prefix = spans.is_prefix(&cond, groups) && (otherwise.is_empty() || spans.span(&cond) >= groups);
        if groups > 1 && !prefix {
            return Err(self.divergent());
        }
        let mut out = Block::new();
        for (cond, block) in [(cond.clone(), then), (Expr::Not(Box::new(cond)), otherwise)] {
            if block.is_empty() {
                continue;
            }
            let live = self.fresh("live", Ty::Cond);
            let value = lanes.live.map_or(cond.clone(), |outer| build::and(outer, cond.clone()));
            spans.set(live, spans.expr(&value));
            out.push(Stmt::Let { var: live, value });
            out.extend(self.converged(block, Lanes { live: Some(live), ..lanes }, spans)?);
        }
        Ok(out)
    }

    /// The group takes all lanes along where they come by, and hears nothing of those without work.
    fn collective(
        &self,
        mut c: Collective,
        lanes: Lanes,
        spans: &Spans,
    ) -> Result<Collective, Box<Diagnostic>> {
        let size = c.group().size;
        if c.is_barrier() && lanes.together < c.threads() {
            return Err(self.divergent_barrier());
        }
        c.set_arrive(match lanes.together {
            n if n >= WARP => Arrive::Warp,
            n if n >= size => Arrive::Group,
            _ => return Err(self.divergent()),
        });
        let Some(live) = lanes.live else { return Ok(c) };
        match &mut c {
            // Its variable or array is the identity in a lane that has not added to it.
            Collective::Total { .. } | Collective::Scatter { .. } => {}
            Collective::Shuffle { var, value, .. } => {
                *value = self.guarded(value.clone(), self.vars[var.index()].ty, Some(live));
            }
            Collective::Scan { of, .. } => {
                let ty = if matches!(of, Scanned::Lanes(_)) { Ty::Cond } else { Ty::Index };
                // Whose variables are declared has a value of them, and gives none.
                let value = of.value_mut();
                *value = match ty {
                    Ty::Cond => build::and(live, value.clone()),
                    _ => build::select(live.into(), value.clone(), Expr::Index(0)),
                };
            }
            Collective::Segments { key, .. } => *key = self.guarded(key.clone(), Ty::Index, Some(live)),
            Collective::Reduce { op, value, index, when, write, .. } => {
                // Where some of the group have no work, the last of the others ends no segment.
                if matches!(write, Write::Complete(_)) && spans.span(&Expr::Var(live)) < size {
                    *write = Write::Atomic;
                }
                *index = self.guarded(index.clone(), Ty::Index, Some(live));
                *value = self.or_identity(value.clone(), *op, Expr::Var(live));
                *when = build::and(live, when.clone());
            }
            Collective::Carry(c) => {
                // The last lane that has work would end no segment.
                if spans.span(&Expr::Var(live)) < size {
                    return Err(self.divergent());
                }
                for index in [&mut c.index, &mut c.slot] {
                    *index = self.guarded(index.clone(), Ty::Index, Some(live));
                }
                c.began = self.guarded(c.began.clone(), Ty::Cond, Some(live));
                c.value = self.or_identity(c.value.clone(), c.op, Expr::Var(live));
                c.when = build::and(live, c.when.clone());
            }
        }
        Ok(c)
    }

    /// The value in lanes where the condition holds.
    pub(super) fn or_identity(&self, value: Expr, op: Monoid, cond: Expr) -> Expr {
        match value {
            // It is the identity until a lane with work adds to it.
            Expr::Var(v) if self.accumulators.contains(&v) => value,
            value => self.select_identity(value, op, cond),
        }
    }

    pub(super) fn select_identity(&self, value: Expr, op: Monoid, cond: Expr) -> Expr {
        match (cond, op.identity(self.dtype)) {
            (Expr::Cond(true), _) | (_, None) => value,
            (cond, Some(identity)) => build::select(cond, value, Expr::Lit(identity)),
        }
    }

    fn divergent(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "divergent",
                self.kernel.assignment.lhs.span,
                "a group of threads reduces together inside a loop or condition that its threads leave at different times",
            )
            .help("move the loop over the group's threads inside of it with `reorder`, or split with constants so that all threads have the same number of iterations"),
        )
    }

    fn divergent_barrier(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "divergent-barrier",
                self.kernel.assignment.lhs.span,
                "a block's threads share this workspace, and would wait for each other inside a loop or condition that they leave at different times",
            )
            .help("run the loops around it on `GPUBlock`, with the same number of iterations for all threads; or keep the workspace to each thread: no loop over its elements on threads"),
        )
    }
}

/// The largest group that does something of a kind together.
fn largest_group(block: &[Stmt], of: fn(&Collective) -> bool) -> u32 {
    let mut largest = 1;
    visit_stmts(block, &mut |s| {
        if let Stmt::Collective(c) = s
            && of(c)
        {
            largest = largest.max(c.group().size);
        }
    });
    largest
}

/// By statement: is it a declaration that is used beyond the statements that run behind one condition with it? Lanes
/// do something together in between, or another such declaration stands there.
fn declared_for_all(block: &[Stmt]) -> Vec<bool> {
    let mut boundary: Vec<bool> = block.iter().map(is_joint).collect();
    let mut shared = vec![false; block.len()];
    loop {
        let before = shared.clone();
        for at in 0..block.len() {
            let declares = matches!(block[at], Stmt::Let { .. } | Stmt::Mut { .. } | Stmt::Local { .. });
            if shared[at] || !declares {
                continue;
            }
            let next = (at + 1..block.len()).find(|&n| boundary[n]);
            shared[at] = next.is_some_and(|n| block[n..].iter().any(|s| uses(s, &block[at])));
            boundary[at] |= shared[at];
        }
        if shared == before {
            return shared;
        }
    }
}

/// Does a statement use what another one declares?
fn uses(stmt: &Stmt, declaration: &Stmt) -> bool {
    let block = std::slice::from_ref(stmt);
    let mut used = false;
    match declaration {
        Stmt::Let { var, .. } | Stmt::Mut { var, .. } => {
            visit_exprs(block, &mut |e| used |= *e == Expr::Var(*var));
            visit_stmts(block, &mut |s| {
                used |= s.assigned() == Some(*var);
                used |= matches!(s, Stmt::Collective(c) if c.segments() == Some(*var));
            });
        }
        Stmt::Local { buffer, .. } => {
            visit_exprs(block, &mut |e| used |= matches!(e, Expr::Load { buffer: b, .. } if b == buffer));
            visit_stmts(block, &mut |s| {
                used |= !matches!(s, Stmt::Local { .. }) && s.buffers().contains(buffer);
            });
        }
        _ => {}
    }
    used
}

/// Can every lane evaluate the expression, whatever its variables are?
fn is_total(e: &Expr) -> bool {
    let mut total = true;
    e.visit(&mut |e| {
        total &= match e {
            Expr::Load { .. } | Expr::Search { .. } | Expr::IndexOp(IndexOp::Sub, ..) => false,
            Expr::IndexOp(IndexOp::Div | IndexOp::Rem, _, n) => matches!(**n, Expr::Index(n) if n > 0),
            _ => true,
        };
    });
    total
}
