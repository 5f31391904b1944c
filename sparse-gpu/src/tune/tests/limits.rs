//! What is dropped, and why.

use crate::tune::profile::{Profile, Search};
use crate::tune::{Dropped, Limits, Model};
use sparse_core::front::AtomicParallelism;
use sparse_core::tensor::Lengths;

fn profile(rows: Vec<u32>, columns: u64) -> Profile {
    let lengths = Lengths::of(rows.iter().map(|&n| u64::from(n)));
    Profile {
        lengths,
        fibers: lengths,
        output: rows.len() as u64 * columns,
        rows,
        columns: Some(columns),
        others: 1,
        pattern: false,
        dense_rows: true,
        shares_rows: false,
        factors: 1,
        inner: 1000,
        bytes: 4,
        updates_vectors: true,
        imbalances: Default::default(),
        walks: Default::default(),
        runs: vec![],
        parents: vec![],
        row_search: Search::default(),
        entry_search: Search::default(),
        searched: vec![],
    }
}

fn point(text: &str) -> AtomicParallelism {
    text.parse().unwrap()
}

#[test]
fn columns_that_do_not_exist() {
    let limits = Limits::default();
    let waste = |n, text: &str| limits.columns(&profile(vec![1], n), &point(text));
    assert_eq!(waste(1, "<1 row, 4 col>, 1"), Some(Dropped::ColumnWaste(0.75)));
    assert_eq!(waste(3, "<1 row, 4 col>, 1"), None);
    assert_eq!(waste(5, "<1 row, 4 col>, 1"), Some(Dropped::ColumnWaste(0.375)));
    assert_eq!(waste(5, "<1 row, 1 col>, 1"), None);
    assert_eq!(Limits::none().columns(&profile(vec![1], 1), &point("<1 row, 4 col>, 1")), None);
}

#[test]
fn tiles_that_few_entries_read() {
    let limits = Limits::default();
    let waste = |n, text: &str| limits.tiles(&profile(vec![n; 160], 32), &point(text));
    // Ten blocks of 16 rows load 1000 rows each.
    assert_eq!(waste(5, "<2 row, 1 col>, 1, shared = 64"), Some(Dropped::TileWaste(12.5)));
    assert_eq!(waste(100, "<2 row, 1 col>, 1, shared = 64"), None);
    assert_eq!(waste(5, "<2 row, 1 col>, 1"), None);
    assert_eq!(Limits::none().tiles(&profile(vec![5], 32), &point("<2 row, 1 col>, 1, shared = 64")), None);
    let columns = limits.columns(&profile(vec![5], 4), &point("<1 row, 1 col>, 1, shared = 64"));
    assert_eq!(columns, Some(Dropped::ColumnWaste(0.875)));
}

#[test]
fn lanes_without_entries() {
    let limits = Limits::default();
    let idle = |n, text: &str| limits.lanes(&profile(vec![n; 100], 4), &point(text));
    assert_eq!(idle(4, "<1/32 row, 4 col>, 32"), Some(Dropped::IdleLanes(0.875)));
    assert_eq!(idle(4, "<1/4 row, 4 col>, 4"), None);
    assert_eq!(idle(4, "<1 nnz, 4 col>, 32"), None);
}

#[test]
fn unequal_shares() {
    let (limits, model) = (Limits::default(), Model::h200());
    let vary = |rows, text: &str| limits.balance(&profile(rows, 4), &point(text), &model);
    let even = vec![8; 100_000];
    assert_eq!(vary(even.clone(), "<1 row, 4 col>, 1"), None);
    let mut skewed = even.clone();
    skewed[5000] = 1_000_000;
    assert!(matches!(vary(skewed.clone(), "<1 row, 4 col>, 1"), Some(Dropped::Imbalance(v)) if v > 5.0));
    assert_eq!(vary(skewed, "<8 nnz, 4 col>, 8"), None);
    // Many blocks that differ even out: each goes to the multiprocessor that is done first.
    let mixed = (0..200_000).map(|n| if n % 2000 == 0 { 500 } else { 8 }).collect();
    assert_eq!(vary(mixed, "<1/32 row, 4 col>, 32"), None);
    // So do rows that several blocks share, for their columns.
    let wide = Profile { columns: Some(1 << 12), ..profile((0..300).map(|n| 1 + n % 9).collect(), 4) };
    assert_eq!(limits.balance(&wide, &point("<1/32 row, 4 col>, 32"), &model), None);
    // Multiprocessors do not divide the number of blocks: nobody's fault.
    assert_eq!(vary(vec![8; 256 * 133], "<1 row, 4 col>, 1"), None);
    assert_eq!(vary(vec![0; 5000], "<1 row, 4 col>, 1"), None);
}

#[test]
fn blocks_and_registers() {
    let (limits, model) = (Limits::default(), Model::h200());
    assert_eq!(limits.enough_blocks(65, &model), Some(Dropped::FewBlocks { blocks: 65, least: 66 }));
    assert_eq!(limits.enough_blocks(66, &model), None);
    assert_eq!(limits.enough_registers(255, true, 256, &model), None);
    let dropped = Dropped::Registers { needed: 100, most: 64, counted: true };
    assert_eq!(limits.enough_registers(100, true, 1024, &model), Some(dropped.clone()));
    assert_eq!(dropped.to_string(), "100 registers a thread, of at most 64");
}
