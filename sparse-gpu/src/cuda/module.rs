//! Compiled code on a GPU, and its launch. Generated kernels run by this, and CUDA that was written by hand can.

use super::array::DeviceArray;
use super::context::Context;
use super::stream::Stream;
use super::{Cuda, check, failure};
use crate::nvrtc::Compiler;
use cudarc::driver::sys::{self, CUresult};
use sparse_core::error::{Error, Result};
use sparse_core::scalar::{Element, Value};
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// Code that is loaded on a GPU.
pub struct Module {
    raw: sys::CUmodule,
    context: &'static Context,
}

// SAFETY: a module's handle may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: likewise; the driver locks where it must.
unsafe impl Sync for Module {}

impl Module {
    /// Compiles CUDA for the device, unless it was compiled before and is in the cache on disk, and loads it. The name
    /// stands in messages; the options are NVRTC's.
    ///
    /// # Errors
    /// [`Error::NoNvrtc`], [`Error::NvrtcTooNew`], [`Error::UnsupportedArchitecture`], [`Error::Jit`] with the compiler's
    /// log, and what [`Module::load`] says.
    pub fn compile(device: &Cuda, source: &str, name: &str, options: &[&str]) -> Result<Module> {
        let nvrtc = Compiler::load(Some(device.driver_version()))?;
        let architecture = device.context().architecture();
        nvrtc.check_architecture(architecture)?;
        let compiled = nvrtc.compile_cached(source, name, architecture, options).map_err(|e| Error::Jit {
            kernel: name.into(),
            architecture: format!("sm_{architecture}"),
            log: e.log,
        })?;
        // SAFETY: NVRTC made it, and it came whole: the cache keeps a checksum.
        unsafe { Module::load(device, &compiled.cubin) }
    }

    /// Loads a CUBIN for the device's architecture.
    ///
    /// # Safety
    /// It is a whole CUBIN, as NVRTC makes it: the driver is not told how long it is, and reads what its header says.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]; [`Error::Device`] if the driver does not take the code.
    pub unsafe fn load(device: &Cuda, cubin: &[u8]) -> Result<Module> {
        let context = device.context();
        context.bind()?;
        let mut raw: sys::CUmodule = std::ptr::null_mut();
        // SAFETY: it writes one handle, and reads a CUBIN, which the caller promises is whole.
        let code = unsafe { sys::cuModuleLoadData(&raw mut raw, cubin.as_ptr().cast()) };
        match code {
            CUresult::CUDA_SUCCESS => Ok(Module { raw, context }),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let (device, bytes) = (context.hardware.name.clone(), cubin.len() as u128);
                Err(Error::OutOfDeviceMemory { device, bytes, free: context.memory().ok().map(|m| m.0) })
            }
            code => Err(failure("loading a compiled kernel", code)),
        }
    }

    /// An entry point of the code.
    ///
    /// # Errors
    /// [`Error::Device`] if there is none of this name.
    pub fn function(self: &Arc<Self>, name: &str) -> Result<Function> {
        let missing = CUresult::CUDA_ERROR_NOT_FOUND;
        let entry = CString::new(name).map_err(|_| failure("finding a kernel", missing))?;
        self.context.bind()?;
        let mut raw: sys::CUfunction = std::ptr::null_mut();
        // SAFETY: it writes one handle, and reads a C string.
        check("finding a kernel", unsafe {
            sys::cuModuleGetFunction(&raw mut raw, self.raw, entry.as_ptr())
        })?;
        Ok(Function { raw, name: name.into(), module: self.clone() })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.bind().is_ok() {
            // SAFETY: nobody has a function of the module any more, and none runs when the device is done. A failure
            // has nobody to tell: the device's next call reports it too.
            unsafe {
                let _ = sys::cuCtxSynchronize();
                let _ = sys::cuModuleUnload(self.raw);
            }
        }
    }
}

/// A kernel that can be launched.
pub struct Function {
    raw: sys::CUfunction,
    name: String,
    module: Arc<Module>,
}

// SAFETY: a function's handle may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: likewise.
unsafe impl Sync for Function {}

impl Function {
    /// Puts a launch into the device's stream. Nothing else happens unless an array belongs to another stream: then
    /// that stream and this one wait for each other.
    ///
    /// # Safety
    /// The arguments are of the number and types that the kernel declares, and the kernel stays inside its arrays, which
    /// nobody reads or writes on the host's side until the stream is done.
    ///
    /// # Errors
    /// [`Error::Launch`], and [`Error::Device`] if earlier work failed.
    pub unsafe fn launch(
        &self,
        device: &Cuda,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: &Arguments<'_>,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.start(device, grid, block, arguments, false) }
    }

    /// [`Function::launch`]; one that is `early` may start before the launch before it in the stream has ended, if the GPU and
    /// its driver can do that and all arrays are the stream's own. What the stream does next waits for it as for any other.
    ///
    /// # Safety
    /// As [`Function::launch`]. Early, every thread of the kernel waits (`griddepcontrol.wait`) before it writes memory, or reads
    /// what launches write that come before it, from the last ordinary one on. All of these but that one wait so too: when one
    /// has ended, all before it have.
    ///
    /// # Errors
    /// As [`Function::launch`].
    pub(crate) unsafe fn start(
        &self,
        device: &Cuda,
        grid: [u32; 3],
        block: [u32; 3],
        arguments: &Arguments<'_>,
        early: bool,
    ) -> Result<()> {
        let stream = device.stream();
        for other in &arguments.streams {
            stream.wait_for(other)?;
        }
        // A wait for another stream stands between the launches, of which the kernel knows nothing.
        let alone = arguments.streams.iter().all(|other| other.raw == stream.raw);
        self.module.context.bind()?;
        let mut pointers: Vec<*mut c_void> =
            arguments.words.iter().map(|w| std::ptr::from_ref(w).cast_mut().cast()).collect();
        let code = if early && alone && self.module.context.starts_early {
            let mut early = sys::CUlaunchAttribute {
                id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                pad: [0; 4],
                value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
            };
            let config = configuration(grid, block, stream, &mut early);
            // SAFETY: the driver has this function; it copies the configuration, its attribute, and the arguments, to one of
            // which each pointer is, before it returns. The rest is the caller's promise.
            unsafe {
                let (arguments, none) = (pointers.as_mut_ptr(), std::ptr::null_mut());
                sys::cuLaunchKernelEx(&raw const config, self.raw, arguments, none)
            }
        } else {
            // SAFETY: the pointers are to one argument each, which is copied before the call returns; the rest is the
            // caller's promise.
            unsafe {
                sys::cuLaunchKernel(
                    self.raw,
                    grid[0],
                    grid[1],
                    grid[2],
                    block[0],
                    block[1],
                    block[2],
                    0,
                    stream.raw,
                    pointers.as_mut_ptr(),
                    std::ptr::null_mut(),
                )
            }
        };
        if code != CUresult::CUDA_SUCCESS {
            let (kernel, name) = (self.name.clone(), format!("{code:?}"));
            return Err(Error::Launch { kernel, grid, block, code: code as u32, name });
        }
        arguments.streams.iter().try_for_each(|other| other.wait_for(stream))
    }
}

/// Where a kernel runs, and an attribute of the launch.
fn configuration(
    grid: [u32; 3],
    block: [u32; 3],
    stream: &Stream,
    attribute: &mut sys::CUlaunchAttribute,
) -> sys::CUlaunchConfig {
    sys::CUlaunchConfig {
        gridDimX: grid[0],
        gridDimY: grid[1],
        gridDimZ: grid[2],
        blockDimX: block[0],
        blockDimY: block[1],
        blockDimZ: block[2],
        sharedMemBytes: 0,
        hStream: stream.raw,
        attrs: attribute,
        numAttrs: 1,
    }
}

/// The arguments of a launch, in order.
#[derive(Default)]
pub struct Arguments<'a> {
    /// Each in the low bytes, as the processor, which is little-endian as the GPU is, keeps it in memory.
    words: Vec<u64>,
    /// The streams of the arrays among them.
    streams: Vec<&'a Arc<Stream>>,
}

impl<'a> Arguments<'a> {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an array's address.
    pub fn array<T: Element>(&mut self, array: &'a DeviceArray<T>) {
        self.words.push(array.address());
        if !self.streams.iter().any(|s| Arc::ptr_eq(s, array.stream())) {
            self.streams.push(array.stream());
        }
    }

    /// Appends a size.
    pub fn index(&mut self, index: i32) {
        self.words.push(index as u32 as u64);
    }

    /// Appends a scalar.
    pub fn scalar(&mut self, value: Value) {
        self.words.push(match value {
            Value::F32(v) => v.to_bits() as u64,
            Value::F64(v) => v.to_bits(),
            Value::I32(v) => v as u32 as u64,
            Value::I64(v) => v as u64,
            Value::U8(v) => v as u64,
            Value::Bool(v) => v as u64,
        });
    }
}
