//! The schedules beside each other, and beside the libraries, on one thread and on several.

use crate::report::{Group, Report, summary};
use std::fmt::Write as _;

/// The schedules, in the order of the columns.
const SCHEDULES: [&str; 4] = ["ours-rows", "ours-positions", "ours-tile", "ours-published"];
/// What the default schedule is held against.
const RIVALS: [(&str, &str); 4] =
    [("ours/serial", "ours-serial"), ("ours/mkl", "mkl"), ("ours/mkl-csr", "mkl-csr"), ("ours/gcc", "gcc")];

/// How much faster each schedule is than the default one, and the default one than none and than its rivals; empty if
/// nothing was scheduled.
pub(crate) fn table(report: &Report) -> String {
    let mut text = String::new();
    for group in report.groups() {
        let schedules = SCHEDULES.map(|s| report.ratios(&group, s, "ours"));
        let rivals = RIVALS.map(|(_, rival)| report.ratios(&group, "ours", rival));
        if schedules.iter().all(Vec::is_empty) && rivals[0].is_empty() {
            continue;
        }
        let Group { threads, kernel, params, dtype } = &group;
        let _ = write!(text, "{threads:>7} {kernel:<9} {params:<6} {dtype:<5}");
        for ratios in schedules.iter().chain(&rivals) {
            let _ = write!(text, " {:>15}", summary(ratios));
        }
        text.push('\n');
    }
    if text.is_empty() {
        return text;
    }
    let mut header = format!("{:>7} {:<9} {:<6} {:<5}", "threads", "kernel", "params", "dtype");
    for name in SCHEDULES.iter().chain(RIVALS.iter().map(|(title, _)| title)) {
        let _ = write!(header, " {name:>15}");
    }
    format!(
        "\nspeed of each schedule relative to ours, of ours relative to others (geometric mean, worst)\n{header}\n{text}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Key;

    #[test]
    fn schedules_stand_beside_the_default() {
        let mut report = Report::new(None).unwrap();
        assert_eq!(table(&report), "");
        let group = Group { threads: 2, kernel: "spmv", params: String::new(), dtype: "f64" };
        let key = Key { group, input: "m".into() };
        for (name, time) in [("ours", 2.0), ("ours-rows", 1.0), ("ours-serial", 3.0), ("mkl", 5.0)] {
            report.add(&key, name, time, None).unwrap();
        }
        let table = table(&report);
        let line = table.lines().last().unwrap();
        let columns: Vec<&str> = line.split_whitespace().collect();
        let expected = [
            "2", "spmv", "f64", "2.00", "(2.00)", "-", "-", "-", "1.50", "(1.50)", "2.50", "(2.50)", "-", "-",
        ];
        assert_eq!(columns, expected, "{table}");
    }
}
