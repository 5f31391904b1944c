//! The grammar of one command: `split(i, i0, i1, 64)`.
//!
//! What is written is read here: names, factors, accesses and expressions of the kernel's statement. What the commands
//! mean for the loops, and whether they may, is `schedule`'s to say.

use super::ast::{Access, Expr, Kernel, command as print};
use super::command::{BoundKind, Command, CommandKind, Factor, Merge, Name, Strategy, Unit};
use super::cursor::{Cursor, split_commas};
use super::expr::Parser;
use super::resolve::Resolver;
use super::scope::reserved;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::format::WorkspaceFormat;
use proc_macro2::{Delimiter, Ident, Span, TokenTree};

/// Largest factor: what is rounded up to a multiple of it still fits an index.
const MAX_FACTOR: u64 = 1 << 31;

/// Each command as it is written.
const FORMS: [(&str, &str); 11] = [
    ("split", "split(i, i0, i1, 64)"),
    ("divide", "divide(i, i0, i1, 8)"),
    ("fuse", "fuse(i, j, f)"),
    ("reorder", "reorder(j, i)"),
    ("pos", "pos(j, p, A[i, j])"),
    ("coord", "coord(p, j)"),
    ("precompute", "precompute(A[i, j] * x[j], [j], [jw], w)"),
    ("bound", "bound(i, ib, 64, MaxExact)"),
    ("unroll", "unroll(i, 4)"),
    ("mergeby", "mergeby(i, Gallop)"),
    ("parallelize", "parallelize(i, CPUThread, NoRaces)"),
];

/// How a workspace can be stored.
const FORMATS: [WorkspaceFormat; 4] =
    [WorkspaceFormat::Dense, WorkspaceFormat::List, WorkspaceFormat::Hash, WorkspaceFormat::Sort];

/// Reads the commands of one schedule.
pub(super) struct Reader<'a> {
    /// None if the statement could not be resolved: commands that are about its accesses are not read then.
    kernel: Option<&'a Kernel>,
    diagnostics: &'a mut Diagnostics,
    /// The workspaces of the commands so far.
    workspaces: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(kernel: Option<&'a Kernel>, diagnostics: &'a mut Diagnostics) -> Self {
        Reader { kernel, diagnostics, workspaces: vec![] }
    }

    pub(super) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::new(code, span, message).help(help));
    }

    /// One command that takes all tokens.
    pub(super) fn command(&mut self, mut c: Cursor) -> Option<Command> {
        let span = c.span();
        let help = || format!("commands are `{}`", FORMS.map(|(name, _)| name).join(" "));
        let Some(name) = c.ident().map(Ident::to_string) else {
            self.error("expected-command", span, "expected a scheduling command", help());
            return None;
        };
        let Some((_, form)) = FORMS.iter().find(|(n, _)| *n == name) else {
            let help = match name.as_str() {
                "collapse" => "write `fuse(i, j, f)`".to_owned(),
                "vectorize" => "write `parallelize(i, CPUVector, NoRaces)`".to_owned(),
                "parallel" => "write `parallelize(i, CPUThread, NoRaces)`".to_owned(),
                _ => help(),
            };
            self.error("unknown-command", span, format!("there is no command `{name}`"), help);
            return None;
        };
        c.skip(1);
        let Some(group) = c.group(Delimiter::Parenthesis) else {
            let message = format!("expected the arguments of `{name}` in parentheses");
            self.error("expected-command", c.span(), message, format!("write `{form};`"));
            return None;
        };
        c.skip(1);
        if !c.is_empty() {
            let help = "write one command after another, each with its `;`";
            self.error("expected-command", c.span(), "expected `;`", help);
        }
        let args = split_commas(&mut Cursor::of_group(&group), false);
        let kind = self.kind(&name, span, form, args)?;
        let source = self.kernel.map(|kernel| print(kernel, &kind)).unwrap_or_default();
        Some(Command { span, source, kind })
    }

    /// So many arguments, or a report.
    fn args<const N: usize>(&mut self, span: Span, form: &str, args: Vec<Cursor>) -> Option<[Cursor; N]> {
        let given = args.len();
        match args.try_into() {
            Ok(args) => Some(args),
            Err(_) => {
                let message = format!("the command takes {N} arguments, not {given}");
                self.error("command-arguments", span, message, format!("write it as in `{form}`"));
                None
            }
        }
    }

    fn kind(&mut self, name: &str, span: Span, form: &str, args: Vec<Cursor>) -> Option<CommandKind> {
        Some(match name {
            "split" | "divide" => {
                let [var, outer, inner, factor] = self.args(span, form, args)?;
                let (var, outer, inner) = (self.name(var), self.name(outer), self.name(inner));
                let factor = self.factor(factor);
                let (var, outer, inner, factor) = (var?, outer?, inner?, factor?);
                if name == "split" {
                    CommandKind::Split { var, outer, inner, factor }
                } else {
                    CommandKind::Divide { var, outer, inner, factor }
                }
            }
            "fuse" => {
                let [outer, inner, fused] = self.args(span, form, args)?;
                let (outer, inner, fused) = (self.name(outer), self.name(inner), self.name(fused));
                CommandKind::Fuse { outer: outer?, inner: inner?, fused: fused? }
            }
            "reorder" => {
                if args.len() < 2 {
                    let message = format!("`reorder` takes two variables or more, not {}", args.len());
                    let help = format!("name the loops in their new order, as in `{form}`");
                    self.error("command-arguments", span, message, help);
                    return None;
                }
                CommandKind::Reorder { order: self.names(args)? }
            }
            "pos" => {
                let [var, pos, access] = self.args(span, form, args)?;
                let (var, pos) = (self.name(var), self.name(pos));
                let access = self.access(access);
                CommandKind::Pos { var: var?, pos: pos?, access: access? }
            }
            "coord" => {
                let [pos, var] = self.args(span, form, args)?;
                let (pos, var) = (self.name(pos), self.name(var));
                CommandKind::Coord { pos: pos?, var: var? }
            }
            "precompute" => self.precompute(span, form, args)?,
            "bound" => {
                let [var, bounded, size, kind] = self.args(span, form, args)?;
                let (var, bounded) = (self.name(var), self.name(bounded));
                let size = self.factor(size);
                let kind = self.word(kind, "a kind of bound", &[BoundKind::MaxExact, BoundKind::Divisible]);
                CommandKind::Bound { var: var?, bounded: bounded?, size: size?, kind: kind? }
            }
            "unroll" => {
                let [var, factor] = self.args(span, form, args)?;
                let (var, factor) = (self.name(var), self.factor(factor));
                CommandKind::Unroll { var: var?, factor: factor? }
            }
            "mergeby" => {
                let [var, merge] = self.args(span, form, args)?;
                let var = self.name(var);
                let merge = self.word(merge, "a way to merge", &[Merge::TwoFinger, Merge::Gallop]);
                CommandKind::MergeBy { var: var?, merge: merge? }
            }
            _ => self.parallelize(span, form, args)?,
        })
    }

    fn precompute(&mut self, span: Span, form: &str, mut args: Vec<Cursor>) -> Option<CommandKind> {
        let format = match args.len() {
            5 => args.pop().map(|f| self.word(f, "a format of workspaces", &FORMATS)),
            _ => None,
        };
        let [expr, vars, renamed, workspace] = self.args(span, form, args)?;
        let expr_span = expr.span();
        let expr = self.expr(expr);
        let (vars, renamed) = (self.bracketed(vars), self.bracketed(renamed));
        let workspace = self.name(workspace);
        self.workspaces.extend(workspace.as_ref().map(|name| name.text.clone()));
        let (vars, renamed, workspace) = (vars?, renamed?, workspace?);
        let format = format.map(|f| f.ok_or(())).transpose().ok()?;
        Some(CommandKind::Precompute { expr: expr?, expr_span, vars, renamed, workspace, format })
    }

    fn parallelize(&mut self, span: Span, form: &str, args: Vec<Cursor>) -> Option<CommandKind> {
        if args.len() == 2 {
            let message = "`parallelize` needs a strategy for iterations that write the same element";
            self.error("command-arguments", span, message, format!("write it as in `{form}`"));
            return None;
        }
        let [var, unit, strategy] = self.args(span, form, args)?;
        let (unit_span, strategy_span) = (unit.span(), strategy.span());
        let (var, unit) = (self.name(var), self.unit(unit));
        let all = [
            Strategy::NoRaces,
            Strategy::IgnoreRaces,
            Strategy::Atomics,
            Strategy::Temporary,
            Strategy::ParallelReduction,
            Strategy::ReduceScatter,
            Strategy::Segment,
            Strategy::Deterministic,
        ];
        let strategy = self.word(strategy, "a strategy", &all);
        let (var, unit, strategy) = (var?, unit?, strategy?);
        Some(CommandKind::Parallelize { var, unit, unit_span, strategy, strategy_span })
    }

    /// One name.
    fn name(&mut self, c: Cursor) -> Option<Name> {
        let span = c.span();
        match c.rest() {
            [TokenTree::Ident(i)] if reserved(i).is_some() => {
                let message = format!("`{i}` can't name a loop or workspace: it has another meaning");
                self.error("reserved-name", span, message, "write another name, such as `i0`");
                None
            }
            [TokenTree::Ident(i)] => Some(Name { text: i.to_string(), span }),
            _ => {
                let help = "name an index variable of the statement, or one that a command has made";
                self.error("expected-name", span, "expected one name", help);
                None
            }
        }
    }

    fn names(&mut self, args: Vec<Cursor>) -> Option<Vec<Name>> {
        let names: Vec<_> = args.into_iter().map(|a| self.name(a)).collect();
        names.into_iter().collect()
    }

    /// `[i, j]`, or one name without brackets.
    fn bracketed(&mut self, c: Cursor) -> Option<Vec<Name>> {
        match (c.group(Delimiter::Bracket), c.rest().len()) {
            (Some(group), 1) => self.names(split_commas(&mut Cursor::of_group(&group), false)),
            _ => Some(vec![self.name(c)?]),
        }
    }

    /// A whole literal without a sign.
    fn factor(&mut self, c: Cursor) -> Option<Factor> {
        let span = c.span();
        let value = match c.rest() {
            [TokenTree::Literal(l)] => syn::parse2::<syn::LitInt>(TokenTree::Literal(l.clone()).into()).ok(),
            _ => None,
        };
        let value = value.filter(|l| l.suffix().is_empty()).map(|l| l.base10_parse::<u64>());
        match value {
            Some(Ok(value)) if value <= MAX_FACTOR => Some(Factor { value, span }),
            Some(_) => {
                let message = format!("the factor is more than {MAX_FACTOR}");
                self.error("bad-factor", span, message, "write a smaller one");
                None
            }
            None => {
                let help = "factors are whole literals: write a number such as 64";
                self.error("bad-factor", span, "expected a positive whole number", help);
                None
            }
        }
    }

    /// One of a few words.
    fn word<T: Copy + std::fmt::Display>(&mut self, c: Cursor, what: &str, all: &[T]) -> Option<T> {
        let span = c.span();
        let found = match c.rest() {
            [TokenTree::Ident(i)] => all.iter().copied().find(|w| i == &w.to_string()),
            _ => None,
        };
        if found.is_none() {
            let words: Vec<_> = all.iter().map(|w| format!("`{w}`")).collect();
            let help = format!("write one of {}", words.join(", "));
            self.error("unknown-word", span, format!("expected {what}"), help);
        }
        found
    }

    fn unit(&mut self, mut c: Cursor) -> Option<Unit> {
        if c.is_word("GPUGroup") {
            let span = c.span();
            c.skip(1);
            let size = c.group(Delimiter::Parenthesis).filter(|_| c.rest().len() == 1);
            let Some(size) = size else {
                let message = "a group has a size";
                self.error("unknown-word", span, message, "write it as in `GPUGroup(8)`");
                return None;
            };
            let size = self.factor(Cursor::of_group(&size))?;
            return Some(Unit::GpuGroup(u32::try_from(size.value).unwrap_or(u32::MAX)));
        }
        let all = [
            Unit::CpuThread,
            Unit::CpuVector,
            Unit::GpuBlock,
            Unit::GpuWarp,
            Unit::GpuThread,
            // For the list in the message: its size makes it more than a word.
            Unit::GpuGroup(8),
            Unit::GpuVector,
        ];
        self.word(c, "a unit", &all)
    }

    /// An expression in the statement's notation.
    fn expr(&mut self, mut c: Cursor) -> Option<Expr> {
        let mut parser = Parser::new(self.diagnostics);
        let raw = parser.whole(&mut c);
        if parser.failed {
            return None;
        }
        let kernel = self.kernel?;
        let mut resolver = Resolver::of_kernel(kernel, self.diagnostics);
        resolver.workspaces.clone_from(&self.workspaces);
        resolver.expr(&raw, Some(kernel.assignment.lhs.tensor))
    }

    /// An access of the statement's operands.
    fn access(&mut self, c: Cursor) -> Option<Access> {
        let span = c.span();
        match self.expr(c)? {
            Expr::Access(a) => Some(a),
            _ => {
                let help = "name an operand as the statement does, such as `A[i, j]`";
                self.error("expected-access", span, "expected an access", help);
                None
            }
        }
    }
}
