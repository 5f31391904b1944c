//! Scheduling: CIN → CIN, one command at a time.
//!
//! Each command is a file: what it does to the loops, before → after, and what must hold for it to keep the result.
//! Commands replace loops and record in the [`Provenance`](crate::cin::Provenance) graph how the old variables are
//! recovered from the new ones, or tag loops; accesses keep the statement's own variables. What only the whole
//! schedule decides (do iterations of a parallel loop write the same element?) is checked after the last command, by
//! `races`.

mod assembly;
mod bound;
mod chains;
mod coord;
mod default;
mod divide;
mod fuse;
mod gaps;
mod gpu;
pub mod launches;
mod mergeby;
mod names;
mod operand;
mod order;
mod parallelize;
mod plan;
mod point_name;
mod points;
mod pos;
mod precompute;
mod races;
mod reorder;
pub mod rule;
mod split;
#[cfg(test)]
mod tests;
mod tree;
mod unroll;
mod vector;

use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Beside, Cin, Workspace, print, verify};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Command, CommandKind, Platform, Schedule};
pub use chains::chained;
pub use default::{copies, default, default_cuda, with_arrays, with_copies};
pub use operand::Operand;
pub use point_name::point_name;
pub(crate) use points::SHARED_BYTES;
pub use points::{Hybrid, Shape, point_commands, points, schedule_hybrid, schedule_point, shape};
use proc_macro2::Span;

/// A command, and the program after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// As the user wrote it.
    pub command: String,
    /// The concrete index notation after it.
    pub cin: String,
}

/// A scheduled program.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The program after the last command.
    pub cin: Cin,
    /// What each command did.
    pub steps: Vec<Step>,
    /// What is allowed, and perhaps not meant.
    pub warnings: Vec<String>,
    /// Races that are allowed.
    pub ignored_races: Vec<IgnoredRace>,
    /// What is lowered into one with it.
    pub beside: Beside,
}

impl Scheduled {
    /// A program that nothing is to be said about.
    fn new(cin: Cin, steps: Vec<Step>) -> Scheduled {
        Scheduled { cin, steps, warnings: vec![], ignored_races: vec![], beside: Beside::Nothing }
    }

    /// This one, and another for calls that neither this one nor those beside it are for.
    #[must_use]
    pub fn or(mut self, other: Scheduled) -> Scheduled {
        let otherwise = |s: Step| Step { command: format!("else, {}", s.command), ..s };
        self.steps.extend(other.steps.into_iter().map(otherwise));
        let others = [self.beside.for_other_calls(), &[other.cin]].concat();
        Scheduled { beside: Beside::ForOtherCalls(others), ..self }
    }
}

/// A race that a command ignores: nothing keeps the writes of the loop's iterations apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredRace {
    /// The tensor that is written; `None` for a workspace.
    pub tensor: Option<TensorId>,
    /// The command, and what it ignores.
    pub warning: String,
}

/// Nothing, or the rule that a command breaks.
type Checked<T = ()> = Result<T, Box<Diagnostic>>;

fn fail<T>(code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> Checked<T> {
    Err(Box::new(Diagnostic::new(code, span, message).help(help)))
}

/// A `parallelize`, for what only the whole schedule decides.
#[derive(Clone)]
struct Parallel {
    var: IndexVar,
    unit_span: Span,
    strategy_span: Span,
    source: String,
}

/// The program so far.
struct Scheduler<'k> {
    kernel: &'k Kernel,
    target: Platform,
    cin: Cin,
    /// How the output is stored: by the statement, unless a workspace tells its entries.
    result: ResultKind,
    /// Workspaces that nobody has named: they make way for the user's names.
    unnamed: Vec<Workspace>,
    /// Every `parallelize` so far.
    parallel: Vec<Parallel>,
    warnings: Vec<String>,
    ignored_races: Vec<IgnoredRace>,
}

/// Applies a list of commands to a program for a target.
///
/// # Errors
/// Each command that breaks a rule; those that name what it would have made or changed are not looked at. A program
/// that the verifier refuses is an internal error that names the command.
pub fn apply(
    kernel: &Kernel,
    cin: Cin,
    commands: &[Command],
    target: Platform,
) -> Result<Scheduled, Diagnostics> {
    let mut s = Scheduler::new(kernel, cin, target);
    let (steps, diagnostics) = s.each(commands, vec![])?;
    diagnostics.finish(())?;
    s.finish(steps)
}

/// What is wrong with some commands of a schedule, of which others could not be read. Their names are doubtful after so many
/// commands: what has one is not looked at.
///
/// # Errors
/// As [`apply`], but for what only the whole schedule decides.
pub fn check(
    kernel: &Kernel,
    cin: Cin,
    commands: &[Command],
    target: Platform,
    doubtful: Vec<(usize, String)>,
) -> Result<(), Diagnostics> {
    let (_, diagnostics) = Scheduler::new(kernel, cin, target).each(commands, doubtful)?;
    diagnostics.finish(())
}

/// What is wrong with a schedule whatever its statement: factors, units of another target, a point that is never legal.
pub fn check_alone(schedule: &Schedule, target: Platform) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    match schedule {
        Schedule::Commands(commands) => {
            let broken = commands.iter().filter_map(|command| command_alone(command, target).err());
            broken.for_each(|d| diagnostics.push(*d));
        }
        Schedule::Point(point, span) => {
            point.broken().into_iter().for_each(|rule| diagnostics.push(rule.at(point, *span)));
        }
        Schedule::Default | Schedule::None => {}
    }
    diagnostics
}

/// Rules of a command that are not about loops.
fn command_alone(command: &Command, target: Platform) -> Checked {
    match &command.kind {
        CommandKind::Split { factor, .. } | CommandKind::Divide { factor, .. } => {
            split::check_factor(*factor)
        }
        CommandKind::Bound { size, .. } => bound::check_size(*size),
        CommandKind::Unroll { factor, .. } => unroll::times(*factor).map(|_| ()),
        CommandKind::Parallelize { unit, unit_span, strategy, strategy_span, .. } => {
            parallelize::check_unit(target, (*unit, *unit_span), (*strategy, *strategy_span))
        }
        CommandKind::Fuse { .. }
        | CommandKind::Reorder { .. }
        | CommandKind::Pos { .. }
        | CommandKind::Coord { .. }
        | CommandKind::Precompute { .. }
        | CommandKind::MergeBy { .. } => Ok(()),
    }
}

/// As [`apply`], of commands whose steps nobody reads, as those that the compiler wrote: without a record of each, and verified
/// after the last, for a macro that compiles several schedules has to be quick.
///
/// # Errors
/// The first command that breaks a rule, or what the whole schedule breaks.
pub fn apply_own(
    kernel: &Kernel,
    cin: Cin,
    commands: &[Command],
    target: Platform,
) -> Result<Scheduled, Diagnostics> {
    let mut s = Scheduler::new(kernel, cin, target);
    commands.iter().try_for_each(|command| s.command(command)).map_err(|d| Diagnostics::from(*d))?;
    let scheduled = s.finish(vec![])?;
    match (verify::verify(&scheduled.cin, kernel), commands.last()) {
        (Err(e), Some(last)) => Err(internal(last, &e).into()),
        _ => Ok(scheduled),
    }
}

/// A program that breaks the rules of CIN: the compiler's mistake.
fn internal(command: &Command, error: &verify::VerifyError) -> Diagnostic {
    let message = format!("internal error after `{}`: {error}", command.source);
    Diagnostic::new("internal", command.span, message)
        .help("this is a mistake of the compiler: please report it with this kernel")
}

impl<'k> Scheduler<'k> {
    fn new(kernel: &'k Kernel, cin: Cin, target: Platform) -> Self {
        let result = result_kind(kernel, &cin);
        let unnamed = (0..cin.workspaces.len() as u32).map(Workspace).collect();
        let (parallel, warnings, ignored_races) = (vec![], vec![], vec![]);
        Scheduler { kernel, target, cin, result, unnamed, parallel, warnings, ignored_races }
    }

    /// Applies commands one by one: what each did, and the rules that were broken. A command that names what a refused one
    /// would have made or changed is not looked at.
    ///
    /// # Errors
    /// A program that the verifier refuses.
    fn each(
        &mut self,
        commands: &[Command],
        mut doubtful: Vec<(usize, String)>,
    ) -> Result<(Vec<Step>, Diagnostics), Diagnostics> {
        let mut steps = Vec::new();
        let mut diagnostics = Diagnostics::new();
        for (at, command) in commands.iter().enumerate() {
            let names = command.kind.names();
            let depends =
                names.iter().any(|n| doubtful.iter().any(|(from, name)| *from <= at && *name == n.text));
            let before = self.cin.clone();
            match if depends { Ok(false) } else { self.command(command).map(|()| true) } {
                Ok(true) => {
                    verify::verify(&self.cin, self.kernel).map_err(|e| internal(command, &e))?;
                    let cin = print::print(&self.cin, self.kernel);
                    steps.push(Step { command: command.source.clone(), cin });
                    continue;
                }
                Ok(false) => {}
                Err(d) => diagnostics.push(*d),
            }
            self.cin = before;
            doubtful.extend(names.into_iter().map(|n| (at, n.text.clone())));
        }
        Ok((steps, diagnostics))
    }

    /// Checks what only the whole schedule decides.
    fn finish(mut self, steps: Vec<Step>) -> Result<Scheduled, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        for parallel in self.parallel.clone() {
            let unit = if self.target == Platform::Cuda { gpu::check(&self, &parallel) } else { Ok(()) };
            if let Err(d) = unit.and_then(|()| races::check(&mut self, &parallel)) {
                diagnostics.push(*d);
            }
        }
        if self.target == Platform::Cuda
            && let Err(d) = gpu::whole(&self, self.kernel.name.span())
        {
            diagnostics.push(*d);
        }
        mergeby::warn(&mut self);
        let Scheduler { cin, warnings, ignored_races, .. } = self;
        diagnostics.finish(Scheduled { warnings, ignored_races, ..Scheduled::new(cin, steps) })
    }

    /// Applies a command; the variables that it makes, and the loop that it tags, remember it.
    fn command(&mut self, command: &Command) -> Checked {
        let made = self.cin.provenance.len();
        self.apply(command)?;
        let p = &mut self.cin.provenance;
        for v in (made as u32..p.len() as u32).map(IndexVar) {
            p.record(v, &command.source);
        }
        if let CommandKind::Parallelize { var, .. } | CommandKind::Unroll { var, .. } = &command.kind
            && let Some(v) = p.find(&var.text)
        {
            p.record(v, &command.source);
        }
        Ok(())
    }

    fn apply(&mut self, command: &Command) -> Checked {
        if let Some(Parallel { source: first, .. }) = self.parallel.first()
            && !matches!(command.kind, CommandKind::Parallelize { .. })
        {
            return fail(
                "after-parallelize",
                command.span,
                format!("loops are not changed after `{first}`: a command's rules are about serial loops"),
                "write every `parallelize` after all other commands",
            );
        }
        match &command.kind {
            CommandKind::Split { var, outer, inner, factor } => {
                split::apply(self, var, [outer, inner], *factor)
            }
            CommandKind::Divide { var, outer, inner, factor } => {
                divide::apply(self, var, [outer, inner], *factor)
            }
            CommandKind::Fuse { outer, inner, fused } => fuse::apply(self, outer, inner, fused),
            CommandKind::Reorder { order } => reorder::apply(self, order),
            CommandKind::Pos { var, pos, access } => pos::apply(self, var, pos, access),
            CommandKind::Coord { pos, var } => coord::apply(self, pos, var),
            CommandKind::Precompute { expr, expr_span, vars, renamed, workspace, format } => {
                let (span, format) = (*expr_span, *format);
                precompute::apply(self, &precompute::Request { expr, span, vars, renamed, workspace, format })
            }
            CommandKind::Bound { var, bounded, size, kind } => bound::apply(self, var, bounded, *size, *kind),
            CommandKind::Unroll { var, factor } => unroll::apply(self, var, *factor),
            CommandKind::MergeBy { var, merge } => mergeby::apply(self, var, *merge),
            CommandKind::Parallelize { var, unit, unit_span, strategy, strategy_span } => {
                parallelize::apply(self, command, var, (*unit, *unit_span), (*strategy, *strategy_span))
            }
        }
    }
}
