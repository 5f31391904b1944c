use super::super::grown::Grown;
use super::super::host::MOST;
use super::super::monoid::Add;
use super::{Blocks, By, Hash, Last, List, Masked, Sort};
use crate::work::NEAR;
use std::collections::BTreeMap;

/// Numbers that look random.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// Scatters, gathers and compares, several times into the same memory.
macro_rules! agrees {
    ($memory:expr, $dims:expr, $counts:expr) => {{
        let (mut memory, dims, mut next) = ($memory, $dims, numbers(7));
        for count in $counts {
            let mut expected = BTreeMap::new();
            let mut w = memory.open();
            for n in 0..count {
                let at = dims.map(|d| next(d));
                *expected.entry(at.map(|c| c as i32)).or_insert(0_i64) += n as i64;
                // SAFETY: below the sizes.
                unsafe {
                    let place = w.place(at);
                    w.set(place, w.at(place) + n as i64);
                }
            }
            let (crd, vals) = w.gather(By(Add));
            assert!(crd.iter().all(|c| c.len() == vals.len()));
            let found: Vec<_> = (0..vals.len()).map(|n| (crd.map(|c| c[n]), vals[n])).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{count} in {dims:?}");
        }
    }};
}

const COUNTS: [usize; 8] = [0, 1, 5, 60, 1000, 3, 0, 300];

#[test]
fn lists_gather_in_order() {
    for size in [1, 63, 64, 65, 1000, 100_000, NEAR + 1, MOST] {
        agrees!(List::new([size], 0_i64), [size], (0..70).chain(COUNTS));
    }
}

/// Into the same memory again and again, also where an array has no room any more.
#[test]
fn lists_append_what_they_gather() {
    let rooms = [(MOST, MOST), (0, MOST), (MOST, 0), (100, 300)];
    for ((most_crd, most_vals), size) in rooms.into_iter().flat_map(|r| [(r, 1000), (r, MOST)]) {
        let (mut memory, mut next) = (List::new([size], 0_i64), numbers(9));
        let (mut crd, mut vals) = (Grown::up_to(most_crd), Grown::up_to(most_vals));
        let (mut all_crd, mut all_vals) = (vec![], vec![]);
        for count in (0..70).chain(COUNTS) {
            let mut expected = BTreeMap::new();
            let mut w = memory.open();
            for n in 0..count {
                let at = next(1000) * (size / 1000);
                *expected.entry(at as i32).or_insert(0_i64) += n as i64;
                // SAFETY: below the size; all elements are written.
                unsafe {
                    let place = w.place([at]);
                    w.set(place, w.at(place) + n as i64);
                }
            }
            // SAFETY: room is made for what is asked for.
            unsafe { w.append(By(Add), |n| (crd.extended(n), vals.extended(n))) };
            all_crd.extend(expected.keys().copied());
            all_vals.extend(expected.values().copied());
            assert_eq!((crd.len(), vals.len()), (all_crd.len(), all_vals.len()));
        }
        // Of what is counted only, nobody asks what is held.
        assert!(crd.is_short() || *crd == all_crd[..]);
        assert!(vals.is_short() || *vals == all_vals[..]);
        assert_eq!([crd.is_short(), vals.is_short()], [most_crd, most_vals].map(|most| most < MOST));
    }
}

/// Gathered, and appended to arrays of which some have no room any more.
#[test]
fn blocks_are_gathered_in_order() {
    for (len, most) in [(1, MOST), (4, MOST), (12, MOST), (3, 100), (2, 0)] {
        let size = if most == MOST && len > 1 { most } else { 1000 };
        let (mut memory, mut next) = (Blocks::new([size], len, 1_i64), numbers(13));
        let (mut crd, mut vals) = (Grown::up_to(most), Grown::up_to(most));
        let (mut all_crd, mut all_vals) = (vec![], vec![]);
        for (turn, count) in (0..70).chain(COUNTS).enumerate() {
            let mut expected: BTreeMap<i32, Vec<i64>> = BTreeMap::new();
            let mut w = memory.open();
            for n in 0..count {
                let (at, element) = (next(1000) * (size / 1000), next(len));
                expected.entry(at as i32).or_insert(vec![1; len])[element] += n as i64;
                // SAFETY: below the size.
                let block = unsafe { w.block([at]) };
                block[element] += n as i64;
            }
            if turn % 2 == 0 {
                let ([crd], vals) = w.gather(By(Add));
                assert_eq!(crd, expected.keys().copied().collect::<Vec<_>>());
                assert_eq!(vals, expected.into_values().flatten().collect::<Vec<_>>());
                continue;
            }
            // SAFETY: room is made for what is asked for.
            unsafe { w.append(By(Add), |n| (crd.extended(n), vals.extended(n * len))) };
            all_crd.extend(expected.keys().copied());
            all_vals.extend(expected.into_values().flatten());
            assert_eq!((crd.len(), vals.len()), (all_crd.len(), all_vals.len()));
        }
        assert!(crd.is_short() || *crd == all_crd[..]);
        assert!(vals.is_short() || *vals == all_vals[..]);
    }
}

#[test]
fn masked_accumulators_take_what_the_mask_lists() {
    for (size, step) in [(1, 1), (64, 1), (1000, 1), (1000, NEAR / 999 + 1)] {
        let (mut memory, mut next) = (Masked::new([(size - 1) * step + 1], 1_i64), numbers(11));
        for count in COUNTS {
            // Some are listed twice, and others stand before and behind what the mask is.
            let mut mask: Vec<i32> = (0..count).map(|_| (next(size) * step) as i32).collect();
            mask.sort_unstable();
            let (lo, hi) = (count / 5, count - count / 7);
            let mut expected = BTreeMap::new();
            // SAFETY: in bounds, in order, and below the size.
            let mut w = unsafe { memory.open(&*mask, lo, hi) };
            for n in 0..2 * count {
                let at = next(size) * step;
                // SAFETY: below the size.
                let place = unsafe { w.place([at]) };
                assert_eq!(place.is_some(), mask[lo..hi].contains(&(at as i32)));
                if let Some(place) = place {
                    *expected.entry(at as i32).or_insert(1) += n as i64;
                    // SAFETY: it is a place.
                    unsafe { w.set(place, w.at(place) + n as i64) };
                }
            }
            let ([crd], vals) = w.gather(By(Add));
            assert_eq!(crd, expected.keys().copied().collect::<Vec<_>>());
            assert_eq!(vals, expected.into_values().collect::<Vec<_>>());
        }
    }
}

#[test]
fn hash_tables_gather_in_order() {
    for size in [1, 65, 100_000] {
        agrees!(Hash::new([size], 0_i64), [size], COUNTS);
        agrees!(Hash::new([size, 7], 0_i64), [size, 7], COUNTS);
        agrees!(Hash::new([3, size, 5], 0_i64), [3, size, 5], COUNTS);
    }
}

/// As tables of more elements than 32 bits count, though it takes fewer here.
#[test]
fn wide_hash_tables_gather_in_order() {
    for most in [0, 1, 31, 32, 33, 200] {
        agrees!(Hash::up_to(most, 0_i64), [100_000], COUNTS);
        agrees!(Hash::up_to(most, 0_i64), [20, 7], COUNTS);
    }
}

#[test]
fn sorting_combines_what_is_equal() {
    for size in [1, 65, 100_000] {
        agrees!(Sort::new([size], 0_i64), [size], COUNTS);
        agrees!(Sort::new([size, 7], 0_i64), [size, 7], COUNTS);
        agrees!(Sort::new([7, size], 0_i64), [7, size], COUNTS);
        agrees!(Sort::new([3, size, 5], 0_i64), [3, size, 5], COUNTS);
    }
}

/// In as many parts as a pool has threads, each of which counts.
#[test]
#[cfg(feature = "threads")]
fn threads_sort_as_one_does() {
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let counts = [300_000, 0, 270_000];
            agrees!(Sort::new([50], 0_i64).on_threads(), [50], counts);
            agrees!(Sort::new([9000, 7], 0_i64).on_threads(), [9000, 7], counts);
            agrees!(Sort::new([3, 1000, 500], 0_i64).on_threads(), [3, 1000, 500], counts);
            agrees!(Sort::new([1_000_000, 30], 0_i64).on_threads(), [1_000_000, 30], counts);
        });
    }
}

#[test]
fn the_last_of_what_is_equal_counts() {
    let mut memory = Sort::new([9, 9], 0_i64);
    let mut w = memory.open();
    for (n, at) in [[4, 1], [2, 2], [4, 1]].into_iter().enumerate() {
        // SAFETY: below the sizes.
        unsafe {
            let place = w.place(at);
            w.set(place, n as i64);
        }
    }
    assert_eq!(w.gather(Last), ([&[2, 4][..], &[2, 1]], &[1_i64, 2][..]));
}
