//! Where the parts of a row begin that lanes merge ([`super::parts`]): at samples of its operands.
//!
//! ```text
//! step = so many entries that every step-th of all operands are no more than lanes
//! lane < samples: j = the lane's sample, first those of B, then those of C
//!                 pB, pC = where j is in B and C, or would be; at = how many samples lie before j; B_sampled[at] = pB; …
//! all wait;       a lane's part is from B_sampled[lane] to B_sampled[lane + 1], and likewise in C
//! ```
//!
//! Of one operand alone each lane knows where its samples are.

use super::super::Lowerer;
use super::super::place::ceil;
use super::super::region::{Sweep, guard};
use super::TeamLanes;
use super::parts::select;
use crate::cin::val::AccessId;
use crate::llir::{Block, Bound, BufferId, Elem, Expr, Space, Stmt, build};
use crate::looplet::Stepper;

/// An operand's entries in a row.
struct Entries {
    access: AccessId,
    stepper: Stepper,
    /// How many samples it has, together with those of operands before it.
    upto: Expr,
}

fn ceil_by(n: Expr, by: &Expr) -> Expr {
    let more = build::sub(build::add(n, by.clone()), Expr::Index(1));
    build::div(more, by.clone())
}

impl Lowerer<'_> {
    /// The entries that each lane has of a row: from its sample, in their order, to the next one.
    pub(super) fn own_parts(
        &mut self,
        sweep: Sweep<'_>,
        steppers: Vec<(AccessId, Stepper)>,
        lanes: &TeamLanes,
    ) -> (Block, Vec<(AccessId, Stepper)>) {
        if let [(access, stepper)] = &steppers[..] {
            return self.equal_parts(*access, stepper.clone(), lanes);
        }
        let mut block = Block::new();
        let lane = lanes.lane.clone();
        let (operands, step) = self.sampled(steppers, lanes, &mut block);
        let Some(all) = operands.last().map(|last| last.upto.clone()) else { return (block, vec![]) };
        let mut inside = Block::new();
        // The lane's sample.
        let mut first = Expr::Index(0);
        let mut samples = Vec::new();
        for Entries { stepper, upto, .. } in &operands {
            let nth = build::mul(build::sub(lane.clone(), first), step.clone());
            let at = build::add(stepper.begin.clone(), nth);
            samples.push((build::lt(lane.clone(), upto.clone()), build::load(stepper.crd, at)));
            first = upto.clone();
        }
        let sample =
            samples.into_iter().rev().reduce(|(cond, others), (mine, at)| (cond, select(mine, at, others)));
        let sample = sample.map_or(Expr::Index(0), |(_, at)| at);
        let sample = self.bind(&self.name(sweep.var), sample, &mut inside);
        // How many are before it: equal ones are in the order of the operands.
        let mut rank = Expr::Index(0);
        let mut found = Vec::new();
        for (n, Entries { access, stepper, upto, .. }) in operands.iter().enumerate() {
            let Stepper { crd, begin, end, .. } = stepper;
            let name = format!("p{}", self.tensor_name(*access));
            let value = build::search(Bound::Lower, *crd, begin.clone(), end.clone(), sample.clone());
            let p = self.bind(&name, value, &mut inside);
            found.push(p.clone());
            let mut before = build::sub(p.clone(), begin.clone());
            if n + 1 < operands.len() {
                let equal = build::and(
                    build::lt(p.clone(), end.clone()),
                    build::eq(build::load(*crd, p), sample.clone()),
                );
                let equal = build::and(build::le(upto.clone(), lane.clone()), equal);
                before = build::add(before, select(equal, Expr::Index(1), Expr::Index(0)));
            }
            rank = build::add(rank, ceil_by(before, &step));
        }
        inside.push(Stmt::Comment("how many samples lie before this one".to_owned()));
        let at = build::add(lanes.first_thread(), rank);
        let at = self.bind("at", at, &mut inside);
        for (Entries { access, .. }, p) in operands.iter().zip(found) {
            let buffer = self.sample_positions(*access);
            inside.push(Stmt::Store { buffer, index: at.clone(), value: p });
        }
        block.extend(guard(build::lt(lane.clone(), all.clone()), inside));
        block.push(lanes.barrier());
        let mut parts = Vec::new();
        block.push(Stmt::Comment("a lane's part: from one sample, in their order, to the next".to_owned()));
        for Entries { access, stepper, .. } in operands {
            let buffer = self.sample_positions(access);
            let at = |more: u64| {
                let is_there = build::lt(build::add(lane.clone(), Expr::Index(more)), all.clone());
                let there = build::load(buffer, build::add(lanes.thread.clone(), Expr::Index(more)));
                select(is_there, there, stepper.end.clone())
            };
            let name = format!("p{}", self.tensor_name(access));
            let begin = self.bind(&format!("{name}_begin"), at(0), &mut block);
            let end = self.bind(&format!("{name}_end"), at(1), &mut block);
            parts.push((access, Stepper { begin, end, ..stepper }));
        }
        (block, parts)
    }

    /// As many entries of the only operand for each lane, as far as there are.
    fn equal_parts(
        &mut self,
        access: AccessId,
        stepper: Stepper,
        lanes: &TeamLanes,
    ) -> (Block, Vec<(AccessId, Stepper)>) {
        let mut block = Block::new();
        let name = self.tensor_name(access);
        let len = build::sub(stepper.end.clone(), stepper.begin.clone());
        let len = self.bind(&format!("{name}_entries"), len, &mut block);
        let step = self.bind("step", ceil(len.clone(), lanes.size.into()), &mut block);
        let before = build::min(build::mul(lanes.lane.clone(), step.clone()), len);
        let begin = build::add(stepper.begin.clone(), before);
        let begin = self.bind(&format!("p{name}_begin"), begin, &mut block);
        let left = build::sub(stepper.end.clone(), begin.clone());
        let end = build::add(begin.clone(), build::min(step, left));
        let end = self.bind(&format!("p{name}_end"), end, &mut block);
        (block, vec![(access, Stepper { begin, end, ..stepper })])
    }

    /// How many samples each operand has in a row, and how many entries lie from one to the next.
    fn sampled(
        &mut self,
        steppers: Vec<(AccessId, Stepper)>,
        lanes: &TeamLanes,
        block: &mut Block,
    ) -> (Vec<Entries>, Expr) {
        // Each operand may have one more than its share.
        let shares = u64::from(lanes.size) - steppers.len() as u64;
        let mut step = Expr::Index(0);
        let mut lens = Vec::new();
        block.push(Stmt::Comment(format!(
            "every `step`-th entry of each operand is a sample: {} of all at most",
            lanes.size
        )));
        for (a, s) in &steppers {
            let name = format!("{}_entries", self.tensor_name(*a));
            let len = self.bind(&name, build::sub(s.end.clone(), s.begin.clone()), block);
            step = build::add(step, ceil(len.clone(), shares));
            lens.push(len);
        }
        let step = self.bind("step", step, block);
        let mut operands: Vec<Entries> = Vec::new();
        for ((access, stepper), len) in steppers.into_iter().zip(lens) {
            let name = format!("{}_samples", self.tensor_name(access));
            let samples = self.bind(&name, ceil_by(len, &step), block);
            let upto = match operands.last() {
                None => samples,
                Some(before) => self.bind("samples", build::add(before.upto.clone(), samples), block),
            };
            operands.push(Entries { access, stepper, upto });
        }
        (operands, step)
    }

    /// Where an operand's samples are, in shared memory: an element a thread of the block.
    fn sample_positions(&mut self, access: AccessId) -> BufferId {
        let space = Space::Shared { len: self.gpu().grid.threads() as u32 };
        let known = self.out.gpu.row_parts.as_ref().and_then(|parts| {
            let mut of = parts.samples.iter().filter(|(of, _)| *of == access);
            of.find(|(_, b)| self.buffers[b.index()].space == space).map(|(_, b)| *b)
        });
        let buffer = known.unwrap_or_else(|| {
            let name = format!("{}_sampled", self.tensor_name(access));
            let buffer = self.local(&name, Elem::Index, space);
            if let Some(parts) = &mut self.out.gpu.row_parts {
                parts.samples.push((access, buffer));
            }
            buffer
        });
        self.share_once(buffer);
        buffer
    }
}
