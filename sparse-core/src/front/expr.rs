//! The grammar of expressions, with Rust's operator precedence.
//!
//! A mistake leaves [`RawExpr::Error`] in the tree, so that what stands beside it is still read and checked.

use super::cursor::{Cursor, split_commas};
use super::functions::{function, instead_of};
use super::scope::reserved;
use super::syntax::{LiteralToken, RawAccess, RawExpr, RawLiteral};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::scalar::{BinaryOp, UnaryOp};
use proc_macro2::{Delimiter, Ident, Spacing, Span, TokenTree};

/// Operands of one statement, and how deep they nest: enough for any kernel that a person writes, and no input can
/// exhaust the stack of the passes behind.
const MAX_OPERANDS: usize = 256;
const MAX_DEPTH: usize = 64;

/// Reads expressions; reports as it goes.
pub(super) struct Parser<'a> {
    diagnostics: &'a mut Diagnostics,
    /// Something has been reported.
    pub(super) failed: bool,
    operands: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(diagnostics: &'a mut Diagnostics) -> Self {
        Parser { diagnostics, failed: false, operands: 0, depth: 0 }
    }

    pub(super) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.failed = true;
        self.diagnostics.push(Diagnostic::new(code, span, message).help(help));
    }

    /// An expression that takes all tokens.
    pub(super) fn whole(&mut self, c: &mut Cursor) -> RawExpr {
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
                    let method = method.to_string();
                    let help = match function(&method) {
                        Some(_) => format!("write a function: `{method}(…)`"),
                        None => instead_of(&method).into(),
                    };
                    return self.error("method-call", span, "there are no methods here", help);
                }
                _ => "write an operator such as `*` or `+` between two operands",
            },
            Some("..") | Some("..=") | Some("...") => {
                "a variable ranges over its whole dimension: leave the range out"
            }
            Some("?") if c.rest().iter().any(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ':')) => {
                let help = "a comparison is 0 or 1: write it as a factor, `(A[i, j] > 0) * A[i, j]`";
                return self.error("conditional", span, "there is no `? :` here", help);
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

    pub(super) fn double_brackets(&mut self, c: &Cursor) {
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
            let power = matches!(c.peek(), Some(TokenTree::Punct(p)) if p.spacing() == Spacing::Joint);
            c.skip(text.len());
            if text == "*" && power && c.is_operator("*") {
                c.skip(1);
                let help = "write a product, `x * x`, or `exp(y * ln(x))`";
                self.error("unknown-operator", span, "there is no operator `**` here", help);
            }
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
            let help = match text {
                "&&" => "write `&`, or `*` on floats",
                _ => "write `|`, or `max(a, b)` on floats",
            };
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

    pub(super) fn primary(&mut self, c: &mut Cursor) -> RawExpr {
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
                if c.group(Delimiter::Bracket).is_some() {
                    // `2A` is one token.
                    let help = "write an operator between a number and a tensor: `2 * A[i, j]`";
                    self.error("expected-operator", span, "a number has no indices", help);
                    c.skip_all();
                    return RawExpr::Error;
                }
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
        // A raw identifier is refused where it is declared.
        if is_keyword(&name) && !name.to_string().starts_with("r#") {
            let help = if name == "if" || name == "match" {
                "a comparison is 0 or 1: write it as a factor, `(A[i, j] > 0) * A[i, j]`"
            } else {
                "write an access such as `A[i, j]`, a literal, or a scalar parameter"
            };
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
            let expr = if self.is_too_deep(&mut inner) {
                RawExpr::Error
            } else {
                let pieces = split_commas(&mut inner, false);
                let args = pieces.into_iter().map(|mut piece| self.whole(&mut piece)).collect();
                RawExpr::Call { name, args }
            };
            self.depth -= 1;
            return expr;
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
            [TokenTree::Ident(i)] if reserved(i).is_none() => return Some(i.clone()),
            [TokenTree::Ident(i)] if i == "_" => (
                "bad-index",
                span,
                "an index variable has a name".into(),
                "write a name; one that only this access has is summed over".into(),
            ),
            [TokenTree::Ident(i)] => (
                "reserved-name",
                span,
                format!("`{i}` can't name an index variable: {}", reserved(i).unwrap_or_default()),
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
            rest if has_range(rest) => (
                "index-slice",
                span,
                "an index is one variable, not a range".into(),
                "write an index variable: it ranges over the whole dimension".into(),
            ),
            [TokenTree::Ident(_), TokenTree::Group(g)] if g.delimiter() == Delimiter::Bracket => (
                "nested-index",
                span,
                "an index is one variable, not an element of a tensor".into(),
                "choose by a matrix with a 1 where its row's element is, `P: Tensor<f32, (Dense, Singleton)>`: write `P[i, j] * x[j]`"
                    .into(),
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

impl RawLiteral {
    fn is_number(&self) -> bool {
        !matches!(self.token, LiteralToken::Bool(_))
    }
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
    /// Where a name is declared these are patterns.
    const PATTERNS: [&str; 4] = ["Some", "None", "Ok", "Err"];
    let name = i.to_string();
    name.starts_with("r#") || WORDS.contains(&name.as_str()) || PATTERNS.contains(&name.as_str())
}
