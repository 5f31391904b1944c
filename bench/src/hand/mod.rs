//! Hand-written loops: what a careful author writes in an afternoon, without intrinsics. They are the yardstick, and
//! read the same storage as everything else.

// Loops over lanes are written the way they are read: lane by lane.
#![allow(clippy::needless_range_loop)]

pub(crate) mod isa;
mod lanes;
mod mttkrp;
mod product;
mod sddmm;
mod spmm;
mod spmv;
mod sums;
mod totals;
mod ttv;

pub(crate) use mttkrp::mttkrp;
pub(crate) use product::{masked, spgemm, transpose};
pub(crate) use sddmm::sddmm;
pub(crate) use spmm::spmm;
pub(crate) use spmv::spmv;
pub(crate) use sums::{Merged, add, mul};
pub(crate) use totals::{bilinear, norm};
pub(crate) use ttv::ttv;
