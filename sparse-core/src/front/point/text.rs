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
        let data = match amount(c, ["nnz", "row"])? {
            (amount, "nnz") => Data::Nnz(amount),
            (amount, _) => Data::Row(amount),
        };
        if !c.is_operator(",") {
            return Err(missing(c, "`,`"));
        }
        c.skip(1);
        let (columns, _) = amount(c, ["col"])?;
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
            Some("scatter") => self.scatter = flag(c)?,
            Some("vector") => self.vector = flag(c)?,
            Some("deterministic") => self.deterministic = flag(c)?,
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

/// A word that stands alone: it is set.
fn flag(c: &mut Cursor) -> Result<bool, (Span, NoPoint)> {
    let name = c.ident().map(ToString::to_string).unwrap_or_default();
    c.skip(1);
    if c.is_operator("=") {
        return Err((c.span(), NoPoint(format!("`{name}` has no value: it stands alone"))));
    }
    Ok(true)
}

fn end(c: &Cursor) -> Result<(), (Span, NoPoint)> {
    if c.is_empty() { Ok(()) } else { Err((c.span(), NoPoint("expected `,`".into()))) }
}

/// `8` or `1/8`, and of what: one of these words.
fn amount<const N: usize>(
    c: &mut Cursor,
    words: [&'static str; N],
) -> Result<(Amount, &'static str), (Span, NoPoint)> {
    let mut span = c.span();
    let (n, mut suffix) = literal(c)?;
    let mut amount = Amount::Whole(n);
    if suffix.is_empty() && c.is_operator("/") {
        c.skip(1);
        if n != 1 {
            return Err((span, NoPoint("a part is one of several, `1/8`".into())));
        }
        span = c.span();
        let parts;
        (parts, suffix) = literal(c)?;
        // The whole is not divided.
        amount = if parts == 1 { amount } else { Amount::Part(parts) };
    }
    // Without a space, as in the paper, a word is the literal's suffix.
    if suffix.is_empty() {
        span = c.span();
        suffix = c.ident().map(ToString::to_string).unwrap_or_default();
        c.skip(1);
    }
    match words.into_iter().find(|word| suffix == *word) {
        Some(word) => Ok((amount, word)),
        None => Err((span, NoPoint(format!("expected {}", words.map(|w| format!("`{w}`")).join(" or "))))),
    }
}

fn number(c: &mut Cursor) -> Result<u32, (Span, NoPoint)> {
    let span = c.span();
    match literal(c)? {
        (n, suffix) if suffix.is_empty() => Ok(n),
        _ => Err((span, no_number())),
    }
}

fn no_number() -> NoPoint {
    NoPoint("expected a positive whole number".into())
}

/// A positive number, and its suffix.
fn literal(c: &mut Cursor) -> Result<(u32, String), (Span, NoPoint)> {
    let span = c.span();
    let found = match c.peek() {
        Some(TokenTree::Literal(l)) => syn::parse2::<syn::LitInt>(TokenTree::Literal(l.clone()).into()).ok(),
        _ => None,
    };
    c.skip(1);
    let Some(found) = found else { return Err((span, no_number())) };
    match found.base10_parse::<u32>() {
        Ok(0) => Err((span, no_number())),
        Ok(n) => Ok((n, found.suffix().to_owned())),
        // Digits alone, so that it is nothing else.
        Err(_) => {
            let what = format!("{} is too large: the largest number is {}", found.base10_digits(), u32::MAX);
            Err((span, NoPoint(what)))
        }
    }
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
    fn words_need_no_space() {
        for (text, spaced) in [
            ("<1nnz, 4col>, 32", "<1 nnz, 4 col>, 32"),
            ("<1/8row, 4 col>, 8, scatter", "<1/8 row, 4 col>, 8, scatter"),
            ("atomic(<2row,1col>,1)", "<2 row, 1 col>, 1"),
        ] {
            assert_eq!(text.parse::<AtomicParallelism>().map(|p| p.to_string()).as_deref(), Ok(spaced));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, what) in [
            ("<4294967296 nnz, 4 col>, 1", "4294967296 is too large: the largest number is 4294967295"),
            ("<1/4294967296 row, 4 col>, 1", "4294967296 is too large: the largest number is 4294967295"),
            (
                "<1 row, 4 col>, 1, threads = 99999999999999999999999",
                "99999999999999999999999 is too large: the largest number is 4294967295",
            ),
            ("<0 nnz, 4 col>, 1", "expected a positive whole number"),
            ("<1.5 nnz, 4 col>, 1", "expected a positive whole number"),
            ("<1 nnz, 4 col>, 1col", "expected a positive whole number"),
            ("<1nz, 4 col>, 1", "expected `nnz` or `row`"),
            ("<1nnz nnz, 4 col>, 1", "expected `,`"),
            ("<1col/8 row, 4 col>, 1", "expected `nnz` or `row`"),
            ("<1 nnz, 4>, 1", "expected `col`"),
            ("<1 row, 4 col>, 1, vector = 4", "`vector` has no value: it stands alone"),
            ("<1 row, 4 col>, 1, threads", "expected `=`"),
        ] {
            assert_eq!(text.parse::<AtomicParallelism>(), Err(NoPoint(what.into())), "{text}");
        }
    }

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
