//! Checks a kernel's result, then measures it: what all of `bench gpu`, `bench sgap` and `bench oopsla` is made of.

use super::assembled;
use super::device::Gpu;
use super::inputs::{Input, Sparse};
use super::kernel::Kernel;
use super::points::{Candidate, Point};
use super::problem::{Operands, Problem, footprint};
use super::results::{Case, Results, Time};
use crate::error::{Error, Result};
use indicatif::ProgressBar;
use sparse_gpu::launch::Variants;
use sparse_gpu::tune::{Memory, Space, Tunable, tune};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What limits a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Of an input.
    pub(crate) entries: usize,
    /// Samples of which the median counts.
    pub(crate) samples: usize,
    /// Is the tuner asked for each case?
    pub(crate) tune: bool,
    /// When no other case is begun.
    pub(crate) deadline: Option<Instant>,
}

/// Inputs of which a product has so many terms for each entry that an input may have are left out.
const MOST_PRODUCTS: u64 = 8;

/// The schedule that the tuner finds for each input, in the column of points.
pub(crate) const TUNED: &str = "tuned";

/// A device, what has been compiled for it, and what has been measured on it.
pub(crate) struct Session<D: Gpu> {
    pub(crate) device: D,
    pub(crate) limits: Limits,
    pub(crate) results: Results,
    pub(crate) bar: ProgressBar,
    compiled: HashMap<(Kernel, Point), Candidate>,
}

impl<D: Gpu> Session<D> {
    /// With nothing measured.
    pub(crate) fn new(device: D, limits: Limits, results: Results, bar: ProgressBar) -> Self {
        Session { device, limits, results, bar, compiled: HashMap::new() }
    }

    /// Reads or makes an input, unless it is too large, of another order, or there is no time left.
    pub(crate) fn load(&mut self, input: &Input) -> Result<Option<Sparse>> {
        let most = self.limits.entries;
        let too_large = format!("{}: more than {most} entries", input.name);
        if self.limits.deadline.is_some_and(|at| Instant::now() > at) {
            self.results.left_out.push(format!("{}: no time left", input.name));
            return Ok(None);
        }
        // An estimate is not exact: what is near the limit is made, and counted.
        if input.entries / 2 > most {
            self.results.left_out.push(too_large);
            return Ok(None);
        }
        let Some(sparse) = input.load()? else {
            self.results.left_out.push(format!("{}: a tensor of another order than 3", input.name));
            return Ok(None);
        };
        if sparse.stats().entries > most {
            self.results.left_out.push(too_large);
            return Ok(None);
        }
        Ok(Some(sparse))
    }

    /// A case by each of the schedules; `peers` adds what else is measured. `None` if there is no room or no time for it.
    pub(crate) fn case(
        &mut self,
        kernel: Kernel,
        (input, sparse): (&Input, &Sparse),
        n: usize,
        points: &[Point],
        peers: impl FnOnce(&mut Self, &Problem<'_>, &mut Case) -> Result<()>,
    ) -> Result<Option<Case>> {
        let (name, params) = (kernel.name(), kernel.params(n));
        let (generated, input) = (input.is_generated(), &input.name);
        let needed = footprint(kernel, sparse, n);
        let products = assembled::products(kernel, sparse);
        let too_many = products > MOST_PRODUCTS * self.limits.entries as u64;
        let late = self.limits.deadline.is_some_and(|at| Instant::now() > at);
        // A second array like the result may be there while it is made anew.
        if late || too_many || needed + needed / 2 > self.device.room()? {
            let why = match () {
                () if late => "no time left".into(),
                () if too_many => format!("{products} products"),
                () => format!("no room for {needed} bytes"),
            };
            self.results.left_out.push(format!("{name} {params} {input}: {why}"));
            return Ok(None);
        }
        let problem = Problem::new(kernel, sparse, n)?;
        let mut case = Case::new(kernel, input, n, problem.stats.clone(), problem.work());
        case.generated = generated;
        let mut operands = problem.to(&self.device)?;
        for point in points {
            self.bar.set_message(format!("{name} {params} {input} {}", point.name));
            let (us, fault) = match self.point(&problem, &mut operands, kernel, point) {
                Ok((took, fault)) => (took.as_secs_f64() * 1e6, fault),
                Err(e @ Error::Refused { .. }) => return Err(e),
                Err(e) => (0.0, Some(e.to_string())),
            };
            let time = Time { implementation: D::IMPLEMENTATION.into(), point: point.name.clone(), us };
            let failed = fault.is_some() && us == 0.0;
            self.results.add(&mut case, time, fault)?;
            if failed && !self.is_alive() {
                return Err(Error::Lost(self.results.wrong.clone()));
            }
        }
        // The tuner's candidates are points.
        if self.limits.tune && !kernel.assembles() {
            self.bar.set_message(format!("{name} {params} {input}: tuning"));
            let (us, fault) = match self.tuned(&problem, &mut operands) {
                Ok((took, fault)) => (took.as_secs_f64() * 1e6, fault),
                Err(e) => (0.0, Some(e.to_string())),
            };
            let time = Time { implementation: D::IMPLEMENTATION.into(), point: TUNED.into(), us };
            self.results.add(&mut case, time, fault)?;
        }
        drop(operands);
        peers(self, &problem, &mut case)?;
        self.results.cases.push(case.clone());
        Ok(Some(case))
    }

    /// The median time by a schedule, and what is wrong with its result.
    fn point(
        &mut self,
        problem: &Problem<'_>,
        operands: &mut Operands<D>,
        kernel: Kernel,
        point: &Point,
    ) -> Result<(Duration, Option<String>)> {
        let key = (kernel, point.clone());
        let candidate = self.compiled.entry(key).or_insert_with(|| Candidate::new(kernel, point.clone()));
        timed(&self.device, self.limits.samples, problem, operands, candidate.get(&self.device)?)
    }

    /// The same by the schedule that the tuner chooses for these operands.
    fn tuned(&self, problem: &Problem<'_>, operands: &mut Operands<D>) -> Result<(Duration, Option<String>)> {
        let kernel = Tunable::parse(problem.kernel.statement())?;
        // What an earlier run has found does not count.
        let space = Space::all().memory(Memory::None);
        let tuned = tune(&kernel, &operands.arguments(), &space)?;
        let compiled = Point::written(TUNED, tuned.schedule()).compile(problem.kernel, &self.device)?;
        timed(&self.device, self.limits.samples, problem, operands, &compiled)
    }

    /// Does the device still work? After an access out of bounds a GPU refuses everything until the process ends.
    fn is_alive(&self) -> bool {
        // SAFETY: the array is initialised.
        let array = unsafe { self.device.allocate::<i32>(1, Some(7)) };
        array.and_then(|array| self.device.read(&array, 0)).is_ok_and(|element| element == 7)
    }
}

/// A kernel's median time, and what is wrong with its result.
fn timed<D: Gpu>(
    device: &D,
    samples: usize,
    problem: &Problem<'_>,
    operands: &mut Operands<D>,
    kernel: &Variants,
) -> Result<(Duration, Option<String>)> {
    operands.forget(device)?;
    let first = device.first(&mut || operands.call(kernel))?;
    match problem.check_made(operands)? {
        Err(fault) => Ok((first, Some(fault))),
        Ok(()) => Ok((device.median(first, samples, &mut || operands.call(kernel))?, None)),
    }
}
