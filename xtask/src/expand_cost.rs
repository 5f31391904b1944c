//! `cargo xtask expand-cost`: what one `tensor_kernel!` costs a build.

use crate::shell::Done;
use std::time::{Duration, Instant};

/// What one SpMM may cost in a debug build of the compiler.
const BUDGET: Duration = Duration::from_millis(10);

const KERNEL: &str = "$crate; pub fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
    C[i, k] = A[i, j] * B[j, k];
}";

/// Options of `cargo xtask expand-cost`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How often the kernel is expanded.
    #[arg(long, default_value_t = 51)]
    runs: usize,
    /// Fails if the median is above 10 ms.
    #[arg(long)]
    strict: bool,
}

impl Default for Args {
    fn default() -> Self {
        Args { runs: 51, strict: false }
    }
}

/// Measures and prints: tokens in, tokens out, as rustc sees it.
pub(crate) fn run(args: &Args) -> Done {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..args.runs.max(1) {
        let tokens = KERNEL.replace("$crate", "::sparse_gpu").parse().map_err(|e| format!("{e}"))?;
        let began = Instant::now();
        let expanded = sparse_core::expand::expand(tokens);
        times.push(began.elapsed());
        if expanded.to_string().contains("compile_error") {
            return Err(format!("SpMM does not expand: {expanded}"));
        }
    }
    times.sort();
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    println!(
        "expansion of one SpMM, {build} build, {} runs: median {:.2} ms, least {:.2} ms, most {:.2} ms; budget {} ms",
        times.len(),
        ms(median),
        ms(least),
        ms(most),
        BUDGET.as_millis()
    );
    if args.strict && median > BUDGET { Err("above the budget".into()) } else { Ok(()) }
}
