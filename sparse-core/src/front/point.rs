//! Atomic parallelism: how much of a sparse-dense product one thread does, and how many threads reduce together.
//!
//! `<x nnz, y col>, r` or `<x row, y col>, r` (Sgap, section 3): the least data that a thread executes, and the number of
//! threads that are synchronised at a time. A point is legal or not by [`AtomicParallelism::check`], whatever the kernel;
//! `schedule::points` makes scheduling commands of it. Options go beyond the paper: `threads = 128` a block, `scatter`,
//! `rows = 2`, `vector`, `deterministic`, `shared = 64`.
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

mod names;
mod near;
mod text;

use crate::diag::Diagnostic;
use proc_macro2::Span;

pub use names::DA_SPMM;
pub use text::NoPoint;

/// `n` or `1/n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Amount {
    /// So many.
    Whole(u32),
    /// One of so many parts.
    Part(u32),
}

impl Amount {
    /// The number, of things or of parts.
    pub fn n(self) -> u32 {
        let (Amount::Whole(n) | Amount::Part(n)) = self;
        n
    }
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
    /// Rows of threads that share one: they take so many, one after another.
    pub rows: u32,
    /// Are the columns of a thread, 2 or 4, loaded and stored by one access (`float4`)?
    pub vector: bool,
    /// Sums have the same bits in every run: what several groups have parts of is added up by a second launch
    /// (`Deterministic`).
    pub deterministic: bool,
    /// Rows of the dense operands in a tile: a block's threads load it into shared memory together, and take what of their
    /// own rows meets it. 0 if the operands are read where they are.
    pub shared: u32,
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

impl BrokenRule {
    /// As a mistake where the point is written.
    pub fn at(self, point: &AtomicParallelism, span: Span) -> Diagnostic {
        let message = format!("`{point}` is not legal: {}", self.message);
        Diagnostic::new(self.rule, span, message).help(self.help)
    }
}

fn broken<T>(rule: &'static str, message: impl Into<String>, help: &str) -> Result<T, BrokenRule> {
    Err(BrokenRule { rule, message: message.into(), help: help.to_owned() })
}

impl AtomicParallelism {
    /// A point without options. One part of one is the whole.
    pub fn new(data: Data, columns: Amount, group: u32) -> Self {
        let whole = |a| if a == Amount::Part(1) { Amount::Whole(1) } else { a };
        let data = match data {
            Data::Nnz(n) => Data::Nnz(whole(n)),
            Data::Row(n) => Data::Row(whole(n)),
        };
        let columns = whole(columns);
        let (threads, rows) = (THREADS, 1);
        let (scatter, vector, deterministic) = (false, false, false);
        AtomicParallelism { data, columns, group, threads, scatter, rows, vector, deterministic, shared: 0 }
    }

    /// The point, and what comes near it for kernels that it is not for, the nearest first: vectors of two elements, where four
    /// have no room in one access; none, where nothing is stored along the columns; and no exchange of columns.
    pub fn plainer(self) -> impl Iterator<Item = Self> {
        let four = self.vector && self.columns == Amount::Whole(4);
        let narrow = four.then_some(AtomicParallelism { columns: Amount::Whole(2), ..self });
        let scalar = self.vector.then_some(AtomicParallelism { vector: false, ..self });
        let apart = self.scatter.then_some(AtomicParallelism { vector: false, scatter: false, ..self });
        std::iter::once(self).chain(narrow).chain(scalar).chain(apart)
    }

    /// Is the point legal, whatever the kernel?
    ///
    /// # Errors
    /// The first rule of Sgap, or of the hardware, that it breaks.
    pub fn check(&self) -> Result<(), BrokenRule> {
        self.broken().into_iter().next().map_or(Ok(()), Err)
    }

    /// All rules that it breaks, but for those that ask for numbers that break another one.
    pub fn broken(&self) -> Vec<BrokenRule> {
        let divided = self.check_divisions().err();
        let columns_divided = divided.as_ref().is_some_and(|broken| broken.rule != "divided-entry");
        let (group, block) = (self.check_group(), self.check_block());
        let mut broken: Vec<BrokenRule> = [group, block].into_iter().filter_map(Result::err).collect();
        broken.extend(divided);
        // How many columns there are is not said of divided ones: these are refused whatever their number.
        if !columns_divided {
            broken.extend(self.check_columns().err());
        }
        broken.extend(self.check_amount().err());
        if broken.is_empty() {
            broken.extend(self.check_shares().err());
        }
        let shared_out = broken.is_empty();
        broken.extend(self.check_rows().err());
        broken.extend(self.check_deterministic().err());
        if shared_out && broken.is_empty() {
            broken.extend(self.check_options().err());
        }
        broken
    }

    /// Can so many threads reduce together?
    fn check_group(&self) -> Result<(), BrokenRule> {
        let r = self.group;
        if r == 1 || (r <= WARP && r.is_power_of_two()) {
            return Ok(());
        }
        broken("group-size", format!("{r} threads do not reduce together"), "write 1, 2, 4, 8, 16 or 32")
    }

    /// Can a block have so many threads?
    fn check_block(&self) -> Result<(), BrokenRule> {
        if (1..=1024).contains(&self.threads) && self.threads.is_multiple_of(WARP) {
            return Ok(());
        }
        let message = format!("a block of {} threads is not whole warps, at most 32 of them", self.threads);
        broken("block-size", message, "write a multiple of 32 up to 1024")
    }

    /// Can a thread have so many columns?
    fn check_columns(&self) -> Result<(), BrokenRule> {
        let c = self.columns.n();
        if c == 0 || c > MOST_COLUMNS {
            let message = format!("a thread does not keep {c} columns in registers");
            return broken("columns", message, "write from 1 to 32 columns");
        }
        if self.vector && !matches!(self.columns, Amount::Whole(2 | 4)) {
            let message = format!("{} columns are not loaded by one access", self.columns);
            return broken("vector-columns", message, "write 2 or 4 columns, or leave out `vector`");
        }
        Ok(())
    }

    /// Can a thread have so many entries or rows?
    fn check_amount(&self) -> Result<(), BrokenRule> {
        let fits = |n: u32| (1..=MOST_ENTRIES).contains(&n);
        match self.data {
            // Others are divided.
            Data::Nnz(Amount::Whole(n) | Amount::Part(n @ (0 | 1))) if !fits(n) => broken(
                "entries",
                format!("a thread does not execute {n} entries"),
                "write from 1 to 1024 entries",
            ),
            Data::Row(Amount::Whole(n)) if !fits(n) => {
                broken("rows", format!("a thread does not execute {n} rows"), "write from 1 to 1024 rows")
            }
            _ => Ok(()),
        }
    }

    /// Do rows and groups fit in each other, and in a block?
    fn check_shares(&self) -> Result<(), BrokenRule> {
        let r = self.group;
        match self.data {
            Data::Row(Amount::Whole(_)) if r > 1 => broken(
                "whole-rows",
                format!("a thread that has whole rows shares no reduction with {} others", r - 1),
                "write 1 after the columns, or divide the rows",
            ),
            Data::Row(Amount::Part(g)) if !g.is_power_of_two() || g > self.threads => broken(
                "divided-row",
                format!("a row is not divided among {g} of a block's {} threads", self.threads),
                "write a power of two that a block has",
            ),
            Data::Row(Amount::Part(g)) if !self.threads.is_multiple_of(g) => broken(
                "block-size",
                format!("a block of {} threads is not whole rows, which have {g} threads each", self.threads),
                &format!("write a multiple of {g} threads up to 1024"),
            ),
            Data::Row(Amount::Part(g)) if r > g => broken(
                "group-spans-rows",
                format!(
                    "a group of {r} threads spans several rows, of which {g} threads share one: one thread writes back"
                ),
                "write a group that is not larger than the row's threads, and divides them",
            ),
            Data::Nnz(_) if !self.threads.is_multiple_of(r) => {
                broken("group-size", format!("groups of {r} do not divide a block"), "write a smaller group")
            }
            _ => Ok(()),
        }
    }

    /// Can threads that share a row take so many, one after another?
    fn check_rows(&self) -> Result<(), BrokenRule> {
        if self.rows != 1 && !matches!(self.data, Data::Row(Amount::Part(_))) {
            return broken(
                "several-rows",
                "only threads that share a row take several, one after another",
                "divide rows, or write how many rows a thread has before `row`",
            );
        }
        if self.rows == 0 || self.rows > MOST_ENTRIES {
            let message = format!("threads do not execute {} rows", self.rows);
            return broken("rows", message, "write from 1 to 1024 rows");
        }
        Ok(())
    }

    /// Have groups something to carry out in order?
    fn check_deterministic(&self) -> Result<(), BrokenRule> {
        match self.data {
            Data::Row(_) if self.deterministic => broken(
                "deterministic-rows",
                "threads that have rows, or parts of one, have nothing that goes on in other groups' entries",
                "balance by entries (`nnz`); or leave it out: where all threads of a row are one group, sums have the same bits anyway",
            ),
            Data::Nnz(_) if self.deterministic && self.group == 1 => broken(
                "deterministic-alone",
                "a thread that reduces by itself updates atomically",
                "write a group of 2, 4, 8, 16 or 32, or leave out `deterministic`",
            ),
            _ => Ok(()),
        }
    }

    /// Is there what tiles and exchanges ask for?
    fn check_options(&self) -> Result<(), BrokenRule> {
        let c = self.columns.n();
        match (self.shared, self.scatter) {
            (0, true) => self.check_scatter(c),
            (0, false) => Ok(()),
            _ => self.check_shared(c),
        }
    }

    /// Is there nothing divided that has no lowering?
    fn check_divisions(&self) -> Result<(), BrokenRule> {
        let divided = |amount| matches!(amount, Amount::Part(n) if n != 1);
        match (self.data, self.columns) {
            (Data::Nnz(n), _) if divided(n) => broken(
                "divided-entry",
                format!("a stored entry is not divided into {} parts", n.n()),
                "write whole entries, or a part of a row",
            ),
            (Data::Nnz(_), c) if divided(c) => broken(
                "divided-column",
                "an entry is multiplied by at least one element of a column",
                "write whole columns",
            ),
            (Data::Row(g), c) if divided(g) && divided(c) => broken(
                "divided-twice",
                "threads that share a row do not share a column's reduction too",
                "divide the rows alone, and write whole columns",
            ),
            (Data::Row(_), c) if divided(c) => broken(
                "divided-column",
                format!(
                    "{} threads would share one column's reduction over whole rows, which has no lowering",
                    c.n()
                ),
                "divide the rows, and write whole columns",
            ),
            _ => Ok(()),
        }
    }

    /// Has each thread rows and columns of its own, which it holds from tile to tile?
    fn check_shared(&self, columns: u32) -> Result<(), BrokenRule> {
        match self.data {
            Data::Row(Amount::Whole(x)) if x.saturating_mul(columns) > MOST_COLUMNS => broken(
                "columns",
                format!("a thread does not hold {x} rows of {columns} columns from tile to tile"),
                "write fewer rows or columns, 32 elements at most",
            ),
            Data::Row(Amount::Whole(_)) if self.scatter => self.check_scatter(columns),
            Data::Row(Amount::Whole(_)) => Ok(()),
            _ => broken(
                "shared-rows",
                "threads of a block go over tiles of the dense operand together, each with rows of its own",
                "write whole rows, and 1 after the columns; or leave out `shared`",
            ),
        }
    }

    /// Have the threads that reduce columns to exchange?
    fn check_scatter(&self, columns: u32) -> Result<(), BrokenRule> {
        match self.data {
            Data::Nnz(_) => broken(
                "scatter-entries",
                "threads whose entries may be of different rows have no columns in common to exchange",
                "divide rows, or leave out `scatter`",
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<&'static str> {
        text.parse::<AtomicParallelism>().unwrap().check().err().map(|e| e.rule)
    }

    #[test]
    fn rules() {
        assert_eq!(rule("<1/2 nnz, 1 col>, 1"), Some("divided-entry"));
        assert_eq!(rule("<1 nnz, 1/2 col>, 1"), Some("divided-column"));
        assert_eq!(rule("<1/2 row, 1/2 col>, 1"), Some("divided-twice"));
        assert_eq!(rule("<1 row, 1/2 col>, 1"), Some("divided-column"));
        // What is divided is said before how many there are of it.
        assert_eq!(rule("<1 nnz, 1/64 col>, 8"), Some("divided-column"));
        assert_eq!(rule("<1 nnz, 1/4 col>, 1, vector"), Some("divided-column"));
        assert_eq!(rule("<1/2 row, 1/64 col>, 2"), Some("divided-twice"));
        assert_eq!(rule("<1/8 row, 4 col>, 16"), Some("group-spans-rows"));
        assert_eq!(rule("<1 row, 4 col>, 8"), Some("whole-rows"));
        assert_eq!(rule("<1/6 row, 4 col>, 2"), Some("divided-row"));
        assert_eq!(rule("<1 nnz, 4 col>, 3"), Some("group-size"));
        assert_eq!(rule("<1 nnz, 64 col>, 8"), Some("columns"));
        assert_eq!(rule("<1 nnz, 4 col>, 8, threads = 100"), Some("block-size"));
        // A block has what it says, not fewer.
        assert_eq!(rule("<1/64 row, 4 col>, 8, threads = 96"), Some("block-size"));
        assert_eq!(rule("<1/64 row, 4 col>, 8, threads = 128"), None);
        assert_eq!(rule("<1/32 row, 4 col>, 8, threads = 96"), None);
        assert_eq!(rule("<8 nnz, 4 col>, 8, rows = 2"), Some("several-rows"));
        assert_eq!(rule("<2 row, 4 col>, 1, rows = 2"), Some("several-rows"));
        assert_eq!(rule("<1/8 row, 4 col>, 8, rows = 1025"), Some("rows"));
        assert_eq!(rule("<8 nnz, 4 col>, 8, scatter"), Some("scatter-entries"));
        assert_eq!(rule("<1/8 row, 4 col>, 1, scatter"), Some("scatter-alone"));
        assert_eq!(rule("<1/8 row, 1 col>, 8, scatter"), Some("scatter-columns"));
        assert_eq!(rule("<1/8 row, 3 col>, 8, scatter"), Some("scatter-columns"));
        assert_eq!(rule("<1/8 row, 32 col>, 2, scatter"), None);
        assert_eq!(rule("<1 row, 8 col>, 1, vector"), Some("vector-columns"));
        assert_eq!(rule("<1 row, 1 col>, 1, vector"), Some("vector-columns"));
        assert_eq!(rule("<1/8 row, 4 col>, 8, deterministic"), Some("deterministic-rows"));
        assert_eq!(rule("<1 nnz, 4 col>, 1, deterministic"), Some("deterministic-alone"));
        assert_eq!(rule("<8 nnz, 4 col>, 8, deterministic"), None);
        assert_eq!(rule("<8 nnz, 4 col>, 8, shared = 64"), Some("shared-rows"));
        assert_eq!(rule("<1/8 row, 4 col>, 8, shared = 64"), Some("shared-rows"));
        assert_eq!(rule("<9 row, 4 col>, 1, shared = 64"), Some("columns"));
        assert_eq!(rule("<1 row, 4 col>, 1, shared = 64, scatter"), Some("scatter-alone"));
        assert_eq!(rule("<4 row, 4 col>, 1, shared = 64, vector"), None);
        // Sgap's table 1 has groups smaller than the row's threads.
        assert_eq!(rule("<1/32 row, 4 col>, 8"), None);
    }

    #[test]
    fn all_rules_that_do_not_ask_for_what_breaks_another() {
        let rules = |text: &str| -> Vec<&str> {
            let point: AtomicParallelism = text.parse().unwrap();
            point.broken().into_iter().map(|broken| broken.rule).collect()
        };
        assert_eq!(rules("<1/2 nnz, 1 col>, 3"), ["group-size", "divided-entry"]);
        assert_eq!(
            rules("<1/2 nnz, 64 col>, 3, threads = 100"),
            ["group-size", "block-size", "divided-entry", "columns"]
        );
        assert_eq!(rules("<2000 row, 3 col>, 8, vector"), ["vector-columns", "rows"]);
        assert_eq!(
            rules("<1 row, 4 col>, 8, rows = 2, deterministic"),
            ["whole-rows", "several-rows", "deterministic-rows"]
        );
        assert_eq!(rules("<1 row, 1/64 col>, 3, vector"), ["group-size", "divided-column"]);
        assert_eq!(rules("<1/8 row, 4 col>, 16, scatter"), ["group-spans-rows"]);
        assert!(rules("<1/8 row, 4 col>, 8, scatter").is_empty());
    }

    #[test]
    fn plainer_points_are_legal() {
        let plainer = |text: &str| -> Vec<String> {
            let point: AtomicParallelism = text.parse().unwrap();
            point.plainer().map(|p| p.to_string()).collect()
        };
        assert_eq!(
            plainer("<1/8 row, 4 col>, 8, scatter, vector"),
            [
                "<1/8 row, 4 col>, 8, scatter, vector",
                "<1/8 row, 2 col>, 8, scatter, vector",
                "<1/8 row, 4 col>, 8, scatter",
                "<1/8 row, 4 col>, 8"
            ]
        );
        assert_eq!(plainer("<1 nnz, 2 col>, 4, vector"), ["<1 nnz, 2 col>, 4, vector", "<1 nnz, 2 col>, 4"]);
        assert_eq!(plainer("<1 nnz, 1 col>, 8"), ["<1 nnz, 1 col>, 8"]);
        for point in plainer("<1/2 row, 4 col>, 2, scatter, vector") {
            assert_eq!(point.parse::<AtomicParallelism>().unwrap().check(), Ok(()));
        }
    }
}
