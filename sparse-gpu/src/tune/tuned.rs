//! What tuning found.

use super::arguments::Arguments;
use super::check::Reviewer;
use super::error::{Result, TuneError};
use super::figure::{Figure, Predicted};
use super::limits::Dropped;
use super::tunable::Choice;
use crate::launch::{Backend, Kernel};
use sparse_core::format::Format;
use sparse_core::scalar::Element;
use sparse_core::tensor::{OnDevice, Tensor};
use std::fmt;

/// The best schedule of those that were tried, with its time: [`Measured`](super::Measured) on a GPU,
/// [`Predicted`] on the simulator.
pub struct Tuned<F: Figure> {
    pub(super) kernel: Kernel,
    pub(super) choice: Choice,
    pub(super) figure: F,
    pub(super) source: Source,
    pub(super) candidates: Vec<Candidate<F>>,
}

/// Where a result is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A search that came to its end.
    Search {
        /// Who computed the result that the candidates' were compared with.
        checked_by: Reviewer,
    },
    /// A search that the callback stopped: the best that was found until then.
    Stopped {
        /// Who computed the result that the candidates' were compared with.
        checked_by: Reviewer,
    },
    /// An earlier search, for inputs with about the same statistics: the time is of those.
    Remembered,
}

/// A schedule that could have been chosen.
#[derive(Clone, Debug)]
pub struct Candidate<F: Figure> {
    /// The schedule.
    pub choice: Choice,
    /// Its rank by the cost model, from 1, and the time that the model expects; `None` if it is no point.
    pub expected: Option<(usize, Predicted)>,
    /// What became of it.
    pub outcome: Outcome<F>,
}

/// What became of a candidate.
#[derive(Clone, Debug)]
pub enum Outcome<F: Figure> {
    /// Its result is right, and it has a time.
    Timed(F),
    /// It has none.
    Dropped(Dropped),
}

impl<F: Figure> Tuned<F> {
    /// The best schedule.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// The best schedule as text, to be written after the kernel's function in `tensor_kernel!`.
    pub fn schedule(&self) -> String {
        self.choice.schedule()
    }

    /// Its time.
    pub fn figure(&self) -> F {
        self.figure
    }

    /// Where it is from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The kernel with the best schedule, for [`Call`](crate::launch::Call).
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// All candidates: those with a time first, the fastest first, then by the model's rank.
    pub fn candidates(&self) -> &[Candidate<F>] {
        &self.candidates
    }

    /// Runs the kernel with the best schedule: `tuned.run::<DenseMat<f32>, _>(&arguments)`. One that writes in place runs by
    /// [`Tuned::kernel`].
    ///
    /// # Errors
    /// [`TuneError::Format`] and [`TuneError::ElementType`] if the result is another tensor, and what the call reports:
    /// [`Call::result`](crate::launch::Call::result).
    pub fn run<T: OnDevice, D: Backend>(
        &self,
        arguments: &Arguments<'_, D>,
    ) -> Result<Tensor<T::Element, T::Format, D>> {
        let (_, output) = self.kernel.program().output();
        if output.dtype != T::Element::DTYPE {
            let (expected, found) = (output.dtype, T::Element::DTYPE);
            return Err(TuneError::ElementType { name: output.name.clone(), expected, found });
        }
        if output.spec != T::Format::spec() {
            let (expected, found) = (Box::new(output.spec.clone()), Box::new(T::Format::spec()));
            return Err(TuneError::Format { tensor: output.name.clone(), expected, found });
        }
        Ok(arguments.call(&self.kernel, None, &mut None)?.result::<T::Element, T::Format>()?)
    }
}

impl<F: Figure> fmt::Display for Candidate<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.expected.map_or_else(|| "-".into(), |(rank, _)| rank.to_string());
        let expected = self.expected.map_or_else(|| "-".into(), |(_, p)| micros(&p));
        let (time, why) = match &self.outcome {
            Outcome::Timed(figure) => (micros(figure), F::ORIGIN.to_owned()),
            Outcome::Dropped(why) => ("-".into(), why.to_string()),
        };
        let point = self.choice.to_string();
        let point = match point.char_indices().nth(47) {
            Some((end, _)) => format!("{}…", &point[..end]),
            None => point,
        };
        write!(f, "{point:48} {rank:>5} {expected:>10} {time:>10}  {why}")
    }
}

fn micros(figure: &impl Figure) -> String {
    format!("{:.2}", figure.time().as_secs_f64() * 1e6)
}

impl<F: Figure> fmt::Display for Tuned<F> {
    /// The table of candidates, the best schedule and its time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.candidates.is_empty() {
            writeln!(f, "{:48} {:>5} {:>10} {:>10}", "schedule", "rank", "model µs", "µs")?;
        }
        self.candidates.iter().try_for_each(|c| writeln!(f, "{c}"))?;
        let source = match self.source {
            Source::Search { .. } => "",
            Source::Stopped { .. } => ", before the search was stopped",
            Source::Remembered => ", remembered",
        };
        writeln!(f, "{}{source}:", self.figure)?;
        f.write_str(&self.schedule())
    }
}

impl<F: Figure> fmt::Debug for Tuned<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tuned({}, {}, {:?})", self.choice, self.figure, self.source)
    }
}
