//! What lanes do together: values exchanged exactly as the shuffles of a device would, in their order.

use super::code::Combine;
use super::lanes::{ALL, Done, Lanes, Mask, Stop, binary, binary_word, lanes};
use crate::llir::{Arrive, Group, MOST, Neighbour, Sole, Write};
use crate::scalar::{DType, Monoid};
use crate::sim::fault::Fault;

/// Of the lanes that a collective names, the first that does not arrive.
pub(super) fn absent(group: Group, mask: Mask) -> Option<u32> {
    let named = match group.arrive {
        Arrive::Warp => ALL,
        Arrive::Group => {
            groups(group.size).filter(|lanes| lanes & mask != 0).fold(0, |named, lanes| named | lanes)
        }
    };
    let missing = named & !mask;
    (missing != 0).then(|| missing.trailing_zeros())
}

/// The lanes of each group.
fn groups(size: u32) -> impl Iterator<Item = Mask> {
    let first = ALL >> (32 - size);
    (0..32 / size).map(move |n| first << (n * size))
}

/// Every lane's reduction of its group: by exchanges with the lanes that differ in one bit, the highest first.
pub(super) fn total(op: Monoid, t: DType, size: u32, value: &Lanes) -> Lanes {
    let mut value = *value;
    let mut distance = size as usize / 2;
    while distance > 0 {
        let other = std::array::from_fn(|l| value[l ^ distance]);
        value = binary(op.op(), t, &value, &other);
        distance /= 2;
    }
    value
}

/// How many values a lane exchanges to scatter an array of so many elements: by halves, and then in a tree.
pub(super) fn exchanges(len: u32, group: Group) -> (u32, u32) {
    let width = group.width(len);
    (len - len / width, (group.size / width).ilog2())
}

/// Arrays reduced over groups and scattered, an element of all lanes after another: of two neighbouring elements lanes
/// keep one, which their bit says, from the lowest on, and exchange the other.
pub(super) fn scatter(op: Monoid, t: DType, size: usize, values: &mut [Lanes]) {
    let len = values.len();
    let mut distance = 1;
    while distance < size.min(len) {
        for n in 0..len / (2 * distance) {
            let pair = [values[2 * n], values[2 * n + 1]];
            let bit = |l: usize| usize::from(l & distance != 0);
            values[n] = std::array::from_fn(|l| {
                let (kept, given) = (pair[bit(l)][l], pair[bit(l)][l ^ distance]);
                binary_word(op.op(), t, kept, given)
            });
        }
        distance *= 2;
    }
    distance = len;
    while distance < size {
        let other = std::array::from_fn(|l| values[0][l ^ distance]);
        values[0] = binary(op.op(), t, &values[0], &other);
        distance *= 2;
    }
}

/// How many lanes of the group have a vote: those before each, and all.
pub(super) fn count(size: u32, votes: Mask) -> (Lanes, Lanes) {
    let own = std::array::from_fn(|l| u64::from(votes >> l & 1));
    sums(size, &own)
}

/// Sums of counts over the lanes of the group before each, and over all.
pub(super) fn sums(size: u32, value: &Lanes) -> (Lanes, Lanes) {
    let size = size as usize;
    let sum = |of: &[u64]| of.iter().fold(0_u64, |a, b| a.saturating_add(*b).min(MOST));
    let first = |l: usize| l / size * size;
    let before = std::array::from_fn(|l| sum(&value[first(l)..l]));
    (before, std::array::from_fn(|l| sum(&value[first(l)..first(l) + size])))
}

pub(super) fn shuffle(from: Neighbour, size: u32, value: &Lanes) -> Lanes {
    let size = size as usize;
    std::array::from_fn(|l| match from {
        Neighbour::Previous if l % size > 0 => value[l - 1],
        Neighbour::Next if (l + 1) % size > 0 => value[l + 1],
        _ => value[l],
    })
}

/// A reduction, in the lanes that write.
pub(super) struct Reduced {
    pub(super) value: Lanes,
    /// Lanes that write plainly, and how.
    pub(super) sole: Mask,
    pub(super) how: Sole,
    /// Lanes that update atomically.
    pub(super) atomic: Mask,
    /// Lanes that carry out the group's first segment, and its last one.
    pub(super) first: Mask,
    pub(super) last: Mask,
}

/// Reduces groups, or the segments of equal keys in them.
pub(super) fn reduce(
    c: &Combine,
    buffer: &str,
    keys: Option<&Lanes>,
    value: &Lanes,
    index: &Lanes,
    (mask, when): (Mask, Mask),
    began: Option<Mask>,
) -> Done<Reduced> {
    let size = c.group.size as usize;
    // Lanes at which a segment begins: a whole group is one.
    let mut heads: Mask = 0;
    for l in 0..32 {
        let head = l % size == 0 || keys.is_some_and(|keys| keys[l] != keys[l - 1]);
        heads |= u32::from(head) << l;
    }
    agree(buffer, size, heads, keys, index, mask & when)?;
    let value = match keys {
        None => tree(c.op, c.t, size, value),
        Some(_) => scan(c.op, c.t, size, heads, value),
    };
    let writers = heads & mask & when;
    for l in lanes(mask & when) {
        let writer = 31 - (heads & ((2_u64 << l) - 1) as u32).leading_zeros();
        if writers >> writer & 1 == 0 {
            let fault = Fault::LostValue { buffer: buffer.into(), index: index[l], writer };
            return Err(Box::new(Stop { fault, lane: l as u32 }));
        }
    }
    let (sole, how) = match c.write {
        Write::Sole(how) => (writers, how),
        Write::Atomic => (0, Sole::Store),
        Write::Complete(how) => {
            let complete = |&l: &usize| l % size != 0 && l + length(heads, size, l) < (l / size + 1) * size;
            (lanes(writers).filter(complete).fold(0, |sole, l| sole | 1 << l), how)
        }
    };
    let Some(began) = began else {
        return Ok(Reduced { value, sole, how, atomic: writers & !sole, first: 0, last: 0 });
    };
    let mut firsts: Mask = 0;
    let mut lasts: Mask = 0;
    for l in lanes(writers) {
        firsts |= u32::from(l % size == 0 && began >> l & 1 == 0) << l;
        lasts |= u32::from(l + length(heads, size, l) == (l / size + 1) * size) << l;
    }
    Ok(Reduced { value, sole: sole & !firsts & !lasts, how, atomic: 0, first: firsts, last: lasts })
}

/// Keys do not decrease along a group's lanes, and the lanes of a segment name one element.
fn agree(
    buffer: &str,
    size: usize,
    heads: Mask,
    keys: Option<&Lanes>,
    index: &Lanes,
    when: Mask,
) -> Done<()> {
    let mut last: Option<usize> = None;
    for l in lanes(when) {
        let stop = |fault| Err(Box::new(Stop { fault, lane: l as u32 }));
        if let Some(before) = last.filter(|before| before / size == l / size) {
            if let Some(keys) = keys
                && keys[before] > keys[l]
            {
                return stop(Fault::DecreasingKeys { before: keys[before], after: keys[l] });
            }
            let between = (2_u64 << l) - (2_u64 << before);
            if u64::from(heads) & between == 0 && index[before] != index[l] {
                let (buffer, first, second) = (buffer.into(), index[before], index[l]);
                return stop(Fault::ElementsDiffer { buffer, first, second });
            }
        }
        last = Some(l);
    }
    Ok(())
}

/// Lanes of a segment from this one on.
fn length(heads: Mask, size: usize, lane: usize) -> usize {
    let end = (lane / size + 1) * size;
    let next = (lane + 1..end).find(|&l| heads >> l & 1 == 1);
    next.unwrap_or(end) - lane
}

/// The first lane of each group has the reduction: by halves.
fn tree(op: Monoid, t: DType, size: usize, value: &Lanes) -> Lanes {
    let mut value = *value;
    let mut distance = size / 2;
    while distance > 0 {
        for l in (0..32).filter(|l| l % size < distance) {
            value[l] = binary_word(op.op(), t, value[l], value[l + distance]);
        }
        distance /= 2;
    }
    value
}

/// Every lane has the reduction of its segment from there on: from neighbours to far lanes.
fn scan(op: Monoid, t: DType, size: usize, heads: Mask, value: &Lanes) -> Lanes {
    let mut value = *value;
    let mut distance = 1;
    while distance < size {
        let before = value;
        for l in 0..32 {
            if distance < length(heads, size, l) {
                value[l] = binary_word(op.op(), t, before[l], before[l + distance]);
            }
        }
        distance *= 2;
    }
    value
}
