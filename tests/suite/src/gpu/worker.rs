//! One process that works: runs items on the device and says of each how it came out.

use super::ahead::Ahead;
use super::device::Gpu;
use super::kernels::{End, Kernels};
use super::line::Line;
use super::options::{Options, Part, Share};
use crate::case::Case;
use crate::differential::{self, Outcome, Run, Stop, Suite, Summary, check};
use crate::interpret::{arguments, compiled, gpu_lowering, interpret, parsed, run_of};
use crate::shrink::shrink;
use sparse_core::sim::RunError;
use sparse_gpu::launch::{Kernel, run_dynamic};
use std::cell::Cell;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The code of a process that can't go on.
const LOST: i32 = 3;

/// Does a share of the work.
pub(super) fn work<D: Gpu>(options: &Options, share: Share) -> ExitCode {
    // A panic is a result here: it is caught, shrunk and reported.
    std::panic::set_hook(Box::new(|_| {}));
    let began = Instant::now();
    let device = D::open(options.ordinal).unwrap_or_else(|e| give_up(&e.to_string()));
    // What can't be added is never reached.
    let limit = options.time_limit.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let until = limit.and_then(|limit| began.checked_add(limit));
    let is_late = || until.is_some_and(|until| Instant::now() >= until);
    match (share.part, &options.replay) {
        (Part::Kernels, _) => kernels(&device, options, share, &is_late),
        (Part::Random, None) => random(&device, options, share, &is_late),
        (Part::Random, Some(failed)) => replay(&device, options, share, failed),
    }
    say(&Line::End);
    ExitCode::SUCCESS
}

fn say(line: &Line) {
    // Whoever asked may be gone; then nobody misses the answer.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// Ends the process: what runs here from now on says nothing about what it runs.
fn give_up(message: &str) -> ! {
    say(&Line::Lost(message.into()));
    std::process::exit(LOST)
}

fn random<D: Gpu>(device: &D, options: &Options, share: Share, is_late: &dyn Fn() -> bool) {
    let Share { first, step, count, .. } = share;
    let ahead = Ahead::new(options).unwrap_or_else(|e| give_up(&e));
    let (mut number, mut counted, mut refused) = (first, 0, 0);
    while counted < count && refused < 10 + 2 * count {
        if is_late() {
            return say(&Line::Late);
        }
        say(&Line::Start(number, format!("seed {}, case {number}", options.seed)));
        let execute = |case: &Case| run_case(device, case, &entry(number), ahead.as_ref());
        let suite =
            differential::Share { suite: Suite::Gpu, seed: options.seed, first, step, execute: &execute };
        let mut summary = Summary::default();
        suite.one(number, &mut summary);
        let report = summary.failures.pop().map(|f| f.report);
        let line = match report {
            Some(report) => Line::Failed(report),
            None if summary.passed > 0 => Line::Passed,
            None => Line::Refused,
        };
        if line == Line::Refused {
            refused += 1;
        } else {
            counted += 1;
        }
        say(&line);
        if step == 0 {
            return;
        }
        number += step;
    }
}

/// The name of a random kernel: in the reports of other tools it says which case they are about.
pub(super) fn entry(number: u64) -> String {
    format!("case_{number}")
}

/// The random kernel of a process that broke, made smaller so far, and once more.
fn replay<D: Gpu>(device: &D, options: &Options, share: Share, failed: &str) {
    let case = Suite::Gpu.generate(options.seed, share.first);
    let attempts = Cell::new(0);
    shrink(&case, &|smaller| {
        let attempt = attempts.replace(attempts.get() + 1);
        if let Some(failed) = failed.as_bytes().get(attempt) {
            return *failed == FAILED;
        }
        say(&Line::Start(share.first, entry(share.first)));
        let outcome = check(smaller, &|case: &Case| run_case(device, case, &entry(share.first), None));
        say(&if outcome == Outcome::Passed { Line::Passed } else { Line::Refused });
        // The process that asks decides what comes next.
        say(&Line::End);
        std::process::exit(0)
    });
}

/// How an attempt that failed is written in a replay, and one that did not.
pub(super) const FAILED: u8 = b'1';
pub(super) const HELD: u8 = b'0';

/// Runs a case on the simulator, and then on the device: what goes wrong on the simulator could hang a GPU.
fn run_case<D: Gpu>(device: &D, case: &Case, name: &str, ahead: Option<&Ahead>) -> Result<Vec<Run>, Stop> {
    let mut runs = interpret(case)?;
    let kernel = parsed(&case.kernel_text().replacen("kernel", name, 1))?;
    let Some(program) = compiled(case, kernel, &gpu_lowering(case))? else { return Ok(runs) };
    let kernel = Kernel::new(program);
    if let Some(ahead) = ahead {
        ahead.compile(&kernel).map_err(|message| Stop::Broken { part: "CUDA", message })?;
    }
    let ran = run_dynamic(device, &kernel, &arguments(case)?);
    if let Err(e) = &ran
        && !device.is_alive()
    {
        give_up(&e.to_string());
    }
    runs.extend(run_of(case, "(on the device)", ran.map_err(RunError::Tensor))?);
    Ok(runs)
}

fn kernels<D: Gpu>(device: &D, options: &Options, share: Share, is_late: &dyn Fn() -> bool) {
    let kernels = Kernels::new(options).unwrap_or_else(|e| give_up(&e));
    let device = &device.limited(options.most().steps);
    let mut number = share.first;
    // Every item counts here: there is no other in place of one that is refused.
    for _ in 0..share.count {
        let Some((kernel, input)) = kernels.item(number) else { return };
        if is_late() {
            return say(&Line::Late);
        }
        say(&Line::Start(number, format!("{} on {}", kernel.name, input.name)));
        let end = kernels.run(device, kernel, input, number);
        if matches!(end, End::Ran(Outcome::Failed { .. })) && !device.is_alive() {
            give_up("the device does not work any more");
        }
        say(&match end {
            End::LeftOut(why) => Line::LeftOut(why),
            End::Ran(Outcome::Passed) => Line::Passed,
            End::Ran(Outcome::Refused { .. }) => Line::Refused,
            End::Ran(Outcome::Failed { part, message }) => Line::Failed(format!(
                "// {part} failed: {} on {}\n{}\n// {}",
                kernel.name,
                input.name,
                kernel.text.trim(),
                message.trim_end().replace('\n', "\n// ")
            )),
        });
        number += share.step;
    }
}
