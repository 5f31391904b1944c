//! The benchmark program: our kernels beside hand-written loops and the libraries, in one run.
//!
//! `cargo run --release -p bench -- cpu --data DIR --csv FILE`, and `gpu` on a GPU or its simulator.

#[macro_use]
mod output;

mod check;
mod cpu;
mod delay;
mod error;
mod gpu;
mod hand;
mod inputs;
mod kernels;
mod peers;
mod real;
mod report;
mod scaling;
mod scheduled;
mod storage;
mod targets;
mod threads;
mod timing;
mod view;

use clap::{Parser, Subcommand};
use error::{Error, Result};
use std::process::ExitCode;

/// Measures sparse kernels.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Kernels on the CPU, one thread or several, warm, medians; every result is checked.
    Cpu(cpu::Options),
    /// Kernels on a GPU, or predicted from the simulator, beside cuSPARSE; every result is checked.
    Gpu(gpu::Matrix),
    /// Tables 1 to 5 of Sgap, on a GPU or predicted, beside the paper's numbers.
    Sgap(gpu::sgap::Sgap),
    /// The GPU numbers of "A sparse iteration space transformation framework" (OOPSLA 2020), likewise.
    Oopsla(gpu::oopsla::Oopsla),
    /// Compiles the kernels of `gpu`, `sgap` and `oopsla` ahead, into the cache that `SPARSE_CACHE` names; needs no GPU.
    Compile(gpu::compile::Compile),
    /// The rule of kernels that nobody scheduled for a GPU, from what `gpu` measured or predicted.
    Fit(gpu::fit::Fit),
}

fn run(command: &Command) -> Result<()> {
    interrupt::listen()?;
    match command {
        Command::Cpu(options) => cpu::run(options),
        Command::Gpu(options) => gpu::run(options),
        Command::Sgap(options) => gpu::sgap::run(options),
        Command::Oopsla(options) => gpu::oopsla::run(options),
        Command::Compile(options) => gpu::compile::run(options),
        Command::Fit(options) => gpu::fit::run(options),
    }
}

fn main() -> ExitCode {
    let written = |error| Error::Io { path: "standard output".into(), error };
    match run(&Arguments::parse().command).and_then(|()| output::finish().map_err(written)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
