//! A point as text: read and printed.

use super::{Amount, AtomicParallelism, Data, THREADS};
use crate::front::cursor::{Cursor, split_commas};
use proc_macro2::{Span, TokenStream, TokenTree};
use std::fmt;
use std::str::FromStr;

/// A text that is no point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: write a point as in `<1/8 row, 4 col>, 8` or `<8 nnz, 4 col>, 8, threads = 128`")]
pub struct NoPoint(String);

impl NoPoint {
    /// What is wrong, without what to write instead.
    pub(in super::super) fn what(&self) -> &str {
        &self.0
    }
}

impl AtomicParallelism {
    /// What stands in the parentheses of `atomic(…)`.
    pub(in super::super) fn read(c: &mut Cursor) -> Result<Self, (Span, NoPoint)> {
        let missing = |c: &Cursor, what: &str| (c.span(), NoPoint(format!("expected {what}")));
        if !c.is_operator("<") {
            return Err(missing(c, "`<`"));
        }
        c.skip(1);
        let amount = amount(c)?;
        let data = match c.ident().map(ToString::to_string).as_deref() {
            Some("nnz") => Data::Nnz(amount),
            Some("row") => Data::Row(amount),
            _ => return Err(missing(c, "`nnz` or `row`")),
        };
        c.skip(1);
        if !c.is_operator(",") {
            return Err(missing(c, "`,`"));
        }
        c.skip(1);
        let columns = self::amount(c)?;
        if !c.is_word("col") {
            return Err(missing(c, "`col`"));
        }
        c.skip(1);
        if !c.is_operator(">") {
            return Err(missing(c, "`>`"));
        }
        c.skip(1);
        let mut point = AtomicParallelism::new(data, columns, 1);
        if !c.is_operator(",") {
            return Err(missing(c, "`,` and the number of threads that reduce together"));
        }
        c.skip(1);
        let mut options = split_commas(c, false).into_iter();
        let mut group = options.next().ok_or_else(|| missing(c, "a number"))?;
        point.group = number(&mut group)?;
        end(&group)?;
        let mut seen: Vec<String> = Vec::new();
        for mut option in options {
            if let Some(name) = option.ident().map(ToString::to_string) {
                if seen.contains(&name) {
                    return Err((option.span(), NoPoint(format!("`{name}` stands twice"))));
                }
                seen.push(name);
            }
            point.option(&mut option)?;
            end(&option)?;
        }
        Ok(point)
    }

    /// What follows the group: `threads = 128`, `scatter`, `rows = 2`, `vector`, `deterministic`, `shared = 64`.
    fn option(&mut self, c: &mut Cursor) -> Result<(), (Span, NoPoint)> {
        match c.ident().map(ToString::to_string).as_deref() {
            Some("threads") => self.threads = setting(c)?,
            Some("rows") => self.rows = setting(c)?,
            Some("shared") => self.shared = setting(c)?,
            Some("scatter") => {
                self.scatter = true;
                c.skip(1);
            }
            Some("vector") => {
                self.vector = true;
                c.skip(1);
            }
            Some("deterministic") => {
                self.deterministic = true;
                c.skip(1);
            }
            _ => {
                let options = "expected `threads = 256`, `scatter`, `rows = 2`, `vector`, `deterministic` or `shared = 64`";
                return Err((c.span(), NoPoint(options.into())));
            }
        }
        Ok(())
    }
}

/// `name = 8`
fn setting(c: &mut Cursor) -> Result<u32, (Span, NoPoint)> {
    c.skip(1);
    if !c.is_operator("=") {
        return Err((c.span(), NoPoint("expected `=`".into())));
    }
    c.skip(1);
    number(c)
}

fn end(c: &Cursor) -> Result<(), (Span, NoPoint)> {
    if c.is_empty() { Ok(()) } else { Err((c.span(), NoPoint("expected `,`".into()))) }
}

/// `8` or `1/8`
fn amount(c: &mut Cursor) -> Result<Amount, (Span, NoPoint)> {
    let span = c.span();
    let n = number(c)?;
    if !c.is_operator("/") {
        return Ok(Amount::Whole(n));
    }
    c.skip(1);
    if n != 1 {
        return Err((span, NoPoint("a part is one of several, `1/8`".into())));
    }
    match number(c)? {
        // The whole is not divided.
        1 => Ok(Amount::Whole(1)),
        parts => Ok(Amount::Part(parts)),
    }
}

fn number(c: &mut Cursor) -> Result<u32, (Span, NoPoint)> {
    let span = c.span();
    let value = match c.peek() {
        Some(TokenTree::Literal(l)) => {
            let literal = syn::parse2::<syn::LitInt>(TokenTree::Literal(l.clone()).into()).ok();
            literal.filter(|l| l.suffix().is_empty()).and_then(|l| l.base10_parse::<u32>().ok())
        }
        _ => None,
    };
    let value = value.filter(|n| *n > 0);
    c.skip(1);
    value.ok_or_else(|| (span, NoPoint("expected a positive whole number".into())))
}

impl FromStr for AtomicParallelism {
    type Err = NoPoint;

    fn from_str(text: &str) -> Result<Self, NoPoint> {
        let tokens: TokenStream =
            text.parse().map_err(|_| NoPoint("the text is not a list of tokens".into()))?;
        let mut c = Cursor::of_stream(tokens, Span::call_site());
        // As schedules have it, or what stands in the parentheses.
        if c.is_word("atomic")
            && let ([_, _], Some(TokenTree::Group(inside))) = (c.rest(), c.peek_second())
        {
            c = Cursor::of_group(&inside.clone());
        }
        AtomicParallelism::read(&mut c).map_err(|(_, e)| e)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Whole(n) => write!(f, "{n}"),
            Amount::Part(n) => write!(f, "1/{n}"),
        }
    }
}

impl fmt::Display for AtomicParallelism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.data {
            Data::Nnz(n) => write!(f, "<{n} nnz, ")?,
            Data::Row(n) => write!(f, "<{n} row, ")?,
        }
        write!(f, "{} col>, {}", self.columns, self.group)?;
        if self.threads != THREADS {
            write!(f, ", threads = {}", self.threads)?;
        }
        if self.scatter {
            f.write_str(", scatter")?;
        }
        if self.rows != 1 {
            write!(f, ", rows = {}", self.rows)?;
        }
        f.write_str(if self.vector { ", vector" } else { "" })?;
        f.write_str(if self.deterministic { ", deterministic" } else { "" })?;
        if self.shared > 0 { write!(f, ", shared = {}", self.shared) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in [
            "<1 nnz, 4 col>, 32",
            "<1/8 row, 2 col>, 4",
            "<32 nnz, 1 col>, 1, threads = 128",
            "<2 row, 4 col>, 1",
            "<1/8 row, 4 col>, 8, threads = 128, scatter, rows = 2",
            "<1/8 row, 4 col>, 8, rows = 2, vector",
            "<8 nnz, 2 col>, 8, threads = 64, vector",
            "<8 nnz, 2 col>, 8, vector, deterministic",
            "<2 row, 4 col>, 1, threads = 512, vector, shared = 64",
        ] {
            let point: AtomicParallelism = text.parse().unwrap();
            assert_eq!((point.to_string().as_str(), point.check()), (text, Ok(())));
            assert!(syn::parse_str::<syn::Ident>(&format!("f_{}", point.identifier())).is_ok());
        }
        for text in [
            "",
            "<1 nnz>, 8",
            "<1 nnz, 4 col>",
            "<0 row, 4 col>, 1",
            "<2/3 row, 4 col>, 1",
            "<1 row, 4 col>, 1, x = 3",
            "<1 row, 4 col>, 1 2",
            "<1/8 row, 4 col>, 8, scatter = 2",
            "<1 row, 4 col>, 1, vector = 4",
            "<1 row, 4 col>, 1, shared",
            "<1 row, 4 col>, 1, shared = 0",
            "<1/8 row, 4 col>, 8, threads = 128, threads = 256",
            "<1/8 row, 4 col>, 8, scatter, vector, scatter",
        ] {
            assert!(text.parse::<AtomicParallelism>().is_err(), "{text}");
        }
    }
}
