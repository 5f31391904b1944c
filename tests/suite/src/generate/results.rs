//! Formats of sparse results.

use crate::case::Case;
use crate::rng::Rng;
use sparse_core::format::{FormatSpec, Level};
use sparse_core::front::ast::IndexVar;

pub(super) const C: Level = Level::Compressed { unique: true };
pub(super) const D: Level = Level::Dense;
const N: Level = Level::Compressed { unique: false };
const S: Level = Level::Singleton { unique: true };
const SN: Level = Level::Singleton { unique: false };

/// A format that a result may have, not all dense.
pub(super) fn format(rng: &mut Rng, rank: usize) -> FormatSpec {
    let levels: &[(u32, &[Level])] = match rank {
        1 => &[(85, &[C]), (15, &[N])],
        2 => &[(48, &[D, C]), (25, &[C, C]), (16, &[N, S]), (11, &[C, D]), (3, &[D, S]), (1, &[C, S])],
        3 => &[
            (36, &[C, C, C]),
            (18, &[D, C, C]),
            (18, &[D, D, C]),
            (12, &[N, SN, S]),
            (6, &[C, N, S]),
            (5, &[D, C, D]),
            (5, &[C, C, D]),
            (4, &[C, D, D]),
            (8, &[C, D, C]),
            (2, &[D, N, S]),
        ],
        4 => &[
            (34, &[D, C, D, D]),
            (30, &[C, C, C, C]),
            (18, &[N, SN, SN, S]),
            (8, &[D, D, C, C]),
            (8, &[C, D, C, D]),
            (2, &[C, C, D, C]),
            (3, &[C, C, D, D]),
            (2, &[C, D, N, S]),
            (1, &[C, C, D, S]),
            (5, &[D, C, C, C]),
        ],
        5 => &[
            (30, &[C, C, C, C, C]),
            (15, &[N, SN, SN, SN, S]),
            (10, &[D, D, C, C, C]),
            (10, &[D, C, C, D, D]),
            (8, &[C, C, D, D, D]),
            (8, &[D, C, D, C, D]),
            (5, &[C, D, C, C, C]),
            (4, &[C, D, D, N, S]),
            (3, &[C, N, SN, S, D]),
        ],
        6 => &[
            (30, &[C, C, C, C, C, C]),
            (15, &[N, SN, SN, SN, SN, S]),
            (15, &[D, C, C, D, D, D]),
            (10, &[C, C, C, D, D, D]),
            (8, &[D, C, D, C, D, C]),
            (5, &[N, SN, S, D, D, D]),
        ],
        _ => return FormatSpec::new(vec![C; rank]),
    };
    in_some_order(rng, levels)
}

/// A format of a result that is packed: dense levels between sparse ones, or one entry a parent.
pub(super) fn packed_format(rng: &mut Rng, rank: usize) -> Option<FormatSpec> {
    let levels: &[(u32, &[Level])] = match rank {
        2 => &[(3, &[D, S]), (1, &[C, S])],
        3 => &[
            (6, &[C, D, C]),
            (1, &[D, S, D]),
            (1, &[D, D, S]),
            (1, &[C, D, S]),
            (1, &[C, S, D]),
            (1, &[C, S, C]),
            (1, &[D, S, C]),
        ],
        4 => &[
            (4, &[C, D, C, D]),
            (3, &[C, C, D, C]),
            (2, &[C, D, N, S]),
            (2, &[D, C, D, C]),
            (1, &[C, C, D, S]),
        ],
        _ => return None,
    };
    Some(in_some_order(rng, levels))
}

/// The format of a result that has the first levels of a sparse operand, as they are, and dense ones below, if there is such an operand.
pub(super) fn of_first_levels(case: &Case) -> Option<FormatSpec> {
    let written = &case.assignment.lhs.indices;
    let mut found = None;
    case.assignment.rhs.for_each_access(&mut |a| {
        let spec = &case.tensors[a.tensor.index()].spec;
        let stored: Vec<IndexVar> = spec.order().iter().map(|&d| a.indices[d]).collect();
        let shared = stored.iter().take_while(|v| written.contains(v)).count();
        let own = spec.levels[..shared].last().is_some_and(|l| l.is_unique());
        let sparse = spec.levels[..shared].iter().any(|l| !l.is_full());
        if !own || !sparse || shared == spec.rank() && shared == written.len() {
            return;
        }
        let dim = |v: &IndexVar| written.iter().position(|w| w == v);
        let mut order: Vec<usize> = stored[..shared].iter().filter_map(dim).collect();
        let rest: Vec<usize> = (0..written.len()).filter(|d| !order.contains(d)).collect();
        let levels = [&spec.levels[..shared], &vec![D; rest.len()]].concat();
        order.extend(rest);
        found = (order.len() == written.len()).then(|| FormatSpec::new(levels).reordered(order));
    });
    found
}

/// One of these lists of levels, in some order of the dimensions.
fn in_some_order(rng: &mut Rng, levels: &[(u32, &[Level])]) -> FormatSpec {
    let levels = rng.weighted(levels).to_vec();
    let mut order: Vec<usize> = (0..levels.len()).collect();
    if rng.percent(35) {
        rng.shuffle(&mut order);
    }
    FormatSpec::new(levels).reordered(order)
}

/// The name of a result's format, whatever the order of its dimensions.
pub(super) fn format_name(spec: &FormatSpec) -> String {
    let turned = if spec.map.is_identity() { "" } else { ", reordered" };
    let levels: Vec<&str> = spec
        .levels
        .iter()
        .map(|l| match l {
            Level::Dense => "D",
            Level::Compressed { unique: true } => "C",
            Level::Compressed { unique: false } => "N",
            Level::Singleton { unique: true } => "S",
            Level::Singleton { unique: false } => "SN",
        })
        .collect();
    format!("({}){turned}", levels.join(", "))
}
