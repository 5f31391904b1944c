//! Which sparse results can be assembled in order, and in what parts.
//!
//! Dense levels at the root, whose rows are closed one after another; then groups that are appended to, each a
//! `Compressed` level or a non-unique one with its `Singleton`s; then dense levels, whose block is appended whole.

use crate::format::{FormatSpec, Level};
use std::ops::Range;

/// The parts of an assembled result, as ranges of levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Dense levels at the root.
    pub prefix: Range<usize>,
    /// Levels appended together, one group a tuple of coordinates.
    pub appended: Vec<Range<usize>>,
    /// Dense levels at the leaves.
    pub suffix: Range<usize>,
}

/// Splits a format's levels; `None` if it cannot be assembled in order.
pub fn groups(spec: &FormatSpec) -> Option<Groups> {
    let levels = &spec.levels;
    let rank = levels.len();
    let start = levels.iter().position(|l| !l.is_full())?;
    let end = rank - levels.iter().rev().position(|l| !l.is_full())?;
    let mut appended = Vec::new();
    let mut l = start;
    while l < end {
        let first = l;
        let Level::Compressed { unique } = levels[l] else { return None };
        l += 1;
        let mut unique = unique;
        while l < end && !unique {
            let Level::Singleton { unique: u } = levels[l] else { break };
            unique = u;
            l += 1;
        }
        // A non-unique level that is not a tuple's beginning has nothing to tell its equal coordinates apart.
        if !unique && l < rank {
            return None;
        }
        appended.push(first..l);
    }
    Some(Groups { prefix: 0..start, appended, suffix: end..rank })
}
