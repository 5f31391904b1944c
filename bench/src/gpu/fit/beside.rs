//! What a rule reaches beside cuSPARSE on files, by times of its points that were measured in the same run.

use super::chosen;
use super::samples::Group;
use crate::gpu::kernel::Kernel;
use crate::gpu::tables::mean;
use sparse_core::schedule::rule::Line;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The speed of the points that rules choose over cuSPARSE's best algorithm, by kernel, file and number of columns.
#[derive(Default)]
pub(super) struct Beside(BTreeMap<(Kernel, String), Vec<(f64, f64)>>);

impl Beside {
    /// Counts what lines choose for a kernel on an input.
    pub(super) fn add(&mut self, group: &Group, lines: &[Line]) {
        if group.generated {
            return;
        }
        for sample in &group.samples {
            let ours = chosen(lines, sample).and_then(|point| sample.times.get(&point));
            if let (Some(ours), Some(rival)) = (ours, sample.rival) {
                let ratios = self.0.entry((group.kernel, group.input.clone())).or_default();
                ratios.push((sample.statistics.columns, rival / ours));
            }
        }
    }

    /// Geometric means, as the goals ask for them; empty if there is nothing to compare.
    pub(super) fn table(&self, what: &str) -> String {
        let mut text = String::new();
        for (kernel, parts) in [
            (Kernel::Spmm, &[(" for N <= 16,", 1.0..=16.0), (" for N = 32…128,", 32.0..=128.0)][..]),
            (Kernel::Spmv, &[(",", 1.0..=1.0)]),
            (Kernel::Sddmm, &[(",", 1.0..=128.0)]),
        ] {
            let files: Vec<&[(f64, f64)]> =
                self.0.iter().filter(|((k, _), _)| *k == kernel).map(|(_, ratios)| &ratios[..]).collect();
            if files.is_empty() {
                continue;
            }
            let _ = write!(text, "{what} {} over cuSPARSE's best on {} files:", kernel.name(), files.len());
            for (of, columns) in parts {
                let all = files.iter().flat_map(|f| f.iter()).filter(|(n, _)| columns.contains(n));
                if let Some(mean) = mean(&all.map(|(_, r)| *r).collect::<Vec<_>>()) {
                    let _ = write!(text, " {mean:.2}{of}");
                }
            }
            let of_each = files.iter().filter_map(|f| mean(&f.iter().map(|(_, r)| *r).collect::<Vec<_>>()));
            let won = of_each.filter(|r| *r >= 1.0).count();
            let _ = writeln!(text, " {won} of them at 1.0 or more");
        }
        text
    }
}
