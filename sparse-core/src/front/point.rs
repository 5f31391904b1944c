//! Atomic parallelism: how much of a sparse-dense product one thread does, and how many threads reduce together.
//!
//! `<x nnz, y col>, r` or `<x row, y col>, r` (Sgap, section 3): the least data that a thread executes, and the number of
//! threads that are synchronised at a time. A point is legal or not by [`AtomicParallelism::check`], whatever the kernel;
//! `schedule::points` makes scheduling commands of it. Options go beyond the paper: `threads = 128` a block, `scatter`.
//!
//! ```
//! use sparse_core::front::AtomicParallelism;
//!
//! let point: AtomicParallelism = "<1/8 row, 4 col>, 8".parse().unwrap();
//! assert_eq!((point.group, point.check()), (8, Ok(())));
//! assert_eq!(point.to_string(), "<1/8 row, 4 col>, 8");
//! let half: AtomicParallelism = "<1/2 nnz, 4 col>, 8".parse().unwrap();
//! assert_eq!(half.check().unwrap_err().rule, "divided-entry");
//! ```

use super::cursor::{Cursor, split_commas};
use proc_macro2::{Span, TokenStream, TokenTree};
use std::fmt;
use std::str::FromStr;

/// `n` or `1/n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Amount {
    /// So many.
    Whole(u32),
    /// One of so many parts.
    Part(u32),
}

/// What of the sparse operand a thread executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    /// Stored entries, whatever their rows: threads are balanced by entries.
    Nnz(Amount),
    /// Rows: threads are balanced by rows.
    Row(Amount),
}

/// A point of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtomicParallelism {
    /// What of the sparse operand.
    pub data: Data,
    /// How many columns of the dense one.
    pub columns: Amount,
    /// How many threads reduce together: 1, 2, 4, 8, 16 or 32.
    pub group: u32,
    /// Threads of a block.
    pub threads: u32,
    /// The threads that reduce exchange their columns by halves, and write one each (`ReduceScatter`).
    pub scatter: bool,
}

/// Threads of a block, if a point does not say.
pub const THREADS: u32 = 256;

/// The most columns that a thread keeps in registers.
const MOST_COLUMNS: u32 = 32;
const MOST_ENTRIES: u32 = 1024;
const WARP: u32 = 32;

/// A rule that a point breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// Stable name of the rule, in kebab-case.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// A text that is no point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: write a point as in `<1/8 row, 4 col>, 8` or `<8 nnz, 4 col>, 8, threads = 128`")]
pub struct NoPoint(String);

impl AtomicParallelism {
    /// A point without options.
    pub fn new(data: Data, columns: Amount, group: u32) -> Self {
        AtomicParallelism { data, columns, group, threads: THREADS, scatter: false }
    }

    /// Is the point legal, whatever the kernel?
    ///
    /// # Errors
    /// The rule of Sgap, or of the hardware, that it breaks.
    pub fn check(&self) -> Result<(), BrokenRule> {
        let broken =
            |rule, message: String, help: &str| Err(BrokenRule { rule, message, help: help.to_owned() });
        let r = self.group;
        if !(r == 1 || (r <= WARP && r.is_power_of_two())) {
            return broken(
                "group-size",
                format!("{r} threads do not reduce together"),
                "write 1, 2, 4, 8, 16 or 32",
            );
        }
        if self.threads == 0 || self.threads > 1024 || !self.threads.is_multiple_of(WARP) {
            let message =
                format!("a block of {} threads is not whole warps, at most 32 of them", self.threads);
            return broken("block-size", message, "write a multiple of 32 up to 1024");
        }
        let (Amount::Whole(c) | Amount::Part(c)) = self.columns;
        if c == 0 || c > MOST_COLUMNS {
            let message = format!("a thread does not keep {c} columns in registers");
            return broken("columns", message, "write from 1 to 32 columns");
        }
        match (self.data, self.columns) {
            (Data::Nnz(Amount::Part(n)), _) if n != 1 => broken(
                "divided-entry",
                format!("a stored entry is not divided into {n} parts"),
                "write whole entries, `<1 nnz, …>`, or a part of a row",
            ),
            (Data::Nnz(_), Amount::Part(n)) if n != 1 => broken(
                "divided-column",
                "an entry is multiplied by at least one element of a column".into(),
                "write whole columns, `<1 nnz, 1 col>`",
            ),
            (Data::Row(Amount::Part(g)), Amount::Part(n)) if g != 1 && n != 1 => broken(
                "divided-twice",
                "threads that share a row do not share a column's reduction too".into(),
                "divide rows or columns, not both",
            ),
            (Data::Row(_), Amount::Part(n)) if n != 1 => broken(
                "divided-column",
                format!(
                    "{n} threads would share one column's reduction over whole rows, which has no lowering"
                ),
                "divide the rows: `<1/8 row, 1 col>, 8`",
            ),
            (Data::Nnz(Amount::Whole(n) | Amount::Part(n)), _) if n == 0 || n > MOST_ENTRIES => broken(
                "entries",
                format!("a thread does not execute {n} entries"),
                "write from 1 to 1024 entries",
            ),
            (Data::Row(Amount::Whole(n)), _) if n == 0 || n > MOST_ENTRIES => {
                broken("rows", format!("a thread does not execute {n} rows"), "write from 1 to 1024 rows")
            }
            (Data::Row(Amount::Whole(_)), _) if r > 1 => broken(
                "whole-rows",
                format!("a thread that has whole rows shares no reduction with {} others", r - 1),
                "write 1 after the columns, or divide the rows: `<1/8 row, 4 col>, 8`",
            ),
            (Data::Row(Amount::Part(g)), _) if !g.is_power_of_two() || g > self.threads => broken(
                "divided-row",
                format!("a row is not divided among {g} of a block's {} threads", self.threads),
                "write a power of two that a block has",
            ),
            (Data::Row(Amount::Part(g)), _) if r > g => broken(
                "group-spans-rows",
                format!(
                    "a group of {r} threads spans several rows, of which {g} threads share one: one thread writes back"
                ),
                "write a group that is not larger than the row's threads, and divides them",
            ),
            (Data::Nnz(_), _) if !self.threads.is_multiple_of(r) => {
                broken("group-size", format!("groups of {r} do not divide a block"), "write a smaller group")
            }
            _ if self.scatter => self.check_scatter(c),
            _ => Ok(()),
        }
    }

    /// Have the threads that reduce columns to exchange?
    fn check_scatter(&self, columns: u32) -> Result<(), BrokenRule> {
        let broken = |rule, message: &str, help: &str| {
            Err(BrokenRule { rule, message: message.to_owned(), help: help.to_owned() })
        };
        match self.data {
            Data::Nnz(_) => broken(
                "scatter-entries",
                "threads whose entries may be of different rows have no columns in common to exchange",
                "divide rows, `<1/8 row, 4 col>, 8, scatter`, or leave out `scatter`",
            ),
            Data::Row(_) if self.group == 1 => broken(
                "scatter-alone",
                "a thread that reduces by itself exchanges its columns with nobody",
                "write a group of 2, 4, 8, 16 or 32, or leave out `scatter`",
            ),
            Data::Row(_) if columns == 1 || !columns.is_power_of_two() => broken(
                "scatter-columns",
                "columns are exchanged by halves until one is left",
                "write 2, 4, 8, 16 or 32 columns, or leave out `scatter`",
            ),
            Data::Row(_) => Ok(()),
        }
    }

    /// DA-SpMM's name of the point's kind: what is balanced, and whether a row's reduction is parallel or serial.
    pub fn name(&self) -> &'static str {
        match (self.data, self.group) {
            (Data::Nnz(_), 1) => "EB+SR",
            (Data::Nnz(_), _) => "EB+PR",
            (Data::Row(Amount::Part(g)), _) if g > 1 => "RB+PR",
            (Data::Row(_), _) => "RB+SR",
        }
    }

    /// The point as part of an identifier: `1of8_row_4_col_8`.
    pub fn identifier(&self) -> String {
        let text = self.to_string().replace('/', "of");
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("_")
    }

    /// What stands in the parentheses of `atomic(…)`.
    pub(super) fn read(c: &mut Cursor) -> Result<Self, (Span, NoPoint)> {
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
        for mut option in options {
            point.option(&mut option)?;
            end(&option)?;
        }
        Ok(point)
    }

    /// What follows the group: `threads = 128`, `scatter`.
    fn option(&mut self, c: &mut Cursor) -> Result<(), (Span, NoPoint)> {
        match c.ident().map(ToString::to_string).as_deref() {
            Some("threads") => self.threads = setting(c)?,
            Some("scatter") => {
                self.scatter = true;
                c.skip(1);
            }
            _ => return Err((c.span(), NoPoint("expected `threads = 256` or `scatter`".into()))),
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<&'static str> {
        text.parse::<AtomicParallelism>().unwrap().check().err().map(|e| e.rule)
    }

    #[test]
    fn text_and_back() {
        for text in [
            "<1 nnz, 4 col>, 32",
            "<1/8 row, 2 col>, 4",
            "<32 nnz, 1 col>, 1, threads = 128",
            "<2 row, 4 col>, 1",
            "<1/8 row, 4 col>, 8, threads = 128, scatter",
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
        ] {
            assert!(text.parse::<AtomicParallelism>().is_err(), "{text}");
        }
    }

    #[test]
    fn rules() {
        assert_eq!(rule("<1/2 nnz, 1 col>, 1"), Some("divided-entry"));
        assert_eq!(rule("<1 nnz, 1/2 col>, 1"), Some("divided-column"));
        assert_eq!(rule("<1/2 row, 1/2 col>, 1"), Some("divided-twice"));
        assert_eq!(rule("<1 row, 1/2 col>, 1"), Some("divided-column"));
        assert_eq!(rule("<1/8 row, 4 col>, 16"), Some("group-spans-rows"));
        assert_eq!(rule("<1 row, 4 col>, 8"), Some("whole-rows"));
        assert_eq!(rule("<1/6 row, 4 col>, 2"), Some("divided-row"));
        assert_eq!(rule("<1 nnz, 4 col>, 3"), Some("group-size"));
        assert_eq!(rule("<1 nnz, 64 col>, 8"), Some("columns"));
        assert_eq!(rule("<1 nnz, 4 col>, 8, threads = 100"), Some("block-size"));
        assert_eq!(rule("<8 nnz, 4 col>, 8, scatter"), Some("scatter-entries"));
        assert_eq!(rule("<1/8 row, 4 col>, 1, scatter"), Some("scatter-alone"));
        assert_eq!(rule("<1/8 row, 1 col>, 8, scatter"), Some("scatter-columns"));
        assert_eq!(rule("<1/8 row, 3 col>, 8, scatter"), Some("scatter-columns"));
        assert_eq!(rule("<1/8 row, 32 col>, 2, scatter"), None);
        // Sgap's table 1 has groups smaller than the row's threads.
        assert_eq!(rule("<1/32 row, 4 col>, 8"), None);
    }

    #[test]
    fn names() {
        let name = |text: &str| text.parse::<AtomicParallelism>().unwrap().name();
        assert_eq!(name("<1 nnz, 4 col>, 32"), "EB+PR");
        assert_eq!(name("<1/32 row, 4 col>, 32"), "RB+PR");
        assert_eq!(name("<32 nnz, 4 col>, 1"), "EB+SR");
        assert_eq!(name("<1 row, 4 col>, 1"), "RB+SR");
    }
}
