//! `cargo xtask differential`: random kernels against the dense oracle.

use crate::shell::Done;
use clap::ValueEnum;
use std::thread;
use tests::differential::{Executor, Summary};

/// What varies from case to case.
#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    /// Expressions, formats and tensors, with default schedules.
    Notation,
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
    /// The notation suite.
    pub(crate) fn notation(cases: u64, seed: u64) -> Args {
        Args { suite: Suite::Notation, cases, seed, refused: false, only: None }
    }
}

/// Runs the suite on all cores.
pub(crate) fn run(args: &Args) -> Done {
    let execute: &Executor = match args.suite {
        Suite::Notation => &tests::interpret::interpret,
    };
    // A panic is a result here: it is caught, shrunk and reported.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let summary = match args.only {
        Some(number) => tests::differential::run_one(args.seed, number, execute),
        None => all_cores(args, execute),
    };
    std::panic::set_hook(hook);
    report(args, &summary)
}

fn all_cores(args: &Args, execute: &Executor) -> Summary {
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64).min(args.cases.max(1));
    let mut summary = Summary::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|t| {
                let count = args.cases / threads + u64::from(t < args.cases % threads);
                scope.spawn(move || tests::differential::run(args.seed, t, threads, count, execute))
            })
            .collect();
        for w in workers {
            match w.join() {
                Ok(part) => summary.merge(part),
                Err(_) => summary.failed += 1,
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
    // The smallest counterexample comes last, where it is read.
    let mut failures: Vec<_> = summary.failures.iter().map(|f| f.report.as_str()).collect();
    failures.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in failures {
        println!("{text}");
    }
    println!("{} passed, {} failed", summary.passed, summary.failed);
    if summary.failed > 0 {
        Err(format!("{} random kernels failed", summary.failed))
    } else if refused > summary.passed && args.only.is_none() {
        Err(format!("{refused} random kernels were refused, more than passed"))
    } else {
        Ok(())
    }
}
