//! What warps do to memory.

use super::code::{Op, Place};
use super::lanes::{Done, Lanes, Mask, lanes as each};
use super::memory::{Accessor, Memory, Update};
use super::shadow::Now;
use super::warp::{Machine, Warp};

/// Instructions of an element that a search looks at: where it is, the load, and whether it counts.
const LOOK: u64 = 3;

impl<'a> Machine<'a> {
    /// The memory at a place that is no register array, and who accesses it.
    pub(super) fn memory<'s>(
        &'s mut self,
        w: &'s Warp,
        place: Place,
        thread: u32,
    ) -> (&'s mut Memory<'a>, Accessor<'s>) {
        self.serial = self.serial.wrapping_add(1);
        let block = *self.blocks.last().unwrap_or(&0);
        let now = Now { epoch: self.epoch, block, sync: 0, thread, together: self.code.together };
        let (syncs, blocks) = (&w.sync, &self.blocks);
        let by = Accessor { now, syncs, blocks, serial: self.serial, since: self.since };
        let memory = match place {
            Place::Global(n) => &mut self.globals[n as usize],
            Place::Shared(n) => &mut self.shared[n as usize],
            Place::Register(_) => unreachable!("register arrays are a warp's own"),
        };
        (memory, by)
    }

    pub(super) fn access(&mut self, w: &mut Warp, op: Op, thread: u32) -> Done<()> {
        let mask = w.mask;
        match op {
            Op::Local { array, word } => {
                w.arrays[array as usize].set(mask, word);
                Ok(())
            }
            Op::Load { to, place, index } => {
                self.count_load(place);
                let (mut value, index) = (w.registers[to as usize], w.registers[index as usize]);
                match place {
                    Place::Register(array) => w.arrays[array as usize].load(mask, &index, &mut value)?,
                    place => {
                        let (memory, by) = self.memory(w, place, thread);
                        memory.load(mask, &index, &mut value, &by)?;
                    }
                }
                w.registers[to as usize] = value;
                Ok(())
            }
            Op::Store { place: Place::Register(array), index, value } => {
                let (index, value) = (&w.registers[index as usize], &w.registers[value as usize]);
                w.arrays[array as usize].store(mask, index, value)
            }
            Op::Store { place, index, value } => {
                let (memory, by) = self.memory(w, place, thread);
                memory.store(mask, &w.registers[index as usize], &w.registers[value as usize], &by)
            }
            Op::LoadVector { array, part, place, index } => {
                self.count_load(place);
                let index = w.registers[index as usize];
                let elements = part.map_or(w.arrays[array as usize].len(), |(_, len)| len as usize);
                let mut values = vec![[0; 32]; elements];
                let (memory, by) = self.memory(w, place, thread);
                memory.load_vector(mask, &index, &mut values, &by)?;
                let first = part.map_or([0; 32], |(at, _)| w.registers[at as usize]);
                values.iter().zip(0..).try_for_each(|(value, n)| {
                    w.arrays[array as usize].store(mask, &first.map(|at| at + n), value)
                })
            }
            Op::StoreVector { place, index, array, update, atomics } => {
                let index = w.registers[index as usize];
                // The elements of a vector meet where those of others begin.
                for _ in 0..atomics {
                    self.count_atomics(mask, &index);
                }
                let (memory, by) = self.memory(w, place, thread);
                memory.store_vector(mask, &index, w.arrays[array as usize].elements(mask)?, update, &by)
            }
            Op::Reduce { place: Place::Register(array), index, op, value }
            | Op::Atomic { place: Place::Register(array), index, op, value } => {
                let (index, value) = (&w.registers[index as usize], &w.registers[value as usize]);
                w.arrays[array as usize].update(mask, index, op, value)
            }
            Op::Reduce { place, index, op, value } => {
                self.count_load(place);
                let (memory, by) = self.memory(w, place, thread);
                let (index, value) = (&w.registers[index as usize], &w.registers[value as usize]);
                memory.update(mask, index, (op, Update::Plain), value, &by)
            }
            Op::Atomic { place, index, op, value } => {
                let (index, value) = (w.registers[index as usize], w.registers[value as usize]);
                self.count_atomics(mask, &index);
                let (memory, by) = self.memory(w, place, thread);
                memory.update(mask, &index, (op, Update::Atomic), &value, &by)
            }
            Op::Claim { to, place, index, value } => {
                let (index, value) = (w.registers[index as usize], w.registers[value as usize]);
                self.count_load(place);
                let mut held = w.registers[to as usize];
                let (memory, by) = self.memory(w, place, thread);
                let free = memory.claim(mask, &index, &value, &mut held, &by)?;
                w.registers[to as usize] = held;
                // Where a key is found nothing is swapped.
                if free != 0 {
                    self.count(1, free);
                    self.count_atomics(free, &index);
                }
                Ok(())
            }
            Op::Fetch { op, to, place, index, value } => {
                let (index, value) = (w.registers[index as usize], w.registers[value as usize]);
                self.count_atomics(mask, &index);
                let mut held = to.map_or([0; 32], |to| w.registers[to as usize]);
                let (memory, by) = self.memory(w, place, thread);
                memory.fetch(op, mask, &index, &value, &mut held, &by)?;
                if let Some(to) = to {
                    w.registers[to as usize] = held;
                }
                Ok(())
            }
            Op::Search { bound, to, place, lo, hi, key } => {
                let operands = [lo, hi, key].map(|r| w.registers[r as usize]);
                let (mut steps, mut looks, mut looking) = (0, 0, 0);
                let (memory, mut by) = self.memory(w, place, thread);
                let [lo, hi, key] = &operands;
                let found = memory.search(mask, bound, [lo, hi, key], &mut by, |open, elements| {
                    steps += 1;
                    looks += elements;
                    looking += elements * u64::from(open.count_ones());
                });
                self.serial = by.serial;
                if matches!(place, Place::Global(_)) {
                    self.counts.loads += steps;
                }
                self.counts.instructions += LOOK * looks;
                self.counts.active_lanes += LOOK * looking;
                w.registers[to as usize] = found?;
                Ok(())
            }
            _ => unreachable!("accesses are dispatched here"),
        }
    }

    pub(super) fn count_load(&mut self, place: Place) {
        self.counts.loads += u64::from(matches!(place, Place::Global(_)));
    }

    pub(super) fn count_atomics(&mut self, mask: Mask, index: &Lanes) {
        let mut elements: Vec<u64> = each(mask).map(|l| index[l]).collect();
        let updates = elements.len();
        elements.sort_unstable();
        elements.dedup();
        self.counts.atomics += updates as u64;
        self.counts.atomic_conflicts += (updates - elements.len()) as u64;
    }
}
