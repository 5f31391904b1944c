//! Points beside a point, for a mistake's help: what is close to what the user has written.

use super::{Amount, AtomicParallelism, Data, THREADS};

/// Changes that are made together, at most.
const CHANGES: usize = 2;

impl AtomicParallelism {
    /// Legal points that differ from this one in little, those with fewer changes first.
    pub fn near(&self) -> Vec<AtomicParallelism> {
        let mut all = vec![*self];
        let mut changed = 0;
        for _ in 0..CHANGES {
            for at in std::mem::replace(&mut changed, all.len())..all.len() {
                for point in all[at].changed() {
                    if !all.contains(&point) {
                        all.push(point);
                    }
                }
            }
        }
        all.remove(0);
        all.retain(|point| point.check().is_ok());
        all
    }

    /// With one thing changed.
    fn changed(&self) -> Vec<AtomicParallelism> {
        let of = |data| AtomicParallelism { data, ..*self };
        let threads_of_row = if self.group > 1 { self.group } else { 8 };
        let shared = Data::Row(Amount::Part(threads_of_row));
        let (row, entry) = (Data::Row(Amount::Whole(1)), Data::Nnz(Amount::Whole(1)));
        let data = match self.data {
            Data::Row(Amount::Whole(_)) => [shared, entry, row],
            Data::Row(Amount::Part(_)) => [shared, row, entry],
            Data::Nnz(_) => [shared, row, entry],
        };
        let mut all = vec![
            AtomicParallelism { scatter: false, ..*self },
            AtomicParallelism { vector: false, ..*self },
            AtomicParallelism { deterministic: false, ..*self },
            AtomicParallelism { shared: 0, ..*self },
            AtomicParallelism { rows: 1, ..*self },
            AtomicParallelism { group: 1, ..*self },
        ];
        all.extend(data.map(of));
        all.extend([4, 1].map(|c| AtomicParallelism { columns: Amount::Whole(c), ..*self }));
        all.push(AtomicParallelism { group: threads_of_row.min(32).next_power_of_two(), ..*self });
        all.push(AtomicParallelism { threads: THREADS, ..*self });
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::front::AtomicParallelism;

    #[test]
    fn what_is_close_comes_first() {
        let first = |text: &str, n: usize| -> Vec<String> {
            let point: AtomicParallelism = text.parse().expect("a point");
            point.near().iter().take(n).map(ToString::to_string).collect()
        };
        assert_eq!(first("<1 row, 4 col>, 8", 2), ["<1 row, 4 col>, 1", "<1/8 row, 4 col>, 8"]);
        assert_eq!(
            first("<8 nnz, 4 col>, 8, scatter", 2),
            ["<8 nnz, 4 col>, 8", "<1/8 row, 4 col>, 8, scatter"]
        );
        assert_eq!(first("<1/8 row, 1 col>, 16", 1), ["<1/8 row, 1 col>, 1"]);
    }

    #[test]
    fn all_of_them_are_legal() {
        for text in [
            "<3 row, 7 col>, 4, scatter",
            "<1/2 nnz, 1/2 col>, 64, threads = 33",
            "<1024 row, 32 col>, 5, rows = 7",
        ] {
            let point: AtomicParallelism = text.parse().expect("a point");
            let near = point.near();
            assert!(near.iter().all(|p| p.check().is_ok()), "{near:?}");
        }
    }
}
