//! Sizes of the dimensions that variables range over.

use super::expression::Shape;
use super::theme::{Taste, Theme};
use crate::rng::Rng;

/// Points that the oracle visits at most where a dimension is long, about.
const LONG: usize = 8000;

/// Small ones; of all variables the same, or one that is wider.
pub(super) fn any(rng: &mut Rng, vars: usize, taste: &Taste) -> Vec<usize> {
    let large = if vars > 4 { 3 } else { 6 };
    let size = |rng: &mut Rng| match rng.below(100) {
        _ if taste.tiny(rng) => rng.below(2),
        0..4 => 0,
        4..14 => 1,
        _ => 2 + rng.below(large - 1),
    };
    if rng.percent(30) {
        return vec![size(rng); vars];
    }
    let mut sizes: Vec<usize> = (0..vars).map(|_| size(rng)).collect();
    // Wider than a register tile, and long enough to gallop.
    if vars > 0 && rng.percent(20) {
        let wide = rng.below(vars);
        sizes[wide] = rng.pick(&[7, 8, 9, 12, 16, 33, 37, 70, 131]);
        while sizes.iter().product::<usize>() > 3000 {
            sizes[wide] /= 2;
        }
    }
    sizes
}

/// Sizes that few factors divide.
pub(super) fn scheduled(rng: &mut Rng, vars: usize, taste: &Taste) -> Vec<usize> {
    let mut sizes: Vec<usize> = (0..vars)
        .map(|_| match rng.below(100) {
            _ if taste.tiny(rng) => rng.below(2),
            0..3 => 0,
            3..11 => 1,
            11..70 => 2 + rng.below(8),
            _ => rng.pick(&[11, 12, 13, 16, 17, 23, 31, 33]),
        })
        .collect();
    while sizes.iter().map(|&s| s.max(1)).product::<usize>() > 2500 {
        if let Some(largest) = sizes.iter_mut().max() {
            *largest = *largest * 2 / 3;
        }
    }
    sizes
}

/// Seldom, one dimension that is long, where the others are short: more rows than a scan has in a tile, and rows of more
/// entries than a block has threads, than lists are ranked by, and than a team of the usual classes has.
pub(super) fn lengthen(rng: &mut Rng, taste: &Taste, shape: &Shape, sizes: &mut [usize]) {
    if !rng.percent(taste.percent(Theme::Long, 2, 75)) {
        return;
    }
    // A diagonal would have the square of it.
    let twice = |v: &usize| shape.accesses.iter().any(|a| a.iter().filter(|w| *w == v).count() > 1);
    let tied = |v: &usize| shape.tied.iter().any(|(a, b)| a == v || b == v);
    let some: Vec<usize> = (0..sizes.len()).filter(|v| !twice(v) && !tied(v)).collect();
    if some.is_empty() {
        return;
    }
    let long = rng.pick(&some);
    sizes[long] = rng.pick(&[130, 257, 300, 520, 1025, 1100, 2049, 2500, 4100]);
    let room = (LONG / sizes[long]).max(2);
    loop {
        let others = || sizes.iter().enumerate().filter(|(v, _)| *v != long);
        if others().map(|(_, &s)| s.max(1)).product::<usize>() <= room {
            return;
        }
        let largest = others().max_by_key(|(_, s)| **s).map_or(long, |(v, _)| v);
        sizes[largest] = sizes[largest] * 3 / 4;
    }
}

/// Makes sizes equal that have to be, of dimensions of a tensor that is read several times.
pub(super) fn tie(tied: &[(usize, usize)], sizes: &mut [usize]) {
    // Each pass brings the least size one variable further.
    for _ in 0..tied.len() {
        for &(a, b) in tied {
            sizes[a] = sizes[a].min(sizes[b]);
            sizes[b] = sizes[a];
        }
    }
}

/// Makes blocks of half the operands that have some of two dimensions square and small.
pub(super) fn square(rng: &mut Rng, shape: &Shape, sizes: &mut [usize]) {
    for (access, &dense) in shape.accesses.iter().zip(&shape.blocks) {
        if let (2.., Some((_, &[a, b]))) = (dense, access.split_last_chunk())
            && shape.tied.is_empty()
            && rng.percent(50)
        {
            sizes[a] = 2 + rng.below(8);
            sizes[b] = sizes[a];
        }
    }
}

/// Sizes that tiles do not divide, some larger than a group or a warp.
pub(super) fn for_gpu(rng: &mut Rng, vars: usize, taste: &Taste) -> Vec<usize> {
    let mut sizes: Vec<usize> = (0..vars)
        .map(|_| match rng.below(100) {
            _ if taste.tiny(rng) => rng.below(2),
            0..2 => 0,
            2..8 => 1,
            8..45 => 2 + rng.below(8),
            45..94 => 10 + rng.below(31),
            _ => rng.pick(&[64, 65, 70, 96, 100]),
        })
        .collect();
    let most = if rng.percent(10) { 16_000 } else { 4000 };
    while sizes.iter().map(|&s| s.max(1)).product::<usize>() > most {
        if let Some(largest) = sizes.iter_mut().max() {
            *largest = *largest * 3 / 4;
        }
    }
    sizes
}
