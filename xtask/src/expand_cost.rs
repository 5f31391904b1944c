//! `cargo xtask expand-cost`: what one `tensor_kernel!` costs a build.
//!
//! Twice: by the compiler of kernels alone, and inside of the Rust compiler, where a user pays for it, in the program
//! `tests/fixtures/expand-cost`. There tokens pass a bridge between the macro and the compiler, and the first expansion of a
//! compilation finds nothing in caches.

#[path = "../../tests/fixtures/expand-cost/src/clock.rs"]
mod clock;

use crate::shell::{Done, cargo};
use clock::{Time, timed};
use std::time::Duration;

/// What one SpMM may cost in a debug build of the compiler.
const BUDGET: Duration = Duration::from_millis(10);

const KERNEL: &str = "pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
    C[i, k] = A[i, j] * B[j, k];
}";

/// Options of `cargo xtask expand-cost`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How often the kernel is expanded outside of the Rust compiler.
    #[arg(long, default_value_t = 51)]
    runs: usize,
    /// In how many compilations it is expanded inside; 0 for none.
    #[arg(long, default_value_t = 9)]
    compilations: usize,
}

impl Default for Args {
    fn default() -> Self {
        Args { runs: 51, compilations: 9 }
    }
}

/// Measures and prints. Times are not judged: that is for who reads them, and knows what else the machine did.
pub(crate) fn run(args: &Args) -> Done {
    println!("expansion of one SpMM; the budget is {} ms in a debug build", BUDGET.as_millis());
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    print(&format!("outside rustc, {build} build"), outside(args.runs.max(1))?);
    let (mut first, mut further) = (vec![], vec![]);
    for n in 0..args.compilations {
        let mut times = inside(n)?.into_iter();
        first.extend(times.next());
        further.extend(times);
    }
    print("inside rustc, debug build, first of a compilation", first);
    print("inside rustc, debug build, those after it", further);
    Ok(())
}

/// Tokens in, text out.
fn outside(runs: usize) -> Result<Vec<Time>, String> {
    let run = |_| {
        let tokens = KERNEL.parse().map_err(|e| format!("{e}"))?;
        let (module, time) = timed(|| sparse_core::expand::module(tokens));
        module.map(|_| time).map_err(|mistakes| format!("SpMM does not expand: {mistakes}"))
    };
    (0..runs).map(run).collect()
}

/// The times of the expansions in one compilation.
fn inside(compilation: usize) -> Result<Vec<Time>, String> {
    let mut command = cargo(&["run", "--quiet", "-p", "expand-cost"]);
    // A variable that the program asks for: each value, and each call of this, is another program.
    let variable = format!("{}-{compilation}", std::process::id());
    let out = command.env("EXPAND_COST_COMPILATION", variable).output().map_err(|e| format!("cargo: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let line = |line: &str| {
        let nanos = |text: &str| text.parse().map(Duration::from_nanos).ok();
        let (wall, processor) = line.split_once(' ')?;
        Some(Time { wall: nanos(wall)?, processor: nanos(processor)? })
    };
    let times: Option<Vec<Time>> = text.lines().map(line).collect();
    times
        .filter(|times| out.status.success() && !times.is_empty())
        .ok_or_else(|| format!("expand-cost: {}\n{text}{}", out.status, String::from_utf8_lossy(&out.stderr)))
}

/// Median, least and most, by both clocks.
fn print(what: &str, times: Vec<Time>) {
    if times.is_empty() {
        return;
    }
    let figures = |clock: fn(&Time) -> Duration| {
        let mut all: Vec<_> = times.iter().map(clock).collect();
        all.sort();
        let [least, median, most] = [0, all.len() / 2, all.len() - 1].map(|n| all[n].as_secs_f64() * 1e3);
        format!("median {median:.2} ms, least {least:.2} ms, most {most:.2} ms")
    };
    println!("{what}, {} runs", times.len());
    println!("  on the wall:      {}", figures(|t| t.wall));
    println!("  on the processor: {}", figures(|t| t.processor));
}
