//! What is known of an input before anything runs: the numbers that schedules are chosen by.

use sparse_core::tensor::Lengths;

/// Sizes, and how row lengths are spread. Of a tensor, rows are the slices of its first dimension.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stats {
    /// Sizes of the dimensions.
    pub(crate) dims: Vec<usize>,
    /// Stored.
    pub(crate) entries: usize,
    /// Mean row length.
    pub(crate) mean: f64,
    /// Of the longest row.
    pub(crate) longest: u64,
    /// Standard deviation of row lengths over their mean; 0 without entries.
    pub(crate) cv: f64,
    /// Of all elements, how many are stored.
    pub(crate) density: f64,
}

impl Stats {
    /// `pos`: where rows begin, and where the last one ends.
    pub(crate) fn of_rows(dims: &[usize], pos: &[i32]) -> Stats {
        let rows = Lengths::of(pos.windows(2).map(|p| (p[1] - p[0]).max(0) as u64));
        let entries = rows.entries as usize;
        let all: f64 = dims.iter().map(|d| *d as f64).product();
        let density = if all == 0.0 { 0.0 } else { entries as f64 / all };
        Stats {
            dims: dims.to_vec(),
            entries,
            mean: rows.mean(),
            longest: rows.largest,
            cv: rows.variation(),
            density,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_different_lengths() {
        let s = Stats::of_rows(&[4, 5], &[0, 0, 4, 4, 8]);
        assert_eq!((s.entries, s.mean, s.longest, s.cv, s.density), (8, 2.0, 4, 1.0, 0.4));
        let none = Stats::of_rows(&[0, 5], &[0]);
        assert_eq!((none.entries, none.mean, none.longest, none.cv, none.density), (0, 0.0, 0, 0.0, 0.0));
    }
}
