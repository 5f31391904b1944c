//! What a caller may choose of a lowering.

use crate::cin::grid::RowClass;

/// Choices that change the code, not its result.
#[derive(Clone, Debug)]
pub struct Options {
    /// Merge conjunctions by galloping to the farthest operand instead of stepping both.
    pub gallop: bool,
    /// Widths of the register tiles in which unit-stride output loops are kept, widest first; none for no tiles.
    pub lanes: Vec<u32>,
    /// Which rows of a scattered result teams of a GPU's threads assemble, those that scatter fewest elements first, by
    /// teams that grow: powers of two from 2 to 1024, of more than a warp one at most. By default each lane of a team has
    /// about two elements, so that tables of groups and warps fit in shared memory: in the manner of hash-based SpGEMM (Nagasaka
    /// et al. 2017), and not fitted to a device.
    pub row_classes: Vec<RowClass>,
    /// Which rows of merged operands teams of a GPU's threads assemble, by how many entries the operands have in all in one: teams
    /// like those above. By default a lane of a warp has an entry at least, and a block's two: of four choices the fastest on an
    /// H200 (`bench/results/gpu-2026-11-27.txt`).
    pub merged_classes: Vec<RowClass>,
    /// How many threads of a GPU have tables of scattered rows at a time, at most. By default those of 2,048 blocks of 256:
    /// twice what 132 multiprocessors run, so that they end together whatever registers a thread needs.
    pub table_threads: u64,
    /// How many places the tables of the largest rows have in all, at most, unless one alone has more: below 2³¹. By default
    /// 2²⁵, which are 1.1 GB with values of 8 bytes and what marks need, and 16,384 for each of 2,048 blocks.
    pub table_places: u64,
    /// How many bytes of shared memory a block has for its rows' tables and the sums of its threads, of the 48 KiB that there are;
    /// larger tables are in the device's memory. By default 36 KiB: four blocks have room on a multiprocessor with 160 KiB.
    pub table_bytes: u64,
    /// Of how many entries a row is at least that a block looks through to count what it scatters. By default 128: a thread would
    /// wait for about as many loads, one after another.
    pub long_rows: u64,
    /// How many elements a piece scatters at least, of a row that several blocks have in pieces. By default 2,048,
    /// for which a block waits some ten times for all of its threads' turns. Not fitted to a device. With 0
    /// no row has pieces.
    pub piece_work: u64,
    /// How many elements a list of what is scattered by all threads has room for at most, where the host knows only a bound of
    /// their number; if that is more, the host waits for the number: below 2³⁰. By default 2²⁵: 0.7 GB for a matrix with values
    /// of 8 bytes.
    pub list_elements: u64,
    /// About how many scalar operations a part of a loop has at least that threads take in parts. By default half of what is
    /// worth a thread that is awake.
    pub part_work: u64,
    /// How many terms a thread of a GPU has at least of a sum that threads share without a schedule; 1 or more. By default eight.
    pub thread_terms: u64,
    /// Of how many threads of a GPU a block is at least that searches for rows once for all of them. By default four warps:
    /// three are spared their own searches, and all wait for the first.
    pub search_threads: u64,
}

impl Default for Options {
    fn default() -> Self {
        let row_classes =
            [(32, 8), (128, 32), (512, 256)].map(|(from, threads)| RowClass { from, threads }).to_vec();
        let merged_classes =
            [(32, 32), (512, 256)].map(|(from, threads)| RowClass { from, threads }).to_vec();
        let lanes = vec![128, 64, 32, 8, 4];
        Options {
            gallop: false,
            lanes,
            row_classes,
            merged_classes,
            table_threads: 1 << 19,
            table_places: 1 << 25,
            table_bytes: 36 << 10,
            long_rows: 128,
            piece_work: 1 << 11,
            list_elements: 1 << 25,
            part_work: 1 << 12,
            thread_terms: 8,
            search_threads: 128,
        }
    }
}
