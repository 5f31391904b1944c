//! What generated code calls: unchecked array access, scalar operations with the language's rules, the choice of an
//! instruction set, and the way from tensors to arrays and back. Not a public interface: `sparse_gpu::__private`
//! re-exports it for the macro's expansion.

mod append;
mod array;
mod copies;
mod grow;
mod grown;
mod home;
mod host;
mod isa;
mod joined;
mod kernel;
mod limits;
mod loops;
mod memory;
pub mod monoid;
mod nontemporal;
mod parts;
mod pool;
mod rows;
mod scalar;
mod search;
mod shared;
mod streaming;
mod table;
#[cfg(test)]
mod tests;
mod threads;
mod vector;
pub mod workspace;
mod worth;

pub use crate::format::{Buffer, LevelArrays, check_fused};
pub use append::{Appender, Counts, append};
pub use array::{IndexArray, Load, Store, gallop, lower_bound, upper_bound, written};
pub use copies::{Reducer, threads_with_copies};
pub use grow::{Grower, Own, grow};
pub use grown::Grown;
pub use home::{Home, Kept};
pub use host::{
    allocate, allocate_full, assemble, assemble_like, assemble_within, check_bound, check_dense,
    check_extent, check_parts, pack, reserve, reserve_exactly, room, shared_crd, shared_pos,
};
pub use isa::{Avx2, Avx512, Baseline, Isa, Level, isa};
pub use joined::{Joined, length};
pub use kernel::{Args, KernelInfo, Output, Runs, RunsOn, Signature};
pub use limits::use_small_limits;
pub use loops::{Rest, align, fiber, more_than_four, rest, unforeseen};
pub use memory::within_memory;
pub use parts::Lens;
pub use rows::{Alike, Rows};
pub use scalar::{Float, Integer, MulAdd, largest, smallest, sum};
pub use shared::{Scratch, Shared};
pub use std::mem::MaybeUninit;
pub use std::sync::Arc;
pub use streaming::Streaming;
pub use table::Table;
pub use threads::{Balance, Chunk, Even, Positions, Task, in_lanes, threads};
pub use vector::{F32x4, F32x8, F32x16, F64x4, F64x8, Four, Quad, Vector};
pub use worth::workers;
