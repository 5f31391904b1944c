//! Operands that are searched for a coordinate that is known, many at once.

use super::Iter;
use super::union::{Here, Lead, Union, What};
use crate::cin::val::AccessId;
use crate::diag::Diagnostic;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Bound, Expr, Stmt, Ty, VarId, build};
use crate::looplet::{self, Bind, Looplet, Position, Stepper};
use crate::lower::state::State;
use crate::lower::{Binder, Lowerer, joined};

/// So many operands have a case for each set of them that has the coordinate.
const FEW_SEARCHED: usize = 2;

impl Lowerer<'_> {
    /// Steps operands to a coordinate each that is known, and that they are searched for: many of which none is needed, so that
    /// a case for each set of them that has it would be much code. `None` if these are few.
    pub(in crate::lower) fn found_together(
        &mut self,
        loops: &[IndexVar],
        st: &State,
    ) -> Result<Option<Block>, Box<Diagnostic>> {
        let is_few = |group: &[AccessId]| group.len() <= FEW_SEARCHED;
        let searched = self.searched(st);
        if is_few(&searched) {
            return Ok(None);
        }
        // First those that all depends on, and levels that need no search.
        let stored = |a: &AccessId| self.is_searched(*a, st.cursors[a.index()].level);
        let mut group: Vec<AccessId> = searched.iter().copied().filter(stored).collect();
        let first = st.all_locatable(self).into_iter().find(|a| !group.contains(a));
        if let Some(a) = first {
            return self.locate(a, loops, st.clone()).map(Some);
        }
        let fibers: Vec<AccessId> =
            group.iter().copied().filter(|a| self.may_be_empty(*a, loops, st)).collect();
        let are_fibers = !is_few(&fibers);
        if are_fibers {
            group = fibers;
        }
        let optional: Vec<usize> = (0..group.len()).collect();
        let everywhere = self.acts_without(&group, st);
        let what = if are_fibers {
            What::Fibers
        } else {
            let sum = if loops.is_empty() { self.as_sum(&group, &optional, st, everywhere) } else { None };
            let Some(sum) = sum else { return Ok(None) };
            What::Sum(sum)
        };
        if everywhere
            && let Some(a) = searched.iter().copied().find(|a| !group.contains(a))
            && !self.acts_without(&searched, st)
        {
            // Only because of others that are searched, too. Without these, it is asked whether any of the group is there.
            return self.locate(a, loops, st.clone()).map(Some);
        }
        let mut block = Block::new();
        let (mut iters, mut has, mut ends) = (vec![], vec![], vec![]);
        for a in group {
            let (iter, found, end) = self.search(a, st, &mut block);
            iters.push(iter);
            has.push(Some(found));
            ends.push(end);
        }
        // No coordinate is gone through: it is the state's.
        let mut here = Here { iters: &iters, i: &Expr::Index(0), has: &has, ends };
        if are_fibers {
            self.bind_ends(&mut here, &optional, &mut block);
        }
        let union = Union { lead: Lead::All, needed: vec![], optional, what, everywhere };
        let inner = &mut |l: &mut Lowerer<'_>, _, st| l.lower(loops, st);
        let code = self.union_at(&here, &union, (st.clone(), vec![]), inner)?;
        Ok(Some(if code.is_empty() { code } else { joined(block, code) }))
    }

    /// The operands that are searched for coordinates that are known, and of which none is needed.
    fn searched(&self, st: &State) -> Vec<AccessId> {
        let mut searched = st.all_locatable(self);
        searched.retain(|&a| {
            let known = |v: &IndexVar| self.known(*v, st).is_some();
            let from = st.cursors[a.index()].level;
            let levels = (from..).zip(&self.level_vars[a.index()][from..]).take_while(|(_, v)| known(v));
            let optional = || self.fill(a).is_some() && !st.idles_without(self, &[a]);
            !st.walks.contains(&a) && levels.into_iter().any(|(l, _)| self.is_searched(a, l)) && optional()
        });
        searched
    }

    /// Does a level list coordinates?
    fn is_searched(&self, a: AccessId, level: usize) -> bool {
        self.levels[a.index()][level].lists_coordinates()
    }

    /// Where an operand has a coordinate that is known, if it does; whether it does; and the end of its positions if these may
    /// be several.
    fn search(&mut self, a: AccessId, st: &State, block: &mut Block) -> (Iter, Expr, Option<VarId>) {
        let cursor = &st.cursors[a.index()];
        let level = self.levels[a.index()][cursor.level].clone();
        let var = self.level_vars[a.index()][cursor.level];
        let Some(i) = self.known(var, st) else { unreachable!("only a known coordinate is searched") };
        let position = format!("p{}{}", self.tensor_name(a), cursor.level + 1);
        let here = self.stored_here(a, st);
        let mut binder = Binder::new(self, block, a, cursor.level, var);
        let Looplet::Stepper(stepper) = looplet::unfurl(&level, &cursor.position, &mut binder) else {
            // A single coordinate below one position.
            let (Position::One(p), Some(crd)) = (cursor.position.clone(), level.crd) else {
                unreachable!("a level that lists coordinates has one or steps through them")
            };
            let end = build::add(p.clone(), Expr::Index(1));
            let stepper = Stepper { crd, begin: p.clone(), end, unique: true };
            let at = binder.bind("at", build::load(crd, p.clone()));
            return (Iter::at(a, stepper, p), build::eq(at, i), None);
        };
        let (begin, end) = (stepper.begin.clone(), stepper.end.clone());
        let p = match here {
            Some(here) => here.p,
            None => binder.bind("p", build::search(Bound::Lower, stepper.crd, begin, end.clone(), i.clone())),
        };
        let several = (!stepper.unique).then(|| {
            let q = self.fresh(&format!("{position}_next"), Ty::Index);
            let value = build::search(Bound::Upper, stepper.crd, p.clone(), end, i.clone());
            block.push(Stmt::Let { var: q, value });
            q
        });
        let iter = Iter::at(a, stepper, p);
        let at = Binder::new(self, block, a, cursor.level, var).bind("at", iter.coordinate(&level.size));
        (iter, build::eq(at, i), several)
    }
}
