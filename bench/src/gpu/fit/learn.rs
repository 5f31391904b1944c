//! Learning a list of decisions: few points, then lines, each the condition and point that save most of what the lines
//! before leave.
//!
//! The loss of a point on a case is the logarithm of its time over the best point's: means of it are geometric.

use sparse_core::front::AtomicParallelism;
use sparse_core::schedule::rule::{Condition, Feature, Kind, Line, Statistics, Test};
use std::collections::HashMap;
use std::mem::discriminant;

/// A case: what is known before it runs, and how long each point takes, in µs. There is a time at least.
pub(super) struct Sample {
    pub(super) statistics: Statistics,
    pub(super) times: HashMap<AtomicParallelism, f64>,
}

/// The most that a rule may have.
pub(super) struct Limits {
    pub(super) points: usize,
    pub(super) lines: usize,
}

/// A line has to save so much of the mean loss of all cases, and a second condition as much again.
const LEAST_GAIN: f64 = 0.005;
/// What a point loses where it has no time.
const NOT_MEASURED: f64 = 10.0;
/// What may divide the number of columns: the columns that a thread has.
const DIVISORS: [u32; 2] = [2, 4];
/// Bounds of one statistic that are tried.
const BOUNDS: usize = 12;

impl Sample {
    fn loss(&self, point: &AtomicParallelism) -> f64 {
        let best = self.times.values().copied().fold(f64::INFINITY, f64::min);
        self.times.get(point).map_or(NOT_MEASURED, |us| (us / best).ln())
    }
}

/// What a choice loses.
pub(super) struct Loss {
    pub(super) mean: f64,
    pub(super) worst: f64,
}

/// What a choice loses on some cases.
pub(super) fn loss(samples: &[&Sample], choose: impl Fn(&Sample) -> Option<AtomicParallelism>) -> Loss {
    let all = samples.iter().map(|s| choose(s).map_or(NOT_MEASURED, |p| s.loss(&p)));
    let (sum, worst) = all.fold((0.0, 0.0f64), |(sum, worst), l| (sum + l, worst.max(l)));
    Loss { mean: sum / samples.len().max(1) as f64, worst }
}

/// The one point that loses least on some cases, of which there is one at least.
pub(super) fn best_single(samples: &[&Sample]) -> (AtomicParallelism, Loss) {
    let (_, points) = Table::new(samples, None);
    let all = points.into_iter().map(|p| (p, loss(samples, |_| Some(p))));
    all.reduce(|a, b| if b.1.mean < a.1.mean { b } else { a }).expect("a case has a time")
}

/// The lines for a kind, of cases of which there is one at least. The last has no conditions.
pub(super) fn lines(kind: Kind, samples: &[&Sample], limits: &Limits) -> Vec<Line> {
    let (table, points) = Table::new(samples, Some(limits.points));
    let conditions = conditions(samples);
    let held: Vec<Vec<bool>> =
        conditions.iter().map(|c| samples.iter().map(|s| c.holds(&s.statistics)).collect()).collect();
    let (mut rest, mut lines) = (vec![true; samples.len()], vec![]);
    while lines.len() + 1 < limits.lines {
        let least = LEAST_GAIN * samples.len() as f64;
        let Some((when, point)) = table.best_line(&rest, &held, &conditions, least) else { break };
        for (at, left) in rest.iter_mut().enumerate() {
            *left &= !when.iter().all(|c| held[*c][at]);
        }
        let when = when.into_iter().map(|c| conditions[c]).collect();
        lines.push(Line { kind, when, point: points[point] });
    }
    let last = points[table.best(|at| rest[at]).0];
    // A line that says what the last one says anyway says nothing.
    while lines.last().is_some_and(|line: &Line| line.point == last) {
        lines.pop();
    }
    lines.push(Line { kind, when: vec![], point: last });
    lines
}

/// Losses: a row a case, a column a point.
struct Table(Vec<Vec<f64>>);

impl Table {
    /// Of all points, or of those few that lose least together if the best of them is chosen for each case, found one
    /// after another.
    fn new(samples: &[&Sample], most: Option<usize>) -> (Table, Vec<AtomicParallelism>) {
        let mut points: Vec<_> = samples.iter().flat_map(|s| s.times.keys().copied()).collect();
        points.sort_by_key(ToString::to_string);
        points.dedup();
        if let Some(most) = most {
            points = few(samples, &points, most);
        }
        (Table(samples.iter().map(|s| points.iter().map(|p| s.loss(p)).collect()).collect()), points)
    }

    /// The point that loses least on some cases, and what it loses in sum.
    fn best(&self, of: impl Fn(usize) -> bool) -> (usize, f64) {
        let mut sums = vec![0.0; self.0.first().map_or(0, Vec::len)];
        for (_, losses) in self.0.iter().enumerate().filter(|(at, _)| of(*at)) {
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        }
        let all = sums.into_iter().enumerate();
        all.reduce(|a, b| if b.1 < a.1 { b } else { a }).unwrap_or((0, 0.0))
    }

    /// One or two conditions and a point that save most, and more than the least.
    fn best_line(
        &self,
        rest: &[bool],
        held: &[Vec<bool>],
        conditions: &[Condition],
        least: f64,
    ) -> Option<(Vec<usize>, usize)> {
        let now = self.best(|at| rest[at]).1;
        let mut found = (least, None);
        for first in 0..conditions.len() {
            let others = first + 1..conditions.len();
            let pairs = others.filter(|c| is_other(&conditions[*c], &conditions[first]));
            for when in std::iter::once(vec![first]).chain(pairs.map(|second| vec![first, second])) {
                let holds = |at: usize| when.iter().all(|c| held[*c][at]);
                let (point, inside) = self.best(|at| rest[at] && holds(at));
                let (_, outside) = self.best(|at| rest[at] && !holds(at));
                let gain = now - inside - outside - least * (when.len() - 1) as f64;
                if gain > found.0 {
                    found = (gain, Some((when, point)));
                }
            }
        }
        found.1
    }
}

/// Does a condition ask something else than another, not the same with another bound?
fn is_other(a: &Condition, b: &Condition) -> bool {
    a.feature != b.feature || discriminant(&a.test) != discriminant(&b.test)
}

fn few(samples: &[&Sample], all: &[AtomicParallelism], most: usize) -> Vec<AtomicParallelism> {
    let mut chosen = vec![];
    let mut least = vec![NOT_MEASURED; samples.len()];
    while chosen.len() < most {
        let with = |p: &AtomicParallelism| -> f64 {
            samples.iter().zip(&least).map(|(s, l)| s.loss(p).min(*l)).sum()
        };
        let candidates = all.iter().map(|p| (*p, with(p)));
        let Some((point, total)) = candidates.reduce(|a, b| if b.1 < a.1 { b } else { a }) else { break };
        if !chosen.is_empty() && least.iter().sum::<f64>() - total < LEAST_GAIN * samples.len() as f64 {
            break;
        }
        samples.iter().zip(&mut least).for_each(|(s, l)| *l = s.loss(&point).min(*l));
        chosen.push(point);
    }
    chosen
}

/// Conditions that tell cases apart, with bounds that a reader can take in.
fn conditions(samples: &[&Sample]) -> Vec<Condition> {
    let mut all = vec![];
    for feature in Feature::ALL {
        let mut values: Vec<f64> = samples.iter().map(|s| feature.of(&s.statistics)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let between: Vec<f64> = values.windows(2).map(|w| round((w[0] + w[1]) / 2.0)).collect();
        let step = between.len().div_ceil(BOUNDS).max(1);
        let mut bounds: Vec<f64> = between.into_iter().step_by(step).collect();
        bounds.dedup();
        let both = |bound: f64| [Test::Below(bound), Test::AtLeast(bound)];
        let mut tests: Vec<Test> = bounds.into_iter().flat_map(both).collect();
        if feature == Feature::Columns {
            let divides = |n: u32| [Test::Multiple(n), Test::NotMultiple(n)];
            tests.extend(DIVISORS.into_iter().flat_map(divides));
        }
        let conditions = tests.into_iter().map(|test| Condition { feature, test });
        // One that all meet tells nobody apart.
        all.extend(conditions.filter(|c| samples.iter().any(|s| !c.holds(&s.statistics))));
    }
    all
}

/// To two digits.
fn round(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(mean: f64, cv: f64, times: [f64; 2]) -> Sample {
        let points = ["<1 row, 4 col>, 1", "<8 nnz, 4 col>, 8"].map(|p| p.parse().unwrap());
        let statistics = Statistics { rows: 1000.0, mean, cv, empty: 0.0, longest: 0.0, columns: 4.0 };
        Sample { statistics, times: points.into_iter().zip(times).collect() }
    }

    fn learned(kind: Kind, samples: &[Sample]) -> Vec<Line> {
        lines(kind, &samples.iter().collect::<Vec<_>>(), &Limits { points: 4, lines: 6 })
    }

    #[test]
    fn what_decides_is_found() {
        let case = |n: u32| {
            let (mean, cv) = (2.0 + f64::from(n % 10), 0.1 * f64::from(n / 4));
            sample(mean, cv, if mean < 6.0 && cv < 0.6 { [1.0, 3.0] } else { [2.0, 1.0] })
        };
        let samples: Vec<Sample> = (0..40).map(case).collect();
        let lines = learned(Kind::Columns, &samples);
        let all: Vec<&Sample> = samples.iter().collect();
        let decides = |s: &Sample| lines.iter().find(|l| l.when.iter().all(|c| c.holds(&s.statistics)));
        assert!(loss(&all, |s| decides(s).map(|l| l.point)).worst < 1e-12, "{lines:?}");
        assert!(best_single(&all).1.mean > 0.1);
        assert!(lines.len() <= 3 && lines[lines.len() - 1].when.is_empty());
    }

    #[test]
    fn divisibility_is_found() {
        let case = |n: u32| {
            let mut case = sample(4.0, 0.5, if n.is_multiple_of(4) { [1.0, 2.0] } else { [3.0, 1.0] });
            case.statistics.columns = f64::from(n);
            case
        };
        let samples: Vec<Sample> = (1..30).map(case).collect();
        assert_eq!(
            learned(Kind::Columns, &samples).iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["columns: columns % 4 == 0 -> <1 row, 4 col>, 1", "columns: -> <8 nnz, 4 col>, 8"]
        );
    }

    #[test]
    fn one_point_is_enough_where_it_is_always_best() {
        let samples: Vec<Sample> = (1..9).map(|n| sample(f64::from(n), 0.5, [1.0, 2.0])).collect();
        let lines = learned(Kind::Plain, &samples);
        assert_eq!(
            lines.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["plain: -> <1 row, 4 col>, 1"]
        );
    }

    #[test]
    fn a_point_without_a_time_is_not_chosen() {
        let mut samples: Vec<Sample> = (1..5).map(|n| sample(f64::from(n), 0.5, [1.0, 2.0])).collect();
        samples[2].times.retain(|p, _| p.to_string() != "<1 row, 4 col>, 1");
        let all: Vec<&Sample> = samples.iter().collect();
        assert_eq!(best_single(&all).0.to_string(), "<8 nnz, 4 col>, 8");
    }
}
