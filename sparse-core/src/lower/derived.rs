//! Loops over derived variables: counted, fused, peeled.
//!
//! `split(i, i0, i1, 4)` opens `i0` first: its loop is counted, and `i1` then sweeps a window of `i`. In the opposite
//! order both are counted, and `i = 4·i0 + i1` is recovered behind a guard. Where the inner loop is to be unrolled
//! or run in vector lanes, or a workspace has its length, the whole parts come first and the rest after (the tail
//! strategy of OOPSLA 2020, section 4), so that the inner loop has a constant number of iterations.

use super::place::{Counted, Swept, length};
use super::recover::under;
use super::region::{Sweep, Window, guard};
use super::state::{Lhs, State};
use super::{Lowered, Lowerer, joined};
use crate::cin::provenance::{Part, Relation};
use crate::cin::val::Val;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::{Block, Expr, Ty, build};

impl Lowerer<'_> {
    /// The outermost of the loops that are left, and what is inside it.
    pub(super) fn sweep(&mut self, loops: &[IndexVar], mut st: State) -> Lowered {
        let Some((&v, rest)) = loops.split_first() else { unreachable!("there is a loop to sweep") };
        let mut block = Block::new();
        if let Some((leaf, w)) = st.leaf.clone()
            && leaf == v
        {
            return self.leaf_positions(loops, w, st);
        }
        let window = match self.strided(v, &mut st, &mut block)? {
            Some(w) => Some(w),
            None if self.counts_to(v, &st) => None,
            None => self.window(v, &mut st, &mut block)?,
        };
        let inner = match window {
            None => self.counted(loops, st, &mut block)?,
            Some(w) => match self.swept(v)? {
                Swept::Coordinates(var) => self.coordinates(Sweep { var, leaf: v, rest }, w, st)?,
                Swept::Fused(f) => self.fused(f, loops, &w, st)?,
                Swept::Positions(leader) => self.positions(&leader, loops, w, st)?,
            },
        };
        Ok(if inner.is_empty() { inner } else { joined(block, inner) })
    }

    /// A loop whose siblings are not all known: it runs over their number.
    fn counted(&mut self, loops: &[IndexVar], mut st: State, block: &mut Block) -> Lowered {
        let v = loops[0];
        let n = self.count(v, &mut st, block)?.n;
        self.note_repeated(v, &mut st);
        if let Some((of, n)) = self.peels(v, &st) {
            return self.peeled(loops, of, n, st);
        }
        self.counted_to(loops, n, st)
    }

    fn counted_to(&mut self, loops: &[IndexVar], n: Expr, st: State) -> Lowered {
        let Some((&v, rest)) = loops.split_first() else { unreachable!("there is a loop to count") };
        let name = self.name(v);
        let var = self.fresh(&name, Ty::Index);
        let outside = self.outside(v, &st);
        let inner = self.enter(v, st);
        let body = self.with_value(v, Expr::Var(var), rest, inner)?;
        self.finish_loop(v, var, Window { lo: Expr::Index(0), hi: n }, body, &outside)
    }

    /// What is inside a loop whose variable has this value.
    fn with_value(&mut self, v: IndexVar, value: Expr, rest: &[IndexVar], mut st: State) -> Lowered {
        st.coords[v.index()] = Some(value);
        let mut facts = Vec::new();
        self.learn(v, &mut st, &mut facts)?;
        let body = self.lower(rest, st)?;
        Ok(under(facts, body))
    }

    /// Should the loop over a split's outer part run over whole inner parts first? Then the window that is
    /// split, and the size of a part.
    fn peels(&self, v: IndexVar, st: &State) -> Option<(Window, u64)> {
        let mut inners = Vec::new();
        let mut range = None;
        for r in self.provenance.relations() {
            if let Relation::Split { parent, outer, inner, part: Part::Inner(n) } = *r
                && outer == v
            {
                inners.push(inner);
                if let Some(place) = st.places.get(&parent).filter(|_| !self.comes_out_even(parent, n, st)) {
                    range.get_or_insert_with(|| (place.window.clone(), n));
                }
            }
        }
        let range = range.filter(|_| self.gpu.is_none())?;
        let tagged = |leaf: &IndexVar| {
            let tag = self.provenance.tag(*leaf);
            tag.unroll.is_some() || matches!(tag.parallel, Some((Unit::CpuVector, _)))
        };
        let constant = inners.iter().any(|&i| self.provenance.leaves(i).iter().any(tagged));
        let mut workspace = false;
        st.rhs.for_each_production(&mut |p| {
            workspace |= p.read.iter().chain(&p.written).any(|i| inners.contains(i));
        });
        (constant || workspace).then_some(range)
    }

    /// `for v in 0..size / n { whole parts }; if size % n != 0 { the rest }`
    fn peeled(&mut self, loops: &[IndexVar], of: Window, n: u64, st: State) -> Lowered {
        let Some((&v, rest)) = loops.split_first() else { unreachable!("there is a loop to peel") };
        let name = self.name(v);
        let size = length(&of);
        let whole = build::div(size.clone(), Expr::Index(n));
        let mut block = Block::new();
        let whole = self.bind(&format!("{name}_end"), whole, &mut block);
        let mut even = st.clone();
        even.counted.push(Counted { outer: v, window: of, even: true });
        let main = self.counted_to(loops, whole.clone(), even)?;
        if main.is_empty() {
            return Ok(main);
        }
        block.extend(main);
        let tail = self.with_value(v, whole.clone(), rest, st)?;
        let some = build::lt(build::mul(whole, Expr::Index(n)), size);
        block.extend(guard(some, tail));
        Ok(block)
    }

    /// A loop over two fused ones, or a part of it.
    fn fused(&mut self, f: IndexVar, loops: &[IndexVar], w: &Window, mut st: State) -> Lowered {
        let Some((&v, rest)) = loops.split_first() else { unreachable!("there is a fused loop") };
        self.note_repeated(v, &mut st);
        let name = self.name(if st.stride.is_some() { f } else { v });
        let var = self.fresh(&name, Ty::Index);
        let (outside, strided) = (self.outside(v, &st), st.stride.is_some());
        let mut inner = self.enter(v, st);
        let mut facts = Vec::new();
        let (at, range) = if strided {
            (Expr::Var(var), w.clone())
        } else {
            inner.coords[v.index()] = Some(Expr::Var(var));
            (build::add(w.lo.clone(), Expr::Var(var)), Window { lo: Expr::Index(0), hi: length(w) })
        };
        let at = self.fact(f, at, &mut facts);
        self.learn_chain(v, &at, &mut inner);
        inner.coords[f.index()] = Some(at);
        self.learn(f, &mut inner, &mut facts)?;
        let body = under(facts, self.lower(rest, inner)?);
        self.finish_loop(v, var, range, body, &outside)
    }

    /// The written element is visited again by another iteration if a variable that it does not have is part of the
    /// loop's.
    pub(super) fn note_repeated(&self, v: IndexVar, st: &mut State) {
        if let Lhs::Output { .. } = st.lhs
            && !self.is_bound(v)
        {
            st.repeated |= self.unknown_roots(v, st).iter().any(|r| !self.out.vars.contains(r));
        }
    }

    /// The variables without a maker that a loop's variable comes from and whose coordinates are not known yet.
    pub(super) fn unknown_roots(&self, v: IndexVar, st: &State) -> Vec<IndexVar> {
        let mut roots = self.provenance.roots(v);
        roots.retain(|r| st.coords[r.index()].is_none());
        roots
    }
}

/// Does a value hold a reduction or a workspace with loops of its own?
pub(super) fn has_loops(v: &Val) -> bool {
    match v {
        Val::Reduce(..) | Val::Work(_) => true,
        Val::Un(_, a) => has_loops(a),
        Val::Op(_, args) => args.iter().any(has_loops),
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => false,
    }
}
