//! A warp: 32 lanes in lock step.
//!
//! Control flow splits the active mask and joins it again after the statement. A warp runs until it waits at a block's
//! barrier or ends, and goes on from there.

use super::code::{Code, Flag, Op, Pc, Reg};
use super::lanes::{self, ALL, Done, Lanes, Mask, Stop};
use super::memory::Memory;
use super::registers::Registers;
use super::report::Counts;
use crate::llir::{Cmp, Scope};
use crate::sim::fault::Fault;

/// Lanes to come back to.
#[derive(Clone, Copy)]
struct Frame {
    /// Of before.
    mask: Mask,
    /// Of the other branch.
    other: Mask,
}

/// A warp's state.
pub(super) struct Warp {
    pub(super) pc: Pc,
    pub(super) mask: Mask,
    /// Lanes that have not left.
    pub(super) alive: Mask,
    stack: Vec<Frame>,
    pub(super) registers: Vec<Lanes>,
    pub(super) flags: Vec<Mask>,
    pub(super) arrays: Vec<Registers>,
    /// By lane, its group's barriers since the block's last one.
    pub(super) sync: [u32; 32],
}

/// Why a warp stops running.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pause {
    /// It waits at the block's barrier, which is this instruction.
    Barrier(Pc),
    End,
}

impl Warp {
    pub(super) fn new(code: &Code<'_>, arrays: Vec<Registers>) -> Warp {
        let mut registers = vec![[0; 32]; code.registers];
        for &(to, word) in &code.constants {
            registers[to as usize] = [word; 32];
        }
        let mut flags = vec![0; code.flags];
        code.true_flags.iter().for_each(|&f| flags[f as usize] = ALL);
        Warp { pc: 0, mask: ALL, alive: ALL, stack: vec![], registers, flags, arrays, sync: [0; 32] }
    }

    /// In a new block.
    pub(super) fn restart(&mut self) {
        (self.pc, self.mask, self.alive, self.sync) = (0, ALL, ALL, [0; 32]);
        self.stack.clear();
    }

    pub(super) fn set(&mut self, to: Reg, value: Lanes) {
        self.registers[to as usize] = value;
    }

    /// In the active lanes.
    pub(super) fn blend(&mut self, to: Reg, value: &Lanes) {
        let to = &mut self.registers[to as usize];
        *to = if self.mask == ALL { *value } else { lanes::select(self.mask, value, to) };
    }

    fn top(&self) -> Frame {
        *self.stack.last().unwrap_or_else(|| unreachable!("what is ended was begun"))
    }
}

/// What warps share.
pub(super) struct Machine<'a> {
    pub(super) code: Code<'a>,
    pub(super) globals: Vec<Memory<'a>>,
    pub(super) shared: Vec<Memory<'a>>,
    pub(super) counts: Counts,
    /// The first epoch of each block up to this one.
    pub(super) blocks: Vec<u32>,
    /// Counts the blocks and their barriers, from 1.
    pub(super) epoch: u32,
    pub(super) serial: u32,
    /// The serial number before the block's first access.
    pub(super) since: u32,
    /// How many more may be executed, of how many.
    steps: &'a mut u64,
    limit: u64,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        code: Code<'a>,
        globals: Vec<Memory<'a>>,
        shared: Vec<Memory<'a>>,
        steps: &'a mut u64,
    ) -> Self {
        let (counts, limit) = (Counts::default(), *steps);
        Machine { code, globals, shared, counts, blocks: vec![], epoch: 0, serial: 0, since: 0, steps, limit }
    }

    pub(super) fn count(&mut self, cost: u32, mask: Mask) {
        self.counts.instructions += u64::from(cost);
        self.counts.active_lanes += u64::from(cost) * u64::from(mask.count_ones());
    }

    fn branch(&mut self, taken: Mask, other: Mask) {
        self.counts.branches += 1;
        self.counts.divergent_branches += u64::from(taken != 0 && other != 0);
    }

    /// Runs a warp, whose first thread is this, until it waits or ends. On a fault its counter is at the instruction.
    pub(super) fn run(&mut self, w: &mut Warp, thread: u32) -> Done<Pause> {
        loop {
            let pc = w.pc;
            let instr = &self.code.instrs[pc as usize];
            let (op, cost) = (instr.op, instr.cost);
            self.count(cost, w.mask);
            if *self.steps == 0 {
                return stop(Fault::StepLimit { limit: self.limit }, w.mask);
            }
            *self.steps -= 1;
            w.pc = pc + 1;
            let done = match op {
                Op::Barrier(Scope::Block) => return self.wait(w, pc, thread),
                Op::End => return Ok(Pause::End),
                Op::If { .. }
                | Op::Else { .. }
                | Op::EndIf { .. }
                | Op::Loop
                | Op::While { .. }
                | Op::For { .. }
                | Op::Next { .. }
                | Op::Jump { .. }
                | Op::EndLoop { .. }
                | Op::Exit { .. } => {
                    self.jump(w, op);
                    Ok(())
                }
                Op::Load { .. }
                | Op::Store { .. }
                | Op::Reduce { .. }
                | Op::Atomic { .. }
                | Op::Claim { .. }
                | Op::Fetch { .. }
                | Op::LoadVector { .. }
                | Op::StoreVector { .. }
                | Op::Search { .. }
                | Op::Local { .. } => self.access(w, op, thread),
                Op::Total { .. }
                | Op::Scatter { .. }
                | Op::Shuffle { .. }
                | Op::Scan { .. }
                | Op::Segments { .. }
                | Op::Combine(_)
                | Op::Barrier(Scope::Group(_)) => self.together(w, op, thread),
                Op::StoreOfWarp { place, value } => self.store_of_warp(w, place, value, thread),
                Op::LoadWarps { .. } => self.load_warps(w, op, thread),
                op => arithmetic(w, op),
            };
            if let Err(e) = done {
                w.pc = pc;
                return Err(e);
            }
        }
    }

    fn wait(&mut self, w: &mut Warp, pc: Pc, thread: u32) -> Done<Pause> {
        let missing = w.alive & !w.mask;
        if missing != 0 {
            w.pc = pc;
            let thread = thread + missing.trailing_zeros();
            return stop(Fault::DivergentBarrier { scope: Scope::Block, thread }, w.mask);
        }
        self.counts.barriers += 1;
        w.sync = [0; 32];
        Ok(Pause::Barrier(pc))
    }

    fn jump(&mut self, w: &mut Warp, op: Op) {
        match op {
            Op::If { cond, otherwise } => {
                let cond = w.flags[cond as usize];
                let (taken, other) = (w.mask & cond, w.mask & !cond);
                self.branch(taken, other);
                w.stack.push(Frame { mask: w.mask, other });
                w.mask = taken;
                if taken == 0 {
                    w.pc = otherwise;
                }
            }
            Op::Else { end } => {
                w.mask = w.top().other;
                if w.mask == 0 {
                    w.pc = end;
                }
            }
            Op::EndIf { out } | Op::EndLoop { out } => {
                w.mask = w.top().mask & w.alive;
                w.stack.pop();
                if w.mask == 0 {
                    w.pc = out;
                }
            }
            Op::Loop => w.stack.push(Frame { mask: w.mask, other: 0 }),
            Op::While { cond, end } => {
                let cond = w.flags[cond as usize];
                self.test(w, cond, end);
            }
            Op::For { var, hi, end } => {
                let inside = lanes::compare(Cmp::Lt, &w.registers[var as usize], &w.registers[hi as usize]);
                self.test(w, inside, end);
            }
            Op::Next { var, by, head } => {
                w.registers[var as usize].iter_mut().for_each(|v| *v = v.wrapping_add(by));
                w.pc = head;
            }
            Op::Jump { to } => w.pc = to,
            Op::Exit { out } => {
                w.alive &= !w.mask;
                w.mask = 0;
                w.pc = out;
            }
            _ => unreachable!("jumps are dispatched here"),
        }
    }

    /// Lanes in which the condition does not hold leave the loop.
    fn test(&mut self, w: &mut Warp, cond: Mask, end: Pc) {
        let (taken, other) = (w.mask & cond, w.mask & !cond);
        self.branch(taken, other);
        w.mask = taken;
        if taken == 0 {
            w.pc = end;
        }
    }
}

/// A fault in the first of these lanes.
pub(super) fn stop<T>(fault: Fault, mask: Mask) -> Done<T> {
    Err(Box::new(Stop { fault, lane: mask.trailing_zeros() & 31 }))
}

fn arithmetic(w: &mut Warp, op: Op) -> Done<()> {
    let r = |r: Reg| &w.registers[r as usize];
    let f = |f: Flag| w.flags[f as usize];
    match op {
        Op::Move { to, from } => {
            let from = *r(from);
            w.blend(to, &from);
        }
        Op::MoveFlag { to, from } => w.flags[to as usize] = f(to) & !w.mask | f(from) & w.mask,
        Op::Index { op, to, a, b } => w.set(to, lanes::index(op, w.mask, r(a), r(b))?),
        Op::Binary { op, t, to, a, b } => w.set(to, lanes::binary(op, t, r(a), r(b))),
        Op::Unary { op, t, to, a } => w.set(to, lanes::unary(op, t, r(a))),
        Op::FromIndex { t, to, a } => w.set(to, lanes::from_index(t, r(a))),
        Op::Select { to, cond, a, b } => w.set(to, lanes::select(f(cond), r(a), r(b))),
        Op::Cmp { op, to, a, b } => w.flags[to as usize] = lanes::compare(op, r(a), r(b)),
        Op::And { to, a, b } => w.flags[to as usize] = f(a) & f(b),
        Op::Or { to, a, b } => w.flags[to as usize] = f(a) | f(b),
        Op::Not { to, a } => w.flags[to as usize] = !f(a),
        _ => unreachable!("arithmetic is dispatched here"),
    }
    Ok(())
}
