//! Choosing a kernel's schedule for its inputs.
//!
//! [`tune`] enumerates the legal points of atomic parallelism, drops those that waste registers, lanes or blocks
//! ([`Limits`]: LO-SpMM's constraints), ranks the rest by a model of the GPU, from the inputs' statistics alone, and gives the
//! best few a time: on a GPU it is [`Measured`], warm, the median of several runs; on the simulator it is [`Predicted`] by
//! the same model from what the simulator counts. A result is compared before its time counts: with that of the CPU's
//! program, or where that would take too long with that of the kernel's default schedule ([`Source`]).
//! What was found is remembered on disk, by kernel, device, space and statistics of the inputs.
//!
//! ```
//! use sparse_gpu::prelude::*;
//! use sparse_gpu::tune::{Arguments, Memory, Space, Tunable, tune};
//!
//! tensor_kernel! {
//!     fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
//!         C[i, k] = A[i, j] * B[j, k];
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Sim::new(); // or `Cuda::new(0)?`
//! let a = Csr::from_coordinates(generate::rmat(7, 8, 1)?)?.to(&device)?;
//! let b = DenseMat::<f32>::random([128, 4], 42).to(&device)?;
//! let arguments = Arguments::new().tensor(&a).tensor(&b);
//! let space = Space::all().finalists(2).memory(Memory::None);
//! let tuned = tune(&Tunable::parse(spmm::TEXT)?, &arguments, &space)?;
//! println!("{tuned}"); // every candidate, and `schedule cuda = …` to paste
//! let c = tuned.run::<DenseMat<f32>, _>(&arguments)?;
//! assert!(c.to_host()?.approx_eq(&spmm(&a, &b)?.to_host()?, 1e-4));
//! # Ok(())
//! # }
//! ```

mod arguments;
mod check;
mod cost;
mod error;
mod figure;
mod limits;
mod memory;
mod meter;
mod model;
mod profile;
mod progress;
mod registers;
mod search;
mod space;
#[cfg(test)]
mod tests;
mod tunable;
mod tuned;
mod walk;

pub use arguments::Arguments;
pub use check::Reviewer;
pub use error::TuneError;
pub use figure::{Figure, Measured, Predicted};
pub use limits::{Dropped, Limits};
pub use memory::Memory;
pub use meter::{Meter, Target};
pub use model::{Limit, Model, Times};
pub use progress::Progress;
pub use space::Space;
pub use tunable::{Choice, Tunable};
pub use tuned::{Candidate, Outcome, Source, Tuned};

use std::ops::ControlFlow;

/// The best schedule of a space for a kernel and its arguments.
///
/// # Errors
/// Arguments that are not the kernel's, a kernel without points, and candidates none of which compiles, fits and runs right;
/// what the device reports.
pub fn tune<D: Meter>(
    kernel: &Tunable,
    arguments: &Arguments<'_, D>,
    space: &Space,
) -> Result<Tuned<D::Figure>, TuneError> {
    tune_with(kernel, arguments, space, |_| ControlFlow::Continue(()))
}

/// [`tune`], with a callback that hears what goes on. When it answers [`ControlFlow::Break`] the search ends: the best until
/// then is the result, and is remembered as such, so that the next search begins with it.
///
/// # Errors
/// As [`tune`], and [`TuneError::Stopped`] if there was no time yet.
pub fn tune_with<D: Meter>(
    kernel: &Tunable,
    arguments: &Arguments<'_, D>,
    space: &Space,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Tuned<D::Figure>, TuneError> {
    let kernel = tunable::Parsed::of(kernel.text())?;
    search::Search::new(&kernel, arguments, space)?.run(&mut progress)
}
