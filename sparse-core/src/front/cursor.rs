//! A position in a list of tokens.

use super::expr::is_keyword;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};

/// Tokens with a position, and the span of what closes them.
pub(super) struct Cursor {
    tokens: Vec<TokenTree>,
    at: usize,
    end: Span,
}

/// Rust's operators of several characters, and `&&=`, `||=` and `:=`, which are written for others; longest first.
const OPERATORS: [&str; 27] = [
    "<<=", ">>=", "&&=", "||=", "...", "..=", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "^=", "&=", "|=", ":=", "<<", ">>", "->", "=>", "::", "..",
];
/// The operators of one character.
const SINGLE: [&str; 22] = [
    "=", "<", ">", "!", "~", "+", "-", "*", "/", "%", "^", "&", "|", "@", ".", ",", ";", ":", "#", "$", "?",
    "'",
];

/// A token as the grammar knows it. A fragment that `macro_rules!` passes on comes in a group without delimiters, which says
/// nothing around one token. A raw identifier is the plain one, unless that is a word of Rust's.
pub(super) fn bare(token: TokenTree) -> TokenTree {
    let group = match &token {
        TokenTree::Group(group) => group,
        TokenTree::Ident(name) => return plain(name).map_or(token, TokenTree::Ident),
        _ => return token,
    };
    let mut inside = group.stream().into_iter();
    match (group.delimiter(), inside.next(), inside.next()) {
        (Delimiter::None, Some(one), None) => bare(one),
        _ => token,
    }
}

/// `r#spmv` as `spmv`.
fn plain(name: &Ident) -> Option<Ident> {
    let name = Ident::new(name.to_string().strip_prefix("r#")?, name.span());
    (!is_keyword(&name)).then_some(name)
}

impl Cursor {
    pub(super) fn new(tokens: Vec<TokenTree>, end: Span) -> Self {
        Cursor { tokens, at: 0, end }
    }

    pub(super) fn of_stream(tokens: TokenStream, end: Span) -> Self {
        Cursor::new(tokens.into_iter().map(bare).collect(), end)
    }

    /// The tokens in a group; a missing one is missed at its closing delimiter.
    pub(super) fn of_group(group: &Group) -> Self {
        Cursor::of_stream(group.stream(), group.span_close())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_second(&self) -> Option<&TokenTree> {
        self.tokens.get(self.at + 1)
    }

    /// The token and those after it.
    pub(super) fn rest(&self) -> &[TokenTree] {
        &self.tokens[self.at..]
    }

    pub(super) fn skip(&mut self, n: usize) {
        self.at = (self.at + n).min(self.tokens.len());
    }

    pub(super) fn skip_all(&mut self) {
        self.at = self.tokens.len();
    }

    pub(super) fn next(&mut self) -> Option<TokenTree> {
        let token = self.tokens.get(self.at).cloned();
        self.skip(1);
        token
    }

    /// Span of the next token, or of what closes the list.
    pub(super) fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    /// The next token if it is an identifier.
    pub(super) fn ident(&self) -> Option<&Ident> {
        match self.peek() {
            Some(TokenTree::Ident(i)) => Some(i),
            _ => None,
        }
    }

    /// Is the next token this word?
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.ident().is_some_and(|i| i == word)
    }

    /// The next token if it is such a group.
    pub(super) fn group(&self, delimiter: Delimiter) -> Option<Group> {
        match self.peek() {
            Some(TokenTree::Group(g)) if g.delimiter() == delimiter => Some(g.clone()),
            _ => None,
        }
    }

    /// The operator that the next tokens spell: the longest one, as in Rust. [`Cursor::skip`] by its length.
    pub(super) fn operator(&self) -> Option<&'static str> {
        self.operator_after(0)
    }

    /// The same after so many tokens.
    pub(super) fn operator_after(&self, tokens: usize) -> Option<&'static str> {
        let mut text = [0u8; 3];
        let mut len = 0;
        for token in self.rest().iter().skip(tokens).take(3) {
            let TokenTree::Punct(p) = token else { break };
            if !p.as_char().is_ascii() {
                break;
            }
            text[len] = p.as_char() as u8;
            len += 1;
            if p.spacing() == Spacing::Alone {
                break;
            }
        }
        let text = &text[..len];
        OPERATORS.iter().chain(&SINGLE).copied().find(|op| text.starts_with(op.as_bytes()))
    }

    pub(super) fn is_operator(&self, op: &str) -> bool {
        self.operator() == Some(op)
    }
}

/// Splits at the commas that stand in no group; with `angles`, nor between `<` and `>`. Empty pieces stay, except
/// after a trailing comma. Each piece knows where its end is.
pub(super) fn split_commas(cursor: &mut Cursor, angles: bool) -> Vec<Cursor> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut depth = 0usize;
    let mut arrow = false;
    while let Some(token) = cursor.next() {
        if let TokenTree::Punct(p) = &token {
            match p.as_char() {
                '<' if angles => depth += 1,
                '>' if angles && !arrow => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    pieces.push(Cursor::new(std::mem::take(&mut piece), p.span()));
                    continue;
                }
                _ => {}
            }
            arrow = p.as_char() == '-' && p.spacing() == Spacing::Joint;
        } else {
            arrow = false;
        }
        piece.push(token);
    }
    if !piece.is_empty() {
        pieces.push(Cursor::new(piece, cursor.span()));
    }
    pieces
}

/// Are there more than `limit` tokens, at any depth?
pub(super) fn is_longer_than(tokens: &[TokenTree], limit: usize) -> bool {
    fn count(tokens: impl Iterator<Item = TokenTree>, left: &mut usize) -> bool {
        for token in tokens {
            if *left == 0 {
                return true;
            }
            *left -= 1;
            if let TokenTree::Group(g) = token
                && count(g.stream().into_iter(), left)
            {
                return true;
            }
        }
        false
    }
    count(tokens.iter().cloned(), &mut limit.clone())
}
