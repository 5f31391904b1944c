//! Small square blocks times a vector: `y[i, m] = A[i, j, m, l] * x[j, l]`, where `m` and `l` are a block's rows and columns, and values
//! of which such a sum is a part, `b[i, m] - A[i, j, m, l] * x[j, l]`; and times each other, `A[i, j, m, l] * B[j, k, l, n]`.
//!
//! The loop over a block's rows is outside of that over a row's blocks, which reads them once for each of their rows, with vectors
//! along these; where a block's columns are stored together, the loop inside takes four rows at least. Rows of two or three elements
//! fill no vector, and to read their coordinates again takes longer than what is multiplied. Blocks that are small and square are read once, with all rows' sums in registers. Their size is a constant where code
//! is compiled for common sizes (`emit::rust::sizes`), without which no registers could be had: the processors that code is not
//! compiled for in sizes take the other way, as do all for other blocks. So it is where a block of a workspace is added to, whose tiles
//! have four elements at least.

use super::derived::has_loops;
use super::lanes::written;
use super::state::{Lane, Lhs, State};
use super::{Lowered, Lowerer};
use crate::cin::val::Val;
use crate::front::ast::IndexVar;
use crate::llir::walk::substitute;
use crate::llir::{Expr, Stmt, Ty, build};

/// A block's rows have so many bytes at most, and so many elements: where they fill vectors, one row after another is faster.
const BYTES: u64 = 48;
const MOST: u64 = 8;
/// A vector of processors for which code is compiled in sizes.
const VECTOR: u64 = 256;

/// The loops over small blocks.
pub(super) struct SmallBlocks {
    /// What has a sum in a register each.
    lanes: IndexVar,
    /// One whose coordinates are stored together, for whose number code is compiled.
    along: IndexVar,
    /// Those that have as many.
    across: Vec<IndexVar>,
}

impl SmallBlocks {
    fn of([m, l]: [IndexVar; 2], along: IndexVar) -> Self {
        SmallBlocks { lanes: m, along, across: vec![if along == m { l } else { m }] }
    }
}

impl Lowerer<'_> {
    /// Loops over small blocks, and all loops in an order in which those over the columns and the rows of the blocks come last.
    pub(super) fn small_blocks(
        &self,
        loops: &[IndexVar],
        st: &State,
    ) -> Option<(SmallBlocks, Vec<IndexVar>)> {
        let (vars, Some(m)) = written(self, st)? else { return None };
        let others: Vec<IndexVar> = loops.iter().copied().filter(|&v| v != m).collect();
        let &l = others.last()?;
        let in_order = loops.first() == Some(&m) || loops.last() == Some(&m);
        if self.gpu.is_some() || self.options.lanes.is_empty() || st.op.is_none() || !in_order {
            return None;
        }
        let reduces = |v: &IndexVar| !self.unknown_roots(*v, st).iter().any(|r| vars.contains(r));
        let fits = others.iter().all(reduces)
            && vars.iter().all(|&v| v == m || st.coords[v.index()].is_some())
            && !has_loops(&st.rhs)
            && self.are_plain([m, l], st);
        let along = self.stored_blocks(&others, [m, l], &st.rhs).filter(|_| fits)?;
        Some((SmallBlocks::of([m, l], along), others.into_iter().chain([m]).collect()))
    }

    /// Sums over small blocks that stand as numbers in the value of an element of a row of blocks.
    pub(super) fn block_sums(&self, loops: &[IndexVar], st: &State) -> Option<(SmallBlocks, Vec<Val>)> {
        let sums = self.element_sums(loops, st)?;
        let m = loops[0];
        let of = |sum: &Val| match sum {
            Val::Reduce(_, vars, body) => {
                let &l = vars.last()?;
                Some((l, self.stored_blocks(vars, [m, l], body)?))
            }
            _ => None,
        };
        let (l, along) = of(sums.first()?)?;
        let all =
            sums.iter().all(|sum| of(sum).is_some_and(|(last, _)| last == l)) && self.are_plain([m, l], st);
        all.then_some((SmallBlocks::of([m, l], along), sums))
    }

    /// Loops that add to a block of a workspace the product of two blocks that are known, and these in the order of its rows, what is
    /// summed, and its columns.
    pub(super) fn small_product(
        &self,
        loops: &[IndexVar],
        st: &State,
    ) -> Option<(SmallBlocks, [IndexVar; 3])> {
        let (Lhs::Array(target), Some(_)) = (&st.lhs, st.op) else { return None };
        let &[m, n] = &target.indices[..] else { return None };
        let l = match *loops {
            [first, l, last] | [first, last, l] if [first, last] == [m, n] => l,
            _ => return None,
        };
        let reads = |of: [IndexVar; 2]| {
            let mut found = false;
            st.rhs.for_each_access(&mut |a| found |= self.level_vars[a.index()].ends_with(&of));
            found
        };
        let fits = target.placed
            && self.gpu.is_none()
            && !self.options.lanes.is_empty()
            && !has_loops(&st.rhs)
            && self.are_plain([m, l], st)
            && self.are_plain([l, n], st)
            && reads([m, l])
            && reads([l, n]);
        fits.then(|| (SmallBlocks { lanes: n, along: n, across: vec![m, l] }, [m, l, n]))
    }

    /// The rows of a block of a workspace one after another, each with its elements as lanes.
    pub(super) fn product_rows(&mut self, loops: [IndexVar; 3], lane: Lane, st: &State) -> Lowered {
        let [m, inside @ ..] = loops;
        let at = self.fresh(&self.name(m), Ty::Index);
        let mut row = st.clone();
        row.coords[m.index()] = Some(Expr::Var(at));
        let body = self.one_tile(&inside, lane.clone(), &row)?;
        // There are as many rows.
        Ok(if body.is_empty() { body } else { vec![lane.over(at, body)] })
    }

    /// Are loops no command's, and all rows and columns of blocks found without a search?
    fn are_plain(&self, loops: [IndexVar; 2], st: &State) -> bool {
        loops.iter().all(|&v| {
            let tag = self.provenance.tag(v);
            tag.parallel.is_none()
                && tag.unroll.is_none()
                && self.provenance.made_by(v).is_none()
                && self.only_located(v, st)
        })
    }

    /// If an operand has blocks of these rows and columns at the coordinates of a sparse level, over which one of the loops runs: that
    /// of the two whose coordinates it stores together.
    fn stored_blocks(&self, loops: &[IndexVar], [m, l]: [IndexVar; 2], rhs: &Val) -> Option<IndexVar> {
        let mut along = None;
        rhs.for_each_access(&mut |a| {
            let Some((above, block)) = self.level_vars[a.index()].split_last_chunk() else { return };
            let mut levels = self.levels[a.index()].iter().zip(above);
            let of = *block == [m, l] || *block == [l, m];
            if of && levels.any(|(l, v)| !l.level.can_locate() && loops.contains(v)) {
                along = along.or(Some(block[1]));
            }
        });
        along
    }

    /// What is `small` has lanes, where rows and columns are the same small number, `otherwise` any number of them.
    pub(super) fn with_small_blocks(
        &mut self,
        of: &SmallBlocks,
        small: impl FnOnce(&mut Self, Lane) -> Lowered,
        otherwise: impl FnOnce(&mut Self) -> Lowered,
    ) -> Lowered {
        let most = MOST.min(BYTES / self.dtype.size() as u64);
        let size = self.extent(of.along);
        let (base, count) = (Expr::Index(0), Some(size.clone()));
        let mut then = small(self, Lane { var: of.lanes, base, width: most as u32, count, at: None })?;
        let otherwise = otherwise(self)?;
        if then.is_empty() || otherwise.is_empty() {
            return Ok(otherwise);
        }
        let some = build::lt(Expr::Index(1), size.clone());
        let few = build::and(some, build::le(size.clone(), Expr::Index(most)));
        let mut cond = build::and(Expr::Fits(VECTOR), few);
        for &v in &of.across {
            let same = self.extent(v);
            if let Expr::Var(same) = same {
                substitute(&mut then, same, &size);
            }
            cond = build::and(cond, build::eq(same, size.clone()));
        }
        self.note_registers(format!(
            "the sums of all elements along `{}` of a block, where it is square and has 2 to {most}",
            self.name(of.lanes)
        ));
        Ok(vec![Stmt::If { cond, then, otherwise }])
    }
}
