//! The blocks of a grid, one after another, and the warps of a block, from barrier to barrier: in the order of their
//! numbers, or in one that is drawn.

use super::Order;
use super::lanes::Stop;
use super::report::{LaunchReport, Path};
use super::warp::{Machine, Pause, Warp};
use crate::llir::kernel::WARP;
use crate::llir::print::print_headline;
use crate::llir::{Launch, Program, Scope, VarId};
use crate::sim::fault::{Fault, GridThread, InterpError};
use crate::tensor::random::SplitMix64;

/// A launch that runs.
pub(super) struct Grid<'a> {
    program: &'a Program,
    launch: &'a Launch,
    machine: Machine<'a>,
    warps: Vec<Warp>,
    block: [u64; 3],
    /// What each warp did in this block.
    paths: Vec<Path>,
    longest_warp: Path,
    longest_block: u64,
    /// Draws the order.
    random: Option<SplitMix64>,
}

/// How far a warp is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Paused(Pause),
}

impl<'a> Grid<'a> {
    pub(super) fn new(
        program: &'a Program,
        launch: &'a Launch,
        machine: Machine<'a>,
        mut warps: Vec<Warp>,
        order: Order,
    ) -> Self {
        if let Some(to) = machine.code.vars[launch.thread.index()] {
            for (warp, first) in warps.iter_mut().zip((0..).step_by(WARP as usize)) {
                warp.registers[to as usize] = std::array::from_fn(|lane| first + lane as u64);
            }
        }
        let (longest_warp, paths) = (Path::default(), vec![Path::default(); warps.len()]);
        let random = match order {
            Order::Ascending => None,
            Order::Drawn(seed) => Some(SplitMix64(seed)),
        };
        Grid { program, launch, machine, warps, block: [0; 3], paths, longest_warp, longest_block: 0, random }
    }

    /// The numbers below `n`, in the order in which they come. Only one that is drawn is kept: there may be 2³¹ blocks, of which
    /// few run before the steps end.
    fn order(&mut self, n: u64) -> impl Iterator<Item = u64> + use<> {
        let drawn = self.random.as_mut().map(|random| {
            let mut all: Vec<u64> = (0..n).collect();
            for last in (1..all.len()).rev() {
                all.swap(last, random.below(last + 1));
            }
            all
        });
        (0..n).map(move |at| drawn.as_ref().map_or(at, |all| all[at as usize]))
    }

    /// Runs so many blocks in x, y and z.
    pub(super) fn run(mut self, blocks: [u64; 3]) -> Result<LaunchReport, Box<InterpError>> {
        let [x, y, z] = blocks;
        for n in self.order(x * y * z) {
            self.block = [n % x, n / x % y, n / x / y];
            self.run_block()?;
        }
        let m = &self.machine;
        let sum = |f: fn(&super::traffic::Traffic) -> u64| {
            m.globals.iter().filter_map(|g| g.traffic.as_ref()).map(f).sum()
        };
        Ok(LaunchReport {
            name: self.launch.name.clone(),
            grid: blocks,
            threads: self.launch.threads,
            shared: self.launch.shared.iter().map(|b| self.program.buffer(*b).shared_bytes()).sum(),
            warps: blocks.iter().product::<u64>() * self.warps.len() as u64,
            counts: m.counts,
            longest_warp: self.longest_warp,
            longest_block: self.longest_block,
            sectors_read: sum(|t| t.read),
            block_read: sum(|t| t.block_read),
            sectors_written: sum(|t| t.written),
            least_read: sum(|t| t.least_read),
            least_written: sum(|t| t.least_written),
            contended: m.globals.iter().map(|g| g.contended()).sum(),
        })
    }

    fn set(&mut self, var: VarId, value: u64) {
        if let Some(to) = self.machine.code.vars[var.index()] {
            self.warps.iter_mut().for_each(|w| w.registers[to as usize] = [value; 32]);
        }
    }

    fn run_block(&mut self) -> Result<(), Box<InterpError>> {
        for (axis, number) in self.launch.grid.iter().zip(self.block) {
            self.set(axis.var, number);
        }
        self.warps.iter_mut().for_each(Warp::restart);
        self.machine.shared.iter_mut().for_each(|m| m.forget());
        self.machine.epoch += 1;
        self.machine.since = self.machine.serial;
        self.paths.fill(Path::default());
        self.machine.blocks.push(self.machine.epoch);
        let mut states = vec![State::Running; self.warps.len()];
        while states.contains(&State::Running) {
            self.phase(&mut states)?;
            self.meet(&mut states)?;
            self.machine.epoch += 1;
        }
        let longest =
            self.paths.iter().max_by_key(|p| (p.instructions, p.loads)).copied().unwrap_or_default();
        if longest.instructions > self.longest_warp.instructions {
            self.longest_warp = longest;
        }
        let all = self.paths.iter().map(|p| p.instructions).sum();
        self.longest_block = self.longest_block.max(all);
        Ok(())
    }

    /// Every warp runs until it waits or ends.
    fn phase(&mut self, states: &mut [State]) -> Result<(), Box<InterpError>> {
        // A thread that reads too early what another one writes in the same phase is in conflict with it, which says
        // more than that the element is not initialised.
        let mut early: Option<Box<InterpError>> = None;
        for n in self.order(states.len() as u64) {
            let n = n as usize;
            let state = &mut states[n];
            if *state != State::Running {
                continue;
            }
            let before = self.machine.counts;
            let outcome = self.machine.run(&mut self.warps[n], n as u32 * WARP);
            let (path, after) = (&mut self.paths[n], &self.machine.counts);
            path.instructions += after.instructions - before.instructions;
            path.loads += after.loads - before.loads;
            match outcome {
                Ok(pause) => *state = State::Paused(pause),
                Err(stop) => {
                    let error = self.error(n, *stop);
                    match early {
                        None if self.is_shared(&error.fault) => early = Some(error),
                        None => return Err(error),
                        Some(early) => {
                            return Err(if same_element(&early.fault, &error.fault) { error } else { early });
                        }
                    }
                }
            }
        }
        early.map_or(Ok(()), Err)
    }

    /// The warps have come to the same barrier, or have all ended.
    fn meet(&mut self, states: &mut [State]) -> Result<(), Box<InterpError>> {
        let waiting = (0..states.len()).find_map(|n| match states[n] {
            State::Paused(Pause::Barrier(pc)) => Some((n, pc)),
            _ => None,
        });
        let Some((first, pc)) = waiting else { return Ok(()) };
        for (n, state) in states.iter_mut().enumerate() {
            // Nobody waits for threads that have left.
            let alive = self.warps[n].alive;
            if *state == State::Paused(Pause::Barrier(pc)) {
                *state = State::Running;
            } else if alive != 0 {
                let thread = n as u32 * WARP + alive.trailing_zeros();
                let fault = Fault::DivergentBarrier { scope: Scope::Block, thread };
                let w = &mut self.warps[first];
                w.pc = pc;
                let lane = w.mask.trailing_zeros() & 31;
                return Err(self.error(first, Stop { fault, lane }));
            }
        }
        Ok(())
    }

    fn is_shared(&self, fault: &Fault) -> bool {
        let Fault::Uninitialised { buffer, .. } = fault else { return false };
        self.machine.shared.iter().any(|m| m.name() == buffer)
    }

    /// What went wrong in a warp, at the instruction where it stands.
    fn error(&self, warp: usize, stop: Stop) -> Box<InterpError> {
        let stmt = self.machine.code.instrs[self.warps[warp].pc as usize].stmt;
        let line = stmt.map_or_else(|| self.launch.name.clone(), |s| print_headline(self.program, s));
        let thread = GridThread {
            kernel: self.launch.name.clone(),
            block: self.block,
            thread: warp as u32 * WARP + stop.lane,
        };
        Box::new(InterpError {
            fault: stop.fault,
            place: format!("`{line}`"),
            thread: Some(Box::new(thread)),
        })
    }
}

/// Is the conflict about the element that was read before it was written?
fn same_element(early: &Fault, fault: &Fault) -> bool {
    match (early, fault) {
        (Fault::Uninitialised { buffer, index }, Fault::Conflict { buffer: other, index: at, .. }) => {
            buffer == other && index == at
        }
        _ => false,
    }
}
