//! The devices that kernels are measured on: a GPU by its own clock, or the simulator, whose counts a model turns into
//! the time that a GPU would take.

use sparse_core::error::Result;
use sparse_gpu::launch::Backend;
use sparse_gpu::tune::{Meter, Model};
use sparse_gpu::{Cuda, Sim};
use std::time::{Duration, Instant};

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

/// Samples that are given to the GPU at once, behind other work.
const BATCH: usize = 5;
/// A sample lasts about this long at least, by repetition, so that an event's resolution of half a microsecond and the
/// event itself do not count; up to so many calls.
const SAMPLE: Duration = Duration::from_micros(40);
const MOST_CALLS: usize = 16;
/// Elements that are filled to keep the GPU busy meanwhile: a quarter of a gigabyte, a tenth of a millisecond.
const LEAD: usize = 1 << 26;
/// A batch is given up and repeated behind twice the work so many times, if the host did not get ahead of the GPU.
const PATIENCE: usize = 4;

impl Gpu for Cuda {
    const IMPLEMENTATION: &'static str = "ours";
    const NUMBERS: &'static str = MEASURED;
    const MOST_ENTRIES: usize = 1 << 28;
    const MOST_PRODUCTS: u64 = 1 << 28;

    fn open(ordinal: usize) -> Result<Self> {
        Cuda::new(ordinal)
    }

    fn describe(&self) -> String {
        let ((major, minor), (driver, update)) = (self.compute_capability(), self.driver_version());
        format!("{}, compute capability {major}.{minor}, driver for CUDA {driver}.{update}", self.name())
    }

    fn room(&self) -> Result<u64> {
        Ok(self.memory()?.0)
    }

    fn cuda(&self) -> Option<&Cuda> {
        Some(self)
    }

    fn first(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<Duration> {
        elapsed(self, call)
    }

    fn median(
        &self,
        _: Duration,
        samples: usize,
        waits: Host,
        call: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Duration> {
        for _ in 0..2 {
            call()?;
        }
        let (single, host) = once(self, call)?;
        let calls = (SAMPLE.as_secs_f64() / single.as_secs_f64().max(1e-9)).ceil();
        let calls = (calls as usize).clamp(1, MOST_CALLS);
        if waits == Host::Waits {
            let mut times = vec![];
            for _ in 0..samples {
                times.push(elapsed(self, || (0..calls).try_for_each(|_| call()))? / calls as u32);
            }
            times.sort();
            return Ok(times[times.len() / 2]);
        }
        // SAFETY: it is filled.
        let mut lead = unsafe { self.allocate::<i32>(LEAD, Some(0)) }?;
        let fill = elapsed(self, || self.fill(&mut lead, 1))?;
        let enqueue = host.as_secs_f64() * (calls * BATCH) as f64;
        let mut fills = (2.0 * enqueue / fill.as_secs_f64().max(1e-6)).ceil().clamp(2.0, 100.0) as usize;
        let (mut times, mut patience) = (vec![], PATIENCE);
        while times.len() < samples {
            (0..fills).try_for_each(|_| self.fill(&mut lead, 1))?;
            // What the fills have put out of the cache comes back.
            call()?;
            let ahead = self.record()?;
            let mut marks = vec![];
            for _ in 0..BATCH.min(samples - times.len()) {
                let before = self.record()?;
                (0..calls).try_for_each(|_| call())?;
                marks.push((before, self.record()?));
            }
            if ahead.is_done()? && patience > 0 {
                patience -= 1;
                fills *= 2;
                self.synchronize()?;
                continue;
            }
            for (before, after) in &marks {
                times.push(after.since(before)? / calls as u32);
            }
        }
        times.sort();
        Ok(times[times.len() / 2])
    }
}

/// Time of a single call on the GPU, and on the host until it returns.
fn once(gpu: &Cuda, call: &mut dyn FnMut() -> Result<()>) -> Result<(Duration, Duration)> {
    gpu.synchronize()?;
    let mut host = Duration::ZERO;
    let device = elapsed(gpu, || {
        let start = Instant::now();
        call()?;
        host = start.elapsed();
        Ok(())
    })?;
    Ok((device, host))
}

/// Time of a single call on the GPU.
fn elapsed(gpu: &Cuda, mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    let before = gpu.record()?;
    call()?;
    gpu.record()?.since(&before)
}

impl Gpu for Sim {
    const IMPLEMENTATION: &'static str = "simulated";
    const NUMBERS: &'static str = "predicted";
    const MOST_ENTRIES: usize = 20_000;
    const MOST_PRODUCTS: u64 = 1_000_000;

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
