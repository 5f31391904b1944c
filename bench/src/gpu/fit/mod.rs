//! `bench fit`: the rule by which kernels that nobody scheduled choose their points, from the times of points: those that
//! `bench gpu` wrote, or those that it takes itself.
//!
//! It is fitted on some inputs and judged on others: on the generated ones, and on the files, unless it is asked for the
//! other way round.

mod beside;
mod learn;
mod samples;

use crate::error::{Error, Result};
use crate::gpu::kernel::Kernel;
use crate::gpu::{self, Matrix, Options};
use beside::Beside;
use clap::{Args, ValueEnum};
use learn::{Limits, Loss, Sample};
use samples::{Found, Group};
use sparse_core::front::AtomicParallelism;
use sparse_core::schedule::rule::{Kind, Line, Rule};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// From which times, and how large a rule.
#[derive(Args)]
pub(crate) struct Fit {
    /// What `bench gpu` wrote before; without it, the times are taken first. What says how they are taken has no use beside it.
    #[arg(long, value_name = "FILE", conflicts_with_all = TAKING)]
    from: Vec<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// Only these kernels.
    #[arg(long, value_delimiter = ',')]
    kernels: Vec<Kernel>,
    /// Numbers of columns of dense operands: multiples of four, of two, and neither.
    #[arg(long, value_delimiter = ',', default_values_t = COLUMNS, value_parser = clap::value_parser!(u16).range(1..))]
    columns: Vec<u16>,
    /// What it is fitted on; it is judged on the rest.
    #[arg(long, value_enum, default_value = "generated")]
    on: On,
    /// The most points for each kind of product, all of which are compiled with each such kernel.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u8).range(1..=16))]
    points: u8,
    /// The most lines for each kind of product.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u8).range(1..=32))]
    lines: u8,
    /// Where the rule goes: `sparse-core/src/schedule/rule/standard.txt` is the compiler's.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The options by which times are taken.
const TAKING: [&str; 9] =
    ["kernels", "columns", "inputs", "csv", "samples", "quick", "max_entries", "max_products", "time_limit"];

/// What a rule may ask of the number of columns shows in these.
const COLUMNS: [u16; 8] = [3, 4, 6, 10, 16, 32, 34, 128];

/// Some of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum On {
    /// What is generated.
    Generated,
    /// What files hold.
    Files,
    /// All: then it is judged on nothing.
    All,
}

/// Fits, prints how well it does, writes the rule.
pub(crate) fn run(options: &Fit) -> Result<()> {
    options.out.as_deref().map_or(Ok(()), writable)?;
    let files = if options.from.is_empty() { vec![options.times()?] } else { options.from.clone() };
    let Found { groups, missing } = samples::read(&files, options.options.data.as_deref())?;
    if !groups.iter().any(|g| options.on.has(g) && !g.samples.is_empty()) {
        return Err(Error::NoTimes);
    }
    let limits = Limits { points: options.points.into(), lines: options.lines.into() };
    let (mut rule, mut report) = (vec![], left_out(&missing));
    for kind in [Kind::Columns, Kind::Plain, Kind::Entries] {
        let of = |seen: bool| -> Vec<&Sample> {
            let groups = groups.iter().filter(|g| g.kind == kind && seen == options.on.has(g));
            groups.flat_map(|g| &g.samples).collect()
        };
        let (fitted, judged) = (of(true), of(false));
        if fitted.is_empty() {
            let _ = writeln!(report, "{kind}: no times; its lines stay as they are");
            rule.extend(Rule::standard().of(kind).cloned());
            continue;
        }
        let lines = learn::lines(kind, &fitted, &limits);
        report += &judgement(&format!("{kind}: fitted on"), &fitted, &lines);
        let seen: Vec<&Group> = groups.iter().filter(|g| g.kind == kind && options.on.has(g)).collect();
        report += &crossed(kind, &seen, &limits);
        if options.on != On::All {
            report += &judgement(&format!("{kind}: judged on"), &judged, &lines);
            let mut beside = Beside::default();
            groups
                .iter()
                .filter(|g| g.kind == kind && !options.on.has(g))
                .for_each(|g| beside.add(g, &lines));
            report += &beside.table(&format!("{kind}: judged on"));
        }
        let standard: Vec<Line> = Rule::standard().of(kind).cloned().collect();
        let all: Vec<&Sample> = if judged.is_empty() { fitted } else { judged };
        report += &judgement(&format!("{kind}: the rule before it on"), &all, &standard);
        rule.extend(lines);
    }
    let rule = Rule::new(rule).map_err(|e| Error::Internal(e.to_string()))?;
    print!("{report}\n{rule}");
    if let Some(path) = &options.out {
        let measured = groups.iter().all(|g| g.measured);
        std::fs::write(path, text(&rule, measured, &report)).map_err(Error::at(path))?;
    }
    Ok(())
}

/// Inputs whose times say nothing, because nobody knows what they look like.
fn left_out(missing: &BTreeSet<String>) -> String {
    let Some(first) = missing.first() else { return String::new() };
    format!(
        "left out: {} inputs that are not here, such as {first}: `--data` names their folder\n",
        missing.len()
    )
}

/// Finds out, before anything is measured for it, whether a file can be written; what it holds stays.
fn writable(path: &Path) -> Result<()> {
    let new = !path.exists();
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let tried = opened.and_then(|_| if new { std::fs::remove_file(path) } else { Ok(()) });
    tried.map_err(Error::at(path))
}

impl Fit {
    /// Takes the times, and tells which file has them: that of `--csv`, or one of the system's for such.
    fn times(&self) -> Result<PathBuf> {
        let file = self.options.csv.clone().unwrap_or_else(|| {
            std::env::temp_dir().join(format!("bench-fit-times-{}.csv", std::process::id()))
        });
        let options = Options { csv: Some(file.clone()), ..self.options.clone() };
        let products = Kernel::ALL.into_iter().filter(|kernel| {
            !kernel.assembles() && (self.kernels.is_empty() || self.kernels.contains(kernel))
        });
        println!("times: {}", file.display());
        gpu::times(&Matrix::of_points(options, products.collect(), self.columns.clone()))?;
        Ok(file)
    }
}

impl On {
    fn has(self, group: &Group) -> bool {
        match self {
            On::All => true,
            On::Generated => group.generated,
            On::Files => !group.generated,
        }
    }
}

/// How near the rule, and the best single point, come to the best point of each case.
fn judgement(what: &str, samples: &[&Sample], lines: &[Line]) -> String {
    if samples.is_empty() {
        return format!("{what} nothing\n");
    }
    let rule = learn::loss(samples, |s| chosen(lines, s));
    let point = learn::best_single(samples);
    let single = learn::loss(samples, |_| Some(point));
    let also = unknown(&single);
    format!(
        "{what} {} cases, {}; {point} alone {:.2}{also}\n",
        samples.len(),
        of_the_best(&rule),
        single.mean()
    )
}

fn of_the_best(loss: &Loss) -> String {
    let (mean, worst) = (loss.mean(), loss.worst());
    format!("{mean:.2} of the best point's speed, {worst:.2} at worst{}", unknown(loss))
}

/// Cases of which the comparison says nothing.
fn unknown(loss: &Loss) -> String {
    match loss.unknown {
        0 => String::new(),
        n => format!(" ({n} without a time)"),
    }
}

/// How near rules come that are fitted on all inputs but one, each to the best point of the cases of that one: what to expect
/// of inputs that nobody has seen.
fn crossed(kind: Kind, groups: &[&Group], limits: &Limits) -> String {
    let (mut all, mut beside) = (Loss::default(), Beside::default());
    // Several kernels may have the same input.
    let inputs: BTreeSet<&str> = groups.iter().map(|g| &*g.input).collect();
    for input in inputs {
        let (left_out, others): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|g| g.input == input);
        let others: Vec<&Sample> = others.iter().flat_map(|g| &g.samples).collect();
        if others.is_empty() {
            continue;
        }
        let lines = learn::lines(kind, &others, limits);
        left_out.iter().flat_map(|g| &g.samples).for_each(|s| all.add(s, chosen(&lines, s)));
        left_out.iter().for_each(|g| beside.add(g, &lines));
    }
    let what = format!("{kind}: each input by a rule fitted on the others,");
    format!("{what} {}\n{}", of_the_best(&all), beside.table(&what))
}

/// What lines choose.
fn chosen(lines: &[Line], sample: &Sample) -> Option<AtomicParallelism> {
    lines.iter().find(|l| l.when.iter().all(|c| c.holds(&sample.statistics))).map(|l| l.point)
}

/// The file of a rule.
fn text(rule: &Rule, measured: bool, report: &str) -> String {
    let origin = match measured {
        true => "Fitted by `bench fit` on times that were measured on a GPU:",
        false => "Fitted by `bench fit` on what the simulator predicts for an H200; nothing was measured:",
    };
    let mut text = format!("{}# {origin}\n", Rule::legend());
    for line in report.lines() {
        let _ = writeln!(text, "#   {line}");
    }
    let mut kind = None;
    for line in rule.lines() {
        if kind.replace(line.kind) != Some(line.kind) {
            text.push('\n');
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        let written = text(Rule::standard(), false, "columns: fitted on 3 cases\n");
        assert_eq!(Rule::parse(&written).as_ref(), Ok(Rule::standard()));
        assert!(written.contains("nothing was measured:\n#   columns: fitted on 3 cases\n"));
        // What is said of rules is said of this one, and not where the standard one comes from.
        assert!(
            written.starts_with("# By which point of atomic parallelism ")
                && written.contains("\n#   empty  ")
        );
        assert!(!written.contains("by hand"), "{written}");
    }
}
