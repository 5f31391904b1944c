//! What was measured: a CSV file as it grows, and all of it for tables.

use super::kernel::Kernel;
use super::problem::Work;
use super::stats::Stats;
use crate::error::{Error, Result};
use sparse_core::scalar::DType;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The columns of the file.
const HEADER: &str = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified";

/// A kernel on an input with so many columns.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) kernel: Kernel,
    /// Of the elements.
    pub(crate) dtype: DType,
    pub(crate) input: String,
    pub(crate) n: usize,
    pub(crate) stats: Stats,
    pub(crate) work: Work,
    /// Is the input generated? Default rules are fitted on those, and judged on the others.
    pub(crate) generated: bool,
    /// Of those whose results were right.
    pub(crate) times: Vec<Time>,
}

/// A median time.
#[derive(Clone, Debug)]
pub(crate) struct Time {
    pub(crate) implementation: String,
    /// The schedule of ours; empty for others.
    pub(crate) point: String,
    pub(crate) us: f64,
}

impl Case {
    /// Nothing measured yet.
    pub(crate) fn new(
        (kernel, dtype): (Kernel, DType),
        input: &str,
        n: usize,
        stats: Stats,
        work: Work,
    ) -> Case {
        Case { kernel, dtype, input: input.into(), n, stats, work, generated: false, times: vec![] }
    }

    /// Kernel, parameters, element type and input, in words.
    pub(crate) fn name(&self) -> String {
        named(self.kernel, self.dtype, self.n, &self.input)
    }

    /// The time of a schedule of ours.
    pub(crate) fn ours(&self, point: &str) -> Option<f64> {
        self.times.iter().find(|t| t.is_ours() && t.point == point).map(|t| t.us)
    }

    /// The time of another implementation.
    pub(crate) fn of(&self, implementation: &str) -> Option<f64> {
        self.times.iter().find(|t| t.implementation == implementation).map(|t| t.us)
    }

    /// The best time of those schedules of ours that are wanted.
    pub(crate) fn best(&self, wanted: impl Fn(&str) -> bool) -> Option<f64> {
        let ours = self.times.iter().filter(|t| t.is_ours() && wanted(&t.point));
        ours.map(|t| t.us).min_by(f64::total_cmp)
    }
}

/// What is measured, in words; the usual element type goes without saying.
pub(crate) fn named(kernel: Kernel, dtype: DType, n: usize, input: &str) -> String {
    let dtype = if dtype == DType::F32 { String::new() } else { dtype.to_string() };
    let parts = [kernel.name(), &kernel.params(n), &dtype, input];
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Time {
    fn is_ours(&self) -> bool {
        !self.point.is_empty()
    }
}

/// All results, and the file they go to.
pub(crate) struct Results {
    csv: Option<(PathBuf, std::fs::File)>,
    pub(crate) cases: Vec<Case>,
    /// Results that were wrong, a line each.
    pub(crate) wrong: Vec<String>,
    /// What was not measured, and why, a line each.
    pub(crate) left_out: Vec<String>,
    /// By kernel and implementation, of others' assembled results: how many had every row in order, and how many there are.
    pub(crate) orders: BTreeMap<(Kernel, String), [usize; 2]>,
}

impl Results {
    /// Into a new file, or into none.
    pub(crate) fn new(csv: Option<&Path>) -> Result<Results> {
        let mut results =
            Results { csv: None, cases: vec![], wrong: vec![], left_out: vec![], orders: BTreeMap::new() };
        if let Some(path) = csv {
            let file = std::fs::File::create(path).map_err(Error::at(path))?;
            results.csv = Some((path.to_path_buf(), file));
            results.line(HEADER)?;
        }
        Ok(results)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        match &mut self.csv {
            Some((path, file)) => writeln!(file, "{line}").map_err(Error::at(path)),
            None => Ok(()),
        }
    }

    /// Remembers whether the columns of each row were in order.
    pub(crate) fn add_order(&mut self, case: &Case, implementation: &str, in_order: bool) {
        let [sorted, all] = self.orders.entry((case.kernel, implementation.to_owned())).or_default();
        *sorted += usize::from(in_order);
        *all += 1;
    }

    /// Writes a time, and keeps it with its case if the result was right.
    pub(crate) fn add(&mut self, case: &mut Case, time: Time, fault: Option<String>) -> Result<()> {
        let (kernel, params) = (case.kernel.name(), case.kernel.params(case.n));
        let Time { implementation, point, us } = &time;
        let (input, bytes, verified) = (quoted(&case.input), case.work.bytes, fault.is_none());
        let (dtype, point_field) = (case.dtype, quoted(point));
        self.line(&format!(
            "{kernel},{input},{params},{dtype},{point_field},{implementation},{us:.3},{bytes},{verified}"
        ))?;
        match fault {
            None => case.times.push(time),
            Some(fault) => {
                let by = format!("{implementation} {point}");
                self.wrong.push(format!("{}, {}: {fault}", case.name(), by.trim_end()));
            }
        }
        Ok(())
    }
}

/// A field of a CSV file.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A case with such times; those with a point are ours.
    pub(crate) fn case(kernel: Kernel, input: &str, n: usize, times: &[(&str, &str, f64)]) -> Case {
        let stats =
            Stats { dims: vec![100, 100], entries: 800, mean: 8.0, longest: 40, cv: 1.0, density: 0.08 };
        let work = Work { bytes: 10_000, gathered: 3200 * n as u64, operations: 1600 * n as u64 };
        let mut case = Case::new((kernel, DType::F32), input, n, stats, work);
        case.times = times
            .iter()
            .map(|(implementation, point, us)| Time {
                implementation: (*implementation).into(),
                point: (*point).into(),
                us: *us,
            })
            .collect();
        case
    }

    #[test]
    fn wrong_results_do_not_count() {
        let path = std::env::temp_dir().join(format!("bench-results-{}.csv", std::process::id()));
        let mut results = Results::new(Some(&path)).unwrap();
        let mut case = case(Kernel::Spmm, "a,b", 4, &[]);
        let time = |us| Time { implementation: "ours".into(), point: "<1 row, 4 col>, 1".into(), us };
        results.add(&mut case, time(2.5), None).unwrap();
        results.add(&mut case, time(1.0), Some("value 3".into())).unwrap();
        assert_eq!((case.best(|_| true), results.wrong.len()), (Some(2.5), 1));
        let text = std::fs::read_to_string(&path).unwrap();
        let _ = std::fs::remove_file(&path);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], HEADER);
        assert_eq!(lines[1], "spmm,\"a,b\",N=4,f32,\"<1 row, 4 col>, 1\",ours,2.500,10000,true");
        assert!(lines[2].ends_with(",1.000,10000,false"));
    }
}
