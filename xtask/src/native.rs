//! `cargo xtask native`: random kernels through the macro and rustc.

use crate::nvrtc;
use crate::shell::{Done, cargo, root, run as sh};
use std::fs;
use std::path::Path;
use std::process::Command;
use tests::case::Case;
use tests::differential::{Outcome, Run, Stop, Suite, check};
use tests::interpret::interpret;

/// Options of `cargo xtask native`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many kernels are compiled as in a debug build.
    #[arg(long, default_value_t = 200)]
    cases: u64,
    /// How many others are compiled as in a release build, and compared in the same way.
    #[arg(long, default_value_t = 16)]
    optimized: u64,
    /// How many others are run by Miri, which finds undefined behaviour and races, and takes seconds for each; none in
    /// `cargo xtask test`. It wants `rustup toolchain install nightly --component miri,rust-src`.
    #[arg(long, default_value_t = 0)]
    miri: u64,
    /// Seed of the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    pub(crate) fn new(cases: u64, optimized: u64, seed: u64) -> Args {
        Args { cases, optimized, miri: 0, seed }
    }
}

/// What has the path of the crate's source.
const SOURCE: &str = "NATIVE_BATCH";

/// Compares kernels of all kinds.
pub(crate) fn run(args: &Args) -> Done {
    let debug = batch(&Kind::Debug, args.cases, args.seed);
    let release = batch(&Kind::Release, args.optimized, args.seed.wrapping_add(1));
    let miri = match args.miri {
        0 => Ok(()),
        count => batch(&Kind::Miri, count, args.seed.wrapping_add(2)),
    };
    debug.and(release).and(miri)
}

/// How kernels are compiled.
enum Kind {
    /// As in a debug build.
    Debug,
    /// As in a release build, which takes several times as long.
    Release,
    /// Interpreted.
    Miri,
}

/// What Miri is to do: rayon's threads live on, and its queues mark addresses, which are pointers again. Functions as `cos` would have
/// another last bit in each run.
const MIRI: &str = "-Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-ignore-leaks -Zmiri-disable-isolation \
                    -Zmiri-deterministic-floats";

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Kind::Debug => "debug",
            Kind::Release => "release",
            Kind::Miri => "miri",
        }
    }

    /// Builds the crate from the file at a path, unless that is done by what runs it, and says what runs it.
    fn command(&self, source: &Path) -> Result<Command, String> {
        let program = ["--quiet", "-p", "native-batch", "--features", "native-batch/batch"];
        let settings: &[&str] = match self {
            Kind::Debug => &[],
            Kind::Release => &["opt-level=3", "overflow-checks=false", "debug-assertions=false"],
            Kind::Miri => {
                let mut command = Command::new("rustup");
                command.args(["run", "nightly", "cargo", "miri", "run"]).args(program).current_dir(root());
                command.env("MIRIFLAGS", MIRI);
                return Ok(command);
            }
        };
        let of_the_crate = |set| ["--config".into(), format!("profile.checked.package.native-batch.{set}")];
        // With the tests, so that what it uses has the same features, and is built.
        let mut build = cargo(&["build", "--profile", "checked", "-p", "tests", "--bin", "native-batch"]);
        build.args(program).args(settings.iter().flat_map(of_the_crate)).env(SOURCE, source);
        sh(&mut build)?;
        Ok(Command::new(nvrtc::target().join("checked/native-batch")))
    }
}

/// Writes, builds and runs the crate, and compares.
fn batch(kind: &Kind, count: u64, seed: u64) -> Done {
    let (drawn, cases) = accepted(count, seed);
    let path = nvrtc::target().join(format!("native-batch-{}.rs", kind.name()));
    fs::write(&path, tests::native::source(&cases)).map_err(|e| format!("{}: {e}", path.display()))?;
    let output = kind
        .command(&path)?
        .env(SOURCE, &path)
        // More than there are cores, so that they are interrupted anywhere.
        .env("RAYON_NUM_THREADS", "4")
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("the kernels or rustup could not be started: {e}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", path.display(), output.status));
    }
    match kind {
        Kind::Debug | Kind::Release => println!("kernels as in a {} build", kind.name()),
        Kind::Miri => println!("kernels run by Miri"),
    }
    compare(seed, &drawn, &cases, &String::from_utf8_lossy(&output.stdout))
}

/// Of so many kernels this share has a schedule, in percent.
const SCHEDULED: u64 = 30;
/// And this share a sparse result that the suite of those draws.
const SPARSE: u64 = 25;

/// A kernel of the crate, and where it comes from.
struct Drawn {
    suite: Suite,
    number: u64,
}

/// The first cases of each suite that the compiler accepts and that run to a result.
fn accepted(count: u64, seed: u64) -> (Vec<Drawn>, Vec<(u64, Case)>) {
    let [scheduled, sparse] = [SCHEDULED, SPARSE].map(|share| count * share / 100);
    let (mut drawn, mut cases) = (Vec::new(), Vec::new());
    let plain = count - scheduled - sparse;
    for (suite, count) in [(Suite::Notation, plain), (Suite::Schedules, scheduled), (Suite::Sparse, sparse)] {
        let end = cases.len() as u64 + count;
        for number in 0..10 * count {
            if cases.len() as u64 == end {
                break;
            }
            let case = suite.generate(seed, number);
            if !matches!(check(&case, &to_a_result), Outcome::Refused { .. }) {
                cases.push((cases.len() as u64, case));
                drawn.push(Drawn { suite, number });
            }
        }
    }
    (drawn, cases)
}

/// The interpreter, which has to be able to run the kernel.
fn to_a_result(case: &Case) -> Result<Vec<Run>, Stop> {
    let runs = interpret(case)?;
    let refused = || Stop::Refused { code: "no-result".into(), message: String::new() };
    if runs.is_empty() { Err(refused()) } else { Ok(runs) }
}

fn compare(seed: u64, drawn: &[Drawn], cases: &[(u64, Case)], text: &str) -> Done {
    let mut results = tests::native::results(text, cases);
    let (mut passed, mut failed) = (0, 0);
    for (Drawn { suite, number: drawn }, (number, case)) in drawn.iter().zip(cases) {
        let message = match results.remove(number) {
            None => "no result".to_string(),
            Some(Err(message)) => message,
            Some(Ok(result)) => {
                let run = move |_: &Case| Ok(vec![result.clone()]);
                match check(case, &run) {
                    Outcome::Passed => {
                        passed += 1;
                        continue;
                    }
                    Outcome::Failed { message, .. } | Outcome::Refused { message, .. } => message,
                }
            }
        };
        failed += 1;
        println!(
            "// native: {suite:?}, seed {seed}, case {drawn}\n{}// {}\n",
            case.to_code(),
            message.replace('\n', "\n// ")
        );
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { Ok(()) } else { Err(format!("{failed} native kernels failed")) }
}
