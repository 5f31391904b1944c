//! Everything that is done to this repository: `cargo xtask test`, and the parts of it.

mod differential;
mod shell;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tests and upkeep of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compiles and runs random kernels, and compares each with the dense oracle.
    Differential(differential::Args),
    /// Checks import rules, file lengths and leftovers.
    Tidy,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Differential(args) => differential::run(&args),
        Task::Tidy => tidy::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
