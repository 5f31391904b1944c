//! Finding the driver. The bindings panic where the library or one of its functions is missing, also while they print
//! an error: nothing of them is called before [`driver`] has found everything.

use cudarc::driver::sys::{self, CUresult};
use libloading::Library;
use once_cell::sync::OnceCell;
use sparse_core::error::{Error, Result};
use std::ffi::c_int;

/// The oldest driver whose functions suffice: all code of NVRTC 12 loads there.
const NEEDED: (u32, u32) = (12, 0);

/// Every function of the driver that this crate calls, but for [`EARLY`].
const FUNCTIONS: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceGetDefaultMemPool",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventElapsedTime",
    "cuEventDestroy_v2",
    "cuMemPoolSetAttribute",
    "cuMemPoolGetAttribute",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemsetD8Async",
    "cuMemsetD32Async",
    "cuMemsetD2D32Async",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuLaunchKernel",
];

/// What starts a kernel before the one before it has ended, which need not be.
const EARLY: &str = "cuLaunchKernelEx";

/// The oldest driver that is asked for it: it knows of such kernels in the graphs in which streams are captured.
const KNOWS_EARLY: (u32, u32) = (12, 3);

/// A driver that can be called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver {
    /// The newest CUDA version that it supports, major and minor.
    pub(crate) version: (u32, u32),
    /// Can it start a kernel before the one before it has ended, where the GPU can?
    pub(crate) starts_early: bool,
}

/// The driver, initialised. What fails is tried again the next time.
///
/// # Errors
/// [`Error::NoDriver`], [`Error::DriverTooOld`], [`Error::Device`], and [`Error::NoSuchDevice`] if it finds no GPU.
pub(crate) fn driver() -> Result<Driver> {
    static DRIVER: OnceCell<Driver> = OnceCell::new();
    DRIVER.get_or_try_init(find).copied()
}

fn find() -> Result<Driver> {
    let library = open()?;
    let version = version(&library)?;
    let too_old = |reason: String| Error::DriverTooOld { found: version, needed: NEEDED, reason };
    if version < NEEDED {
        return Err(too_old("its version is below".into()));
    }
    // SAFETY: the function is not called, so its type does not matter.
    let has = |name: &str| unsafe { library.get::<unsafe extern "C" fn()>(name) }.is_ok();
    if let Some(name) = FUNCTIONS.iter().find(|name| !has(name)) {
        return Err(too_old(format!("it has no function {name}")));
    }
    let starts_early = version >= KNOWS_EARLY && has(EARLY);
    // The bindings open the library for themselves, and get this one: it has to stay.
    std::mem::forget(library);
    // SAFETY: the function was found above.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => Ok(Driver { version, starts_early }),
        CUresult::CUDA_ERROR_NO_DEVICE => Err(Error::NoSuchDevice { ordinal: 0, count: 0 }),
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            Err(Error::NoDriver { reason: "libcuda is the CUDA toolkit's stub, for linking alone".into() })
        }
        code => Err(super::failure("starting the CUDA driver", code)),
    }
}

/// The library that the bindings will find: they try these names in this order.
fn open() -> Result<Library> {
    let names = ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates);
    let mut reason = None;
    for name in names {
        // SAFETY: the driver's initialisers are those that any CUDA program runs.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok(library),
            Err(e) => {
                // Of all names, this is the one that an installed driver has.
                if name == "libcuda.so.1" || reason.is_none() {
                    reason = Some(e.to_string());
                }
            }
        }
    }
    Err(Error::NoDriver { reason: reason.unwrap_or_default() })
}

/// The driver's CUDA version, asked without the bindings: it needs no initialisation.
fn version(library: &Library) -> Result<(u32, u32)> {
    type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;
    // SAFETY: this is the function's type in every version.
    let function = unsafe { library.get::<GetVersion>("cuDriverGetVersion") };
    let function = function
        .map_err(|_| Error::NoDriver { reason: "libcuda has no function cuDriverGetVersion".into() })?;
    let mut version: c_int = 0;
    // SAFETY: it writes one integer.
    let code = unsafe { function(&raw mut version) };
    if code != 0 || version < 0 {
        return Err(Error::NoDriver { reason: format!("libcuda does not tell its version: error {code}") });
    }
    Ok((version as u32 / 1000, version as u32 % 1000 / 10))
}
