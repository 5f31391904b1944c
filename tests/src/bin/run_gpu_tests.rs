//! `run-gpu-tests`: the GPU suite where there is no Rust.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    tests::gpu::run(&tests::gpu::Options::parse())
}
