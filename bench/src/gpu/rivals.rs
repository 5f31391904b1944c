//! cuSPARSE beside our kernels: each of its algorithms, checked and timed as ours are, and the best of them.

use super::device::Gpu;
use super::kernel::Kernel;
use super::measure::Session;
use super::problem::Problem;
use super::results::{Case, Time};
use crate::error::Result;
use crate::peers::cusparse::{Call, Cusparse, Error, Product};
use sparse_gpu::Cuda;
use sparse_gpu::cuda::DeviceArray;
use std::time::Duration;

/// What a result's array holds before a call; no sum here comes near it.
const UNWRITTEN: f32 = 1e30;

/// Its algorithms for a kernel.
fn algorithms(kernel: Kernel) -> &'static [(&'static str, Product)] {
    match kernel {
        Kernel::Spmm => &Product::SPMM,
        Kernel::Spmv => &Product::SPMV,
        Kernel::Sddmm => &Product::SDDMM,
        Kernel::Mttkrp | Kernel::Ttm | Kernel::Ttv | Kernel::Add | Kernel::Spgemm => &[],
    }
}

/// Adds times as `cusparse-…`, and the best one as `cusparse`.
///
/// # Errors
/// Files that can't be written; what cuSPARSE refuses is a line of the report.
pub(crate) fn cusparse<D: Gpu>(
    session: &mut Session<D>,
    library: &Cusparse,
    problem: &Problem<'_>,
    case: &mut Case,
) -> Result<()> {
    let Some(gpu) = session.device.cuda().cloned() else { return Ok(()) };
    let mut best: Option<Duration> = None;
    for (name, product) in algorithms(problem.kernel) {
        session.bar.set_message(format!("{} {} {name}", problem.kernel.name(), case.input));
        match one(&gpu, library, problem, *product, session.limits.samples) {
            Ok((took, fault)) => {
                if fault.is_none() {
                    best = Some(best.map_or(took, |b| b.min(took)));
                }
                add(session, case, name, took, fault)?;
            }
            Err(Error::Status { action, status }) => {
                let what = format!("{} {} {}", case.kernel.name(), case.kernel.params(case.n), case.input);
                session.results.left_out.push(format!("{what}, {name}: {action}: {status:?}"));
            }
            Err(e) => add(session, case, name, Duration::ZERO, Some(e.to_string()))?,
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

/// An algorithm's median time, and what is wrong with its result.
fn one(
    gpu: &Cuda,
    library: &Cusparse,
    problem: &Problem<'_>,
    product: Product,
    samples: usize,
) -> std::result::Result<(Duration, Option<String>), Error> {
    let operands = problem.to(gpu).map_err(|e| match e {
        crate::error::Error::Core(e) => Error::Device(e),
        _ => Error::Shape,
    })?;
    let pattern = DeviceArray::full(gpu, problem.stats.entries, UNWRITTEN)?;
    let (sparse, dense) = operands.for_cusparse(&pattern).ok_or(Error::Shape)?;
    let call = Call::new(library, product, sparse, dense)?;
    call.run()?;
    let fault = match product {
        Product::Sddmm(_) => problem.check_without_values(&pattern.download()?),
        _ => problem.check(&operands.result()?),
    };
    let mut failed = None;
    let took = gpu.median(Duration::ZERO, samples, &mut || {
        // What worked once and then does not is the device's failure, which the events report.
        call.run().unwrap_or_else(|e| failed = Some(e));
        Ok(())
    })?;
    match failed {
        Some(e) => Err(e),
        None => Ok((took, fault.err())),
    }
}
