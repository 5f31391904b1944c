//! What a sceptical user tries first: the ends of ranges, damaged files, broken arrays, wrong calls. Each works, right to
//! the last value, or is an error that says what to do.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, missing_docs, unused, nonstandard_style, unreachable_pub)]

mod building;
mod calls;
mod conversions;
mod empty;
mod files;
mod numbers;
mod parts;
mod scratch;

/// All coordinates of a box, in row-major order.
fn coords<const R: usize>(dims: [usize; R]) -> Vec<[usize; R]> {
    let all = (0..dims.iter().product::<usize>()).map(|mut n| {
        let mut at = [0; R];
        for d in (0..R).rev() {
            at[d] = n % dims[d];
            n /= dims[d];
        }
        at
    });
    all.collect()
}

/// Calls a kernel with tensors on the host and on the simulator, and gives the host's result, which the other has to equal.
macro_rules! everywhere {
    ($kernel:path, $($tensor:expr),+ $(; $($scalar:expr),+)?) => {{
        let host = $kernel($(&$tensor,)+ $($($scalar),+)?)?;
        let sim = ::sparse_gpu::prelude::Sim::new();
        let there = $kernel($(&$tensor.to(&sim)?,)+ $($($scalar),+)?)?.to_host()?;
        assert_eq!((there.dims(), there.stored()), (host.dims(), host.stored()));
        assert!(there.approx_eq(&host, 1e-6), "the simulator has {there:?}, the host {host:?}");
        host
    }};
}
use everywhere;
