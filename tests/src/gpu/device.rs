//! The devices that programs run on: a GPU, or the simulator in its place.

use sparse_core::error::Result;
use sparse_gpu::cuda::Event;
use sparse_gpu::launch::Backend;
use sparse_gpu::{Cuda, Sim};
use std::time::{Duration, Instant};

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

/// A device that programs run on and that tells the time.
pub(super) trait Gpu: Backend {
    /// A moment in the device's work.
    type Mark;
    /// So many elements written take the device long enough for the host to get ahead of it.
    const LEAD: usize;

    /// The device of this number.
    fn open(ordinal: usize) -> Result<Self>;
    /// What it is, in words.
    fn describe(&self) -> String;
    /// The moment at which everything asked for so far is done.
    fn mark(&self) -> Result<Self::Mark>;
    /// How long the device took from one moment to another.
    fn between(from: &Self::Mark, to: &Self::Mark) -> Result<Duration>;

    /// Does it still work? After an access out of bounds a GPU refuses everything until the process ends.
    fn is_alive(&self) -> bool {
        // SAFETY: the array is initialised.
        let array = unsafe { self.allocate::<i32>(1, Some(7)) };
        array.and_then(|array| self.read(&array, 0)).is_ok_and(|element| element == 7)
    }
}

impl Gpu for Cuda {
    type Mark = Event;
    // A quarter of a gigabyte: a tenth of a millisecond on a fast GPU.
    const LEAD: usize = 1 << 26;

    fn open(ordinal: usize) -> Result<Self> {
        Cuda::new(ordinal)
    }

    fn describe(&self) -> String {
        let ((major, minor), (driver, update)) = (self.compute_capability(), self.driver_version());
        format!("{}, compute capability {major}.{minor}, driver for CUDA {driver}.{update}", self.name())
    }

    fn mark(&self) -> Result<Event> {
        self.record()
    }

    fn between(from: &Event, to: &Event) -> Result<Duration> {
        to.since(from)
    }
}

impl Gpu for Sim {
    type Mark = Instant;
    const LEAD: usize = 0;

    fn open(_: usize) -> Result<Self> {
        Ok(Sim::new())
    }

    fn describe(&self) -> String {
        "the simulator; times are those of simulating".into()
    }

    fn mark(&self) -> Result<Instant> {
        Ok(Instant::now())
    }

    fn between(from: &Instant, to: &Instant) -> Result<Duration> {
        Ok(to.duration_since(*from))
    }
}
