//! Warps come to what their lanes do together: collectives and a warp's barrier.

use super::code::{CarryOut, Combine, Given, Op, Place, Reg};
use super::collective::{self, Reduced};
use super::lanes::{Done, Lanes, lanes};
use super::memory::Update;
use super::warp::{Machine, Warp, stop};
use crate::llir::kernel::WARP;
use crate::llir::{Arrive, Group, MOST, Scope, Sole};
use crate::sim::fault::Fault;

impl Machine<'_> {
    pub(super) fn together(&mut self, w: &mut Warp, op: Op, thread: u32) -> Done<()> {
        if let Op::Barrier(scope @ Scope::Group(size)) = op {
            if let Some(lane) = collective::absent(Group { size, arrive: Arrive::Group }, w.mask) {
                return stop(Fault::DivergentBarrier { scope, thread: thread + lane }, w.mask);
            }
            self.counts.barriers += 1;
            lanes(w.mask).for_each(|lane| w.sync[lane] += 1);
            return Ok(());
        }
        let combine = match op {
            Op::Combine(n) => Some(self.code.combines[n as usize]),
            _ => None,
        };
        let group = match op {
            Op::Total { group, .. }
            | Op::Scatter { group, .. }
            | Op::Shuffle { group, .. }
            | Op::Scan { group, .. }
            | Op::Segments { group, .. } => group,
            _ => {
                combine.map_or_else(|| unreachable!("what lanes do together is dispatched here"), |c| c.group)
            }
        };
        if let Some(lane) = collective::absent(group, w.mask) {
            let left = w.alive >> lane & 1 == 0;
            return stop(Fault::AbsentLane { thread: thread + lane, left }, w.mask);
        }
        let steps = u64::from(group.size.ilog2());
        self.counts.shuffles += match op {
            Op::Total { .. } | Op::Combine(_) => steps,
            Op::Scan { of: Given::Votes(_), .. } => 1,
            Op::Scan { before: None, .. } => steps,
            Op::Scan { all, .. } => steps + 1 + u64::from(all.is_some()),
            Op::Scatter { len, group, .. } => {
                let (halving, tree) = collective::exchanges(len, group);
                u64::from(halving + tree)
            }
            _ => 1,
        };
        match op {
            Op::Total { var, op, t, group } => {
                let value = collective::total(op, t, group.size, &w.registers[var as usize]);
                w.blend(var, &value);
            }
            Op::Scatter { array, op, group, .. } => {
                w.arrays[array as usize].scatter(w.mask, op, group.size);
            }
            Op::Shuffle { to, value, from, group } => {
                w.set(to, collective::shuffle(from, group.size, &w.registers[value as usize]));
            }
            Op::Scan { of, before, all, group } => {
                // Lanes that do not arrive are of groups that do not.
                let (sums, total) = match of {
                    Given::Votes(when) => collective::count(group.size, w.mask & w.flags[when as usize]),
                    Given::Sum(value) => collective::sums(group.size, &w.registers[value as usize]),
                };
                before.into_iter().for_each(|to| w.blend(to, &sums));
                all.into_iter().for_each(|to| w.blend(to, &total));
            }
            Op::Segments { to, key, .. } => w.set(to, w.registers[key as usize]),
            _ => {}
        }
        match combine {
            Some(c) => self.combine(w, &c, thread),
            None => Ok(()),
        }
    }

    /// What a warp has is stored for the block.
    pub(super) fn store_of_warp(&mut self, w: &Warp, place: Place, value: Reg, thread: u32) -> Done<()> {
        let (memory, by) = self.memory(w, place, thread);
        memory.store(1, &[u64::from(thread / WARP); 32], &w.registers[value as usize], &by)
    }

    /// What all warps have stored comes together, in each lane.
    pub(super) fn load_warps(&mut self, w: &mut Warp, op: Op, thread: u32) -> Done<()> {
        let Op::LoadWarps { place, warps, before, all } = op else {
            unreachable!("what warps have is dispatched here")
        };
        let mut total = [0; 32];
        for warp in 0..warps {
            if warp == thread / WARP
                && let Some(before) = before
            {
                let inside = w.registers[before as usize];
                w.blend(before, &std::array::from_fn(|l| (inside[l] + total[l]).min(MOST)));
            }
            let mut stored = [0; 32];
            let mask = w.mask;
            let (memory, by) = self.memory(w, place, thread);
            memory.load(mask, &[warp.into(); 32], &mut stored, &by)?;
            total = std::array::from_fn(|l| (total[l] + stored[l]).min(MOST));
        }
        all.into_iter().for_each(|to| w.blend(to, &total));
        Ok(())
    }

    fn combine(&mut self, w: &Warp, c: &Combine, thread: u32) -> Done<()> {
        let (value, index) = (&w.registers[c.value as usize], w.registers[c.index as usize]);
        let keys = c.segments.map(|keys| &w.registers[keys as usize]);
        let name = self.memory(w, c.place, thread).0.name();
        let began = c.carry.map(|carry| w.flags[carry.began as usize]);
        let lanes = (w.mask, w.flags[c.when as usize]);
        let reduced = collective::reduce(c, name, keys, value, &index, lanes, began)?;
        let (sole, atomic) = (reduced.sole, reduced.atomic);
        if sole != 0 {
            self.count(if reduced.how == Sole::Store { 1 } else { 3 }, sole);
            if reduced.how == Sole::Combine {
                self.count_load(c.place);
            }
            let (memory, by) = self.memory(w, c.place, thread);
            match reduced.how {
                Sole::Store => memory.store(sole, &index, &reduced.value, &by)?,
                Sole::Combine => memory.update(sole, &index, (c.op, Update::Plain), &reduced.value, &by)?,
            }
        }
        if atomic != 0 {
            self.count(1, atomic);
            self.count_atomics(atomic, &index);
            let (memory, by) = self.memory(w, c.place, thread);
            memory.update(atomic, &index, (c.op, Update::Atomic), &reduced.value, &by)?;
        }
        match &c.carry {
            Some(carry) => self.carry_out(w, carry, &reduced, &index, thread),
            None => Ok(()),
        }
    }

    /// A group's first and last segments, for a launch after this one.
    fn carry_out(
        &mut self,
        w: &Warp,
        carry: &CarryOut,
        reduced: &Reduced,
        index: &Lanes,
        thread: u32,
    ) -> Done<()> {
        let Reduced { value, first, last, .. } = reduced;
        let rest = std::array::from_fn(|l| if first >> l & 1 == 1 { carry.nothing } else { value[l] });
        let slot = w.registers[carry.slot as usize];
        let next = slot.map(|s| s.wrapping_add(1));
        for (lanes, slot, sum) in [(*first, &slot, value), (*last, &next, &rest)] {
            if lanes == 0 {
                continue;
            }
            for (place, values) in [(carry.sums, sum), (carry.elements, index)] {
                self.count(1, lanes);
                let (memory, by) = self.memory(w, place, thread);
                memory.store(lanes, slot, values, &by)?;
            }
        }
        Ok(())
    }
}
