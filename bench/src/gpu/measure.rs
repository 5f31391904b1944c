//! Checks a kernel's result, then measures it: what all of `bench gpu`, `bench sgap` and `bench oopsla` is made of.

use super::assembled;
use super::device::{Gpu, Host};
use super::inputs::{Input, Sparse};
use super::kernel::Kernel;
use super::points::{Candidate, Point};
use super::problem::{Operands, Problem, footprint};
use super::results::{Case, Results, Time, named};
use crate::error::{Error, Result};
use crate::peers::cusparse::Element;
use indicatif::ProgressBar;
use sparse_core::scalar::DType;
use sparse_gpu::launch::Variants;
use sparse_gpu::tune::{Memory, Space, Tunable, TuneError, tune_with};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What limits a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Of an input.
    pub(crate) entries: usize,
    /// Products of entries that make a product of sparse matrices. Time and memory of the reference on the host and of
    /// every implementation grow with them, and they are counted before anything is computed.
    pub(crate) products: u64,
    /// Samples of which the median counts.
    pub(crate) samples: usize,
    /// Is the tuner asked for each case?
    pub(crate) tune: bool,
    /// When no other case is begun.
    pub(crate) deadline: Option<Instant>,
}

/// The schedule that the tuner finds for each input, in the column of points.
pub(crate) const TUNED: &str = "tuned";

/// Elements of a case, indices counted as such, that the tuner makes copies of: on the host it keeps the arguments, their
/// absolute values, and the results of both and of a candidate, of 16 bytes each. Some five gigabytes.
const MOST_TUNED: u64 = 1 << 26;
/// The part of a limited time that the tuner gets.
const TUNING: f64 = 1.0 / 3.0;

/// What the tuner has had of the time.
struct Tuning {
    began: Instant,
    spent: Duration,
}

impl Tuning {
    fn new() -> Tuning {
        Tuning { began: Instant::now(), spent: Duration::ZERO }
    }

    /// Why a case of so many elements is not tuned, if it is not.
    fn refuses(&self, elements: u64, is_limited: bool) -> Option<String> {
        if elements > MOST_TUNED {
            return Some(format!("{elements} elements, more than the {MOST_TUNED} that it keeps copies of"));
        }
        let share = self.spent.as_secs_f64() > TUNING * self.began.elapsed().as_secs_f64();
        (is_limited && share).then(|| "the tuner has had its third of the time".into())
    }
}

/// A device, what has been compiled for it, and what has been measured on it.
pub(crate) struct Session<D: Gpu> {
    pub(crate) device: D,
    pub(crate) limits: Limits,
    pub(crate) results: Results,
    pub(crate) bar: ProgressBar,
    tuning: Tuning,
    compiled: HashMap<(Kernel, DType, Point), Candidate>,
}

impl<D: Gpu> Session<D> {
    /// With nothing measured.
    pub(crate) fn new(device: D, limits: Limits, results: Results, bar: ProgressBar) -> Self {
        Session { device, limits, results, bar, tuning: Tuning::new(), compiled: HashMap::new() }
    }

    /// Why nothing more is begun, if nothing is.
    fn ended(&self) -> Option<&'static str> {
        match self.limits.deadline {
            _ if interrupt::requested() => Some("stopped"),
            Some(at) if Instant::now() > at => Some("no time left"),
            _ => None,
        }
    }

    /// Is nothing more begun? Then that is left out, and said to be.
    pub(crate) fn refuses(&mut self, what: &str) -> bool {
        let ended = self.ended();
        self.results.left_out.extend(ended.map(|why| format!("{what}: {why}")));
        ended.is_some()
    }

    /// Reads or makes an input, unless it is too large, empty, of another order, or there is no time left.
    pub(crate) fn load(&mut self, input: &Input) -> Result<Option<Sparse>> {
        let most = self.limits.entries;
        let too_large = format!("{}: more than {most} entries", input.name);
        if self.refuses(&input.name) {
            return Ok(None);
        }
        // An estimate is not exact: what is near the limit is made, and counted.
        if input.entries / 2 > most {
            self.results.left_out.push(too_large);
            return Ok(None);
        }
        let Some(sparse) = self.bar.suspend(|| input.load())? else {
            self.results.left_out.push(format!("{}: a tensor of another order than 3", input.name));
            return Ok(None);
        };
        if sparse.stats().entries > most {
            self.results.left_out.push(too_large);
            return Ok(None);
        }
        Ok(self.with_entries(input, sparse))
    }

    /// An input that there is something to measure on; of another it is said why it is left out.
    pub(crate) fn with_entries(&mut self, input: &Input, sparse: Sparse) -> Option<Sparse> {
        let why = sparse.why_empty();
        self.results.left_out.extend(why.map(|why| format!("{}: {why}", input.name)));
        why.is_none().then_some(sparse)
    }

    /// A case by each of the schedules; `peers` adds what else is measured. `None` if there is no room or no time for it.
    pub(crate) fn case<T: Element>(
        &mut self,
        kernel: Kernel,
        (input, sparse): (&Input, &Sparse<T>),
        n: usize,
        points: &[Point],
        peers: impl FnOnce(&mut Self, &Problem<'_, T>, &mut Case) -> Result<()>,
    ) -> Result<Option<Case>> {
        let name = named(kernel, T::DTYPE, n, &input.name);
        let (generated, input) = (input.is_generated(), &input.name);
        let needed = footprint(kernel, sparse, n);
        let products = assembled::products(kernel, sparse);
        let too_many = products > self.limits.products;
        if self.refuses(&name) {
            return Ok(None);
        }
        // A second array like the result may be there while it is made anew.
        if too_many || needed + needed / 2 > self.device.room()? {
            let why = match () {
                () if too_many => format!("{products} products, more than {}", self.limits.products),
                () => format!("no room for {needed} bytes"),
            };
            self.results.left_out.push(format!("{name}: {why}"));
            return Ok(None);
        }
        let problem = Problem::new(kernel, sparse, n)?;
        let mut case = Case::new((kernel, T::DTYPE), input, n, problem.stats.clone(), problem.work());
        case.generated = generated;
        let mut operands = match problem.to(&self.device) {
            Err(e) if e.is_too_large() => {
                self.results.left_out.push(format!("{name}: {e}"));
                return Ok(None);
            }
            operands => operands?,
        };
        for point in points {
            if interrupt::requested() {
                self.results.left_out.push(format!("{name}, from {} on: stopped", point.name));
                break;
            }
            let visits = point.visits(&case.stats.dims);
            if visits > D::MOST_VISITS {
                let why = format!("rows visit {visits} tiles, more than {}", D::MOST_VISITS);
                self.results.left_out.push(format!("{name}, {}: {why}", point.name));
                continue;
            }
            self.bar.set_message(format!("{name} {}", point.name));
            let (us, fault) = match self.point(&problem, &mut operands, point, case.best(|_| true)) {
                Ok((took, fault)) => (took.as_secs_f64() * 1e6, fault),
                Err(e @ Error::Refused { .. }) => return Err(e),
                Err(e) if e.is_too_large() => {
                    self.results.left_out.push(format!("{name}, {}: {e}", point.name));
                    continue;
                }
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
        if self.limits.tune && !kernel.assembles() && !interrupt::requested() {
            self.tune(&name, &problem, &mut operands, &mut case, needed / size_of::<T>() as u64)?;
        }
        drop(operands);
        if !interrupt::requested() {
            peers(self, &problem, &mut case)?;
        }
        self.results.cases.push(case.clone());
        Ok(Some(case))
    }

    /// Adds the time of the schedule that the tuner finds for a case of so many elements, or says why it is left out.
    fn tune<T: Element>(
        &mut self,
        name: &str,
        problem: &Problem<'_, T>,
        operands: &mut Operands<D, T>,
        case: &mut Case,
        elements: u64,
    ) -> Result<()> {
        if let Some(why) = self.tuning.refuses(elements, self.limits.deadline.is_some()) {
            self.results.left_out.push(format!("{name}, {TUNED}: {why}"));
            return Ok(());
        }
        self.bar.set_message(format!("{name}: tuning"));
        let start = Instant::now();
        let tuned = self.tuned(problem, operands);
        self.tuning.spent += start.elapsed();
        let (us, fault) = match tuned {
            Ok((took, fault)) => (took.as_secs_f64() * 1e6, fault),
            Err(e) if e.is_too_large() || matches!(e, Error::Tune(TuneError::Stopped)) => {
                self.results.left_out.push(format!("{name}, {TUNED}: {e}"));
                return Ok(());
            }
            Err(e) => (0.0, Some(e.to_string())),
        };
        let failed = fault.is_some() && us == 0.0;
        let time = Time { implementation: D::IMPLEMENTATION.into(), point: TUNED.into(), us };
        self.results.add(case, time, fault)?;
        if failed && !self.is_alive() {
            return Err(Error::Lost(self.results.wrong.clone()));
        }
        Ok(())
    }

    /// The median time by a schedule, and what is wrong with its result. `best` is the best schedule's until now.
    fn point<T: Element>(
        &mut self,
        problem: &Problem<'_, T>,
        operands: &mut Operands<D, T>,
        point: &Point,
        best: Option<f64>,
    ) -> Result<(Duration, Option<String>)> {
        let kernel = problem.kernel;
        let key = (kernel, T::DTYPE, point.clone());
        let new = || Candidate::new(kernel, T::DTYPE, point.clone());
        let candidate = self.compiled.entry(key).or_insert_with(new);
        let samples = Samples { usual: self.limits.samples, best };
        timed(&self.device, samples, problem, operands, candidate.get(&self.device)?)
    }

    /// The same by the schedule that the tuner chooses for these operands.
    fn tuned<T: Element>(
        &self,
        problem: &Problem<'_, T>,
        operands: &mut Operands<D, T>,
    ) -> Result<(Duration, Option<String>)> {
        let kernel = Tunable::parse(&problem.kernel.statement(T::DTYPE))?;
        // What an earlier run has found does not count.
        let space = Space::all().memory(Memory::None);
        // The best until the user wants no more counts.
        let tuned = tune_with(&kernel, &operands.arguments(), &space, |_| interrupt::flow())?;
        let compiled =
            Point::written(TUNED, tuned.schedule()).compile(problem.kernel, T::DTYPE, &self.device)?;
        let samples = Samples { usual: self.limits.samples, best: None };
        timed(&self.device, samples, problem, operands, &compiled)
    }

    /// Does the device still work? After an access out of bounds a GPU refuses everything until the process ends.
    pub(crate) fn is_alive(&self) -> bool {
        // SAFETY: the array is initialised.
        let array = unsafe { self.device.allocate::<i32>(1, Some(7)) };
        array.and_then(|array| self.device.read(&array, 0)).is_ok_and(|element| element == 7)
    }
}

/// How many samples a schedule is worth.
#[derive(Clone, Copy)]
struct Samples {
    usual: usize,
    /// The best time until now, in microseconds.
    best: Option<f64>,
}

impl Samples {
    /// As many as usual, or a few if the first call took so long that the schedule is out of the question: the others would
    /// take most of the run's time.
    fn of(self, first: Duration) -> usize {
        const FEW: usize = 3;
        const TIMES: f64 = 20.0;
        // Below this a first call's time is the host's.
        const LEAST: f64 = 2000.0;
        let is_slow = self.best.is_some_and(|best| 1e6 * first.as_secs_f64() > LEAST.max(TIMES * best));
        if is_slow { self.usual.min(FEW) } else { self.usual }
    }
}

/// A kernel's median time, and what is wrong with its result.
fn timed<D: Gpu, T: Element>(
    device: &D,
    samples: Samples,
    problem: &Problem<'_, T>,
    operands: &mut Operands<D, T>,
    kernel: &Variants,
) -> Result<(Duration, Option<String>)> {
    operands.forget(device)?;
    let first = device.first(&mut || operands.call(kernel))?;
    match problem.check_made(operands)? {
        Err(fault) => Ok((first, Some(fault))),
        Ok(()) => {
            let host = if problem.kernel.assembles() { Host::Waits } else { Host::Enqueues };
            let samples = samples.of(first);
            Ok((device.median(first, samples, host, &mut || operands.call(kernel))?, None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_the_question_has_few_samples() {
        let of = |best, first| Samples { usual: 25, best }.of(Duration::from_micros(first));
        assert_eq!((of(None, 1_000_000), of(Some(5.0), 1900), of(Some(5.0), 2100)), (25, 25, 3));
        assert_eq!((of(Some(500.0), 9_000), of(Some(500.0), 11_000)), (25, 3));
        assert_eq!(Samples { usual: 1, best: Some(5.0) }.of(Duration::from_secs(1)), 1);
    }

    #[test]
    fn the_tuner_gets_a_part_of_the_time_and_of_the_memory() {
        let now = Instant::now();
        let of = |seconds: u64| Tuning {
            began: now - Duration::from_secs(100),
            spent: Duration::from_secs(seconds),
        };
        assert_eq!(of(30).refuses(1 << 20, true), None);
        assert!(of(40).refuses(1 << 20, true).is_some_and(|why| why.contains("third of the time")));
        assert_eq!(of(90).refuses(1 << 20, false), None);
        assert!(of(0).refuses((1 << 26) + 1, false).is_some_and(|why| why.contains("copies")));
    }
}
