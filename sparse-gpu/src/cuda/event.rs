//! Points in a stream, to measure how long the GPU takes.

use super::stream::Stream;
use super::{check, failure};
use cudarc::driver::sys::{self, CUresult};
use sparse_core::error::Result;
use std::sync::Arc;
use std::time::Duration;

/// A point in a stream of work: [`Cuda::record`](super::Cuda::record).
///
/// ```no_run
/// # use sparse_gpu::prelude::*;
/// # fn work(_: &Cuda) {}
/// let gpu = Cuda::new(0)?;
/// let start = gpu.record()?;
/// work(&gpu);
/// let took = gpu.record()?.since(&start)?;
/// # Ok::<(), Error>(())
/// ```
pub struct Event {
    raw: sys::CUevent,
    /// Kept alive, and the context with it.
    stream: Arc<Stream>,
}

// SAFETY: an event's handle may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: likewise; the driver locks where it must.
unsafe impl Sync for Event {}

impl Event {
    pub(super) fn record(stream: &Arc<Stream>) -> Result<Event> {
        stream.context.bind()?;
        let mut raw: sys::CUevent = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DEFAULT as u32;
        // SAFETY: it writes one handle.
        check("making an event", unsafe { sys::cuEventCreate(&raw mut raw, flags) })?;
        let event = Event { raw, stream: stream.clone() };
        // SAFETY: event and stream live.
        check("recording an event", unsafe { sys::cuEventRecord(event.raw, stream.raw) })?;
        Ok(event)
    }

    /// Has the GPU come to this point?
    ///
    /// # Errors
    /// [`Error::Device`](sparse_core::error::Error::Device) if work before it failed.
    pub fn is_done(&self) -> Result<bool> {
        self.stream.context.bind()?;
        // SAFETY: the event lives.
        match unsafe { sys::cuEventQuery(self.raw) } {
            CUresult::CUDA_SUCCESS => Ok(true),
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => Err(failure("asking for an event", code)),
        }
    }

    /// Waits until the GPU has come to this point.
    ///
    /// # Errors
    /// [`Error::Device`](sparse_core::error::Error::Device) if work before it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.context.bind()?;
        // SAFETY: the event lives.
        check("waiting for an event", unsafe { sys::cuEventSynchronize(self.raw) })
    }

    /// Time on the GPU from the earlier point to this one; waits for both.
    ///
    /// # Errors
    /// [`Error::Device`](sparse_core::error::Error::Device) if work before it failed, or the two are on different GPUs.
    pub fn since(&self, earlier: &Event) -> Result<Duration> {
        earlier.synchronize()?;
        self.synchronize()?;
        let mut milliseconds = 0f32;
        // SAFETY: both events live; it writes one float.
        let code = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, earlier.raw, self.raw) };
        check("measuring time", code)?;
        Ok(Duration::try_from_secs_f64(milliseconds as f64 / 1e3).unwrap_or_default())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.stream.context.bind().is_ok() {
            // SAFETY: nobody else has the event. A failure has nobody to tell.
            let _ = unsafe { sys::cuEventDestroy_v2(self.raw) };
        }
    }
}
