//! What holds a missed goal back: for its worst input, what the simulator counts and what limits each launch by the model,
//! and the command that profiles the same call on a GPU.

use super::device::Gpu;
use super::goals::{Goal, Worst};
use super::inputs::{Input, Sparse};
use super::problem::Problem;
use super::results::named;
use crate::error::Result;
use sparse_core::scalar::DType;
use sparse_gpu::Sim;
use sparse_gpu::tune::Model;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// Products of entries and columns that are simulated: some seconds.
const MOST_PRODUCTS: usize = 1 << 22;

/// What is said below the goals: of each that was missed, its worst input. Nothing is simulated after `deadline`: a GPU that
/// is lent for a time does not wait for it.
///
/// # Errors
/// What keeps an input from being read, or its kernel from being compiled or run.
pub(crate) fn missed(
    goals: &[Goal],
    inputs: &[Input],
    data: Option<&Path>,
    model: &Model,
    deadline: Option<Instant>,
) -> Result<String> {
    let mut text = String::new();
    for goal in goals {
        let Some(worst) = goal.missed().then_some(goal.worst.as_ref()).flatten() else { continue };
        let name = named(worst.kernel, DType::F32, worst.n, &worst.input);
        let _ = writeln!(text, "\nmissed: {}", goal.what);
        let _ = writeln!(text, "  worst: {name}, {:.2} by {}", worst.ratio, worst.point.name);
        let _ = writeln!(text, "  to profile it: {}", ncu(worst, data));
        match inputs.iter().find(|input| input.name == worst.input) {
            Some(_) if deadline.is_some_and(|at| Instant::now() > at) => {
                text += "  not simulated: no time left\n";
            }
            Some(input) => text += &simulated(worst, input, model)?,
            None => text += "  its input is not among those that can be read again\n",
        }
    }
    Ok(text)
}

/// The command that profiles one call on a GPU. The first call of a kernel is not warm.
fn ncu(worst: &Worst, data: Option<&Path>) -> String {
    let program = std::env::args().next().unwrap_or_else(|| "bench".into());
    let (kernel, columns) = (worst.kernel.name(), worst.n);
    let data =
        data.map_or(String::new(), |folder| format!(" --data {}", quoted(&folder.display().to_string())));
    let columns = if worst.kernel.has_columns() { format!(" --columns {columns}") } else { String::new() };
    format!(
        "ncu --set full --kernel-name regex:^{kernel} --launch-skip 2 --launch-count 2 {program} gpu{data} --inputs {} \
         --kernels {kernel}{columns} --point {} --samples 1 --ceilings datasheet",
        quoted(&worst.input),
        quoted(&worst.point.name)
    )
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    if word.chars().all(is_plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// What the simulator counts of the worst input's call.
fn simulated(worst: &Worst, input: &Input, model: &Model) -> Result<String> {
    let not = |why: String| Ok(format!("  not simulated: {why}\n"));
    if interrupt::requested() {
        return not("stopped".into());
    }
    // An estimate is not exact: what is near the limit is made, and counted.
    if input.entries.saturating_mul(worst.n) / 2 > MOST_PRODUCTS {
        return not(format!("about {} entries of {} columns", input.entries, worst.n));
    }
    let Some(sparse) = input.load()? else { return not("a tensor of another order than 3".into()) };
    let entries = sparse.stats().entries;
    if entries.saturating_mul(worst.n) > MOST_PRODUCTS {
        return not(format!("{entries} entries of {} columns", worst.n));
    }
    let sim = Sim::new();
    counters(worst, &sparse, model, &sim)
}

fn counters(worst: &Worst, sparse: &Sparse, model: &Model, sim: &Sim) -> Result<String> {
    let problem: Problem<'_, f32> = Problem::new(worst.kernel, sparse, worst.n)?;
    let mut operands = problem.to(sim)?;
    let compiled = worst.point.compile(worst.kernel, DType::F32, sim)?;
    operands.forget(sim)?;
    sim.first(&mut || operands.call(&compiled))?;
    let report = sim.report();
    let mut text =
        format!("  simulated, for {} ({:.2} TB/s {}):\n", model.name, model.memory / 1e12, model.told);
    for launch in &report.launches {
        let _ = writeln!(text, "    {}", launch.to_string().replace('\n', "\n    "));
        let _ = writeln!(text, "      predicted         {}", model.times(launch));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Kernel;
    use super::super::points::Point;
    use super::*;
    use sparse_core::tensor::{Csr, generate};

    fn goal(ratio: f64, input: &str) -> Goal {
        let point = Point::atomic("<8 nnz, 4 col>, 8");
        let worst = Worst { kernel: Kernel::Spmm, n: 4, input: input.into(), ratio, point };
        Goal { what: "a goal", least: 1.0, reached: Some(ratio), others: [None; 2], worst: Some(worst) }
    }

    fn input(name: &str, entries: usize) -> Input {
        let matrix = || Ok(Csr::from_coordinates(generate::uniform(100, 50, 6.0, 1)?)?);
        Input::generated(name, entries, matrix)
    }

    #[test]
    fn a_missed_goal_has_counters_and_a_command() {
        let inputs = [input("it's small", 600)];
        let goals = [goal(1.5, "it's small"), goal(0.5, "it's small")];
        let text = missed(&goals, &inputs, Some(Path::new("a folder")), &Model::h200(), None).unwrap();
        assert_eq!(text.matches("missed: a goal\n").count(), 1, "{text}");
        assert!(text.contains("  worst: spmm N=4 it's small, 0.50 by <8 nnz, 4 col>, 8\n"), "{text}");
        let command = "gpu --data 'a folder' --inputs 'it'\\''s small' --kernels spmm --columns 4 \
                       --point '<8 nnz, 4 col>, 8' --samples 1";
        assert!(
            text.contains("ncu --set full --kernel-name regex:^spmm") && text.contains(command),
            "{text}"
        );
        assert!(text.contains("for H200 (4.80 TB/s by the data sheet of H200)"), "{text}");
        assert!(text.contains("instructions  ") && text.contains("sectors read"), "{text}");
        assert!(text.contains("  predicted  ") && text.contains(" µs, "), "{text}");
    }

    #[test]
    fn what_is_too_large_is_not_simulated() {
        let inputs = [input("large", 1 << 27)];
        let of = |name| missed(&[goal(0.5, name)], &inputs, None, &Model::h200(), None).unwrap();
        assert!(of("large").contains("  not simulated: about 134217728 entries of 4 columns\n"));
        assert!(of("gone").contains("its input is not among those"));
        let late = Some(Instant::now() - std::time::Duration::from_secs(1));
        let text = missed(&[goal(0.5, "large")], &inputs, None, &Model::h200(), late).unwrap();
        assert!(text.contains("ncu ") && text.contains("  not simulated: no time left\n"), "{text}");
    }
}
