//! The search: enumerate, drop what wastes, rank, and give the best few a time.

use super::arguments::{Arguments, Scratch};
use super::check::Reference;
use super::cost::estimate;
use super::error::{Result, TuneError};
use super::figure::{Figure, Predicted};
use super::limits::Dropped;
use super::memory::{Lookup, Place, Remembered};
use super::meter::Meter;
use super::model::Model;
use super::profile::Profile;
use super::progress::Progress;
use super::registers;
use super::space::Space;
use super::tunable::{Choice, Parsed};
use super::tuned::{Candidate, Outcome, Source, Tuned};
use crate::launch::{Kernel, fetch};
use sparse_core::error::Error;
use sparse_core::front::AtomicParallelism;
use sparse_core::tensor::DynTensor;
use std::ops::ControlFlow;

type Callback<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// What stays the same while candidates come and go.
pub(super) struct Search<'a, D: Meter> {
    kernel: &'a Parsed,
    arguments: &'a Arguments<'a, D>,
    space: &'a Space,
    device: &'a D,
    model: Model,
    profile: Option<Profile>,
    place: Option<Place>,
}

/// A candidate on its way.
struct Entry {
    choice: Choice,
    expected: Option<Predicted>,
    dropped: Option<Dropped>,
}

/// Is this the same reason? Points that break a rule differ in numbers; commands are the user's own, as are their mistakes.
fn alike(one: (&Dropped, &Choice), other: (&Dropped, &Choice)) -> bool {
    match (one, other) {
        (
            (Dropped::Illegal { rule, .. }, Choice::Point(_)),
            (Dropped::Illegal { rule: other, .. }, Choice::Point(_)),
        ) => rule == other,
        ((Dropped::Illegal { .. } | Dropped::Failed(_), _), _) => one.0 == other.0,
        _ => std::mem::discriminant(one.0) == std::mem::discriminant(other.0),
    }
}

/// Why no candidate has a time: each reason once, with how many it is of and the first of them.
fn reasons<F: Figure>(candidates: &[Candidate<F>]) -> String {
    /// More are seldom read.
    const SHOWN: usize = 12;
    let mut reasons: Vec<(&Dropped, usize, &Choice)> = vec![];
    for candidate in candidates {
        let Outcome::Dropped(why) = &candidate.outcome else { continue };
        let choice = &candidate.choice;
        match reasons.iter_mut().find(|(other, _, of)| alike((other, of), (why, choice))) {
            Some((_, of, _)) => *of += 1,
            None => reasons.push((why, 1, choice)),
        }
    }
    reasons.sort_by_key(|(_, of, _)| std::cmp::Reverse(*of));
    let more = reasons.len().saturating_sub(SHOWN);
    let line = |(why, of, choice): &(&Dropped, usize, &Choice)| format!("{of} of them: {why} ({choice})");
    let mut lines: Vec<String> = reasons.iter().take(SHOWN).map(line).collect();
    lines.extend((more > 0).then(|| format!("and {more} other reasons")));
    lines.join("\n")
}

/// The fastest so far.
struct Best<F> {
    choice: Choice,
    kernel: Kernel,
    figure: F,
}

impl<'a, D: Meter> Search<'a, D> {
    pub(super) fn new(kernel: &'a Parsed, arguments: &'a Arguments<'a, D>, space: &'a Space) -> Result<Self> {
        arguments.check(&kernel.kernel)?;
        let device = arguments.device()?;
        let model = space.model.clone().unwrap_or_else(|| device.model());
        let profile = Profile::of(kernel, arguments)?;
        let place = Place::of(space, kernel, profile.as_ref(), device, &model);
        Ok(Search { kernel, arguments, space, device, model, profile, place })
    }

    pub(super) fn run(self, progress: Callback<'_>) -> Result<Tuned<D::Figure>> {
        let mut first = None;
        match self.remembered(progress)? {
            Some(Ok(tuned)) => return Ok(tuned),
            Some(Err(partial)) => first = Some(partial),
            None => {}
        }
        let entries = self.ranked()?;
        let mut stopped = self.announce(&entries, progress).is_break();
        let (mut timed, mut best) = (vec![], None);
        let mut reference = None;
        let order = self.order(&entries, first.as_ref());
        let mut outcomes: Vec<Option<Dropped>> = entries.iter().map(|e| e.dropped.clone()).collect();
        let mut ranked = 0;
        for at in order {
            if stopped {
                outcomes[at] = Some(Dropped::Stopped);
                continue;
            }
            // Schedules that the user asked for have no rank, and get a time besides.
            let is_wished = entries[at].expected.is_none();
            if !is_wished && ranked >= self.space.finalists {
                outcomes[at] = Some(Dropped::Slower);
                continue;
            }
            let choice = entries[at].choice.clone();
            let trying = Progress::Trying { at: timed.len(), choice: choice.clone() };
            if progress(trying).is_break() {
                (stopped, outcomes[at]) = (true, Some(Dropped::Stopped));
                continue;
            }
            let event = match self.try_one(&choice, &mut reference)? {
                Ok((kernel, figure)) => {
                    let event =
                        Progress::Timed { at: timed.len(), choice: choice.clone(), time: figure.time() };
                    timed.push((at, figure));
                    ranked += usize::from(!is_wished);
                    if best.as_ref().is_none_or(|b: &Best<D::Figure>| figure.time() < b.figure.time()) {
                        best = Some(Best { choice, kernel, figure });
                    }
                    event
                }
                Err(why) => {
                    outcomes[at] = Some(why.clone());
                    Progress::Dropped { choice, why }
                }
            };
            stopped |= progress(event).is_break();
        }
        let candidates = candidates(entries, outcomes, &timed);
        let (Some(best), Some(reference)) = (best, reference) else {
            if stopped {
                return Err(TuneError::Stopped);
            }
            return Err(TuneError::NothingLeft(reasons(&candidates)));
        };
        self.remember(&best, !stopped, progress);
        let checked_by = reference.by;
        let source = if stopped { Source::Stopped { checked_by } } else { Source::Search { checked_by } };
        let Best { choice, kernel, figure } = best;
        Ok(Tuned { kernel, choice, figure, source, candidates })
    }

    /// The result of an earlier search, or the best that a stopped one found.
    ///
    /// # Errors
    /// [`TuneError::Stopped`], if the callback has heard enough.
    fn remembered(
        &self,
        progress: Callback<'_>,
    ) -> Result<Option<std::result::Result<Tuned<D::Figure>, Choice>>> {
        let Some(place) = self.place.as_ref().filter(|_| !self.space.afresh) else { return Ok(None) };
        let file = place.file.clone();
        let why = match place.load::<D::Figure>() {
            Lookup::Nothing => return Ok(None),
            Lookup::Ignored(why) => why,
            Lookup::Found(Remembered { complete: false, choice, .. }) => return Ok(Some(Err(choice))),
            Lookup::Found(Remembered { choice, figure, .. }) => match self.still_right(&choice)? {
                Err(why) => why,
                Ok(kernel) => {
                    // There is nothing to stop.
                    let _ = progress(Progress::Remembered { file });
                    let (source, candidates) = (Source::Remembered, vec![]);
                    return Ok(Some(Ok(Tuned { kernel, choice, figure, source, candidates })));
                }
            },
        };
        match progress(Progress::Ignored { file, why }) {
            ControlFlow::Continue(()) => Ok(None),
            ControlFlow::Break(()) => Err(TuneError::Stopped),
        }
    }

    /// What was right for similar inputs, if it is for these. Points are for any. Commands may ignore races or promise
    /// bounds, which hold for some inputs alone: their result is compared.
    fn still_right(&self, choice: &Choice) -> Result<std::result::Result<Kernel, String>> {
        let kernel = match self.kernel.compile(choice) {
            Ok(kernel) => kernel,
            Err(why) => return Ok(Err(format!("its schedule does not compile: {why}"))),
        };
        if matches!(choice, Choice::Commands(_)) {
            let mut scratch = self.arguments.scratch(self.kernel.written());
            if let Err(why) = self.check(&kernel, &mut scratch, &self.reference()?) {
                return Ok(Err(format!("its schedule is not for these inputs: {why}")));
            }
        }
        Ok(Ok(kernel))
    }

    fn remember(&self, best: &Best<D::Figure>, complete: bool, progress: Callback<'_>) {
        let Some(place) = &self.place else { return };
        let found = Remembered { complete, choice: best.choice.clone(), figure: best.figure };
        if let Err(e) = place.store(&found) {
            // The search is over.
            let _ = progress(Progress::NotRemembered { file: place.file.clone(), why: e.to_string() });
        }
    }

    /// All candidates, the best by the cost model first; what wastes is dropped.
    fn ranked(&self) -> Result<Vec<Entry>> {
        let choices = self.space.choices(self.kernel);
        if choices.is_empty() {
            return Err(TuneError::NothingToTune(self.space.why_empty(self.kernel)));
        }
        let mut blocks = vec![];
        let entries = choices.into_iter().map(|choice| {
            // What breaks a rule has no costs: a row is not taken in no parts.
            let dropped = match &choice {
                Choice::Point(point) => self.kernel.refuses(point),
                Choice::Commands(_) => None,
            };
            let report = match (&choice, &self.profile) {
                (Choice::Point(point), Some(profile)) if dropped.is_none() => Some(estimate(profile, point)),
                _ => None,
            };
            blocks.push(report.as_ref().and_then(|r| r.launches.iter().map(|l| l.grid[0]).max()));
            Entry { expected: report.map(|r| self.model.predict_all(&r)), choice, dropped }
        });
        let mut entries: Vec<Entry> = entries.collect();
        self.constrain(&mut entries, &blocks);
        entries.sort_by_key(|e| e.expected);
        Ok(entries)
    }

    /// One constraint after another; one that nobody meets drops nobody.
    fn constrain(&self, entries: &mut [Entry], blocks: &[Option<u64>]) {
        let Some(profile) = &self.profile else { return };
        let (limits, model) = (&self.space.limits, &self.model);
        // A launch that leaves multiprocessors without a block wastes nothing by idle lanes.
        let is_full = |at: usize| blocks[at].is_some_and(|n| n >= u64::from(model.multiprocessors));
        type Constraint<'c> = &'c dyn Fn(usize, &AtomicParallelism) -> Option<Dropped>;
        let constraints: [Constraint<'_>; 5] = [
            &|_, point| limits.columns(profile, point),
            &|_, point| limits.tiles(profile, point),
            &|at, point| limits.lanes(profile, point).filter(|_| is_full(at)),
            &|at, point| limits.balance(profile, point, model).filter(|_| is_full(at)),
            &|at, _| blocks[at].and_then(|n| limits.enough_blocks(n, model)),
        ];
        for constraint in constraints {
            let found = entries.iter().enumerate().map(|(at, e)| match &e.choice {
                Choice::Point(point) if e.dropped.is_none() => constraint(at, point),
                _ => None,
            });
            let found: Vec<Option<Dropped>> = found.collect();
            let left = |dropped: &Vec<Option<Dropped>>| {
                let points = entries.iter().zip(dropped);
                points.filter(|(e, d)| e.expected.is_some() && e.dropped.is_none() && d.is_none()).count()
            };
            if left(&found) > 0 {
                entries.iter_mut().zip(found).for_each(|(e, d)| e.dropped = e.dropped.take().or(d));
            }
        }
    }

    fn announce(&self, entries: &[Entry], progress: Callback<'_>) -> ControlFlow<()> {
        let kept = entries.iter().filter(|e| e.dropped.is_none());
        let wished = kept.clone().filter(|e| e.expected.is_none()).count();
        let kept = kept.count();
        let finalists = (self.space.finalists + wished).min(kept);
        progress(Progress::Ranked { candidates: entries.len(), kept, finalists })
    }

    /// The order in which they are tried: what a stopped search found, what the user asked for, then by rank.
    fn order(&self, entries: &[Entry], first: Option<&Choice>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..entries.len()).filter(|&at| entries[at].dropped.is_none()).collect();
        order.sort_by_key(|&at| (Some(&entries[at].choice) != first, entries[at].expected.is_some()));
        order
    }

    /// A candidate's kernel and time, or why it has none. An error is the reference's: no candidate can be checked.
    fn try_one(
        &self,
        choice: &Choice,
        reference: &mut Option<Reference>,
    ) -> Result<std::result::Result<(Kernel, D::Figure), Dropped>> {
        let kernel = match self.kernel.compile(choice) {
            Ok(kernel) => kernel,
            Err(why) => return Ok(Err(why)),
        };
        let (limits, target) = (&self.space.limits, self.device.target());
        if let Some(dropped) = registers::check(&kernel, limits, &self.model, target) {
            return Ok(Err(dropped));
        }
        let reference = match reference {
            Some(reference) => reference,
            None => reference.insert(self.reference()?),
        };
        Ok(self.time(&kernel, reference).map(|figure| (kernel, figure)))
    }

    fn reference(&self) -> Result<Reference> {
        let operations = match &self.profile {
            Some(p) => p.operations(),
            None => self.arguments.values(),
        };
        let mut reference = None;
        // Its launches are not the user's.
        self.device.watch(|| {
            reference = Some(Reference::of(self.kernel, self.arguments, operations));
            Ok(())
        })?;
        reference.unwrap_or(Err(TuneError::Stopped))
    }

    /// Runs a kernel, checks its result, and only then takes its time.
    fn time(&self, kernel: &Kernel, reference: &Reference) -> std::result::Result<D::Figure, Dropped> {
        let written = self.kernel.written();
        let mut scratch = self.arguments.scratch(written);
        let seen = self.check(kernel, &mut scratch, reference)?;
        let mut again = || {
            let call = self.arguments.call(kernel, written, &mut scratch)?;
            if written.is_some() { call.in_place() } else { call.made().map(drop) }
        };
        let time = self.device.time(&self.model, seen, kernel.waits(), &mut again);
        time.map_err(|e| Dropped::Failed(e.to_string()))
    }

    /// Runs a kernel once, and compares its result: what the device saw, if it is right.
    fn check(
        &self,
        kernel: &Kernel,
        scratch: &mut Option<Box<dyn Scratch<D>>>,
        reference: &Reference,
    ) -> std::result::Result<D::Seen, Dropped> {
        let run = || self.once(kernel, self.kernel.written(), scratch);
        let (result, seen) = self.device.watch(run).map_err(|e| Dropped::Failed(e.to_string()))?;
        match reference.differs(&result) {
            Some(what) => Err(Dropped::Wrong(what)),
            None => Ok(seen),
        }
    }

    /// One run's result, on the host.
    fn once(
        &self,
        kernel: &Kernel,
        written: Option<usize>,
        scratch: &mut Option<Box<dyn Scratch<D>>>,
    ) -> std::result::Result<DynTensor, Error> {
        let (_, output) = kernel.program().output();
        let call = self.arguments.call(kernel, written, scratch)?;
        if written.is_none() {
            return fetch(call.made()?, output);
        }
        call.in_place()?;
        match scratch {
            Some(copy) => copy.host(),
            None => unreachable!("a kernel that writes in place has a copy to write"),
        }
    }
}

/// The table: those with a time first, the fastest first; then by rank.
fn candidates<F: Figure>(
    entries: Vec<Entry>,
    outcomes: Vec<Option<Dropped>>,
    timed: &[(usize, F)],
) -> Vec<Candidate<F>> {
    let mut ranks = 1..;
    let all = entries.into_iter().zip(outcomes).enumerate().map(|(at, (entry, dropped))| {
        let expected = entry.expected.and_then(|p| Some((ranks.next()?, p)));
        let outcome = match (timed.iter().find(|(n, _)| *n == at), dropped) {
            (Some((_, figure)), _) => Outcome::Timed(*figure),
            (None, dropped) => Outcome::Dropped(dropped.unwrap_or(Dropped::Stopped)),
        };
        Candidate { choice: entry.choice, expected, outcome }
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|c| match c.outcome {
        Outcome::Timed(figure) => (false, figure.time()),
        Outcome::Dropped(_) => (true, std::time::Duration::ZERO),
    });
    all
}
