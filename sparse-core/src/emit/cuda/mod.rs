//! CUDA C++: one self-contained source of the kernels that a program launches.
//!
//! A source is what it needs of the prelude (`prelude/*.cuh`), then an entry point for each launch. It includes no
//! header and compiles with NVRTC alone. `width` finds the indices that need 64 bits, `names` makes room for what C++
//! and the prelude call their own, `expr`, `stmt` and `collective` write the code, `following` knows where a launch waits
//! for the one before.

mod collective;
mod expr;
mod following;
mod monoids;
mod names;
mod prelude;
mod stmt;
#[cfg(test)]
mod tests;

mod width;

use super::signature::{CType, Parameter, Passes, signature};
use crate::concurrent;
use crate::llir::print::print_expr;
use crate::llir::verify::Verified;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{BufferId, Expr, Launch, Program, Space, Stmt, VarId};
use crate::scalar::VECTOR_BYTES;
use expr::Exprs;
use following::{Row, around_wait};
use names::Names;
pub use prelude::parts;
use prelude::{Needs, Part};
pub(crate) use prelude::{Piece, Source};
use std::collections::BTreeSet;
use stmt::Writer;
use width::{Reach, Widths};

/// The longest line of a declaration or a call.
const COLUMNS: usize = 110;

/// An entry point, for readers and for the launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in the source.
    pub name: String,
    /// Its parameters in order, named as in the source.
    pub parameters: Vec<Parameter>,
    /// How many blocks are launched in each dimension.
    pub grid: Vec<String>,
    /// Threads of a block.
    pub threads: u32,
    /// The most blocks that may be launched in each dimension: what the hardware takes, and so few that multiples of
    /// the blocks' numbers fit in 32 bits, unless those of one block do not, which have 64. The launcher refuses more, and arrays
    /// of indices, sizes of dimensions and numbers of entries that do not fit.
    pub max_blocks: Vec<u64>,
    /// The largest size of a dimension, and length of an array other than of positions, with which no loop's variable passes
    /// 32 bits: the last step of a strided one goes past the end. The launcher refuses larger ones.
    pub most: u64,
}

impl Kernel {
    /// The parameters as they are declared.
    pub fn signature(&self) -> String {
        let all: Vec<_> = self.parameters.iter().map(Parameter::to_string).collect();
        all.join(", ")
    }
}

/// The kernels that a program launches, in order.
pub fn kernels(program: &Verified) -> Vec<Kernel> {
    let program = program.program();
    let names = Names::new(program);
    program.launches().map(|launch| entry(program, &names, launch).0).collect()
}

/// With how far its variables reach.
fn entry(program: &Program, names: &Names, launch: &Launch) -> (Kernel, Reach) {
    // How many blocks are launched in each dimension, whatever names the program has for sizes.
    let blocks: Vec<_> = launch.grid.iter().map(|axis| program.in_full(&axis.blocks)).collect();
    let reach = Reach::new(launch, &blocks);
    let kernel = Kernel {
        name: names.entry(launch).to_owned(),
        parameters: parameters(program, names, launch),
        grid: blocks.iter().map(|blocks| print_expr(program, blocks)).collect(),
        threads: launch.threads,
        max_blocks: reach.max_blocks(),
        most: reach.most(launch),
    };
    (kernel, reach)
}

/// The source of all kernels of a program; empty if it launches none.
pub fn emit(program: &Verified) -> String {
    emit_all(&[program]).0
}

/// One source of several programs, whose entry points have different names, and the kernels of each.
pub fn emit_all(programs: &[&Verified]) -> (String, Vec<Vec<Kernel>>) {
    let (source, kernels) = source_of(&concurrent::map(programs, |program| emit_program(program)));
    (source.text(), kernels)
}

/// The kernels of a program, for a source of their own or with those of other programs.
#[derive(Clone)]
pub(crate) struct Emitted {
    needs: Needs,
    texts: Vec<String>,
    kernels: Vec<Kernel>,
}

/// One source, with the parts of the prelude by name, and the kernels of each program.
pub(crate) fn source_of<'a>(programs: impl IntoIterator<Item = &'a Emitted>) -> (Source, Vec<Vec<Kernel>>) {
    let (mut needs, mut texts, mut kernels) = (Needs::default(), vec![], vec![]);
    for program in programs {
        needs.extend(&program.needs);
        texts.extend(program.texts.iter().map(String::as_str));
        kernels.push(program.kernels.clone());
    }
    let mut source = needs.source();
    source.push(&texts.join("\n"));
    (source, kernels)
}

/// The kernels that a program launches, as text.
pub(crate) fn emit_program(program: &Verified) -> Emitted {
    let program = program.program();
    let (needs, names) = (Needs::default(), Names::new(program));
    let (mut texts, mut kernels) = (vec![], vec![]);
    let mut launches = program.launches().peekable();
    let mut written = BTreeSet::new();
    while let Some(launch) = launches.next() {
        if !launch.follows {
            written.clear();
        }
        let names = names.of_launch(launch);
        let (entry, reach) = entry(program, &names, launch);
        let widths = Widths::new(launch, &reach);
        let row = Row { written: &written, goes_on: launches.peek().is_some_and(|next| next.follows) };
        let exprs = Exprs { program, names: &names, widths: &widths, needs: &needs };
        texts.push(kernel(exprs, launch, &entry, &row));
        let arrays = entry.parameters.iter().filter(|p| matches!(p.ty, CType::Mut(_)));
        written.extend(arrays.map(|p| p.passes));
        kernels.push(entry);
    }
    Emitted { needs, texts, kernels }
}

fn parameters(program: &Program, names: &Names, launch: &Launch) -> Vec<Parameter> {
    let name = |passes| match passes {
        Passes::Buffer(id) => names.buffer(id).to_owned(),
        Passes::Value(id) => names.var(id).to_owned(),
    };
    let all = signature(program, launch).into_iter();
    all.map(|p| Parameter { name: name(p.passes), ..p }).collect()
}

fn kernel(exprs: Exprs<'_>, launch: &Launch, entry: &Kernel, row: &Row<'_>) -> String {
    let Exprs { program, names, needs, .. } = exprs;
    let mut writer = Writer::new(exprs, launch);
    writer.comment(&program.source);
    let bounds = match launch.resident {
        0 => launch.threads.to_string(),
        blocks => format!("{}, {blocks}", launch.threads),
    };
    writer.line(&format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {}(", entry.name));
    let (before, body) = around_wait(program, launch);
    for line in declarations(&entry.parameters, exchanges(launch), &row.ordered(before)) {
        writer.line(&format!("    {line}"));
    }
    writer.nested(|w| {
        for id in &launch.shared {
            if let Space::Shared { len } = program.buffer(*id).space {
                let aligned = if is_vector(launch, *id) {
                    format!("__align__({VECTOR_BYTES}) ")
                } else {
                    String::new()
                };
                let (ty, name) = (exprs.element_type(*id), names.buffer(*id));
                w.line(&format!("__shared__ {aligned}{ty} {name}[{len}];"));
            }
        }
        for (var, number) in numbers(launch) {
            w.line(&format!("const int {} = {number};", names.var(var)));
        }
    });
    writer.block(before);
    writer.nested(|w| {
        if launch.follows {
            w.line("waitForLaunch();");
        }
        if row.goes_on {
            w.line("allowNextLaunch();");
        }
    });
    if launch.follows || row.goes_on {
        needs.part(Part::Following);
    }
    writer.block(body);
    writer.line("}");
    writer.text()
}

/// Do threads wait for each other, to see what others have written? A compiler may take it that nobody else writes an array
/// that is `__restrict__`, not even before a barrier, and need not load again what it has stored.
fn exchanges(launch: &Launch) -> bool {
    let mut waits = false;
    visit_stmts(&launch.body, &mut |s| {
        waits |= matches!(s, Stmt::Barrier(_)) || matches!(s, Stmt::Collective(c) if c.is_barrier());
    });
    waits
}

/// The parameters, as many in a line as fit, and the brace that opens the body. Loads of `ordered` arrays stay where they are.
fn declarations(parameters: &[Parameter], exchanges: bool, ordered: &BTreeSet<Passes>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (n, p) in parameters.iter().enumerate() {
        let alone = match p.ty {
            CType::Const(_) => !ordered.contains(&p.passes),
            CType::Mut(_) => !exchanges && !ordered.contains(&p.passes),
            _ => false,
        };
        let end = if n + 1 == parameters.len() { "" } else { "," };
        let text = format!("{}{} {}{end}", p.ty, if alone { " __restrict__" } else { "" }, p.name);
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = text,
            Some(line) if line.len() + text.len() + 8 <= COLUMNS => *line += &format!(" {text}"),
            _ => lines.push(text),
        }
    }
    if let Some(line) = lines.last_mut() {
        line.push_str(") {");
    }
    lines
}

/// Are elements of the buffer accessed several at once?
fn is_vector(launch: &Launch, id: BufferId) -> bool {
    let mut found = false;
    visit_stmts(&launch.body, &mut |s| {
        found |=
            matches!(s, Stmt::LoadVector { buffer, .. } | Stmt::StoreVector { buffer, .. } if *buffer == id);
    });
    found
}

/// The variables that hold the hardware's numbers, of those that the body mentions.
fn numbers(launch: &Launch) -> Vec<(VarId, &'static str)> {
    let blocks = launch.grid.iter().map(|axis| axis.var).zip(["blockIdx.x", "blockIdx.y", "blockIdx.z"]);
    let mut numbers: Vec<_> = blocks.chain([(launch.thread, "threadIdx.x")]).collect();
    let mut mentioned = vec![false; numbers.len()];
    visit_exprs(&launch.body, &mut |e| {
        if let Expr::Var(v) = e {
            numbers.iter().zip(&mut mentioned).for_each(|((var, _), found)| *found |= var == v);
        }
    });
    let mut mentioned = mentioned.into_iter();
    numbers.retain(|_| mentioned.next() == Some(true));
    numbers
}
