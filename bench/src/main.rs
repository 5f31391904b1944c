//! The benchmark program: our kernels beside hand-written loops and the libraries, in one run.
//!
//! `cargo run --release -p bench -- cpu --data DIR --csv FILE`

mod check;
mod cpu;
mod delay;
mod error;
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
}

fn main() -> ExitCode {
    let Arguments { command: Command::Cpu(options) } = Arguments::parse();
    match cpu::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
