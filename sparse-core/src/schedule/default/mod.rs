//! The schedule of a kernel that nobody scheduled: for a GPU in [`cuda`], for the CPU here.
//!
//! The outermost loop runs on several threads if `parallelize(i, CPUThread, NoRaces)` is legal: its iterations write
//! rows of their own, in a result that is written in place (dense, or in an operand's pattern), and no operands are
//! merged to find them. Then nothing is written twice and nothing is combined, so that the result is the same bytes on
//! any number of threads. Whether there is enough work to wake a thread is decided at the call.

mod cuda;

use super::{Scheduled, Step, apply};
use crate::cin::{Cin, Stmt, print};
use crate::front::ast::Kernel;
use crate::front::command::{Command, CommandKind, Name, Platform, Strategy, Unit};
use crate::work::{WARM_LOG2, WORTH_LOG2};
pub use cuda::default_cuda;

/// The rule of `rt::threads` in words.
fn stays() -> String {
    format!(
        "one thread runs it if its operations are fewer than 2^{WORTH_LOG2} (2^{WARM_LOG2} inside the pool right after another call, unless the result grows), or as many in vectors as take that time, if it has one iteration, or if the pool has one thread"
    )
}

/// The scheduled program, and by what rule: the command, or why it is not legal.
pub fn default(kernel: &Kernel, cin: Cin) -> Scheduled {
    let serial = |cin: Cin, reason: &str| {
        let step = Step { command: format!("default: serial: {reason}"), cin: print::print(&cin, kernel) };
        Scheduled { cin, steps: vec![step], warnings: vec![], ignored_races: vec![], on_blocks: None }
    };
    let Stmt::Forall { var, .. } = cin.root else {
        return serial(cin, "no loop stands around the whole statement");
    };
    let command = parallelize(kernel, cin.provenance.name(var));
    match apply(kernel, cin.clone(), std::slice::from_ref(&command), Platform::Cpu) {
        Ok(mut scheduled) => {
            for step in &mut scheduled.steps {
                step.command = format!("default: {}: {}", command.source, stays());
            }
            scheduled
        }
        Err(refused) => {
            let reason = refused.iter().next().map_or(String::new(), |d| d.message.clone());
            serial(cin, &reason)
        }
    }
}

fn parallelize(kernel: &Kernel, var: &str) -> Command {
    let span = kernel.name.span();
    Command {
        span,
        source: format!("parallelize({var}, CPUThread, NoRaces)"),
        kind: CommandKind::Parallelize {
            var: Name { text: var.to_owned(), span },
            unit: Unit::CpuThread,
            unit_span: span,
            strategy: Strategy::NoRaces,
            strategy_span: span,
        },
    }
}
