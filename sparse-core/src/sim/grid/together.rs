//! Warps come to what their lanes do together: collectives and a warp's barrier.

use super::code::{CarryOut, Combine, Op};
use super::collective::{self, Reduced};
use super::lanes::{Done, Lanes, lanes};
use super::memory::Update;
use super::warp::{Machine, Warp, stop};
use crate::llir::{Arrive, Group, Scope, Sole};
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
            | Op::Count { group, .. }
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
            Op::Count { to, when, of, group } => {
                let votes = w.mask & w.flags[when as usize];
                w.blend(to, &collective::count(of, group.size, votes));
            }
            Op::Segments { to, key, .. } => w.set(to, w.registers[key as usize]),
            _ => {}
        }
        match combine {
            Some(c) => self.combine(w, &c, thread),
            None => Ok(()),
        }
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
