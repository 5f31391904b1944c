//! A stream: a queue of work on a GPU.

use super::check;
use super::context::Context;
use cudarc::driver::sys;
use sparse_core::error::Result;
use std::sync::Arc;

/// A queue of work on a GPU. Not the legacy default stream: that one can't be captured in a graph, and waits for others.
pub(crate) struct Stream {
    pub(super) raw: sys::CUstream,
    pub(crate) context: &'static Context,
}

// SAFETY: a stream's handle may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: likewise; the driver locks where it must.
unsafe impl Sync for Stream {}

impl Stream {
    pub(super) fn new(context: &'static Context) -> Result<Arc<Stream>> {
        context.bind()?;
        let mut raw: sys::CUstream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: it writes one handle.
        check("making a stream", unsafe { sys::cuStreamCreate(&raw mut raw, flags) })?;
        Ok(Arc::new(Stream { raw, context }))
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        self.context.bind()?;
        // SAFETY: the stream lives.
        check("waiting for the device", unsafe { sys::cuStreamSynchronize(self.raw) })
    }

    /// Work that comes later in this stream waits for what is in the other now.
    pub(super) fn wait_for(&self, other: &Stream) -> Result<()> {
        if self.raw == other.raw {
            return Ok(());
        }
        self.context.bind()?;
        let mut event: sys::CUevent = std::ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: it writes one handle.
        check("making an event", unsafe { sys::cuEventCreate(&raw mut event, flags) })?;
        // SAFETY: event and streams live; an event that is waited for may be destroyed, it goes when it is done.
        unsafe {
            let recorded = check("recording an event", sys::cuEventRecord(event, other.raw));
            let waits = recorded
                .and_then(|()| check("waiting for a stream", sys::cuStreamWaitEvent(self.raw, event, 0)));
            let destroyed = check("destroying an event", sys::cuEventDestroy_v2(event));
            waits.and(destroyed)
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: nobody else has the stream; work that is in it still is done. A failure has nobody to tell: the
            // device's next call reports it too.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.raw) };
        }
    }
}
