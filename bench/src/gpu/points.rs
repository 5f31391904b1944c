//! The schedules that are measured: points of atomic parallelism, TACO's two published ones, and none, which is the
//! default.

use super::kernel::Kernel;
use crate::error::{Error, Result};
use sparse_core::driver::{Options, compile_gpu, concretize_kernel};
use sparse_core::front::{self, AtomicParallelism};
use sparse_core::scalar::DType;
use sparse_core::schedule;
use sparse_gpu::launch::{Backend, Variants};
use std::cell::OnceCell;

/// Name of the schedule that the compiler chooses.
pub(crate) const DEFAULT: &str = "default";
/// What the notation of points ends with whose results have the same bits in every run.
pub(crate) const DETERMINISTIC: &str = ", deterministic";
/// What names of TACO's own schedules begin with.
pub(crate) const TACO: &str = "TACO ";

/// A schedule of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    /// In tables: Sgap's notation, or what else it is.
    pub(crate) name: String,
    /// `schedule cuda …`, or nothing for the default.
    schedule: String,
}

impl Point {
    /// How often a row of a matrix of this shape looks for its entries in a tile of dense rows that its block shares: where
    /// columns are many and entries few, most tiles are shared for nothing. 0 if it shares none.
    pub(crate) fn visits(&self, dims: &[usize]) -> u64 {
        let shared = self.name.split_once("shared = ").map(|(_, rest)| rest);
        let tile = shared.and_then(|rest| rest.split(',').next()?.parse::<usize>().ok());
        match (dims, tile) {
            ([rows, columns], Some(tile)) => (*rows as u64).saturating_mul(columns.div_ceil(tile) as u64),
            _ => 0,
        }
    }

    /// What the compiler chooses.
    pub(crate) fn default_schedule() -> Point {
        Point { name: DEFAULT.into(), schedule: String::new() }
    }

    /// A point in Sgap's notation.
    pub(crate) fn atomic(notation: impl Into<String>) -> Point {
        let name = notation.into();
        Point { schedule: format!("schedule cuda = atomic({name});"), name }
    }

    /// Commands under a name.
    pub(crate) fn commands(name: impl Into<String>, commands: &str) -> Point {
        Point { name: name.into(), schedule: format!("schedule cuda {{ {commands} }}") }
    }

    /// A schedule as it is written after a kernel's function.
    pub(crate) fn written(name: impl Into<String>, schedule: String) -> Point {
        Point { name: name.into(), schedule }
    }

    /// Compiles a kernel of elements of this type with this schedule, and makes it ready to run.
    ///
    /// # Errors
    /// Why the compiler refuses, or the device.
    pub(crate) fn compile<D: Backend>(&self, kernel: Kernel, dtype: DType, device: &D) -> Result<Variants> {
        let text = format!("{}\n{}", kernel.statement(dtype), self.schedule);
        let refused =
            |reason: String| Error::Refused { kernel: kernel.name(), point: self.name.clone(), reason };
        let parsed = front::parse_str(&text).map_err(|f| refused(f.diagnostics.to_string()))?;
        let compiled = compile_gpu(parsed, &Options::default()).map_err(|d| refused(d.to_string()))?;
        let variants = Variants::new(compiled);
        variants.kernels().iter().try_for_each(|kernel| device.prepare(kernel))?;
        Ok(variants)
    }
}

/// A schedule of the command line: `default`, or a point in Sgap's notation.
pub(super) fn named(text: &str) -> std::result::Result<Point, String> {
    if text == DEFAULT {
        return Ok(Point::default_schedule());
    }
    let point: AtomicParallelism = text.parse().map_err(|e| format!("{e}"))?;
    match point.check() {
        Ok(()) => Ok(Point::atomic(point.to_string())),
        Err(broken) => Err(format!("{}; {}", broken.message, broken.help)),
    }
}

/// A schedule, compiled when it is first needed.
pub(crate) struct Candidate {
    pub(crate) point: Point,
    kernel: Kernel,
    dtype: DType,
    compiled: OnceCell<Variants>,
}

impl Candidate {
    /// Not compiled yet.
    pub(crate) fn new(kernel: Kernel, dtype: DType, point: Point) -> Candidate {
        Candidate { point, kernel, dtype, compiled: OnceCell::new() }
    }

    /// The kernel on the device; of the default, all that the rule chooses among at a call.
    ///
    /// # Errors
    /// As [`Point::compile`].
    pub(crate) fn get<D: Backend>(&self, device: &D) -> Result<&Variants> {
        if self.compiled.get().is_none() {
            // It is empty, so it takes the value.
            let _ = self.compiled.set(self.point.compile(self.kernel, self.dtype, device)?);
        }
        self.compiled.get().ok_or_else(|| Error::Internal("a compiled kernel is gone".into()))
    }
}

/// DA-SpMM's four algorithms, the points of Sgap that do best on short and on long rows, the most robust one, and two with
/// the same bits in every run. A kernel without columns has one column a thread.
const POINTS: [&str; 11] = [
    "<1 nnz, 4 col>, 32",
    "<1/32 row, 4 col>, 32",
    "<32 nnz, 4 col>, 1",
    "<1 row, 4 col>, 1",
    "<1/8 row, 4 col>, 8",
    "<1/16 row, 4 col>, 16",
    "<1/32 row, 4 col>, 8",
    "<1 nnz, 4 col>, 8",
    "<8 nnz, 4 col>, 8",
    "<1 nnz, 4 col>, 32, deterministic",
    "<8 nnz, 4 col>, 8, deterministic",
];
/// Larger groups where a thread has several entries: fewer of them update the same rows where rows are few. Each update of one
/// element waits for the one before: where all warps are in one row, twice the entries a thread are half the time.
const LARGE: [&str; 4] =
    ["<4 nnz, 4 col>, 32", "<8 nnz, 4 col>, 32", "<16 nnz, 4 col>, 32", "<32 nnz, 4 col>, 32"];
/// Few threads a row, for rows that are short but not very; entries by fours.
const SMALL: [&str; 3] = ["<1/2 row, 4 col>, 2", "<1/4 row, 4 col>, 4", "<4 nnz, 4 col>, 4"];
/// A group that has a row for itself takes two of them.
const SEVERAL: [&str; 2] = ["<1/8 row, 4 col>, 8, rows = 2", "<1/4 row, 4 col>, 4, rows = 2"];
/// Options of points with columns: the four of a thread are one access, a group exchanges columns while it reduces.
const OF_COLUMNS: [&str; 17] = [
    "<1 row, 4 col>, 1, vector",
    "<1 row, 4 col>, 1, vector, threads = 64",
    "<1/2 row, 4 col>, 2, vector",
    "<1/4 row, 4 col>, 4, vector",
    "<1/4 row, 4 col>, 4, scatter, vector",
    "<1/8 row, 4 col>, 8, scatter",
    "<1/8 row, 4 col>, 8, scatter, vector",
    "<1/16 row, 4 col>, 16, scatter, vector",
    "<1/32 row, 4 col>, 32, scatter, vector",
    "<1 nnz, 4 col>, 8, vector",
    "<1 nnz, 4 col>, 32, vector",
    "<4 nnz, 4 col>, 4, vector",
    "<8 nnz, 4 col>, 8, vector",
    "<4 nnz, 4 col>, 1, vector",
    "<8 nnz, 4 col>, 1, vector",
    "<16 nnz, 4 col>, 1, vector",
    "<32 nnz, 4 col>, 1, vector",
];
/// Where an entry has an output of its own, groups share the sum over columns.
const SHARED: [&str; 13] = [
    "<1 nnz, 1 col>, 1",
    "<1 nnz, 4 col>, 4",
    "<1 nnz, 4 col>, 8",
    "<1 nnz, 1 col>, 32",
    "<1 nnz, 4 col>, 32",
    "<8 nnz, 4 col>, 8",
    "<16 nnz, 4 col>, 32",
    "<1 nnz, 4 col>, 1, vector",
    "<1 nnz, 4 col>, 4, vector",
    "<1 nnz, 4 col>, 8, vector",
    "<1 nnz, 4 col>, 16, vector",
    "<4 nnz, 4 col>, 4, vector",
    "<8 nnz, 4 col>, 8, vector",
];

/// With fewer columns a thread: there are more threads where rows are few, and nothing is left over of other numbers than
/// multiples of four.
const FEWER: [&str; 4] =
    ["<1 row, 4 col>, 1", "<1/2 row, 4 col>, 2", "<1/8 row, 4 col>, 8", "<8 nnz, 4 col>, 8"];
/// Two columns as one access: half as many threads a row as with one, twice as many as with four.
const OF_TWO: [&str; 4] = [
    "<1 row, 2 col>, 1, vector",
    "<1/2 row, 2 col>, 2, vector",
    "<8 nnz, 2 col>, 1, vector",
    "<16 nnz, 2 col>, 1, vector",
];

/// Those that are worth measuring for a kernel with `n` columns, the default first.
pub(crate) fn chosen(kernel: Kernel, dtype: DType, n: usize) -> Vec<Point> {
    let mut points = vec![Point::default_schedule()];
    // One access has 16 bytes at the most.
    let widest = 16 / dtype.size();
    let mut add = |of: &[&str], columns: usize| {
        points.extend(of.iter().map(|p| {
            let columns = if p.contains("vector") { columns.min(widest) } else { columns };
            Point::atomic(p.replace("4 col", &format!("{columns} col")))
        }));
    };
    match kernel {
        Kernel::Sddmm => add(&SHARED, 4),
        Kernel::Spmv | Kernel::Ttv => {
            add(&POINTS, 1);
            add(&SMALL, 1);
            add(&SEVERAL, 1);
            add(&LARGE, 1);
        }
        Kernel::Spmm | Kernel::Mttkrp | Kernel::Ttm => {
            add(&POINTS, 4);
            add(&SMALL, 4);
            add(&SEVERAL, 4);
            add(&OF_COLUMNS, 4);
            add(&FEWER, 1);
            add(&FEWER, 2);
            // They are there already where one access has no room for four.
            if widest > 2 {
                add(&OF_TWO, 2);
            }
        }
        // Points are of products with dense operands.
        Kernel::Add | Kernel::Spgemm => {}
    }
    if kernel == Kernel::Spmm {
        // A block shares dense rows where the result's rows are a dense level.
        points.push(Point::atomic("<1 row, 4 col>, 1, shared = 32"));
        points.extend(tacos(n, 1, 16, 1));
    }
    points
}

/// Every legal point of the sizes that are usually tried.
///
/// # Errors
/// [`Error::Refused`], if the compiler does not take the statement.
pub(crate) fn all(kernel: Kernel, dtype: DType, n: usize) -> Result<Vec<Point>> {
    let mut points = chosen(kernel, dtype, n);
    if kernel.assembles() {
        return Ok(points);
    }
    let refused = |reason: String| Error::Refused { kernel: kernel.name(), point: DEFAULT.into(), reason };
    let parsed =
        front::parse_str(&kernel.statement(dtype)).map_err(|f| refused(f.diagnostics.to_string()))?;
    let cin = concretize_kernel(&parsed).map_err(|d| refused(d.to_string()))?;
    for point in schedule::points(&parsed, &cin) {
        let point = Point::atomic(point.to_string());
        if !points.contains(&point) {
            points.push(point);
        }
    }
    Ok(points)
}

/// TACO's two algorithms of SpMM as their authors wrote them, which is for a known number of columns: threads lie along
/// the columns, up to 32 of them. `<g nnz, c col>, 1`, and `<x row, c col>, 1`; a thread has c columns, or more where 32
/// threads are too few. None if the columns can't be divided so.
pub(crate) fn tacos(n: usize, c: usize, g: usize, x: usize) -> Vec<Point> {
    const THREADS: usize = 256;
    let width = (n / c).clamp(1, 32);
    if !n.is_multiple_of(width) || n < c {
        return vec![];
    }
    let (columns, workers) = (n / width, THREADS / width);
    let entries = format!(
        "fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, {}); split(fpos1, warp, nnz, {g}); \
         split(k, ko, thread, {width}); bound(ko, dense_val, {columns}, MaxExact); \
         reorder(block, warp, thread, dense_val, nnz); parallelize(block, GPUBlock, IgnoreRaces); \
         parallelize(warp, GPUWarp, IgnoreRaces); parallelize(thread, GPUThread, Atomics);",
        workers * g
    );
    let rows = format!(
        "reorder(i, k, j); split(i, block, io, {}); split(io, warp, row, {x}); split(k, col, thread, {width}); \
         bound(col, dense_val, {columns}, MaxExact); reorder(block, warp, row, thread, dense_val, j); \
         parallelize(block, GPUBlock, NoRaces); parallelize(warp, GPUWarp, NoRaces); \
         parallelize(thread, GPUThread, NoRaces);",
        workers * x
    );
    vec![
        Point::commands(format!("{TACO}<{g} nnz, {columns} col>, 1"), &entries),
        Point::commands(format!("{TACO}<{x} row, {columns} col>, 1"), &rows),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparse_core::schedule::rule::{Kind as RuleKind, Rule};
    use sparse_gpu::Sim;

    #[test]
    fn every_chosen_point_compiles() {
        let mut refused = vec![];
        for kernel in Kernel::ALL {
            for n in if kernel.has_columns() { vec![1, 4, 16, 128] } else { vec![1] } {
                for dtype in [DType::F32, DType::F64] {
                    let points = chosen(kernel, dtype, n);
                    let wrong = |p: &Point| p.compile(kernel, dtype, &Sim::new()).err();
                    refused.extend(points.iter().filter_map(wrong));
                    let mut names: Vec<_> = points.iter().map(|p| &p.name).collect();
                    names.sort();
                    names.dedup();
                    assert_eq!(names.len(), points.len());
                }
            }
        }
        assert!(refused.is_empty(), "{refused:#?}");
    }

    #[test]
    fn rows_visit_all_tiles() {
        let visits = |point: &str| Point::atomic(point).visits(&[100, 65]);
        assert_eq!(visits("<1 row, 4 col>, 1"), 0);
        assert_eq!(visits("<1 row, 4 col>, 1, shared = 32"), 300);
        assert_eq!(visits("<1 row, 4 col>, 1, shared = 64, threads = 128"), 200);
        let tiles =
            all(Kernel::Spmm, DType::F32, 4).unwrap().into_iter().filter(|p| p.name.contains("shared"));
        assert!(tiles.clone().all(|p| p.visits(&[1, 1]) == 1) && tiles.count() > 0);
    }

    /// A rule that is fitted on them can be the standard one again.
    #[test]
    fn the_points_of_the_standard_rule_are_chosen() {
        let kernels = [
            (RuleKind::Columns, Kernel::Spmm),
            (RuleKind::Plain, Kernel::Spmv),
            (RuleKind::Entries, Kernel::Sddmm),
        ];
        for (kind, kernel) in kernels {
            let chosen: Vec<String> =
                chosen(kernel, DType::F32, 6).into_iter().map(|point| point.name).collect();
            for line in Rule::standard_of(kind) {
                assert!(chosen.contains(&line.point.to_string()), "{line}");
            }
        }
    }

    #[test]
    fn enumeration_has_the_chosen_ones_first() {
        let all = all(Kernel::Spmm, DType::F32, 4).unwrap();
        assert!(all.len() > 80 && all[0].name == DEFAULT);
        let mut names: Vec<_> = all.iter().map(|p| &p.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn a_refusal_names_the_point() {
        let error = Point::atomic("<1/2 nnz, 4 col>, 1")
            .compile(Kernel::Spmm, DType::F32, &Sim::new())
            .err()
            .unwrap();
        assert!(error.to_string().starts_with("spmm by <1/2 nnz, 4 col>, 1: "), "{error}");
    }
}
