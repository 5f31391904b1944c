//! The grammar of schedules: `schedule cpu { split(i, i0, i1, 64); … }`.
//!
//! Where one is, and where each of its commands ends; `reader` reads a command.

use super::ast::Kernel;
use super::command::{Command, Platform, Schedule};
use super::cursor::{Cursor, bare};
use super::point::AtomicParallelism;
use super::reader::Reader;
use super::syntax::Doubtful;
use crate::diag::{Diagnostic, Diagnostics};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// Most commands of one schedule.
const MAX_COMMANDS: usize = 256;

/// A schedule whose commands have not been read.
pub(super) struct RawSchedule {
    target: Platform,
    body: Body,
}

enum Body {
    /// `= none;`
    None,
    Commands(Group),
    /// `= atomic(…);`
    Point(AtomicParallelism, Span),
    /// Has been reported.
    Error,
}

/// Reads one schedule, at the word `schedule`, into `seen`.
pub(super) fn raw(c: &mut Cursor, seen: &mut Vec<RawSchedule>, diagnostics: &mut Diagnostics) {
    c.skip(1);
    let mut error = |code, span, message: String, help: &str| {
        diagnostics.push(Diagnostic::new(code, span, message).help(help));
    };
    let span = c.span();
    let name = c.ident().map(Ident::to_string);
    let target = match name.as_deref() {
        Some("cpu") => Some(Platform::Cpu),
        Some("cuda") => Some(Platform::Cuda),
        Some(t) => {
            let help = "targets are `cpu` and `cuda`; the simulator follows `cuda`";
            error("unknown-target", span, format!("there is no target `{t}`"), help);
            None
        }
        None => {
            error("unknown-target", span, "expected a target".into(), "write `schedule cpu { … }`");
            None
        }
    };
    let twice = target.is_some_and(|target| seen.iter().any(|s| s.target == target));
    if twice {
        let message = format!("`{}` has a schedule already", name.as_deref().unwrap_or_default());
        error("duplicate-schedule", span, message, "keep one of the two");
    }
    c.skip(usize::from(name.is_some()));
    let after = c.span();
    let none = c.is_operator("=") && matches!(c.peek_second(), Some(TokenTree::Ident(i)) if i == "none");
    let atomic = atomic_tokens(c);
    let mut body = Body::Error;
    if let Some(group) = c.group(Delimiter::Brace) {
        body = Body::Commands(group);
        c.skip(1);
    } else {
        let end = c.rest().iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'));
        let len = end.unwrap_or(c.rest().len());
        let excess = none.then(|| c.rest()[..len].get(2).map(TokenTree::span)).flatten();
        c.skip(len);
        if let Some(span) = excess {
            error("unexpected-tokens", span, "expected `;`".into(), "write `schedule cuda = none;`");
        } else if none {
            body = Body::None;
        }
    }
    if let Some((span, tokens)) = atomic {
        match AtomicParallelism::read(&mut Cursor::of_group(&tokens)) {
            Ok(point) => body = Body::Point(point, span),
            Err((span, e)) => {
                let help = "write a point as in `atomic(<1/8 row, 4 col>, 8)` or `atomic(<8 nnz, 4 col>, 8, threads = 128)`";
                error("no-point", span, e.what().to_owned(), help);
                seen.extend(target.filter(|_| !twice).map(|target| RawSchedule { target, body }));
                return;
            }
        }
    }
    let Some(target) = target else { return };
    match (target, none) {
        (Platform::Cuda, false) if matches!(body, Body::Error) => {
            let help = "write commands in braces, `schedule cuda { split(i, b, t, 256); … }`, a point, `schedule cuda = atomic(<1/8 row, 4 col>, 8);`, or `schedule cuda = none;`";
            error("expected-commands", after, "expected commands in braces".into(), help);
        }
        (Platform::Cpu, false) if matches!(body, Body::Point(..)) => {
            let help = "write `schedule cuda = atomic(…);`, and commands in braces for the CPU";
            error("expected-commands", after, "atomic parallelism is about a GPU's threads".into(), help);
            body = Body::Error;
        }
        (Platform::Cpu, false) if matches!(body, Body::Error) => {
            let help =
                "write `schedule cpu { split(i, i0, i1, 64); }`, or `schedule cpu = none;` for serial code";
            error("expected-commands", after, "expected commands in braces".into(), help);
        }
        _ => {}
    }
    // The first one is checked.
    if !twice {
        seen.push(RawSchedule { target, body });
    }
}

/// `= atomic( … )`: where it is written, and what is in the parentheses.
fn atomic_tokens(c: &Cursor) -> Option<(Span, Group)> {
    match c.rest() {
        [TokenTree::Punct(p), TokenTree::Ident(name), TokenTree::Group(g), ..]
            if p.as_char() == '=' && name == "atomic" && g.delimiter() == Delimiter::Parenthesis =>
        {
            Some((name.span(), g.clone()))
        }
        _ => None,
    }
}

/// Reads the commands; the kernel is there if its statement could be resolved. The CPU's schedule, and CUDA's, both
/// without the commands that could not be read, whose names are `doubtful`.
pub(super) fn resolve(
    raw: Vec<RawSchedule>,
    kernel: Option<&Kernel>,
    doubtful: &mut Vec<Doubtful>,
    diagnostics: &mut Diagnostics,
) -> (Schedule, Schedule) {
    let (mut cpu, mut cuda) = (Schedule::Default, Schedule::Default);
    for s in raw {
        let schedule = match s.body {
            Body::None => Schedule::None,
            Body::Point(point, span) => Schedule::Point(point, span),
            Body::Commands(group) => {
                let mut names = Vec::new();
                let read = commands(&mut Cursor::of_group(&group), kernel, &mut names, diagnostics);
                let doubt = |(from, name)| Doubtful { target: s.target, from, name };
                doubtful.extend(names.into_iter().map(doubt));
                Schedule::Commands(read)
            }
            Body::Error => continue,
        };
        match s.target {
            Platform::Cpu => cpu = schedule,
            Platform::Cuda => cuda = schedule,
        }
    }
    (cpu, cuda)
}

/// Reads commands about a kernel from text: what stands in the braces of `schedule cpu { … }`.
///
/// # Errors
/// Every mistake of grammar and every unknown name of a tensor, scalar or index variable; what the commands may do is
/// checked when they are applied.
pub fn parse_schedule(kernel: &Kernel, text: &str) -> Result<Vec<Command>, Diagnostics> {
    let tokens: TokenStream = match text.parse() {
        Ok(tokens) => tokens,
        Err(e) => {
            let e: proc_macro2::LexError = e;
            let message = format!("the text is not Rust tokens: {e}");
            return Err(Diagnostic::new("not-rust-tokens", Span::call_site(), message)
                .help("close every bracket and quote")
                .into());
        }
    };
    let mut diagnostics = Diagnostics::new();
    let mut tokens = Cursor::of_stream(tokens, Span::call_site());
    let commands = commands(&mut tokens, Some(kernel), &mut Vec::new(), &mut diagnostics);
    diagnostics.finish(commands)
}

/// Commands; every name in those that cannot be read is `doubtful`, after so many that could.
fn commands(
    c: &mut Cursor,
    kernel: Option<&Kernel>,
    doubtful: &mut Vec<(usize, String)>,
    diagnostics: &mut Diagnostics,
) -> Vec<Command> {
    let mut reader = Reader::new(kernel, diagnostics);
    let mut found = Vec::new();
    let mut count = 0;
    while !c.is_empty() {
        let end = c.rest().iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'));
        let len = end.unwrap_or(c.rest().len());
        let tokens = c.rest()[..len].to_vec();
        c.skip(len);
        let end = c.span();
        c.skip(1);
        if tokens.is_empty() {
            continue;
        }
        count += 1;
        if count > MAX_COMMANDS {
            let message = format!("the schedule has more than {MAX_COMMANDS} commands");
            reader.error("schedule-too-long", tokens[0].span(), message, "write fewer commands");
            break;
        }
        match reader.command(Cursor::new(tokens.clone(), end)) {
            Some(command) => found.push(command),
            None => names(tokens, &mut |name| doubtful.push((found.len(), name))),
        }
    }
    found
}

/// Every name in some tokens.
fn names(tokens: impl IntoIterator<Item = TokenTree>, found: &mut dyn FnMut(String)) {
    for token in tokens {
        match bare(token) {
            TokenTree::Ident(name) => found(name.to_string()),
            TokenTree::Group(group) => names(group.stream(), found),
            _ => {}
        }
    }
}
