//! How warps walk whose lanes have neighbouring entries each: lanes go on together, and part where fibers end, and again
//! where the fibers of one parent end.

use sparse_core::llir::kernel::WARP;
use std::collections::BTreeMap;

/// What a warp does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Walk {
    /// Fibers that it comes to, on average: below each parent as many as the lane that comes to most.
    pub(super) turns: f64,
    /// Steps, on average: in each turn those of the lane whose fiber is longest.
    pub(super) steps: f64,
    /// Steps of the warp that takes most.
    pub(super) longest: f64,
}

/// The most lanes that are followed.
const LANES: usize = 1 << 14;

/// Where a lane is: in which parent, counted from its first one, and which of its fibers.
type Turn = (usize, usize);

impl Walk {
    /// Along fibers of these lengths, below parents of so many fibers, or none; so many entries a lane, so many lanes a
    /// warp. A lane begins where an entry is, and comes to empty fibers on its way.
    pub(super) fn along(runs: &[u32], parents: &[u32], per_lane: u64, lanes: usize) -> Walk {
        // The parent of each fiber.
        let mut parent_of =
            parents.iter().enumerate().flat_map(|(at, n)| std::iter::repeat_n(at, *n as usize));
        let mut fibers = runs.iter().map(|n| (u64::from(*n), parent_of.next().unwrap_or(0)));
        let mut at = fibers.find(|(n, _)| *n > 0);
        let (mut all, mut warps) = (Walk::default(), 0usize);
        while at.is_some() && warps < LANES / lanes.max(1) {
            // Of each turn, the longest lane's steps.
            let mut turns: BTreeMap<Turn, u64> = BTreeMap::new();
            for _ in 0..lanes {
                let (mut room, mut turn) = (per_lane, (0, 0));
                let mut parent = at.map(|(_, parent)| parent);
                while let Some((left, now)) = at.filter(|_| room > 0) {
                    if parent != Some(now) {
                        turn = (turn.0 + 1, 0);
                        parent = Some(now);
                    }
                    let taken = left.min(room);
                    let longest = turns.entry(turn).or_default();
                    *longest = taken.max(*longest);
                    turn.1 += 1;
                    room -= taken;
                    at = match left - taken {
                        0 if room > 0 => fibers.next(),
                        0 => fibers.find(|(n, _)| *n > 0),
                        left => Some((left, now)),
                    };
                }
            }
            warps += 1;
            all.add(&turns);
        }
        all.of(warps)
    }

    /// Down the fibers of these lengths, so many whole parents a lane, one after another.
    pub(super) fn down(runs: &[u32], parents: &[u32], per_lane: usize) -> Walk {
        let (mut all, mut warps, mut begin) = (Walk::default(), 0, 0);
        for warp in parents.chunks(WARP as usize * per_lane.max(1)) {
            let mut turns: BTreeMap<Turn, u64> = BTreeMap::new();
            for lane in warp.chunks(per_lane.max(1)) {
                for (parent, n) in lane.iter().enumerate() {
                    let fibers = runs.iter().skip(begin).take(*n as usize);
                    for (fiber, run) in fibers.enumerate() {
                        let longest = turns.entry((parent, fiber)).or_default();
                        *longest = u64::from(*run).max(*longest);
                    }
                    begin += *n as usize;
                }
            }
            // A sample of fibers ends before one of their parents.
            if begin > runs.len() {
                break;
            }
            warps += 1;
            all.add(&turns);
        }
        all.of(warps)
    }

    fn add(&mut self, turns: &BTreeMap<Turn, u64>) {
        let steps = turns.values().map(|steps| *steps as f64).sum::<f64>();
        self.turns += turns.len() as f64;
        self.steps += steps;
        self.longest = self.longest.max(steps);
    }

    /// Of sums over so many warps.
    fn of(self, warps: usize) -> Walk {
        let count = warps.max(1) as f64;
        Walk { turns: self.turns / count, steps: self.steps / count, longest: self.longest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(runs: &[u32], parents: &[u32]) -> (f64, f64) {
        let walk = Walk::along(runs, parents, 8, 32);
        assert_eq!(walk.steps, walk.longest);
        (walk.turns, walk.steps)
    }

    #[test]
    fn a_warp_walks_as_long_as_its_lanes() {
        // Of eight entries each: two lanes in one fiber; eight fibers of one entry; seven, none and one.
        let runs = [16, 1, 1, 1, 1, 1, 1, 1, 1, 7, 0, 1];
        assert_eq!(along(&runs, &[]), (8.0, 8.0 + 7.0));
        assert_eq!(along(&[8; 4], &[]), (1.0, 8.0));
        assert_eq!((along(&[], &[]), along(&[0, 0], &[])), ((0.0, 0.0), (0.0, 0.0)));
    }

    #[test]
    fn lanes_part_where_parents_end() {
        // Both lanes have four fibers of two; one goes on to another parent after three, the other after one.
        let runs = [2; 8];
        assert_eq!(along(&runs, &[8]), (4.0, 8.0));
        assert_eq!(along(&runs, &[3, 2, 3]), (3.0 + 3.0, 12.0));
    }

    #[test]
    fn whole_parents_go_down_together() {
        // Lanes with 2 and 1, with 3, and with 1, 1 and 4: turns of 3, 1 and 4.
        let walk = Walk::down(&[2, 1, 3, 1, 1, 4], &[2, 1, 3], 1);
        assert_eq!(walk, Walk { turns: 3.0, steps: 8.0, longest: 8.0 });
        // Two a lane: 2, 1, then 3; beside it 1, 1, 4.
        let walk = Walk::down(&[2, 1, 3, 1, 1, 4], &[2, 1, 3], 2);
        assert_eq!(walk, Walk { turns: 4.0, steps: 2.0 + 1.0 + 4.0 + 3.0, longest: 10.0 });
    }

    #[test]
    fn the_longest_warp_is_not_the_average() {
        let walk = Walk::along(&[1, 1, 1, 1, 4], &[], 4, 1);
        assert_eq!(walk, Walk { turns: 2.5, steps: 4.0, longest: 4.0 });
        let walk = Walk::along(&[4, 4, 1, 3, 3, 1], &[], 4, 2);
        assert_eq!(walk, Walk { turns: 1.5, steps: 5.0, longest: 6.0 });
    }
}
