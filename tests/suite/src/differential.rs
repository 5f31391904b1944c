//! The suite: compile a random case, run it, compare with the oracle.

use crate::case::{Case, value_code};
use crate::generate::{generate, generate_for_gpu, generate_scheduled, generate_sparse};
use crate::number::Number;
use crate::oracle::{self, for_each_point};
use crate::pattern::Pattern;
use crate::reach::{reached, wanted};
use crate::shrink::shrink;
use sparse_core::front::command::Platform;
use sparse_core::scalar::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Why a case did not run to a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The compiler refused it, with these diagnostics.
    Refused {
        /// Code of the first one.
        code: String,
        /// All of them.
        message: String,
    },
    /// Something is wrong with the compiler, the interpreter or the tensors.
    Broken {
        /// Which part.
        part: &'static str,
        /// What it said.
        message: String,
    },
}

/// One way a case was run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Choices of the compiler, if they are not the default.
    pub choices: &'static str,
    /// The output in row-major order.
    pub values: Vec<Value>,
    /// Coordinates of what a sparse result stores, in the order of storage; `None` where the executor does not tell.
    pub stored: Option<Vec<Vec<usize>>>,
    /// What its program did, in words that are counted.
    pub did: Vec<String>,
}

/// Runs a case in one or several ways that must agree.
pub type Executor<'a> = dyn Fn(&Case) -> Result<Vec<Run>, Stop> + Sync + 'a;

/// What varies from case to case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Expressions, formats and tensors, with default schedules.
    Notation,
    /// Schedules of kernels that they are written for, and of others.
    Schedules,
    /// Kernels for GPUs: schedules that people write, random ones, the default.
    Gpu,
    /// Kernels with sparse results.
    Sparse,
}

impl Suite {
    /// Case `number` of the run with this seed.
    pub fn generate(self, seed: u64, number: u64) -> Case {
        match self {
            Suite::Notation => generate(seed, number),
            Suite::Schedules => generate_scheduled(seed, number),
            Suite::Gpu => generate_for_gpu(seed, number),
            Suite::Sparse => generate_sparse(seed, number),
        }
    }
}

/// How a case came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As the oracle says.
    Passed,
    /// Refused with this diagnostic.
    Refused {
        /// Its code.
        code: String,
        /// Its text.
        message: String,
    },
    /// Wrong.
    Failed {
        /// Part that failed; `"values"` if the result differs.
        part: &'static str,
        /// What is wrong.
        message: String,
    },
}

/// Runs and compares one case; a panic is a failure.
pub fn check(case: &Case, execute: &Executor<'_>) -> Outcome {
    run_and_check(case, execute, &mut vec![])
}

/// The same, and tells what the case's programs did.
fn run_and_check(case: &Case, execute: &Executor<'_>, did: &mut Vec<String>) -> Outcome {
    let mut runs = match catch_unwind(AssertUnwindSafe(|| execute(case))) {
        Ok(Ok(runs)) => runs,
        Ok(Err(Stop::Refused { code, message })) if is_about_loops(case, &code) => {
            return Outcome::Failed { part: "default schedule", message };
        }
        Ok(Err(Stop::Refused { code, message })) => return Outcome::Refused { code, message },
        Ok(Err(Stop::Broken { part, message })) => return Outcome::Failed { part, message },
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            return Outcome::Failed { part: "panic", message: text.unwrap_or_default() };
        }
    };
    runs.iter_mut().for_each(|run| did.append(&mut run.did));
    let expected = oracle::evaluate(case);
    if let Some(message) = runs.iter().find_map(|run| compare(case, &expected, run)) {
        return Outcome::Failed { part: "values", message };
    }
    let pattern =
        runs.iter().any(|run| run.stored.is_some()).then(|| Pattern::new(case, &expected)).flatten();
    let wrong = |run: &Run| {
        let message = pattern.as_ref()?.check(run.stored.as_ref()?)?;
        Some(format!("{message} {}", run.choices))
    };
    match runs.iter().find_map(wrong) {
        Some(message) => Outcome::Failed { part: "pattern", message },
        None => Outcome::Passed,
    }
}

/// Is a case refused for how its loops run, though nobody scheduled them? On a CPU every statement runs.
fn is_about_loops(case: &Case, code: &str) -> bool {
    case.platform == Platform::Cpu
        && case.schedule.is_empty()
        && (code.starts_with("parallel-") || code == "race")
}

/// What is wrong with a run's values, element by element.
fn compare(case: &Case, expected: &[Number], run: &Run) -> Option<String> {
    let got = &run.values;
    if got.len() != expected.len() {
        return Some(format!("{} elements for {} {}", got.len(), expected.len(), run.choices));
    }
    if expected.iter().zip(got).all(|(e, &g)| e.accepts(g)) {
        return None;
    }
    let mut message = format!("element: expected, got {}\n", run.choices);
    let mut at = 0;
    for_each_point(&case.output().dims, &mut |c| {
        let (e, g) = (&expected[at], got[at]);
        let mark = if e.accepts(g) { "" } else { "   <-" };
        let _ = writeln!(message, "  {c:?}: {}, {}{mark}", value_code(e.value), value_code(g));
        at += 1;
    });
    Some(message)
}

/// Totals of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Agreed with the oracle.
    pub passed: u64,
    /// Refused, by diagnostic, with the first example of each.
    pub refused: BTreeMap<String, (u64, String)>,
    /// Failed, with shrunk counterexamples, at most [`MAX_REPORTS`].
    pub failures: Vec<Failure>,
    /// Number of failures.
    pub failed: u64,
    /// What cases did: in how many that passed, and in how many that were refused.
    pub commands: BTreeMap<String, (u64, u64)>,
}

/// A failure, shrunk.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Number of the case in its run.
    pub number: u64,
    /// Part that failed.
    pub part: &'static str,
    /// What it said before the case was shrunk.
    pub message: String,
    /// The smallest case that fails the same way: a kernel to paste, its data, what came out.
    pub report: String,
}

/// A case that takes longer is worth a look.
const SLOW: Duration = Duration::from_secs(10);

/// Counterexamples kept per run.
pub const MAX_REPORTS: usize = 12;

/// Counterexamples kept of those that say the same.
const MAX_ALIKE: usize = 5;

impl Summary {
    /// Cases that were refused.
    pub fn refused(&self) -> u64 {
        self.refused.values().map(|r| r.0).sum()
    }

    /// Adds another run's totals.
    pub fn merge(&mut self, other: Summary) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        for (code, (n, example)) in other.refused {
            self.refused.entry(code).or_insert((0, example)).0 += n;
        }
        for (what, (passed, refused)) in other.commands {
            let total = self.commands.entry(what).or_default();
            *total = (total.0 + passed, total.1 + refused);
        }
    }

    /// What no case that passed has done, though the suite is meant to.
    pub fn never_passed(&self, suite: Suite) -> Vec<String> {
        let passed = |what: &str| self.commands.get(what).is_some_and(|c| c.0 > 0);
        wanted(suite).into_iter().filter(|what| !passed(what)).collect()
    }
}

fn report(seed: u64, number: u64, case: &Case, part: &str, message: &str) -> String {
    format!(
        "// {part} failed: seed {seed}, case {number}\n{}// {}\n",
        case.to_code(),
        message.trim_end().replace('\n', "\n// ")
    )
}

/// Some of the cases of a run: `first`, `first + step`, …
#[derive(Clone, Copy)]
pub struct Share<'a> {
    /// What varies.
    pub suite: Suite,
    /// Seed of the run.
    pub seed: u64,
    /// The first case.
    pub first: u64,
    /// From one to the next.
    pub step: u64,
    /// How a case is run.
    pub execute: &'a Executor<'a>,
}

impl Share<'_> {
    /// Runs cases until `count` have passed or failed; refused ones do not count, but end the run when they are most.
    pub fn run(&self, count: u64) -> Summary {
        let mut summary = Summary::default();
        let mut number = self.first;
        while summary.passed + summary.failed < count && summary.refused() < 10 + 2 * count {
            self.one(number, &mut summary);
            number += self.step;
        }
        summary
    }

    /// Runs one case.
    pub fn one(&self, number: u64, summary: &mut Summary) {
        let began = Instant::now();
        let case = self.suite.generate(self.seed, number);
        let mut did = vec![];
        let outcome = run_and_check(&case, self.execute, &mut did);
        if began.elapsed() > SLOW {
            let seconds = began.elapsed().as_secs_f64();
            eprintln!("slow: case {number} took {seconds:.0} s\n{}", case.kernel_text());
        }
        for what in reached(&case, did) {
            let total = summary.commands.entry(what).or_default();
            match outcome {
                Outcome::Passed => total.0 += 1,
                Outcome::Refused { .. } => total.1 += 1,
                Outcome::Failed { .. } => {}
            }
        }
        match outcome {
            Outcome::Passed => summary.passed += 1,
            Outcome::Refused { code, message } => {
                let example = || (0, format!("{}\n{message}", case.kernel_text()));
                summary.refused.entry(code).or_insert_with(example).0 += 1;
            }
            Outcome::Failed { part, message } => {
                summary.failed += 1;
                let alike = |f: &&Failure| f.part == part && same_kind(&f.message, &message);
                if summary.failures.len() < MAX_REPORTS
                    && summary.failures.iter().filter(alike).count() < MAX_ALIKE
                {
                    let failure = self.shrunk(number, &case, part, message);
                    summary.failures.push(failure);
                }
            }
        }
    }

    fn shrunk(&self, number: u64, case: &Case, part: &'static str, message: String) -> Failure {
        let fails = |c: &Case| match check(c, self.execute) {
            Outcome::Failed { part: p, message: m } => p == part && same_kind(&m, &message),
            _ => false,
        };
        let small = shrink(case, &fails);
        let last = match check(&small, self.execute) {
            Outcome::Failed { message, .. } => message,
            _ => message.clone(),
        };
        let report = report(self.seed, number, &small, part, &last);
        Failure { number, part, message, report }
    }
}

/// Do two messages of one part tell of the same mistake? Their first words do; names and numbers come later.
fn same_kind(a: &str, b: &str) -> bool {
    let start = |s: &str| s.chars().take_while(|c| !c.is_ascii_digit() && *c != '`').collect::<String>();
    start(a) == start(b)
}
