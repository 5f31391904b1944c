//! Fibers that loops inside come to again and again: a table says where their coordinates are.
//!
//! ```text
//! ∀j ∀k y += M[i, k] * B[i, j] * C[j, k]
//!     →   for pM { after[M2_crd[pM]] = pM + 1 }; ∀j ∀k { p = after[k]; if begin < p && p <= end { y += M[p - 1] * … } }
//! ```
//!
//! To merge row i of M with each row of C takes a step for each of its entries each time. The table is never emptied, for what
//! other rows have left there is none of this one's positions (Briggs and Torczon 1993); and it holds the position after an
//! entry, so that the zeros which it begins with are not in any row.
//!
//! It has memory for a dimension. Where the operand has none for any, as it lists its rows, and a dimension is too large, its fiber
//! is merged.

use super::region::guard;
use super::state::{Lhs, State};
use super::{Binder, Lowered, Lowerer};
use crate::cin::result::ResultKind;
use crate::cin::val::AccessId;
use crate::front::ast::IndexVar;
use crate::llir::{Block, BufferId, Elem, Expr, Init, LoopKind, Space, Stmt, Ty, build};
use crate::looplet::{self, Bind, Body, Looplet, Position};
use crate::work::NEAR;

/// Where a fiber's coordinates are.
#[derive(Clone, Debug)]
pub(super) struct Table {
    access: AccessId,
    level: usize,
    /// By coordinate, the position after it.
    after: BufferId,
    begin: Expr,
    end: Expr,
}

impl Table {
    /// What the fiber has at a coordinate.
    pub(super) fn look_up(&self, coordinate: &Expr, binder: &mut dyn Bind) -> Looplet {
        let after = binder.bind("after", build::load(self.after, coordinate.clone()));
        let here = build::and(
            build::lt(self.begin.clone(), after.clone()),
            build::le(after.clone(), self.end.clone()),
        );
        let child = Position::One(build::sub(after, Expr::Index(1)));
        Looplet::Switch { cond: here, then: Body::Child(child), otherwise: Body::Fill }
    }
}

impl State {
    /// The table of the fiber that an operand is at.
    pub(super) fn table_of(&self, a: AccessId) -> Option<&Table> {
        self.tables.iter().find(|t| t.access == a && t.level == self.cursors[a.index()].level)
    }
}

impl Lowerer<'_> {
    /// An operand whose fiber stays while loops inside go to others that it is merged with, and without which nothing is done.
    pub(super) fn tabled(&self, loops: &[IndexVar], st: &State) -> Option<AccessId> {
        let inside = loops.get(1..).unwrap_or_default();
        if self.gpu.is_some() || self.options.gallop || inside.is_empty() {
            return None;
        }
        let mut unfilled = false;
        st.rhs.for_each_production(&mut |_| unfilled = true);
        let mut operands: Vec<AccessId> = vec![];
        st.rhs.for_each_access(&mut |a| operands.push(a));
        let needed = |a: &AccessId| {
            let here = (*a, st.cursors[a.index()].level);
            st.table_of(*a).is_none() && !st.untabled.contains(&here) && st.idles_without(self, &[*a])
        };
        operands.retain(needed);
        let stays = |a: &AccessId| {
            let along = st.next_var(self, *a).filter(|k| inside.contains(k))?;
            let cursor = &st.cursors[a.index()];
            let level = &self.levels[a.index()][cursor.level];
            let fiber =
                cursor.level > 0 && level.pos.is_some() && matches!(cursor.position, Position::One(_));
            let listed = level.lists_coordinates() && level.level.is_unique();
            let asked = self.provenance.tag(along).merge.is_some() || st.walks.contains(a);
            (fiber && listed && !asked).then_some(along)
        };
        // Loops around the fiber's own go to other fibers of another operand.
        let leads = |b: &AccessId, along: IndexVar| {
            let from = st.cursors[b.index()].level;
            let levels = from..self.levels[b.index()].len();
            let at = levels.clone().find(|l| self.level_vars[b.index()][*l] == along);
            let around: Vec<_> = loops.iter().take_while(|v| **v != along).collect();
            at.is_some_and(|at| {
                let above = &self.level_vars[b.index()][from..at];
                let lists = self.levels[b.index()][at].lists_coordinates();
                lists && above.iter().any(|v| around.iter().any(|w| self.provenance.roots(**w).contains(v)))
            })
        };
        let is_merged =
            |a: &AccessId| stays(a).is_some_and(|along| operands.iter().any(|b| b != a && leads(b, along)));
        operands.iter().copied().find(is_merged).filter(|_| !unfilled)
    }

    /// Makes the table of an operand's fiber, for the loops.
    pub(super) fn with_table(&mut self, a: AccessId, loops: &[IndexVar], st: State) -> Lowered {
        let cursor = &st.cursors[a.index()];
        let (level, position) = (cursor.level, cursor.position.clone());
        let listed = self.levels[a.index()][level].clone();
        let var = self.level_vars[a.index()][level];
        let (tensor, along) = (self.tensor_name(a), self.name(var));
        let mut code = Block::new();
        let mut binder = Binder::new(self, &mut code, a, level, var);
        let Looplet::Stepper(s) = looplet::unfurl(&listed, &position, &mut binder) else {
            unreachable!("a level with positions and coordinates is stepped through")
        };
        let after = self.local(&format!("{tensor}{}_after", level + 1), Elem::Index, Space::Scratch);
        let p = self.fresh(&format!("p{tensor}"), Ty::Index);
        let value = build::add(p, Expr::Index(1));
        let fills = Stmt::Store { buffer: after, index: build::load(s.crd, p), value };
        let (lo, hi) = (s.begin.clone(), s.end.clone());
        let size = listed.size;
        let mut block = vec![
            Stmt::Alloc { buffer: after, len: size.clone(), init: Init::Kept },
            Stmt::For { var: p, lo, hi, step: 1, kind: LoopKind::Serial, body: vec![fills] },
        ];
        let table = Table { access: a, level, after, begin: s.begin.clone(), end: s.end.clone() };
        // Of a fiber without entries there is nothing to look up; an assembled result may have entries all the same.
        let array = self.out.kind == ResultKind::Dense;
        let ends = matches!(st.lhs, Lhs::Scalar(_)) || array && matches!(st.lhs, Lhs::Output { .. });
        if ends {
            self.note_dropped(&st);
        }
        let tables = [&st.tables[..], &[table]].concat();
        let inner = self.lower(loops, State { tables, ..st.clone() })?;
        if inner.is_empty() {
            return Ok(inner);
        }
        let mut note =
            format!("`{tensor}` is looked up along `{along}`: a table says where its coordinates are");
        block.extend(inner);
        if self.levels[a.index()].first().is_some_and(|rows| rows.lists_coordinates()) {
            note.push_str(&format!("; where there are more than {NEAR} it is merged"));
            let untabled = [&st.untabled[..], &[(a, level)]].concat();
            let otherwise = self.lower(loops, State { untabled, ..st })?;
            block =
                vec![Stmt::If { cond: build::le(size, Expr::Index(NEAR as u64)), then: block, otherwise }];
        }
        self.note(note);
        code.extend(if ends { guard(build::lt(s.begin, s.end), block) } else { block });
        Ok(code)
    }
}
