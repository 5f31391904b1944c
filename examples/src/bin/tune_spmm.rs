//! The best GPU schedule of SpMM for a matrix: searched, timed, checked, and printed to be pasted into the kernel.
//!
//! `cargo run --release -p examples --bin tune_spmm -- [FILE.mtx[.gz]]… [-n COLUMNS] [--device sim|cuda]`
//!
//! With `--device cuda` times are measured. With `--device sim`, the default, they are predicted for an H200 from what the
//! simulator counts. Ctrl-C ends the search with the best that was found.

use clap::{Parser, ValueEnum};
use examples::{Outcome, finish, println, progress};
use indicatif::{ProgressBar, ProgressStyle};
use sparse_gpu::prelude::*;
use sparse_gpu::tune::{Arguments, Meter, Progress, Source, Space, Tunable, tune_with};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

tensor_kernel! {
    /// C = A·B
    fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

/// Chooses the schedule of a product of sparse matrices with a random dense one.
#[derive(Parser)]
struct Options {
    /// Matrix Market files, plain or gzip; without any, a power-law graph is generated
    files: Vec<PathBuf>,
    /// Columns of the dense matrix
    #[arg(short = 'n', long, short_alias = 'N', default_value_t = 32)]
    columns: usize,
    /// Generate a small matrix, and try few schedules
    #[arg(long)]
    quick: bool,
    /// Search even if the result is remembered
    #[arg(long)]
    afresh: bool,
    /// Where to try
    #[arg(long, value_enum, default_value_t)]
    device: Where,
}

/// `--device sim|cuda`
#[derive(Clone, Copy, Default, ValueEnum)]
enum Where {
    /// The simulator: times are predictions.
    #[default]
    Sim,
    /// An NVIDIA GPU: times are measurements.
    Cuda,
}

fn main() -> ExitCode {
    finish(run(&Options::parse()))
}

fn run(options: &Options) -> Outcome {
    interrupt::listen()?;
    if options.files.is_empty() {
        let (scale, edges) = if options.quick { (7, 6) } else { (12, 16) };
        let a = Csr::from_coordinates(generate::rmat(scale, edges, 1)?)?;
        return report(&format!("R-MAT graph of scale {scale}"), &a, options);
    }
    for file in &options.files {
        let a = io::read_matrix_market_with(file, progress(file))?;
        report(&file.display().to_string(), &a, options)?;
        if interrupt::requested() {
            break;
        }
    }
    Ok(())
}

fn report(name: &str, a: &Csr<f32>, options: &Options) -> Outcome {
    let ([rows, cols], columns) = (a.dims(), options.columns);
    println!("{name}: {rows} x {cols}, {} entries, N = {columns}", a.stored());
    let b = DenseMat::try_random([cols, columns], 42)?;
    match options.device {
        Where::Sim => search(&Sim::new(), a, &b, options),
        Where::Cuda => search(&Cuda::new(0)?, a, &b, options),
    }
}

fn search<D: Meter>(device: &D, a: &Csr<f32>, b: &DenseMat<f32>, options: &Options) -> Outcome {
    let mut space = if options.quick { Space::all().threads([128]).finalists(3) } else { Space::all() };
    if options.afresh {
        space = space.afresh();
    }
    let (a_there, b_there) = (a.to(device)?, b.to(device)?);
    let arguments = Arguments::new().tensor(&a_there).tensor(&b_there);
    let bar = bar();
    let tuned = tune_with(&Tunable::parse(spmm::TEXT)?, &arguments, &space, |step| show(&bar, step));
    bar.finish_and_clear();
    let tuned = tuned?;
    println!("{tuned}");
    if matches!(tuned.source(), Source::Remembered) {
        println!("found by an earlier search for such a matrix; `--afresh` searches again");
    }
    let c = tuned.run::<DenseMat<f32>, D>(&arguments)?.to_host()?;
    if !c.approx_eq(&spmm(a, b)?, 1e-3) {
        return Err("the tuned kernel's result is not the processor's".into());
    }
    println!("verified against the processor; its time is {}", tuned.figure());
    Ok(())
}

/// On stderr, if that is a terminal.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show(bar: &ProgressBar, step: Progress) -> ControlFlow<()> {
    match step {
        Progress::Ranked { finalists, .. } => bar.set_length(finalists as u64),
        Progress::Trying { choice, .. } => bar.set_message(choice.to_string()),
        Progress::Timed { .. } => bar.inc(1),
        Progress::Ignored { file, why } => {
            bar.suspend(|| eprintln!("note: {} is ignored: {why}", file.display()));
        }
        Progress::NotRemembered { file, why } => {
            bar.suspend(|| eprintln!("note: the result is not remembered: {}: {why}", file.display()));
        }
        _ => {}
    }
    interrupt::flow()
}
