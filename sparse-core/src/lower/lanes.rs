//! Register tiles: a unit-stride loop over the output, kept in registers over the reduction loops around it.
//!
//! `∀j ∀k C[i, k] += A[i, j] * B[j, k]` becomes, for each tile of W columns, `acc[0..W] = 0; ∀j ∀lane acc[lane] += …;
//! C[i, tile] = acc`: one store an element and no zeroing pass. This is what separates a vendor's library from a
//! sparse compiler's plain loops. Widths go from wide to narrow, but for those that a processor has not
//! the registers for ([`Expr::Fits`]); what is left over is done one element at a time. A loop that a schedule puts on `CPUVector` around reductions becomes the same.

use super::derived::has_loops;
use super::region::guard;
use super::state::{Lane, Lhs, State};
use super::{Lowered, Lowerer};
use crate::cin::val::Val;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::walk::substitute;
use crate::llir::{Block, Expr, LoopKind, Stmt, Ty, VarId, build};

/// So many bytes are a tile on every processor: half of what SSE2 has. Others have registers for these.
const FITS: u64 = 128;
const TILES: [u64; 3] = [FITS, 256, 1024];

/// Of these widths, those that some processor's registers hold and no wider one, and small ones for what is left over.
fn worthwhile(widths: &[u32], size: u64) -> Vec<u32> {
    let holds = |tile: u64, width: u32| u64::from(width) * size <= tile;
    let widest = |width: u32| TILES.iter().any(|&t| widths.iter().find(|w| holds(t, **w)) == Some(&width));
    widths.iter().copied().filter(|w| *w <= 32 || widest(*w)).collect()
}

impl Lowerer<'_> {
    /// Is the innermost loop a unit-stride loop over the output, inside loops that all reduce into it?
    pub(super) fn tiles(&self, loops: &[IndexVar], st: &State) -> bool {
        let Some((&k, reductions)) = loops.split_last() else { return false };
        let Some((written, unit_stride)) = written(self, st) else { return false };
        let reduces = |v: &IndexVar| !self.unknown_roots(*v, st).iter().any(|r| written.contains(r));
        self.gpu.is_none()
            && !self.options.lanes.is_empty()
            && !reductions.is_empty()
            && reductions.iter().all(reduces)
            && unit_stride == Some(k)
            && written.iter().all(|&v| v == k || st.coords[v.index()].is_some())
            && !has_loops(&st.rhs)
            && self.only_located(k, st)
    }

    /// The loops below and then the first, if that one is to run in vector lanes around reductions, or is along a row of a block, on
    /// which operands lie. Its iterations are independent, so that those of a tile can take each step of the reductions together, as
    /// lanes do.
    pub(super) fn vector_around(&self, loops: &[IndexVar], st: &State) -> Option<Vec<IndexVar>> {
        let (&k, reductions) = loops.split_first()?;
        let vector = matches!(self.provenance.tag(k).parallel, Some((Unit::CpuVector, _)));
        let placed = matches!(&st.lhs, Lhs::Array(target) if target.placed);
        let vector = vector || placed && self.lies_along(k, &st.rhs);
        let inside: Vec<_> = reductions.iter().copied().chain([k]).collect();
        (vector && !self.is_above_sparse(k, st) && self.tiles(&inside, st)).then_some(inside)
    }

    /// Do more operands lie along a variable than across?
    fn lies_along(&self, k: IndexVar, value: &Val) -> bool {
        let (mut along, mut across) = (0, 0);
        value.for_each_access(&mut |a| {
            let vars = &self.level_vars[a.index()];
            along += usize::from(vars.last() == Some(&k));
            across += vars.iter().rev().skip(1).filter(|v| **v == k).count();
        });
        along > across
    }

    /// Is a sparse level below one of the variable's? The loop over it, put around, would search for each coordinate what
    /// it steps through inside.
    fn is_above_sparse(&self, k: IndexVar, st: &State) -> bool {
        let mut above = false;
        st.rhs.for_each_access(&mut |a| {
            let mut below = self.level_vars[a.index()].iter().zip(&self.levels[a.index()]);
            above |= below.any(|(v, _)| *v == k) && below.any(|(_, level)| !level.level.can_locate());
        });
        above
    }

    /// Does every level that the variable indexes allow random access?
    pub(super) fn only_located(&self, k: IndexVar, st: &State) -> bool {
        let mut only = true;
        st.rhs.for_each_access(&mut |a| {
            let levels = self.levels[a.index()].iter().zip(&self.level_vars[a.index()]);
            only &= levels.into_iter().all(|(level, &v)| v != k || level.level.can_locate());
        });
        only
    }

    pub(super) fn tile(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        let Some((&k, reductions)) = loops.split_last() else { unreachable!("a tile has loops") };
        self.tiled(k, reductions, st, &|l, lane, st| l.one_tile(loops, lane, st), reductions)
    }

    /// The loop over an element's last variable, whose tiles are made by `tile`; what is left over goes through `loops`.
    fn tiled(
        &mut self,
        k: IndexVar,
        loops: &[IndexVar],
        st: State,
        tile: &dyn Fn(&mut Self, Lane, &State) -> Lowered,
        sums: &[IndexVar],
    ) -> Lowered {
        let n = self.extent(k);
        let name = self.name(k);
        let mut block = Block::new();
        let mut done = Expr::Index(0);
        for width in worthwhile(&self.options.lanes, self.dtype.size() as u64) {
            let end = self.fresh(&format!("{name}_end"), Ty::Index);
            let w = || Expr::Index(width.into());
            let whole = build::mul(build::div(n.clone(), w()), w());
            let bytes = u64::from(width) * self.dtype.size() as u64;
            let value = match bytes {
                ..=FITS => whole,
                _ => build::select(Expr::Fits(bytes), whole, done.clone()),
            };
            block.push(Stmt::Let { var: end, value });
            let base = self.fresh(&format!("{name}0"), Ty::Index);
            let body = tile(self, Lane { var: k, base: Expr::Var(base), width, count: None, at: None }, &st)?;
            if body.is_empty() {
                self.note_dropped(&st);
                return Ok(vec![]);
            }
            let kind = LoopKind::Serial;
            block.push(Stmt::For { var: base, lo: done, hi: Expr::Var(end), step: width, kind, body });
            done = Expr::Var(end);
        }
        let at = self.fresh(&name, Ty::Index);
        let mut rest = st;
        rest.coords[k.index()] = Some(Expr::Var(at));
        let body = self.lower(loops, rest)?;
        block.push(Stmt::For { var: at, lo: done, hi: n, step: 1, kind: LoopKind::Serial, body });
        self.tags.in_vectors.insert(k);
        self.note_tiles(&name, sums);
        Ok(block)
    }

    fn note_tiles(&mut self, name: &str, reductions: &[IndexVar]) {
        let widths = worthwhile(&self.options.lanes, self.dtype.size() as u64);
        let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
        let over: Vec<String> = reductions.iter().map(|v| format!("`{}`", self.name(*v))).collect();
        self.note_registers(format!(
            "tiles of {} elements along `{name}`, of which each processor takes those that its registers hold, over the loops over {}",
            widths.join(", "),
            over.join(", ")
        ));
    }

    /// The sums that stand as numbers in the value of an element, where the only loop left is over elements next to each
    /// other and each sum reads along them: `Z[i, k] + Σj A[i, j] * X[j, k]`. A tile of elements can share the loops of each.
    pub(super) fn number_tiles(&self, loops: &[IndexVar], st: &State) -> Option<Vec<Val>> {
        let sums = self.element_sums(loops, st)?;
        let k = loops[0];
        let reads = |sum: &Val| {
            let mut reads = false;
            sum.for_each_access(&mut |a| reads |= self.level_vars[a.index()].contains(&k));
            reads
        };
        let fit = !self.is_above_sparse(k, st) && sums.iter().all(reads);
        (fit && sums.iter().any(|sum| self.lies_along(k, sum))).then_some(sums)
    }

    /// The sums that stand as numbers in the value of an element, where the only loop left is over elements next to each other,
    /// none of which has to be looked for.
    pub(super) fn element_sums(&self, loops: &[IndexVar], st: &State) -> Option<Vec<Val>> {
        let [k] = *loops else { return None };
        let tag = self.provenance.tag(k);
        let plain = tag.parallel.is_none() && tag.unroll.is_none() && self.gpu.is_none();
        let element =
            matches!(st.lhs, Lhs::Output { .. }) && st.has_position() && self.out.unit_stride() == Some(k);
        let known = |v: &IndexVar| *v == k || st.coords[v.index()].is_some();
        if !plain || !element || self.options.lanes.is_empty() || !self.out.vars.iter().all(known) {
            return None;
        }
        let mut sums = vec![];
        let all = numbers(&st.rhs, &mut sums) && !sums.is_empty();
        (all && self.only_located(k, st)).then_some(sums)
    }

    /// Elements in tiles, each of the sums of one before them.
    pub(super) fn tile_numbers(&mut self, k: IndexVar, sums: &[Val], st: State) -> Lowered {
        let mut over: Vec<IndexVar> = vec![];
        for sum in sums {
            let Val::Reduce(_, vars, _) = sum else { unreachable!("a sum has loops") };
            let others: Vec<IndexVar> = vars.iter().copied().filter(|v| !over.contains(v)).collect();
            over.extend(others);
        }
        self.tiled(k, &[], st, &|l, lane, st| l.tile_of_numbers(sums, lane, st), &over)
    }

    pub(super) fn tile_of_numbers(&mut self, sums: &[Val], lane: Lane, st: &State) -> Lowered {
        let k = lane.var;
        let mut block = Block::new();
        let mut found = vec![];
        for sum in sums {
            let Val::Reduce(m, vars, body) = sum else { unreachable!("a sum has loops") };
            let Some(identity) = m.identity(self.dtype) else {
                unreachable!("the front checks the monoid's type")
            };
            let acc = self.register_array(lane.width);
            let (lhs, op, rhs) = (Lhs::Register(acc), Some(*m), (**body).clone());
            let inner_lane = Some(lane.clone());
            let inner = State { rhs, lhs, op, lane: inner_lane, leaf: None, opens: vec![], ..st.clone() };
            let loops: Vec<IndexVar> = vars.iter().copied().chain([k]).collect();
            let inner = self.lower(&loops, inner)?;
            block.push(Stmt::Local { buffer: acc, init: Some(identity) });
            block.extend(inner);
            found.push((acc, self.fresh("t", Ty::Scalar(self.dtype))));
        }
        let at = self.fresh("lane", Ty::Index);
        let mut out = st.clone();
        out.coords[k.index()] = Some(build::add(lane.base.clone(), at));
        out.lane = Some(Lane { at: Some(at), ..lane.clone() });
        let number = |v: &Val| sums.iter().position(|sum| sum == v).map(|n| Val::Temp(found[n].1.0));
        out.rhs = st.rhs.map(&number);
        let mut body = self.lower(&[], out)?;
        if body.is_empty() {
            return Ok(body);
        }
        for (acc, t) in found {
            substitute(&mut body, t, &build::load(acc, at));
        }
        block.push(lane.over(at, body));
        Ok(block)
    }

    /// Is the first loop over the last level of an appended result, each of whose elements is a sum of the loops inside that reads
    /// along them? They all have terms or none: what is sparse there does not ask for their coordinate.
    pub(super) fn appended_tiles(&self, loops: &[IndexVar], st: &State) -> bool {
        let Some((&k, reductions)) = loops.split_first() else { return false };
        let tag = self.provenance.tag(k);
        let plain = tag.parallel.is_none() && tag.unroll.is_none() && self.gpu.is_none();
        let appended = self.out.is_assembled() && matches!(st.lhs, Lhs::Output { block: None });
        let element = appended && self.out.vars.last() == Some(&k) && self.is_appended(k);
        let others = self.out.vars.iter().all(|&v| v == k || st.coords[v.index()].is_some());
        let reduces = |v: &IndexVar| !self.unknown_roots(*v, st).iter().any(|r| self.out.vars.contains(r));
        plain
            && element
            && others
            && !self.options.lanes.is_empty()
            && !reductions.is_empty()
            && reductions.iter().all(reduces)
            && !has_loops(&st.rhs)
            && self.only_located(k, st)
            && !self.is_above_sparse(k, st)
            && self.lies_along(k, &st.rhs)
    }

    /// Elements in tiles, each of which is summed, and appended whole.
    pub(super) fn tile_appended(&mut self, loops: &[IndexVar], st: State) -> Lowered {
        let Some((&k, reductions)) = loops.split_first() else { unreachable!("a tile has loops") };
        let inside: Vec<IndexVar> = reductions.iter().copied().chain([k]).collect();
        self.tiled(k, reductions, st, &|l, lane, st| l.one_appended_tile(&inside, lane, st), reductions)
    }

    fn one_appended_tile(&mut self, loops: &[IndexVar], lane: Lane, st: &State) -> Lowered {
        let identity = self.identity(st);
        let acc = self.register_array(lane.width);
        let inner = State { lhs: Lhs::Register(acc), lane: Some(lane.clone()), ..st.clone() };
        let inner = self.lower(loops, inner)?;
        if inner.is_empty() {
            return Ok(vec![]);
        }
        let mut block = vec![Stmt::Local { buffer: acc, init: Some(identity) }];
        let some = self.array_terms(acc, inner, true, &mut block);
        let at = self.fresh("lane", Ty::Index);
        let mut out = st.clone();
        out.coords[lane.var.index()] = Some(build::add(lane.base, at));
        let body = self.write(&out, build::load(acc, at));
        let (lo, hi) = (Expr::Index(0), Expr::Index(lane.width.into()));
        let kind = LoopKind::Serial;
        block.extend(guard(some, vec![Stmt::For { var: at, lo, hi, step: 1, kind, body }]));
        Ok(block)
    }

    pub(super) fn one_tile(&mut self, loops: &[IndexVar], lane: Lane, st: &State) -> Lowered {
        let Some(identity) = st.op.and_then(|m| m.identity(self.dtype)) else {
            unreachable!("only a reduction is tiled")
        };
        let acc = self.register_array(lane.width);
        let inner = State { lhs: Lhs::Register(acc), lane: Some(lane.clone()), ..st.clone() };
        let inner = self.lower(loops, inner)?;
        if inner.is_empty() {
            return Ok(vec![]);
        }
        let mut block = vec![Stmt::Local { buffer: acc, init: Some(identity) }];
        block.extend(inner);
        let mut write = |sole: Option<Expr>| {
            let at = self.fresh("lane", Ty::Index);
            let mut out = State { sole, ..st.clone() };
            out.coords[lane.var.index()] = Some(build::add(lane.base.clone(), at));
            let body = self.write(&out, build::load(acc, at));
            vec![lane.over(at, body)]
        };
        // Lanes do not ask one by one who else writes the row.
        block.extend(match st.sole.clone() {
            Some(cond) => {
                let [then, otherwise] = [true, false].map(|sole| write(Some(Expr::Cond(sole))));
                vec![Stmt::If { cond, then, otherwise }]
            }
            None => write(None),
        });
        Ok(block)
    }

    /// The loop over the lanes themselves.
    pub(super) fn lane_loop(&mut self, lane: Lane, rest: &[IndexVar], mut st: State) -> Lowered {
        let at = self.fresh("lane", Ty::Index);
        st.coords[lane.var.index()] = Some(build::add(lane.base.clone(), at));
        st.lane = Some(Lane { at: Some(at), ..lane.clone() });
        let body = self.lower(rest, st)?;
        Ok(if body.is_empty() { body } else { vec![lane.over(at, body)] })
    }
}

/// The variables of the elements that a state writes in any order, and the one along which they lie next to each other.
pub(super) fn written<'a>(l: &'a Lowerer<'_>, st: &'a State) -> Option<(&'a [IndexVar], Option<IndexVar>)> {
    match &st.lhs {
        Lhs::Output { .. } if st.has_position() => Some((&l.out.vars, l.out.unit_stride())),
        Lhs::Array(target) if target.placed => Some((&target.indices, target.indices.last().copied())),
        _ => None,
    }
}

/// Finds the sums of a value, each once; false if there are others inside of one, or workspaces.
fn numbers(v: &Val, found: &mut Vec<Val>) -> bool {
    match v {
        Val::Reduce(_, _, body) => {
            if !found.contains(v) {
                found.push(v.clone());
            }
            !has_loops(body)
        }
        Val::Work(_) => false,
        Val::Un(_, a) => numbers(a, found),
        Val::Op(_, args) => args.iter().all(|a| numbers(a, found)),
        Val::Lit(_) | Val::Infinite(_) | Val::Access(_) | Val::Param(_) | Val::Temp(_) => true,
    }
}

impl Lane {
    /// The loop over the lanes.
    pub(super) fn over(&self, at: VarId, body: Block) -> Stmt {
        let (hi, kind) = match &self.count {
            Some(count) => (count.clone(), LoopKind::Serial),
            None => (Expr::Index(self.width.into()), LoopKind::Lanes),
        };
        Stmt::For { var: at, lo: Expr::Index(0), hi, step: 1, kind, body }
    }
}
