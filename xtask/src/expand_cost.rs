//! `cargo xtask expand-cost`: what one `tensor_kernel!` costs a build.

use crate::shell::Done;
use std::time::{Duration, Instant};

/// Options of `cargo xtask expand-cost`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How often the kernel is expanded.
    #[arg(long, default_value_t = 51)]
    runs: u32,
}

impl Default for Args {
    fn default() -> Self {
        Args { runs: 51 }
    }
}
