//! Launches on a simulated GPU: warps in lock step, and everything checked that a device would not report.
//!
//! A launch is compiled to straight code for warps ([`compile`]) and run block after block; the warps of a block run one
//! after another from barrier to barrier ([`block`]). What a device leaves open, the order of threads, decides nothing
//! here: two accesses whose order matters are a [`Fault::Conflict`](super::Fault::Conflict), whatever order they came in
//! ([`shadow`]). Lock step orders nothing either: only barriers do.

mod access;
mod array;
mod block;
mod code;
mod collective;
mod compile;
mod lanes;
mod memory;
mod operands;
mod registers;
mod report;
mod shadow;
#[cfg(test)]
mod tests;
mod together;
mod traffic;
mod warp;

use super::fault::{Fault, InterpError};
use crate::llir::kernel::WARP;
use crate::llir::{Launch, Program, VarId};
use crate::scalar::Value;
pub use array::Array;
use array::to_word;
use block::Grid;
use code::Place;
use memory::{Memory, Words};
use registers::Registers;
pub use report::{Counts, LaunchReport, Path};
use warp::{Machine, Warp};

/// The most blocks that a grid has in each dimension.
const MOST_BLOCKS: [u64; 3] = [(1 << 31) - 1, 65535, 65535];

/// In what order the blocks of a grid run, and the warps of a block from barrier to barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// In that of their numbers.
    #[default]
    Ascending,
    /// In one that this seed draws: nothing but the order of atomic updates may depend on it.
    Drawn(u64),
}

/// A buffer's array.
pub enum Binding<'a> {
    /// The launch does not use it.
    None,
    /// Read.
    Read(&'a Array),
    /// Read and written.
    Write(&'a mut Array),
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param {
    /// A size.
    Index(u64),
    /// A scalar.
    Scalar(Value),
}

/// Runs one launch of a program: on so many blocks in x, y and z (1 where the launch has fewer dimensions), with values
/// of the program's parameters and an array for each of its buffers, by number. At most so many steps of warps, from
/// which those that it takes are subtracted.
///
/// # Errors
/// A mistake of the compiler's.
///
/// # Panics
/// If the array of a buffer that the launch uses is missing, or is only to be read but written: a mistake of the
/// caller's.
pub fn launch(
    program: &Program,
    launch: &Launch,
    blocks: [u64; 3],
    params: &[(VarId, Param)],
    arrays: Vec<Binding<'_>>,
    order: Order,
    steps: &mut u64,
) -> Result<LaunchReport, Box<InterpError>> {
    let refused = |fault| {
        let place = format!("`launch {}`", launch.name);
        Err(Box::new(InterpError { fault, place, thread: None }))
    };
    if let Some(axis) = (0..3).find(|&axis| blocks[axis] > MOST_BLOCKS[axis]) {
        return refused(Fault::GridTooLarge { axis, blocks: blocks[axis] });
    }
    let code = compile::compile(program, launch);
    // Of each kind of memory in the order of the places.
    let (mut globals, mut shared, mut registers) = (vec![], vec![], vec![]);
    for ((buffer, binding), at) in program.buffers.iter().zip(arrays).zip(0..) {
        match code.places[at] {
            None => {}
            Some(Place::Register(n)) => registers.push((n, buffer)),
            Some(Place::Shared(n)) => {
                let len = code.lengths[at];
                let Ok(array) = Array::uninitialised(buffer.elem, len as usize) else {
                    return refused(Fault::OutOfMemory { buffer: buffer.name.clone(), len: len.into() });
                };
                shared.push((n, Memory::shared(buffer, array)));
            }
            Some(Place::Global(n)) => {
                let words = match binding {
                    Binding::Read(array) => Words::Read(array),
                    Binding::Write(array) => Words::Write(array),
                    Binding::None => panic!("`{}` has no array", buffer.name),
                };
                globals.push((n, Memory::global(buffer, words, code.writes[at])));
            }
        }
    }
    let registers = in_order(registers);
    let new_warp = || {
        let arrays = registers.iter().zip(&code.arrays).map(|(b, len)| Registers::new(b, *len));
        let mut warp = Warp::new(&code, arrays.collect());
        for &(var, value) in params {
            if let Some(to) = code.vars[var.index()] {
                let word = match value {
                    Param::Index(n) => n,
                    Param::Scalar(v) => to_word(v),
                };
                warp.registers[to as usize] = [word; 32];
            }
        }
        warp
    };
    let warps = (0..launch.threads / WARP).map(|_| new_warp()).collect();
    let machine = Machine::new(code, in_order(globals), in_order(shared), steps);
    Grid::new(program, launch, machine, warps, order).run(blocks)
}

fn in_order<T>(mut numbered: Vec<(u32, T)>) -> Vec<T> {
    numbered.sort_by_key(|(n, _)| *n);
    numbered.into_iter().map(|(_, t)| t).collect()
}
