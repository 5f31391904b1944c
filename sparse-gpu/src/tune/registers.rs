//! Registers of a kernel's threads: estimated from the program as LO-SpMM does, by its variables, or counted by NVRTC.

use super::limits::{Dropped, Limits};
use super::meter::Target;
use super::model::Model;
use crate::launch::Kernel;
use sparse_core::llir::{Launch, Program, Space, Stmt, Ty, VarId};

/// Registers that a thread needs beside its variables: addresses of arrays, and what the call itself takes.
const CALL: u32 = 10;

/// Does a kernel waste registers?
pub(super) fn check(kernel: &Kernel, limits: &Limits, model: &Model, target: Target) -> Option<Dropped> {
    let program = kernel.program();
    let estimated = program
        .launches()
        .find_map(|launch| limits.enough_registers(estimate(program, launch), false, launch.threads, model));
    estimated.or_else(|| counted(kernel, limits, model, target))
}

/// One for each variable that is alive at a time, two where it has 64 bits, and the register arrays.
pub(super) fn estimate(program: &Program, launch: &Launch) -> u32 {
    CALL + block(program, &launch.body)
}

/// The most of a block's variables that are alive together: its own, and those of one of the blocks inside.
fn block(program: &Program, body: &[Stmt]) -> u32 {
    let (mut own, mut inside) = (0, 0);
    for stmt in body {
        own += match stmt {
            Stmt::Let { var, .. } | Stmt::Mut { var, .. } => width(program, *var),
            Stmt::Local { buffer, .. } => match program.buffer(*buffer).space {
                Space::Register { len } => len,
                _ => 0,
            },
            _ => 0,
        };
        // A loop's variable and its end.
        let counter = if matches!(stmt, Stmt::For { .. }) { 2 } else { 0 };
        let nested = stmt.blocks().into_iter().map(|b| counter + block(program, b)).max();
        inside = inside.max(nested.unwrap_or(0));
    }
    own + inside
}

fn width(program: &Program, var: VarId) -> u32 {
    match program.var(var).ty {
        Ty::Scalar(t) => (t.size() as u32).div_ceil(4),
        Ty::Index | Ty::Cond | Ty::Segments => 1,
    }
}

/// What NVRTC says, where there is one that knows the architecture.
#[cfg(feature = "cuda")]
fn counted(kernel: &Kernel, limits: &Limits, model: &Model, target: Target) -> Option<Dropped> {
    let architecture = target.architecture;
    let nvrtc = crate::nvrtc::Compiler::load(target.driver).ok()?;
    nvrtc.check_architecture(architecture).ok()?;
    let compiled = match nvrtc.compile_cached(kernel.source(), &kernel.file_name(), architecture, &[]) {
        Ok(compiled) => compiled,
        Err(e) => return Some(Dropped::Failed(e.log)),
    };
    for usage in compiled.usage() {
        let launch = kernel.launches().find(|(_, entry)| entry.name == usage.kernel);
        let threads = launch.map_or(1, |(_, entry)| entry.threads);
        if limits.spills && usage.spill_stores > 0 {
            return Some(Dropped::Spills { bytes: usage.spill_stores });
        }
        let dropped = limits.enough_registers(usage.registers, true, threads, model);
        if dropped.is_some() {
            return dropped;
        }
    }
    None
}

#[cfg(not(feature = "cuda"))]
fn counted(_: &Kernel, _: &Limits, _: &Model, _: Target) -> Option<Dropped> {
    None
}
