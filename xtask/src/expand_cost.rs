//! `cargo xtask expand-cost`: what one `tensor_kernel!` costs a build.
//!
//! Twice: by the compiler of kernels alone, and inside of the Rust compiler, where a user pays for it. There tokens pass a
//! bridge between the macro and the compiler, and the first expansion of a compilation finds nothing in caches. Both in the
//! program `tests/fixtures/expand-cost`, of which all is built as a user's debug build has the macro: not optimised, as this
//! program is.

use crate::shell::{Done, plain};
use std::time::Duration;

/// What one SpMM may cost in a debug build of the compiler.
const BUDGET: Duration = Duration::from_millis(10);

/// Options of `cargo xtask expand-cost`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How often the kernel is expanded outside of the Rust compiler.
    #[arg(long, default_value_t = 51)]
    runs: usize,
    /// In how many compilations it is expanded inside.
    #[arg(long, default_value_t = 9)]
    compilations: usize,
}

impl Default for Args {
    fn default() -> Self {
        Args { runs: 51, compilations: 9 }
    }
}

/// How long an expansion took, on the wall and on the processor.
struct Time {
    wall: Duration,
    processor: Duration,
}

/// Measures and prints. Times are not judged: that is for who reads them, and knows what else the machine did.
pub(crate) fn run(args: &Args) -> Done {
    println!("expansion of one SpMM; the budget is {} ms in a debug build", BUDGET.as_millis());
    let (mut first, mut further) = (vec![], vec![]);
    for n in 0..args.compilations.max(1) {
        let (inside, outside) = times(n, if n == 0 { args.runs } else { 0 })?;
        let mut inside = inside.into_iter();
        first.extend(inside.next());
        further.extend(inside);
        print("outside rustc", outside);
    }
    print("inside rustc, first of a compilation", first);
    print("inside rustc, those after it", further);
    Ok(())
}

/// The times of the expansions in one compilation, and of so many runs of its program.
fn times(compilation: usize, runs: usize) -> Result<(Vec<Time>, Vec<Time>), String> {
    let mut command = plain("run", &["--quiet", "-p", "expand-cost", "--"]);
    // A variable that the program asks for: each value, and each call of this, is another program.
    let variable = format!("{}-{compilation}", std::process::id());
    let out = command
        .arg(runs.to_string())
        .env("EXPAND_COST_COMPILATION", variable)
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    read(&text)
        .filter(|_| out.status.success())
        .ok_or_else(|| format!("expand-cost: {}\n{text}{}", out.status, String::from_utf8_lossy(&out.stderr)))
}

/// What the program prints.
fn read(text: &str) -> Option<(Vec<Time>, Vec<Time>)> {
    let times = |lines: &str| {
        let nanos = |text: &str| text.parse().map(Duration::from_nanos).ok();
        let line = |line: &str| {
            let (wall, processor) = line.split_once(' ')?;
            Some(Time { wall: nanos(wall)?, processor: nanos(processor)? })
        };
        lines.trim().lines().map(line).collect::<Option<Vec<_>>>()
    };
    let (inside, outside) = text.strip_prefix("inside")?.split_once("outside")?;
    Some((times(inside)?, times(outside)?))
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
    println!("{what}, debug build, {} runs", times.len());
    println!("  on the wall:      {}", figures(|t| t.wall));
    println!("  on the processor: {}", figures(|t| t.processor));
}
