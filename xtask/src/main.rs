//! Everything that is done to this repository: `cargo xtask test`, and the parts of it.

mod aside;
mod bundle;
mod cuda;
mod differential;
mod expand_cost;
mod native;
mod nvrtc;
mod shell;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tests and upkeep of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every check and test of the repository.
    Test(test::Args),
    /// Compiles and runs random kernels, and compares each with the dense oracle.
    Differential(differential::Args),
    /// Writes random kernels into one crate, compiles it natively, and compares each with the dense oracle.
    Native(native::Args),
    /// Rewrites the expected outputs of the golden and compile-fail tests, and those that the book shows.
    Bless,
    /// Measures what expanding one SpMM costs in this build of the compiler.
    ExpandCost(expand_cost::Args),
    /// Installs NVRTC, which compiles kernels for GPUs, into the target folder, unless the machine has it.
    Nvrtc(nvrtc::Args),
    /// Compiles the CUDA of the golden files with NVRTC.
    Cuda(cuda::Args),
    /// Makes a folder that runs the GPU tests on a machine without Rust.
    Bundle(bundle::Args),
    /// Checks import rules, file lengths and leftovers.
    Tidy,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Test(args) => test::run(&args),
        Task::Differential(args) => differential::run(&args),
        Task::Native(args) => native::run(&args),
        Task::Bless => test::bless(),
        Task::ExpandCost(args) => expand_cost::run(&args),
        Task::Nvrtc(args) => nvrtc::run(&args),
        Task::Cuda(args) => cuda::run(&args),
        Task::Bundle(args) => bundle::run(&args),
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
