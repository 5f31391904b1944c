//! Geometric means and win rates, for inputs that are bound by different things.

use super::ceilings::Ceilings;
use super::kernel::Kernel;
use super::measure::TUNED;
use super::points::{DEFAULT, TACO};
use super::results::Case;
use sparse_core::scalar::DType;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Shorter calls are bound by the launch.
const LAUNCH_US: f64 = 10.0;

/// What limits a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// The fastest implementation takes less than ten microseconds.
    Launch,
    /// All arrays together fit into the second-level cache.
    Cache,
    /// They do not.
    Memory,
}

impl Class {
    /// Of a case; `None` if nothing was measured.
    pub(crate) fn of(case: &Case, ceilings: &Ceilings) -> Option<Class> {
        let fastest = case.times.iter().map(|t| t.us).min_by(f64::total_cmp)?;
        Some(if fastest < LAUNCH_US {
            Class::Launch
        } else if case.work.bytes <= ceilings.cache_bytes {
            Class::Cache
        } else {
            Class::Memory
        })
    }

    fn name(self) -> &'static str {
        match self {
            Class::Launch => "launch",
            Class::Cache => "L2",
            Class::Memory => "memory",
        }
    }
}

/// Geometric mean; `None` of nothing.
pub(crate) fn mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|r| r.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

/// Ratios that `ratio` finds in cases.
pub(crate) fn ratios<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
    ratio: impl Fn(&Case) -> Option<f64>,
) -> Vec<f64> {
    cases.into_iter().filter_map(ratio).collect()
}

/// `1.52 (0.88, 90 %)`: the mean, the least, and how many are 1 or more.
fn summary(ratios: &[f64]) -> String {
    let Some(mean) = mean(ratios) else { return "-".into() };
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let wins = ratios.iter().filter(|r| **r >= 1.0).count() * 100 / ratios.len();
    format!("{mean:.2} ({least:.2}, {wins} %)")
}

/// Time of `other` over that of `subject`.
pub(crate) fn speedup(other: Option<f64>, subject: Option<f64>) -> Option<f64> {
    Some(other? / subject?)
}

/// The best of all schedules of ours.
pub(crate) fn best(case: &Case) -> Option<f64> {
    case.best(|_| true)
}

/// The better of TACO's two algorithms.
pub(crate) fn tacos(case: &Case) -> Option<f64> {
    case.best(|p| p.starts_with(TACO))
}

type Column = (&'static str, fn(&Case) -> Option<f64>);

/// What stands in the columns.
const COLUMNS: [Column; 7] = [
    ("default/cusparse", |c| speedup(c.of("cusparse"), c.ours(DEFAULT))),
    ("tuned/cusparse", |c| speedup(c.of("cusparse"), c.ours(TUNED))),
    ("best/cusparse", |c| speedup(c.of("cusparse"), best(c))),
    ("default/TACO", |c| speedup(tacos(c), c.ours(DEFAULT))),
    ("best/TACO", |c| speedup(tacos(c), best(c))),
    ("tuned/best", |c| speedup(best(c), c.ours(TUNED))),
    ("default/best", |c| speedup(best(c), c.ours(DEFAULT))),
];

/// Speedups by kernel, columns and class. `numbers`: are they measured or predicted?
pub(crate) fn speedups(cases: &[Case], ceilings: &Ceilings, numbers: &str) -> String {
    let mut groups: BTreeMap<(Kernel, DType, usize, Class), Vec<&Case>> = BTreeMap::new();
    for case in cases {
        if let Some(class) = Class::of(case, ceilings) {
            groups.entry((case.kernel, case.dtype, case.n, class)).or_default().push(case);
        }
    }
    let used = |c: &&Column| cases.iter().any(|case| c.1(case).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(used).collect();
    let mut text = format!(
        "\nspeed relative to others, {numbers}: geometric mean (least, part of the inputs at 1 or more)\n\
         and parts of the roofline that are reached\n{:<7} {:<6} {:<5} {:<6} {:>6}",
        "kernel", "params", "dtype", "bound", "inputs"
    );
    for (name, _) in &columns {
        let _ = write!(text, " {name:>20}");
    }
    let _ = writeln!(text, " {:>9} {:>9}", "default", "best");
    for ((kernel, dtype, n, class), cases) in &groups {
        let (params, class) = (kernel.params(*n), class.name());
        let (kernel, dtype) = (kernel.name(), dtype.to_string());
        let _ = write!(text, "{kernel:<7} {params:<6} {dtype:<5} {class:<6} {:>6}", cases.len());
        for (_, ratio) in &columns {
            let _ = write!(text, " {:>20}", summary(&ratios(cases.iter().copied(), ratio)));
        }
        for subject in [|c: &Case| c.ours(DEFAULT), best] {
            let reached = |c: &Case| Some(ceilings.floor_us(&c.work) / subject(c)?);
            let reached = mean(&ratios(cases.iter().copied(), reached));
            let _ = write!(text, " {:>9}", reached.map_or("-".into(), |r| format!("{:.0} %", 100.0 * r)));
        }
        text.push('\n');
    }
    text
}

/// Whether others' sparse results had the columns of each row in order; nothing if there are none.
pub(crate) fn orders(orders: &BTreeMap<(Kernel, String), [usize; 2]>) -> String {
    let mut text = String::new();
    if !orders.is_empty() {
        text.push_str(
            "\nresults with the columns of every row in order, as ours have to be (others are sorted on the host before they \
             are\ncompared, which is not in their time)\n",
        );
    }
    for ((kernel, name), [sorted, all]) in orders {
        let _ = writeln!(text, "{:<7} {name:<26} {sorted} of {all}", kernel.name());
    }
    text
}

/// Each schedule against the best of all on the same input.
pub(crate) fn points(cases: &[Case], numbers: &str) -> String {
    let mut groups: BTreeMap<(Kernel, DType, usize), Vec<&Case>> = BTreeMap::new();
    cases.iter().for_each(|case| groups.entry((case.kernel, case.dtype, case.n)).or_default().push(case));
    let mut text = format!(
        "\nschedules of ours, {numbers}: part of the best one's speed (geometric mean, least), inputs it is best on\n"
    );
    for ((kernel, dtype, n), cases) in &groups {
        let mut names: Vec<&str> = vec![];
        for time in cases.iter().flat_map(|c| &c.times).filter(|t| !t.point.is_empty()) {
            if !names.contains(&&*time.point) {
                names.push(&time.point);
            }
        }
        for name in names {
            let parts = ratios(cases.iter().copied(), |c| speedup(best(c), c.ours(name)));
            let least = parts.iter().copied().fold(f64::INFINITY, f64::min);
            let wins = parts.iter().filter(|p| **p >= 1.0).count();
            let mean = mean(&parts).unwrap_or(f64::NAN);
            let (kernel, params, inputs) = (kernel.name(), kernel.params(*n), parts.len());
            let dtype = dtype.to_string();
            let _ = writeln!(
                text,
                "{kernel:<7} {params:<6} {dtype:<5} {name:<26} {mean:.2} ({least:.2}) {wins:>3} of {inputs}"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::case;
    use super::*;

    const CEILINGS: Ceilings =
        Ceilings { memory: 1e12, cache: 1e15, cache_bytes: 50 << 20, operations: 1e15, measured: true };

    fn cases() -> Vec<Case> {
        vec![
            case(
                Kernel::Spmm,
                "a",
                4,
                &[("ours", "default", 2.0), ("ours", "TACO x", 8.0), ("cusparse", "", 4.0)],
            ),
            case(
                Kernel::Spmm,
                "b",
                4,
                &[("ours", "default", 4.0), ("ours", "TACO x", 2.0), ("cusparse", "", 2.0)],
            ),
            case(Kernel::Spmm, "c", 4, &[("ours", "default", 40.0), ("cusparse", "", 20.0)]),
            case(Kernel::Spmv, "d", 1, &[]),
        ]
    }

    #[test]
    fn classes_are_apart() {
        let text = speedups(&cases(), &CEILINGS, "measured");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines[3].contains("default/cusparse") && !lines[3].contains("tuned"), "{text}");
        // 2 and 1/2; of TACO's 4 and 1/2.
        assert!(lines[4].starts_with("spmm    N=4    f32   launch      2    1.00 (0.50, 50 %)"), "{text}");
        assert!(lines[4].contains(" 1.41 (0.50, 50 %) "), "{text}");
        assert!(lines[5].starts_with("spmm    N=4    f32   L2          1     0.50 (0.50, 0 %)"), "{text}");
        // 10 kB at 1 TB/s are 0.01 µs.
        assert!(lines[4].ends_with("0 %       1 %"), "{text}");
    }

    #[test]
    fn points_are_held_against_the_best() {
        let text = points(&cases(), "measured");
        assert!(
            text.contains("spmm    N=4    f32   default                    0.79 (0.50)   2 of 3"),
            "{text}"
        );
        assert!(text.contains("TACO x                     0.50 (0.25)   1 of 2"), "{text}");
    }

    #[test]
    fn means() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[4.0, 1.0]), Some(2.0));
    }
}
