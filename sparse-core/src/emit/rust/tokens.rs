//! Tokens put together without copies: what is quoted is copied, at each level around it.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};

pub(super) fn parens(inner: TokenStream) -> TokenTree {
    Group::new(Delimiter::Parenthesis, inner).into()
}

pub(super) fn brackets(inner: TokenStream) -> TokenTree {
    Group::new(Delimiter::Bracket, inner).into()
}

pub(crate) fn braces(inner: TokenStream) -> TokenTree {
    Group::new(Delimiter::Brace, inner).into()
}

/// `(a, b, c)`
pub(super) fn arguments<const N: usize>(all: [TokenStream; N]) -> TokenTree {
    let mut inner = TokenStream::new();
    for (n, argument) in all.into_iter().enumerate() {
        if n > 0 {
            inner.extend([punct(',')]);
        }
        inner.extend(argument);
    }
    parens(inner)
}

/// The beginning of a statement, the value that it ends with, and a semicolon.
pub(super) fn statement(mut head: TokenStream, value: TokenStream) -> TokenStream {
    head.extend(value);
    head.extend([punct(';')]);
    head
}

/// The head of a statement, and its body in braces.
pub(super) fn with_body(mut head: TokenStream, body: TokenStream) -> TokenStream {
    head.extend([braces(body)]);
    head
}

fn punct(c: char) -> TokenTree {
    Punct::new(c, Spacing::Alone).into()
}
