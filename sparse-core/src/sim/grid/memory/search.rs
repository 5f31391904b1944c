//! Searches in a buffer, as the text of the CUDA prelude does them.

use super::{Accessor, Memory};
use crate::llir::Bound;
use crate::sim::fault::Fault;
use crate::sim::grid::lanes::{Done, Lanes, Mask, Stop, lanes};

/// Elements that a search looks at in one step, as in the CUDA prelude.
const PARTS: u64 = 7;

impl Memory<'_> {
    /// A search in each lane: the positions. `stepped` is told of each step, in which
    /// some lanes look at so many elements that do not wait for each other.
    pub(in super::super) fn search(
        &mut self,
        mask: Mask,
        bound: Bound,
        [lo, hi, key]: [&Lanes; 3],
        by: &mut Accessor<'_>,
        mut stepped: impl FnMut(Mask, u64),
    ) -> Done<Lanes> {
        for lane in lanes(mask) {
            self.sorted(lo[lane], hi[lane], lane)?;
        }
        let (mut lo, mut hi) = (*lo, *hi);
        let below = |found: u64, key: u64| match bound {
            Bound::Lower | Bound::Gallop => found < key,
            Bound::Upper => found <= key,
        };
        // Steps that double, until one goes too far.
        let (mut at, mut step) = (lo, 1);
        let mut running = if bound == Bound::Gallop { mask } else { 0 };
        loop {
            lanes(running).filter(|&lane| at[lane] >= hi[lane]).for_each(|lane| running &= !(1 << lane));
            if running == 0 {
                break;
            }
            let mut found = [0; 32];
            self.load(running, &at, &mut found, by)?;
            for lane in lanes(running) {
                if below(found[lane], key[lane]) {
                    lo[lane] = at[lane] + 1
                } else {
                    hi[lane] = at[lane]
                }
                at[lane] += step;
            }
            step *= 2;
            stepped(running, 1);
            by.serial = by.serial.wrapping_add(1);
        }
        // Eighths, while there is more than a step's elements; then these.
        loop {
            let wide: Mask = lanes(mask).filter(|&l| hi[l] - lo[l] > PARTS).map(|l| 1 << l).sum();
            if wide == 0 {
                break;
            }
            let (mut each, mut before) = ([0; 32], [0; 32]);
            lanes(wide).for_each(|l| each[l] = (hi[l] - lo[l]) / (PARTS + 1));
            for part in 1..=PARTS {
                lanes(wide).for_each(|l| at[l] = lo[l] + part * each[l]);
                self.probe(wide, (&at, key), &below, &mut before, by)?;
            }
            stepped(wide, PARTS);
            for lane in lanes(wide) {
                if before[lane] < PARTS {
                    hi[lane] = lo[lane] + (before[lane] + 1) * each[lane];
                }
                if before[lane] > 0 {
                    lo[lane] += before[lane] * each[lane] + 1;
                }
            }
        }
        let (mut before, mut rest, mut looks) = ([0; 32], 0, 0);
        for part in 0..PARTS {
            let open: Mask = lanes(mask).filter(|&l| lo[l] + part < hi[l]).map(|l| 1 << l).sum();
            if open == 0 {
                break;
            }
            lanes(open).for_each(|l| at[l] = lo[l] + part);
            self.probe(open, (&at, key), &below, &mut before, by)?;
            (rest, looks) = (rest | open, looks + 1);
        }
        if rest != 0 {
            stepped(rest, looks);
        }
        lanes(mask).for_each(|l| lo[l] += before[l]);
        Ok(lo)
    }

    /// Looks at one element in each lane, and counts it if it is below the key.
    fn probe(
        &mut self,
        open: Mask,
        (at, key): (&Lanes, &Lanes),
        below: &impl Fn(u64, u64) -> bool,
        before: &mut Lanes,
        by: &mut Accessor<'_>,
    ) -> Done<()> {
        let mut found = [0; 32];
        self.load(open, at, &mut found, by)?;
        lanes(open).for_each(|lane| before[lane] += u64::from(below(found[lane], key[lane])));
        by.serial = by.serial.wrapping_add(1);
        Ok(())
    }

    /// May a search look at the range?
    fn sorted(&self, lo: u64, hi: u64, lane: usize) -> Done<()> {
        let array = self.words.array();
        let buffer = || self.name.to_owned();
        let stop = |fault| Err(Box::new(Stop { fault, lane: lane as u32 }));
        if lo > hi || hi > array.len() as u64 {
            return stop(Fault::SearchRange { buffer: buffer(), lo, hi, len: array.len() });
        }
        // What the launch writes may not all be there yet.
        if self.shadow.is_some() || lo == hi {
            return Ok(());
        }
        let descents = self.descents.get_or_init(|| {
            let words = array.words.windows(2).enumerate();
            words.filter(|(_, w)| (w[0] as u32 as i32) > (w[1] as u32 as i32)).map(|(at, _)| at).collect()
        });
        let first = descents.partition_point(|&at| (at as u64) < lo);
        match descents.get(first) {
            Some(&at) if at as u64 + 1 < hi => stop(Fault::Unsorted { buffer: buffer(), lo, hi }),
            _ => Ok(()),
        }
    }
}
