//! The devices that programs run on: a GPU, or the simulator in its place.

use sparse_core::error::Result;
use sparse_gpu::launch::Backend;
use sparse_gpu::{Cuda, Sim};

/// Where programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// An NVIDIA GPU.
    Cuda,
    /// The simulator.
    Sim,
}

impl Kind {
    /// As on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Cuda => "cuda",
            Kind::Sim => "sim",
        }
    }
}

/// A device that programs run on.
pub(super) trait Gpu: Backend {
    /// The device of this number.
    fn open(ordinal: usize) -> Result<Self>;
    /// What it is, in words.
    fn describe(&self) -> String;

    /// One on which blocks and warps come in any order, so that runs differ as far as they may.
    fn unordered(&self) -> Self;

    /// One on which a launch takes so many steps at most, if it counts them.
    fn limited(&self, steps: u64) -> Self;

    /// Does it still work? After an access out of bounds a GPU refuses everything until the process ends.
    fn is_alive(&self) -> bool {
        // SAFETY: the array is initialised.
        let array = unsafe { self.allocate::<i32>(1, Some(7)) };
        array.and_then(|array| self.read(&array, 0)).is_ok_and(|element| element == 7)
    }
}

impl Gpu for Cuda {
    fn open(ordinal: usize) -> Result<Self> {
        Cuda::new(ordinal)
    }

    fn describe(&self) -> String {
        let ((major, minor), (driver, update)) = (self.compute_capability(), self.driver_version());
        format!("{}, compute capability {major}.{minor}, driver for CUDA {driver}.{update}", self.name())
    }

    fn unordered(&self) -> Self {
        self.clone()
    }

    fn limited(&self, _: u64) -> Self {
        self.clone()
    }
}

impl Gpu for Sim {
    fn open(_: usize) -> Result<Self> {
        Ok(Sim::new())
    }

    fn describe(&self) -> String {
        "the simulator".into()
    }

    fn unordered(&self) -> Self {
        Sim::shuffled(1)
    }

    fn limited(&self, steps: u64) -> Self {
        Sim::limited(steps)
    }
}
