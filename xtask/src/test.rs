//! `cargo xtask test`: every check, one after another, all of them even if one fails.

use crate::aside::{self, Aside};
use crate::shell::{Done, cargo, plain, root, run as sh};
use crate::{cuda, expand_cost, native, nvrtc, tidy};
use std::process::Command;
use std::time::Instant;

/// Options of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Random kernels run in the interpreter.
    #[arg(long, default_value_t = 12_000)]
    cases: u64,
    /// Random kernels with random schedules, run in the interpreter.
    #[arg(long, default_value_t = 10_000)]
    schedules: u64,
    /// Random kernels for GPUs, run on the simulator.
    #[arg(long, default_value_t = 10_000)]
    gpu: u64,
    /// Random kernels with sparse results, run in the interpreter.
    #[arg(long, default_value_t = 10_000)]
    sparse: u64,
    /// Random kernels compiled natively.
    #[arg(long, default_value_t = 200)]
    native: u64,
    /// Random kernels compiled natively, and optimised.
    #[arg(long, default_value_t = 16)]
    optimized: u64,
    /// CUDA compiled with every version of NVRTC for every architecture.
    #[arg(long)]
    full: bool,
    /// Seed of the random kernels.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A check and its name.
type Check<'a> = (&'static str, Box<dyn Fn() -> Done + 'a>);

/// Runs everything.
pub(crate) fn run(args: &Args) -> Done {
    let command = |name, args: &'static [&'static str]| move || sh(&mut plain(name, args));
    let aside = Aside::new(suites(args))?;
    let checks: Vec<Check<'_>> = vec![
        ("format", Box::new(|| sh(&mut cargo(&["fmt", "--all", "--check"])))),
        ("tidy", Box::new(tidy::run)),
        (
            "lints",
            Box::new(command("clippy", &["--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])),
        ),
        // Features of other crates must not be what makes the macro build, nor the compiler without its own.
        (
            "macro alone",
            Box::new(command(
                "check",
                &["--quiet", "-p", "sparse-macros", "-p", "sparse-core", "--no-default-features"],
            )),
        ),
        ("no CUDA", Box::new(command("check", &["--quiet", "-p", "sparse-gpu", "--no-default-features"]))),
        ("tests", Box::new(tests)),
        ("native", Box::new(|| native::run(&native::Args::new(args.native, args.optimized, args.seed)))),
        ("gpu tests", Box::new(gpu_tests)),
        ("cuda", Box::new(|| cuda::run(&cuda::Args::new(args.full)))),
        ("examples", Box::new(examples)),
        // These have run meanwhile.
        ("notation", Box::new(|| aside.next())),
        ("schedules", Box::new(|| aside.next())),
        ("sparse", Box::new(|| aside.next())),
        ("gpu", Box::new(|| aside.next())),
        ("expansion", Box::new(|| expand_cost::run(&expand_cost::Args::default()))),
    ];
    let start = Instant::now();
    let mut lines = Vec::new();
    let mut failed = 0;
    for (name, check) in &checks {
        println!("\n== {name}");
        let (began, before) = (Instant::now(), cpu_seconds() - aside.busy());
        let verdict = match check() {
            Ok(()) => "ok".to_string(),
            Err(message) => {
                failed += 1;
                eprintln!("error: {message}");
                format!("FAILED: {message}")
            }
        };
        let (took, busy) = (began.elapsed().as_secs_f64(), cpu_seconds() - aside.busy() - before);
        lines.push(format!("{name:>14} {took:6.1} s {busy:6.1} s of cores  {verdict}"));
    }
    println!("\n{}", lines.join("\n"));
    println!("{:>14} {:6.1} s {:6.1} s of cores", "all", start.elapsed().as_secs_f64(), cpu_seconds());
    println!("{} passed, {failed} failed", checks.len() - failed);
    if failed == 0 { Ok(()) } else { Err("not everything passed".into()) }
}

/// Time that this process and those that it started and that have ended kept cores busy: what a machine's other work makes longer
/// only a little.
fn cpu_seconds() -> f64 {
    let of = |who| {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a `rusage`, of which zeros are a value if the call should fail.
        aside::seconds(&unsafe {
            libc::getrusage(who, usage.as_mut_ptr());
            usage.assume_init()
        })
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

/// The tests of every crate, those that need NVRTC included: with the variable set they fail without one.
fn tests() -> Done {
    let nvrtc = nvrtc::any_version().ok();
    let test = |mut command: Command| {
        let nvrtc = nvrtc.as_ref().map_or("missing".as_ref(), |n| n.path());
        sh(command.arg("--no-fail-fast").env("SPARSE_NVRTC", nvrtc))
    };
    let checked = ["test", "--profile", "checked", "--workspace"];
    // Without `faer`, beside which everything is measured, and which the lints compile: it is long to compile. Other features are
    // those that the tests ask for.
    let others = ["--exclude", "sparse-core", "--tests", "--no-default-features"];
    let others = cargo(&[&checked[..], &others].concat());
    // To optimise its unit tests takes minutes, to run them seconds. Those in its documentation use the crate that the others do.
    let own = plain("test", &["-p", "sparse-core", "--lib"]);
    let documentation = cargo(&[&checked[..], &["--doc", "--no-default-features"]].concat());
    test(others).and(test(own)).and(test(documentation))
}

/// The suites, as tasks of this program.
fn suites(args: &Args) -> Vec<Vec<String>> {
    let seed = args.seed;
    let task = |(suite, cases): (&str, u64)| {
        let task = format!("differential --suite {suite} --cases {cases} --seed {seed}");
        task.split(' ').map(String::from).collect()
    };
    let suites =
        [("notation", args.cases), ("schedules", args.schedules), ("sparse", args.sparse), ("gpu", args.gpu)];
    suites.into_iter().map(task).collect()
}

/// The program for machines with a GPU, on the simulator.
fn gpu_tests() -> Done {
    let tests = ["run", "--quiet", "--profile", "checked", "-p", "tests", "--bin", "run-gpu-tests", "--"];
    sh(cargo(&tests).args(["--device", "sim", "--cases", "300", "--kernels", "tests/golden/in"]))
}

/// Every example on data that it generates; each checks its own result.
fn examples() -> Done {
    let folder = root().join("examples/src/bin");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.path().file_stem().map(|s| s.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    // With the tests, so that they have the same features, and all at once, on all cores.
    let build = ["build", "--quiet", "--profile", "checked", "-p", "examples", "-p", "tests", "--bins"];
    sh(&mut cargo(&build))?;
    for name in &names {
        println!("-- {name}");
        sh(Command::new(nvrtc::target().join("checked").join(name)).arg("--quick"))?;
    }
    println!("{} passed, 0 failed", names.len());
    Ok(())
}

/// Rewrites expected outputs, and what the book shows of them.
pub(crate) fn bless() -> Done {
    sh(cargo(&["test", "-p", "tests", "--test", "golden"]).env("BLESS", "1"))?;
    sh(cargo(&["test", "-p", "ui"]).env("TRYBUILD", "overwrite"))?;
    sh(cargo(&["test", "-p", "tests", "--test", "book"]).env("BLESS", "1"))?;
    // One at a time: code of one chapter rewrites one file.
    sh(cargo(&["test", "-p", "tests", "--doc", "--", "--test-threads", "1"]).env("BLESS", "1"))
}
