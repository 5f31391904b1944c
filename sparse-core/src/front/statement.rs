//! The grammar of a kernel's body: one assignment.

use super::ast::AssignOp;
use super::cursor::{Cursor, bare};
use super::expr::Parser;
use super::syntax::{RawAccess, RawExpr, RawStatement};
use crate::diag::{Diagnostic, Diagnostics};
use crate::scalar::Monoid;
use proc_macro2::{Delimiter, Group, Span, TokenTree};

/// What a body holds.
pub(super) struct Body {
    pub(super) statement: Option<RawStatement>,
    /// It was read to its end without a mistake.
    pub(super) complete: bool,
}

/// Reads the one statement in the braces.
pub(super) fn body(group: &Group, diagnostics: &mut Diagnostics) -> Body {
    let mut statements: Vec<Vec<TokenTree>> = vec![Vec::new()];
    let mut ends = Vec::new();
    for token in group.stream().into_iter().map(bare) {
        match token {
            TokenTree::Punct(p) if p.as_char() == ';' => {
                ends.push(p.span());
                statements.push(Vec::new());
            }
            token => statements.last_mut().expect("never empty").push(token),
        }
    }
    ends.push(group.span_close());
    let mut statements = statements.into_iter().zip(ends).filter(|(tokens, _)| !tokens.is_empty());
    let Some((first, end)) = statements.next() else {
        diagnostics.push(
            Diagnostic::new("empty-body", group.span_close(), "the kernel has no statement")
                .help("write one, such as `y[i] = A[i, j] * x[j];`"),
        );
        return Body { statement: None, complete: false };
    };
    let several = statements.next();
    if let Some((tokens, _)) = &several {
        let is_schedule = matches!(&tokens[0], TokenTree::Ident(word) if word == "schedule");
        diagnostics.push(if is_schedule {
            Diagnostic::new(
                "schedule-in-body",
                tokens[0].span(),
                "a schedule has no place in the kernel's body",
            )
            .help("move it behind the body: `fn … { y[i] = A[i, j] * x[j]; } schedule cpu { … }`")
        } else {
            Diagnostic::new("several-statements", tokens[0].span(), "a kernel is one statement")
                .help("write a `tensor_kernel!` for each statement, and call one after the other")
        });
    }
    let mut parser = Parser::new(diagnostics);
    let statement = parser.statement(first, end);
    Body { statement, complete: !parser.failed && several.is_none() }
}

impl Parser<'_> {
    fn statement(&mut self, tokens: Vec<TokenTree>, end: Span) -> Option<RawStatement> {
        let first = tokens[0].span();
        if let TokenTree::Ident(word) = &tokens[0]
            && ["let", "for", "if", "while", "loop", "return", "match"].iter().any(|w| word == w)
        {
            self.error(
                "not-index-notation",
                first,
                format!("`{word}` is not index notation"),
                "write one assignment: its loops and sums follow from its index variables, as in `y[i] = A[i, j] * x[j];`",
            );
            return None;
        }
        if matches!(&tokens[0], TokenTree::Punct(p) if p.as_char() == '#') {
            self.error(
                "attribute-in-body",
                first,
                "documentation and attributes have no place in the kernel's body",
                "write them before `fn`; `//` comments stand anywhere",
            );
            return None;
        }
        let Split { lhs, assignment, rhs } = match split(tokens, end) {
            Ok(split) => split,
            Err(Some(equality)) => {
                self.error("missing-assignment", equality, "`==` compares, it does not assign", "write `=`");
                return None;
            }
            Err(None) => {
                self.error(
                    "missing-assignment",
                    first,
                    "the statement assigns nothing",
                    "name what is computed on the left: `y[i] = …;`",
                );
                return None;
            }
        };
        let lhs = self.left_side(Cursor::new(lhs, assignment.span));
        let Meaning { op, mistake } = assignment.meaning;
        if let Some(mistake) = mistake {
            let message = format!("`{}` is not {}", assignment.operator, mistake.what);
            self.error("unknown-reduction", assignment.span, message, mistake.help);
        }
        // What follows checks the right side even where the left one failed, by what was meant.
        let rhs = self.whole(&mut Cursor::new(rhs, end));
        Some(RawStatement { lhs, op, op_span: assignment.span, rhs })
    }

    /// `C[i, j]` or `s`.
    fn left_side(&mut self, mut c: Cursor) -> Option<RawAccess> {
        let span = c.span();
        let named = c.ident().is_some_and(|i| i != "true" && i != "false");
        if let [TokenTree::Ident(name), TokenTree::Group(g)] = c.rest()
            && g.delimiter() == Delimiter::Parenthesis
        {
            let help = format!("write `{name}[{}]`", g.stream());
            self.error("bad-left-side", g.span(), "indices stand in brackets", help);
            return None;
        }
        if named && let RawExpr::Access(access) = self.primary(&mut c) {
            if c.is_empty() {
                return Some(access);
            }
            if access.indices.is_some() && c.group(Delimiter::Bracket).is_some() {
                self.double_brackets(&c);
                return None;
            }
        }
        if !self.failed {
            self.error(
                "bad-left-side",
                if named { c.span() } else { span },
                "the left side is one element of one tensor",
                "write the result with its index variables there, such as `C[i, j]`, and everything else on the right",
            );
        }
        None
    }
}

/// `C[i] += A[i]` in its parts.
struct Split {
    lhs: Vec<TokenTree>,
    assignment: Assignment,
    rhs: Vec<TokenTree>,
}

struct Assignment {
    span: Span,
    operator: String,
    meaning: Meaning,
}

/// What an operator does.
struct Meaning {
    /// Where it has no place here, what is meant, if that is clear.
    op: Option<AssignOp>,
    mistake: Option<Mistake>,
}

/// What an operator is not, and what to write.
struct Mistake {
    what: &'static str,
    help: &'static str,
}

const REDUCTIONS: &str = "reductions are `+= *= min= max= &= |=`";

/// What an operator does; `None` if it is none that assigns.
fn meaning(operator: &str) -> Option<Meaning> {
    let is = |op| Some(Meaning { op: Some(op), mistake: None });
    let is_not = |what, op, help| Some(Meaning { op, mistake: Some(Mistake { what, help }) });
    let is_no_reduction = |op, help| is_not("a reduction", op, help);
    let meant = |m| Some(AssignOp::Reduce(m));
    match operator {
        "=" => is(AssignOp::Assign),
        "+=" => is(AssignOp::Reduce(Monoid::Add)),
        "*=" => is(AssignOp::Reduce(Monoid::Mul)),
        "&=" => is(AssignOp::Reduce(Monoid::And)),
        "|=" => is(AssignOp::Reduce(Monoid::Or)),
        "min=" => is(AssignOp::Reduce(Monoid::Min)),
        "max=" => is(AssignOp::Reduce(Monoid::Max)),
        "&&=" => is_no_reduction(meant(Monoid::And), "write `&=`"),
        "||=" => is_no_reduction(meant(Monoid::Or), "write `|=`"),
        ":=" => is_not(
            "an assignment",
            Some(AssignOp::Assign),
            "write `=`, or a reduction: `+= *= min= max= &= |=`",
        ),
        "-=" => is_no_reduction(
            None,
            "write `+=` and negate the right side, `y[i] += -(…)`; of types without a sign, into a result: `z[i] = y[i] - (…)`",
        ),
        "/=" => is_no_reduction(
            None,
            "write `*=` and divide on the right side, `y[i] *= 1 / (…)`; of integers, into a result: `z[i] = y[i] / (…)`",
        ),
        "^=" => is_no_reduction(
            None,
            "write `=` with `^` on the right side; reductions are `+= *= min= max= &= |=`",
        ),
        "%=" | "<<=" | ">>=" => is_no_reduction(None, REDUCTIONS),
        _ => None,
    }
}

/// What some word before `=` does.
fn unknown() -> Meaning {
    let mistake = Mistake { what: "a reduction", help: REDUCTIONS };
    Meaning { op: None, mistake: Some(mistake) }
}

/// Splits at the first assignment. If there is none: the first `==`.
fn split(tokens: Vec<TokenTree>, end: Span) -> Result<Split, Option<Span>> {
    let mut c = Cursor::new(tokens, end);
    let mut lhs = Vec::new();
    let mut equality = None;
    loop {
        let span = c.span();
        if c.operator() == Some("==") {
            equality.get_or_insert(span);
        }
        let (operator, len, meaning) = match (c.operator(), c.ident()) {
            (Some(operator), _) => (operator.to_string(), operator.len(), meaning(operator)),
            // `min=`: two tokens. Not the name of a result: that comes first.
            (None, Some(word)) if !lhs.is_empty() && c.operator_after(1) == Some("=") => {
                let operator = format!("{word}=");
                let meaning = meaning(&operator).unwrap_or_else(unknown);
                (operator, 2, Some(meaning))
            }
            _ => (String::new(), 1, None),
        };
        if let Some(meaning) = meaning {
            c.skip(len);
            let assignment = Assignment { span, operator, meaning };
            return Ok(Split { lhs, assignment, rhs: c.rest().to_vec() });
        }
        if c.is_empty() {
            return Err(equality);
        }
        lhs.extend(c.rest().iter().take(len).cloned());
        c.skip(len);
    }
}
