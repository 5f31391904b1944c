//! The GPU suite as a program of its own, which needs neither Rust nor the sources where it runs: random kernels and
//! named ones on a GPU, compared with the oracle and the CPU's interpreter.
//!
//! `cargo xtask bundle` puts it into a folder with data. On the simulator it does the same, which is how it is tested
//! itself.

mod ahead;
mod device;
mod effort;
mod inputs;
mod kernels;
mod leftover;
mod line;
mod options;
mod repeats;
mod start;
mod supervise;
mod worker;

pub use device::Kind;
pub use options::{Options, Part, Share, Tool};

use ahead::Ahead;
use device::Gpu;
use kernels::Kernels;
use leftover::Kept;
use sparse_gpu::{Cuda, Sim};
use start::Program;
use std::collections::BTreeMap;
use std::process::ExitCode;
use supervise::Totals;

/// Does what the command line says.
pub fn run(options: &Options) -> ExitCode {
    match options.device {
        Kind::Cuda => run_on::<Cuda>(options),
        Kind::Sim => run_on::<Sim>(options),
    }
}

fn run_on<D: Gpu>(options: &Options) -> ExitCode {
    if let Some(share) = options.worker {
        return worker::work::<D>(options, share);
    }
    match test::<D>(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything, prints how it came out.
fn test<D: Gpu>(options: &Options) -> Result<(), String> {
    if options.ordinal > 0 && options.device == Kind::Sim {
        return Err("--ordinal is the number of a GPU, and there is one simulator: leave it out".into());
    }
    println!("device: {}", D::open(options.ordinal).map_err(|e| e.to_string())?.describe());
    if options.sanitizer.is_some() && options.device == Kind::Sim {
        return Err("compute-sanitizer is for GPUs; the simulator checks more by itself".into());
    }
    if options.compile.is_some() && options.device == Kind::Cuda {
        return Err("--compile is for machines without a GPU: add --device sim".into());
    }
    let cache = std::env::var_os("SPARSE_CACHE").filter(|folder| !folder.is_empty());
    if options.compile.is_some() && cache.is_none() {
        return Err("--compile keeps kernels in a folder: name it in the variable SPARSE_CACHE".into());
    }
    // What workers would give up for is said once, before there are any.
    Ahead::new(options)?;
    let start = Program::new(options)?;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let workers = options.workers.map_or(cores.min(16), |n| n as u64);
    let mut totals = Totals::default();
    let kept = cache.filter(|_| options.compile.is_none()).map(|folder| Kept::of(folder.into()));
    let random_done = || kept.into_iter().for_each(Kept::restore);
    if let Some(number) = options.only {
        let share = Share { part: Part::Random, first: number, step: 0, count: 1 };
        totals.add(supervise::one(options, share, 0, &start));
        random_done();
        part("random kernels", &totals);
    } else {
        totals.add(supervise::run(options, Part::Random, options.cases, workers, &start));
        random_done();
        part("random kernels", &totals);
        if totals.refused > totals.passed + 10 {
            totals.fail(format!("// {} random kernels were refused, more than passed\n", totals.refused));
        }
        let named = supervise::run(options, Part::Kernels, Kernels::new(options)?.len(), workers, &start);
        part("kernels on inputs", &named);
        totals.add(named);
    }
    // The smallest counterexample comes last, where it is read.
    totals.reports.sort_by_key(|text| std::cmp::Reverse(text.len()));
    totals.reports.iter().for_each(|report| println!("{report}"));
    print!("{}", left_out(&totals.left_out));
    let others = [(totals.left_out.len() as u64, "left out"), (totals.late, "without time")];
    let others = others.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}"));
    println!("{} passed, {} failed{}", totals.passed, totals.failed, others.collect::<String>());
    if totals.failed == 0 { Ok(()) } else { Err(format!("{} kernels failed", totals.failed)) }
}

fn part(name: &str, totals: &Totals) {
    let Totals { passed, refused, failed, left_out, late, .. } = totals;
    print!("{name}: {passed} passed, {failed} failed, {refused} refused, {} left out", left_out.len());
    println!("{}", if *late > 0 { format!(", no time for {late}") } else { String::new() });
}

/// What was not run, by input and reason.
fn left_out(all: &[(String, String)]) -> String {
    let mut kernels: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (name, why) in all {
        let (kernel, input) = name.split_once(" on ").unwrap_or((name, ""));
        kernels.entry((input, why)).or_default().push(kernel);
    }
    let line = |((input, why), mut names): ((&str, &str), Vec<&str>)| {
        names.sort_unstable();
        format!("left out on {input}, {why}: {}\n", names.join(", "))
    };
    kernels.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_left_out_is_named() {
        let all =
            [("spmm on a", "large"), ("ata on b", "large"), ("ata on a", "large"), ("spmm on b", "slow")];
        let text = super::left_out(&all.map(|(name, why)| (name.to_owned(), why.to_owned())));
        assert_eq!(
            text,
            "left out on a, large: ata, spmm\nleft out on b, large: ata\nleft out on b, slow: spmm\n"
        );
    }
}
