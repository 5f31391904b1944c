//! `cargo xtask differential`: random kernels against the dense oracle.

use crate::shell::Done;
use clap::ValueEnum;
use std::thread;
use tests::differential::{self, Share, Summary};

/// What varies from case to case.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    /// Expressions, formats and tensors, with default schedules.
    Notation,
    /// Schedules of kernels that they are written for, and of others; some of them wrong.
    Schedules,
    /// Kernels for GPUs, on the simulator: schedules that people write, random ones, the default.
    Gpu,
    /// Kernels with sparse results: contractions that scatter into them, transpositions, sums and products.
    Sparse,
}

/// Options of `cargo xtask differential`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What varies.
    #[arg(long, value_enum, default_value = "notation")]
    suite: Suite,
    /// How many cases are run; those that the compiler refuses are not counted.
    #[arg(long, default_value_t = 10_000)]
    cases: u64,
    /// Seed of the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Prints the first kernel that each diagnostic refused.
    #[arg(long)]
    refused: bool,
    /// Runs this one case of the run alone.
    #[arg(long)]
    only: Option<u64>,
}

impl Args {
    fn suite(&self) -> differential::Suite {
        match self.suite {
            Suite::Notation => differential::Suite::Notation,
            Suite::Schedules => differential::Suite::Schedules,
            Suite::Gpu => differential::Suite::Gpu,
            Suite::Sparse => differential::Suite::Sparse,
        }
    }

    fn share(&self, first: u64, step: u64) -> Share<'static> {
        let suite = self.suite();
        Share { suite, seed: self.seed, first, step, execute: &tests::interpret::interpret }
    }
}

/// In so many cases everything that a suite is meant to do is done.
const ENOUGH: u64 = 10_000;

/// Runs the suite on all cores.
pub(crate) fn run(args: &Args) -> Done {
    // A panic is a result here: it is caught, shrunk and reported.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let summary = match args.only {
        Some(number) => {
            let mut summary = Summary::default();
            args.share(number, 1).one(number, &mut summary);
            summary
        }
        None => all_cores(args),
    };
    std::panic::set_hook(hook);
    report(args, &summary)
}

fn all_cores(args: &Args) -> Summary {
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64).min(args.cases.max(1));
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|t| {
                let count = args.cases / threads + u64::from(t < args.cases % threads);
                scope.spawn(move || args.share(t, threads).run(count))
            })
            .collect();
        for w in workers {
            match w.join() {
                Ok(part) => summary.merge(part),
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                    println!("the suite panics: {text}");
                    summary.failed += 1;
                }
            }
        }
    });
    summary.failures.sort_by_key(|f| f.number);
    summary
}

fn report(args: &Args, summary: &Summary) -> Done {
    let refused = summary.refused();
    for (code, (n, example)) in &summary.refused {
        println!("{n:>8} refused: {code}");
        if args.refused {
            println!("{example}\n");
        }
    }
    for (what, (passed, refused)) in summary.commands.iter().filter(|(_, (passed, _))| *passed > 0) {
        println!("{passed:>8} passed {refused:>8} refused  {what}");
    }
    // The smallest counterexample comes last, where it is read.
    let mut failures: Vec<_> = summary.failures.iter().map(|f| f.report.as_str()).collect();
    failures.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in failures {
        println!("{text}");
    }
    println!("{} passed, {} failed", summary.passed, summary.failed);
    let missing = summary.never_passed(args.suite());
    if summary.failed > 0 {
        Err(format!("{} random kernels failed", summary.failed))
    } else if refused > summary.passed && args.only.is_none() {
        Err(format!("{refused} random kernels were refused, more than passed"))
    } else if args.cases >= ENOUGH && args.only.is_none() && !missing.is_empty() {
        Err(format!("no case that passed did: {}", missing.join(", ")))
    } else {
        Ok(())
    }
}
