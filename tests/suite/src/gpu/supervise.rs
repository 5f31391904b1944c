//! The process that has others work: one that breaks, or loses its device, takes down what it was running and nothing
//! else.

use super::line::Line;
use super::options::{Options, Part, Share};
use super::worker::{FAILED, HELD};
use crate::differential::Suite;
use crate::shrink::shrink;
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How items came out.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) passed: u64,
    pub(super) refused: u64,
    pub(super) failed: u64,
    /// What makes too much, by name, and why.
    pub(super) left_out: Vec<(String, String)>,
    /// What there was no time for.
    pub(super) late: u64,
    /// Of what failed, at most [`MOST_REPORTS`].
    pub(super) reports: Vec<String>,
}

/// Reports that are kept.
const MOST_REPORTS: usize = 20;

impl Totals {
    pub(super) fn fail(&mut self, report: String) {
        self.failed += 1;
        if self.reports.len() < MOST_REPORTS {
            self.reports.push(report);
        }
    }

    pub(super) fn add(&mut self, other: Totals) {
        self.passed += other.passed;
        self.refused += other.refused;
        self.failed += other.failed;
        self.left_out.extend(other.left_out);
        self.late += other.late;
        self.reports.extend(other.reports);
        self.reports.truncate(MOST_REPORTS);
    }
}

/// How workers are started, and what their end says.
pub(super) trait Start: Sync {
    /// The command that does a share; shares that run at the same time have different numbers.
    fn command(&self, share: Share, number: u64, more: &[OsString]) -> Command;
    /// Called after every end: what was found wrong that the worker does not know of.
    fn ended(&self, number: u64, status: ExitStatus) -> Option<String>;
    /// The longest that a worker of a part says nothing, which shrinks a failure for a minute; and whether it is so little
    /// only because the time is over.
    fn patience(&self, part: Part) -> (Duration, bool);
    /// Is there no time left for a part?
    fn is_late(&self, part: Part) -> bool;
}

/// Runs a part on several workers.
pub(super) fn run(options: &Options, part: Part, count: u64, workers: u64, start: &dyn Start) -> Totals {
    let workers = workers.min(count).max(1);
    let shares: Vec<Share> = (0..workers)
        .map(|w| Share {
            part,
            first: w,
            step: workers,
            count: count / workers + u64::from(w < count % workers),
        })
        .filter(|share| share.count > 0)
        .collect();
    let mut totals = Totals::default();
    std::thread::scope(|scope| {
        let running: Vec<_> = shares
            .into_iter()
            .enumerate()
            .map(|(w, share)| scope.spawn(move || one(options, share, w as u64, start)))
            .collect();
        for worker in running {
            match worker.join() {
                Ok(part) => totals.add(part),
                Err(_) => totals.fail("a worker's results can't be read".into()),
            }
        }
    });
    totals
}

/// Works off a share, with as many processes one after another as it takes.
pub(super) fn one(options: &Options, mut share: Share, worker: u64, start: &dyn Start) -> Totals {
    let mut totals = Totals::default();
    while share.count > 0 {
        let before = counted(&totals, share.part);
        let ended = listen(start, share, worker, &mut totals);
        let counted = counted(&totals, share.part) - before;
        share.count = share.count.saturating_sub(counted);
        match ended {
            Ended::Done => return totals,
            Ended::Late => {
                totals.late += share.count;
                return totals;
            }
            Ended::Cut { name } => {
                totals.left_out.push((name, "it was not done when the time was over".into()));
                totals.late += share.count.saturating_sub(1);
                return totals;
            }
            Ended::Broken { item: Some((number, name)), why } => {
                totals.fail(broken(options, share.part, number, &name, &why, start, worker));
                share.count = share.count.saturating_sub(1);
                share.first = number + share.step;
            }
            Ended::Broken { item: None, why } => {
                totals.fail(format!("// no work could be done: {why}"));
                return totals;
            }
        }
    }
    totals
}

/// How many items of a share are done. Another random kernel comes in the place of one that is refused.
fn counted(totals: &Totals, part: Part) -> u64 {
    let others = match part {
        Part::Random => 0,
        Part::Kernels => totals.refused + totals.left_out.len() as u64,
    };
    totals.passed + totals.failed + others
}

/// How a process ended.
enum Ended {
    Done,
    /// It had no time left.
    Late,
    /// It was still at this item when the time was over.
    Cut {
        name: String,
    },
    /// While it ran this item.
    Broken {
        item: Option<(u64, String)>,
        why: String,
    },
}

/// Starts a process and counts what it says.
fn listen(start: &dyn Start, share: Share, worker: u64, totals: &mut Totals) -> Ended {
    let patience = || start.patience(share.part);
    let mut process = match Process::start(start.command(share, worker, &[]), &patience) {
        Ok(process) => process,
        Err(why) => return Ended::Broken { item: None, why },
    };
    let (mut item, mut late) = (None, false);
    let why = loop {
        match process.next() {
            Some(Line::Start(number, name)) => item = Some((number, name)),
            Some(Line::Passed) => totals.passed += 1,
            Some(Line::Refused) => totals.refused += 1,
            Some(Line::LeftOut(why)) => {
                let name = item.as_ref().map_or_else(String::new, |(_, name): &(u64, String)| name.clone());
                totals.left_out.push((name, why));
            }
            Some(Line::Late) => late = true,
            Some(Line::Failed(report)) => totals.fail(report),
            Some(Line::Lost(message)) => break Some(message),
            Some(Line::End) => break None,
            None => break Some(String::new()),
        }
    };
    let cut = process.silent.is_some_and(|(_, cut)| cut);
    let status = process.end();
    let found = status.as_ref().ok().and_then(|status| start.ended(worker, *status));
    if let Some(found) = &found {
        totals.fail(found.clone());
    }
    if let (true, Some((_, name))) = (cut, &item) {
        return Ended::Cut { name: name.clone() };
    }
    match (why, status) {
        (None, _) if late => Ended::Late,
        (None, _) => Ended::Done,
        (Some(message), Ok(status)) if message.is_empty() => {
            Ended::Broken { item, why: format!("the process ends: {status}") }
        }
        (Some(_), Err(why)) => Ended::Broken { item, why },
        (Some(why), Ok(_)) => Ended::Broken { item, why },
    }
}

/// A report of an item that broke its process, made smaller in further processes.
fn broken(
    options: &Options,
    part: Part,
    number: u64,
    name: &str,
    why: &str,
    start: &dyn Start,
    worker: u64,
) -> String {
    if part == Part::Kernels {
        return format!("// broken: {name}: {why}");
    }
    let case = Suite::Gpu.generate(options.seed, number);
    let failed = RefCell::new(String::new());
    let smaller = shrink(&case, &|_| {
        if start.is_late(part) {
            return false;
        }
        let share = Share { part, first: number, step: 1, count: 1 };
        let replay = ["--replay".into(), OsString::from(failed.borrow().as_str())];
        let breaks = match Process::start(start.command(share, worker, &replay), &|| start.patience(part)) {
            Ok(mut process) => {
                let first = process.next();
                let breaks = matches!(first, Some(Line::Start(..)))
                    && matches!(process.next(), Some(Line::Lost(_)) | None);
                let _ = process.end();
                breaks
            }
            Err(_) => false,
        };
        failed.borrow_mut().push(char::from(if breaks { FAILED } else { HELD }));
        breaks
    });
    format!("// broken: {name}\n{}// {}\n", smaller.to_code(), why.trim_end().replace('\n', "\n// "))
}

/// A process that says lines.
struct Process<'a> {
    child: Child,
    lines: Receiver<Line>,
    patience: &'a dyn Fn() -> (Duration, bool),
    /// It said nothing for so long, which is too long; is it so because the time is over?
    silent: Option<(Duration, bool)>,
}

impl<'a> Process<'a> {
    fn start(
        mut command: Command,
        patience: &'a dyn Fn() -> (Duration, bool),
    ) -> Result<Process<'a>, String> {
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child =
            spawned.map_err(|e| format!("{:?} could not be started: {e}", command.get_program()))?;
        let (send, lines) = channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                let texts = BufReader::new(out).lines().map_while(Result::ok);
                texts.filter_map(|text| Line::parse(&text)).try_for_each(|line| send.send(line))
            });
        }
        Ok(Process { child, lines, patience, silent: None })
    }

    /// The next line; none if the process ends, or says nothing.
    fn next(&mut self) -> Option<Line> {
        let patience = (self.patience)();
        match self.lines.recv_timeout(patience.0) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => {
                self.silent = Some(patience);
                None
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn end(mut self) -> Result<ExitStatus, String> {
        if self.silent.is_some() {
            let _ = self.child.kill();
        }
        let status = self.child.wait().map_err(|e| e.to_string())?;
        match self.silent {
            Some((patience, _)) => Err(format!("no answer for {} s", patience.as_secs())),
            None => Ok(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// Workers that are shell scripts: of the item that they begin with, and of whether it is a replay.
    struct Scripts(fn(u64, Option<&str>) -> String);

    impl Start for Scripts {
        fn command(&self, share: Share, _: u64, more: &[OsString]) -> Command {
            let mut command = Command::new("sh");
            let replay = more.get(1).map(|bits| bits.to_string_lossy().into_owned());
            command.arg("-c").arg((self.0)(share.first, replay.as_deref()));
            command
        }

        fn ended(&self, _: u64, status: ExitStatus) -> Option<String> {
            (status.code() == Some(86)).then(|| "found by another tool".into())
        }

        fn patience(&self, part: Part) -> (Duration, bool) {
            (Duration::from_secs(2), part == Part::Kernels)
        }

        fn is_late(&self, _: Part) -> bool {
            false
        }
    }

    fn totals(scripts: Scripts, count: u64) -> Totals {
        let options = Options::parse_from(["run-gpu-tests"]);
        run(&options, Part::Random, count, 1, &scripts)
    }

    #[test]
    fn what_workers_say_is_counted() {
        let script = |_, _: Option<&str>| {
            "echo start 0 a; echo passed; echo noise; echo start 1 b; echo refused; echo start 2 c; echo 'failed d'; echo end"
                .to_owned()
        };
        let totals = totals(Scripts(script), 2);
        assert_eq!((totals.passed, totals.refused, totals.failed), (1, 1, 1));
        assert_eq!(totals.reports, ["d"]);
    }

    #[test]
    fn what_is_left_out_has_a_name() {
        let script = |_, _: Option<&str>| {
            "echo start 0 a on b; echo 'left-out too large'; echo start 1 c; echo refused; echo start 2 d; echo passed; \
             echo late; echo end"
                .to_owned()
        };
        let options = Options::parse_from(["run-gpu-tests"]);
        let totals = run(&options, Part::Kernels, 5, 1, &Scripts(script));
        assert_eq!((totals.passed, totals.refused, totals.failed, totals.late), (1, 1, 0, 2));
        assert_eq!(totals.left_out, [("a on b".to_owned(), "too large".to_owned())]);
    }

    #[test]
    fn a_worker_that_breaks_is_replaced() {
        let script = |first, replay: Option<&str>| match (first, replay) {
            (0, _) => "echo start 0 a; echo passed; echo start 1 b; kill -9 $$".to_owned(),
            // Every attempt to make it smaller breaks, but for the first.
            (1, Some("")) => "echo start 1 b; echo passed; echo end".into(),
            (1, Some(_)) => "echo start 1 b; echo lost gone; exit 3".into(),
            (2, _) => "echo start 2 c; echo passed; echo end".into(),
            other => format!("echo start 9 {other:?}; echo 'failed unexpected'; echo end"),
        };
        let totals = totals(Scripts(script), 3);
        assert_eq!((totals.passed, totals.refused, totals.failed), (2, 0, 1), "{:?}", totals.reports);
        let whole = Suite::Gpu.generate(1, 1).to_code();
        let report = &totals.reports[0];
        assert!(
            report.starts_with("// broken: b\ntensor_kernel! {") && report.contains("signal: 9"),
            "{report}"
        );
        let code: Vec<&str> =
            report.lines().skip(1).take_while(|line| !line.contains("the process ends")).collect();
        assert!(code.join("\n").len() < whole.trim_end().len(), "{report}\n{whole}");
    }

    #[test]
    fn a_worker_without_a_device() {
        let totals = totals(Scripts(|_, _| "echo lost no GPU; exit 3".to_owned()), 5);
        assert_eq!((totals.passed, totals.failed), (0, 1));
        assert_eq!(totals.reports, ["// no work could be done: no GPU"]);
    }

    #[test]
    fn a_worker_that_says_nothing() {
        let script = |first, replay: Option<&str>| match (first, replay) {
            (0, None) => "echo start 0 a; exec sleep 60".to_owned(),
            _ => "echo start 1 a; echo passed; echo end".into(),
        };
        let totals = totals(Scripts(script), 2);
        assert_eq!((totals.passed, totals.failed), (1, 1));
        assert!(totals.reports[0].contains("no answer for 2 s"), "{}", totals.reports[0]);
    }

    #[test]
    fn what_is_not_done_when_the_time_is_over_has_a_name() {
        let script = |_, _: Option<&str>| "echo start 0 a on b; exec sleep 60".to_owned();
        let options = Options::parse_from(["run-gpu-tests"]);
        let totals = run(&options, Part::Kernels, 3, 1, &Scripts(script));
        assert_eq!((totals.passed, totals.failed, totals.late), (0, 0, 2));
        assert_eq!(totals.left_out[0].0, "a on b");
    }

    #[test]
    fn what_other_tools_find_counts() {
        let script = |_, _: Option<&str>| "echo start 0 a; echo passed; echo end; exit 86".to_owned();
        let totals = totals(Scripts(script), 1);
        assert_eq!((totals.passed, totals.failed), (1, 1));
        assert_eq!(totals.reports, ["found by another tool"]);
    }
}
