//! What the programs of one kernel have in common, and how each is made.

use super::{Compiled, Options, internal};
use crate::cin::{Cin, copies, densify, print};
use crate::diag::Diagnostics;
use crate::front::ast::Kernel;
use crate::front::command::{Platform, Schedule};
use crate::llir::simplify::simplify;
use crate::llir::verify::verify;
use crate::llir::{IgnoredRace, Step};
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

/// From scheduled loops to a verified program; the names of its launches end in the suffix.
pub(super) fn lower_scheduled(
    of: &Unscheduled<'_>,
    scheduled: Scheduled,
    options: &Options,
    platform: Platform,
    suffix: &str,
) -> Result<Compiled, Diagnostics> {
    let Scheduled { cin, steps, mut warnings, ignored_races, others } = scheduled;
    let kernel = &of.kernel;
    warnings.extend_from_slice(&of.warnings);
    // Without a schedule loops with other copies may run; in one, what is computed first was asked for.
    let schedule = if platform == Platform::Cpu { &kernel.cpu } else { &kernel.cuda };
    let copying = if matches!(schedule, Schedule::Default) { &cin } else { of.cin };
    warnings.extend(copies::warnings(kernel, copying));
    // Index notation is gone: loops, loads and stores.
    let (mut program, remarks) =
        lower::lower(kernel, (&cin, &others), &options.lower, platform).map_err(|d| Diagnostics::from(*d))?;
    warnings.extend(remarks.warnings);
    let of_program = |race: schedule::IgnoredRace| IgnoredRace { tensor: race.tensor, warning: race.warning };
    program.ignored_races = ignored_races.into_iter().map(of_program).collect();
    for step in &mut program.steps {
        if let Step::Launch(launch) = step {
            launch.name += suffix;
        }
    }
    let pass = if options.verify_passes {
        program = verify(program).map_err(|e| internal(kernel, "lowering", &e))?.into_program();
        "simplification"
    } else {
        "lowering and simplification"
    };
    // The same program without constants to fold, dead code and trivial bindings. Every invariant of LLIR holds; emitters
    // and the interpreter rely on it.
    let program = verify(simplify(program)).map_err(|e| internal(kernel, pass, &e))?;
    let (notes, registers) = (remarks.bounds, remarks.registers);
    let (kernel, concretized) = (Rc::clone(kernel), of.text.clone());
    Ok(Compiled { kernel, concretized, steps, warnings, cin, program, notes, registers })
}
