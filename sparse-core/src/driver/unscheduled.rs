//! What the programs of one kernel have in common, and how each is made.

use super::{Compiled, Options, internal};
use crate::cin::{Cin, copies, densify, print};
use crate::diag::Diagnostics;
use crate::emit::cuda::{self, Emitted};
use crate::front::ast::Kernel;
use crate::front::command::{Platform, Schedule};
use crate::llir::simplify::simplify;
use crate::llir::verify::{Verified, VerifyError, verify};
use crate::llir::{IgnoredRace, Program, Step};
use crate::lower;
use crate::schedule::{self, Scheduled};
use std::rc::Rc;

/// A kernel and its loops before any command: what all of its programs begin with.
pub(super) struct Unscheduled<'a> {
    pub(super) kernel: Rc<Kernel>,
    pub(super) cin: &'a Cin,
    text: String,
    warnings: Vec<String>,
}

impl<'a> Unscheduled<'a> {
    pub(super) fn of(kernel: Kernel, cin: &'a Cin) -> Self {
        let (text, warnings) = (print::print(cin, &kernel), densify::warnings(&kernel, cin));
        Unscheduled { kernel: Rc::new(kernel), cin, text, warnings }
    }
}

/// A program as lowering leaves it, which any thread may finish, and what else there is to say of it.
pub(super) struct Lowered {
    pub(super) program: Program,
    pub(super) compiled: Compiled<()>,
}

impl Lowered {
    /// The kernel with its program verified, all on this thread.
    pub(super) fn finish(self, options: &Options) -> Result<Compiled, Diagnostics> {
        self.compiled.with(finish(self.program, options))
    }
}

/// From scheduled loops to a program that is not [finished](finish); the names of its launches end in the suffix.
pub(super) fn lower_scheduled(
    of: &Unscheduled<'_>,
    scheduled: Scheduled,
    options: &Options,
    platform: Platform,
    suffix: &str,
) -> Result<Lowered, Diagnostics> {
    let Scheduled { cin, steps, mut warnings, ignored_races, beside } = scheduled;
    let kernel = &of.kernel;
    warnings.extend_from_slice(&of.warnings);
    // Without a schedule loops with other copies may run; in one, what is computed first was asked for.
    let schedule = if platform == Platform::Cpu { &kernel.cpu } else { &kernel.cuda };
    let copying = if matches!(schedule, Schedule::Default) { &cin } else { of.cin };
    warnings.extend(copies::warnings(kernel, copying));
    // Index notation is gone: loops, loads and stores.
    let (mut program, remarks) =
        lower::lower(kernel, (&cin, &beside), &options.lower, platform).map_err(|d| Diagnostics::from(*d))?;
    warnings.extend(remarks.warnings);
    let of_program = |race: schedule::IgnoredRace| IgnoredRace { tensor: race.tensor, warning: race.warning };
    program.ignored_races = ignored_races.into_iter().map(of_program).collect();
    for step in &mut program.steps {
        if let Step::Launch(launch) = step {
            launch.name += suffix;
        }
    }
    let (notes, registers) = (remarks.bounds, remarks.registers);
    let (kernel, concretized) = (Rc::clone(kernel), of.text.clone());
    let compiled =
        Compiled { kernel, concretized, steps, warnings, cin, program: (), cuda: None, notes, registers };
    Ok(Lowered { program, compiled })
}

/// A verified program, and its CUDA.
pub(super) struct Finished {
    program: Verified,
    cuda: Option<Emitted>,
}

/// A mistake of the compiler's, with the pass that made it.
pub(super) type Broken = (&'static str, VerifyError);

/// The same program without constants to fold, dead code and trivial bindings. Every invariant of LLIR holds; emitters
/// and the interpreter rely on it.
pub(super) fn finish(mut program: Program, options: &Options) -> Result<Finished, Broken> {
    let pass = if options.verify_passes {
        program = verify(program).map_err(|e| ("lowering", e))?.into_program();
        "simplification"
    } else {
        "lowering and simplification"
    };
    let program = verify(simplify(program)).map_err(|e| (pass, e))?;
    let cuda = options.emit_cuda.then(|| cuda::emit_program(&program));
    Ok(Finished { program, cuda })
}

impl Compiled<()> {
    /// With its program.
    pub(super) fn with(self, finished: Result<Finished, Broken>) -> Result<Compiled, Diagnostics> {
        let Compiled { kernel, concretized, steps, warnings, cin, notes, registers, .. } = self;
        let Finished { program, cuda } = finished.map_err(|(pass, e)| internal(&kernel, pass, &e))?;
        Ok(Compiled { kernel, concretized, steps, warnings, cin, program, cuda, notes, registers })
    }
}
