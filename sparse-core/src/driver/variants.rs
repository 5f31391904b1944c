//! A kernel's programs for a GPU: one by the user's schedule, or several of which a rule chooses one at each call.

use super::unscheduled::{Lowered, finish};
use super::{
    Compiled, Options, Unscheduled, advised, checked, compile_first, concretize_kernel, copied,
    lower_scheduled, packed,
};
use crate::cin::{Beside, Cin, concretize};
use crate::concurrent;
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::{TensorId, WorkspaceFormat};
use crate::front::AtomicParallelism;
use crate::front::ast::Kernel;
use crate::front::command::{Platform, Schedule};
use crate::llir::{IgnoredRace, Program};
use crate::schedule::launches::Launch;
use crate::schedule::rule::{Condition, Line, Rule, Statistics};
use crate::schedule::{self, Hybrid, Scheduled, Shape};
use crate::tensor::Lengths;

/// A kernel's programs for a GPU.
#[derive(Clone)]
pub struct Variants {
    /// At least one.
    pub all: Vec<Compiled>,
    /// Which of them runs, where there are several.
    pub choice: Option<Choice>,
}

/// By what a call chooses among a kernel's programs.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What the statistics are of.
    pub shape: Shape,
    /// A dimension whose size is the number of columns.
    pub columns: Option<(TensorId, usize)>,
    /// The points, in the order of the programs.
    pub points: Vec<AtomicParallelism>,
    /// When which program runs: the first line that holds decides; the last has no conditions.
    lines: Vec<(Vec<Condition>, usize)>,
}

/// What a rule looks at, of an operand whose rows are so long, in a product with so many columns.
pub fn statistics(rows: &Lengths, columns: usize) -> Statistics {
    Statistics {
        rows: rows.parts as f64,
        mean: rows.mean(),
        cv: rows.variation(),
        empty: if rows.parts == 0 { 0.0 } else { rows.empty as f64 / rows.parts as f64 },
        longest: rows.largest as f64,
        columns: columns as f64,
    }
}

impl Choice {
    /// The number of the program for these statistics.
    pub fn program(&self, s: &Statistics) -> usize {
        let holds = |(when, _): &&(Vec<Condition>, usize)| when.iter().all(|c| c.holds(s));
        self.lines.iter().find(holds).map_or(0, |(_, program)| *program)
    }

    /// The lines as text.
    pub fn rule(&self) -> Vec<String> {
        let line = |(when, program): &(Vec<Condition>, usize)| {
            Line { kind: self.shape.kind, when: when.clone(), point: self.points[*program] }.to_string()
        };
        self.lines.iter().map(line).collect()
    }
}

impl Variants {
    /// The number of the program that runs where no condition holds.
    pub fn last(&self) -> usize {
        self.choice.as_ref().and_then(|c| c.lines.last()).map_or(0, |(_, program)| *program)
    }

    /// The concrete index notation of each, and by what rule it runs.
    pub fn cin_text(&self) -> String {
        let Some(choice) = &self.choice else {
            return self.all.iter().map(Compiled::cin_text).collect();
        };
        let mut text = choice.rule().join("\n") + "\n";
        for (point, compiled) in choice.points.iter().zip(&self.all) {
            text += &format!("\n{point}\n{}\n", compiled.cin_text());
        }
        text
    }

    /// How each was scheduled, and what decides between them.
    pub fn explain_schedule(&self) -> String {
        let Some(choice) = &self.choice else {
            return self.all.iter().map(Compiled::explain_schedule).collect();
        };
        let mut text = format!("choice at each call\n  {}\n\npoints\n", choice.rule().join("\n  "));
        for (point, compiled) in choice.points.iter().zip(&self.all) {
            text += &format!("  {point}\n    {}\n", compiled.cin_text());
        }
        text
    }
}

/// Compiles checked index notation for a GPU and its simulator, by its `schedule cuda`. Without one, a product of one
/// sparse operand and dense ones by each of the points of the standard rule, anything else by the default schedule.
///
/// # Errors
/// As [`compile_kernel`](super::compile_kernel); without a schedule, why the statement cannot run on a GPU.
pub fn compile_gpu(kernel: Kernel, options: &Options) -> Result<Variants, Diagnostics> {
    let kernel = packed(kernel);
    compile_variants(kernel.clone(), options).map_err(|found| {
        let others = other_points(&kernel, options);
        advised(&kernel, others.into_iter().fold(found, with_points))
    })
}

/// Points close to the one that a kernel is scheduled by, for which it does compile.
fn other_points(kernel: &Kernel, options: &Options) -> Option<Vec<AtomicParallelism>> {
    let Schedule::Point(point, span) = &kernel.cuda else { return None };
    // The kernel's own mistakes are none of the point's.
    concretize_kernel(kernel).ok()?;
    let compiles = |point: &AtomicParallelism| {
        let other = Kernel { cuda: Schedule::Point(*point, *span), ..kernel.clone() };
        compile_variants(other, options).is_ok()
    };
    Some(point.near().into_iter().filter(compiles).take(2).collect())
}

/// A point's mistakes, with others that could be written.
fn with_points(found: Diagnostics, others: Vec<AtomicParallelism>) -> Diagnostics {
    let others: Vec<String> = others.iter().map(|point| format!("`{point}`")).collect();
    let mut all = Diagnostics::new();
    for d in found.iter() {
        let help = match (&d.help, &others[..]) {
            (help, []) => help.clone(),
            (None, others) => Some(format!("write {}", others.join(" or "))),
            (Some(help), others) => Some(format!("{help}; here {} is legal", others.join(" or "))),
        };
        all.push(Diagnostic { help, ..d.clone() });
    }
    all
}

fn compile_variants(kernel: Kernel, options: &Options) -> Result<Variants, Diagnostics> {
    let cin = concretize_kernel(&kernel)?;
    let candidates = match &kernel.cuda {
        Schedule::Commands(commands) => {
            vec![schedule::apply(&kernel, cin.clone(), commands, Platform::Cuda)?]
        }
        Schedule::Point(point, span) => {
            vec![schedule::schedule_point(&kernel, &cin, point, *span, schedule::apply)?]
        }
        Schedule::Default => match compile_by_rule(&kernel, &cin, options)? {
            Some(variants) => return Ok(variants),
            None => {
                if let Some(variants) = compile_copied(&kernel, options)? {
                    return Ok(variants);
                }
                if let Some(variants) = compile_launches(&kernel, &cin, options)? {
                    return Ok(variants);
                }
                let found = compile_default(kernel, &cin, options)?;
                return Ok(Variants { all: vec![found], choice: None });
            }
        },
        Schedule::None => {
            let message = format!("`{}` does not run on a GPU: `schedule cuda = none;`", kernel.name);
            return Err(Diagnostic::new("no-cuda", kernel.name.span(), message)
                .help("write a schedule, or leave it out for the default")
                .into());
        }
    };
    Ok(Variants { all: vec![compile_first(kernel, &cin, candidates, options)?], choice: None })
}

/// The programs by the rule: of a product that is summed in two launches, where that is less work, else of the whole.
fn compile_by_rule(kernel: &Kernel, cin: &Cin, options: &Options) -> Result<Option<Variants>, Diagnostics> {
    if let Some(chained) = schedule::chained(kernel, cin)
        && let Some(variants) = compile_launches(kernel, &chained, options)?
    {
        return Ok(Some(variants));
    }
    by_rule(kernel, cin, options)
}

/// The programs of a statement whose workspaces outside of all loops are arrays, each filled by launches that are scheduled as those of
/// a kernel of its own are; none if there is no such workspace, or no schedule for all of its launches. Where a rule chooses for
/// several launches, it does for the first, and the others run by its last line.
fn compile_launches(kernel: &Kernel, cin: &Cin, options: &Options) -> Result<Option<Variants>, Diagnostics> {
    let Some(launches) = schedule::launches::launches(kernel, cin) else { return Ok(None) };
    // Of these the schedules are what is wanted.
    let alone = Options { emit_cuda: false, ..options.clone() };
    let mut parts = vec![];
    for launch in &launches {
        let Some(variants) = compile_launch(launch, &alone)? else { return Ok(None) };
        parts.push((launch, variants));
    }
    let chooses = parts.iter().position(|(_, variants)| variants.choice.is_some());
    let of = Unscheduled::of(kernel.clone(), cin);
    let each = (0..chooses.map_or(1, |at| parts[at].1.all.len())).map(|n| {
        let chosen = parts.iter().enumerate().map(|(at, (launch, variants))| {
            let program = if chooses == Some(at) { n } else { variants.last() };
            (*launch, scheduled(&variants.all[program]))
        });
        let chosen: Vec<_> = chosen.collect();
        let joined = schedule::launches::joined(kernel, cin, &chosen);
        let point = chooses.and_then(|at| Some(parts[at].1.choice.as_ref()?.points[n]));
        let suffix = point.map_or(String::new(), |point| format!("_{}", point.identifier()));
        lowered(&of, joined, options, &suffix)
    });
    let (complete, all) = programs(options, |programs| {
        for program in each {
            let Some(program) = program? else { return Ok(false) };
            programs.push(program);
        }
        Ok(true)
    })?;
    if !complete {
        return Ok(None);
    }
    let choice = chooses.and_then(|at| choice_of(&parts[at], cin, &all[0]));
    Ok((chooses.is_some() == choice.is_some()).then_some(Variants { all, choice }))
}

/// The programs of one of a statement's launches; none if nothing is legal for it but one thread.
fn compile_launch(launch: &Launch, options: &Options) -> Result<Option<Variants>, Diagnostics> {
    let Launch { kernel, cin, .. } = launch;
    if let Some(variants) = by_rule(kernel, cin, options)? {
        return Ok(Some(variants));
    }
    let Some(compiled) = compile_alone(kernel, cin, options)? else { return Ok(None) };
    let loops = compiled.cin.root.loops();
    let shared = loops.is_empty() || loops.iter().any(|v| compiled.cin.provenance.tag(*v).parallel.is_some());
    Ok(shared.then(|| Variants { all: vec![compiled], choice: None }))
}

/// The schedule of a program.
fn scheduled(compiled: &Compiled) -> Scheduled {
    let of_schedule =
        |race: &IgnoredRace| schedule::IgnoredRace { tensor: race.tensor, warning: race.warning.clone() };
    Scheduled {
        cin: compiled.cin.clone(),
        steps: compiled.steps.clone(),
        warnings: vec![],
        ignored_races: compiled.program.program().ignored_races.iter().map(of_schedule).collect(),
        beside: Beside::Nothing,
    }
}

/// What a launch is chosen by, as of the statement.
fn choice_of((launch, variants): &(&Launch, Variants), cin: &Cin, first: &Compiled) -> Option<Choice> {
    let choice = variants.choice.as_ref()?;
    let columns = choice.shape.columns.and_then(|v| launch.var(v)).map(|v| cin.provenance.original(v));
    let shape = Shape { tensor: launch.tensor(choice.shape.tensor)?, columns, ..choice.shape };
    let extents = &first.program.program().extents;
    let columns = columns.and_then(|v| extents.get(v.index())?.sources.first().copied());
    Some(Choice { shape, columns, ..choice.clone() })
}

/// The program of the loops in which operands are copied in another order first, where that is less work and they can be
/// lowered.
fn compile_copied(kernel: &Kernel, options: &Options) -> Result<Option<Variants>, Diagnostics> {
    let Some(cin) = copied(kernel, Platform::Cuda) else { return Ok(None) };
    let variants = match compile_launches(kernel, &cin, options)? {
        Some(variants) => Some(variants),
        None => {
            compile_alone(kernel, &cin, options)?.map(|found| Variants { all: vec![found], choice: None })
        }
    };
    Ok(variants.map(|mut variants| {
        variants.all.iter_mut().for_each(|c| c.steps.insert(0, schedule::copies(kernel, &cin)));
        variants
    }))
}

/// The program of the first default schedule for these loops that can be lowered, if there is one.
fn compile_alone(kernel: &Kernel, cin: &Cin, options: &Options) -> Result<Option<Compiled>, Diagnostics> {
    let Ok(candidates) = schedule::default_cuda(kernel, cin) else { return Ok(None) };
    match compile_first(kernel.clone(), cin, candidates, options) {
        Ok(compiled) => Ok(Some(compiled)),
        Err(found) if found.iter().any(|d| d.code == "internal") => Err(found),
        Err(_) => Ok(None),
    }
}

/// The program of the default schedule. Where a workspace is in the way, of loops with others: sparse ones, which have
/// memory of their own, or larger ones that no loop stands outside of.
fn compile_default(kernel: Kernel, cin: &Cin, options: &Options) -> Result<Compiled, Diagnostics> {
    let default = |cin: &Cin| {
        let candidates = schedule::default_cuda(&kernel, cin)?;
        compile_first(kernel.clone(), cin, candidates, options)
    };
    let found = default(cin);
    let code = found.as_ref().err().and_then(|refused| refused.iter().next()).map_or("", |d| d.code);
    let same = (code == "workspace-size").then(|| with_sparse_workspaces(cin.clone()));
    let in_the_way = matches!(code, "workspace-size" | "scattered-on-gpu");
    let others =
        in_the_way.then(|| concretize::without_rows(&kernel).filter_map(|cin| checked(&kernel, cin).ok()));
    let others = others.into_iter().flatten().map(with_sparse_workspaces);
    let decides = |tried: &Result<Compiled, Diagnostics>| match tried {
        Ok(_) => true,
        Err(refused) => refused.iter().any(|d| d.code == "internal"),
    };
    same.into_iter().chain(others).map(|cin| default(&cin)).find(decides).unwrap_or(found)
}

/// The same loops, each array among the workspaces a sparse one.
fn with_sparse_workspaces(mut cin: Cin) -> Cin {
    for w in cin.workspaces.iter_mut().filter(|w| !w.vars.is_empty() && !w.format.is_sparse()) {
        w.format = WorkspaceFormat::Sort;
    }
    cin
}

/// The programs of the points that the standard rule has for a kernel; none if it is not of their kind, or sums all of an
/// operand: points are told apart by its rows, and there are none. Where a point is not
/// for its formats or its elements a plainer one is taken, and where none is, the line is left out; where all are, each thread
/// has an entry (`Kind::spread`).
fn by_rule(kernel: &Kernel, cin: &Cin, options: &Options) -> Result<Option<Variants>, Diagnostics> {
    if kernel.assignment.lhs.indices.is_empty() {
        return Ok(None);
    }
    let Ok(hybrid) = Hybrid::of(kernel, cin, kernel.name.span()) else { return Ok(None) };
    let (shape, of) = (hybrid.shape(cin), Unscheduled::of(kernel.clone(), cin));
    let ((mut lines, points), all) = programs(options, |programs| {
        let mut known = Points::default();
        let mut program = |point: &AtomicParallelism| {
            known.program(point, programs, |point| lower_point(&of, &hybrid, point, options))
        };
        let mut lines = vec![];
        for line in Rule::standard_of(shape.kind) {
            let Some(program) = program(&line.point)? else { continue };
            lines.push((line.when.clone(), program));
            // Those after it are for kernels that it is not for.
            if line.when.is_empty() {
                break;
            }
        }
        if lines.is_empty() {
            let spread = program(&shape.kind.spread())?;
            lines.extend(spread.map(|program| (vec![], program)));
        }
        Ok((lines, known.points))
    })?;
    let Some(first) = all.first() else { return Ok(None) };
    decided(&mut lines);
    let extents = &first.program.program().extents;
    let columns = shape.columns.and_then(|v| extents.get(v.index())?.sources.first().copied());
    Ok(Some(Variants { all, choice: Some(Choice { shape, columns, points, lines }) }))
}

/// Programs of one kernel as they are lowered.
struct Programs<'a> {
    lowered: Vec<Compiled<()>>,
    finish: &'a mut dyn FnMut(Program),
}

impl Programs<'_> {
    fn push(&mut self, Lowered { program, compiled }: Lowered) {
        (self.finish)(program);
        self.lowered.push(compiled);
    }
}

/// What `lower` returns, and the programs that it pushes: each is finished while it lowers the next.
fn programs<T>(
    options: &Options,
    lower: impl FnOnce(&mut Programs<'_>) -> Result<T, Diagnostics>,
) -> Result<(T, Vec<Compiled>), Diagnostics> {
    let lower = |finish: &mut dyn FnMut(Program)| {
        let mut programs = Programs { lowered: vec![], finish };
        (lower(&mut programs), programs.lowered)
    };
    let ((value, lowered), finished) = concurrent::finished(lower, |program| finish(program, options));
    let all = lowered.into_iter().zip(finished).map(|(compiled, program)| compiled.with(program));
    Ok((value?, all.collect::<Result<_, _>>()?))
}

/// The points of a kernel's programs, each of which is lowered once.
#[derive(Default)]
struct Points {
    /// In the order of the programs.
    points: Vec<AtomicParallelism>,
    /// The kernel's formats or elements are not for these.
    refused: Vec<AtomicParallelism>,
}

impl Points {
    /// The number of the program of a point or of the first plainer one that has any.
    fn program(
        &mut self,
        point: &AtomicParallelism,
        programs: &mut Programs<'_>,
        lower: impl Fn(&AtomicParallelism) -> Result<Option<Lowered>, Diagnostics>,
    ) -> Result<Option<usize>, Diagnostics> {
        for point in point.plainer() {
            if let Some(known) = self.points.iter().position(|p| *p == point) {
                return Ok(Some(known));
            }
            if self.refused.contains(&point) {
                continue;
            }
            match lower(&point)? {
                Some(lowered) => {
                    programs.push(lowered);
                    self.points.push(point);
                    return Ok(Some(self.points.len() - 1));
                }
                None => self.refused.push(point),
            }
        }
        Ok(None)
    }
}

/// The last line that is left decides whatever holds; lines before it that choose its program say nothing more.
fn decided(lines: &mut Vec<(Vec<Condition>, usize)>) {
    let Some((_, last)) = lines.pop() else { return };
    while lines.pop_if(|(_, program)| *program == last).is_some() {}
    lines.push((vec![], last));
}

/// The program of a point, its entry points named after it; none if the point is not for the kernel's formats.
fn lower_point(
    of: &Unscheduled<'_>,
    hybrid: &Hybrid,
    point: &AtomicParallelism,
    options: &Options,
) -> Result<Option<Lowered>, Diagnostics> {
    let (kernel, span) = (&of.kernel, of.kernel.name.span());
    let Ok(scheduled) = schedule::schedule_hybrid(hybrid, kernel, of.cin, point, span) else {
        return Ok(None);
    };
    lowered(of, scheduled, options, &format!("_{}", point.identifier()))
}

/// The program of scheduled loops; none if they cannot be lowered.
fn lowered(
    of: &Unscheduled<'_>,
    scheduled: Scheduled,
    options: &Options,
    suffix: &str,
) -> Result<Option<Lowered>, Diagnostics> {
    match lower_scheduled(of, scheduled, options, Platform::Cuda, suffix) {
        Ok(lowered) => Ok(Some(lowered)),
        Err(found) if found.iter().any(|d| d.code == "internal") => Err(found),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::parse_str;
    use std::rc::Rc;

    #[test]
    fn points_share_the_kernel() {
        let text = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
        let variants = compile_gpu(parse_str(text).unwrap(), &Options::of_macro()).unwrap();
        let (first, others) = variants.all.split_first().unwrap();
        assert!(!others.is_empty() && others.iter().all(|c| Rc::ptr_eq(&c.kernel, &first.kernel)));
    }
}
