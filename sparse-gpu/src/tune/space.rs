//! What is tried.

use super::limits::Limits;
use super::memory::Memory;
use super::model::Model;
use super::tunable::{Choice, Parsed};
use sparse_core::front::AtomicParallelism;

/// The schedules that [`tune`](super::tune) chooses from, and how it goes about it.
///
/// ```
/// use sparse_gpu::tune::{Memory, Space};
/// let space = Space::all().threads([128, 256]).finalists(4).memory(Memory::None);
/// ```
#[derive(Clone, Debug)]
pub struct Space {
    points: Option<Vec<AtomicParallelism>>,
    threads: Vec<u32>,
    schedules: Vec<String>,
    pub(super) limits: Limits,
    pub(super) finalists: usize,
    pub(super) memory: Memory,
    pub(super) model: Option<Model>,
    pub(super) afresh: bool,
}

impl Space {
    /// Every legal point of the kernel, with blocks of 128, 256 and 512 threads, and the schedule that it is written
    /// with. The best eight by the cost model get a time.
    pub fn all() -> Space {
        Space {
            points: None,
            threads: vec![128, 256, 512],
            schedules: vec![],
            limits: Limits::default(),
            finalists: 8,
            memory: Memory::default(),
            model: None,
            afresh: false,
        }
    }

    /// No points but these, with the threads that they say.
    #[must_use]
    pub fn points(self, points: impl IntoIterator<Item = AtomicParallelism>) -> Space {
        Space { points: Some(points.into_iter().collect()), ..self }
    }

    /// Threads of a block, instead of the usual ones.
    #[must_use]
    pub fn threads(self, threads: impl IntoIterator<Item = u32>) -> Space {
        Space { threads: threads.into_iter().collect(), ..self }
    }

    /// One more schedule: commands, as in the braces of `schedule cuda { … }`. It gets a time whatever the model says;
    /// one that does not compile is dropped, and says why ([`Dropped::Illegal`](super::Dropped)).
    #[must_use]
    pub fn schedule(mut self, commands: impl Into<String>) -> Space {
        self.schedules.push(commands.into());
        self
    }

    /// What candidates may waste; [`Limits::none`] drops none.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Space {
        Space { limits, ..self }
    }

    /// How many of the best by the cost model get a time; at least one.
    #[must_use]
    pub fn finalists(self, finalists: usize) -> Space {
        Space { finalists: finalists.max(1), ..self }
    }

    /// Where results are remembered.
    #[must_use]
    pub fn memory(self, memory: Memory) -> Space {
        Space { memory, ..self }
    }

    /// The GPU that predictions are for, instead of the device's own, or an H200 on the simulator.
    #[must_use]
    pub fn model(self, model: Model) -> Space {
        Space { model: Some(model), ..self }
    }

    /// Searches even if the result is remembered, and remembers the new one.
    #[must_use]
    pub fn afresh(self) -> Space {
        Space { afresh: true, ..self }
    }

    /// All of it for a kernel, each once: points first.
    pub(super) fn choices(&self, kernel: &Parsed) -> Vec<Choice> {
        let mut all: Vec<Choice> = match &self.points {
            Some(points) => points.iter().map(|p| Choice::Point(*p)).collect(),
            None => {
                let points = kernel.points();
                let with = |threads: &u32| {
                    let threads = *threads;
                    points.iter().map(move |p| Choice::Point(AtomicParallelism { threads, ..*p }))
                };
                self.threads.iter().flat_map(with).collect()
            }
        };
        all.extend(kernel.own());
        all.extend(self.schedules.iter().map(|s| Choice::Commands(s.clone())));
        let mut seen = std::collections::HashSet::new();
        all.retain(|choice| seen.insert(choice.clone()));
        all
    }

    /// Why there are none.
    pub(super) fn why_empty(&self, kernel: &Parsed) -> String {
        match &self.points {
            Some(_) => "the space is empty, because `Space::points` names no point".into(),
            None if self.threads.is_empty() => {
                "the space is empty, because `Space::threads` names no size of blocks".into()
            }
            None => kernel.why_no_points(),
        }
    }

    /// What a remembered result depends on.
    pub(super) fn describe(&self, kernel: &Parsed) -> String {
        let choices: Vec<String> = self.choices(kernel).iter().map(Choice::to_string).collect();
        format!("{:?}; {} finalists; {}", self.limits, self.finalists, choices.join("; "))
    }
}

impl Default for Space {
    fn default() -> Self {
        Space::all()
    }
}
