//! Code put together without copies: what is quoted is copied, at each level around it.

use super::quote::Tokens;

pub(super) fn parens(inner: Tokens) -> Tokens {
    between("( ", inner, ") ")
}

pub(super) fn brackets(inner: Tokens) -> Tokens {
    between("[ ", inner, "] ")
}

pub(crate) fn braces(inner: Tokens) -> Tokens {
    between("{ ", inner, "} ")
}

fn between(opens: &str, inner: Tokens, closes: &str) -> Tokens {
    let mut group = Tokens::new();
    group.push(opens);
    group.add(inner);
    group.push(closes);
    group
}

/// `(a, b, c)`
pub(super) fn arguments<const N: usize>(all: [Tokens; N]) -> Tokens {
    let mut inner = Tokens::new();
    inner.push("( ");
    for (n, argument) in all.into_iter().enumerate() {
        if n > 0 {
            inner.push(", ");
        }
        inner.add(argument);
    }
    inner.push(") ");
    inner
}

/// The beginning of a statement, the value that it ends with, and a semicolon.
pub(super) fn statement(mut head: Tokens, value: Tokens) -> Tokens {
    head.add(value);
    head.push("; ");
    head
}

/// The head of a statement, and its body in braces.
pub(super) fn with_body(mut head: Tokens, body: Tokens) -> Tokens {
    head.push("{ ");
    head.add(body);
    head.push("} ");
    head
}
