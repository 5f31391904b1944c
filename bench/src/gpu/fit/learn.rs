//! Learning a rule: a tree of conditions whose leaves are points (Breiman, Friedman, Olshen, Stone 1984), written as lines of
//! which the first that holds decides.
//!
//! The loss of a point on a case is the logarithm of its time over the best point's: means of it are geometric. A case goes
//! down the tree by conditions, each the one after which the best point of either side loses least. A branch that saves too
//! little for its lines is cut. What is left is read from left to right: a line needs the conditions under which its leaf is
//! to the left, since the lines before it have taken all others.

use sparse_core::front::AtomicParallelism;
use sparse_core::schedule::rule::{Condition, Feature, Kind, Line, Statistics, Test};
use std::collections::HashMap;
use std::mem::discriminant;

/// A case: what is known before it runs, and how long each point takes, in µs. There is a time at least.
pub(super) struct Sample {
    pub(super) statistics: Statistics,
    pub(super) times: HashMap<AtomicParallelism, f64>,
    /// How long cuSPARSE's best algorithm takes, where that was measured in the same run.
    pub(super) rival: Option<f64>,
}

/// The most that a rule may have.
pub(super) struct Limits {
    pub(super) points: usize,
    pub(super) lines: usize,
}

/// A line has to save so much of the mean loss of all cases.
const LEAST_GAIN: f64 = 0.002;
/// Cases that a line decides on, at least: fewer say nothing of others. Of 2, 4, 6 and 10, rules with 6 came nearest to the
/// best points of inputs that they were not fitted on (`bench/results/gpu-2026-11-26.txt`).
const LEAST_CASES: usize = 6;
/// Conditions on the way to a leaf.
const DEPTH: usize = 8;
/// What a point loses where it has no time.
const NOT_MEASURED: f64 = 10.0;
/// What may divide the number of columns: the columns that a thread has.
const DIVISORS: [u32; 2] = [2, 4];

impl Sample {
    fn loss(&self, point: &AtomicParallelism) -> f64 {
        self.measured(point).unwrap_or(NOT_MEASURED)
    }

    /// What is known to be lost by a point.
    fn measured(&self, point: &AtomicParallelism) -> Option<f64> {
        let best = self.times.values().copied().fold(f64::INFINITY, f64::min);
        self.times.get(point).map(|us| (us / best).ln())
    }
}

/// What choices lose, where that is known.
#[derive(Default)]
pub(super) struct Loss {
    sum: f64,
    worst: f64,
    /// Cases in which the point that was chosen has a time, and those in which it has none.
    pub(super) cases: usize,
    pub(super) unknown: usize,
}

impl Loss {
    /// Counts what is chosen for a case.
    pub(super) fn add(&mut self, sample: &Sample, chosen: Option<AtomicParallelism>) {
        match chosen.and_then(|p| sample.measured(&p)) {
            Some(loss) => {
                self.sum += loss;
                self.worst = self.worst.max(loss);
                self.cases += 1;
            }
            None => self.unknown += 1,
        }
    }

    /// The part of the best point's speed that is left, in geometric mean.
    pub(super) fn mean(&self) -> f64 {
        (-self.sum / self.cases.max(1) as f64).exp()
    }

    /// The same, of the worst case.
    pub(super) fn worst(&self) -> f64 {
        (-self.worst).exp()
    }
}

/// What a choice loses on some cases.
pub(super) fn loss(samples: &[&Sample], choose: impl Fn(&Sample) -> Option<AtomicParallelism>) -> Loss {
    let mut loss = Loss::default();
    samples.iter().for_each(|s| loss.add(s, choose(s)));
    loss
}

/// The one point that loses least on some cases, of which there is one at least.
pub(super) fn best_single(samples: &[&Sample]) -> AtomicParallelism {
    let (table, points) = Table::new(samples, None);
    points[table.best(&(0..samples.len()).collect::<Vec<_>>()).0]
}

/// The lines for a kind, of cases of which there is one at least. The last has no conditions.
pub(super) fn lines(kind: Kind, samples: &[&Sample], limits: &Limits) -> Vec<Line> {
    let (table, points) = Table::new(samples, Some(limits.points));
    let all: Vec<usize> = (0..samples.len()).collect();
    let mut gain = LEAST_GAIN * samples.len() as f64;
    let mut tree = table.grow(samples, &all, gain, DEPTH);
    while tree.leaves() > limits.lines.max(1) {
        gain *= 1.25;
        tree = table.grow(samples, &all, gain, DEPTH);
    }
    let mut lines = vec![];
    tree.read(&mut vec![], &mut |when, point| {
        lines.push(Line { kind, when: when.to_vec(), point: points[point] });
    });
    // A line that says what the next one says of all of its cases says nothing.
    for at in (1..lines.len()).rev() {
        let implied = lines[at].when.iter().all(|c| lines[at - 1].when.contains(c));
        if implied && lines[at - 1].point == lines[at].point {
            lines.remove(at - 1);
        }
    }
    lines
}

/// A tree of conditions.
enum Tree {
    /// The point, and what it loses on the cases that come here.
    Leaf(usize, f64),
    /// Where the condition holds, and where it does not.
    Node(Condition, Box<[Tree; 2]>),
}

impl Tree {
    fn leaves(&self) -> usize {
        match self {
            Tree::Leaf(..) => 1,
            Tree::Node(_, sides) => sides.iter().map(Tree::leaves).sum(),
        }
    }

    fn loss(&self) -> f64 {
        match self {
            Tree::Leaf(_, loss) => *loss,
            Tree::Node(_, sides) => sides.iter().map(Tree::loss).sum(),
        }
    }

    /// Calls `line` on each leaf from left to right, with the conditions that its line needs.
    fn read(&self, when: &mut Vec<Condition>, line: &mut impl FnMut(&[Condition], usize)) {
        match self {
            Tree::Leaf(point, _) => line(when, *point),
            Tree::Node(condition, sides) => {
                let [yes, no] = &**sides;
                let outside = when.clone();
                // Below a bound is what is below a smaller one.
                when.retain(|c| {
                    (c.feature, discriminant(&c.test)) != (condition.feature, discriminant(&condition.test))
                });
                when.push(*condition);
                yes.read(when, line);
                *when = outside;
                no.read(when, line);
            }
        }
    }
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
    fn best(&self, of: &[usize]) -> (usize, f64) {
        let mut sums = vec![0.0; self.0.first().map_or(0, Vec::len)];
        for at in of {
            sums.iter_mut().zip(&self.0[*at]).for_each(|(sum, loss)| *sum += loss);
        }
        let all = sums.into_iter().enumerate();
        all.reduce(|a, b| if b.1 < a.1 { b } else { a }).unwrap_or((0, 0.0))
    }

    /// The tree for some cases, each of whose further leaves saves so much.
    fn grow(&self, samples: &[&Sample], of: &[usize], gain: f64, depth: usize) -> Tree {
        let (point, loss) = self.best(of);
        let leaf = Tree::Leaf(point, loss);
        if depth == 0 {
            return leaf;
        }
        let splits = conditions(samples, of).into_iter().filter_map(|condition| {
            let (yes, no): (Vec<usize>, Vec<usize>) =
                of.iter().partition(|at| condition.holds(&samples[**at].statistics));
            let enough = yes.len().min(no.len()) >= LEAST_CASES;
            enough.then(|| (self.best(&yes).1 + self.best(&no).1, condition, [yes, no]))
        });
        let Some((_, condition, sides)) = splits.reduce(|a, b| if b.0 < a.0 - 1e-9 { b } else { a }) else {
            return leaf;
        };
        let sides = sides.map(|side| self.grow(samples, &side, gain, depth - 1));
        let tree = Tree::Node(condition, Box::new(sides));
        let saved = loss - tree.loss();
        if saved < gain * (tree.leaves() - 1) as f64 { leaf } else { tree }
    }
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

/// Conditions that tell some cases apart, with bounds that a reader can take in.
fn conditions(samples: &[&Sample], of: &[usize]) -> Vec<Condition> {
    let mut all = vec![];
    for feature in Feature::ALL {
        let mut values: Vec<f64> = of.iter().map(|at| feature.of(&samples[*at].statistics)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let bound = |w: &[f64]| match feature {
            // Numbers of columns are powers of two more often than not: those between are nearer to the smaller one.
            Feature::Columns => w[1],
            _ => between(w[0], w[1]),
        };
        let mut tests: Vec<Test> = values.windows(2).map(|w| Test::Below(bound(w))).collect();
        if feature == Feature::Columns {
            tests.extend(DIVISORS.into_iter().map(Test::Multiple));
        }
        all.extend(tests.into_iter().map(|test| Condition { feature, test }));
    }
    all
}

/// A bound above one number and not above another that is larger, of as few digits as that takes.
fn between(a: f64, b: f64) -> f64 {
    let middle = if a > 0.0 { (a * b).sqrt() } else { (a + b) / 2.0 };
    let digits = (0..8).filter_map(|n| format!("{middle:.n$e}").parse::<f64>().ok());
    digits.into_iter().find(|x| a < *x && *x <= b).unwrap_or(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(mean: f64, cv: f64, times: [f64; 2]) -> Sample {
        let points = ["<1 row, 4 col>, 1", "<8 nnz, 4 col>, 8"].map(|p| p.parse().unwrap());
        let statistics = Statistics { rows: 1000.0, mean, cv, empty: 0.0, longest: 0.0, columns: 4.0 };
        Sample { statistics, times: points.into_iter().zip(times).collect(), rival: None }
    }

    fn learned(kind: Kind, samples: &[Sample]) -> Vec<Line> {
        lines(kind, &samples.iter().collect::<Vec<_>>(), &Limits { points: 4, lines: 6 })
    }

    #[test]
    fn what_decides_is_found() {
        let case = |n: u32| {
            let (mean, cv) = (2.0 + f64::from(n % 10), 0.05 * f64::from(n / 4));
            sample(mean, cv, if mean < 6.0 && cv < 0.6 { [1.0, 3.0] } else { [2.0, 1.0] })
        };
        let samples: Vec<Sample> = (0..80).map(case).collect();
        let lines = learned(Kind::Columns, &samples);
        let all: Vec<&Sample> = samples.iter().collect();
        let decides = |s: &Sample| lines.iter().find(|l| l.when.iter().all(|c| c.holds(&s.statistics)));
        assert!(loss(&all, |s| decides(s).map(|l| l.point)).worst() > 1.0 - 1e-12, "{lines:?}");
        let single = best_single(&all);
        assert!(loss(&all, |_| Some(single)).mean() < 0.9);
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
        assert_eq!(best_single(&all).to_string(), "<8 nnz, 4 col>, 8");
        let other = loss(&all, |_| "<1 row, 4 col>, 1".parse().ok());
        assert_eq!((other.cases, other.unknown, other.mean(), other.worst()), (3, 1, 1.0, 1.0));
    }
}
