//! What the GPU kernels are meant to reach on an H200, in `f32`, by the default schedule, and whether they did. Only what
//! was measured counts, on inputs that the default rule was not fitted on: the files.

use super::ceilings::Ceilings;
use super::kernel::Kernel;
use super::points::DEFAULT;
use super::results::Case;
use super::tables::{Class, mean, ratios, speedup};
use sparse_core::scalar::DType;
use std::fmt::Write as _;

/// A number that is to be reached.
pub(crate) struct Goal {
    pub(crate) what: &'static str,
    pub(crate) least: f64,
    /// None if nothing was run that tells.
    pub(crate) reached: Option<f64>,
}

/// The goals of single kernels; those of Sgap's tables stand below the tables.
pub(crate) fn of_kernels(cases: &[Case], ceilings: &Ceilings) -> Vec<Goal> {
    let rival = |c: &Case| speedup(c.of("cusparse"), c.ours(DEFAULT));
    let of = |kernel: Kernel, least: usize, most: usize| {
        let wanted = move |c: &&Case| {
            !c.generated && c.dtype == DType::F32 && c.kernel == kernel && (least..=most).contains(&c.n)
        };
        ratios(cases.iter().filter(wanted), rival)
    };
    let all = of(Kernel::Spmm, 1, 128);
    let wins = all.iter().filter(|r| **r >= 1.0).count() as f64 / all.len() as f64;
    // No file of a benchmark is larger than the cache: generated inputs count here too.
    let bandwidth = |c: &Case| {
        let past_cache = c.kernel == Kernel::Spmv
            && c.dtype == DType::F32
            && Class::of(c, ceilings) == Some(Class::Memory);
        let rate = c.work.bytes as f64 / (1e-6 * c.ours(DEFAULT)?);
        past_cache.then_some(rate / ceilings.memory)
    };
    vec![
        Goal {
            what: "SpMM, N <= 16: over cuSPARSE's best, geometric mean",
            least: 1.5,
            reached: mean(&of(Kernel::Spmm, 1, 16)),
        },
        Goal {
            what: "SpMM, N = 32…128: over cuSPARSE's best, geometric mean",
            least: 1.3,
            reached: mean(&of(Kernel::Spmm, 32, 128)),
        },
        Goal {
            what: "SpMM: part of the inputs at 1.0 or more over cuSPARSE's best",
            least: 0.9,
            reached: (!all.is_empty()).then_some(wins),
        },
        Goal {
            what: "SpMV: over cuSPARSE's best, geometric mean",
            least: 0.95,
            reached: mean(&of(Kernel::Spmv, 1, 1)),
        },
        Goal {
            what: "SpMV, past the L2: part of the copy's bandwidth, geometric mean",
            least: 0.6,
            reached: mean(&ratios(cases, bandwidth)),
        },
        Goal {
            what: "SDDMM: over cuSPARSE's best, geometric mean",
            least: 1.3,
            reached: mean(&of(Kernel::Sddmm, 1, 128)),
        },
    ]
}

/// A line a goal. A prediction passes nothing.
pub(crate) fn table(goals: &[Goal], numbers: &str) -> String {
    let mut text = format!("\ngoals on an H200, {numbers}\n{:<66} {:>5} {:>8}\n", "goal", "least", "reached");
    for Goal { what, least, reached } in goals {
        let (reached, mark) = match reached {
            None => ("-".into(), "nothing measured"),
            Some(r) if numbers != super::device::MEASURED => (format!("{r:.2}"), "predicted: does not count"),
            Some(r) if r >= least => (format!("{r:.2}"), "pass"),
            Some(r) => (format!("{r:.2}"), "fail"),
        };
        let _ = writeln!(text, "{what:<66} {least:>5.2} {reached:>8} {mark}");
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
    fn files_decide_and_predictions_do_not() {
        let times = |us| [("ours", "default", 2.0), ("cusparse", "", us)];
        let mut cases = vec![
            case(Kernel::Spmm, "a", 4, &times(4.0)),
            case(Kernel::Spmm, "b", 16, &times(1.0)),
            case(Kernel::Spmm, "c", 64, &times(3.0)),
            case(Kernel::Spmm, "d", 64, &times(1000.0)),
            case(Kernel::Spmv, "e", 1, &[("ours", "default", 200.0)]),
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
        let text = table(&goals, "measured");
        assert_eq!((text.matches(" fail\n").count(), text.matches(" pass\n").count()), (3, 1), "{text}");
        assert_eq!(text.matches("nothing measured").count(), 2);
        assert!(!table(&goals, "predicted").contains("pass"));
    }
}
