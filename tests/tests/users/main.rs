//! What authors of graph networks, solvers, tensor decompositions and pruned networks write, against plain loops, on the
//! host and on the simulator.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, missing_docs, unused, nonstandard_style, unreachable_pub)]

mod attention;
mod decompositions;
mod graphs;
mod networks;
mod orders;
mod permutations;
mod pruned;
mod quantized;
mod solvers;

use sparse_gpu::prelude::*;
use std::collections::BTreeMap;

/// Calls a kernel with tensors on the host and on the simulator, and gives the host's result, which the other has to equal.
macro_rules! everywhere {
    ($kernel:path, $($tensor:expr),+ $(; $($scalar:expr),+)?) => {{
        let host = $kernel($($tensor,)+ $($($scalar),+)?)?;
        let sim = ::sparse_gpu::prelude::Sim::new();
        let there = $kernel($(&$tensor.to(&sim)?,)+ $($($scalar),+)?)?.to_host()?;
        assert_eq!(there.dims(), host.dims());
        assert_eq!(there.stored(), host.stored());
        assert!(there.approx_eq(&host, 1e-6), "the simulator has {there:?}, the host {host:?}");
        host
    }};
}
use everywhere;

/// What a sparse tensor stores.
type Entries<const R: usize> = BTreeMap<[usize; R], f64>;

/// Whole numbers from −4 to 8, drawn by a xorshift.
fn numbers(seed: u64) -> impl FnMut() -> i64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as i64 % 13 - 4
    }
}

/// All coordinates of a box, in row-major order.
fn coords<const R: usize>(dims: [usize; R]) -> impl Iterator<Item = [usize; R]> {
    (0..dims.iter().product::<usize>()).map(move |mut n| {
        let mut at = [0; R];
        for d in (0..R).rev() {
            at[d] = n % dims[d];
            n /= dims[d];
        }
        at
    })
}

/// Entries at about one coordinate in four, none of them 0.
fn entries<const R: usize>(dims: [usize; R], seed: u64) -> Entries<R> {
    let mut number = numbers(seed);
    let drawn = coords(dims).map(|at| (at, number(), number()));
    drawn
        .filter(|(_, v, chance)| *v != 0 && chance.rem_euclid(4) == 0)
        .map(|(at, v, _)| (at, v as f64))
        .collect()
}

fn sparse<F: Format<Coord = [usize; R]>, const R: usize>(
    dims: [usize; R],
    entries: &Entries<R>,
) -> Result<Tensor<f64, F>, Error> {
    Tensor::from_triplets(dims, entries.iter().map(|(at, v)| (*at, *v)))
}

fn matrix(dims: [usize; 2], seed: u64) -> Result<DenseMat<f64>, Error> {
    let mut number = numbers(seed);
    DenseMat::from_dense(dims, coords(dims).map(|_| number() as f64).collect())
}

fn vector(n: usize, seed: u64) -> Result<DenseVec<f64>, Error> {
    let mut number = numbers(seed);
    DenseVec::from_dense([n], (0..n).map(|_| number() as f64).collect())
}

/// What is stored at a coordinate, or 0.
fn at<const R: usize>(entries: &Entries<R>, c: [usize; R]) -> f64 {
    entries.get(&c).copied().unwrap_or(0.0)
}

/// Compares a result with what a function makes of each coordinate, up to rounding.
fn check<F: Format<Coord = [usize; R]>, const R: usize>(
    found: &Tensor<f64, F>,
    expected: impl Fn([usize; R]) -> f64,
) {
    for c in coords(found.dims()) {
        let (f, e) = (found.get(c), expected(c));
        let close = (f - e).abs() <= 1e-9 * e.abs().max(1.0);
        assert!(close || f == e || f.is_nan() && e.is_nan(), "{c:?}: {f}, not {e}");
    }
}
