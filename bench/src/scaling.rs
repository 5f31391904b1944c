//! What several threads gain, beside what the machine has to give: a plain loop, as many copies of it at once as there
//! are threads, each on data of its own: past the cache, as large as the case's, and in a core's own cache.
//!
//! Two cores share memory bandwidth, the last cache, clock and perhaps other programs; a kernel can't gain more than copies
//! do that work where its own data lie. Nor more than copies of itself, calls on one thread each with tensors of their own, which
//! have nothing to share out and nothing to wait for: what those lose the machine takes, the rest is the schedule's.

use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand;
use crate::inputs::Input;
use crate::kernels::ours::Ours;
use crate::scheduled::{Named, Scheduled};
use crate::storage;
use crate::timing::{self, Clock, Plan};
use rayon::ThreadPool;
use sparse_core::tensor::{Coordinates, Csf3, Csr, DenseMat, DenseVec, Scalar};
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is measured: a kernel under a schedule on an input. All are past the cache but the last, which has few rows.
const CASES: [(Kernel, &str, &str); 18] = [
    (Kernel::Spmv, "ours-positions", "rmat-large"),
    (Kernel::Spmv, "ours", "rmat-large"),
    (Kernel::Spmv, "ours-rows", "stencil-large"),
    (Kernel::Spmv, "ours", "stencil-large"),
    (Kernel::Spmm, "ours", "uniform-large"),
    (Kernel::Spmm, "ours", "rmat-large"),
    (Kernel::Mttkrp, "ours-rows", "uniform3-large"),
    (Kernel::Norm, "ours", "uniform-large"),
    (Kernel::Bilinear, "ours", "stencil-large"),
    (Kernel::Spmv, "ours-positions", "nw04"),
    (Kernel::Spmv, "ours", "nw04"),
    (Kernel::Add, "ours", "uniform-large"),
    (Kernel::Add, "ours", "rmat-large"),
    (Kernel::Mul, "ours", "uniform-large"),
    (Kernel::Mul, "ours", "banded-large"),
    (Kernel::Spgemm, "ours", "stencil-large"),
    (Kernel::Spgemm, "ours", "uniform-middle"),
    (Kernel::Spmm, "ours", "nw04"),
];
/// Columns of dense factors.
const COLUMNS: usize = 32;
/// Elements of a copy's data past the cache, and in a core's own.
const PAST: usize = 4 << 20;
const INSIDE: usize = 1 << 10;
/// What the cache holds that cores share; what is smaller is held against copies that are as large together.
const CACHE: usize = 32 << 20;
/// The part of the copies' gain that a kernel should reach.
const LEAST: f64 = 0.9;
/// The part of as many processors as there are threads that copies in a core's own cache get, if nothing else runs. With
/// less, the figures say what other programs did.
const FREE: f64 = 0.75;
/// Calls are made in a row for so long.
const ROW: Duration = Duration::from_millis(5);
/// So many times the budget of others: these are few, and a gain is read off moments in which every processor is free.
const BUDGETS: u32 = 8;
/// Results on several threads are sums in another order.
const TOLERANCE: f64 = 1e-9;

/// Pools of one thread and of several.
pub(crate) struct Pools<'a> {
    pub(crate) one: &'a ThreadPool,
    pub(crate) many: &'a ThreadPool,
}

/// Times in seconds of one call alone, and of all threads at once.
#[derive(Clone, Copy)]
struct Times {
    one: f64,
    many: f64,
}

impl Times {
    /// Of one piece of work that the threads share.
    fn shared(self) -> f64 {
        self.one / self.many
    }

    /// Of so many copies of the work.
    fn copies(self, threads: usize) -> f64 {
        threads as f64 * self.shared()
    }
}

/// What is measured of a case, in this order.
#[derive(Clone, Copy)]
struct Measured {
    call: Times,
    past: Times,
    alike: Times,
    inside: Times,
    /// Copies of the call.
    itself: Times,
}

/// A copy's data.
struct Copy {
    x: Vec<f64>,
    y: Vec<f64>,
    /// How often a call goes over it.
    times: usize,
}

impl Copy {
    fn new(len: usize) -> Mutex<Copy> {
        Mutex::new(Copy { x: vec![1.0; len], y: vec![0.0; len], times: 2 * PAST / len })
    }

    /// The plain loop.
    fn run(&mut self) {
        for _ in 0..self.times {
            for (y, x) in self.y.iter_mut().zip(&self.x) {
                *y += 0.5 * x;
            }
            black_box(&mut self.y);
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A table of those cases whose input is there and whose kernel is wanted; empty if there is none. What is wrong goes to
/// the list.
pub(crate) fn table(
    pools: &Pools<'_>,
    plan: Plan,
    inputs: &[Input],
    kernels: &[Kernel],
    wrong: &mut Vec<String>,
) -> Result<String> {
    let threads = pools.many.current_num_threads();
    let copies_of = |len: usize| (0..threads).map(|_| Copy::new(len)).collect::<Vec<_>>();
    let (past, inside) = (copies_of(PAST), copies_of(INSIDE));
    let alone = (0..threads).map(|_| crate::threads::pool(1)).collect::<Result<Vec<_>>>()?;
    let mut text = String::new();
    for input in inputs {
        let cases = CASES.iter().filter(|(kernel, _, name)| input.name == *name && kernels.contains(kernel));
        let mut entries = None;
        for (kernel, schedule, name) in cases {
            let entries = match &entries {
                Some(entries) => entries,
                None => entries.insert(input.load()?),
            };
            let case = Case::new(*kernel, schedule, entries)?;
            if let Err(fault) = case.check(pools) {
                wrong.push(format!("scaling: {} {name} {schedule}: {fault}", kernel.name()));
                continue;
            }
            let alike = copies_of((case.bytes / threads / size_of::<[f64; 2]>()).clamp(INSIDE, PAST));
            let others =
                (1..threads).map(|_| Case::new(*kernel, schedule, entries)).collect::<Result<Vec<_>>>()?;
            let twins = Twins { cases: std::iter::once(&case).chain(&others).collect(), alone: &alone };
            let measured = twins.measure(pools, plan, [&past, &alike, &inside]);
            let _ = write!(text, "{:<9} {schedule:<15} {name:<15}", kernel.name());
            text.push_str(&line(measured, threads, case.bytes > CACHE));
        }
    }
    if text.is_empty() {
        return Ok(text);
    }
    let header = format!("{:<9} {:<15} {:<15}", "kernel", "schedule", "input");
    Ok(format!(
        "\nscaling, 1 to {threads} threads, f64, beside {threads} copies of a plain loop past the cache, on as much data, and \
         in a core's cache,\nand {threads} of the call itself on one thread each\n\
         {header}      1 ms {threads:>5} ms   gain   past  alike     in itself  ratio\n{text}"
    ))
}

/// The case on one thread and on several, one copy and several past the cache, as large, in a core's cache, and of itself.
fn line(measured: Measured, threads: usize, past_cache: bool) -> String {
    let Measured { call, past, alike, inside, itself } = measured;
    let gain = call.shared();
    let [past, alike, inside, itself] = [past, alike, inside, itself].map(|times| times.copies(threads));
    let (which, probe) = if past_cache { ("past", past) } else { ("alike", alike) };
    let mark = match gain / probe {
        _ if inside < FREE * threads as f64 => "disturbed",
        ratio if ratio >= LEAST => "pass",
        _ => "short",
    };
    format!(
        " {:>9.3} {:>8.3} {gain:>6.2} {past:>6.2} {alike:>6.2} {inside:>6.2} {itself:>6.2} {:>6.2} of {which}: {mark}, \
         {:.2} of itself\n",
        call.one * 1e3,
        call.many * 1e3,
        gain / probe,
        gain / itself
    )
}

/// A call on its own tensors.
struct Case {
    /// It writes a result, which `result` reads.
    call: Box<dyn Fn() + Send + Sync>,
    result: Box<dyn Fn() -> Vec<f64> + Send + Sync>,
    /// The same without a schedule.
    expected: Vec<f64>,
    /// What the call reads and writes.
    bytes: usize,
}

/// Our implementation of that name, which is one of them.
fn find<F: std::marker::Copy>(ours: &Named<F>, name: &str) -> F {
    ours.iter().find(|(n, _)| *n == name).unwrap_or(&ours[0]).1
}

impl Case {
    fn new(kernel: Kernel, schedule: &str, entries: &Coordinates<f64>) -> Result<Case> {
        match kernel {
            Kernel::Mttkrp => Case::mttkrp(schedule, entries),
            Kernel::Spmm => Case::spmm(schedule, entries),
            Kernel::Add | Kernel::Mul | Kernel::Spgemm => Case::assembled(kernel, entries),
            Kernel::Norm | Kernel::Bilinear => Case::total(kernel, entries),
            _ => Case::spmv(schedule, entries),
        }
    }

    fn spmv(schedule: &str, entries: &Coordinates<f64>) -> Result<Case> {
        let a: Csr<f64> = storage::build(entries)?;
        let x = DenseVec::<f64>::random([a.dim(1)], 7);
        let named = <f64 as Scheduled>::spmv();
        let ours = find(&named, schedule);
        let serial = find(&named, "ours-serial");
        let mut y = DenseVec::try_full([a.dim(0)], 0.0)?;
        serial(&a, &x, &mut y)?;
        let bytes = 12 * a.stored() + 8 * (x.vals().len() + y.vals().len());
        Ok(Case::of(y, bytes, DenseVec::vals, move |y| ours(&a, &x, y).unwrap_or(())))
    }

    fn spmm(schedule: &str, entries: &Coordinates<f64>) -> Result<Case> {
        let a: Csr<f64> = storage::build(entries)?;
        let b = DenseMat::<f64>::random([a.dim(1), COLUMNS], 7);
        let named = <f64 as Scheduled>::spmm(COLUMNS);
        let ours = find(&named, schedule);
        let serial = find(&named, "ours-serial");
        let mut c = DenseMat::try_full([a.dim(0), COLUMNS], 0.0)?;
        serial(&a, &b, &mut c)?;
        let bytes = 12 * a.stored() + 8 * (b.vals().len() + c.vals().len());
        Ok(Case::of(c, bytes, DenseMat::vals, move |c| ours(&a, &b, c).unwrap_or(())))
    }

    fn mttkrp(schedule: &str, entries: &Coordinates<f64>) -> Result<Case> {
        let a: Csf3<f64> = storage::build(entries)?;
        let [rows, second, third] = a.dims();
        let (c, d) = (DenseMat::random([second, COLUMNS], 7), DenseMat::random([third, COLUMNS], 8));
        let named = <f64 as Scheduled>::mttkrp();
        let ours = find(&named, schedule);
        let serial = find(&named, "ours-serial");
        let mut m = DenseMat::try_full([rows, COLUMNS], 0.0)?;
        serial(&a, &c, &d, &mut m)?;
        let bytes = 12 * a.stored() + 8 * (m.vals().len() + c.vals().len() + d.vals().len());
        Ok(Case::of(m, bytes, DenseMat::vals, move |m| ours(&a, &c, &d, m).unwrap_or(())))
    }

    /// One number. Expected is what a plain loop makes.
    fn total(kernel: Kernel, entries: &Coordinates<f64>) -> Result<Case> {
        let a: Csr<f64> = storage::build(entries)?;
        let (x, y) = (DenseVec::random([a.dim(1)], 7), DenseVec::random([a.dim(0)], 8));
        let of = storage::by_rows(&a);
        let bilinear = kernel == Kernel::Bilinear;
        let total = if bilinear { hand::bilinear(of, x.vals(), y.vals()) } else { hand::norm(of) };
        let s = Scalar::from_dense([], vec![total])?;
        let bytes =
            if bilinear { 12 * a.stored() + 8 * (x.vals().len() + y.vals().len()) } else { 8 * a.stored() };
        Ok(Case::of(s, bytes, Scalar::vals, move |s| {
            let made = if bilinear { f64::bilinear(&a, &x, &y, s) } else { f64::norm(&a, s) };
            made.unwrap_or(())
        }))
    }

    /// A sparse result, each time a new one.
    fn assembled(kernel: Kernel, entries: &Coordinates<f64>) -> Result<Case> {
        let a: Csr<f64> = storage::build(entries)?;
        let (b, ours) = match kernel {
            Kernel::Add => (storage::shifted(&a)?, <f64 as Ours>::add as fn(&Csr<f64>, &Csr<f64>) -> _),
            Kernel::Mul => (storage::shifted(&a)?, <f64 as Ours>::mul as _),
            _ => (a.clone(), <f64 as Ours>::spgemm as _),
        };
        let result: Csr<f64> = ours(&a, &b)?;
        let bytes = 12 * (a.stored() + b.stored() + result.stored());
        Ok(Case::of(result, bytes, Csr::vals, move |c| {
            if let Ok(made) = ours(&a, &b) {
                *c = made;
            }
        }))
    }

    /// The result holds what is expected.
    fn of<R: Send + Sync + 'static>(
        result: R,
        bytes: usize,
        vals: fn(&R) -> &[f64],
        call: impl Fn(&mut R) + Send + Sync + 'static,
    ) -> Case {
        let expected = vals(&result).to_vec();
        let result = std::sync::Arc::new(Mutex::new(result));
        let read = result.clone();
        Case {
            call: Box::new(move || call(&mut lock(&result))),
            result: Box::new(move || vals(&lock(&read)).to_vec()),
            expected,
            bytes,
        }
    }

    /// Is the result right on any number of threads?
    fn check(&self, pools: &Pools<'_>) -> std::result::Result<(), String> {
        let scale = self.expected.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        for pool in [pools.one, pools.many] {
            pool.install(|| (self.call)());
            for (n, (got, expected)) in (self.result)().iter().zip(&self.expected).enumerate() {
                if (got - expected).abs() > TOLERANCE * scale || got.is_nan() {
                    let threads = pool.current_num_threads();
                    return Err(format!("value {n} is {got:e} on {threads} threads, expected {expected:e}"));
                }
            }
        }
        Ok(())
    }
}

/// A case, and others that do the same with tensors of their own: as many as there are threads.
struct Twins<'a> {
    cases: Vec<&'a Case>,
    /// A pool of one thread for each.
    alone: &'a [ThreadPool],
}

impl Twins<'_> {
    fn measure(&self, pools: &Pools<'_>, plan: Plan, [past, alike, inside]: [&[Mutex<Copy>]; 3]) -> Measured {
        let copy = |pool: &ThreadPool, of: &[Mutex<Copy>]| {
            pool.broadcast(|at| lock(&of[at.index()]).run());
        };
        let case = self.cases[0];
        // Calls in a row, as of a solver: a pool that is entered for each of them has to be woken each time.
        let start = Instant::now();
        pools.one.install(|| (case.call)());
        let in_row = (ROW.as_secs_f64() / start.elapsed().as_secs_f64()).ceil().max(1.0);
        let in_a_row = |pool: &ThreadPool, case: &Case| {
            pool.install(|| (0..in_row as usize).for_each(|_| (case.call)()))
        };
        let mut one = || in_a_row(pools.one, case);
        let mut many = || in_a_row(pools.many, case);
        let mut past_one = || copy(pools.one, past);
        let mut past_many = || copy(pools.many, past);
        let mut alike_one = || copy(pools.one, alike);
        let mut alike_many = || copy(pools.many, alike);
        let mut in_one = || copy(pools.one, inside);
        let mut in_many = || copy(pools.many, inside);
        let mut itself = || {
            pools.many.broadcast(|at| in_a_row(&self.alone[at.index()], self.cases[at.index()]));
        };
        let mut calls: [&mut dyn FnMut(); 9] = [
            &mut one,
            &mut many,
            &mut past_one,
            &mut past_many,
            &mut alike_one,
            &mut alike_many,
            &mut in_one,
            &mut in_many,
            &mut itself,
        ];
        let budget = plan.budget.map(|b| b * BUDGETS);
        let times = timing::measure(Plan { clock: Clock::Wall, budget, ..plan }, &mut calls);
        let pair = |one: usize, many: usize| Times { one: times[one], many: times[many] };
        let call = Times { one: times[0] / in_row, many: times[1] / in_row };
        Measured { call, past: pair(2, 3), alike: pair(4, 5), inside: pair(6, 7), itself: pair(0, 8) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparse_core::tensor::generate;

    #[test]
    fn gains_are_read_beside_the_copies() {
        let times = |one, many| Times { one, many };
        let measured = Measured {
            call: times(4.0, 2.0),
            past: times(1.0, 1.25),
            alike: times(1.0, 1.1),
            inside: times(1.0, 1.0),
            itself: times(4.0, 5.0),
        };
        let text = line(measured, 2, true);
        assert!(
            text.contains("2.00   1.60   1.82   2.00   1.60   1.25 of past: pass, 1.25 of itself"),
            "{text}"
        );
        let less = Measured { call: times(4.0, 2.5), alike: times(1.0, 1.0), ..measured };
        let text = line(less, 2, false);
        assert!(
            text.contains("1.60   1.60   2.00   2.00   1.60   0.80 of alike: short, 1.00 of itself"),
            "{text}"
        );
        // Not even the copies had two processors.
        let disturbed = Measured { inside: times(1.0, 1.8), ..measured };
        let text = line(disturbed, 2, true);
        assert!(text.contains("1.11   1.60   1.25 of past: disturbed"), "{text}");
    }

    #[test]
    fn every_case_is_right() {
        let (one, many) = (crate::threads::pool(1).unwrap(), crate::threads::pool(2).unwrap());
        let pools = Pools { one: &one, many: &many };
        let matrix = generate::rmat(9, 8, 1).unwrap();
        let crd = (0..500).flat_map(|n| [n % 13, n * 7 % 11, n * 3 % 17]).collect();
        let tensor = Coordinates { dims: vec![13, 11, 17], crd, vals: vec![1.5; 500] };
        for (kernel, schedule, _) in CASES {
            let entries = if kernel == Kernel::Mttkrp { &tensor } else { &matrix };
            let mut case = Case::new(kernel, schedule, entries).unwrap();
            assert_eq!(case.check(&pools), Ok(()));
            case.expected[0] += 1.0;
            assert!(case.check(&pools).unwrap_err().starts_with("value 0 is "));
        }
    }
}
