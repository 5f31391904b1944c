//! What the GPU kernels are meant to reach on an H200, in `f32`, by the default schedule, and whether they did; beside it,
//! what the tuner's schedules and the best of all reach. Only what was measured counts, on files. The standard rule is fitted on
//! these too: what to expect of other matrices is what `bench fit` says of each input by a rule that is fitted on all others.

use super::ceilings::Ceilings;
use super::kernel::Kernel;
use super::measure::TUNED;
use super::points::{DEFAULT, DETERMINISTIC, Point};
use super::results::Case;
use super::tables::{Class, best, mean, ratios, speedup};
use sparse_core::scalar::DType;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A number that is to be reached.
pub(crate) struct Goal {
    pub(crate) what: &'static str,
    pub(crate) least: f64,
    /// None if nothing was run that tells.
    pub(crate) reached: Option<f64>,
    /// The same of the tuner's schedules and of the best of all, where that is another question.
    pub(crate) others: [Option<f64>; 2],
    /// What pulls it down most.
    pub(crate) worst: Option<Worst>,
}

/// The input that is farthest from a goal, by one of our schedules.
#[derive(Clone, Debug)]
pub(crate) struct Worst {
    pub(crate) kernel: Kernel,
    pub(crate) n: usize,
    pub(crate) input: String,
    /// Of this input alone.
    pub(crate) ratio: f64,
    pub(crate) point: Point,
}

impl Worst {
    /// Of some cases the one with the lowest ratio; with whose point it was reached.
    pub(crate) fn of<'a>(
        cases: impl IntoIterator<Item = &'a Case>,
        ratio: impl Fn(&Case) -> Option<(f64, Point)>,
    ) -> Option<Worst> {
        let all = cases.into_iter().filter_map(|case| {
            let (ratio, point) = ratio(case)?;
            Some(Worst { kernel: case.kernel, n: case.n, input: case.input.clone(), ratio, point })
        });
        all.min_by(|a, b| a.ratio.total_cmp(&b.ratio))
    }
}

impl Goal {
    /// Was it not reached? What is predicted can miss it too.
    pub(crate) fn missed(&self) -> bool {
        self.reached.is_some_and(|reached| reached < self.least)
    }
}

/// The time of a kind of schedules of ours.
type Subject = fn(&Case) -> Option<f64>;

/// Whose schedules: the rule's, which count, the tuner's, and the best of all.
const SUBJECTS: [Subject; 3] = [|c| c.ours(DEFAULT), |c| c.ours(TUNED), best];

/// The goals of single kernels; those of Sgap's tables stand below the tables.
pub(crate) fn of_kernels(cases: &[Case], ceilings: &Ceilings) -> Vec<Goal> {
    // A kernel with a number of columns between these, on a file.
    let of = |kernel: Kernel, least: usize, most: usize| {
        let wanted = move |c: &&Case| {
            !c.generated && c.dtype == DType::F32 && c.kernel == kernel && (least..=most).contains(&c.n)
        };
        cases.iter().filter(wanted).collect::<Vec<_>>()
    };
    let over_cusparse = |cases: &[&Case], subject: Subject| {
        ratios(cases.iter().copied(), |c| speedup(c.of("cusparse"), subject(c)))
    };
    let lost =
        |case: &Case| Some((speedup(case.of("cusparse"), case.ours(DEFAULT))?, Point::default_schedule()));
    let means = |what, least, cases: &[&Case]| {
        let [reached, others @ ..] = SUBJECTS.map(|subject| mean(&over_cusparse(cases, subject)));
        Goal { what, least, reached, others, worst: Worst::of(cases.iter().copied(), lost) }
    };
    // Each matrix once, whatever numbers of columns it was measured with.
    let mut matrices: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    of(Kernel::Spmm, 1, 128).into_iter().for_each(|c| matrices.entry(&c.input).or_default().push(c));
    let wins = |subject: Subject| {
        let of_each: Vec<f64> =
            matrices.values().filter_map(|cases| mean(&over_cusparse(cases, subject))).collect();
        let wins = of_each.iter().filter(|r| **r >= 1.0).count();
        (!of_each.is_empty()).then(|| wins as f64 / of_each.len() as f64)
    };
    let [won, won_by_others @ ..] = SUBJECTS.map(wins);
    // No file of a benchmark is larger than the cache: generated inputs count here too.
    let rate = |c: &Case, subject: Subject| {
        let past_cache = c.kernel == Kernel::Spmv
            && c.dtype == DType::F32
            && Class::of(c, ceilings) == Some(Class::Memory);
        let rate = c.work.bytes as f64 / (1e-6 * subject(c)?);
        past_cache.then_some(rate / ceilings.memory)
    };
    let bandwidth = |subject: Subject| mean(&ratios(cases, |c| rate(c, subject)));
    let [part, part_by_others @ ..] = SUBJECTS.map(bandwidth);
    let in_single = || cases.iter().filter(|c| c.dtype == DType::F32);
    vec![
        means("SpMM, N <= 16: over cuSPARSE's best, geometric mean", 1.5, &of(Kernel::Spmm, 1, 16)),
        means("SpMM, N = 32…128: over cuSPARSE's best, geometric mean", 1.3, &of(Kernel::Spmm, 32, 128)),
        Goal {
            what: "SpMM: part of the matrices at 1.0 or more over cuSPARSE's best",
            least: 0.9,
            reached: won,
            others: won_by_others,
            worst: Worst::of(of(Kernel::Spmm, 1, 128), lost),
        },
        means("SpMV: over cuSPARSE's best, geometric mean", 0.95, &of(Kernel::Spmv, 1, 1)),
        Goal {
            what: "SpMV, past the L2: part of the copy's bandwidth, geometric mean",
            least: 0.6,
            reached: part,
            others: part_by_others,
            worst: Worst::of(cases, |c| Some((rate(c, SUBJECTS[0])?, Point::default_schedule()))),
        },
        means("SDDMM: over cuSPARSE's best, geometric mean", 1.3, &of(Kernel::Sddmm, 1, 128)),
        Goal {
            what: "the same bits in every run: over atomic updates, geometric mean",
            // It costs 1.3 times as much at the most.
            least: 1.0 / 1.3,
            reached: mean(&in_single().flat_map(|c| reproducible(c).map(|(r, _)| r)).collect::<Vec<_>>()),
            others: [None; 2],
            worst: Worst::of(in_single(), |c| {
                let worst = reproducible(c).min_by(|a, b| a.0.total_cmp(&b.0))?;
                Some((worst.0, Point::atomic(worst.1)))
            }),
        },
    ]
}

/// Of each point that was measured with atomic updates and with the same bits in every run: the second's speed over the
/// first's, and the point. The default rule is not asked, so that all inputs count.
fn reproducible(case: &Case) -> impl Iterator<Item = (f64, &str)> {
    case.times.iter().filter_map(|t| {
        let other = case.ours(t.point.strip_suffix(DETERMINISTIC)?);
        Some((speedup(other, Some(t.us))?, &*t.point))
    })
}

/// A line a goal. A prediction passes nothing.
pub(crate) fn table(goals: &[Goal], numbers: &str) -> String {
    let mut text = format!(
        "\ngoals on an H200, {numbers}\n{:<66} {:>5} {:>8} {:>8} {:>8}\n",
        "goal", "least", "reached", "tuned", "best"
    );
    let number = |n: &Option<f64>| n.map_or("-".into(), |n| format!("{n:.2}"));
    for Goal { what, least, reached, others, .. } in goals {
        let mark = match reached {
            None => "nothing measured",
            Some(_) if numbers != super::device::MEASURED => "predicted: does not count",
            Some(r) if r >= least => "pass",
            Some(_) => "fail",
        };
        let ([tuned, best], reached) = (others.each_ref().map(number), number(reached));
        let _ = writeln!(text, "{what:<66} {least:>5.2} {reached:>8} {tuned:>8} {best:>8} {mark}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::case;
    use super::*;

    const CEILINGS: Ceilings =
        Ceilings { memory: 1e12, cache: 1e15, cache_bytes: 50 << 20, operations: 1e15, measured: true };

    #[test]
    fn a_matrix_counts_once() {
        let times = |us| [("ours", "default", 2.0), ("cusparse", "", us)];
        let cases = vec![
            // 3/2 and 1/2: less than 1 in the mean.
            case(Kernel::Spmm, "a", 4, &times(3.0)),
            case(Kernel::Spmm, "a", 16, &times(1.0)),
            case(Kernel::Spmm, "b", 4, &times(3.0)),
        ];
        let part = &of_kernels(&cases, &CEILINGS)[2];
        assert_eq!(part.reached, Some(0.5));
    }

    #[test]
    fn files_decide_and_predictions_do_not() {
        let times = |us| [("ours", "default", 2.0), ("cusparse", "", us)];
        let mut cases = vec![
            case(Kernel::Spmm, "a", 4, &times(4.0)),
            case(Kernel::Spmm, "b", 16, &times(1.0)),
            case(Kernel::Spmm, "c", 64, &times(3.0)),
            case(Kernel::Spmm, "d", 64, &times(1000.0)),
            case(Kernel::Spmv, "e", 1, &[("ours", "default", 200.0), ("ours", "tuned", 100.0)]),
            case(
                Kernel::Ttv,
                "f",
                1,
                &[
                    ("ours", "<8 nnz, 1 col>, 8, deterministic", 5.0),
                    ("ours", "<8 nnz, 1 col>, 8", 4.0),
                    ("ours", "<1 row, 1 col>, 1", 1.0),
                ],
            ),
        ];
        cases[3].generated = true;
        cases[4].work.bytes = 100 << 20;
        let goals = of_kernels(&cases, &CEILINGS);
        let reached: Vec<Option<f64>> = goals.iter().map(|g| g.reached).collect();
        let close = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-3);
        assert!(
            close(reached[0], 1.0) && close(reached[1], 1.5) && close(reached[2], 2.0 / 3.0),
            "{reached:?}"
        );
        assert!(reached[3].is_none() && close(reached[4], 0.524), "{reached:?}");
        // By the tuner twice as much; only the default was measured of SpMM, so that it is the best.
        assert!(close(goals[4].others[0], 1.049) && close(goals[4].others[1], 1.049));
        assert!(goals[0].others[0].is_none() && close(goals[0].others[1], 1.0));
        assert!(close(reached[6], 0.8), "{reached:?}");
        // Whose input is farthest, and by which schedule.
        let worst = |at: usize| goals[at].worst.as_ref().map(|w| (&*w.input, w.ratio, &*w.point.name));
        assert_eq!((worst(0), worst(1)), (Some(("b", 0.5, "default")), Some(("c", 1.5, "default"))));
        assert_eq!((worst(2), worst(3)), (Some(("b", 0.5, "default")), None));
        assert_eq!(worst(6), Some(("f", 0.8, "<8 nnz, 1 col>, 8, deterministic")));
        assert_eq!(
            goals.iter().map(Goal::missed).collect::<Vec<_>>(),
            [true, false, true, false, true, false, false]
        );
        let text = table(&goals, "measured");
        assert_eq!((text.matches(" fail\n").count(), text.matches(" pass\n").count()), (3, 2), "{text}");
        assert_eq!(text.matches("nothing measured").count(), 2);
        assert!(!table(&goals, "predicted").contains("pass"));
    }
}
