//! Launches on a simulated GPU: warps in lock step, and everything checked that a device would not report.
//!
//! A launch is compiled to straight code for warps ([`compile`]) and run block after block; the warps of a block run one
//! after another from barrier to barrier ([`block`]). What a device leaves open, the order of threads, decides nothing
//! here: two accesses whose order matters are a [`Fault::Conflict`](super::Fault::Conflict), whatever order they came in
//! ([`shadow`]). Lock step orders nothing either: only barriers do.

mod array;
mod block;
mod code;
mod collective;
mod compile;
mod lanes;
mod memory;
mod report;
mod shadow;
#[cfg(test)]
mod tests;
mod traffic;
mod warp;

use super::fault::{Fault, InterpError};
use crate::llir::kernel::WARP;
use crate::llir::{Launch, Program, Space, VarId};
use crate::scalar::Value;
pub use array::Array;
use array::to_word;
use block::Grid;
use code::Place;
use memory::{Memory, Registers, Words};
pub use report::{Counts, LaunchReport};
use warp::{Machine, Warp};

/// The most blocks that a grid has in each dimension.
const MOST_BLOCKS: [u64; 3] = [(1 << 31) - 1, 65535, 65535];

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
/// of the program's parameters and an array for each of its buffers, by number. At
/// most so many steps of warps, from which those that it takes are subtracted.
///
/// # Errors
/// A mistake of the compiler's.
///
/// # Panics
/// If a parameter that the launch uses, or the array of a buffer in the device's memory, is missing, or has another
/// type than the program says: a mistake of the caller's.
pub fn launch(
    program: &Program,
    launch: &Launch,
    blocks: [u64; 3],
    params: &[(VarId, Param)],
    arrays: Vec<Binding<'_>>,
    steps: &mut u64,
) -> Result<LaunchReport, Box<InterpError>> {
    let too_large = (0..3).find(|&axis| blocks[axis] > MOST_BLOCKS[axis]);
    if let Some(axis) = too_large {
        let fault = Fault::GridTooLarge { axis, blocks: blocks[axis] };
        let place = format!("launch {}", launch.name);
        return Err(Box::new(InterpError { fault, place, thread: None }));
    }
    let code = compile::compile(program, launch);
    let (mut globals, mut shared) = (vec![], vec![]);
    let mut registers = vec![];
    let mut placed: Vec<_> = arrays.into_iter().enumerate().collect();
    placed.sort_by_key(|(at, _)| match code.places[*at] {
        None => (0, 0),
        Some(Place::Global(n)) => (1, n),
        Some(Place::Shared(n)) => (2, n),
        Some(Place::Register(n)) => (3, n),
    });
    for (at, binding) in placed {
        let buffer = &program.buffers[at];
        match (code.places[at], buffer.space) {
            (None, _) => {}
            (_, Space::Register { len }) => registers.push((buffer, len)),
            (_, Space::Shared { len }) => {
                shared.push(Memory::shared(&buffer.name, buffer.elem, len as usize));
            }
            _ => {
                let words = match binding {
                    Binding::Read(array) => Words::Read(array),
                    Binding::Write(array) => Words::Write(array),
                    Binding::None => panic!("`{}` has no array", buffer.name),
                };
                globals.push(Memory::global(&buffer.name, words, code.writes[at]));
            }
        }
    }
    let new_warp = || {
        let arrays = registers.iter().map(|(b, len)| Registers::new(&b.name, b.elem, *len)).collect();
        let mut warp = Warp::new(&code, arrays);
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
    let machine = Machine::new(code, globals, shared, steps);
    Grid::new(program, launch, machine, warps).run(blocks)
}
