//! A GPU's primary context, one a process: other libraries in the process use the same one.

use super::driver::{Driver, driver};
use super::stream::Stream;
use super::{check, failure};
use crate::hardware::Hardware;
use cudarc::driver::sys::{self, CUdevice_attribute, CUmemPool_attribute, CUresult};
use once_cell::sync::OnceCell;
use sparse_core::error::{Error, Result};
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int};
use std::sync::{Arc, Mutex, PoisonError};

/// A GPU that is in use. It stays so until the process ends: kernels that were loaded for it are kept.
pub(crate) struct Context {
    pub(crate) ordinal: usize,
    pub(crate) hardware: Hardware,
    pub(crate) capability: (u32, u32),
    pub(crate) driver: (u32, u32),
    /// Can a kernel start before the one before it has ended, and wait for it itself?
    pub(super) starts_early: bool,
    /// Can memory be allocated and freed in the order of a stream?
    pub(super) pools: bool,
    /// The one that arrays come from, if it has.
    pool: sys::CUmemoryPool,
    raw: sys::CUcontext,
    main: OnceCell<Arc<Stream>>,
}

// SAFETY: a context's handle may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: likewise; the driver locks where it must.
unsafe impl Sync for Context {}

/// How many GPUs there are.
pub(super) fn count() -> Result<usize> {
    match driver() {
        Ok(_) => {}
        Err(Error::NoSuchDevice { .. }) => return Ok(0),
        Err(e) => return Err(e),
    }
    let mut count: c_int = 0;
    // SAFETY: it writes one integer.
    match unsafe { sys::cuDeviceGetCount(&raw mut count) } {
        CUresult::CUDA_ERROR_NO_DEVICE => Ok(0),
        code => check("counting devices", code).map(|()| count.max(0) as usize),
    }
}

impl Context {
    /// The context of this GPU, the same for every caller.
    pub(super) fn get(ordinal: usize) -> Result<&'static Context> {
        static CONTEXTS: Mutex<BTreeMap<usize, &'static Context>> = Mutex::new(BTreeMap::new());
        let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = contexts.get(&ordinal) {
            return Ok(context);
        }
        let context: &'static Context = Box::leak(Box::new(Context::open(ordinal)?));
        contexts.insert(ordinal, context);
        Ok(context)
    }

    fn open(ordinal: usize) -> Result<Context> {
        let count = count()?;
        if ordinal >= count {
            return Err(Error::NoSuchDevice { ordinal, count });
        }
        let Driver { version: driver, starts_early } = driver()?;
        let mut device: sys::CUdevice = 0;
        // SAFETY: it writes one integer; the number is below the count.
        check("finding the device", unsafe { sys::cuDeviceGet(&raw mut device, ordinal as c_int) })?;
        let mut name = [0u8; 256];
        // SAFETY: it writes at most so many bytes.
        let code = unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast::<c_char>(), 256, device) };
        check("asking for the device's name", code)?;
        let name = name.split(|&b| b == 0).next().unwrap_or_default();
        let attribute = |attribute| {
            let mut value: c_int = 0;
            // SAFETY: it writes one integer.
            let code = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
            check("asking for the device's properties", code).map(|()| value.max(0) as u32)
        };
        let capability = (
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        let starts_early = starts_early && capability >= (9, 0);
        let pools = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0;
        // What a driver does not know it may call 0.
        let known = |name| attribute(name).ok().filter(|value| *value > 0);
        let hardware = Hardware {
            name: String::from_utf8_lossy(name).into_owned(),
            multiprocessors: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            threads: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
            registers: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
            shared: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            second_level: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
            memory_clock: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
            memory_bus: known(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
        };
        let mut raw: sys::CUcontext = std::ptr::null_mut();
        // SAFETY: it writes one handle; the device exists.
        match unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device) } {
            CUresult::CUDA_SUCCESS => {}
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                return Err(Error::OutOfDeviceMemory { device: hardware.name, bytes: 0, free: None });
            }
            code => return Err(failure("starting work on the device", code)),
        }
        let pool = if pools { keep_memory(device) } else { Ok(std::ptr::null_mut()) };
        let pool = pool.inspect_err(|_| {
            // SAFETY: it was retained above, and nothing uses it yet. What matters is that error, not this call's.
            let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(device) };
        })?;
        let main = OnceCell::new();
        Ok(Context { ordinal, hardware, capability, driver, starts_early, pools, pool, raw, main })
    }

    /// Makes this the context of the calling thread's next calls.
    pub(super) fn bind(&self) -> Result<()> {
        // SAFETY: the context is never released.
        check("choosing the device", unsafe { sys::cuCtxSetCurrent(self.raw) })
    }

    /// The stream that handles share.
    pub(super) fn main_stream(&'static self) -> Result<Arc<Stream>> {
        self.main.get_or_try_init(|| Stream::new(self)).cloned()
    }

    /// Free and total memory in bytes. What the pool keeps of what was given back is free.
    pub(super) fn memory(&self) -> Result<(u64, u64)> {
        self.bind()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: it writes two integers.
        let code = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        check("asking for free memory", code)?;
        let kept = if self.pools { self.kept()? } else { 0 };
        Ok(((free as u64).saturating_add(kept), total as u64))
    }

    /// What the pool has of the device's memory, and nobody of the pool's.
    fn kept(&self) -> Result<u64> {
        let bytes = |attribute| {
            let mut value = 0_u64;
            // SAFETY: the pool is the device's own, and each of these attributes is a 64-bit integer.
            let code = unsafe { sys::cuMemPoolGetAttribute(self.pool, attribute, (&raw mut value).cast()) };
            check("asking for the memory that is kept", code).map(|()| value)
        };
        let reserved = bytes(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        Ok(reserved.saturating_sub(bytes(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?))
    }

    /// `sm_90`
    pub(crate) fn architecture(&self) -> u32 {
        self.capability.0 * 10 + self.capability.1
    }
}

/// Freed memory stays with the process: by default every synchronisation gives it back to the system, and the next
/// result would pay for it anew.
fn keep_memory(device: sys::CUdevice) -> Result<sys::CUmemoryPool> {
    let mut pool: sys::CUmemoryPool = std::ptr::null_mut();
    let mut most = u64::MAX;
    // SAFETY: the first writes one handle; the second reads the 64-bit integer that this attribute is.
    let code = unsafe {
        match sys::cuDeviceGetDefaultMemPool(&raw mut pool, device) {
            CUresult::CUDA_SUCCESS => sys::cuMemPoolSetAttribute(
                pool,
                CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut most).cast(),
            ),
            code => code,
        }
    };
    check("setting up the device's memory", code).map(|()| pool)
}
