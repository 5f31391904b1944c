//! Random formats.

use super::theme::{Taste, Theme};
use crate::rng::Rng;
use sparse_core::format::{Fill, FormatSpec, Level};

const C: Level = Level::Compressed { unique: true };
const N: Level = Level::Compressed { unique: false };
const S: Level = Level::Singleton { unique: true };
const SN: Level = Level::Singleton { unique: false };

/// A format for an operand with these index variables. Formats that need an entry below every parent are for tensors
/// that have elements.
pub(super) fn operand(
    rng: &mut Rng,
    taste: &Taste,
    (vars, has_elements): (&[usize], bool),
    rank_of: &dyn Fn(usize) -> usize,
    usual_fill: Fill,
) -> FormatSpec {
    let rank = vars.len();
    let levels = match rng.below(100) {
        0..55 if taste.has(Theme::Duplicates) && rank > 0 => coo(rng, rank, 15),
        0..55 if taste.has(Theme::Singletons) && rank > 1 && has_elements => match rng.below(3) {
            0 => last(rank, rng.pick(&[Level::Dense, C]), S),
            _ => chain(rng, rank, true, true),
        },
        0..15 if taste.fill.is_some() && rank > 0 => last(rank, Level::Dense, C),
        0..28 => vec![Level::Dense; rank],
        28..52 if rank > 0 => last(rank, Level::Dense, C),
        52..66 => vec![C; rank],
        66..78 if rank > 0 => coo(rng, rank, 70),
        78..84 if rank > 1 => last(rank, C, Level::Dense),
        84..89 if rank > 1 && has_elements => last(rank, rng.pick(&[Level::Dense, C]), S),
        _ => chain(rng, rank, true, has_elements),
    };
    let dense = levels.iter().all(|l| l.is_full());
    let order = mode_order(rng, vars, rank_of, if dense { 35 } else { taste.percent(Theme::Orders, 94, 45) });
    let fill = match rng.below(100) {
        _ if dense => of_dense(rng, rank),
        _ if taste.has(Theme::Several) => rng.pick(&[Fill::Zero, Fill::One, Fill::PosInf, Fill::NegInf]),
        _ if taste.fill.is_some() => usual_fill,
        0..76 => usual_fill,
        _ => any(rng),
    };
    FormatSpec::new(levels).reordered(order).filled(fill)
}

/// A fill that is not the usual one.
fn any(rng: &mut Rng) -> Fill {
    rng.pick(&[Fill::One, Fill::PosInf, Fill::NegInf])
}

/// The fill of a tensor whose elements are all stored, so that it has none that shows.
pub(super) fn of_dense(rng: &mut Rng, rank: usize) -> Fill {
    if rank > 0 && rng.percent(10) { any(rng) } else { Fill::Zero }
}

/// The format that an operand of a scheduled kernel usually has.
pub(super) fn usual(
    rng: &mut Rng,
    vars: &[usize],
    sparse: bool,
    rank_of: &dyn Fn(usize) -> usize,
    fill: Fill,
) -> FormatSpec {
    let rank = vars.len();
    if !sparse || rank == 0 {
        let dense = FormatSpec::new(vec![Level::Dense; rank]);
        return dense.reordered(mode_order(rng, vars, rank_of, 40)).filled(of_dense(rng, rank));
    }
    let fill = if rng.percent(5) { any(rng) } else { fill };
    let levels = match rng.below(100) {
        0..45 => last(rank, Level::Dense, C),
        45..80 => vec![C; rank],
        80..92 => coo(rng, rank, 70),
        _ => last(rank, C, Level::Dense),
    };
    FormatSpec::new(levels).reordered(mode_order(rng, vars, rank_of, 97)).filled(fill)
}

/// A format with so many dense levels below sparse ones, those of the last variables.
pub(super) fn blocked(
    rng: &mut Rng,
    vars: &[usize],
    blocks: usize,
    rank_of: &dyn Fn(usize) -> usize,
    fill: Fill,
) -> FormatSpec {
    let (outer, inner) = vars.split_at(vars.len() - blocks);
    let mut levels = match rng.below(100) {
        0..50 => last(outer.len(), Level::Dense, C),
        50..80 => vec![C; outer.len()],
        _ => coo(rng, outer.len(), 100),
    };
    levels.extend(vec![Level::Dense; blocks]);
    let mut order = mode_order(rng, outer, rank_of, 97);
    order.extend(mode_order(rng, inner, rank_of, 80).iter().map(|d| outer.len() + d));
    FormatSpec::new(levels).reordered(order).filled(fill)
}

/// A sparse format for a result.
pub(super) fn output(rng: &mut Rng, vars: &[usize], rank_of: &dyn Fn(usize) -> usize) -> FormatSpec {
    let rank = vars.len();
    let levels = match rng.below(100) {
        0..40 => last(rank, Level::Dense, C),
        40..70 => vec![C; rank],
        70..78 if rank > 1 => last(rank, C, Level::Dense),
        78..86 => coo(rng, rank, 70),
        _ => chain(rng, rank, false, false),
    };
    FormatSpec::new(levels).reordered(mode_order(rng, vars, rank_of, 96))
}

/// Dimensions by level: those of the outer loops first with this probability, else as written or at random.
pub(super) fn mode_order(
    rng: &mut Rng,
    vars: &[usize],
    rank_of: &dyn Fn(usize) -> usize,
    percent: u32,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..vars.len()).collect();
    if rng.percent(percent) {
        order.sort_by_key(|&d| rank_of(vars[d]));
    } else if rng.percent(50) {
        rng.shuffle(&mut order);
    }
    order
}

fn last(rank: usize, above: Level, leaf: Level) -> Vec<Level> {
    let mut levels = vec![above; rank];
    if let Some(l) = levels.last_mut() {
        *l = leaf;
    }
    levels
}

/// Coordinates by entry, which are distinct in so many of a hundred cases.
fn coo(rng: &mut Rng, rank: usize, distinct: u32) -> Vec<Level> {
    let mut levels = vec![SN; rank];
    levels[0] = N;
    if rank > 1 && rng.percent(distinct) {
        levels[rank - 1] = S;
    }
    levels
}

/// Any levels that can stand below each other; with `lone`, singletons below unique ones too.
fn chain(rng: &mut Rng, rank: usize, repeats: bool, lone: bool) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for l in 0..rank {
        let leaf = l + 1 == rank;
        let below_repeats = levels.last().is_some_and(|p| !p.is_unique());
        levels.push(if below_repeats {
            rng.pick(if leaf { &[S, S, SN] } else { &[SN, SN, S] })
        } else if lone && l > 0 && rng.percent(25) {
            rng.pick(&[S, S, S, SN])
        } else {
            rng.pick(if repeats || !leaf { &[Level::Dense, C, C, N] } else { &[Level::Dense, C, C, C] })
        });
        // Results with repeats are COO more often than not.
        if !repeats && !leaf && levels[l] == N && rng.percent(70) {
            levels[l] = C;
        }
    }
    levels
}
