//! What was measured: a CSV file as it grows, and a table of ratios at the end.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The implementation that the table is about.
const SUBJECT: &str = "ours";
/// Those it is held against, in the order of the table, and the ratio that it should reach.
const RIVALS: [(&str, f64); 4] = [("hand", 0.95), ("sprs", 1.0), ("faer", 1.0), ("mkl", 0.0)];
/// How many inputs that fall short are named.
const NAMED: usize = 4;

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) group: Group,
    pub(crate) input: String,
}

/// What one line of a table is about: all inputs together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    pub(crate) threads: usize,
    pub(crate) kernel: &'static str,
    pub(crate) params: String,
    pub(crate) dtype: &'static str,
}

/// All results, and the file they go to.
pub(crate) struct Report {
    csv: Option<(PathBuf, std::fs::File)>,
    /// The least of an implementation's medians, if it was measured several times.
    medians: BTreeMap<Key, BTreeMap<&'static str, f64>>,
    wrong: Vec<String>,
    left_out: BTreeMap<Key, String>,
}

impl Report {
    /// Into a new file, or into none.
    pub(crate) fn new(csv: Option<&Path>) -> Result<Self> {
        let mut report =
            Report { csv: None, medians: BTreeMap::new(), wrong: vec![], left_out: BTreeMap::new() };
        if let Some(path) = csv {
            let file = std::fs::File::create(path).map_err(Error::at(path))?;
            report.csv = Some((path.to_path_buf(), file));
            report.line("kernel,input,params,dtype,threads,implementation,median_ms,verified")?;
        }
        Ok(report)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        match &mut self.csv {
            Some((path, file)) => writeln!(file, "{line}").map_err(Error::at(path)),
            None => Ok(()),
        }
    }

    /// Adds an implementation's median time in seconds; `fault` says how its result is wrong. A wrong result's time
    /// does not count in the table.
    pub(crate) fn add(
        &mut self,
        key: &Key,
        name: &'static str,
        seconds: f64,
        fault: Option<String>,
    ) -> Result<()> {
        let Key { group: Group { threads, kernel, params, dtype }, input } = key;
        let (ms, verified) = (seconds * 1e3, fault.is_none());
        self.line(&format!("{kernel},{input},{params},{dtype},{threads},{name},{ms:.6},{verified}"))?;
        match fault {
            None => {
                let least = self.medians.entry(key.clone()).or_default().entry(name).or_insert(seconds);
                *least = least.min(seconds);
            }
            Some(fault) => self.wrong.push(format!("{kernel} {params} {dtype} {input} {name}: {fault}")),
        }
        Ok(())
    }

    /// Says that an input was left out, and why.
    pub(crate) fn leave_out(&mut self, key: &Key, why: String) {
        self.left_out.insert(key.clone(), why);
    }

    /// The inputs that were left out of a group, with the reason.
    pub(crate) fn left_out(&self, group: &Group) -> Vec<String> {
        let here = self.left_out.iter().filter(|(key, _)| key.group == *group);
        here.map(|(key, why)| format!("{} ({why})", key.input)).collect()
    }

    /// Results that were wrong, a line each.
    pub(crate) fn wrong(&self) -> &[String] {
        &self.wrong
    }

    /// How much faster the subject is than each rival, and hand-written code than itself: the noise.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        let header = format!("{:<9} {:<6} {:<5}", "kernel", "params", "dtype");
        let _ = write!(text, "speed of {SUBJECT} relative to each (geometric mean, worst)\n{header}");
        for (rival, _) in RIVALS {
            let _ = write!(text, " {rival:>15}");
        }
        let _ = writeln!(text, " {:>15}", "hand/probe");
        let mut short = String::new();
        for group in self.groups().into_iter().filter(|g| g.threads == 1) {
            let Group { kernel, params, dtype, .. } = &group;
            let _ = write!(text, "{kernel:<9} {params:<6} {dtype:<5}");
            for (rival, target) in RIVALS {
                let ratios = self.ratios(&group, SUBJECT, rival);
                let _ = write!(text, " {:>15}", summary(&ratios));
                short.push_str(&shortfalls(&format!("{kernel} {params} {dtype}"), rival, target, ratios));
            }
            let _ = writeln!(text, " {:>15}", summary(&self.ratios(&group, "probe", "hand")));
        }
        if !short.is_empty() {
            let _ = write!(text, "\nbelow 0.95 of hand, or behind sprs or faer:\n{short}");
        }
        text
    }

    /// What has been measured, in the order of the table.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<_> = self.medians.keys().map(|key| key.group.clone()).collect();
        groups.sort_by_key(|Group { threads, kernel, params, dtype }| {
            let order = crate::cpu::Kernel::ALL.iter().position(|k| k.name() == *kernel);
            (*threads, order, params.len(), params.clone(), *dtype)
        });
        groups.dedup();
        groups
    }

    /// Time of `other` over time of `subject`, an input each where both were measured.
    pub(crate) fn ratios(&self, group: &Group, subject: &str, other: &str) -> Vec<(f64, &str)> {
        self.medians
            .iter()
            .filter(|(key, _)| key.group == *group)
            .filter_map(|(key, times)| Some((times.get(other)? / times.get(subject)?, key.input.as_str())))
            .collect()
    }
}

/// Geometric mean of ratios.
pub(crate) fn mean(ratios: &[(f64, &str)]) -> f64 {
    (ratios.iter().map(|(r, _)| r.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// The mean and the worst of ratios.
pub(crate) fn summary(ratios: &[(f64, &str)]) -> String {
    if ratios.is_empty() {
        return "-".to_string();
    }
    let least = ratios.iter().map(|(r, _)| *r).fold(f64::INFINITY, f64::min);
    format!("{:.2} ({least:.2})", mean(ratios))
}

fn shortfalls(group: &str, rival: &str, target: f64, ratios: Vec<(f64, &str)>) -> String {
    match worst(ratios, target) {
        None => String::new(),
        Some(named) => format!("  {group} against {rival}: {named}\n"),
    }
}

/// The inputs below a target, the worst first; `None` if there are none.
pub(crate) fn worst(mut ratios: Vec<(f64, &str)>, target: f64) -> Option<String> {
    ratios.retain(|(r, _)| *r < target);
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named: Vec<String> = ratios.iter().take(NAMED).map(|(r, input)| format!("{input} {r:.2}")).collect();
    let more = ratios.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| named.join(", ") + &more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortfalls_are_named() {
        let mut report = Report::new(None).unwrap();
        let group = Group { threads: 1, kernel: "spmv", params: String::new(), dtype: "f32" };
        let key = Key { group, input: "m".into() };
        report.add(&key, "ours", 2.0, None).unwrap();
        report.add(&key, "hand", 1.0, None).unwrap();
        report.add(&key, "sprs", 4.0, None).unwrap();
        report.add(&key, "faer", 1.0, Some("value 0 is 1".into())).unwrap();
        let table = report.table();
        assert!(table.contains("0.50 (0.50)") && table.contains("2.00 (2.00)"), "{table}");
        assert!(
            table.contains("spmv  f32 against hand: m 0.50") && !table.contains("against faer"),
            "{table}"
        );
        assert_eq!(report.wrong().len(), 1);
    }

    #[test]
    fn the_least_of_several_medians_counts() {
        let mut report = Report::new(None).unwrap();
        let group = Group { threads: 1, kernel: "spmv", params: String::new(), dtype: "f32" };
        let key = Key { group, input: "m".into() };
        for (ours, hand) in [(3.0, 4.0), (2.0, 9.0), (5.0, 6.0)] {
            report.add(&key, "ours", ours, None).unwrap();
            report.add(&key, "hand", hand, None).unwrap();
        }
        assert!(report.table().contains("2.00 (2.00)"), "{}", report.table());
    }
}
