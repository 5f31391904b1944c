//! A loop over the elements of a vector, with one load and one store where its iterations had one each.
//!
//! ```text
//! for ki in 0..4 {                            vector B_vec = B_vals[j * n + ko * 4];
//!     let k = ko * 4 + ki;                    for ki in 0..4 {
//!     acc[ki] += a * B_vals[j * n + k];   →       let k = ko * 4 + ki;
//! }                                               acc[ki] += a * B_vec[ki];
//!                                             }
//! ```
//!
//! An access counts if its index goes up by one with the loop and begins at a multiple of the vector's length. It is moved
//! out of the loop together with the conditions on it, which hold for all iterations or for none. Where such a condition
//! decides between two ways to write, each has a loop of its own.

use super::super::Lowerer;
use super::super::region::guard;
use crate::llir::align::Facts;
use crate::llir::walk::{substitute, visit_stmts};
use crate::llir::{Block, BufferId, Cmp, Elem, Expr, IndexOp, LoopKind, Space, Stmt, VarId, build};
use std::collections::BTreeSet;

/// A load that was moved out.
struct Load {
    when: Expr,
    buffer: BufferId,
    index: Expr,
    to: BufferId,
}

pub(super) struct Vectorizer<'l, 'k> {
    lowerer: &'l mut Lowerer<'k>,
    facts: Facts,
    /// The loop's variable, and its number of iterations.
    var: VarId,
    len: u32,
    /// What the body declares, or changes.
    own: BTreeSet<VarId>,
    /// Global and shared arrays that the body writes, once for each statement that does.
    written: Vec<BufferId>,
    loads: Vec<Load>,
    /// What is stored at once, and the register arrays that hold it until then.
    stores: Block,
    kept: Vec<BufferId>,
}

impl<'l, 'k> Vectorizer<'l, 'k> {
    pub(super) fn new(
        lowerer: &'l mut Lowerer<'k>,
        mut facts: Facts,
        var: VarId,
        len: u32,
        body: &Block,
    ) -> Self {
        let (mut own, mut written) = (BTreeSet::from([var]), vec![]);
        visit_stmts(body, &mut |s| {
            if let Stmt::Let { var, value } = s {
                facts.define(*var, value);
            }
            own.extend(s.declared());
            own.extend(s.assigned());
            written.extend(s.buffers());
        });
        Vectorizer { lowerer, facts, var, len, own, written, loads: vec![], stores: vec![], kept: vec![] }
    }

    /// The loads, the loop and the stores; `None` if nothing is moved.
    pub(super) fn run(mut self, body: Block) -> Option<Block> {
        let (around, mut body) = self.unguarded(body);
        if let Some(either) = self.either(&body) {
            return either.map(|either| guard(around, vec![either]));
        }
        self.block(&mut body, Some(&Expr::Cond(true)));
        if self.loads.is_empty() && self.stores.is_empty() {
            return None;
        }
        let init = self.lowerer.dtype.zero();
        let mut out: Block =
            self.kept.into_iter().map(|buffer| Stmt::Local { buffer, init: Some(init) }).collect();
        for Load { when, buffer, index, to } in self.loads {
            out.push(Stmt::Local { buffer: to, init: Some(init) });
            out.extend(guard(when, vec![Stmt::LoadVector { to, part: None, buffer, index }]));
        }
        if body.iter().any(|s| !matches!(s, Stmt::Let { .. } | Stmt::Comment(_))) {
            out.push(written_out(self.var, self.len, body));
        }
        out.extend(self.stores);
        Some(guard(around, out))
    }

    /// A body of which a condition that all iterations decide alike chooses one part or the other: each for itself, unless
    /// neither moves anything. None if it is not such a body.
    fn either(&mut self, body: &Block) -> Option<Option<Stmt>> {
        let (Stmt::If { cond, then, otherwise }, before) = body.split_last()? else { return None };
        if otherwise.is_empty() || !before.iter().all(|s| matches!(s, Stmt::Let { .. })) {
            return None;
        }
        let cond = self.alike(cond)?;
        let mut moved = false;
        let [then, otherwise] = [(then, false), (otherwise, true)].map(|(part, second)| {
            let (mut var, mut body) = (self.var, [before, part].concat());
            if second {
                // Each variable is declared once.
                var = self.renewed(var, &mut body);
                for n in 0..before.len() {
                    if let Stmt::Let { var: old, .. } = body[n] {
                        let new = self.renewed(old, &mut body);
                        if let Stmt::Let { var, .. } = &mut body[n] {
                            *var = new;
                        }
                    }
                }
            }
            let of = Vectorizer::new(self.lowerer, self.facts.clone(), var, self.len, &body);
            match of.run(body.clone()) {
                Some(block) => {
                    moved = true;
                    block
                }
                None => vec![written_out(var, self.len, body)],
            }
        });
        Some(moved.then_some(Stmt::If { cond, then, otherwise }))
    }

    /// A new variable like one, which takes its place where a block reads it.
    fn renewed(&mut self, old: VarId, block: &mut Block) -> VarId {
        let like = self.lowerer.vars[old.index()].clone();
        let new = self.lowerer.fresh(&like.name, like.ty);
        substitute(block, old, &Expr::Var(new));
        new
    }

    /// Conditions around all of the body that its iterations decide alike, and what is left of it.
    fn unguarded(&self, mut body: Block) -> (Expr, Block) {
        let mut around = Expr::Cond(true);
        while let Some(Stmt::If { cond, otherwise, .. }) = body.last()
            && otherwise.is_empty()
            && body[..body.len() - 1].iter().all(|s| matches!(s, Stmt::Let { .. }))
            && let Some(cond) = self.alike(cond)
        {
            around = build::and(around, cond);
            if let Some(Stmt::If { then, .. }) = body.pop() {
                body.extend(then);
            }
        }
        (around, body)
    }

    /// `when`: what holds where the block runs, if its iterations decide it alike.
    fn block(&mut self, block: &mut Block, when: Option<&Expr>) {
        for mut stmt in std::mem::take(block) {
            stmt.for_each_expr_mut(&mut |e| self.expr(e, when));
            match &mut stmt {
                Stmt::If { cond, then, otherwise } => {
                    let (yes, no) = self.branches(cond, when);
                    self.block(then, yes.as_ref());
                    self.block(otherwise, no.as_ref());
                }
                // It may have no iteration.
                other => other.for_each_block_mut(&mut |b| self.block(b, None)),
            }
            block.extend(self.stored(stmt, when));
        }
    }

    /// What holds where a condition holds, and where it does not.
    fn branches(&self, cond: &Expr, when: Option<&Expr>) -> (Option<Expr>, Option<Expr>) {
        let (Some(when), Some(cond)) = (when, self.alike(cond)) else { return (None, None) };
        let not = Expr::Not(Box::new(cond.clone()));
        (Some(build::and(when.clone(), cond)), Some(build::and(when.clone(), not)))
    }

    fn expr(&mut self, e: &mut Expr, when: Option<&Expr>) {
        match e {
            Expr::Select(cond, a, b) => {
                self.expr(cond, when);
                let (yes, no) = self.branches(cond, when);
                self.expr(a, yes.as_ref());
                self.expr(b, no.as_ref());
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.expr(a, when);
                self.expr(b, None);
            }
            _ => e.for_each_child_mut(&mut |e| self.expr(e, when)),
        }
        if let (Expr::Load { buffer, index }, Some(when)) = (&*e, when)
            && let Some(to) = self.load(*buffer, index, when)
        {
            *e = build::load(to, self.var);
        }
    }

    /// The register array that holds what is loaded.
    fn load(&mut self, buffer: BufferId, index: &Expr, when: &Expr) -> Option<BufferId> {
        let b = &self.lowerer.buffers[buffer.index()];
        let readable =
            matches!(b.space, Space::Input | Space::Shared { .. }) && !self.written.contains(&buffer);
        if !readable || b.elem != Elem::Scalar(self.lowerer.dtype) {
            return None;
        }
        let index = self.begin(index)?;
        let same = |l: &&Load| l.buffer == buffer && l.index == index && l.when == *when;
        if let Some(load) = self.loads.iter().find(same) {
            return Some(load.to);
        }
        let to = self.register(buffer);
        self.loads.push(Load { when: when.clone(), buffer, index, to });
        Some(to)
    }

    /// A write of the body, moved out if it can be: then what is left of it in the loop.
    fn stored(&mut self, stmt: Stmt, when: Option<&Expr>) -> Option<Stmt> {
        let (
            Stmt::Store { buffer, index, value }
            | Stmt::Reduce { buffer, index, value, .. }
            | Stmt::Atomic { buffer, index, value, .. },
            Some(when),
        ) = (&stmt, when)
        else {
            return Some(stmt);
        };
        let space = self.lowerer.buffers[buffer.index()].space;
        let once = self.written.iter().filter(|b| *b == buffer).count() == 1;
        // What a block shares is updated element by element: the hardware has no other way.
        let is_own = matches!(stmt, Stmt::Atomic { .. }) && matches!(space, Space::Shared { .. });
        if matches!(space, Space::Register { .. }) || is_own || !once {
            return Some(stmt);
        }
        let (Some(begin), buffer, value) = (self.begin(index), *buffer, value.clone()) else {
            return Some(stmt);
        };
        let at: Expr = self.var.into();
        let (from, left) = match (&stmt, self.whole_register(&value)) {
            (Stmt::Reduce { op, .. }, _) => {
                let to = self.register(buffer);
                self.loads.push(Load { when: when.clone(), buffer, index: begin.clone(), to });
                (to, Some(Stmt::Reduce { buffer: to, index: at, op: *op, value }))
            }
            (_, Some(from)) => (from, None),
            (_, None) => {
                let from = self.register(buffer);
                self.kept.push(from);
                (from, Some(Stmt::Store { buffer: from, index: at, value }))
            }
        };
        let update = if let Stmt::Atomic { op, .. } = &stmt { Some(*op) } else { None };
        let store = Stmt::StoreVector { buffer, index: begin, from, update };
        self.stores.extend(guard(when.clone(), vec![store]));
        left
    }

    /// The register array of which a value is this iteration's element.
    fn whole_register(&self, value: &Expr) -> Option<BufferId> {
        let Expr::Load { buffer, index } = value else { return None };
        let whole = self.lowerer.buffers[buffer.index()].space == Space::Register { len: self.len };
        (whole && **index == Expr::Var(self.var) && !self.written.contains(buffer)).then_some(*buffer)
    }

    /// A register array for elements of a buffer.
    fn register(&mut self, of: BufferId) -> BufferId {
        let b = &self.lowerer.buffers[of.index()];
        let elem = b.elem;
        let name = format!("{}_vec", b.name.strip_suffix("_vals").unwrap_or(&b.name));
        self.lowerer.provisional(&name, elem, Space::Register { len: self.len })
    }

    /// The first iteration's index, if the index goes up by one with the loop and begins at a multiple of its length.
    fn begin(&self, index: &Expr) -> Option<Expr> {
        let first = self.first(index).filter(|_| self.counts(index))?;
        self.facts.is_multiple(&first, self.len.into()).then_some(first)
    }

    /// Does the index go up by one with the loop?
    fn counts(&self, e: &Expr) -> bool {
        match e {
            Expr::Var(v) if *v == self.var => true,
            Expr::Var(v) => self.own.contains(v) && self.facts.definition(*v).is_some_and(|e| self.counts(e)),
            Expr::IndexOp(IndexOp::Add, a, b) => {
                self.counts(a) && self.is_steady(b) || self.is_steady(a) && self.counts(b)
            }
            _ => false,
        }
    }

    /// Is it the same in all iterations?
    fn is_steady(&self, e: &Expr) -> bool {
        let mut steady = true;
        e.visit(&mut |e| {
            if let Expr::Var(v) = e
                && self.own.contains(v)
            {
                steady &= *v != self.var && self.facts.definition(*v).is_some_and(|e| self.is_steady(e));
            }
        });
        steady
    }

    /// Its value in the first iteration, by what is known before the loop.
    fn first(&self, e: &Expr) -> Option<Expr> {
        match e {
            Expr::Var(v) if *v == self.var => Some(Expr::Index(0)),
            Expr::Var(v) if self.own.contains(v) => self.first(self.facts.definition(*v)?),
            Expr::IndexOp(IndexOp::Add, a, b) => Some(build::add(self.first(a)?, self.first(b)?)),
            Expr::Load { buffer, .. } | Expr::Search { buffer, .. }
                if self.lowerer.buffers[buffer.index()].space != Space::Input =>
            {
                None
            }
            e => {
                let (mut first, mut known) = (e.clone(), true);
                first.for_each_child_mut(&mut |e| match self.first(e) {
                    Some(value) => *e = value,
                    None => known = false,
                });
                known.then_some(first)
            }
        }
    }

    /// The condition, if all iterations decide it alike: in what is known before the loop. A vector that begins before an
    /// end ends before it too, if both are multiples of its length.
    fn alike(&self, cond: &Expr) -> Option<Expr> {
        match cond {
            Expr::And(a, b) => Some(build::and(self.alike(a)?, self.alike(b)?)),
            Expr::Cmp(Cmp::Lt, a, b) if self.counts(a) && self.is_steady(b) => {
                let end = self.first(b)?;
                let whole = self.facts.is_multiple(&end, self.len.into());
                Some(build::lt(self.begin(a)?, end)).filter(|_| whole)
            }
            cond => self.first(cond).filter(|_| self.is_steady(cond)),
        }
    }
}

/// The loop over a vector's elements.
fn written_out(var: VarId, len: u32, body: Block) -> Stmt {
    let (lo, hi) = (Expr::Index(0), Expr::Index(len.into()));
    Stmt::For { var, lo, hi, step: 1, kind: LoopKind::Unroll(len), body }
}
