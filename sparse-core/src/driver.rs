//! The passes in order, with what holds after each.

mod unscheduled;
mod variants;

use crate::cin::assembly::groups;
use crate::cin::result::{ResultKind, check_output, result_kind};
use crate::cin::{Cin, check, concretize, copies, print};
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::cuda::{self, Emitted};
use crate::format::{FormatSpec, Level};
use crate::front::Rest;
use crate::front::ast::{IndexVar, Kernel, Mode, Tensor};
use crate::front::command::{CommandKind, Platform, Schedule, Strategy, Unit};
use crate::llir::verify::Verified;
use crate::lower;
use crate::schedule::{self, Scheduled, Step};
use std::borrow::Cow;
use std::rc::Rc;

// Schedules may not ask LLIR.
const _: () = assert!(schedule::SHARED_BYTES == crate::llir::kernel::SHARED_BYTES);
use unscheduled::{Unscheduled, lower_scheduled};
pub use variants::{Choice, Variants, compile_gpu, statistics};

/// Choices that change the code of a kernel, never its result.
#[derive(Clone, Debug)]
pub struct Options {
    /// Choices of the lowering.
    pub lower: lower::Options,
    /// Verifies the program after each pass. Without, once after the last: a macro that compiles several programs has to be
    /// quick.
    pub verify_passes: bool,
    /// Emits the CUDA of each program for GPUs as soon as it is verified.
    pub emit_cuda: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { lower: lower::Options::default(), verify_passes: true, emit_cuda: false }
    }
}

impl Options {
    /// Those of a macro.
    pub fn of_macro() -> Options {
        Options { verify_passes: false, emit_cuda: true, ..Options::default() }
    }
}

/// A compiled kernel.
#[derive(Clone)]
pub struct Compiled<P = Verified> {
    /// The checked index notation, shared by all of its programs.
    pub kernel: Rc<Kernel>,
    /// Its concrete index notation, before any command.
    pub concretized: String,
    /// What each scheduling command did.
    pub steps: Vec<Step>,
    /// What the statement and its schedule allow, and perhaps do not mean.
    pub warnings: Vec<String>,
    /// Its concrete index notation, scheduled.
    pub cin: Cin,
    /// Its program.
    pub program: P,
    /// Its CUDA, if [`Options::emit_cuda`] asked for it.
    cuda: Option<Emitted>,
    /// Loop bounds and guards that remain, and why.
    pub notes: Vec<String>,
    /// What is kept in registers.
    pub registers: Vec<String>,
}

impl Compiled {
    /// The concrete index notation as text.
    pub fn cin_text(&self) -> String {
        print::print(&self.cin, &self.kernel)
    }

    /// Its kernels' CUDA: none, if it is for the CPU.
    pub(crate) fn cuda(&self) -> Cow<'_, Emitted> {
        match &self.cuda {
            Some(emitted) => Cow::Borrowed(emitted),
            None => Cow::Owned(cuda::emit_program(&self.program)),
        }
    }

    /// The program as text.
    pub fn program_text(&self) -> String {
        crate::llir::print::print(self.program.program())
    }

    /// What was compiled into what: the statement, its loops before and after each command, where index variables come
    /// from and what runs them, the program.
    pub fn explain(&self) -> String {
        let formats: Vec<_> = self.kernel.tensors.iter().map(formats).collect();
        let mut text = String::new();
        section(&mut text, "notation", std::slice::from_ref(&self.kernel.source));
        section(&mut text, "formats", &formats);
        section(&mut text, "concrete index notation", std::slice::from_ref(&self.concretized));
        text + &self.explain_schedule() + "program\n" + &self.program_text()
    }

    /// What is one target's own: the loops before and after each command, where index variables come from, what runs them,
    /// and what is to be said about it.
    pub fn explain_schedule(&self) -> String {
        let mut text = String::new();
        let steps: Vec<_> = self.steps.iter().map(|s| format!("{}\n    {}", s.command, s.cin)).collect();
        section(&mut text, "schedule", &steps);
        let graph = print::provenance(&self.cin, &self.kernel);
        section(&mut text, "index variables", &graph.lines().map(str::to_owned).collect::<Vec<_>>());
        section(&mut text, "parallel loops", &self.parallel_loops());
        section(&mut text, "bounds and guards", &self.notes);
        section(&mut text, "registers", &self.registers);
        section(&mut text, "warnings", &self.warnings);
        text
    }

    /// Which variable runs where, and how its races are resolved.
    fn parallel_loops(&self) -> Vec<String> {
        let p = &self.cin.provenance;
        let vars = (0..p.len() as u32).map(IndexVar);
        let tagged = vars.filter_map(|v| Some((v, p.tag(v).parallel?)));
        tagged.map(|(v, (unit, strategy))| format!("{} on {unit}, {strategy}", p.name(v))).collect()
    }
}

/// A title and its lines, if there are any.
fn section(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        *text += &format!("{title}\n  {}\n\n", lines.join("\n  "));
    }
}

fn formats(t: &Tensor) -> String {
    match &t.packed {
        None => format!("{}: {}", t.name, describe(&t.spec)),
        Some(packed) => {
            format!("{}: {}, packed from the list of its entries", t.name, describe(packed))
        }
    }
}

fn describe(spec: &crate::format::FormatSpec) -> String {
    let levels: Vec<_> = spec.levels.iter().map(|l| l.to_string()).collect();
    let order: Vec<_> = (0..spec.rank()).map(|l| spec.map.dim_of_level(l).to_string()).collect();
    let mut text = format!("({})", levels.join(", "));
    if !spec.map.is_identity() {
        text += &format!(", mode order ({})", order.join(", "));
    }
    if spec.fill != crate::format::Fill::Zero {
        text += &format!(", fill {:?}", spec.fill);
    }
    text
}

/// Writes out the loops of checked index notation and applies the CPU's schedule: the program before the first command,
/// and what the commands made of it.
///
/// # Errors
/// As [`compile_kernel`], but for what lowering finds.
pub fn schedule_kernel(kernel: &Kernel) -> Result<(Cin, Scheduled), Diagnostics> {
    let cin = concretize_kernel(kernel)?;
    // Loops are as the user asked; the verifier has seen them after every command.
    let scheduled = match &kernel.cpu {
        Schedule::Commands(commands) => schedule::apply(kernel, cin.clone(), commands, Platform::Cpu)?,
        Schedule::Default => {
            let scheduled = match copied(kernel, Platform::Cpu) {
                Some(copied) => schedule::with_copies(kernel, copied),
                None => schedule::default(kernel, cin.clone()),
            };
            let arrays = copies::with_arrays(kernel).into_iter();
            let mut arrays = arrays.filter_map(|cin| checked(kernel, cin).ok());
            match arrays.next().map(|cin| schedule::with_arrays(kernel, cin)) {
                Some(first) => {
                    let fewer = arrays.map(|cin| schedule::with_arrays(kernel, cin));
                    fewer.chain([scheduled]).fold(first, Scheduled::or)
                }
                None => scheduled,
            }
        }
        // A point is for GPUs: the front refuses it here.
        Schedule::None | Schedule::Point(..) => schedule::apply(kernel, cin.clone(), &[], Platform::Cpu)?,
    };
    Ok((cin, scheduled))
}

/// The loops that a kernel without a schedule has, before what is done for threads: in which operands may be copied in another
/// order, where that is less work.
pub fn default_loops(kernel: &Kernel, target: Platform) -> Result<Cin, Diagnostics> {
    copied(kernel, target).map_or_else(|| concretize_kernel(kernel), Ok)
}

/// Other loops than the statement's own, if they are less work.
fn copied(kernel: &Kernel, target: Platform) -> Option<Cin> {
    copies::copied(kernel, target).and_then(|cin| checked(kernel, cin).ok())
}

/// What is wrong with a kernel beside the commands of its schedules that could not be read.
///
/// # Errors
/// Mistakes of the statement, and of the other commands.
pub fn check_rest(rest: Rest) -> Result<(), Diagnostics> {
    let kernel = packed(rest.kernel);
    let mut diagnostics = Diagnostics::new();
    let cin = match concretize_kernel(&kernel) {
        Ok(cin) => cin,
        // Without loops there is nothing that commands could be about.
        Err(found) => {
            diagnostics.extend_new(found);
            return diagnostics.finish(());
        }
    };
    for (schedule, target) in [(&kernel.cpu, Platform::Cpu), (&kernel.cuda, Platform::Cuda)] {
        let checked = match schedule {
            Schedule::Commands(commands) => {
                let here = rest.doubtful.iter().filter(|d| d.target == target);
                let doubtful = here.map(|d| (d.from, d.name.clone())).collect();
                schedule::check(&kernel, cin.clone(), commands, target, doubtful)
            }
            Schedule::Point(point, span) => {
                schedule::schedule_point(&kernel, &cin, point, *span, schedule::apply).map(|_| ())
            }
            Schedule::Default | Schedule::None => Ok(()),
        };
        diagnostics.extend_new(checked.err().unwrap_or_default());
    }
    diagnostics.finish(())
}

/// What is wrong with the schedules of a kernel, the CPU's and a GPU's, whatever its statement.
pub fn check_schedules(cpu: &Schedule, cuda: &Schedule) -> Diagnostics {
    let mut diagnostics = schedule::check_alone(cpu, Platform::Cpu);
    diagnostics.extend(schedule::check_alone(cuda, Platform::Cuda));
    diagnostics
}

/// Writes out the loops of checked index notation.
///
/// # Errors
/// What no loop order suits, or cannot be assembled.
pub fn concretize_kernel(kernel: &Kernel) -> Result<Cin, Diagnostics> {
    // Formats can be read level by level.
    check::check_formats(kernel)?;
    // Loops are written out, in an order that every operand can be iterated in.
    let cin = concretize::concretize(kernel)?;
    checked(kernel, cin)
}

fn checked(kernel: &Kernel, cin: Cin) -> Result<Cin, Diagnostics> {
    crate::cin::verify::verify(&cin, kernel).map_err(|e| internal(kernel, "concretization", &e))?;
    if let Some(d) = check::check_infinities(kernel, &cin) {
        return Err(d.into());
    }
    if let Some(d) = check_output(kernel, &result_kind(kernel, &cin)) {
        return Err(d.into());
    }
    Ok(cin)
}

/// A kernel whose result cannot be assembled in its own format, with dense levels between sparse ones or one entry a
/// parent, assembles a list of entries instead, of which the launcher makes the format, or on a GPU launches do. Any other
/// kernel is as it was.
pub fn packed(mut kernel: Kernel) -> Kernel {
    let out = kernel.assignment.lhs.tensor.index();
    let Tensor { spec, mode, .. } = &kernel.tensors[out];
    let readable = |pair: &[Level]| pair[0].is_unique() || matches!(pair[1], Level::Singleton { .. });
    let known = spec.is_dense() || groups(spec).is_some() || !spec.levels.windows(2).all(readable);
    if *mode != Mode::Result || known {
        return kernel;
    }
    // The pattern of an operand in the same format is shared.
    let appends = |cin: &Cin| result_kind(&kernel, cin) == ResultKind::Append;
    if !concretize::concretize(&kernel).is_ok_and(|cin| appends(&cin)) {
        return kernel;
    }
    let rank = spec.rank();
    let level = |l| match (l, l + 1 == rank) {
        (0, unique) => Level::Compressed { unique },
        (_, unique) => Level::Singleton { unique },
    };
    let list = FormatSpec { levels: (0..rank).map(level).collect(), ..spec.clone() };
    kernel.tensors[out].packed = Some(std::mem::replace(&mut kernel.tensors[out].spec, list));
    kernel
}

/// Compiles checked index notation.
///
/// # Errors
/// What the user can mend: an operand no loop order suits, a result that cannot be assembled. A verifier's failure
/// is reported as an internal error that names the pass.
pub fn compile_kernel(kernel: Kernel, options: &Options) -> Result<Compiled, Diagnostics> {
    let kernel = packed(kernel);
    let schedule = kernel.cpu.clone();
    let (concretized, scheduled) = schedule_kernel(&kernel).map_err(|found| advised(&kernel, found))?;
    let of = Unscheduled::of(kernel, &concretized);
    let lowered = lower_scheduled(&of, scheduled, options, Platform::Cpu, "");
    lowered.and_then(|lowered| lowered.finish(options)).map_err(|found| {
        let mut refused = Diagnostics::new();
        found.iter().for_each(|d| refused.push(at_command(&schedule, d.clone())));
        advised(&of.kernel, refused)
    })
}

/// Mistakes of a schedule, which may be about operands that are copied for their order of levels.
fn advised(kernel: &Kernel, found: Diagnostics) -> Diagnostics {
    match concretize_kernel(kernel) {
        Ok(cin) => copies::with_advice(kernel, &cin, found),
        Err(_) => found,
    }
}

/// Compiles checked index notation for a GPU and its simulator, by its `schedule cuda`. Without one: what runs where none of
/// the conditions of [`compile_gpu`]'s choice holds.
///
/// # Errors
/// As [`compile_kernel`]; without a schedule, why the statement cannot run on a GPU.
pub fn compile_cuda(kernel: Kernel, options: &Options) -> Result<Compiled, Diagnostics> {
    let mut variants = compile_gpu(kernel, options)?;
    Ok(variants.all.swap_remove(variants.last()))
}

/// The first of some schedules that can be lowered.
fn compile_first(
    kernel: Kernel,
    cin: &Cin,
    candidates: Vec<Scheduled>,
    options: &Options,
) -> Result<Compiled, Diagnostics> {
    let mut refused = Diagnostics::new();
    let of = Unscheduled::of(kernel, cin);
    for scheduled in candidates {
        let lowered = lower_scheduled(&of, scheduled, options, Platform::Cuda, "");
        match lowered.and_then(|lowered| lowered.finish(options)) {
            Ok(compiled) => return Ok(compiled),
            // A mistake of the compiler is said, whatever the next schedule would do.
            Err(found) if found.iter().any(|d| d.code == "internal") => return Err(found),
            Err(found) => {
                refused = Diagnostics::new();
                found.iter().for_each(|d| refused.push(at_command(&of.kernel.cuda, d.clone())));
            }
        }
    }
    Err(refused)
}

/// What lowering finds against a schedule is at the command that asks for it.
fn at_command(schedule: &Schedule, d: Diagnostic) -> Diagnostic {
    let commands = match schedule {
        Schedule::Commands(commands) => commands,
        Schedule::Point(_, span) if d.code != "internal" => return Diagnostic { span: *span, ..d },
        _ => return d,
    };
    let names = |name: &str| d.message.contains(&format!("`{name}`"));
    let span = commands.iter().rev().find_map(|c| match (&c.kind, d.code) {
        (
            CommandKind::Parallelize { unit: Unit::GpuGroup(_), unit_span, .. },
            "divergent" | "parallel-term" | "unsorted-segment" | "not-deterministic",
        ) => Some(*unit_span),
        (CommandKind::Parallelize { strategy: Strategy::ReduceScatter, strategy_span, .. }, "no-columns") => {
            Some(*strategy_span)
        }
        (CommandKind::Parallelize { unit: Unit::GpuVector, unit_span, var, .. }, "not-contiguous")
        | (CommandKind::Parallelize { unit: Unit::GpuBlock, unit_span, var, .. }, "grid-unknown") => {
            names(&var.text).then_some(*unit_span)
        }
        (CommandKind::Parallelize { unit: Unit::CpuThread, unit_span, var, .. }, "parallel-coiteration") => {
            names(&var.text).then_some(*unit_span)
        }
        (CommandKind::Parallelize { unit: Unit::CpuThread, unit_span, .. }, "parallel-term") => {
            Some(*unit_span)
        }
        (CommandKind::Fuse { fused, .. }, "recovered-append") => Some(fused.span),
        (CommandKind::Precompute { workspace, .. }, "divergent-barrier") => Some(workspace.span),
        (
            CommandKind::Precompute { workspace, .. },
            "workspace-size" | "shared-workspace" | "scattered-on-gpu",
        ) => names(&workspace.text).then_some(workspace.span),
        _ => None,
    });
    Diagnostic { span: span.unwrap_or(d.span), ..d }
}

/// A verifier's failure: the compiler's mistake, reported with the pass that made it.
fn internal(kernel: &Kernel, pass: &str, error: &dyn std::error::Error) -> Diagnostics {
    Diagnostic::new("internal", kernel.name.span(), format!("internal error after {pass}: {error}"))
        .help("this is a mistake of the compiler: please report it with this kernel")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::command::Strategy;
    use crate::front::{Commands, parse_str};

    #[test]
    fn explain_shows_every_step() {
        let text = "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
        let mut kernel = parse_str(text).unwrap();
        let commands =
            Commands::new().split("i", "i0", "i1", 64).parallelize("i1", Unit::CpuVector, Strategy::NoRaces);
        kernel.cpu = Schedule::Commands(commands.resolve(&kernel).unwrap());
        let explained = compile_kernel(kernel, &Options::default()).unwrap().explain();
        let expected = "notation
  y[i] = A[i, j] * x[j];

formats
  A: (Dense, Compressed)
  x: (Dense)
  y: (Dense)

concrete index notation
  ∀i ∀j y[i] += A[i, j] * x[j]

schedule
  split(i, i0, i1, 64)
    ∀i0 ∀i1 ∀j y[i] += A[i, j] * x[j]
  parallelize(i1, CPUVector, NoRaces)
    ∀i0 ∀i1{CPUVector, NoRaces} ∀j y[i] += A[i, j] * x[j]

index variables
  i = i0·64 + i1, i1 < 64

parallel loops
  i1 on CPUVector, NoRaces

bounds and guards
  the loop over `i1` ends early in the last part of `i`: 64 need not divide it

warnings
  `parallelize(i1, CPUVector, NoRaces)` makes no vectors: lanes cannot take the loops and branches inside together, and iterations run one after another

program
";
        assert!(explained.starts_with(expected), "{explained}");
    }
}
