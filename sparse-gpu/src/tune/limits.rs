//! Which candidates waste registers, lanes or blocks: LO-SpMM's constraints (section 3), each with the reason.
//!
//! LO-SpMM's tiles are about as many as multiprocessors. Where a launch has more blocks than there are multiprocessors, each
//! takes several, so that the load that has to be balanced is a multiprocessor's, not a block's. A constraint that no
//! candidate meets drops nobody: the input is too small or too skewed for it.

use super::cost::tiles;
use super::model::Model;
use super::profile::Profile;
use sparse_core::front::AtomicParallelism;
use sparse_core::front::point::{Amount, Data};
use sparse_core::tensor::Lengths;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// What a candidate may waste.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Registers of a thread. LO-SpMM counts variables; so does this, until NVRTC says more.
    pub registers: u32,
    /// Are kernels that spill registers dropped?
    pub spills: bool,
    /// Blocks for each multiprocessor, at least.
    pub blocks: f64,
    /// The part of the columns that is padding, at most.
    pub column_waste: f64,
    /// The coefficient of variation of what multiprocessors have to do, at most.
    pub imbalance: f64,
    /// The part of a group's lanes that finds no entry in its rows, at most.
    pub idle_lanes: f64,
    /// Rows of dense operands that blocks load into tiles, to those that entries read, at most.
    pub tile_waste: f64,
}

/// Why a candidate gets no time, or its time does not count.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Dropped {
    /// It does not compile for this kernel.
    Illegal {
        /// The rule that it breaks: `group-size`.
        rule: &'static str,
        /// In words.
        why: String,
    },
    /// More registers a thread, or a block, than there are.
    Registers {
        /// Registers of a thread.
        needed: u32,
        /// The most that it may have.
        most: u32,
        /// Counted by NVRTC, not estimated from the program.
        counted: bool,
    },
    /// Registers are kept in memory.
    Spills {
        /// Bytes that a thread writes.
        bytes: u32,
    },
    /// Too few blocks for the multiprocessors.
    FewBlocks {
        /// Blocks of the largest launch.
        blocks: u64,
        /// The fewest.
        least: u64,
    },
    /// Too many columns of the last tile do not exist.
    ColumnWaste(f64),
    /// Multiprocessors have too different shares.
    Imbalance(f64),
    /// Rows are too short for so many lanes.
    IdleLanes(f64),
    /// Blocks load so many times the rows of dense operands that their entries read.
    TileWaste(f64),
    /// The cost model expects others to be faster.
    Slower,
    /// Its result is wrong.
    Wrong(String),
    /// It failed on the device.
    Failed(String),
    /// The search was stopped before.
    Stopped,
}

impl Default for Limits {
    /// LO-SpMM's thresholds; 255 registers are what a thread can have. A tile of which blocks load more than entries read
    /// saves nothing.
    fn default() -> Self {
        Limits {
            registers: 255,
            spills: true,
            blocks: 0.5,
            column_waste: 0.25,
            imbalance: 0.25,
            idle_lanes: 0.75,
            tile_waste: 1.0,
        }
    }
}

impl Limits {
    /// None but the hardware's.
    pub fn none() -> Limits {
        Limits {
            registers: 255,
            spills: false,
            blocks: 0.0,
            column_waste: 1.0,
            imbalance: f64::INFINITY,
            idle_lanes: 1.0,
            tile_waste: f64::INFINITY,
        }
    }

    /// What a point wastes of columns.
    pub(super) fn columns(&self, p: &Profile, point: &AtomicParallelism) -> Option<Dropped> {
        let c = point.columns.n();
        let size = match p.pattern {
            true => p.others.saturating_mul(p.columns.unwrap_or(1)),
            false => p.columns?,
        };
        // Columns of a sum are shared by a group, those of a tile by the lanes of a warp.
        let tile = match tiles::blocks(p, point) {
            Some(blocks) => blocks.columns,
            None => u64::from(c) * if p.pattern { u64::from(point.group) } else { 1 },
        };
        let padded = size.div_ceil(tile).saturating_mul(tile);
        let waste = if padded == 0 { 0.0 } else { 1.0 - size as f64 / padded as f64 };
        (waste > self.column_waste).then_some(Dropped::ColumnWaste(waste))
    }

    /// How unequal the shares of multiprocessors are.
    pub(super) fn balance(&self, p: &Profile, point: &AtomicParallelism, model: &Model) -> Option<Dropped> {
        let found = match point.data {
            Data::Nnz(_) => 0.0,
            Data::Row(amount) => imbalance(p, amount, point, model.multiprocessors as usize),
        };
        (found > self.imbalance).then_some(Dropped::Imbalance(found))
    }

    /// How many lanes of groups have nothing to do.
    pub(super) fn lanes(&self, p: &Profile, point: &AtomicParallelism) -> Option<Dropped> {
        let Data::Row(Amount::Part(g)) = point.data else { return None };
        let taken: u64 = p.rows.iter().map(|n| u64::from(n.div_ceil(g)) * u64::from(g)).sum();
        let used: u64 = p.rows.iter().map(|n| u64::from(*n)).sum();
        let idle = if taken == 0 { 0.0 } else { 1.0 - used as f64 / taken as f64 };
        (idle > self.idle_lanes).then_some(Dropped::IdleLanes(idle))
    }

    /// Do blocks load more than they need?
    pub(super) fn tiles(&self, p: &Profile, point: &AtomicParallelism) -> Option<Dropped> {
        let found = tiles::loaded(p, point)?;
        (found > self.tile_waste).then_some(Dropped::TileWaste(found))
    }

    /// Are there enough blocks?
    pub(super) fn enough_blocks(&self, blocks: u64, model: &Model) -> Option<Dropped> {
        let least = (self.blocks * f64::from(model.multiprocessors)).ceil() as u64;
        (blocks < least).then_some(Dropped::FewBlocks { blocks, least })
    }

    /// Are there enough registers?
    pub(super) fn enough_registers(
        &self,
        needed: u32,
        counted: bool,
        threads: u32,
        model: &Model,
    ) -> Option<Dropped> {
        let most = self.registers.min(model.registers / threads.max(1));
        (needed > most).then_some(Dropped::Registers { needed, most, counted })
    }
}

/// The variation of what multiprocessors have to do: a block goes to the one that is done first, as on a GPU. Or of what
/// blocks have, if that is less: a number of blocks that multiprocessors do not divide is no waste of the point's.
fn imbalance(p: &Profile, amount: Amount, point: &AtomicParallelism, processors: usize) -> f64 {
    let c = point.columns.n();
    let threads = u64::from(point.threads);
    let items = match amount {
        Amount::Whole(x) => threads * u64::from(x),
        Amount::Part(g) => (threads / u64::from(g)).max(1) * u64::from(point.rows),
    };
    let (rows, copies) = match tiles::blocks(p, point) {
        Some(blocks) => (blocks.rows.max(1) as usize, p.tiles(blocks.columns).max(1) as usize),
        None => {
            let tiles = if p.dense_rows { p.tiles(u64::from(c)) } else { 1 };
            // A row with more tiles than a block has is several blocks.
            ((items / tiles.max(1)).max(1) as usize, tiles.div_ceil(items).max(1) as usize)
        }
    };
    p.imbalance((rows, copies), || {
        let entries = |rows: &[u32]| rows.iter().map(|&n| u64::from(n)).sum::<u64>();
        // What is left for the last block is no imbalance either.
        let whole: Vec<u64> = p.rows.chunks_exact(rows).map(entries).collect();
        let blocks: Vec<u64> = if whole.is_empty() { vec![entries(&p.rows)] } else { whole };
        let mut shares: BinaryHeap<Reverse<u64>> =
            vec![Reverse(0); (blocks.len() * copies).min(processors)].into();
        for entries in blocks.iter().flat_map(|entries| std::iter::repeat_n(entries, copies)) {
            if let Some(mut share) = shares.peek_mut() {
                share.0 += entries;
            }
        }
        variation(&blocks).min(variation(&shares.into_iter().map(|s| s.0).collect::<Vec<_>>()))
    })
}

/// The coefficient of variation.
fn variation(shares: &[u64]) -> f64 {
    Lengths::of(shares.iter().copied()).variation()
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: &f64| format!("{:.0} %", 100.0 * part);
        match self {
            Dropped::Illegal { why, .. } => f.write_str(why),
            Dropped::Registers { needed, most, counted } => {
                let how = if *counted { "" } else { "about " };
                write!(f, "{how}{needed} registers a thread, of at most {most}")
            }
            Dropped::Spills { bytes } => write!(f, "{bytes} bytes a thread are spilled"),
            Dropped::FewBlocks { blocks, least } => write!(f, "{blocks} blocks, fewer than {least}"),
            Dropped::ColumnWaste(part) => write!(f, "{} of the columns are padding", percent(part)),
            Dropped::Imbalance(v) => write!(f, "multiprocessors' shares vary by {}", percent(v)),
            Dropped::IdleLanes(part) => write!(f, "{} of a group's lanes are idle", percent(part)),
            Dropped::TileWaste(n) => {
                write!(f, "tiles load {n:.1} times the rows of dense operands that entries read")
            }
            Dropped::Slower => f.write_str("expected to be slower"),
            Dropped::Wrong(what) => write!(f, "its result is wrong: {what}"),
            Dropped::Failed(what) => write!(f, "it failed: {what}"),
            Dropped::Stopped => f.write_str("stopped before its turn"),
        }
    }
}
