//! The kernels: for each, what every implementation is called with, and what its result has to be.

mod dense;
#[cfg_attr(not(feature = "faer"), path = "without_faer.rs")]
mod faer;
mod only;
pub(crate) mod ours;
mod product;
mod sparse;
mod tensors;
mod totals;

pub(crate) use only::Only;

use crate::cpu::Kernel;
use crate::error::Result;
use crate::peers::Scalar;
use crate::report::{Group, Key, Report};
use crate::storage;
use crate::timing::{self, Plan};
use indicatif::ProgressBar;
use sparse_core::tensor::{Coordinates, Csf3, Csr};

/// How to measure, where results go, and how far we are.
pub(crate) struct Bench {
    pub(crate) plan: Plan,
    pub(crate) report: Report,
    pub(crate) bar: ProgressBar,
    /// Of the pool that everything runs in.
    pub(crate) threads: usize,
    /// Are products measured however large they are?
    pub(crate) all_products: bool,
    /// Which cells are measured, of which implementations.
    pub(crate) only: Only,
}

/// One implementation of a kernel: a call that leaves its result in `S`.
struct Candidate<'a, S> {
    name: &'static str,
    call: Box<dyn FnMut(&mut S) + 'a>,
}

impl<'a, S> Candidate<'a, S> {
    fn new(name: &'static str, call: impl FnMut(&mut S) + 'a) -> Self {
        Candidate { name, call: Box::new(call) }
    }
}

impl Bench {
    /// Is it one thread? On several, implementations that have no threads are not measured again.
    fn alone(&self) -> bool {
        self.threads == 1
    }

    /// Checks each implementation once, then measures them all. `check` prepares the result, calls, and says what is
    /// wrong. Does nothing once the user wants no more.
    fn run<S>(
        &mut self,
        key: &Key,
        result: &mut S,
        mut candidates: Vec<Candidate<'_, S>>,
        check: impl Fn(&mut S, &mut dyn FnMut(&mut S)) -> std::result::Result<(), String>,
    ) -> Result<()> {
        if interrupt::requested() {
            return Ok(());
        }
        self.only.choose(&key.group.params, &mut candidates, |c| c.name);
        if candidates.is_empty() {
            return Ok(());
        }
        let faults: Vec<Option<String>> =
            candidates.iter_mut().map(|c| check(result, &mut c.call).err()).collect();
        // All share the one result: calls take turns, and each has it to itself while it runs.
        let result = std::cell::RefCell::new(result);
        let mut calls: Vec<_> =
            candidates.iter_mut().map(|c| || (c.call)(&mut result.borrow_mut())).collect();
        let mut turns: Vec<&mut dyn FnMut()> = calls.iter_mut().map(|c| c as &mut dyn FnMut()).collect();
        let medians = timing::measure(self.plan, &mut turns);
        for ((candidate, median), fault) in candidates.iter().zip(medians).zip(faults) {
            self.report.add(key, candidate.name, median, fault)?;
        }
        Ok(())
    }
}

/// The matrix kernels on one input.
pub(crate) fn matrix<T: Scalar>(
    bench: &mut Bench,
    kernels: &[Kernel],
    input: &str,
    entries: &Coordinates<f64>,
) -> Result<()> {
    let a: Csr<T> = storage::build(entries)?;
    for kernel in kernels {
        if interrupt::requested() {
            break;
        }
        match kernel {
            Kernel::Spmv => dense::spmv(bench, input, &a)?,
            Kernel::Spmm => {
                for n in [4, 32, 128] {
                    dense::spmm(bench, input, &a, n)?;
                }
            }
            Kernel::Norm => totals::norm(bench, input, &a)?,
            Kernel::Bilinear => totals::bilinear(bench, input, &a)?,
            Kernel::Sddmm => {
                for k in [32, 128] {
                    sparse::sddmm(bench, input, &a, k)?;
                }
            }
            Kernel::Add | Kernel::Mul => sparse::merge(bench, input, &a, *kernel)?,
            Kernel::Spgemm => product::spgemm(bench, input, &a)?,
            Kernel::Masked => product::masked(bench, input, &a)?,
            Kernel::Transpose => product::transpose(bench, input, &a)?,
            Kernel::Ata => product::ata(bench, input, &a)?,
            Kernel::Ttv | Kernel::Mttkrp => {}
        }
        bench.bar.inc(1);
    }
    Ok(())
}

/// The kernels of order-3 tensors on one input.
pub(crate) fn tensor<T: Scalar>(
    bench: &mut Bench,
    kernels: &[Kernel],
    input: &str,
    entries: &Coordinates<f64>,
) -> Result<()> {
    let a: Csf3<T> = storage::build(entries)?;
    for kernel in kernels {
        if interrupt::requested() {
            break;
        }
        match kernel {
            Kernel::Ttv => tensors::ttv(bench, input, &a)?,
            Kernel::Mttkrp => tensors::mttkrp(bench, input, &a, 32)?,
            _ => {}
        }
        bench.bar.inc(1);
    }
    Ok(())
}

fn key<T: Scalar>(bench: &Bench, kernel: Kernel, params: impl Into<String>, input: &str) -> Key {
    let (kernel, params, threads) = (kernel.name(), params.into(), bench.threads);
    Key { group: Group { threads, kernel, params, dtype: T::NAME }, input: input.to_string() }
}
