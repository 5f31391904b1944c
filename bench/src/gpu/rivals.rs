//! cuSPARSE beside our kernels: each of its algorithms, checked and timed as ours are, and the best of them.

use super::device::{Gpu, Host};
use super::kernel::Kernel;
use super::measure::Session;
use super::problem::Problem;
use super::results::{Case, Time};
use crate::error::{Error as Failure, Result};
use crate::peers::cusparse::dense::{Call, Product};
use crate::peers::cusparse::sparse::{Assembler, Operation};
use crate::peers::cusparse::{Cusparse, Element, Error};
use sparse_core::error::Error as Core;
use sparse_gpu::Cuda;
use sparse_gpu::cuda::DeviceArray;
use std::time::Duration;

/// What a result's array holds before a call; no sum here comes near it.
const UNWRITTEN: f64 = 1e30;

/// What a time of a kernel with an assembled result is made of, on both sides.
pub(crate) const ASSEMBLED: &str = "\
add and spgemm: a time is a whole call, after which a result exists whose size nobody knew before; operands are on the GPU
  ours      counts entries, scans the counts, reads the size back, allocates the result and what it needs meanwhile, fills
  cuSPARSE  spgemm: work estimation, (memory estimation,) compute, size, allocation of the result, copy; add: csrgeam2Nnz,
            allocation of the result, csrgeam2; handle, descriptions of the operands and buffers are made before and kept
";

/// An algorithm of cuSPARSE's.
#[derive(Clone, Copy)]
enum Rival {
    /// Into an array that is there before.
    Fixed(Product),
    /// Into a matrix that each call makes.
    Assembled(Operation),
}

/// A time of an algorithm.
struct Timed {
    took: Duration,
    /// What is wrong with the result.
    fault: Option<String>,
    /// Of an assembled result that is right: were the columns of each row in order?
    in_order: Option<bool>,
}

/// Its algorithms for a kernel, with their names.
fn algorithms(kernel: Kernel) -> Vec<(&'static str, Rival)> {
    fn all<A: Copy>(of: &[(&'static str, A)], rival: fn(A) -> Rival) -> Vec<(&'static str, Rival)> {
        of.iter().map(|(name, algorithm)| (*name, rival(*algorithm))).collect()
    }
    match kernel {
        Kernel::Spmm => all(&Product::SPMM, Rival::Fixed),
        Kernel::Spmv => all(&Product::SPMV, Rival::Fixed),
        Kernel::Sddmm => all(&Product::SDDMM, Rival::Fixed),
        Kernel::Spgemm => all(&Operation::PRODUCT, Rival::Assembled),
        Kernel::Add => all(&Operation::SUM, Rival::Assembled),
        Kernel::Mttkrp | Kernel::Ttm | Kernel::Ttv => vec![],
    }
}

/// Adds times as `cusparse-…`, and the best one as `cusparse`. What cuSPARSE refuses, lacks or has no room for is a
/// line of the report, and has no time.
///
/// # Errors
/// Files that can't be written, and a GPU that is lost.
pub(crate) fn cusparse<D: Gpu, T: Element>(
    session: &mut Session<D>,
    library: &Cusparse,
    problem: &Problem<'_, T>,
    case: &mut Case,
) -> Result<()> {
    let Some(gpu) = session.device.cuda().cloned() else { return Ok(()) };
    let mut best: Option<Duration> = None;
    for (name, rival) in algorithms(problem.kernel) {
        session.bar.set_message(format!("{} {name}", case.name()));
        let timed = match rival {
            Rival::Fixed(product) => fixed(&gpu, library, problem, product, session.limits.samples),
            Rival::Assembled(operation) => {
                assembled(&gpu, library, problem, operation, session.limits.samples)
            }
        };
        let error = match timed {
            Ok(Timed { took, fault, in_order }) => {
                if fault.is_none() {
                    best = Some(best.map_or(took, |b| b.min(took)));
                }
                if let Some(in_order) = in_order {
                    session.results.add_order(case, name, in_order);
                }
                add(session, case, name, took, fault)?;
                continue;
            }
            Err(e) => e,
        };
        let what = format!("{}, {name}", case.name());
        if !session.is_alive() {
            let lines = session.results.wrong.iter().cloned();
            return Err(Failure::Lost(lines.chain([format!("{what}: {error}")]).collect()));
        }
        match error {
            Error::Status { action, status } => {
                session.results.left_out.push(format!("{what}: {action}: {status:?}"));
            }
            e @ Error::Lacks { .. } => session.results.left_out.push(format!("{what}: {e}")),
            Error::Device(e @ Core::OutOfDeviceMemory { .. }) => {
                session.results.left_out.push(format!("{what}: {e}"));
            }
            e => add(session, case, name, Duration::ZERO, Some(e.to_string()))?,
        }
    }
    match best {
        Some(took) => add(session, case, "cusparse", took, None),
        None => Ok(()),
    }
}

fn add<D: Gpu>(
    session: &mut Session<D>,
    case: &mut Case,
    name: &str,
    took: Duration,
    fault: Option<String>,
) -> Result<()> {
    let time = Time { implementation: name.into(), point: String::new(), us: took.as_secs_f64() * 1e6 };
    session.results.add(case, time, fault)
}

/// An algorithm whose result is there before.
fn fixed<T: Element>(
    gpu: &Cuda,
    library: &Cusparse,
    problem: &Problem<'_, T>,
    product: Product,
    samples: usize,
) -> std::result::Result<Timed, Error> {
    let operands = problem.to(gpu).map_err(refused)?;
    let pattern = DeviceArray::full(gpu, problem.stats.entries, T::from_f64(UNWRITTEN))?;
    let (sparse, dense) = operands.for_cusparse(&pattern).ok_or(Error::Shape)?;
    let call = Call::new(library, product, sparse, dense)?;
    call.run()?;
    let fault = match product {
        Product::Sddmm(_) => problem.check_without_values(&pattern.download()?),
        _ => problem.check(&operands.result()?),
    };
    let took = median(gpu, samples, Host::Enqueues, || call.run())?;
    Ok(Timed { took, fault: fault.err(), in_order: None })
}

/// An algorithm that makes its result.
fn assembled<T: Element>(
    gpu: &Cuda,
    library: &Cusparse,
    problem: &Problem<'_, T>,
    operation: Operation,
    samples: usize,
) -> std::result::Result<Timed, Error> {
    let operands = problem.to(gpu).map_err(refused)?;
    let both = operands.both_for_cusparse().ok_or(Error::Shape)?;
    let mut assembler = Assembler::new(library, operation, both)?;
    // The second call is as those that are timed: in buffers that were used before.
    for _ in 0..2 {
        assembler.run()?;
    }
    let made = assembler.made().ok_or(Error::Shape)?;
    let (pos, crd, vals) = (made.pos.download()?, made.crd.download()?, made.vals.download()?);
    let (crd, vals) = (&crd[..made.entries], &vals[..made.entries]);
    let (in_order, fault) = match problem.check_in_any_order((&pos, crd, vals)) {
        Ok(in_order) => (Some(in_order), None),
        Err(fault) => (None, Some(fault)),
    };
    let took = median(gpu, samples, Host::Waits, || assembler.run())?;
    Ok(Timed { took, fault, in_order })
}

/// The median time of a call.
fn median(
    gpu: &Cuda,
    samples: usize,
    host: Host,
    mut call: impl FnMut() -> std::result::Result<(), Error>,
) -> std::result::Result<Duration, Error> {
    let mut failed = None;
    let took = gpu.median(Duration::ZERO, samples, host, &mut || {
        if failed.is_none() {
            failed = call().err();
        }
        Ok(())
    })?;
    match failed {
        Some(e) => Err(e),
        None => Ok(took),
    }
}

/// Operands that are not on the device.
fn refused(e: Failure) -> Error {
    match e {
        Failure::Core(e) => Error::Device(e),
        _ => Error::Shape,
    }
}
