//! The grammar of a kernel's body: one statement, with Rust's operator precedence.
//!
//! A mistake leaves [`RawExpr::Error`] in the tree, so that what stands beside it is still read and checked.

use super::ast::AssignOp;
use super::cursor::{Cursor, split_commas};
use super::syntax::{LiteralToken, RawAccess, RawExpr, RawLiteral, RawStatement};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::scalar::{BinaryOp, Monoid, UnaryOp};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenTree};

/// Operands of one statement, and how deep they nest: enough for any kernel that a person writes, and no input can
/// exhaust the stack of the passes behind.
const MAX_OPERANDS: usize = 256;
const MAX_DEPTH: usize = 64;

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
    for token in group.stream() {
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
        diagnostics.push(
            Diagnostic::new("several-statements", tokens[0].span(), "a kernel is one statement")
                .help("write a `tensor_kernel!` for each statement, and call one after the other"),
        );
    }
    let mut parser = Parser { diagnostics, failed: false, operands: 0, depth: 0 };
    let statement = parser.statement(first, end);
    Body { statement, complete: !parser.failed && several.is_none() }
}

struct Parser<'a> {
    diagnostics: &'a mut Diagnostics,
    failed: bool,
    operands: usize,
    depth: usize,
}

impl Parser<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.failed = true;
        self.diagnostics.push(Diagnostic::new(code, span, message).help(help));
    }

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
        let op = match assignment.op {
            Ok(op) => Some(op),
            Err(help) => {
                let message = format!("`{}` is not a reduction", assignment.text);
                self.error("unknown-reduction", assignment.span, message, help);
                None
            }
        };
        let rhs = self.whole(&mut Cursor::new(rhs, end));
        // What follows checks the right side even where the left one failed.
        let op = op.unwrap_or(AssignOp::Assign);
        Some(RawStatement { lhs, op, op_span: assignment.span, rhs })
    }

    /// `C[i, j]` or `s`.
    fn left_side(&mut self, mut c: Cursor) -> Option<RawAccess> {
        let span = c.span();
        let named = c.ident().is_some_and(|i| !is_literal_word(i));
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

    /// An expression that takes all tokens.
    fn whole(&mut self, c: &mut Cursor) -> RawExpr {
        let e = self.binary(c, 1);
        if c.is_empty() {
            return e;
        }
        if !self.failed {
            self.leftover(c);
        }
        c.skip_all();
        RawExpr::Error
    }

    /// What stands where an operator should.
    fn leftover(&mut self, c: &Cursor) {
        let span = c.span();
        let help = match c.operator() {
            Some("=") | Some("+=") | Some("*=") | Some("|=") | Some("&=") | Some("-=") => {
                return self.error(
                    "several-assignments",
                    span,
                    "a statement assigns once",
                    "write a `tensor_kernel!` for each result; to compare, write `==`",
                );
            }
            Some(op @ ("%" | "<<" | ">>")) => {
                let help = "write it with `+ - * /`, `min max`, `& | ^` and comparisons";
                return self.error(
                    "unknown-operator",
                    span,
                    format!("there is no operator `{op}` here"),
                    help,
                );
            }
            Some(".") => match c.peek_second() {
                Some(TokenTree::Ident(method)) => {
                    let help = format!("write a function: `{method}(…)`");
                    return self.error("method-call", span, "there are no methods here", help);
                }
                _ => "write an operator such as `*` or `+` between two operands",
            },
            Some("..") | Some("..=") | Some("...") => {
                "a variable ranges over its whole dimension: leave the range out"
            }
            Some("?") => "remove it: an expression cannot fail",
            Some(",") => "remove the comma: the right side is one expression",
            _ if c.is_word("as") => {
                let help = "a kernel has one element type: convert a tensor before the call, `.cast::<T>()`";
                return self.error("cast", span, "there are no casts here", help);
            }
            _ if c.group(Delimiter::Bracket).is_some() => return self.double_brackets(c),
            _ => "write an operator such as `*` or `+` between two operands",
        };
        self.error("expected-operator", span, "expected an operator or the end of the expression", help);
    }

    fn double_brackets(&mut self, c: &Cursor) {
        let help = "write all indices in one pair of brackets: `A[i, j]`";
        self.error("double-brackets", c.span(), "an access has one pair of brackets", help);
    }

    /// Binary operators from a precedence upwards.
    fn binary(&mut self, c: &mut Cursor, lowest: u8) -> RawExpr {
        let mut left = self.unary(c);
        let mut compared = false;
        while let Some((op, precedence, text)) = self.infix(c) {
            if precedence < lowest {
                break;
            }
            let span = c.span();
            c.skip(text.len());
            if op.is_comparison() && std::mem::replace(&mut compared, true) {
                self.error(
                    "comparison-chain",
                    span,
                    "comparisons do not chain",
                    "write parentheses, or both comparisons joined by `*`: `(a < b) * (b < c)`",
                );
            }
            let right = self.binary(c, precedence + 1);
            left = RawExpr::Binary { op, span, args: Box::new((left, right)) };
        }
        left
    }

    /// The binary operator that comes next, its precedence and its text.
    fn infix(&mut self, c: &Cursor) -> Option<(BinaryOp, u8, &'static str)> {
        let text = c.operator()?;
        let (op, precedence) = match text {
            "*" => (BinaryOp::Mul, 6),
            "/" => (BinaryOp::Div, 6),
            "+" => (BinaryOp::Add, 5),
            "-" => (BinaryOp::Sub, 5),
            "&" | "&&" => (BinaryOp::And, 4),
            "^" => (BinaryOp::Xor, 3),
            "|" | "||" => (BinaryOp::Or, 2),
            "==" => (BinaryOp::Eq, 1),
            "!=" => (BinaryOp::Ne, 1),
            "<" => (BinaryOp::Lt, 1),
            "<=" => (BinaryOp::Le, 1),
            ">" => (BinaryOp::Gt, 1),
            ">=" => (BinaryOp::Ge, 1),
            _ => return None,
        };
        if text == "&&" || text == "||" {
            let help = format!("write `{}`", &text[1..]);
            self.error("unknown-operator", c.span(), format!("there is no operator `{text}` here"), help);
        }
        Some((op, precedence, text))
    }

    fn unary(&mut self, c: &mut Cursor) -> RawExpr {
        let mut prefix = Vec::new();
        while let Some(op) = match c.operator() {
            Some("-") => Some(UnaryOp::Neg),
            Some("!") => Some(UnaryOp::Not),
            _ => None,
        } {
            prefix.push((op, c.span()));
            c.skip(1);
        }
        self.depth += prefix.len();
        let mut e = if self.is_too_deep(c) { RawExpr::Error } else { self.primary(c) };
        self.depth -= prefix.len();
        for (op, span) in prefix.into_iter().rev() {
            e = match e {
                RawExpr::Literal(l) if op == UnaryOp::Neg && !l.negative && l.is_number() => {
                    RawExpr::Literal(RawLiteral { negative: true, span, ..l })
                }
                e => RawExpr::Unary { op, span, arg: Box::new(e) },
            };
        }
        e
    }

    fn is_too_deep(&mut self, c: &mut Cursor) -> bool {
        let too_deep = self.depth > MAX_DEPTH;
        if too_deep {
            if !self.failed {
                let message = format!("the expression nests more than {MAX_DEPTH} deep");
                self.error("expression-too-large", c.span(), message, "split it into several kernels");
            }
            c.skip_all();
        }
        too_deep
    }

    fn primary(&mut self, c: &mut Cursor) -> RawExpr {
        self.operands += 1;
        if self.operands > MAX_OPERANDS {
            if self.operands == MAX_OPERANDS + 1 {
                let message = format!("the expression has more than {MAX_OPERANDS} operands");
                self.error("expression-too-large", c.span(), message, "split it into several kernels");
            }
            c.skip_all();
            return RawExpr::Error;
        }
        let span = c.span();
        match c.peek().cloned() {
            Some(TokenTree::Ident(name)) => {
                c.skip(1);
                self.named(c, name)
            }
            Some(TokenTree::Literal(token)) => {
                c.skip(1);
                let negative = false;
                RawExpr::Literal(RawLiteral { token: LiteralToken::Number(token), negative, span })
            }
            Some(TokenTree::Group(g))
                if matches!(g.delimiter(), Delimiter::Parenthesis | Delimiter::None) =>
            {
                c.skip(1);
                self.depth += 1;
                let mut inner = Cursor::of_group(&g);
                let e = if self.is_too_deep(&mut inner) { RawExpr::Error } else { self.whole(&mut inner) };
                self.depth -= 1;
                e
            }
            Some(TokenTree::Group(_)) => {
                c.skip(1);
                let help = "write parentheses to group, and a tensor's name before its indices: `A[i, j]`";
                self.error("expected-operand", span, "expected an operand", help);
                RawExpr::Error
            }
            Some(TokenTree::Punct(_)) | None => {
                let help = match c.operator() {
                    Some("&" | "&&" | "*") => "operands are plain names and accesses: leave `&` and `*` out",
                    Some("+") => "leave the `+` out",
                    _ => "write an access such as `A[i, j]`, a literal, or a scalar parameter",
                };
                self.error("expected-operand", span, "expected an operand", help);
                // A stray prefix is skipped, so that what it stands before is still checked.
                if matches!(c.operator(), Some("&" | "&&" | "*" | "+")) {
                    c.skip(1);
                    return if c.is_empty() { RawExpr::Error } else { self.unary_after_stray(c) };
                }
                c.skip_all();
                RawExpr::Error
            }
        }
    }

    fn unary_after_stray(&mut self, c: &mut Cursor) -> RawExpr {
        self.depth += 1;
        let e = if self.is_too_deep(c) { RawExpr::Error } else { self.unary(c) };
        self.depth -= 1;
        e
    }

    /// What begins with a name: a literal word, a call, an access.
    fn named(&mut self, c: &mut Cursor, name: Ident) -> RawExpr {
        let span = name.span();
        let literal = |token| RawExpr::Literal(RawLiteral { token, negative: false, span });
        if name == "true" || name == "false" {
            return literal(LiteralToken::Bool(name == "true"));
        }
        if is_keyword(&name) {
            let help = "write an access such as `A[i, j]`, a literal, or a scalar parameter";
            self.error(
                "expected-operand",
                span,
                format!("`{name}` is a word of Rust's, not an operand"),
                help,
            );
            return RawExpr::Error;
        }
        if let Some(g) = c.group(Delimiter::Parenthesis) {
            c.skip(1);
            self.depth += 1;
            let mut inner = Cursor::of_group(&g);
            let args = if self.is_too_deep(&mut inner) {
                vec![]
            } else {
                split_commas(&mut inner, false).iter_mut().map(|piece| self.whole(piece)).collect()
            };
            self.depth -= 1;
            return RawExpr::Call { name, args };
        }
        if let Some(g) = c.group(Delimiter::Bracket) {
            c.skip(1);
            let indices = split_commas(&mut Cursor::of_group(&g), false);
            let indices = indices.into_iter().map(|piece| self.index(piece)).collect();
            return RawExpr::Access(RawAccess { name, indices: Some(indices) });
        }
        match c.operator() {
            Some("::") => {
                let help = "write a literal (`inf` for infinity), or pass the value as a scalar parameter";
                self.error("path", span, "there are no paths here", help);
                c.skip_all();
                RawExpr::Error
            }
            Some("!") if matches!(c.peek_second(), Some(TokenTree::Group(_))) => {
                let help = "write the expression out";
                self.error("macro-call", span, "there are no macros here", help);
                c.skip(2);
                RawExpr::Error
            }
            _ if name == "inf" => literal(LiteralToken::Infinity),
            _ => RawExpr::Access(RawAccess { name, indices: None }),
        }
    }

    /// One index of an access: a variable.
    fn index(&mut self, mut c: Cursor) -> Option<Ident> {
        let span = c.span();
        let (code, at, message, help): (_, _, _, String) = match c.rest() {
            [TokenTree::Ident(i)] if !is_keyword(i) => return Some(i.clone()),
            [TokenTree::Ident(i)] if i == "_" => (
                "bad-index",
                span,
                "an index variable has a name".into(),
                "write a name; one that only this access has is summed over".into(),
            ),
            [TokenTree::Ident(i)] => (
                "reserved-name",
                span,
                format!("`{i}` can't name an index variable: it is a word of Rust's"),
                "write another name, such as `i`".into(),
            ),
            [] => (
                "bad-index",
                span,
                "an index is missing".into(),
                "write an index variable, such as `i`".into(),
            ),
            [TokenTree::Literal(l)] => (
                "constant-index",
                span,
                format!("`{l}` is a constant index, which this version does not support"),
                "write an index variable; to read one slice, extract it before the call".into(),
            ),
            [TokenTree::Group(g)] if g.delimiter() == Delimiter::None => {
                return self.index(Cursor::of_group(g));
            }
            rest if has_range(rest) => (
                "index-slice",
                span,
                "an index is one variable, not a range".into(),
                "write an index variable: it ranges over the whole dimension".into(),
            ),
            [first, ..] => {
                let operator = matches!(first, TokenTree::Ident(_)) && c.peek_second().is_some();
                let at = if operator { c.peek_second().map_or(span, TokenTree::span) } else { span };
                (
                    "index-arithmetic",
                    at,
                    "an index is one variable: arithmetic on indices is not supported in this version".into(),
                    "write a variable of its own, and shift or reorder the tensor's coordinates before the call".into(),
                )
            }
        };
        c.skip_all();
        self.error(code, at, message, help);
        None
    }
}

/// `..`, or `:` as other languages write a whole dimension.
fn has_range(tokens: &[TokenTree]) -> bool {
    let dot = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == '.');
    let colon = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ':');
    tokens.windows(2).any(|w| dot(&w[0]) && dot(&w[1])) || tokens.iter().any(colon)
}

/// `C[i] += A[i]` in its parts.
struct Split {
    lhs: Vec<TokenTree>,
    assignment: Assignment,
    rhs: Vec<TokenTree>,
}

struct Assignment {
    span: Span,
    text: String,
    /// Or what to write instead.
    op: Result<AssignOp, &'static str>,
}

/// Splits at the first assignment. If there is none: the first `==`.
fn split(tokens: Vec<TokenTree>, end: Span) -> Result<Split, Option<Span>> {
    let mut c = Cursor::new(tokens, end);
    let mut lhs = Vec::new();
    let mut equality = None;
    loop {
        let span = c.span();
        let reduce = |m| Ok(AssignOp::Reduce(m));
        let found = match c.operator() {
            Some("=") => Some(("=", Ok(AssignOp::Assign))),
            Some("+=") => Some(("+=", reduce(Monoid::Add))),
            Some("*=") => Some(("*=", reduce(Monoid::Mul))),
            Some("&=") => Some(("&=", reduce(Monoid::And))),
            Some("|=") => Some(("|=", reduce(Monoid::Or))),
            Some("-=") => Some(("-=", Err("write `+=` and negate the right side: `y[i] += -(…)`"))),
            Some("/=") => Some(("/=", Err("write `*=` and divide on the right side: `y[i] *= 1 / (…)`"))),
            Some("^=") => Some((
                "^=",
                Err("write `=` with `^` on the right side; reductions are `+= *= min= max= &= |=`"),
            )),
            Some(op @ ("%=" | "<<=" | ">>=")) => Some((op, Err("reductions are `+= *= min= max= &= |=`"))),
            Some("==") => {
                equality.get_or_insert(span);
                None
            }
            _ => None,
        };
        if let Some((text, op)) = found {
            c.skip(text.len());
            return Ok(Split {
                lhs,
                assignment: Assignment { span, text: text.into(), op },
                rhs: c.rest().to_vec(),
            });
        }
        // `min=`: two tokens. Not the name of a result: that comes first.
        if let Some(word) = c.ident().filter(|_| !lhs.is_empty()).map(Ident::to_string) {
            let mut after = Cursor::new(c.rest()[1..].iter().take(3).cloned().collect(), span);
            if after.operator() == Some("=") {
                let op = match word.as_str() {
                    "min" => reduce(Monoid::Min),
                    "max" => reduce(Monoid::Max),
                    _ => Err("reductions are `+= *= min= max= &= |=`"),
                };
                c.skip(2);
                after.skip_all();
                let assignment = Assignment { span, text: format!("{word}="), op };
                return Ok(Split { lhs, assignment, rhs: c.rest().to_vec() });
            }
        }
        let len = c.operator().map_or(1, str::len);
        if c.is_empty() {
            return Err(equality);
        }
        lhs.extend(c.rest().iter().take(len).cloned());
        c.skip(len);
    }
}

impl RawLiteral {
    fn is_number(&self) -> bool {
        !matches!(self.token, LiteralToken::Bool(_))
    }
}

fn is_literal_word(i: &Ident) -> bool {
    i == "true" || i == "false"
}

/// Words that Rust keeps for itself, and raw identifiers, which stand for them.
pub(super) fn is_keyword(i: &Ident) -> bool {
    const WORDS: [&str; 53] = [
        "_", "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn", "for",
        "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
        "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
        "async", "await", "dyn", "abstract", "become", "box", "do", "final", "macro", "override", "priv",
        "typeof", "unsized", "virtual", "yield", "try", "gen",
    ];
    let name = i.to_string();
    name.starts_with("r#") || WORDS.contains(&name.as_str())
}
