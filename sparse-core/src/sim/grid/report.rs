//! What a launch cost.

use std::fmt;
use std::ops::AddAssign;

/// Counters of one launch.
///
/// An *instruction* is what a warp issues for one operation of LLIR, whether one lane needs it or all: arithmetic, a
/// comparison, a conversion, a selection, a load, a store, an atomic update, a branch, a barrier. A plain update of an
/// element is three (load, operation, store); an iteration of a counted loop has three of its own (comparison, branch,
/// increment), unless all of them are written out; an element that a search looks at has three (where it is, a load, whether it counts). Of what lanes do
/// together, each step of a reduction is a shuffle and an operation, with segments a comparison too. Constants,
/// variables, which an array in registers consists of, and copies cost nothing. A device's compiler will do better here and worse there: the numbers are for
/// comparing kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchReport {
    /// The entry point.
    pub name: String,
    /// Blocks in x, y and z.
    pub grid: [u64; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of the arrays that a block's threads share.
    pub shared: u64,
    /// Warps that ran.
    pub warps: u64,
    /// What the warps did.
    pub counts: Counts,
    /// The warp that issued the most instructions: nothing makes a launch shorter than it.
    pub longest_warp: Path,
    /// Instructions of the block that issued the most: one multiprocessor issues all of them.
    pub longest_block: u64,
    /// 32-byte sectors that loads moved: those that each access of a warp touches.
    pub sectors_read: u64,
    /// Of them, those that no warp of the block had read before: what a cache of each block's own would miss.
    pub block_read: u64,
    /// 32-byte sectors that stores and atomic updates moved.
    pub sectors_written: u64,
    /// Different sectors that loads touched: no kernel can move fewer.
    pub least_read: u64,
    /// Different sectors that stores and atomic updates touched.
    pub least_written: u64,
    /// Elements that were updated atomically more than once.
    pub contended: u64,
}

/// What one warp did, one operation after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Instructions.
    pub instructions: u64,
    /// Loads of the device's memory.
    pub loads: u64,
}

/// What warps did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions that warps issued.
    pub instructions: u64,
    /// The sum of the active lanes over them.
    pub active_lanes: u64,
    /// Loads of the device's memory that warps issued, those of plain updates too; those of a search that do not wait for each
    /// other count as one.
    pub loads: u64,
    /// Atomic updates, lane by lane.
    pub atomics: u64,
    /// Of them, those that another lane of the same instruction delays: it updates the same element.
    pub atomic_conflicts: u64,
    /// Shuffles that warps issued.
    pub shuffles: u64,
    /// Barriers that warps came to.
    pub barriers: u64,
    /// Branches that warps came to.
    pub branches: u64,
    /// Of them, those that lanes of one warp took both ways.
    pub divergent_branches: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.instructions += other.instructions;
        self.active_lanes += other.active_lanes;
        self.loads += other.loads;
        self.atomics += other.atomics;
        self.atomic_conflicts += other.atomic_conflicts;
        self.shuffles += other.shuffles;
        self.barriers += other.barriers;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
    }
}

impl LaunchReport {
    /// The part of the lanes that are active, on average over the instructions; 1 if there are none.
    pub fn utilisation(&self) -> f64 {
        match self.counts.instructions {
            0 => 1.0,
            n => self.counts.active_lanes as f64 / (32 * n) as f64,
        }
    }
}

impl fmt::Display for LaunchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], c) = (self.grid, &self.counts);
        writeln!(f, "{}: {x} x {y} x {z} blocks of {} threads", self.name, self.threads)?;
        writeln!(
            f,
            "  instructions      {:>12}   lanes active {:.1} %",
            c.instructions,
            100.0 * self.utilisation()
        )?;
        writeln!(
            f,
            "  warps             {:>12}   the longest {} instructions",
            self.warps, self.longest_warp.instructions
        )?;
        writeln!(
            f,
            "  sectors read      {:>12}   once a block {}, at least {}",
            self.sectors_read, self.block_read, self.least_read
        )?;
        writeln!(f, "  sectors written   {:>12}   at least {}", self.sectors_written, self.least_written)?;
        writeln!(
            f,
            "  atomic updates    {:>12}   in conflict {}, elements updated more than once {}",
            c.atomics, c.atomic_conflicts, self.contended
        )?;
        writeln!(f, "  shuffles          {:>12}   barriers {}", c.shuffles, c.barriers)?;
        write!(f, "  branches          {:>12}   divergent {}", c.branches, c.divergent_branches)
    }
}
