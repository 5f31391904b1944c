//! Sweeping one variable over an interval: phases of sequences, then merged steppers, then a plain loop.

use super::place::{ceil, length};
use super::state::{Lhs, State};
use super::{Binder, Lowered, Lowerer, MAX_POINTS, internal, joined};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::front::command::Merge;
use crate::llir::{Block, Expr, Stmt, Ty, build};
use crate::looplet::{self, Body, Looplet, Position};
use crate::scalar::{BinaryOp, Monoid};

/// An interval of coordinates, `lo..hi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) lo: Expr,
    pub(super) hi: Expr,
}

/// The variable whose coordinates are swept, and the loops inside.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    /// Whose coordinates.
    pub(super) var: IndexVar,
    /// Whose loop: the variable itself, or the last open part of it.
    pub(super) leaf: IndexVar,
    pub(super) rest: &'a [IndexVar],
}

/// How each operand that the variable indexes next reads along it.
pub(super) type Env = Vec<(AccessId, Looplet)>;

impl Lowerer<'_> {
    /// Loops over a window of a variable's dimension.
    pub(super) fn coordinates(&mut self, sweep: Sweep<'_>, window: Window, st: State) -> Lowered {
        let v = sweep.var;
        let found = self.is_bound(sweep.leaf) && !self.only_located(v, &st);
        if found || self.is_in_parts(v, &st) {
            return self.every_coordinate(sweep, window, st);
        }
        let mut block = Block::new();
        let mut env = Env::new();
        let mut active = Vec::new();
        st.rhs.for_each_access(&mut |a| {
            // Where there is a table, another operand leads, and where a row may have no terms, that is asked for each.
            let asked = self.rows.contains_key(&a) && st.cursors[a.index()].level == 0;
            let leads = st.table_of(a).is_none() && !asked;
            if leads && st.next_var(self, a) == Some(v) && !active.contains(&a) {
                active.push(a);
            }
        });
        for a in active {
            let cursor = &st.cursors[a.index()];
            let level = self.levels[a.index()][cursor.level].clone();
            let mut binder = Binder::new(self, &mut block, a, cursor.level, v);
            let looplet = looplet::unfurl(&level, &cursor.position, &mut binder);
            env.push((a, looplet));
        }
        if let Lhs::Scattered(target) = &st.lhs {
            // Once the coordinate is known they are located.
            env.retain(|(a, _)| !target.masks.contains(a));
        }
        self.gallop(sweep, &mut env, &st);
        block.extend(self.region_in_parts(sweep, window, env, st)?);
        Ok(block)
    }

    /// A loop over coordinates that a unit runs, each of whose threads has one, or that has nothing to step over: sparse operands
    /// are searched for each coordinate.
    fn every_coordinate(&mut self, sweep: Sweep<'_>, w: Window, st: State) -> Lowered {
        let name = self.name(sweep.leaf);
        let var = self.fresh(&name, Ty::Index);
        let outside = self.outside(sweep.leaf, &st);
        let inner = self.enter(sweep.leaf, st);
        let mut body = Block::new();
        let root = self.name(sweep.var);
        let at = self.bind(&root, build::add(w.lo.clone(), var), &mut body);
        let code = self.bind_coordinate(sweep, at, inner)?;
        if code.is_empty() {
            return Ok(code);
        }
        body.extend(code);
        self.finish_loop(sweep.leaf, var, Window { lo: Expr::Index(0), hi: length(&w) }, body, &outside)
    }

    /// Does the next level of an operand hold a part for each coordinate of the variable, and no coordinates to step over?
    fn is_in_parts(&self, v: IndexVar, st: &State) -> bool {
        let mut found = false;
        st.rhs.for_each_access(&mut |a| {
            let next = || &self.levels[a.index()][st.cursors[a.index()].level];
            found |= st.next_var(self, a) == Some(v) && next().is_in_parts();
        });
        found
    }

    /// Which operands gallop: all by schedule; else those that loops around go through again and again, as the rows of a
    /// second `Dcsr` matrix are in a product. To step over all of them for each row of the first would take a time that grows
    /// with the square of the rows.
    fn gallop(&mut self, sweep: Sweep<'_>, env: &mut Env, st: &State) {
        let around = |l: &IndexVar| !self.provenance.roots(*l).contains(&sweep.var);
        let repeated = |a: AccessId| st.cursors[a.index()].level == 0 && st.around.iter().any(around);
        let steps = |(_, looplet): &&(AccessId, Looplet)| matches!(looplet, Looplet::Stepper(_));
        let gallops: Vec<AccessId> = match self.provenance.tag(sweep.leaf).merge {
            Some(Merge::TwoFinger) => vec![],
            None if !self.options.gallop => {
                let (found, others): (Vec<_>, Vec<_>) =
                    env.iter().filter(steps).map(|(a, _)| *a).partition(|a| repeated(*a));
                if others.is_empty() {
                    vec![]
                } else {
                    for (a, looplet) in env.iter().filter(|(a, _)| found.contains(a)) {
                        if let Looplet::Stepper(s) = looplet {
                            self.make_directory(*a, s, &others);
                        }
                    }
                    found
                }
            }
            _ => env.iter().map(|(a, _)| *a).collect(),
        };
        for (a, looplet) in env {
            if let Looplet::Stepper(s) = looplet
                && gallops.contains(a)
            {
                *looplet = Looplet::Jumper(s.clone());
            }
        }
    }

    /// Is the window the whole dimension? Then what formats guarantee (coordinates in range) needs no test.
    pub(super) fn is_whole(&self, sweep: Sweep<'_>, w: &Window) -> bool {
        w.lo == Expr::Index(0) && w.hi == self.extent(sweep.var)
    }

    pub(super) fn region(&mut self, sweep: Sweep<'_>, w: Window, mut env: Env, st: State) -> Lowered {
        let st = st.without(self, &[]);
        if self.drops(&st) {
            return Ok(vec![]);
        }
        env.retain(|(a, _)| st.rhs.contains(*a));
        let steps = |l: &Looplet| matches!(l, Looplet::Stepper(_) | Looplet::Jumper(_));
        let loops = |l: &Looplet| steps(l) || matches!(l, Looplet::Lookup { .. });
        // First what divides the interval, or is the same all over it.
        let Some(at) = env.iter().position(|(_, l)| !loops(l)) else {
            let merges = env.iter().any(|(_, l)| steps(l));
            return if merges { self.merge(sweep, w, env, st) } else { self.plain_loop(sweep, w, env, st) };
        };
        match env.remove(at) {
            (a, Looplet::Sequence(phases)) => self.phases(sweep, w, a, phases, env, st),
            (a, Looplet::Run(body)) => {
                let st = self.with_body(st, a, body);
                self.region(sweep, w, env, st)
            }
            (a, other) => Err(self.misplaced(a, &other)),
        }
    }

    /// A looplet that a level reads as, and that is lowered elsewhere alone.
    fn misplaced(&self, a: AccessId, looplet: &Looplet) -> Box<Diagnostic> {
        let (what, place) = match looplet {
            Looplet::Spike { .. } => ("Spike", "a phase of a `Sequence`"),
            _ => ("Switch", "what `locate` gives"),
        };
        let name = self.tensor_name(a);
        internal(self.kernel, &format!("a level of `{name}` reads as a `{what}`, which has to be {place}"))
    }

    /// One operand's intervals, one after another.
    fn phases(
        &mut self,
        sweep: Sweep<'_>,
        w: Window,
        a: AccessId,
        phases: Vec<(Option<Expr>, Looplet)>,
        env: Env,
        st: State,
    ) -> Lowered {
        let whole = self.is_whole(sweep, &w);
        let mut block = Block::new();
        let mut lo = w.lo.clone();
        for (end, looplet) in phases {
            let hi = match end {
                Some(end) if whole => end,
                Some(end) => build::max(w.lo.clone(), build::min(end, w.hi.clone())),
                None => w.hi.clone(),
            };
            match looplet {
                Looplet::Spike { at, body } => {
                    let inside =
                        build::and(build::le(w.lo.clone(), at.clone()), build::lt(at.clone(), w.hi.clone()));
                    let gap_end = if whole { at.clone() } else { build::min(at.clone(), w.hi.clone()) };
                    let gap = st.clone().without(self, &[a]);
                    let code =
                        self.region(sweep, Window { lo: lo.clone(), hi: gap_end.clone() }, env.clone(), gap)?;
                    block.extend(guard(build::lt(lo.clone(), gap_end), code));
                    let spike = self.with_body(st.clone(), a, body);
                    let code = self.point(sweep, at, &env, spike)?;
                    block.extend(if whole { code } else { guard(inside, code) });
                }
                other => {
                    let mut env = env.clone();
                    env.push((a, other));
                    let phase = Window { lo: lo.clone(), hi: hi.clone() };
                    let code = self.region(sweep, phase, env, st.clone())?;
                    block.extend(guard(build::lt(lo, hi.clone()), code));
                }
            }
            lo = hi;
        }
        Ok(block)
    }

    fn with_body(&self, st: State, a: AccessId, body: Body) -> State {
        match body {
            Body::Fill => st.without(self, &[a]),
            Body::Child(p) => st.step(a, p),
        }
    }

    /// One coordinate: operands in `env` that can be anywhere are found by location.
    pub(super) fn point(&mut self, sweep: Sweep<'_>, at: Expr, env: &Env, st: State) -> Lowered {
        self.points += 1;
        if self.points > MAX_POINTS {
            return Err(Box::new(
                Diagnostic::new(
                    "too-much-code",
                    self.kernel.assignment.lhs.span,
                    "so many sparse operands are merged here that the code would be too long: it doubles with each",
                )
                .help("split the statement: compute part of it into a tensor with one kernel, and the rest with another"),
            ));
        }
        let mut st = st;
        for (a, looplet) in env {
            if let Looplet::Lookup { start, begin } = looplet
                && st.rhs.contains(*a)
            {
                let after = build::sub(at.clone(), start.clone());
                st = st.step(*a, Position::One(build::add(begin.clone(), after)));
            }
        }
        self.bind_coordinate(sweep, at, st)
    }

    /// A plain loop, or one step for all of it where nothing varies.
    fn plain_loop(&mut self, sweep: Sweep<'_>, w: Window, env: Env, st: State) -> Lowered {
        if self.collapses(sweep, &st) {
            return self.collapse(&w, &st);
        }
        if self.repeats(sweep, &st) {
            let (some, mut once) = (build::lt(w.lo.clone(), w.hi.clone()), Block::new());
            let root = self.name(sweep.var);
            let at = self.bind(&root, w.lo, &mut once);
            let inner = self.enter(sweep.leaf, st);
            let body = self.point(sweep, at, &env, inner)?;
            return Ok(if body.is_empty() { body } else { guard(some, joined(once, body)) });
        }
        let strided = st.stride.is_some();
        let name = self.name(if strided { sweep.var } else { sweep.leaf });
        let i = self.fresh(&name, Ty::Index);
        let outside = self.outside(sweep.leaf, &st);
        let mut inner = self.enter(sweep.leaf, st);
        // A part counts from its own beginning, so that a constant number of iterations is plain to see.
        let (at, range) = if sweep.leaf == sweep.var || strided {
            (Expr::Var(i), w)
        } else {
            if inner.places.get(&sweep.leaf).is_some_and(|part| part.window.lo == w.lo) {
                inner.coords[sweep.leaf.index()] = Some(Expr::Var(i));
            }
            (build::add(w.lo.clone(), i), Window { lo: Expr::Index(0), hi: length(&w) })
        };
        let mut bound = Block::new();
        let root = self.name(sweep.var);
        let at = self.bind(&root, at, &mut bound);
        let body = self.point(sweep, at, &env, inner)?;
        if body.is_empty() {
            return Ok(vec![]);
        }
        bound.extend(body);
        self.finish_loop(sweep.leaf, i, range, bound, &outside)
    }

    /// Does every iteration take the same values, loops inside and all, into a reduction that needs them once? Then one does for all.
    fn repeats(&self, sweep: Sweep<'_>, st: &State) -> bool {
        // What is appended is there once for each time that the loops come to it.
        let appends = matches!(st.lhs, Lhs::Output { block: None }) && self.out.is_assembled();
        let plain = sweep.leaf == sweep.var && st.stride.is_none() && !self.runs_on_threads(sweep.leaf);
        let bound = |v: &IndexVar| self.is_bound(*v);
        let serial = !bound(&sweep.leaf) && !sweep.rest.iter().any(bound);
        needs_once(st) && !appends && plain && serial && !sweep.rest.is_empty() && !st.varies(self, sweep.var)
    }

    /// Can a constant be reduced over an interval at once: is it a sum, or a reduction that needs the constant once?
    fn collapses(&self, sweep: Sweep<'_>, st: &State) -> bool {
        if !sweep.rest.is_empty() || self.runs_on_threads(sweep.leaf) || self.is_bound(sweep.leaf) {
            return false;
        }
        // What is still to be filled has no value yet.
        let mut unfilled = false;
        st.rhs.for_each_production(&mut |_| unfilled = true);
        let reduces = st.op == Some(Monoid::Add) || needs_once(st);
        reduces && !unfilled && !matches!(st.lhs, Lhs::Output { .. }) && !st.varies(self, sweep.var)
    }

    /// Is what an interval does told by how many coordinates it has, wherever they lie?
    pub(super) fn is_counted(&self, sweep: Sweep<'_>, st: &State) -> bool {
        st.stride.is_none() && (self.collapses(sweep, st) || self.repeats(sweep, st))
    }

    /// Reduces a constant over an interval at once: a sum is length × value, other reductions need it once.
    fn collapse(&mut self, w: &Window, st: &State) -> Lowered {
        let mut once = Block::new();
        let rhs = st.rhs.clone();
        let value = self.value(&rhs, st, &mut once)?;
        if needs_once(st) {
            once.extend(self.write(st, value));
            return Ok(guard(build::lt(w.lo.clone(), w.hi.clone()), once));
        }
        // In strides the interval has fewer coordinates, and may begin past its end.
        let iterations = ceil(build::sub(w.hi.clone(), w.lo.clone()), st.stride.unwrap_or(1).into());
        let length = Expr::FromIndex(self.dtype, Box::new(iterations));
        let finite = matches!(value, Expr::Lit(v) if v.to_f64().is_finite());
        let total = match value {
            Expr::Lit(v) if v == self.dtype.one() => length,
            value => Expr::Binary(BinaryOp::Mul, Box::new(length), Box::new(value)),
        };
        once.extend(self.write(st, total));
        // No term at all is zero, not 0 · ∞, and no entry.
        let whole = finite && st.stride.is_none() && !self.out.is_assembled();
        let some = if whole { Expr::Cond(true) } else { build::lt(w.lo.clone(), w.hi.clone()) };
        Ok(guard(some, once))
    }
}

/// Is what is reduced needed once, however many times it is there? Of a product that is so if it is a certain constant.
fn needs_once(st: &State) -> bool {
    let constant = st.rhs.constant();
    st.op.is_some_and(|m| m.op().is_idempotent() || constant.is_some_and(|v| m.needs_once(v)))
}

/// `if cond { body }`, or nothing.
pub(super) fn guard(cond: Expr, body: Block) -> Block {
    either(cond, body, vec![])
}

/// `if cond { then } else { otherwise }`, without what is never done.
pub(super) fn either(cond: Expr, then: Block, otherwise: Block) -> Block {
    match cond {
        Expr::Cond(true) => then,
        Expr::Cond(false) => otherwise,
        _ if then.is_empty() && otherwise.is_empty() => then,
        cond => vec![Stmt::If { cond, then, otherwise }],
    }
}
