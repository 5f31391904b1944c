//! Differential tests: random kernels against a dense oracle, in the interpreter and natively.
//!
//! [`case`] is one kernel with its tensors, and perhaps a schedule of [`command`]s, and knows how to print itself as code;
//! [`generate`] makes random ones; `bare` are fibers that no entries tell of;
//! [`oracle`] evaluates one by nested loops over every index variable; [`pattern`] is where a sparse result has entries;
//! [`differential`] runs one and compares; [`spread`] puts its coordinates far apart;
//! [`reach`] is what cases did; [`shrink`] makes a failing one as small as it gets. [`programs`] are loops on threads
//! written by hand, [`launches`] and [`collectives`] are launches; [`barriers`] takes
//! waits away; [`text`] runs the CUDA of kernels on a CPU. [`gpu`] is
//! the suite as a program that runs where there is a GPU.

mod bare;
pub mod barriers;
pub mod case;
pub mod collectives;
pub mod command;
pub mod differential;
pub mod generate;
pub mod gpu;
pub mod interpret;
pub mod launches;
pub mod named;
pub mod native;
pub mod natively;
pub mod number;
pub mod oracle;
pub mod pattern;
pub mod programs;
pub mod reach;
pub mod rng;
pub mod shrink;
pub mod spread;
pub mod text;
