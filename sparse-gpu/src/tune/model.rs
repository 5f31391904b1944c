//! How long a GPU would take for what the simulator counted.
//!
//! A launch is limited by one of a few resources, and the others overlap with it: instructions that multiprocessors issue,
//! sectors that move between their caches and registers, from the second level and from memory, atomic updates that wait for
//! each other, and the time that warps wait for what they load when there are too few of them to hide it. Each is a
//! count of the [`LaunchReport`] over a rate of the device; the launch takes the longest, a part of the rest, and
//! what it costs to start one.
//!
//! This is a model: it orders kernels, and a [`Predicted`] time is never a measurement. Rates are those that NVIDIA
//! publishes (its data sheet, and the throughputs of the CUDA C++ Programming Guide); latencies are of microbenchmarks of Hopper (Luo et al., 2024: first level 40, second level 260,
//! memory 480 cycles).

use super::figure::Predicted;
use crate::hardware::{Hardware, Told};
use crate::sim::{LaunchReport, Report};
use sparse_core::llir::kernel::WARP;
use std::fmt;
use std::time::Duration;

/// Bytes of a sector.
pub(super) const SECTOR: f64 = 32.0;

/// The most blocks that a multiprocessor holds.
const MOST_BLOCKS: f64 = 32.0;

/// Bytes of shared memory that a block takes beside its arrays.
const SHARED_BESIDE: f64 = 1024.0;

/// The part of what does not limit a launch that it does not hide either.
const NOT_HIDDEN: f64 = 0.2;

/// What of a GPU the model knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What it is a model of.
    pub name: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Cycles of a multiprocessor a second.
    pub clock: f64,
    /// Instructions that a multiprocessor issues a cycle.
    pub issue: f64,
    /// Warps that a multiprocessor holds.
    pub warps: u32,
    /// Registers of a multiprocessor, of 32 bits.
    pub registers: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared: f64,
    /// Sectors between a multiprocessor's first-level cache and its registers a cycle.
    pub first_level: f64,
    /// Shuffles that a multiprocessor ends a cycle, in the same pipeline as loads.
    pub shuffles: f64,
    /// Bytes of the second-level cache.
    pub second_level_bytes: f64,
    /// Bytes from the second level a second.
    pub second_level: f64,
    /// Bytes from memory a second.
    pub memory: f64,
    /// Whom they are known from.
    pub told: Told,
    /// Atomic updates of the same element, or of different ones of a sector, that the second level ends a cycle.
    pub atomics: f64,
    /// Cycles from an instruction to one that needs its result.
    pub dependent: f64,
    /// Cycles of a load from the first level, the second level, and memory.
    pub latency: [f64; 3],
    /// Loads of a warp that are under way at a time.
    pub overlap: f64,
    /// What starting a launch costs.
    pub launch: Duration,
    /// What starting one costs that comes right after another. One that a GPU starts before the other has ended
    /// ([`follows`](sparse_core::llir::Launch::follows)) is counted the same: what that saves has not been measured.
    pub next: Duration,
}

/// What limits a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Instructions.
    Issue,
    /// Sectors into registers, and shuffles.
    FirstLevel,
    /// Sectors from the second level.
    SecondLevel,
    /// Sectors from memory.
    Memory,
    /// Atomic updates in conflict.
    Atomics,
    /// Too few warps, or one that has too much to do.
    Latency,
}

/// Each resource's time alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    seconds: [(Limit, f64); 6],
    launch: f64,
}

impl Model {
    /// NVIDIA's H200 SXM: 132 multiprocessors at 1.755 GHz, HBM3e of 4.8 TB/s (its data sheet), a second level of 50 MB
    /// whose 5.5 TB/s is what microbenchmarks reach. A launch costs about 3 µs, and 1 µs right behind another.
    pub fn h200() -> Model {
        Model {
            name: "H200".into(),
            multiprocessors: 132,
            clock: 1.755e9,
            issue: 4.0,
            warps: 64,
            registers: 65536,
            shared: 228.0 * 1024.0,
            first_level: 4.0,
            shuffles: 1.0,
            second_level_bytes: 50e6,
            second_level: 5.5e12,
            memory: 4.8e12,
            told: Told::DataSheet("H200"),
            atomics: 96.0,
            dependent: 4.0,
            latency: [40.0, 260.0, 480.0],
            overlap: 4.0,
            launch: Duration::from_nanos(3000),
            next: Duration::from_nanos(1000),
        }
    }

    /// A GPU by what its driver says. What that does not say, and what no driver does, is an H200's; rates are so much for
    /// each multiprocessor.
    pub fn of(hardware: &Hardware) -> Model {
        let h200 = Model::h200();
        let multiprocessors = hardware.multiprocessors.unwrap_or(h200.multiprocessors);
        let share = f64::from(multiprocessors) / f64::from(h200.multiprocessors);
        let (memory, told) = hardware.bandwidth().unwrap_or((share * h200.memory, Told::Nobody));
        Model {
            name: hardware.name.clone(),
            multiprocessors,
            warps: hardware.threads.map_or(h200.warps, |n| n / WARP),
            registers: hardware.registers.unwrap_or(h200.registers),
            shared: hardware.shared.map_or(h200.shared, f64::from),
            second_level_bytes: hardware.second_level.map_or(h200.second_level_bytes, f64::from),
            second_level: share * h200.second_level,
            memory,
            told,
            atomics: share * h200.atomics,
            ..h200
        }
    }

    /// How long a launch would take, when its data have been used before: what fits in the second level is there.
    pub fn predict(&self, launch: &LaunchReport) -> Predicted {
        self.times(launch).predicted()
    }

    /// How long all launches and fills of a report would take, one right after another.
    pub fn predict_all(&self, report: &Report) -> Predicted {
        let launches = report.launches.iter().map(|l| self.predict(l).0);
        let all = launches.chain(report.fills.iter().map(|bytes| self.fill(*bytes).0));
        let alone = all.map(|time| time.saturating_sub(self.launch));
        let (count, work) =
            alone.fold((0u32, Duration::ZERO), |(n, sum), time| (n + 1, sum.saturating_add(time)));
        match count {
            0 => Predicted(Duration::ZERO),
            n => Predicted(work.saturating_add(self.launch + (n - 1) * self.next)),
        }
    }

    /// How long filling so many bytes would take.
    pub fn fill(&self, bytes: u64) -> Predicted {
        let bytes = bytes as f64;
        let rate = if bytes > self.second_level_bytes { self.memory } else { self.second_level };
        Predicted(self.launch + seconds(bytes / rate))
    }

    /// What each resource would take.
    pub fn times(&self, r: &LaunchReport) -> Times {
        let c = &r.counts;
        let processors = f64::from(self.multiprocessors);
        let cycles = |n: f64| n / self.clock;
        // A block is one multiprocessor's.
        let issue = (c.instructions as f64 / processors).max(r.longest_block as f64) / self.issue;
        let from_second = (r.block_read as f64 + r.sectors_written as f64) * SECTOR;
        let moved = (r.sectors_read as f64 + r.sectors_written as f64) / self.first_level;
        let first = (moved + c.shuffles as f64 / self.shuffles) / processors;
        let from_memory = self.missed(r) * SECTOR;
        let conflicts = c.atomic_conflicts as f64 / self.atomics;
        Times {
            seconds: [
                (Limit::Issue, cycles(issue)),
                (Limit::FirstLevel, cycles(first)),
                (Limit::SecondLevel, from_second / self.second_level),
                (Limit::Memory, from_memory / self.memory),
                (Limit::Atomics, cycles(conflicts)),
                (Limit::Latency, cycles(self.waiting(r))),
            ],
            launch: self.launch.as_secs_f64(),
        }
    }

    /// Sectors that come from memory: what does not fit in the second level. What is used once misses when everything
    /// has pushed it out since the last launch; what is used again misses as seldom as the cache is large.
    fn missed(&self, r: &LaunchReport) -> f64 {
        let least = r.least_read as f64 + r.least_written as f64;
        let (footprint, cache) = (least * SECTOR, self.second_level_bytes);
        let again = (r.block_read as f64 + r.sectors_written as f64 - least).max(0.0);
        let first = ((footprint - cache) / cache).clamp(0.0, 1.0);
        least * first + again * (1.0 - cache / footprint.max(1.0)).max(0.0)
    }

    /// Cycles that warps need one after another, with as many at a time as multiprocessors hold; at least the longest
    /// warp's.
    fn waiting(&self, r: &LaunchReport) -> f64 {
        let a_block = (f64::from(r.threads) / f64::from(WARP)).max(1.0);
        let room = self.shared / (r.shared as f64 + SHARED_BESIDE);
        let held = (f64::from(self.warps) / a_block).min(room).floor().clamp(1.0, MOST_BLOCKS) * a_block;
        let at_a_time = (f64::from(self.multiprocessors) * held).min(r.warps as f64).max(1.0);
        let load = self.load_latency(r) / self.overlap;
        let path = |instructions: u64, loads: u64| instructions as f64 * self.dependent + loads as f64 * load;
        let all = path(r.counts.instructions, r.counts.loads) / at_a_time;
        all.max(path(r.longest_warp.instructions, r.longest_warp.loads))
    }

    /// Cycles of a load on average: the share of sectors that come from each level.
    fn load_latency(&self, r: &LaunchReport) -> f64 {
        let [first, second, memory] = self.latency;
        let moved = (r.sectors_read as f64).max(1.0);
        let missed_first = (r.block_read as f64 / moved).min(1.0);
        let missed_second = (self.missed(r) / moved).min(missed_first);
        first + missed_first * (second - first) + missed_second * (memory - second)
    }
}

impl Times {
    /// The resource that takes longest.
    pub fn limit(&self) -> Limit {
        self.longest().0
    }

    /// The time with one resource alone.
    pub fn of(&self, limit: Limit) -> Duration {
        let found = self.seconds.iter().find(|(l, _)| *l == limit);
        seconds(found.map_or(0.0, |(_, s)| *s))
    }

    /// The launch's time.
    pub fn predicted(&self) -> Predicted {
        let (_, longest) = self.longest();
        let all: f64 = self.seconds.iter().map(|(_, s)| s).sum();
        Predicted(seconds(self.launch + longest + NOT_HIDDEN * (all - longest)))
    }

    fn longest(&self) -> (Limit, f64) {
        self.seconds.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((Limit::Issue, 0.0))
    }
}

impl fmt::Display for Times {
    /// In microseconds, the longest first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = self.seconds;
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (n, (limit, seconds)) in all.iter().enumerate() {
            let separator = if n == 0 { "" } else { ", " };
            write!(f, "{separator}{limit} {:.2} µs", seconds * 1e6)?;
        }
        Ok(())
    }
}

/// Seconds as a duration.
fn seconds(s: f64) -> Duration {
    // A century is long enough, and can be added up.
    const MOST: f64 = 3.2e9;
    Duration::try_from_secs_f64(s.min(MOST)).unwrap_or_default()
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Issue => "instructions",
            Limit::FirstLevel => "first-level cache",
            Limit::SecondLevel => "second-level cache",
            Limit::Memory => "memory",
            Limit::Atomics => "atomic updates",
            Limit::Latency => "latency",
        })
    }
}
