//! `bench oopsla`: the GPU numbers of "A sparse iteration space transformation framework" (OOPSLA 2020): its published
//! schedules beside cuSPARSE (section 7.2), skewed rows (7.4), and short and wide matrices (7.5).

use super::device::{Gpu, Kind};
use super::inputs::{Input, uniform};
use super::kernel::Kernel;
use super::measure::Session;
use super::points::{DEFAULT, Point};
use super::results::Case;
use super::tables::{mean, ratios, speedup};
use super::{Options, finish, generate, left_out, library, rivals};
use crate::error::Result;
use crate::peers::cusparse::Cusparse;
use clap::{Args, ValueEnum};
use sparse_gpu::{Cuda, Sim};
use std::fmt::Write as _;

/// What to measure.
#[derive(Args)]
pub(crate) struct Oopsla {
    #[command(flatten)]
    options: Options,
    /// Only these parts of the paper's evaluation.
    #[arg(long, value_delimiter = ',', value_enum, default_value = "ratios,skew,wide")]
    parts: Vec<Part>,
}

/// A part of section 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// 7.2: every kernel.
    Ratios,
    /// 7.4: rows of different lengths.
    Skew,
    /// 7.5: few rows.
    Wide,
}

/// The name of the published schedules.
const PUBLISHED: &str = "OOPSLA 2020";
/// A warp a row.
const WARP: &str = "<1/32 row, 1 col>, 32";
/// Positions, whose warps add up by segments before they update: TACO's atomic updates add up in a warp whose threads all have one
/// element, of which the published schedule says nothing; here how lanes reduce is said by the schedule.
const SEGMENTS: &str = "<8 nnz, 1 col>, 32";

/// Kernel, its number of columns there, and the paper's speed over the fastest alternative on a V100.
const KERNELS: [(Kernel, usize, Option<&str>); 5] = [
    (Kernel::Spmv, 1, Some("1.00")),
    (Kernel::Spmm, 128, Some("0.59")),
    (Kernel::Sddmm, 128, Some("0.65")),
    (Kernel::Ttv, 1, None),
    (Kernel::Mttkrp, 32, Some("0.88")),
];

/// The schedules of the paper's artefact, with this program's names. They hold for the columns of [`KERNELS`].
pub(super) fn published(kernel: Kernel) -> Option<Point> {
    let commands = match kernel {
        Kernel::Spmv => {
            "fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, 3584); split(fpos1, warp, fpos2, 224); \
             split(fpos2, thread, thread_nz, 7); \
             precompute(A[i, j] * x[j], [thread_nz], [thread_nz_pre], precomputed); unroll(thread_nz_pre, 7); \
             parallelize(block, GPUBlock, IgnoreRaces); parallelize(warp, GPUWarp, IgnoreRaces); \
             parallelize(thread, GPUThread, Atomics);"
        }
        Kernel::Spmm => {
            "bound(k, kb, 128, MaxExact); fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, 256); \
             split(fpos1, warp, nnz, 32); split(kb, dense_val, thread, 32); \
             reorder(block, warp, thread, dense_val, nnz); parallelize(block, GPUBlock, IgnoreRaces); \
             parallelize(warp, GPUWarp, IgnoreRaces); parallelize(thread, GPUThread, Atomics);"
        }
        Kernel::Sddmm => {
            "reorder(i, j, k); fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, 256); \
             split(fpos1, warp, nnz, 16); split(k, dense_val_unbounded, thread, 32); \
             bound(dense_val_unbounded, dense_val, 4, MaxExact); reorder(block, warp, nnz, thread, dense_val); \
             unroll(dense_val, 4); parallelize(block, GPUBlock, IgnoreRaces); parallelize(warp, GPUWarp, Atomics); \
             parallelize(thread, GPUGroup(32), ParallelReduction);"
        }
        Kernel::Ttv => {
            "fuse(j, k, jk); fuse(i, jk, f); pos(f, fpos, A[i, j, k]); split(fpos, block, fpos1, 2048); \
             split(fpos1, warp, fpos2, 256); split(fpos2, thread, nnz, 8); reorder(block, warp, thread, nnz); \
             parallelize(block, GPUBlock, IgnoreRaces); parallelize(warp, GPUWarp, IgnoreRaces); \
             parallelize(thread, GPUThread, Atomics);"
        }
        Kernel::Mttkrp => {
            "bound(r, rb, 32, MaxExact); reorder(i, k, l, rb); fuse(k, l, kl); fuse(i, kl, f); \
             pos(f, fpos, A[i, k, l]); split(fpos, block, fpos1, 128); split(fpos1, warp, nnz, 16); \
             split(rb, dense_val, thread, 32); reorder(block, warp, thread, dense_val, nnz); \
             parallelize(block, GPUBlock, IgnoreRaces); parallelize(warp, GPUWarp, IgnoreRaces); \
             parallelize(thread, GPUThread, Atomics);"
        }
        Kernel::Ttm | Kernel::Add | Kernel::Spgemm => return None,
    };
    Some(Point::commands(PUBLISHED, commands))
}

/// Measures, prints the tables.
pub(crate) fn run(oopsla: &Oopsla) -> Result<()> {
    match oopsla.options.device {
        Kind::Cuda => run_on::<Cuda>(oopsla),
        Kind::Sim => run_on::<Sim>(oopsla),
    }
}

fn run_on<D: Gpu>(oopsla: &Oopsla) -> Result<()> {
    let inputs = oopsla.options.inputs()?;
    let mut session = oopsla.options.session::<D>()?;
    let library = library(&session.device);
    let measured = everything(oopsla, inputs, &mut session, library.as_ref());
    left_out(&session);
    let cases = &session.results.cases;
    // Each once, however often it is asked for.
    for part in Part::value_variants().iter().filter(|part| oopsla.parts.contains(part)) {
        match part {
            Part::Ratios => print!("{}", table_7_2(cases, D::NUMBERS)),
            Part::Skew => print!("{}", table_7_4(cases, D::NUMBERS)),
            Part::Wide => print!("{}", table_7_5(cases, D::NUMBERS)),
        }
    }
    finish(&session.results, measured)
}

fn everything<D: Gpu>(
    oopsla: &Oopsla,
    inputs: Vec<Input>,
    session: &mut Session<D>,
    library: Option<&Cusparse>,
) -> Result<()> {
    let mut own = vec![];
    if oopsla.parts.contains(&Part::Wide) {
        own.push(Input::generated(WIDE, 1_000_000, || uniform([100, 100_000], 10_000.0)));
    }
    if oopsla.parts.contains(&Part::Skew) {
        own.extend(skewed(session.limits.entries.min(SKEWED)));
    }
    let others = if oopsla.parts.contains(&Part::Ratios) { inputs } else { vec![] };
    session.bar.set_length((own.len() + others.len()) as u64);
    for input in &own {
        session.bar.inc(1);
        if session.refuses(&input.name) {
            continue;
        }
        // The paper's own, whatever the limit for others is.
        let Some(sparse) = input.load()?.and_then(|s| session.with_entries(input, s)) else { continue };
        let points = published(Kernel::Spmv).into_iter().chain([WARP, SEGMENTS].map(Point::atomic));
        let points = points.collect::<Vec<_>>();
        session.case(Kernel::Spmv, (input, &sparse), 1, &points, |_, _, _| Ok(()))?;
    }
    for input in &others {
        session.bar.inc(1);
        let Some(sparse) = session.load(input)? else { continue };
        for (kernel, n, _) in KERNELS.into_iter().filter(|(k, ..)| k.order() == input.order) {
            let points: Vec<Point> =
                [Point::default_schedule()].into_iter().chain(published(kernel)).collect();
            session.case(kernel, (input, &sparse), n, &points, |session, problem, case| match library {
                Some(library) => rivals::cusparse(session, library, problem, case),
                None => Ok(()),
            })?;
        }
    }
    Ok(())
}

/// The matrix of section 7.5.
const WIDE: &str = "100x100k";
/// What names of the matrices of section 7.4 begin with.
const SKEW: &str = "skew c=";
/// Their entries on a GPU; the paper has 400 million.
const SKEWED: usize = 1 << 26;
/// Entries of a row on average.
const MEAN: usize = 64;

/// Rows of lengths k·cⁱ, shuffled, with the same number of entries for every c. The longest row has about s times the
/// mean, where c = 1 + s / rows.
fn skewed(entries: usize) -> Vec<Input> {
    let rows = (entries / MEAN).next_power_of_two().max(64);
    let cols = rows.max(512 * MEAN);
    let make = move |s: f64| {
        let growth = 1.0 + s / rows as f64;
        let sum: f64 = if s == 0.0 { rows as f64 } else { (growth.powi(rows as i32) - 1.0) / (growth - 1.0) };
        let k = entries as f64 / sum;
        let make = move || {
            generate::matrix([rows, cols], 1, |row, dice, out| {
                // An odd factor permutes the numbers below a power of two.
                let shuffled = row.wrapping_mul(0x9E37_79B1) & (rows - 1);
                let count = dice.round(k * growth.powi(shuffled as i32));
                dice.distinct(count, cols, out);
            })
        };
        Input::generated(format!("{SKEW}{growth:.6}"), entries, make)
    };
    [0.0, 1.0, 4.0, 16.0, 64.0, 256.0].into_iter().filter(|s| *s < rows as f64).map(make).collect()
}

/// The published schedules over the fastest alternative.
fn table_7_2(cases: &[Case], numbers: &str) -> String {
    let mut text = format!(
        "\nSection 7.2: the published schedules on a GPU, {numbers}, geometric means\n\
         {:<7} {:<6} {:>6} {:>17} {:>15} {:>17} {:>22}\n",
        "kernel",
        "params",
        "inputs",
        "over cuSPARSE",
        "paper, V100",
        "over our default",
        "our default/cuSPARSE"
    );
    let number = |r: &[f64]| mean(r).map_or("-".into(), |m| format!("{m:.2}"));
    for (kernel, n, paper) in KERNELS {
        let here: Vec<&Case> =
            cases.iter().filter(|c| c.kernel == kernel && c.n == n && c.ours(DEFAULT).is_some()).collect();
        let of = |ratio: &dyn Fn(&Case) -> Option<f64>| number(&ratios(here.iter().copied(), ratio));
        let library = of(&|c| speedup(c.of("cusparse"), c.ours(PUBLISHED)));
        let default = of(&|c| speedup(c.ours(DEFAULT), c.ours(PUBLISHED)));
        let ours = of(&|c| speedup(c.of("cusparse"), c.ours(DEFAULT)));
        let (name, params, inputs) = (kernel.name(), kernel.params(n), here.len());
        let paper = paper.unwrap_or("n/a");
        let _ = writeln!(
            text,
            "{name:<7} {params:<6} {inputs:>6} {library:>17} {paper:>15} {default:>17} {ours:>22}"
        );
    }
    text.push_str(
        "the paper's alternatives beside cuSPARSE (merge-based SpMV, ASpT, formats of MTTKRP that are built for the GPU)\n\
         are not here, and its data are copied anew for each run, where ours are warm\n",
    );
    text
}

/// A warp a row, positions by the published schedule, and by segments.
fn line(case: &Case) -> Option<[f64; 3]> {
    Some([case.ours(WARP)?, case.ours(PUBLISHED)?, case.ours(SEGMENTS)?])
}

/// A warp a row against equal numbers of entries, as rows become more different.
fn table_7_4(cases: &[Case], numbers: &str) -> String {
    let mut text = format!(
        "\nSection 7.4: SpMV on rows of lengths k·cⁱ, shuffled, {numbers}\n{:>10} {:>10} {:>8} {:>12} {:>15} {:>8} {:>15} {:>8}\n",
        "c", "entries", "cv", "warp/row us", "positions us", "speedup", "by segments us", "speedup"
    );
    for case in cases.iter().filter(|c| c.input.starts_with(SKEW)) {
        let Some([warp, positions, segments]) = line(case) else { continue };
        let c = case.input.trim_start_matches(SKEW);
        let (entries, cv) = (case.stats.entries, case.stats.cv);
        let _ = writeln!(
            text,
            "{c:>10} {entries:>10} {cv:>8.2} {warp:>12.1} {positions:>15.1} {:>8.2} {segments:>15.1} {:>8.2}",
            warp / positions,
            warp / segments
        );
    }
    text.push_str(
        "paper, V100, 400 million entries: a warp a row slows down as c grows, positions become faster\n",
    );
    text
}

/// A warp a row against the fused loop where there are few rows.
fn table_7_5(cases: &[Case], numbers: &str) -> String {
    let mut text = format!(
        "\nSection 7.5: SpMV on 100 x 100,000, 10,000 entries a row, {numbers}\n{:>12} {:>10} {:>8} {:>12} {:>15} {:>8}\n",
        "warp/row us", "fused us", "speedup", "paper, V100", "by segments us", "speedup"
    );
    for case in cases.iter().filter(|c| c.input == WIDE) {
        let Some([warp, fused, segments]) = line(case) else { continue };
        let _ = writeln!(
            text,
            "{warp:>12.1} {fused:>10.1} {:>8.2} {:>12} {segments:>15.1} {:>8.2}",
            warp / fused,
            "4.5",
            warp / segments
        );
    }
    text.push_str(
        "TACO adds up in a warp before it updates, if all of its threads have one row; the published schedule does not say so\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::case;
    use super::*;

    #[test]
    fn published_schedules_are_those_of_the_golden_files() {
        // With the names of variables and tensors there and here.
        type Golden = (Kernel, &'static str, &'static [(&'static str, &'static str)]);
        let files: [Golden; 5] = [
            (Kernel::Spmv, include_str!("../../../tests/golden/in/spmv_gpu_oopsla.kernel"), &[]),
            (Kernel::Spmm, include_str!("../../../tests/golden/in/spmm_gpu_oopsla.kernel"), &[]),
            (
                Kernel::Sddmm,
                include_str!("../../../tests/golden/in/sddmm_gpu_oopsla.kernel"),
                &[
                    ("B[i, k]", "A[i, j]"),
                    ("(i, k, j)", "(i, j, k)"),
                    ("(i, k, f)", "(i, j, f)"),
                    ("(j, dense", "(k, dense"),
                ],
            ),
            (
                Kernel::Ttv,
                include_str!("../../../tests/golden/in/ttv_gpu_oopsla.kernel"),
                &[("B[i, j, k]", "A[i, j, k]")],
            ),
            (
                Kernel::Mttkrp,
                include_str!("../../../tests/golden/in/mttkrp_gpu_oopsla.kernel"),
                &[("B[i, k, l]", "A[i, k, l]"), ("(j, jb", "(r, rb"), ("l, jb)", "l, rb)"), ("(jb,", "(rb,")],
            ),
        ];
        for (kernel, golden, renamed) in files {
            let commands = golden.split_once("schedule cuda {").unwrap().1.trim_end().trim_end_matches('}');
            let mut expected = commands.split_whitespace().collect::<Vec<_>>().join(" ");
            renamed.iter().for_each(|(from, to)| expected = expected.replace(from, to));
            let point = published(kernel).unwrap();
            assert_eq!(point, Point::commands(PUBLISHED, &expected), "{}", kernel.name());
            point.compile(kernel, sparse_core::scalar::DType::F32, &Sim::new()).map(drop).unwrap();
        }
    }

    #[test]
    fn skewed_rows_keep_their_entries() {
        let inputs = skewed(20_000);
        assert_eq!(inputs.len(), 6);
        let mut last = -1.0;
        for input in inputs {
            let stats = input.load().unwrap().unwrap().stats();
            assert!((19_500..20_500).contains(&stats.entries), "{}: {}", input.name, stats.entries);
            assert!(stats.cv > last, "{}: {}", input.name, stats.cv);
            last = stats.cv;
        }
        assert!(last > 5.0);
    }

    #[test]
    fn tables_have_the_papers_numbers() {
        let ours = |published: f64| {
            [("ours", "default", 2.0), ("ours", PUBLISHED, published), ("cusparse", "", 4.0)]
        };
        let cases = [
            case(Kernel::Spmm, "a", 128, &ours(8.0)),
            case(
                Kernel::Spmv,
                WIDE,
                1,
                &[("ours", WARP, 9.0), ("ours", PUBLISHED, 2.0), ("ours", SEGMENTS, 1.5)],
            ),
            case(
                Kernel::Spmv,
                "skew c=1.5",
                1,
                &[("ours", WARP, 6.0), ("ours", PUBLISHED, 2.0), ("ours", SEGMENTS, 4.0)],
            ),
        ];
        let text = table_7_2(&cases, "measured");
        let words = |start: &str| -> Vec<String> {
            let line = text.lines().find(|l| l.starts_with(start)).unwrap();
            line.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words("spmm"), ["spmm", "N=128", "1", "0.50", "0.59", "0.25", "2.00"]);
        assert_eq!(words("ttv"), ["ttv", "0", "-", "n/a", "-", "-"]);
        assert!(table_7_4(&cases, "measured").contains(
            "       1.5        800     1.00          6.0             2.0     3.00             4.0     1.50"
        ));
        assert!(
            table_7_5(&cases, "measured")
                .contains("9.0        2.0     4.50          4.5             1.5     6.00")
        );
    }
}
