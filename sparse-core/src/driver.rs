//! The passes in order, with what holds after each.

use crate::cin::result::{check_output, result_kind};
use crate::cin::{Cin, check, concretize, print};
use crate::diag::{Diagnostic, Diagnostics};
use crate::front::ast::Kernel;
use crate::llir::simplify::simplify;
use crate::llir::verify::{Verified, verify};
use crate::front::command::Schedule;
use crate::lower;
use crate::schedule::{self, Scheduled, Step};

/// Choices that change the code of a kernel, never its result.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Choices of the lowering.
    pub lower: lower::Options,
}

/// A compiled kernel.
#[derive(Clone)]
pub struct Compiled {
    /// The checked index notation.
    pub kernel: Kernel,
    /// Its concrete index notation, before any command.
    pub concretized: String,
    /// What each scheduling command did.
    pub steps: Vec<Step>,
    /// What the schedule allows, and perhaps does not mean.
    pub warnings: Vec<String>,
    /// Its concrete index notation, scheduled.
    pub cin: Cin,
    /// Its program.
    pub program: Verified,
    /// Loop bounds and guards that remain, and why.
    pub notes: Vec<String>,
}

impl Compiled {
    /// The concrete index notation as text.
    pub fn cin_text(&self) -> String {
        print::print(&self.cin, &self.kernel)
    }

    /// The program as text.
    pub fn program_text(&self) -> String {
        crate::llir::print::print(self.program.program())
    }

    /// What was compiled into what: the statement, its loops, its program.
    pub fn explain(&self) -> String {
        let formats: Vec<_> =
            self.kernel.tensors.iter().map(|t| format!("  {}: {}", t.name, describe(&t.spec))).collect();
        format!(
            "notation\n  {}\n\nformats\n{}\n\nconcrete index notation\n  {}\n\nprogram\n{}",
            self.kernel.source,
            formats.join("\n"),
            self.cin_text(),
            self.program_text()
        )
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
    // Formats can be read level by level.
    check::check_formats(kernel)?;
    // Loops are written out, in an order that every operand can be iterated in.
    let cin = concretize::concretize(kernel)?;
    crate::cin::verify::verify(&cin, kernel).map_err(|e| internal(kernel, "concretization", &e))?;
    if let Some(d) = check::check_infinities(kernel, &cin) {
        return Err(d.into());
    }
    if let Some(d) = check_output(kernel, &result_kind(kernel, &cin)) {
        return Err(d.into());
    }
    // Loops are as the user asked; the verifier has seen them after every command.
    let commands: &[_] = match &kernel.cpu {
        Schedule::Commands(commands) => commands,
        Schedule::Default | Schedule::None => &[],
    };
    let scheduled = schedule::apply(kernel, cin.clone(), commands)?;
    Ok((cin, scheduled))
}

/// Compiles checked index notation.
///
/// # Errors
/// What the user can mend: an operand no loop order suits, a result that cannot be assembled. A verifier's failure
/// is reported as an internal error that names the pass.
pub fn compile_kernel(kernel: Kernel, options: &Options) -> Result<Compiled, Diagnostics> {
    let (concretized, Scheduled { cin, steps, warnings }) = schedule_kernel(&kernel)?;
    let concretized = print::print(&concretized, &kernel);
    // Index notation is gone: loops, loads and stores.
    let (program, notes) = lower::lower(&kernel, &cin, &options.lower).map_err(|d| Diagnostics::from(*d))?;
    // Every invariant of LLIR holds; emitters and the interpreter rely on it.
    let program = verify(program).map_err(|e| internal(&kernel, "lowering", &e))?;
    // The same program without constants to fold, dead code and trivial bindings.
    let program =
        verify(simplify(program.into_program())).map_err(|e| internal(&kernel, "simplification", &e))?;
    Ok(Compiled { kernel, concretized, steps, warnings, cin, program, notes })
}

/// A verifier's failure: the compiler's mistake, reported with the pass that made it.
fn internal(kernel: &Kernel, pass: &str, error: &dyn std::error::Error) -> Diagnostics {
    Diagnostic::new("internal", kernel.name.span(), format!("internal error after {pass}: {error}"))
        .help("this is a mistake of the compiler: please report it with this kernel")
        .into()
}
