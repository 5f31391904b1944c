//! Where a program computes, as its user says it.

use clap::ValueEnum;

/// `--device cpu|sim|cuda`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeviceKind {
    /// Native code on this machine's processor.
    #[default]
    Cpu,
    /// The simulator of a GPU: slow, checked, and it counts.
    Sim,
    /// An NVIDIA GPU.
    Cuda,
}
