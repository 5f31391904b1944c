//! What the kernels are meant to reach, and whether they did: `pass`, or `short` with the inputs that fall short.

use crate::report::{Group, Report, mean, worst};
use std::fmt::Write as _;

/// On which inputs a ratio has to be reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// On each of them.
    Each,
    /// By the geometric mean.
    Mean,
}

/// What is asked for, on any number of threads.
struct Target {
    kernel: &'static str,
    params: &'static str,
    rival: &'static str,
    least: f64,
    on: On,
}

const fn target(
    kernel: &'static str,
    params: &'static str,
    rival: &'static str,
    least: f64,
    on: On,
) -> Target {
    Target { kernel, params, rival, least, on }
}

/// The speed of `ours` relative to a rival.
const TARGETS: [Target; 35] = [
    target("spmv", "", "mkl", 0.95, On::Each),
    target("spmm", "N=4", "mkl", 0.95, On::Each),
    target("spmm", "N=32", "mkl", 0.95, On::Each),
    target("spmm", "N=128", "mkl", 0.9, On::Mean),
    target("norm", "", "hand", 0.95, On::Mean),
    target("norm", "", "gcc", 1.0, On::Mean),
    target("bilinear", "", "hand", 0.95, On::Mean),
    target("bilinear", "", "gcc", 1.0, On::Mean),
    target("sddmm", "K=32", "gcc", 1.0, On::Mean),
    target("sddmm", "K=128", "gcc", 1.0, On::Mean),
    target("mttkrp", "R=32", "gcc", 1.2, On::Mean),
    target("ttv", "", "gcc", 1.0, On::Mean),
    target("add", "", "mkl", 1.3, On::Each),
    target("add", "", "sprs", 1.0, On::Each),
    target("add", "", "faer", 1.0, On::Each),
    target("add", "", "hand", 0.95, On::Each),
    target("mul", "", "sprs", 1.0, On::Each),
    target("mul", "", "hand", 0.95, On::Each),
    target("spgemm", "", "sprs", 1.0, On::Each),
    target("spgemm", "", "faer", 1.0, On::Each),
    target("spgemm", "", "mkl", 1.0, On::Mean),
    target("spgemm", "", "hand", 1.0, On::Mean),
    target("masked", "", "hand", 0.95, On::Mean),
    target("masked", "", "ours-merged", 1.0, On::Mean),
    target("transpose", "", "hand", 0.95, On::Mean),
    target("ata", "", "sprs", 1.0, On::Each),
    target("ata", "", "mkl", 1.0, On::Mean),
    // The default schedule costs nothing where it brings nothing.
    target("spmv", "", "ours-serial", 0.95, On::Each),
    target("spmm", "N=4", "ours-serial", 0.95, On::Each),
    target("spmm", "N=32", "ours-serial", 0.95, On::Each),
    target("spmm", "N=128", "ours-serial", 0.95, On::Each),
    target("sddmm", "K=32", "ours-serial", 0.95, On::Each),
    target("sddmm", "K=128", "ours-serial", 0.95, On::Each),
    target("ttv", "", "ours-serial", 0.95, On::Each),
    target("mttkrp", "R=32", "ours-serial", 0.95, On::Each),
];

/// With fewer passes other inputs fall short of `each` in every run, on a shared machine.
const ENOUGH: usize = 9;

/// Each target that something was measured for, in so many passes.
pub(crate) fn table(report: &Report, passes: usize) -> String {
    let mut text = String::new();
    let mut doubtful = false;
    for group in report.groups() {
        let Group { threads, kernel, params, dtype } = &group;
        for t in TARGETS.iter().filter(|t| t.kernel == *kernel && t.params == *params) {
            let ratios = report.ratios(&group, "ours", t.rival);
            if ratios.is_empty() {
                continue;
            }
            let (on, reached) = match t.on {
                On::Each => ("each", ratios.iter().map(|(r, _)| *r).fold(f64::INFINITY, f64::min)),
                On::Mean => ("mean", mean(&ratios)),
            };
            let (rival, least) = (t.rival, t.least);
            let _ =
                write!(text, "{threads:>7} {kernel:<9} {params:<6} {dtype:<5} {rival:<11} {on} {least:>5.2}");
            doubtful |= reached < least && t.on == On::Each && passes < ENOUGH;
            let mark = if reached >= least { "pass" } else { "short" };
            let _ = write!(text, " {reached:>7.2} {:>6.2} {mark}", mean(&ratios));
            if let Some(named) = worst(ratios, least).filter(|_| reached < least) {
                let _ = write!(text, ": {named}");
            }
            let left_out = report.left_out(&group);
            if !left_out.is_empty() {
                let _ = write!(text, "; without {}", left_out.join(", "));
            }
            text.push('\n');
        }
    }
    if text.is_empty() {
        return text;
    }
    let header = format!("{:>7} {:<9} {:<6} {:<5} {:<11}", "threads", "kernel", "params", "dtype", "against");
    if doubtful {
        let _ = writeln!(
            text,
            "on each input after {passes} of {ENOUGH} passes: what falls short may be noise, see --passes"
        );
    }
    format!("\ntargets: speed of ours\n{header}     least reached   mean\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Key;

    #[test]
    fn what_falls_short_is_named() {
        let mut report = Report::new(None).unwrap();
        assert_eq!(table(&report, 1), "");
        let key = |params: &str, input: &str| {
            let group = Group { threads: 1, kernel: "spmm", params: params.into(), dtype: "f32" };
            Key { group, input: input.into() }
        };
        let mut add = |params: &str, input: &str, mkl: f64| {
            let key = key(params, input);
            report.add(&key, "ours", 1.0, None).unwrap();
            report.add(&key, "mkl", mkl, None).unwrap();
        };
        // On each input, and by the mean.
        for params in ["N=4", "N=128"] {
            add(params, "slow", 0.8);
            add(params, "fast", 2.0);
        }
        report.leave_out(&key("N=128", "huge"), "too large".into());
        let table = |passes| table(&report, passes);
        let few = table(1);
        assert!(few.ends_with("after 1 of 9 passes: what falls short may be noise, see --passes\n"), "{few}");
        let table = table(ENOUGH);
        let lines: Vec<&str> = table.lines().skip(3).collect();
        assert!(lines[0].ends_with("short: slow 0.80") && lines[0].contains("0.80   1.26"), "{table}");
        assert!(lines[1].ends_with("1.26   1.26 pass; without huge (too large)"), "{table}");
        assert_eq!(lines.len(), 2);
    }
}
