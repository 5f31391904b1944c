//! The suite: compile a random case, run it, compare with the oracle.

use crate::case::{Case, value_code};
use crate::generate::generate;
use crate::number::Number;
use crate::oracle::{self, for_each_point};
use crate::shrink::shrink;
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
pub struct Run {
    /// Choices of the compiler, if they are not the default.
    pub choices: &'static str,
    /// The output in row-major order.
    pub values: Vec<Value>,
}

/// Runs a case in one or several ways that must agree.
pub type Executor = dyn Fn(&Case) -> Result<Vec<Run>, Stop> + Sync;

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
pub fn check(case: &Case, execute: &Executor) -> Outcome {
    let runs = match catch_unwind(AssertUnwindSafe(|| execute(case))) {
        Ok(Ok(runs)) => runs,
        Ok(Err(Stop::Refused { code, message })) => return Outcome::Refused { code, message },
        Ok(Err(Stop::Broken { part, message })) => return Outcome::Failed { part, message },
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            return Outcome::Failed { part: "panic", message: text.unwrap_or_default() };
        }
    };
    let expected = oracle::evaluate(case);
    match runs.iter().find_map(|run| compare(case, &expected, run)) {
        Some(message) => Outcome::Failed { part: "values", message },
        None => Outcome::Passed,
    }
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
}

/// A failure, shrunk.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Number of the case in its run.
    pub number: u64,
    /// The smallest case that fails the same way: a kernel to paste, its data, what came out.
    pub report: String,
}

/// A case that takes longer is worth a look.
const SLOW: Duration = Duration::from_secs(10);

/// Counterexamples kept per run.
pub const MAX_REPORTS: usize = 12;

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
    }
}

fn report(seed: u64, number: u64, case: &Case, part: &str, message: &str) -> String {
    format!(
        "// {part} failed: seed {seed}, case {number}\n{}// {}\n",
        case.to_code(),
        message.trim_end().replace('\n', "\n// ")
    )
}

/// Runs cases until `count` have passed or failed; refused ones do not count, but end the run when they are most.
pub fn run(seed: u64, first: u64, step: u64, count: u64, execute: &Executor) -> Summary {
    let mut summary = Summary::default();
    let mut number = first;
    while summary.passed + summary.failed < count && summary.refused() < 10 + 2 * count {
        one(seed, number, execute, &mut summary);
        number += step;
    }
    summary
}

/// Do two messages of one part tell of the same mistake? Their first words do; names and numbers come later.
fn same_kind(a: &str, b: &str) -> bool {
    let start = |s: &str| s.chars().take_while(|c| !c.is_ascii_digit() && *c != '`').collect::<String>();
    start(a) == start(b)
}

/// Runs one case of a run.
pub fn run_one(seed: u64, number: u64, execute: &Executor) -> Summary {
    let mut summary = Summary::default();
    one(seed, number, execute, &mut summary);
    summary
}

fn one(seed: u64, number: u64, execute: &Executor, summary: &mut Summary) {
    let case = generate(seed, number);
    let began = Instant::now();
    let outcome = check(&case, execute);
    if began.elapsed() > SLOW {
        eprintln!("slow: case {number} took {:.0} s\n{}", began.elapsed().as_secs_f64(), case.kernel_text());
    }
    match outcome {
        Outcome::Passed => summary.passed += 1,
        Outcome::Refused { code, message } => {
            let example = || (0, format!("{}\n{message}", case.kernel_text()));
            summary.refused.entry(code).or_insert_with(example).0 += 1;
        }
        Outcome::Failed { part, message } => {
            summary.failed += 1;
            if summary.failures.len() >= MAX_REPORTS {
                return;
            }
            let fails = |c: &Case| match check(c, execute) {
                Outcome::Failed { part: p, message: m } => p == part && same_kind(&m, &message),
                _ => false,
            };
            let small = shrink(&case, &fails);
            let message = match check(&small, execute) {
                Outcome::Failed { message, .. } => message,
                _ => message,
            };
            let report = report(seed, number, &small, part, &message);
            summary.failures.push(Failure { number, report });
        }
    }
}
