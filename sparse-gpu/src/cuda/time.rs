//! How long calls take on the GPU, and not on the host that asks for them.

use super::{Cuda, DeviceArray};
use sparse_core::error::Result;
use std::time::{Duration, Instant};

/// Samples that are given to the GPU at once, behind other work.
const BATCH: usize = 5;
/// A sample lasts about this long at least, by repetition, so that an event's resolution of half a microsecond and the
/// event itself do not count; up to so many calls.
const SAMPLE: Duration = Duration::from_micros(40);
const MOST_CALLS: usize = 16;
/// Elements that are filled to keep the GPU busy meanwhile: 64 megabytes, some 20 microseconds, which is several times what
/// the host takes to ask for it.
const LEAD: usize = 1 << 24;
/// A batch is given up and repeated behind twice the work so many times, if the host did not get ahead of the GPU.
const PATIENCE: usize = 4;

impl Cuda {
    /// Times of a warm call, so many of them, the shortest first. The host gives the GPU calls ahead of time, behind other
    /// work, so that what it does itself does not count; a call that waits for the GPU can't be given ahead, which is for
    /// [`Cuda::times_with_host`]. Where the host is too slow to get ahead of the GPU, what it does is in the times. Two calls come
    /// before those that count. The array that keeps the GPU busy has 64 megabytes.
    ///
    /// # Errors
    /// What a call reports, [`Error::OutOfDeviceMemory`](sparse_core::error::Error::OutOfDeviceMemory),
    /// [`Error::Device`](sparse_core::error::Error::Device).
    pub fn times(&self, samples: usize, call: &mut dyn FnMut() -> Result<()>) -> Result<Vec<Duration>> {
        let (calls, host) = self.calls_a_sample(call)?;
        let mut lead = DeviceArray::full(self, LEAD, 0i32)?;
        let fill = self.elapsed(&mut || lead.fill(1))?;
        let enqueue = host.as_secs_f64() * (calls * BATCH) as f64;
        let mut fills = (2.0 * enqueue / fill.as_secs_f64().max(1e-6)).ceil().clamp(2.0, 200.0) as usize;
        let (mut times, mut patience) = (vec![], PATIENCE);
        while times.len() < samples {
            (0..fills).try_for_each(|_| lead.fill(1))?;
            // What the fills have put out of the cache comes back.
            call()?;
            let ahead = self.record()?;
            let mut marks = vec![];
            for _ in 0..BATCH.min(samples - times.len()) {
                let before = self.record()?;
                (0..calls).try_for_each(|_| call())?;
                marks.push((before, self.record()?));
            }
            if patience > 0 && ahead.is_done()? {
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
        Ok(times)
    }

    /// Times of a warm call that waits for the GPU, so many of them, the shortest first: what the host does while the GPU
    /// has nothing to do is in them.
    ///
    /// # Errors
    /// As [`Cuda::times`].
    pub fn times_with_host(
        &self,
        samples: usize,
        call: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Duration>> {
        let (calls, _) = self.calls_a_sample(call)?;
        let sample = |_| Ok(self.elapsed(&mut || (0..calls).try_for_each(|_| call()))? / calls as u32);
        let mut times = (0..samples).map(sample).collect::<Result<Vec<_>>>()?;
        times.sort();
        Ok(times)
    }

    /// The time between what the stream does before a call and after it.
    ///
    /// # Errors
    /// What the call reports, [`Error::Device`](sparse_core::error::Error::Device).
    pub fn elapsed(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<Duration> {
        let before = self.record()?;
        call()?;
        self.record()?.since(&before)
    }

    /// How many calls make a sample, and how long the host takes for one. Two calls come before.
    fn calls_a_sample(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<(usize, Duration)> {
        (0..2).try_for_each(|_| call())?;
        self.synchronize()?;
        let mut host = Duration::ZERO;
        let single = self.elapsed(&mut || {
            let start = Instant::now();
            call()?;
            host = start.elapsed();
            Ok(())
        })?;
        let calls = (SAMPLE.as_secs_f64() / single.as_secs_f64().max(1e-9)).ceil();
        Ok(((calls as usize).clamp(1, MOST_CALLS), host))
    }
}
