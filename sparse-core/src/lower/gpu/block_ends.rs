//! Rows of a block's positions that are searched for once a block, so that each thread searches between two of them.
//!
//! ```text
//! if thread <= 16 { ends[thread] = upper_bound(pos, begin + thread · threads / 16) }
//! barrier
//! part = thread / (threads / 16)
//! i = upper_bound(pos[ends[part]..ends[part + 1]], p) - 1
//! ```
//!
//! Seventeen lanes of one warp search all rows, in as many steps as one of them would. A sixteenth of the positions is in
//! a few rows, or in one, and then nothing is left to search. A device with enough blocks issues fewer instructions and
//! loads; in a launch that does not fill one each warp waits for a whole search as before, and then for its own.

use super::super::Lowerer;
use super::super::position::{Range, Spanned, ranges};
use super::super::region::Window;
use super::super::state::State;
use super::tiles::Shared;
use crate::cin::provenance::{Part, Relation};
use crate::front::ast::IndexVar;
use crate::front::command::Unit;
use crate::llir::{Block, Bound, Elem, Expr, Scope, Stmt, build};

/// Parts of a block's positions. Their ends are one more, and no more than a warp's lanes.
const PARTS: u64 = 16;

/// What a block knows before its threads search.
pub(super) struct BlockEnds {
    /// By level: where each thread searches.
    pub(super) ranges: Vec<Range>,
    /// The block's own search, and the barrier after it.
    pub(super) search: Block,
}

impl Lowerer<'_> {
    /// The ends of the rows that a block's positions are in, which its threads take one each.
    pub(super) fn block_ends(
        &mut self,
        of: Spanned<'_>,
        v: IndexVar,
        w: &Window,
        st: &State,
    ) -> Option<BlockEnds> {
        let Spanned { leader, span, parents } = of;
        let a = leader.access;
        let levels = self.levels[a.index()][span.first + 1..=span.group].to_vec();
        if !self.has_a_block(v, leader.pos, st) || levels.iter().all(|l| l.pos.is_none()) {
            return None;
        }
        let (thread, each) = (Expr::Var(self.gpu().thread), self.gpu().grid.threads() / PARTS);
        let begin = build::add(w.lo.clone(), build::mul(thread.clone(), Expr::Index(each)));
        let mut at = build::min(begin, build::sub(w.hi.clone(), Expr::Index(1)));
        let part = build::div(thread.clone(), Expr::Index(each));
        let next = build::add(part.clone(), Expr::Index(1));
        let (mut search, mut ranges) = (Block::new(), ranges(parents));
        for (level, below) in (span.first..span.group).zip(&levels).rev() {
            let range = &mut ranges[level - span.first];
            let name = format!("p{}{}", self.tensor_name(a), level + 1);
            let Some(pos) = below.pos else {
                let found = self.parent_within(leader, level, range, at);
                at = self.bind(&name, found, &mut search);
                continue;
            };
            let mut end = build::search(Bound::Upper, pos, range.0.clone(), range.1.clone(), at);
            if level > span.first {
                end = self.bind("end", end, &mut search);
            }
            let (of, name, len) = (Shared::Ends(a, level), format!("{name}_ends"), PARTS as u32 + 1);
            let ends = self.shared_array(of, &name, Elem::Index, len);
            search.push(Stmt::Store { buffer: ends, index: thread.clone(), value: end.clone() });
            *range = (build::load(ends, part.clone()), build::load(ends, next.clone()));
            at = build::sub(end, Expr::Index(1));
        }
        let about = format!("each {each} threads search between two of these ends");
        let cond = build::le(thread, Expr::Index(PARTS));
        let search = vec![
            Stmt::Comment(about),
            Stmt::If { cond, then: search, otherwise: vec![] },
            Stmt::Barrier(Scope::Block),
        ];
        Some(BlockEnds { ranges, search })
    }

    /// Are the loop's positions a part that a block has for itself, one for each of its threads, which all come here? Each
    /// block then has one at least: there are as many blocks as parts.
    fn has_a_block(&self, v: IndexVar, positions: IndexVar, st: &State) -> bool {
        let Some(Relation::Split { parent, outer, inner, part: Part::Inner(n) }) = self.provenance.made_by(v)
        else {
            return false;
        };
        let grid = &self.gpu().grid;
        let whole = grid.warps == 1 && grid.threads() == *n && *n >= self.options.search_threads;
        let on_blocks = |v: &IndexVar| self.unit(*v) == Some(Unit::GpuBlock);
        let of_block = *parent == positions && *inner == v && st.around.contains(outer);
        of_block && whole && st.around.iter().all(on_blocks)
    }
}
