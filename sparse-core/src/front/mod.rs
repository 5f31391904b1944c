//! The front: from tokens to checked index notation.
//!
//! `parse` reads tokens into a raw tree (`syntax`), `types` reads the structure of a type from its spelling,
//! `resolve` gives names their meaning, `check` applies the rules of the language, `schedule` and `reader` read scheduling
//! commands about the resolved statement. Each phase reports all of its
//! mistakes, and the later ones run on whatever the earlier ones could make sense of.

pub mod ast;
mod builder;
mod check;
pub mod command;
mod cursor;
mod expr;
mod functions;
mod literal;
mod misspelt;
mod parse;
pub mod point;
mod print;
mod reader;
mod resolve;
mod schedule;
mod scope;
mod spelling;
mod statement;
mod syntax;
#[cfg(test)]
mod tests;
mod types;

use crate::diag::{Diagnostic, Diagnostics};
pub use builder::Commands;
pub use point::AtomicParallelism;
use proc_macro2::{Span, TokenStream};
pub use schedule::parse_schedule;
pub(crate) use spelling::type_name;
pub use syntax::{Doubtful, Failure, ParamKind, Rest, Signature, SignatureParam};

/// Parses, resolves and checks the input of one `tensor_kernel!`.
///
/// # Errors
/// Every mistake found, and the function's signature if its header could be read.
pub fn parse(tokens: TokenStream) -> Result<ast::Kernel, Failure> {
    let mut diagnostics = Diagnostics::new();
    let raw = parse::parse(tokens, &mut diagnostics);
    let Some(header) = raw.header else {
        raw.after.iter().for_each(|d| diagnostics.push(d.clone()));
        return Err(Failure { diagnostics, ..Failure::default() });
    };
    let declared = types::declare(&header, &mut diagnostics);
    let signature = declared.signature(&header);
    let kernel = resolve::resolve(header, declared, raw.statement, raw.complete, &mut diagnostics);
    let sound = diagnostics.is_empty();
    raw.after.iter().for_each(|d| diagnostics.push(d.clone()));
    let mut doubtful = Vec::new();
    let (cpu, cuda) = schedule::resolve(raw.schedules, kernel.as_ref(), &mut doubtful, &mut diagnostics);
    let schedules = Box::new((cpu.clone(), cuda.clone()));
    let kernel = kernel.map(|kernel| ast::Kernel { cpu, cuda, ..kernel });
    match kernel {
        Some(kernel) if diagnostics.is_empty() => Ok(kernel),
        kernel => {
            let rest = kernel.filter(|_| sound).map(|kernel| Box::new(Rest { kernel, doubtful }));
            let (diagnostics, signature) = (diagnostics.in_source_order(), Some(Box::new(signature)));
            Err(Failure { diagnostics, signature, rest, schedules })
        }
    }
}

/// [`parse`] on text, for tests and tools.
///
/// # Errors
/// As [`parse`]; text that Rust's lexer refuses is one mistake.
pub fn parse_str(text: &str) -> Result<ast::Kernel, Failure> {
    match text.parse() {
        Ok(tokens) => parse(tokens),
        Err(e) => {
            let e: proc_macro2::LexError = e;
            let d = Diagnostic::new(
                "not-rust-tokens",
                Span::call_site(),
                format!("the text is not Rust tokens: {e}"),
            )
            .help("close every bracket and quote");
            Err(Failure { diagnostics: d.into(), ..Failure::default() })
        }
    }
}
