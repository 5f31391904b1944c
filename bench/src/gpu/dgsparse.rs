//! dgSPARSE's RB+PR+RM algorithm of SpMM as a schedule of ours, with the four numbers that Sgap tunes (section 7.2):
//! `<groupSz, blockSz, tileSz, workerDimR>`. What is tuned here is that schedule: it is us against us.
//!
//! A block has `tileSz` columns and `blockSz` threads; `groupSz` of them share a row for c of these columns, c being 4, 2
//! or 1, and reduce together. `workerDimR` is the number of row workers over the number of rows: with 1/2 a group takes two
//! rows, one after the other. More workers than rows would be idle here, where the grid is as large as it has to be.

use super::points::Point;

/// The numbers that are tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Configuration {
    /// Threads that share a row and reduce together.
    pub(crate) group: usize,
    /// Threads of a block.
    pub(crate) threads: usize,
    /// Columns of a block; above N it is N.
    pub(crate) tile: usize,
    /// Rows of a group, one after the other: one over `workerDimR`.
    pub(crate) rows: usize,
}

/// What dgSPARSE has fixed.
pub(crate) const FIXED: Configuration = Configuration { group: 32, threads: 256, tile: 32, rows: 1 };

impl Configuration {
    /// As the paper writes it.
    pub(crate) fn name(&self) -> String {
        let Configuration { group, threads, tile, rows } = self;
        let workers = if *rows == 1 { "1".into() } else { format!("1/{rows}") };
        format!("<{group}, {threads}, {tile}, {workers}>")
    }

    /// The schedule for `n` columns; `None` if a block has no room for a row.
    pub(crate) fn point(&self, n: usize) -> Option<Point> {
        let Configuration { group, threads, tile, rows } = *self;
        let coarse = [4, 2, 1].into_iter().find(|c| n.is_multiple_of(*c))?;
        let tile = tile.min(n);
        let columns = tile.div_ceil(coarse);
        let height = threads / (group * columns);
        if height == 0 {
            return None;
        }
        let (one, inside) = if rows == 1 { ("", "") } else { ("split(io, row, one, ROWS); ", "one, ") };
        let one = one.replace("ROWS", &rows.to_string());
        let row = if rows == 1 { "io" } else { "row" };
        let commands = format!(
            "reorder(i, k, j); split(k, tile, kin, {tile}); split(kin, kc, ki, {coarse}); \
             split(i, block, io, {}); {one}reorder(block, tile, {row}, kc, {inside}ki, j); fuse({row}, kc, worker); \
             pos(j, jpos, A[i, j]); split(jpos, step, lane, {group}); \
             reorder(block, tile, worker, {inside}lane, step, ki); parallelize(block, GPUBlock, NoRaces); \
             parallelize(tile, GPUBlock, NoRaces); parallelize(worker, GPUWarp, NoRaces); \
             parallelize(lane, GPUGroup({group}), ParallelReduction);",
            height * rows
        );
        Some(Point::commands(self.name(), &commands))
    }
}

/// Everything that is tried for `n` columns; `few`: with one size of blocks.
pub(crate) fn space(n: usize, few: bool) -> Vec<Configuration> {
    let mut all = vec![FIXED];
    for group in [2, 4, 8, 16, 32] {
        for threads in if few { vec![256] } else { vec![128, 256, 512] } {
            for tile in [8, 16, 32, 64, 128].into_iter().filter(|t| *t >= group) {
                for rows in [1, 2] {
                    let c = Configuration { group, threads, tile, rows };
                    // Tiles wider than the matrix are the same as one that is as wide.
                    let same = |o: &Configuration| {
                        (o.group, o.threads, o.rows) == (group, threads, rows) && o.tile.min(n) == tile.min(n)
                    };
                    if !all.iter().any(same) && c.point(n).is_some() {
                        all.push(c);
                    }
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Kernel;
    use super::super::problem::Problem;
    use super::*;
    use crate::gpu::inputs::{Sparse, uniform};
    use sparse_core::scalar::DType;
    use sparse_gpu::Sim;

    #[test]
    fn configurations_compute_spmm() {
        let a = Sparse::Matrix(uniform([70, 40], 5.0).unwrap());
        for n in [4, 64] {
            let problem = Problem::new(Kernel::Spmm, &a, n).unwrap();
            for c in space(n, true) {
                let sim = Sim::new();
                let compiled = c.point(n).unwrap().compile(Kernel::Spmm, DType::F32, &sim).unwrap();
                let mut operands = problem.to(&sim).unwrap();
                operands.call(&compiled).unwrap();
                assert_eq!(problem.check(&operands.result().unwrap()), Ok(()), "{} N={n}", c.name());
            }
        }
    }

    #[test]
    fn the_space_holds_what_is_fixed() {
        for n in [4, 16, 64, 128] {
            let all = space(n, false);
            assert_eq!(all[0], FIXED);
            assert!(all.len() >= 30 && all.iter().all(|c| c.point(n).is_some()), "{}", all.len());
        }
        assert_eq!(FIXED.name(), "<32, 256, 32, 1>");
        assert_eq!(Configuration { rows: 2, ..FIXED }.name(), "<32, 256, 32, 1/2>");
        // 512 threads would be needed for 64 columns of one row.
        assert!(Configuration { tile: 64, ..FIXED }.point(128).is_none());
    }
}
