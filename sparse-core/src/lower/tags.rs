//! What became of a schedule's tags. A tag asks for a way to run a loop; where the loop that is left cannot run so, the
//! kernel is right without, and `explain` says it.

use super::Lowerer;
use crate::front::ast::IndexVar;
use crate::front::command::{Merge, Unit};
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The loops that run as they are tagged.
#[derive(Default)]
pub(super) struct Tags {
    pub(super) unrolled: BTreeSet<IndexVar>,
    /// In vectors, or in copies that the Rust compiler makes vectors of.
    pub(super) in_vectors: BTreeSet<IndexVar>,
    /// Why a loop on `CPUVector` is not.
    pub(super) scalar: BTreeMap<IndexVar, &'static str>,
    /// Loops that step through several operands, or one that has runs of equal coordinates.
    pub(super) merged: BTreeSet<IndexVar>,
    /// Those of several operands.
    pub(super) of_several: BTreeSet<IndexVar>,
    pub(super) galloped: BTreeSet<IndexVar>,
}

/// Lanes take straight code together, and nothing else.
pub(super) fn is_straight(body: &Block) -> bool {
    let mut straight = true;
    visit_stmts(body, &mut |s| {
        straight &= !matches!(s, Stmt::For { .. } | Stmt::While { .. } | Stmt::If { .. });
    });
    straight
}

/// Is a sparse workspace filled or read out?
pub(super) fn scatters(body: &Block) -> bool {
    let mut scatters = false;
    visit_stmts(body, &mut |s| {
        scatters |= matches!(s, Stmt::Scatter { .. } | Stmt::Place { .. } | Stmt::Gather(_));
    });
    scatters
}

impl Lowerer<'_> {
    /// Do iterations find their places one after another: in a sparse workspace, or where elements are counted?
    pub(super) fn takes_turns(&self, body: &Block) -> bool {
        let places = self.buckets.as_ref().map(|b| b.places());
        let mut counts = false;
        visit_stmts(body, &mut |s| {
            counts |= matches!(s, Stmt::Store { buffer, .. } if Some(*buffer) == places);
        });
        counts || scatters(body)
    }

    /// A warning for each tag that came to nothing.
    pub(super) fn idle_tags(&self) -> Vec<String> {
        let p = self.provenance;
        let mut idle = Vec::new();
        for v in (0..p.len() as u32).map(IndexVar) {
            let (tag, name) = (p.tag(v), p.name(v));
            let merged = self.tags.merged.contains(&v);
            if let Some(n) = tag.unroll.filter(|_| !self.tags.unrolled.contains(&v)) {
                let why = match tag.parallel {
                    Some((Unit::CpuThread, _)) => {
                        "threads share out the iterations; split the loop, and unroll the inner part"
                            .to_owned()
                    }
                    Some((unit, _)) => format!("the iterations run on `{unit}`"),
                    None if merged => {
                        "the loop merges the stored coordinates of operands, one after another".to_owned()
                    }
                    None => "no loop over it is left to be written out".to_owned(),
                };
                idle.push(format!("`unroll({name}, {n})` has no effect: {why}"));
            }
            if let Some((unit @ Unit::CpuVector, strategy)) = tag.parallel
                && !self.tags.in_vectors.contains(&v)
            {
                let why = self.tags.scalar.get(&v).copied().unwrap_or("no loop over it is left");
                idle.push(format!("`parallelize({name}, {unit}, {strategy})` makes no vectors: {why}"));
            }
            // The schedule itself warns where the loop has no two operands.
            let of_several = self.tags.of_several.contains(&v);
            if tag.merge == Some(Merge::Gallop) && of_several && !self.tags.galloped.contains(&v) {
                idle.push(format!(
                    "`mergeby({name}, Gallop)` has no effect: the loop has something to do wherever one of its operands \
                     stores something, so that nothing is passed over"
                ));
            }
        }
        idle
    }
}
