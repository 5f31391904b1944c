//! The verifier: what every [`Program`] satisfies before an emitter or the interpreter sees it.
//!
//! A broken rule is a mistake of the compiler, never of the user. The rules, each with its name in [`Rule`]:
//!
//! 1. *ids*: every variable, buffer and tensor that is mentioned is in the program's table.
//! 2. *names*: the names of variables and buffers are identifiers, not keywords of Rust; no buffer shares its name,
//!    and no variable hides another.
//! 3. *tensors*: one tensor is written; mode orders are permutations; a result says where each of its sizes comes
//!    from, and that is an argument; a result that shares levels shares those of an argument with the same levels.
//! 4. *extents*: index variables range over existing dimensions of arguments.
//! 5. *params*: each parameter has its own variable: an index for a size of an existing level, a scalar otherwise.
//! 6. *buffers*: a buffer's space and element type fit the array that it is, no array has two buffers, and a result
//!    has a buffer for each array that it does not share.
//! 7. *types*: operands, values and indices have the types that their place asks for, and operators accept them.
//! 8. *scope*: a variable is declared once, before it is used, in this block or an enclosing one.
//! 9. *mutability*: only a variable declared by [`Stmt::Mut`] is assigned or updated.
//! 10. *space*: stores go to in-out, output, register and scratch buffers and to what a growable one already holds,
//!     appends to growable ones; only a growable buffer is asked for its length; only an index buffer is searched.
//! 11. *allocation*: an output buffer is allocated once and a growable one reserved once, before any use.
//! 12. *registers*: a register or scratch array is declared once, before it is used, in this block or an enclosing one.
//! 13. *loops*: a step is at least 1, and an unrolled loop has at least one copy of its body; a loop over lanes has a
//!     constant trip count; a reduction loop updates its variable once, at the top level of its body, with its operator,
//!     and does not touch it otherwise.
//! 14. *threads*: the body of a loop on threads changes no variable and uses no register array declared outside of it,
//!     and contains no loop on threads; nor does a loop over lanes or a reduction. What it grows is what it says that its
//!     tasks append to: growable buffers of indices, and then one of values. Counts are scanned outside. The buffer that
//!     balances it holds positions. The one of which threads have copies is written there by [`Stmt::Reduce`] with the
//!     copies' operator alone, and not read. Atomic updates stand in such a body, and go to what its iterations share.
//! 15. *launch*: a launch has its own name, one to three dimensions, and whole warps of threads, at most 1024. Inside it
//!     nothing grows, is allocated, is asked for its length or runs on the host's threads. What lanes do together stands
//!     in launches alone, by groups of 2, 4, 8, 16 or 32; where it writes depends on no load. A thread leaves early only
//!     where nothing is done together. One that follows another has nothing but room for arrays between them.
//! 16. *convergence*: control flow around what lanes do together is as uniform as the lanes that it names
//!     ([`uniform`](super::uniform)).
//! 17. *vectors*: accesses of several elements at once stand in launches alone, go between a register array of 2 or 4
//!     elements, with 16 bytes at most, and an array in memory of the same type, and their index is provably a multiple
//!     of so many ([`align`](super::align)): by the conditions around it and what extents promise.
//! 18. *workspaces*: a sparse workspace gathers into arrays of its own, which are read after that in the same block or a
//!     nested one, until that block scatters into it again; it is used on the host, inside of one loop on threads, or outside
//!     of all, and not by lanes or reductions.
//! 19. *host*: sizes in host steps depend on parameters, input buffers and what was read back alone, and only buffers
//!     that are written may be filled. What is read back is an element of an index array that launches write.
//!
//! In-bounds accesses, initialised reads, non-negative differences and races cannot be decided here: the interpreter
//! ([`crate::sim`]) checks them as it runs.

mod code;
mod expr;
mod launch;
mod loops;
mod steps;
mod tables;
#[cfg(test)]
mod tests;
mod threads;
mod vectors;
mod workspaces;

use super::{Program, Stmt};
use std::fmt;
pub(crate) use tables::is_keyword;

/// A program that satisfies every rule of this module. Emitters and the interpreter demand it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified(Program);

impl Verified {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.0
    }

    /// A program that may break the rules, to see that the interpreter notices.
    #[cfg(test)]
    pub(crate) fn unchecked(program: Program) -> Verified {
        Verified(program)
    }

    /// The program, to be changed and verified again.
    pub fn into_program(self) -> Program {
        self.0
    }
}

/// The rules, in the order of the module's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // documented by the module's list
pub enum Rule {
    Ids,
    Names,
    Tensors,
    Extents,
    Params,
    Buffers,
    Types,
    Scope,
    Mutability,
    Space,
    Allocation,
    Registers,
    Loops,
    Threads,
    Launch,
    Convergence,
    Vectors,
    Workspaces,
    Host,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Ids => "ids",
            Rule::Names => "names",
            Rule::Tensors => "tensors",
            Rule::Extents => "extents",
            Rule::Params => "params",
            Rule::Buffers => "buffers",
            Rule::Types => "types",
            Rule::Scope => "scope",
            Rule::Mutability => "mutability",
            Rule::Space => "space",
            Rule::Allocation => "allocation",
            Rule::Registers => "registers",
            Rule::Loops => "loops",
            Rule::Threads => "threads",
            Rule::Launch => "launch",
            Rule::Convergence => "convergence",
            Rule::Vectors => "vectors",
            Rule::Workspaces => "workspaces",
            Rule::Host => "host",
        })
    }
}

/// A broken rule: a mistake of the compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("LLIR rule `{rule}` is broken: {message} (at {place})")]
pub struct VerifyError {
    /// Which rule.
    pub rule: Rule,
    /// The declaration, step or statement that breaks it.
    pub place: String,
    /// How.
    pub message: String,
}

/// Checks every rule; the first one broken is the error.
pub fn verify(program: Program) -> Result<Verified, VerifyError> {
    tables::verify_tables(&program)?;
    code::verify_code(&program)?;
    Ok(Verified(program))
}

fn broken<T>(rule: Rule, place: impl Into<String>, message: impl Into<String>) -> Result<T, VerifyError> {
    Err(VerifyError { rule, place: place.into(), message: message.into() })
}

fn ensure(
    holds: bool,
    rule: Rule,
    place: impl FnOnce() -> String,
    message: impl FnOnce() -> String,
) -> Result<(), VerifyError> {
    if holds { Ok(()) } else { broken(rule, place(), message()) }
}

/// The first line of a statement, as the place of an error.
fn place(program: &Program, stmt: &Stmt) -> String {
    format!("`{}`", super::print::print_headline(program, stmt))
}
