//! Masks of what rows scatter: operands without whose entries nothing is scattered, and whose fiber stands when a row begins.
//!
//! ```text
//! for pA in … { for pB in … { k = B.crd[pB]; pM = search(M.crd[row's], k); if M has k { w[k] += … } } }
//! ```
//!
//! A thread could merge such a fiber with those of the operand that the loops go on with, as the host does: again and again. A team's
//! lanes could not, for each step depends on the one before. So it is searched for each coordinate of the other: entries are told
//! apart, and lanes have one each, of several fibers ([`super::abreast`]).
//!
//! How much work a row is, the pass says that counts what is scattered: all that is looked for counts there, as if the masks
//! listed it. How large its table is they say, too: no more elements are taken than a mask lists.

use super::super::assemble::Pass;
use super::super::state::{Lhs, State};
use super::super::{Binder, Lowerer};
use crate::cin::val::AccessId;
use crate::llir::{Block, Expr, build};
use crate::looplet::{self, Looplet, Position};

impl Lowerer<'_> {
    /// The masks of what a producer scatters into a table: if loops inside come to fibers of another operand with the same
    /// coordinates, and nobody has scheduled how they merge.
    pub(in super::super) fn masks_of_table(&self, producer: &State) -> Vec<AccessId> {
        let Lhs::Scattered(target) = &producer.lhs else { return vec![] };
        let [written] = target.indices[..] else { return vec![] };
        if self.provenance.tag(written).merge.is_some() {
            return vec![];
        }
        let lists = |a: AccessId, level: usize| self.levels[a.index()][level].lists_coordinates();
        let (mut masks, mut moved) = (Vec::new(), false);
        producer.rhs.for_each_access(&mut |a| {
            let vars = &self.level_vars[a.index()];
            let next = producer.cursors[a.index()].level;
            match (next..vars.len()).find(|level| vars[*level] == written) {
                Some(level) if !lists(a, level) => {}
                Some(level) if level > next => moved = true,
                Some(level) if level + 1 == vars.len() && !masks.contains(&a) => masks.push(a),
                _ => {}
            }
        });
        masks.retain(|a| moved && producer.idles_without(self, &[*a]));
        masks
    }

    /// No more coordinates are listed by each of several masks; `None` without masks.
    pub(in super::super) fn listed_by(
        &mut self,
        masks: &[AccessId],
        st: &State,
        block: &mut Block,
    ) -> Option<Expr> {
        let mut least: Option<Expr> = None;
        for &a in masks {
            let cursor = &st.cursors[a.index()];
            let (level, var) =
                (self.levels[a.index()][cursor.level].clone(), self.level_vars[a.index()][cursor.level]);
            let mut binder = Binder::new(self, block, a, cursor.level, var);
            if let Looplet::Stepper(listed) = looplet::unfurl(&level, &cursor.position, &mut binder) {
                let listed = build::sub(listed.end, listed.begin);
                least = Some(least.map_or(listed.clone(), |least| build::min(least, listed)));
            }
        }
        least
    }

    /// The producer that searches its masks; where it only counts, they have all coordinates.
    pub(in super::super) fn under_masks(&self, mut producer: State, pass: Pass) -> State {
        let Lhs::Scattered(target) = &producer.lhs else { return producer };
        if pass == Pass::Scatters {
            // What counts reads no value.
            for a in target.masks.clone() {
                producer = producer.step(a, Position::One(Expr::Index(0)));
            }
        }
        producer
    }
}
