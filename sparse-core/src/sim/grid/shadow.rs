//! Conflicts: what the threads of a grid have done to each element of a buffer, and who may see it.
//!
//! Blocks run one after another here, but nothing orders them on a device; only a block's barriers order its warps, and
//! only its barriers and a group's own order a group's lanes, of which a warp has several where fewer than all of its
//! lanes wait for each other. Of the accesses of one kind to one element a summary of 64 bits is enough: an access that is
//! ordered after all earlier ones takes their place (whatever is not ordered with them is not ordered with it either),
//! another one widens the summary to the lanes, groups or blocks that have it.

use crate::scalar::Monoid;
use crate::sim::fault::Access;
use std::collections::HashMap;

/// Who accesses, and when.
#[derive(Clone, Copy)]
pub(super) struct Now {
    /// Counts the blocks and their barriers, from 1.
    pub(super) epoch: u32,
    /// The block's first epoch.
    pub(super) block: u32,
    /// Counts the group's barriers in the epoch.
    pub(super) sync: u32,
    /// The thread's number in its block.
    pub(super) thread: u32,
    /// Lanes of a group.
    pub(super) together: u32,
}

/// Accesses of one kind to one element: an epoch in the upper 28 bits, zero for none; below it how wide they are spread,
/// a thread, its group's barriers in two parts, the operator, and whether there have been several.
#[derive(Clone, Copy)]
struct Summary(u64);

/// How far apart accesses are that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spread {
    Thread,
    Group,
    Block,
    Grid,
}

const SPREADS: [Spread; 4] = [Spread::Thread, Spread::Group, Spread::Block, Spread::Grid];
/// A group's barriers are told apart up to a multiple of this prime. A warp that goes over a long row waits after each of
/// its entries, and an element that it cleared before may be claimed after any of them.
const SYNCS: u32 = (1 << 19) - 1;
/// Bits of a count of barriers in the lower half; the others begin the upper half.
const LOW: u32 = 15;
const EPOCH: u32 = 32 + 19 - LOW;
/// Updates by other operators are summed up elsewhere.
const MIXED: u64 = 1 << 15;
const SEVERAL: u64 = 1 << 31;
/// In the place of an operator: an element is claimed.
const CLAIM: u32 = 7;

impl Summary {
    fn new(epoch: u32, spread: Spread, thread: u32, sync: u32, how: Access) -> Summary {
        let how = match how {
            Access::Atomic(op) => Monoid::ALL.iter().position(|m| *m == op).unwrap_or_default() as u32,
            _ => CLAIM,
        };
        let sync = sync % SYNCS;
        let low = sync & ((1 << LOW) - 1) | thread << 16 | (spread as u32) << 26 | how << 28;
        Summary(u64::from(epoch) << EPOCH | u64::from(sync >> LOW) << 32 | u64::from(low))
    }

    fn epoch(self) -> u32 {
        (self.0 >> EPOCH) as u32
    }

    fn sync(self) -> u32 {
        self.0 as u32 & ((1 << LOW) - 1) | ((self.0 >> 32) as u32 & (SYNCS >> LOW)) << LOW
    }

    fn thread(self) -> u32 {
        (self.0 >> 16) as u32 & 1023
    }

    fn spread(self) -> Spread {
        SPREADS[(self.0 >> 26) as usize & 3]
    }

    /// How an atomic update goes.
    fn how(self) -> Access {
        match Monoid::ALL.get((self.0 >> 28) as usize & 7) {
            Some(op) => Access::Atomic(*op),
            None => Access::Claim,
        }
    }

    /// Of these accesses, are there some by others that nothing orders before this one? Then how far apart all are.
    fn concurrent(self, now: Now, in_block: bool) -> Option<Spread> {
        if self.0 == 0 {
            return None;
        }
        if self.epoch() < now.block {
            return (!in_block).then_some(Spread::Grid);
        }
        let spread = self.spread();
        if spread == Spread::Grid {
            return Some(Spread::Grid);
        }
        if self.epoch() < now.epoch {
            return None;
        }
        if spread == Spread::Block || self.thread() / now.together != now.thread / now.together {
            return Some(Spread::Block);
        }
        let own = spread == Spread::Thread && self.thread() == now.thread;
        (!own && self.sync() == now.sync % SYNCS).then_some(Spread::Group)
    }

    /// With one more access.
    fn with(self, now: Now, in_block: bool, how: Access) -> Summary {
        let (spread, thread) = match self.concurrent(now, in_block) {
            None => (Spread::Thread, now.thread),
            Some(Spread::Grid) => (Spread::Grid, now.thread),
            Some(spread) => (spread, self.thread()),
        };
        Summary::new(now.epoch, spread, thread, now.sync, how)
    }
}

/// Reads, plain writes and atomic updates of an element. Words, so that a buffer that is hardly touched costs little.
type Element = [u64; 3];
const READ: usize = 0;
const WRITE: usize = 1;
const ATOMIC: usize = 2;

/// The earlier one of two accesses in conflict.
#[derive(Clone, Copy)]
pub(super) struct Earlier {
    pub(super) access: Access,
    pub(super) epoch: u32,
    pub(super) thread: u32,
}

/// What was done to the elements of a buffer in one launch.
pub(super) struct Shadow {
    elements: Vec<Element>,
    /// Elements that are updated by several operators: a summary for each.
    mixed: HashMap<usize, Vec<u64>>,
    /// Has each block its own?
    in_block: bool,
    /// Elements that were updated atomically more than once.
    pub(super) contended: u64,
}

impl Shadow {
    pub(super) fn new(len: usize, in_block: bool) -> Shadow {
        Shadow { elements: vec![[0; 3]; len], mixed: HashMap::new(), in_block, contended: 0 }
    }

    /// A thread accesses an element; the error is the earlier access that it is in conflict with.
    pub(super) fn touch(&mut self, at: usize, now: Now, access: Access) -> Result<(), Earlier> {
        let in_block = self.in_block;
        let e = &mut self.elements[at];
        let conflict = |word: u64, access: Access| {
            let past = Summary(word);
            let (epoch, thread) = (past.epoch(), past.thread());
            past.concurrent(now, in_block).map(|_| Earlier { access, epoch, thread })
        };
        let one = std::slice::from_ref(&e[ATOMIC]);
        let mixed = self.mixed.get(&at).filter(|_| e[ATOMIC] & MIXED != 0);
        let update = |word: &u64| {
            let past = Summary(*word).how();
            if past == access { None } else { conflict(*word, past) }
        };
        let by_updates = || mixed.map_or(one, |m| &m[..]).iter().find_map(update);
        let found = conflict(e[WRITE], Access::Write).or_else(by_updates).or_else(|| match access {
            Access::Read => None,
            Access::Write | Access::Atomic(_) | Access::Claim => conflict(e[READ], Access::Read),
        });
        if let Some(earlier) = found {
            return Err(earlier);
        }
        match access {
            Access::Read => e[READ] = Summary(e[READ]).with(now, in_block, access).0,
            Access::Write => e[WRITE] = Summary(e[WRITE]).with(now, in_block, access).0,
            Access::Atomic(_) | Access::Claim => self.update(at, now, access),
        }
        Ok(())
    }

    fn update(&mut self, at: usize, now: Now, how: Access) {
        let before = self.elements[at][ATOMIC];
        self.contended += u64::from(before != 0 && before & SEVERAL == 0);
        let flags = before & MIXED | if before == 0 { 0 } else { SEVERAL };
        let new = if before == 0 || flags & MIXED == 0 && Summary(before).how() == how {
            Summary(before).with(now, self.in_block, how).0 | flags
        } else {
            let all = self.mixed.entry(at).or_default();
            if flags & MIXED == 0 {
                all.clear();
                all.push(before);
            }
            let same = all.iter().position(|word| Summary(*word).how() == how);
            let new = Summary(same.map_or(0, |n| all.swap_remove(n))).with(now, self.in_block, how).0;
            all.push(new);
            new | SEVERAL | MIXED
        };
        self.elements[at][ATOMIC] = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A warp that goes over a long row waits more often than fits into a summary.
    #[test]
    fn barriers_of_groups_are_told_apart_however_many() {
        let lane = |thread, sync| Now { epoch: 1, block: 1, sync, thread, together: 32 };
        for sync in [0, 1, 32_767, 32_768, 524_286, 524_287, 1 << 20] {
            let written = Summary::new(1, Spread::Thread, 0, sync, Access::Write);
            assert!(written.concurrent(lane(1, sync), false) == Some(Spread::Group), "{sync}");
            for later in (1..100_000).step_by(7).chain([1 << 15, 1 << 16, 1 << 19]) {
                assert!(
                    written.concurrent(lane(1, sync + later), false).is_none(),
                    "{sync} and {later} more"
                );
            }
        }
    }
}
