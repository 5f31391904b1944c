//! What a user may write, where, and under which names; and what it must compute, against plain loops.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, missing_docs, unused, nonstandard_style, unreachable_pub)]

mod calls;
mod formats;
mod ieee;
mod names;
mod places;
mod ranks;
mod reductions;
mod scalars;

/// All coordinates of a box, in row-major order.
fn coords<const R: usize>(dims: [usize; R]) -> Vec<[usize; R]> {
    let mut all = vec![[0; R]];
    for d in 0..R {
        let extend = |at: &[usize; R]| {
            let at = *at;
            (0..dims[d]).map(move |c| {
                let mut next = at;
                next[d] = c;
                next
            })
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

/// Some entries with small whole values, explicit zeros among them.
fn entries<const R: usize>(dims: [usize; R], one_in: u64, seed: u64) -> Vec<([usize; R], i64)> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 20
    };
    coords(dims)
        .into_iter()
        .filter_map(|at| {
            let value = (next() % 13) as i64 - 4;
            next().is_multiple_of(one_in).then_some((at, value))
        })
        .collect()
}

fn floats<const R: usize>(dims: [usize; R], one_in: u64, seed: u64) -> Vec<([usize; R], f64)> {
    entries(dims, one_in, seed).into_iter().map(|(at, v)| (at, v as f64)).collect()
}

/// What is stored at a coordinate, or nothing.
fn at<T: Copy, const R: usize>(entries: &[([usize; R], T)], c: [usize; R]) -> Option<T> {
    entries.iter().find(|e| e.0 == c).map(|e| e.1)
}

/// Zero where nothing is stored.
fn num<const R: usize>(entries: &[([usize; R], f64)], c: [usize; R]) -> f64 {
    at(entries, c).unwrap_or(0.0)
}

fn same(found: f64, expected: f64) -> bool {
    found == expected || (found.is_nan() && expected.is_nan())
}
