//! Co-iteration of steppers.
//!
//! Few operands have a [`lattice`], which knows in each of its loops who is left. Its loops and cases multiply with the
//! operands, so that many have one loop: those without which nothing is done lead, and meet ([`conjunction`]); if there are none,
//! all lead, at the least of their coordinates. The others catch up, and are asked whether they have it ([`union`]). So do those
//! under a mask, however few.

mod chosen;
mod conjunction;
mod found;
mod lattice;
mod terms;
mod union;

use self::lattice::{MAX_CASES, Point};
use self::union::Union;
use super::directory::Directory;
use super::gpu::Resume;
use super::region::{Env, Sweep, Window};
use super::state::State;
use super::{Lowered, Lowerer};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::llir::{Block, Bound, Expr, Stmt, Ty, VarId, build};
use crate::looplet::{Looplet, Position, Stepper};

/// With more cases than those of a sum of three operands have one loop; with loops inside, which each case would repeat, with
/// more than those of a sum of two.
const FEW_CASES: usize = 27;
const FEW_CASES_AROUND: usize = 9;

/// How operands are merged.
enum Plan {
    /// A loop for each set of them that are not used up.
    Lattice(Vec<Point>),
    /// One for all.
    Union(Union),
}

/// A stepper with its cursor.
struct Iter {
    access: AccessId,
    stepper: Stepper,
    /// Gallops where another leads.
    jumps: bool,
    /// Where it searches instead.
    directory: Option<Directory>,
    /// Current position, a variable if more than one loop uses it.
    p: Expr,
    cursor: Option<VarId>,
    /// Where the next tile goes on.
    next: Option<VarId>,
}

impl Iter {
    /// An operand at a position.
    fn at(access: AccessId, stepper: Stepper, p: Expr) -> Iter {
        Iter { access, stepper, jumps: false, directory: None, p, cursor: None, next: None }
    }

    /// The coordinate that an operand is at: the size of the dimension if there is none.
    fn coordinate(&self, size: &Expr) -> Expr {
        let lasts = build::lt(self.p.clone(), self.stepper.end.clone());
        let at = build::load(self.stepper.crd, self.p.clone());
        build::select(lasts, at, size.clone())
    }

    fn cursor(&self) -> VarId {
        self.cursor.unwrap_or_else(|| unreachable!("merged operands have cursors"))
    }

    /// Stepped down to the child at the current position, or to those of a run of positions up to an end.
    fn step(&self, st: State, end: Option<VarId>) -> State {
        let child = match end {
            None => Position::One(self.p.clone()),
            Some(q) => Position::Range(self.p.clone(), Expr::Var(q)),
        };
        st.step(self.access, child)
    }

    /// Moves on to the position after the ones at a coordinate.
    fn advance(&self, end: Option<VarId>) -> Stmt {
        let next = end.map_or_else(|| build::add(self.cursor(), Expr::Index(1)), Expr::Var);
        Stmt::Assign { var: self.cursor(), value: next }
    }
}

impl Lowerer<'_> {
    pub(super) fn merge(&mut self, sweep: Sweep<'_>, w: Window, env: Env, st: State) -> Lowered {
        let mut block = Block::new();
        let (mut iters, others) = self.split(sweep, &w, env, &st, &mut block);
        if let Some(counted) = self.gaps_first(sweep, &w, (&iters, &others), &st)? {
            block.extend(counted);
            return Ok(block);
        }
        let gap_acts = self.acts_without(&iters.iter().map(|k| k.access).collect::<Vec<_>>(), &st);
        block.extend(match self.plan(sweep, &iters, &st, gap_acts) {
            Some(Plan::Union(union)) => self.united(sweep, w, &mut iters, &others, (union, st))?,
            Some(Plan::Lattice(points)) => {
                self.each_point(sweep, &w, &mut iters, &others, (points, gap_acts))?
            }
            None => return Err(self.too_many(sweep, &iters)),
        });
        block.extend(resumed(iters));
        Ok(block)
    }

    /// Of one operand: what its gaps do where only their number matters, which is the dimension's size less that of its entries, and
    /// then its entries, whose coordinates nobody has to compare. So a row's `max` takes a 0 that is not stored once.
    fn gaps_first(
        &mut self,
        sweep: Sweep<'_>,
        w: &Window,
        (iters, others): (&[Iter], &Env),
        st: &State,
    ) -> Result<Option<Block>, Box<Diagnostic>> {
        let [k] = iters else { return Ok(None) };
        let gap = st.clone().without(self, &[k.access]);
        let known = k.stepper.unique && self.is_whole(sweep, w);
        if !known || gap.is_noop(self) || !self.is_counted(sweep, &gap) {
            return Ok(None);
        }
        let stored = build::sub(k.stepper.end.clone(), k.stepper.begin.clone());
        let mut block = self.region(sweep, Window { lo: stored, hi: w.hi.clone() }, others.clone(), gap)?;
        block.extend(self.position_loop(sweep, k, others, st.clone())?);
        Ok(Some(block))
    }

    /// How to merge: few by a lattice, many in one loop if that is possible, and so a few of which some only let through what
    /// others have. A lattice asks at each coordinate of those others who is there, a mask lets them skip to its own:
    /// `M ∘ (A + B)` of random matrices took up to 2.4 times as long by the lattice.
    fn plan(&mut self, sweep: Sweep<'_>, iters: &[Iter], st: &State, gap_acts: bool) -> Option<Plan> {
        let roles = self.roles(iters, st);
        let few = if sweep.rest.is_empty() { FEW_CASES } else { FEW_CASES_AROUND };
        if !roles.is_masked()
            && let Some((points, cases)) = self.lattice(iters, st)
            && cases <= few
        {
            return Some(Plan::Lattice(points));
        }
        if let Some(union) = self.as_union(sweep, iters, roles, st, gap_acts) {
            return Some(Plan::Union(union));
        }
        let (points, _) = self.lattice(iters, st)?;
        Some(Plan::Lattice(points))
    }

    /// Where the coordinates begin that no operand has had yet.
    fn gap_start(&mut self, sweep: Sweep<'_>, w: &Window, block: &mut Block) -> VarId {
        let start = self.fresh(&format!("{}_start", self.name(sweep.var)), Ty::Index);
        block.push(Stmt::Mut { var: start, value: w.lo.clone() });
        start
    }

    /// Separates steppers from lookups, and narrows the steppers to the window.
    fn split(
        &mut self,
        sweep: Sweep<'_>,
        w: &Window,
        env: Env,
        st: &State,
        block: &mut Block,
    ) -> (Vec<Iter>, Env) {
        let whole = self.is_whole(sweep, w);
        let mut iters = Vec::new();
        let mut others = Env::new();
        for (access, looplet) in env {
            let (mut stepper, jumps, directory) = match looplet {
                Looplet::Stepper(s) => (s, false, None),
                Looplet::Jumper(s) => {
                    let directory = self.directory_of(&s);
                    (s, true, directory)
                }
                other => {
                    others.push((access, other));
                    continue;
                }
            };
            let mut next = None;
            if !whole {
                let name = self.position_name(access);
                let resumes = |r: &&Resume| r.access == access && r.leaf == sweep.leaf;
                next = st.resumes.iter().find(resumes).map(|r| r.next);
                let search = |stepper: &Stepper, key: &Expr| {
                    let (begin, end) = (stepper.begin.clone(), stepper.end.clone());
                    build::search(Bound::Lower, stepper.crd, begin, end, key.clone())
                };
                let begin = match next {
                    Some(next) => build::max(next, stepper.begin.clone()),
                    None => search(&stepper, &w.lo),
                };
                stepper.begin = self.position(&name, "begin", begin, block);
                let end = search(&stepper, &w.hi);
                stepper.end = self.position(&name, "end", end, block);
            }
            let p = stepper.begin.clone();
            iters.push(Iter { access, stepper, jumps, directory, p, cursor: None, next });
        }
        (iters, others)
    }

    fn position(&mut self, name: &str, suffix: &str, value: Expr, block: &mut Block) -> Expr {
        let var = self.fresh(&format!("{name}_{suffix}"), Ty::Index);
        block.push(Stmt::Let { var, value });
        Expr::Var(var)
    }

    fn too_many(&self, sweep: Sweep<'_>, iters: &[Iter]) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "too-much-code",
                self.kernel.assignment.lhs.span,
                format!(
                    "{} sparse operands would be merged along `{}`, with a case for each set of them that has something to do: the code doubles with each, and {MAX_CASES} cases are the most",
                    iters.len(),
                    self.name(sweep.var)
                ),
            )
            .help("split the statement: compute part of it into a tensor with one kernel, and the rest with another"),
        )
    }

    fn co_iterates(&self, sweep: Sweep<'_>) -> Box<Diagnostic> {
        let name = self.name(sweep.leaf);
        Box::new(
            Diagnostic::new(
                "parallel-coiteration",
                self.kernel.assignment.lhs.span,
                format!("the parallel loop over `{name}` co-iterates sparse operands, one coordinate after another"),
            )
            .help(format!("split `{name}` first, and parallelize the outer part")),
        )
    }

    fn position_name(&self, a: AccessId) -> String {
        format!("p{}", self.tensor_name(a))
    }

    fn declare_cursor(&mut self, k: &mut Iter, block: &mut Block) {
        if k.cursor.is_none() {
            let name = self.position_name(k.access);
            let var = self.fresh(&name, Ty::Index);
            block.push(Stmt::Mut { var, value: k.stepper.begin.clone() });
            k.p = Expr::Var(var);
            k.cursor = Some(var);
        }
    }

    /// The coordinate of each live operand, and the one that the merge is at: of those that a follower searches for, if there
    /// is one.
    fn bind_coordinates(
        &mut self,
        sweep: Sweep<'_>,
        live: &[&Iter],
        follower: Option<usize>,
        pick: impl Fn(Expr, Expr) -> Expr,
        body: &mut Block,
    ) -> (Expr, Vec<Expr>) {
        let own = self.bind_own(sweep, live, body);
        let leads = |(k, own): (usize, &Expr)| (Some(k) != follower).then(|| own.clone());
        let leaders: Vec<Expr> = own.iter().enumerate().filter_map(leads).collect();
        if let [only] = &leaders[..] {
            return (only.clone(), own);
        }
        let Some(picked) = leaders.into_iter().reduce(pick) else {
            unreachable!("a merge has live operands, and nothing to do without those that lead")
        };
        let i = self.fresh(&self.name(sweep.var), Ty::Index);
        body.push(Stmt::Let { var: i, value: picked });
        (Expr::Var(i), own)
    }

    /// The coordinate of each live operand.
    fn bind_own(&mut self, sweep: Sweep<'_>, live: &[&Iter], body: &mut Block) -> Vec<Expr> {
        let index = self.name(sweep.var);
        let mut own = Vec::new();
        for k in live {
            let name = if live.len() == 1 {
                index.clone()
            } else {
                format!("{index}{}", self.tensor_name(k.access))
            };
            let var = self.fresh(&name, Ty::Index);
            body.push(Stmt::Let { var, value: build::load(k.stepper.crd, k.p.clone()) });
            own.push(Expr::Var(var));
        }
        own
    }

    /// Moves an operand on that is behind a coordinate: by its directory, or by steps that double.
    fn seek(&mut self, k: &Iter, to: &Expr) -> Block {
        let (cursor, mut block) = (k.cursor(), Block::new());
        let value = if let Some(directory) = k.directory {
            self.in_directory(directory, to, &mut block)
        } else {
            let after = build::add(cursor, Expr::Index(1));
            build::search(Bound::Gallop, k.stepper.crd, after, k.stepper.end.clone(), to.clone())
        };
        block.push(Stmt::Assign { var: cursor, value });
        block
    }

    /// For non-unique operands, the end of the run of positions with coordinate `i`.
    fn segment_ends(&mut self, live: &[&Iter], i: &Expr, body: &mut Block) -> Vec<Option<VarId>> {
        live.iter()
            .map(|k| {
                if k.stepper.unique {
                    return None;
                }
                let name = format!("{}_next", self.position_name(k.access));
                let q = self.fresh(&name, Ty::Index);
                body.push(Stmt::Mut { var: q, value: k.p.clone() });
                body.push(Stmt::While {
                    cond: build::and(
                        build::lt(q, k.stepper.end.clone()),
                        build::eq(build::load(k.stepper.crd, q), i.clone()),
                    ),
                    body: vec![Stmt::Assign { var: q, value: build::add(q, Expr::Index(1)) }],
                });
                Some(q)
            })
            .collect()
    }
}

fn all_last(live: &[&Iter]) -> Expr {
    live.iter().map(|k| build::lt(k.p.clone(), k.stepper.end.clone())).fold(Expr::Cond(true), build::and)
}

/// Tells the next tile where to go on.
fn resumed(iters: Vec<Iter>) -> Block {
    let ends = iters.into_iter().filter_map(|k| Some((k.next?, k.stepper.end)));
    ends.map(|(var, value)| Stmt::Assign { var, value }).collect()
}

/// 1 or 0.
fn one_if(cond: Expr) -> Expr {
    build::select(cond, Expr::Index(1), Expr::Index(0))
}
