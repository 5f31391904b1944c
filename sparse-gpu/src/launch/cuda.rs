//! GPU programs on NVIDIA GPUs.

use super::{Backend, Kernel, Passed};
use crate::cuda::{Arguments, Cuda, DeviceArray, Function, Module};
use once_cell::sync::OnceCell;
use sparse_core::error::{Error, Result};
use sparse_core::format::Buffer;
use sparse_core::scalar::Element;
use sparse_core::typed_each;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Something a GPU has of its own, made when it first asks for it. A failure is not kept: the next call tries again.
type PerDevice<T> = Mutex<BTreeMap<usize, Arc<OnceCell<T>>>>;

/// A GPU's; others do not wait while it is made.
fn of_device<T>(
    all: &PerDevice<T>,
    device: &Cuda,
    make: impl FnOnce() -> Result<T>,
) -> Result<Arc<OnceCell<T>>> {
    let cell =
        all.lock().unwrap_or_else(PoisonError::into_inner).entry(device.ordinal()).or_default().clone();
    cell.get_or_try_init(make)?;
    Ok(cell)
}

/// A source, compiled for the GPUs that it was loaded on.
pub(super) type Modules = Arc<PerDevice<Arc<Module>>>;

/// A kernel's entry points on the GPUs that it was loaded on.
#[derive(Default)]
pub(super) struct Loaded {
    modules: Modules,
    functions: PerDevice<Vec<Function>>,
}

impl From<Modules> for Loaded {
    fn from(modules: Modules) -> Self {
        Loaded { modules, ..Loaded::default() }
    }
}

impl Loaded {
    /// The entry points; the source is compiled at the first call of any of its kernels.
    fn get(&self, device: &Cuda, kernel: &Kernel) -> Result<Arc<OnceCell<Vec<Function>>>> {
        of_device(&self.functions, device, || {
            let compile = || Module::compile(device, kernel.source(), &kernel.file_name(), &[]).map(Arc::new);
            let module = of_device(&self.modules, device, compile)?;
            let module = module.get().into_iter();
            module
                .flat_map(|module| kernel.launches().map(|(_, entry)| module.function(&entry.name)))
                .collect()
        })
    }
}

impl Backend for Cuda {
    fn number(&self) -> usize {
        self.ordinal()
    }

    fn prepare(&self, kernel: &Kernel) -> Result<()> {
        kernel.loaded.get(self, kernel).map(drop)
    }

    unsafe fn allocate<T: Element>(&self, len: usize, init: Option<T>) -> Result<DeviceArray<T>> {
        match init {
            Some(value) => DeviceArray::full(self, len, value),
            // SAFETY: the caller's promise.
            None => unsafe { DeviceArray::uninitialised(self, len) },
        }
    }

    fn fill<T: Element>(&self, array: &mut DeviceArray<T>, value: T) -> Result<()> {
        array.fill(value)
    }

    fn read(&self, array: &DeviceArray<i32>, at: usize) -> Result<i32> {
        array.get(at)
    }

    fn read_first(&self, array: DeviceArray<i32>, len: usize) -> Result<Buffer<i32>> {
        Ok(array.download()?.iter().copied().take(len).collect())
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: usize,
        grid: [u32; 3],
        passed: Vec<Passed<'_, Self>>,
        early: bool,
    ) -> Result<()> {
        let loaded = kernel.loaded.get(self, kernel)?;
        let function = loaded.get().and_then(|functions| functions.get(launch));
        let threads = kernel.launches().nth(launch).map(|(_, entry)| entry.threads);
        let (Some(function), Some(threads)) = (function, threads) else {
            let (kernel, what) = (kernel.program().name.clone(), "it has no such launch".into());
            return Err(Error::Internal { kernel, what });
        };
        let mut arguments = Arguments::new();
        for argument in &passed {
            match argument {
                Passed::Read(array) => typed_each!(array, T: a => arguments.array::<T>(a)),
                Passed::Write(array) => typed_each!(array, T: a => arguments.array::<T>(a)),
                Passed::Index(index) => arguments.index(*index),
                Passed::Scalar(value) => arguments.scalar(*value),
            }
        }
        // SAFETY: the caller's promise, and a kernel that is started early waits (`emit::cuda`).
        unsafe { function.start(self, grid, [threads, 1, 1], &arguments, early) }
    }
}
