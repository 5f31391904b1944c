//! `bench cpu`: every kernel on every input in both precisions, on one thread or several.

use crate::error::{Error, Result};
use crate::inputs::{self, Input};
use crate::kernels::{self, Bench, Only};
use crate::peers::{Scalar, gcc, mkl};
use crate::report::Report;
use crate::scaling::{self, Pools};
use crate::threads::{self, Threads};
use crate::timing::{self, Clock, Plan};
use crate::{scheduled, targets};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use sparse_core::tensor::Coordinates;
use std::path::PathBuf;
use std::time::Duration;

/// What to measure, and how.
#[derive(Args)]
pub(crate) struct Options {
    /// A folder of `.mtx`, `.mtx.gz`, `.tns` and `.tns.gz` files; without it, generated inputs alone.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Where the results go.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Only these kernels.
    #[arg(long, value_delimiter = ',')]
    kernels: Vec<Kernel>,
    /// Only inputs whose name contains one of these.
    #[arg(long, value_delimiter = ',')]
    inputs: Vec<String>,
    /// Only with these parameters: `N=4`, `K=128`.
    #[arg(long, value_delimiter = ',')]
    params: Vec<String>,
    /// Only these implementations: `ours`, `hand`, `probe` (the hand-written loop again), `mkl`, `sprs`, `faer`, ….
    #[arg(long, value_delimiter = ',')]
    implementations: Vec<String>,
    /// Samples an implementation, of which the median counts: 25, or 5 in a quick run.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    samples: Option<u16>,
    /// No further samples once a kernel on one input has taken this many seconds: beyond five, or as many as take so long.
    #[arg(long, value_name = "SECONDS")]
    time_budget: Option<f64>,
    /// Go through all inputs so often; of an implementation's medians the least counts.
    ///
    /// What else a shared machine does comes and goes in minutes, longer than a kernel on an input is measured: to judge single
    /// inputs takes nine.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    passes: u16,
    /// On so many threads, one run each: a number, or `all`.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<Threads>,
    /// Fewer samples, and no large generated inputs.
    #[arg(long)]
    quick: bool,
    /// Sparse products however large they are: samples take minutes, results tens of gigabytes.
    #[arg(long)]
    all_products: bool,
    /// With the allocator as programs have it, which may take the memory of each result from the system and give it back; else it
    /// keeps all that is freed, for everyone.
    #[arg(long)]
    fresh_memory: bool,
}

/// A kernel that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kernel {
    /// y = A·x
    Spmv,
    /// C = A·B
    Spmm,
    /// s = A[i, j]·A[i, j]
    Norm,
    /// s = y[i]·A[i, j]·x[j]
    Bilinear,
    /// C = A ∘ (X·Yᵀ)
    Sddmm,
    /// Y[i, j] = A[i, j, k]·x[k]
    Ttv,
    /// M[i, r] = A[i, k, l]·C[k, r]·D[l, r]
    Mttkrp,
    /// A + B
    Add,
    /// A ∘ B
    Mul,
    /// A·A, or A·Aᵀ where A isn't square
    Spgemm,
    /// A ∘ (A·A), where A is square
    Masked,
    /// Aᵀ
    Transpose,
    /// Aᵀ·A
    Ata,
}

impl Kernel {
    /// Every kernel, in the order of the table.
    pub(crate) const ALL: [Kernel; 13] = [
        Kernel::Spmv,
        Kernel::Spmm,
        Kernel::Norm,
        Kernel::Bilinear,
        Kernel::Sddmm,
        Kernel::Ttv,
        Kernel::Mttkrp,
        Kernel::Add,
        Kernel::Mul,
        Kernel::Spgemm,
        Kernel::Masked,
        Kernel::Transpose,
        Kernel::Ata,
    ];

    /// Its name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kernel::Spmv => "spmv",
            Kernel::Spmm => "spmm",
            Kernel::Norm => "norm",
            Kernel::Bilinear => "bilinear",
            Kernel::Sddmm => "sddmm",
            Kernel::Ttv => "ttv",
            Kernel::Mttkrp => "mttkrp",
            Kernel::Add => "add",
            Kernel::Mul => "mul",
            Kernel::Spgemm => "spgemm",
            Kernel::Masked => "masked",
            Kernel::Transpose => "transpose",
            Kernel::Ata => "ata",
        }
    }

    /// Of the tensors that it reads.
    fn order(self) -> usize {
        if matches!(self, Kernel::Ttv | Kernel::Mttkrp) { 3 } else { 2 }
    }
}

/// Measures, prints the table.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !options.fresh_memory {
        timing::keep_memory();
    }
    let budget = match options.time_budget {
        None => None,
        Some(s) => Some(Duration::try_from_secs_f64(s).map_err(|_| Error::Budget(s))?),
    };
    let samples = options.samples.unwrap_or(if options.quick { 5 } else { 25 });
    let mut pools = Vec::new();
    for count in counts(&options.threads) {
        pools.push((count, threads::pool(count)?));
    }
    let inputs = chosen(options, inputs::list(options.data.as_deref(), options.quick)?)?;
    let wanted = |k: &Kernel| options.kernels.is_empty() || options.kernels.contains(k);
    let kernels: Vec<Kernel> = Kernel::ALL.into_iter().filter(wanted).collect();
    let report = Report::new(options.csv.as_deref())?;
    peers(pools.iter().any(|(count, _)| *count > 1));

    let passes = usize::from(options.passes);
    let bar = ProgressBar::new((passes * inputs.len() * 2 * kernels.len() * pools.len()) as u64);
    bar.set_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}<{eta} {msg}")
            .unwrap_or(ProgressStyle::default_bar()),
    );
    let plan = Plan { samples: samples.into(), budget, clock: Clock::Thread };
    let only = Only::new(&options.params, &options.implementations);
    let mut bench = Bench { plan, report, bar, threads: 1, all_products: options.all_products, only };
    for input in std::iter::repeat_n(&inputs, passes).flatten() {
        if interrupt::requested() {
            break;
        }
        bench.bar.set_message(input.name.clone());
        let entries = bench.bar.suspend(|| input.load())?;
        for (count, pool) in &pools {
            bench.threads = *count;
            bench.plan.clock = if *count == 1 { Clock::Thread } else { Clock::Wall };
            pool.install(|| {
                if let Ok(mkl) = mkl::get() {
                    mkl.set_threads(*count);
                }
                all::<f32>(&mut bench, &kernels, input, &entries)?;
                all::<f64>(&mut bench, &kernels, input, &entries)
            })?;
        }
    }
    bench.bar.finish_and_clear();
    print!("{}", bench.report.table());
    print!("{}", scheduled::table(&bench.report));
    print!("{}", targets::table(&bench.report, passes));
    let mut wrong = bench.report.wrong().to_vec();
    let many = pools.iter().rfind(|(count, _)| *count > 1).filter(|_| !interrupt::requested());
    if let Some((_, many)) = many {
        let one = threads::pool(1)?;
        print!("{}", scaling::table(&Pools { one: &one, many }, plan, &inputs, &kernels, &mut wrong)?);
    }
    match () {
        () if !wrong.is_empty() => Err(Error::Wrong(wrong)),
        () if interrupt::requested() => Err(Error::Stopped),
        () => bench.only.unmet().map_or(Ok(()), Err),
    }
}

/// Each number once, one thread first.
fn counts(threads: &[Threads]) -> Vec<usize> {
    let mut counts: Vec<usize> = threads.iter().map(|t| t.count()).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Finds what is measured beside our kernels, and says what was found.
fn peers(threaded: bool) {
    if threaded {
        mkl::expect_threads();
    }
    match mkl::get() {
        Ok(mkl) => eprintln!("mkl: {}", mkl.path.display()),
        Err(e) => eprintln!("mkl: not found: {e}"),
    }
    if !cfg!(feature = "faer") {
        eprintln!("faer: not in this program: build it with `--features faer`");
    }
    match gcc::get() {
        Ok(gcc) => eprintln!("gcc: {}", gcc.compiler.display()),
        Err(e) => eprintln!("gcc: no C compiler: {e}"),
    }
}

fn chosen(options: &Options, mut inputs: Vec<Input>) -> Result<Vec<Input>> {
    if let Some(unknown) = options.inputs.iter().find(|part| !inputs.iter().any(|i| i.name.contains(*part))) {
        return Err(Error::NoInput(unknown.clone()));
    }
    inputs.retain(|i| options.inputs.is_empty() || options.inputs.iter().any(|part| i.name.contains(part)));
    Ok(inputs)
}

/// The kernels that take an input of this order, in one precision.
fn all<T: Scalar>(
    bench: &mut Bench,
    kernels: &[Kernel],
    input: &Input,
    entries: &Coordinates<f64>,
) -> Result<()> {
    let here: Vec<Kernel> = kernels.iter().copied().filter(|k| k.order() == entries.dims.len()).collect();
    bench.bar.inc((kernels.len() - here.len()) as u64);
    if !here.is_empty() && entries.dims.len() == 3 {
        kernels::tensor::<T>(bench, &here, &input.name, entries)?;
    } else if !here.is_empty() {
        kernels::matrix::<T>(bench, &here, &input.name, entries)?;
    }
    Ok(())
}
