//! The devices that kernels are measured on: a GPU by its own clock, or the simulator, whose counts a model turns into
//! the time that a GPU would take.

use sparse_core::error::Result;
use sparse_gpu::tune::{Meter, Model};
use sparse_gpu::{Cuda, Sim};
use std::time::Duration;

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// An NVIDIA GPU.
    Cuda,
    /// The simulator; what it says is a prediction.
    Sim,
}

/// Of numbers that a GPU's clock told; all others are predictions.
pub(crate) const MEASURED: &str = "measured";

/// What the host does in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// It gives the GPU work, and can get ahead of it: the GPU's time alone counts.
    Enqueues,
    /// It waits for the GPU before it goes on, as where a result is allocated whose size the GPU finds. Then nothing can
    /// be given ahead, and what the host does while the GPU has nothing to do is in the time.
    Waits,
}

/// A device that tells how long a call takes.
pub(crate) trait Gpu: Meter {
    /// What stands for our kernels in the column `implementation`.
    const IMPLEMENTATION: &'static str;
    /// What a table's numbers are, in words: `measured`, or `predicted`.
    const NUMBERS: &'static str;
    /// Without `--max-entries`, larger inputs are left out.
    const MOST_ENTRIES: usize;
    /// Without `--max-products`, products of sparse matrices of more products of entries are left out.
    const MOST_PRODUCTS: u64;
    /// Points by which rows look more often for entries in tiles that blocks share are left out.
    const MOST_VISITS: u64;

    /// The device of this number.
    fn open(ordinal: usize) -> Result<Self>;
    /// What it is, in words.
    fn describe(&self) -> String;
    /// Bytes that it has room for.
    fn room(&self) -> Result<u64>;
    /// The GPU for what only a GPU has.
    fn cuda(&self) -> Option<&Cuda>;
    /// Makes a kernel's first call and tells how long it takes.
    fn first(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<Duration>;
    /// How long a warm call takes, the median of so many samples; `first` is what the first one took.
    fn median(
        &self,
        first: Duration,
        samples: usize,
        host: Host,
        call: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Duration>;
}

impl Gpu for Cuda {
    const IMPLEMENTATION: &'static str = "ours";
    const NUMBERS: &'static str = MEASURED;
    const MOST_ENTRIES: usize = 1 << 28;
    const MOST_PRODUCTS: u64 = 1 << 28;
    // On an H100 2²³ of them took 4 ms, a thousand times as long as the other points.
    const MOST_VISITS: u64 = 1 << 24;

    fn open(ordinal: usize) -> Result<Self> {
        Cuda::new(ordinal)
    }

    fn describe(&self) -> String {
        let ((major, minor), (driver, update)) = (self.compute_capability(), self.driver_version());
        let (name, model) = (self.name(), self.model());
        format!(
            "{name}, compute capability {major}.{minor}, driver for CUDA {driver}.{update}, memory of {:.2} TB/s {}",
            model.memory / 1e12,
            model.told
        )
    }

    fn room(&self) -> Result<u64> {
        Ok(self.memory()?.0)
    }

    fn cuda(&self) -> Option<&Cuda> {
        Some(self)
    }

    fn first(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<Duration> {
        self.elapsed(call)
    }

    fn median(
        &self,
        _: Duration,
        samples: usize,
        host: Host,
        call: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Duration> {
        let times = match host {
            Host::Enqueues => self.times(samples, call)?,
            Host::Waits => self.times_with_host(samples, call)?,
        };
        Ok(times[times.len() / 2])
    }
}

impl Gpu for Sim {
    const IMPLEMENTATION: &'static str = "simulated";
    const NUMBERS: &'static str = "predicted";
    const MOST_ENTRIES: usize = 20_000;
    const MOST_PRODUCTS: u64 = 1_000_000;
    const MOST_VISITS: u64 = 1 << 20;

    fn open(_: usize) -> Result<Self> {
        Ok(Sim::new())
    }

    fn describe(&self) -> String {
        "the simulator: times are predictions of a model of an H200, and no GPU took part".into()
    }

    fn room(&self) -> Result<u64> {
        // More would take hours.
        Ok(1 << 27)
    }

    fn cuda(&self) -> Option<&Cuda> {
        None
    }

    fn first(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<Duration> {
        self.clear_report();
        call()?;
        Ok(Model::h200().predict_all(&self.report()).0)
    }

    fn median(
        &self,
        first: Duration,
        _: usize,
        _: Host,
        _: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Duration> {
        Ok(first)
    }
}
