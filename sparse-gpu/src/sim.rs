//! The simulator as a device: GPU kernels where there is no GPU, checked as they run, and what they cost.

use sparse_core::error::{Error, Result};
use sparse_core::format::Buffer;
use sparse_core::llir::Elem;
use sparse_core::scalar::Element;
use sparse_core::sim::grid::{Array, Order};
use sparse_core::tensor::{Device, Memory};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use sparse_core::sim::grid::{Counts, LaunchReport, Path};

/// A simulated GPU: it runs the programs that a real one would run, warps in lock step.
///
/// What a GPU does not report is an error here, with the line of the kernel, the block and the thread: accesses out of
/// bounds, of elements that nobody wrote, or in conflict with another thread's; shuffles from lanes that are absent,
/// barriers that not all come to. And it counts: [`Sim::report`].
///
/// ```
/// use sparse_gpu::prelude::*;
///
/// tensor_kernel! {
///     fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
///         y[i] = A[i, j] * x[j];
///     }
/// }
///
/// let sim = Sim::new();
/// let a = Csr::from_triplets([2, 3], [([0, 0], 2.0), ([1, 2], 3.0)])?.to(&sim)?;
/// let x = DenseVec::from_dense([3], vec![1.0, 10.0, 100.0])?.to(&sim)?;
/// assert_eq!(spmv(&a, &x)?.to_host()?.vals(), [2.0, 300.0]);
/// let report = sim.report();
/// assert_eq!(report.launches.len(), 1);
/// println!("{report}");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Sim(Arc<State>);

thread_local! {
    /// The device whose costs this thread takes apart, and what they are so far.
    static APART: RefCell<Option<(usize, Report)>> = const { RefCell::new(None) };
}

struct State {
    number: usize,
    report: Mutex<Report>,
    /// The seed of the next launch's order.
    order: Option<AtomicU64>,
    /// The most steps of warps that a launch may take.
    steps: u64,
}

impl Sim {
    /// A device of its own, with its own memory.
    pub fn new() -> Self {
        Self::with(None, u64::MAX)
    }

    /// One whose blocks, and their warps between barriers, come in an order that is drawn anew for each launch, from a
    /// seed: results that depend on the order of atomic updates differ from run to run, as they do on a GPU.
    pub fn shuffled(seed: u64) -> Self {
        Self::with(Some(AtomicU64::new(seed)), u64::MAX)
    }

    /// One whose launches may take so many steps of warps each; one that takes more is
    /// [too large](sparse_core::error::Error::TooLargeForDevice).
    pub fn limited(steps: u64) -> Self {
        Self::with(None, steps)
    }

    fn with(order: Option<AtomicU64>, steps: u64) -> Self {
        static DEVICES: AtomicUsize = AtomicUsize::new(0);
        let number = DEVICES.fetch_add(1, Ordering::Relaxed);
        Sim(Arc::new(State { number, report: Mutex::default(), order, steps }))
    }

    /// The most steps of warps that a launch may take.
    pub(crate) fn steps(&self) -> u64 {
        self.0.steps
    }

    /// In which order the next launch runs.
    pub(crate) fn order(&self) -> Order {
        let next = |seed: &AtomicU64| Order::Drawn(seed.fetch_add(1, Ordering::Relaxed));
        self.0.order.as_ref().map_or(Order::Ascending, next)
    }

    /// Its number among the simulated devices of the program.
    pub fn ordinal(&self) -> usize {
        self.0.number
    }

    /// What its launches cost, since it was made or since the last [`Sim::clear_report`].
    pub fn report(&self) -> Report {
        self.lock().clone()
    }

    /// Begins a new report.
    pub fn clear_report(&self) {
        *self.lock() = Report::default();
    }

    /// Runs something, and takes what it costs out of the report: what this thread runs there meanwhile.
    pub(crate) fn apart<R>(&self, run: impl FnOnce() -> R) -> (R, Report) {
        /// Puts back what was apart before, also when `run` panics.
        struct Before(Option<(usize, Report)>);
        impl Drop for Before {
            fn drop(&mut self) {
                APART.set(self.0.take());
            }
        }
        let before = Before(APART.replace(Some((self.0.number, Report::default()))));
        let result = run();
        let report = APART.take().map(|(_, report)| report);
        drop(before);
        (result, report.unwrap_or_default())
    }

    pub(crate) fn add(&self, launch: LaunchReport) {
        self.note(|report| report.launches.push(launch));
    }

    pub(crate) fn add_fill(&self, bytes: u64) {
        self.note(|report| report.fills.push(bytes));
    }

    fn note(&self, what: impl FnOnce(&mut Report)) {
        APART.with_borrow_mut(|apart| match apart {
            Some((number, report)) if *number == self.0.number => what(report),
            _ => what(&mut self.lock()),
        });
    }

    fn lock(&self) -> MutexGuard<'_, Report> {
        self.0.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Sim {
    fn default() -> Self {
        Sim::new()
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sim({})", self.0.number)
    }
}

/// What launches cost, in order, which is what it prints, and what was filled between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Each launch.
    pub launches: Vec<LaunchReport>,
    /// Bytes of each array that was filled with a value.
    pub fills: Vec<u64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.launches.iter().try_for_each(|launch| writeln!(f, "{launch}"))
    }
}

/// An array in a simulated GPU's memory, which knows what has been written.
pub struct SimArray<T: Element> {
    pub(crate) words: Array,
    /// The kernel that last wrote it.
    pub(crate) writer: Option<String>,
    elements: PhantomData<T>,
}

impl<T: Element> SimArray<T> {
    fn new(words: Array) -> Self {
        SimArray { words, writer: None, elements: PhantomData }
    }

    pub(crate) fn uninitialised(len: usize) -> Result<Self> {
        Array::uninitialised(Elem::Scalar(T::DTYPE), len).map(Self::new)
    }

    pub(crate) fn filled(len: usize, value: T) -> Result<Self> {
        Array::filled(Elem::Scalar(T::DTYPE), len, value.to_value()).map(Self::new)
    }

    pub(crate) fn unwritten(&self, at: usize) -> Error {
        let kernel = self.writer.clone().unwrap_or_default();
        Error::Internal { kernel, what: format!("it leaves element {at} of an array without a value") }
    }
}

impl Device for Sim {
    type Array<T: Element> = SimArray<T>;
}

impl Memory for Sim {
    fn upload<T: Element>(&self, host: &Arc<Buffer<T>>) -> Result<Arc<SimArray<T>>> {
        let words = Array::of(Elem::Scalar(T::DTYPE), host.iter().map(|v| v.to_value()))?;
        Ok(Arc::new(SimArray::new(words)))
    }

    fn download<T: Element>(&self, array: &Arc<SimArray<T>>) -> Result<Arc<Buffer<T>>> {
        if let Some(at) = array.words.unwritten() {
            return Err(array.unwritten(at));
        }
        Ok(Arc::new(array.words.values().filter_map(T::from_value).collect()))
    }

    fn duplicate<T: Element>(&self, array: &SimArray<T>) -> Result<SimArray<T>> {
        Ok(SimArray { words: array.words.try_clone()?, writer: array.writer.clone(), elements: PhantomData })
    }

    fn len<T: Element>(array: &SimArray<T>) -> usize {
        array.words.len()
    }

    fn shares_memory(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
