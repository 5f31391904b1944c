//! What no kernel can beat on a device: how fast memory and cache are read, and how fast it computes. On a GPU the three
//! are measured in the same run as the kernels; for a prediction they are an H200's by its datasheet.

use super::device::Gpu;
use super::problem::Work;
use crate::error::Result;
use sparse_core::error::Result as DeviceResult;
use sparse_gpu::Cuda;
use sparse_gpu::cuda::{Arguments, DeviceArray, Function, Module};
use std::sync::Arc;
use std::time::Duration;

/// Whose ceilings count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Source {
    /// The device's, if it is a GPU.
    Measure,
    /// An H200's.
    Datasheet,
}

/// Rates of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ceilings {
    /// Bytes a second that a copy in device memory reads and writes.
    pub(crate) memory: f64,
    /// Bytes a second that are read from the second-level cache.
    pub(crate) cache: f64,
    /// Bytes of that cache, as the driver says.
    pub(crate) cache_bytes: u64,
    /// Operations of `f32` a second, a product and a sum being two.
    pub(crate) operations: f64,
    /// Were they measured?
    pub(crate) measured: bool,
}

/// Of an H200, by its datasheet; the cache's is a lead.
const DATASHEET: Ceilings =
    Ceilings { memory: 4.8e12, cache: 5.5e12, cache_bytes: 50 << 20, operations: 67e12, measured: false };

/// Elements of the arrays that are copied: a gigabyte each, twenty times the cache.
const COPIED: usize = 1 << 28;
/// Elements of the array that is read from the cache again and again: 16 megabytes.
const CACHED: usize = 1 << 22;
/// How often.
const ROUNDS: usize = 32;
/// Products and sums that a thread adds up.
const CHAIN: usize = 1 << 14;
const THREADS: u32 = 256;
const BLOCKS: u32 = 132 * 8;

/// The kernels that measure. What is computed depends on what is read, so that nothing is left out.
pub(crate) const SOURCE: &str = include_str!("ceilings.cu");

/// The device's.
///
/// # Errors
/// What the device or NVRTC reports.
pub(crate) fn ceilings<D: Gpu>(device: &D, source: Source) -> Result<Ceilings> {
    match (device.cuda(), source) {
        (Some(gpu), Source::Measure) => Ok(measure(gpu)?),
        (Some(gpu), Source::Datasheet) => Ok(Ceilings { cache_bytes: cache_bytes(gpu), ..DATASHEET }),
        _ => Ok(DATASHEET),
    }
}

/// An H200's if the driver does not say.
fn cache_bytes(gpu: &Cuda) -> u64 {
    gpu.second_level_cache().unwrap_or(DATASHEET.cache_bytes)
}

fn measure(gpu: &Cuda) -> DeviceResult<Ceilings> {
    let module = Arc::new(Module::compile(gpu, SOURCE, "ceilings.cu", &[])?);
    let from = DeviceArray::<f32>::full(gpu, COPIED, 1.5)?;
    let to = DeviceArray::<f32>::full(gpu, COPIED, 0.5)?;
    let time = |function: &Function, a: &DeviceArray<f32>, n: usize, rounds: usize| {
        median(gpu, || {
            let mut arguments = Arguments::new();
            arguments.array(a);
            arguments.array(&to);
            arguments.index(n as i32);
            arguments.index(rounds as i32);
            // SAFETY: the kernels take two arrays and two sizes; they read `n` groups of four elements of the first and
            // write at most as many, or one a thread, of the second, which has more than there are threads.
            unsafe { function.launch(gpu, [BLOCKS, 1, 1], [THREADS, 1, 1], &arguments) }
        })
    };
    let copy = time(&module.function("copy")?, &from, COPIED / 4, 1)?;
    let read = time(&module.function("reread")?, &from, CACHED / 4, ROUNDS)?;
    let multiply = time(&module.function("multiply_add")?, &from, CACHED / 4, CHAIN)?;
    let chains = 8.0 * f64::from(BLOCKS * THREADS);
    Ok(Ceilings {
        memory: (8 * COPIED) as f64 / copy.as_secs_f64(),
        cache: (4 * CACHED * ROUNDS) as f64 / read.as_secs_f64(),
        cache_bytes: cache_bytes(gpu),
        operations: 2.0 * chains * CHAIN as f64 / multiply.as_secs_f64(),
        measured: true,
    })
}

/// Of nine calls after two.
fn median(gpu: &Cuda, call: impl Fn() -> DeviceResult<()>) -> DeviceResult<Duration> {
    let mut times = vec![];
    for sample in 0..11 {
        let before = gpu.record()?;
        call()?;
        let took = gpu.record()?.since(&before)?;
        if sample >= 2 {
            times.push(took);
        }
    }
    times.sort();
    Ok(times[times.len() / 2])
}

impl Ceilings {
    /// The roofline: no kernel takes fewer microseconds, but for what the first-level caches save of the gathers.
    pub(crate) fn floor_us(&self, work: &Work) -> f64 {
        let Work { bytes, gathered, operations } = *work;
        let memory = bytes as f64 / self.memory;
        let cache = gathered as f64 / self.cache;
        1e6 * memory.max(cache).max(operations as f64 / self.operations)
    }

    /// In words.
    pub(crate) fn describe(&self) -> String {
        let Ceilings { memory, cache, cache_bytes, operations, measured } = self;
        let whose = if *measured { "measured in this run" } else { "of an H200, by its datasheet" };
        format!(
            "ceilings, {whose}: copy {:.2} TB/s, cache of {:.0} MB {:.2} TB/s, {:.1} TFLOP/s",
            memory / 1e12,
            *cache_bytes as f64 / 1e6,
            cache / 1e12,
            operations / 1e12
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_unit_counts() {
        let c = Ceilings { memory: 1e12, cache: 2e12, cache_bytes: 1, operations: 4e12, measured: true };
        let work = |bytes, gathered, operations| Work { bytes, gathered, operations };
        assert_eq!(c.floor_us(&work(1_000_000, 0, 0)), 1.0);
        assert_eq!(c.floor_us(&work(1_000_000, 4_000_000, 0)), 2.0);
        assert_eq!(c.floor_us(&work(1, 1, 12_000_000)), 3.0);
    }
}
