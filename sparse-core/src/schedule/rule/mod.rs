//! A rule that chooses among points of atomic parallelism by an operand's statistics, in the spirit of DA-SpMM: data, a
//! list of lines of which the first that holds decides.
//!
//! ```
//! use sparse_core::schedule::rule::{Kind, Rule, Statistics};
//!
//! let rule = Rule::parse("plain: mean < 4, cv < 1 -> <1 row, 1 col>, 1\nplain: -> <8 nnz, 1 col>, 8").unwrap();
//! let short = Statistics { rows: 1e6, mean: 3.0, cv: 0.2, empty: 0.0, longest: 5.0, columns: 1.0 };
//! assert_eq!(rule.choose(Kind::Plain, &short).unwrap().to_string(), "<1 row, 1 col>, 1");
//! let skewed = Statistics { cv: 4.0, ..short };
//! assert_eq!(rule.choose(Kind::Plain, &skewed).unwrap().to_string(), "<8 nnz, 1 col>, 8");
//! ```

mod parse;

use crate::front::AtomicParallelism;
use crate::front::point::{Amount, Data};
use std::fmt;
use std::sync::{LazyLock, OnceLock};

/// What kind of product it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The result has a dense variable of its own: SpMM, MTTKRP, TTM.
    Columns,
    /// Each stored entry has an output, for which a dense variable may be summed: SDDMM.
    Entries,
    /// Neither: SpMV, TTV.
    Plain,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Number of rows: the sparse operand's subtrees below the levels that are the result's.
    pub rows: f64,
    /// Entries of a row, on average.
    pub mean: f64,
    /// The coefficient of variation of the number of entries of a row.
    pub cv: f64,
    /// The part of the rows that has no entries, from 0 to 1.
    pub empty: f64,
    /// Entries of the longest row: what one thread, or group, takes one after another however many others there are.
    pub longest: f64,
    /// Size of the dense variable that is the result's, or that is summed for each entry; 1 without one.
    pub columns: f64,
}

/// One of the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// [`Statistics::rows`]
    Rows,
    /// [`Statistics::mean`]
    Mean,
    /// [`Statistics::cv`]
    Cv,
    /// [`Statistics::empty`]
    Empty,
    /// [`Statistics::longest`]
    Longest,
    /// [`Statistics::columns`]
    Columns,
    /// How many multiplications there are: an entry has one a column. Whether that fills a device.
    Work,
    /// Elements of a result with columns: how many threads there are that sum for themselves.
    Outputs,
    /// How many times as long as the average the longest row is.
    Skew,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 9] = [
        Feature::Rows,
        Feature::Mean,
        Feature::Cv,
        Feature::Empty,
        Feature::Longest,
        Feature::Columns,
        Feature::Work,
        Feature::Outputs,
        Feature::Skew,
    ];

    /// Its value.
    pub fn of(self, s: &Statistics) -> f64 {
        match self {
            Feature::Rows => s.rows,
            Feature::Mean => s.mean,
            Feature::Cv => s.cv,
            Feature::Empty => s.empty,
            Feature::Longest => s.longest,
            Feature::Columns => s.columns,
            Feature::Work => s.rows * s.mean * s.columns,
            Feature::Outputs => s.rows * s.columns,
            Feature::Skew => s.longest / s.mean,
        }
    }

    /// Is it a whole number, so that divisibility can be asked?
    pub fn is_whole(self) -> bool {
        matches!(self, Feature::Rows | Feature::Longest | Feature::Columns)
    }

    fn name(self) -> &'static str {
        match self {
            Feature::Rows => "rows",
            Feature::Mean => "mean",
            Feature::Cv => "cv",
            Feature::Empty => "empty",
            Feature::Longest => "longest",
            Feature::Columns => "columns",
            Feature::Work => "work",
            Feature::Outputs => "outputs",
            Feature::Skew => "skew",
        }
    }
}

/// What has to hold of a statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Of which statistic.
    pub feature: Feature,
    /// What.
    pub test: Test,
}

/// What a statistic is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// `mean < 8`: is it below a bound?
    Below(f64),
    /// `mean >= 8`: is it the bound at least, or no number?
    AtLeast(f64),
    /// `columns % 4 == 0`: is it a multiple, of a [whole](Feature::is_whole) statistic and a positive number?
    Multiple(u32),
    /// `columns % 4 != 0`: is it none?
    NotMultiple(u32),
}

impl Condition {
    /// Does it hold?
    pub fn holds(&self, s: &Statistics) -> bool {
        let value = self.feature.of(s);
        let is_multiple = |n: u32| value % f64::from(n) == 0.0;
        match self.test {
            Test::Below(bound) => value < bound,
            // Of what is no number exactly one of both holds.
            Test::AtLeast(bound) => value >= bound || value.is_nan(),
            Test::Multiple(n) => is_multiple(n),
            Test::NotMultiple(n) => !is_multiple(n),
        }
    }
}

/// A line of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Of which products.
    pub kind: Kind,
    /// When it decides.
    pub when: Vec<Condition>,
    /// For which point.
    pub point: AtomicParallelism,
}

/// The first line of a kind whose conditions all hold decides, of those whose point is for the kernel's formats; the last of
/// a kind have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    lines: Vec<Line>,
}

/// The standard rule: what rules say and mean in comments, an empty comment, where this one comes from, the lines.
const STANDARD: &str = include_str!("standard.txt");

impl Rule {
    /// The rule of kernels that nobody scheduled.
    pub fn standard() -> &'static Rule {
        static RULE: LazyLock<Rule> =
            LazyLock::new(|| Rule::parse(STANDARD).unwrap_or_else(|e| unreachable!("a test reads it: {e}")));
        &RULE
    }

    /// Its lines for a kind of products, without a look at the others: an expansion has to be quick.
    pub fn standard_of(kind: Kind) -> &'static [Line] {
        static RULES: [OnceLock<Rule>; 3] = [const { OnceLock::new() }; 3];
        let read =
            || Rule::parse_of(STANDARD, Some(kind)).unwrap_or_else(|e| unreachable!("a test reads it: {e}"));
        RULES[kind as usize].get_or_init(read).lines()
    }

    /// What rules say and mean, as comments that begin the file of one; the last is empty.
    pub fn legend() -> &'static str {
        const END: &str = "\n#\n";
        STANDARD.rfind(END).map_or("", |at| &STANDARD[..at + END.len()])
    }

    /// Lines in order.
    ///
    /// # Errors
    /// [`NoRule`] if a kind's last lines are not those without conditions, or a point is illegal.
    pub fn new(lines: Vec<Line>) -> Result<Rule, NoRule> {
        for (n, line) in lines.iter().enumerate() {
            let mut later = lines[n + 1..].iter().filter(|l| l.kind == line.kind).peekable();
            let last = later.peek().is_none();
            if line.when.is_empty() && later.any(|l| !l.when.is_empty()) || last && !line.when.is_empty() {
                let what = if last { "the last line has no conditions" } else { "other lines have some" };
                return Err(NoRule { line: n + 1, what: format!("of the lines of `{}` {what}", line.kind) });
            }
            if let Err(broken) = line.point.check() {
                return Err(NoRule { line: n + 1, what: format!("`{}`: {}", line.point, broken.message) });
            }
        }
        Ok(Rule { lines })
    }

    /// Its lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines of a kind, in order.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }

    /// The point for these statistics; none if the rule has nothing for the kind.
    pub fn choose(&self, kind: Kind, s: &Statistics) -> Option<AtomicParallelism> {
        self.of(kind).find(|line| line.when.iter().all(|c| c.holds(s))).map(|line| line.point)
    }
}

/// A text, or lines, that are no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct NoRule {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Kind {
    /// The point for products that no line has one for: what the result has is not the operand's outer levels, so that what an
    /// element sums is all over the operand (`A` by columns in SpMV and SpMM, MTTKRP of an inner mode). A thread an entry,
    /// each update atomic.
    pub fn spread(self) -> AtomicParallelism {
        let columns = if self == Kind::Plain { 1 } else { 4 };
        let (data, columns) = (Data::Nnz(Amount::Whole(1)), Amount::Whole(columns));
        AtomicParallelism { vector: self != Kind::Plain, ..AtomicParallelism::new(data, columns, 1) }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Columns => "columns",
            Kind::Entries => "entries",
            Kind::Plain => "plain",
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.feature.name();
        match self.test {
            Test::Below(bound) => write!(f, "{name} < {bound}"),
            Test::AtLeast(bound) => write!(f, "{name} >= {bound}"),
            Test::Multiple(n) => write!(f, "{name} % {n} == 0"),
            Test::NotMultiple(n) => write!(f, "{name} % {n} != 0"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when: Vec<_> = self.when.iter().map(Condition::to_string).collect();
        let space = if when.is_empty() { "" } else { " " };
        write!(f, "{}: {}{space}-> {}", self.kind, when.join(", "), self.point)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::point::Data;

    #[test]
    fn the_standard_rule_reads_back_and_knows_all_kinds() {
        let rule = Rule::standard();
        assert_eq!(Rule::parse(&rule.to_string()).as_ref(), Ok(rule));
        for kind in [Kind::Columns, Kind::Entries, Kind::Plain] {
            assert!(rule.of(kind).eq(Rule::standard_of(kind)), "{kind}");
            assert!(rule.of(kind).last().is_some_and(|line| line.when.is_empty()), "{kind}");
        }
    }

    #[test]
    fn points_are_those_that_schedules_have() {
        for line in STANDARD.lines().filter(|line| !line.starts_with('#')) {
            let Some((_, point)) = line.split_once("-> ") else { continue };
            let rule = Rule::parse(&format!("plain: -> {point}")).unwrap();
            assert_eq!(rule.lines()[0].point, point.parse().unwrap(), "{point}");
        }
    }

    #[test]
    fn the_first_line_that_holds_decides() {
        let text = "columns: longest < 50, outputs < 30000 -> <1/32 row, 4 col>, 32\n\
                    columns: skew < 4 -> <1 row, 4 col>, 1\n\
                    columns: -> <8 nnz, 4 col>, 1\n";
        let rule = Rule::parse(text).unwrap();
        assert_eq!(rule.to_string(), text);
        let few = Statistics { rows: 1e3, mean: 10.0, cv: 0.3, empty: 0.0, longest: 20.0, columns: 4.0 };
        let point = |s: Statistics| rule.choose(Kind::Columns, &s).unwrap().to_string();
        assert_eq!(point(few), "<1/32 row, 4 col>, 32");
        assert_eq!(point(Statistics { rows: 1e4, ..few }), "<1 row, 4 col>, 1");
        assert_eq!(point(Statistics { longest: 50.0, ..few }), "<8 nnz, 4 col>, 1");
    }

    /// Whatever it is fitted on, the standard rule balances where one row would keep a device waiting, and has threads enough.
    #[test]
    fn the_standard_rule_is_sensible() {
        let even = Statistics { rows: 1e5, mean: 8.0, cv: 0.3, empty: 0.0, longest: 20.0, columns: 4.0 };
        for (kind, columns) in [(Kind::Columns, 4.0), (Kind::Columns, 128.0), (Kind::Plain, 1.0)] {
            let choose = |s: Statistics| Rule::standard().choose(kind, &Statistics { columns, ..s }).unwrap();
            let by_rows = |s: Statistics| matches!(choose(s).data, Data::Row(_));
            assert!(by_rows(even), "{kind}: {}", choose(even));
            for skewed in [
                Statistics { longest: 50_000.0, cv: 20.0, ..even },
                // As many entries in a few rows, and empty ones beside.
                Statistics { rows: 36.0, mean: 20_000.0, longest: 40_000.0, ..even },
                Statistics { longest: 50_000.0, empty: 0.6, cv: 60.0, ..even },
            ] {
                assert!(!by_rows(skewed), "{kind}: {}", choose(skewed));
            }
            // The more rows there are, the fewer threads share one.
            let groups = [1e3, 1e4, 1e5, 1e6].map(|rows| choose(Statistics { rows, ..even }).group);
            assert!(groups.is_sorted_by(|a, b| a >= b) && groups[0] >= 2 * groups[3], "{kind}: {groups:?}");
        }
    }

    #[test]
    fn what_divides_is_read_printed_and_asked() {
        let text = "plain: columns % 4 == 0, rows % 32 != 0 -> <1 row, 4 col>, 1\n\
                    plain: columns % 2 == 0 -> <1 row, 2 col>, 1\n\
                    plain: -> <1 row, 1 col>, 1\n";
        let rule = Rule::parse(text).unwrap();
        assert_eq!(rule.to_string(), text);
        let point = |columns: f64, rows: f64| {
            let s = Statistics { rows, mean: 1.0, cv: 0.0, empty: 0.0, longest: 0.0, columns };
            rule.choose(Kind::Plain, &s).unwrap().to_string()
        };
        let fours = [(0.0, 33.0), (4.0, 1.0), (64.0, 31.0)];
        assert!(fours.iter().all(|(n, rows)| point(*n, *rows) == "<1 row, 4 col>, 1"));
        let twos = [(4.0, 64.0), (6.0, 1.0), (2.0, 0.0), (34.0, 3.0)];
        assert!(twos.iter().all(|(n, rows)| point(*n, *rows) == "<1 row, 2 col>, 1"));
        assert!([1.0, 3.0, 33.0].iter().all(|n| point(*n, 1.0) == "<1 row, 1 col>, 1"));
    }

    #[test]
    fn what_is_no_rule() {
        let wrong = |text: &str| Rule::parse(text).unwrap_err().to_string();
        assert_eq!(wrong("spmm: -> <1 row, 1 col>, 1"), "line 1: `spmm` is none of columns, entries, plain");
        assert_eq!(
            wrong("\nplain: mean > 3 -> <1 row, 1 col>, 1"),
            "line 2: `mean > 3` is no `mean < 8`, `mean >= 8`, `columns % 4 == 0` or `columns % 4 != 0`"
        );
        assert_eq!(
            wrong("plain: mean % 2 == 0 -> <1 row, 1 col>, 1"),
            "line 1: `mean` is no whole number: what divides it is not asked"
        );
        for text in ["columns % 4 == 1", "columns == 4", "columns % 4 != x"] {
            assert_eq!(
                wrong(&format!("plain: {text} -> <1 row, 1 col>, 1")),
                format!("line 1: `{text}` is no `columns % 4 == 0` or `columns % 4 != 0`")
            );
        }
        for of in ["0", "-2", "2.5", ""] {
            assert_eq!(
                wrong(&format!("plain: columns % {of} == 0 -> <1 row, 1 col>, 1")),
                format!("line 1: `{of}` is no positive whole number")
            );
        }
        assert_eq!(
            wrong("plain: size < 3 -> <1 row, 1 col>, 1"),
            "line 1: `size` is none of rows, mean, cv, empty, longest, columns, work, outputs, skew"
        );
        assert_eq!(wrong("plain: mean < x -> <1 row, 1 col>, 1"), "line 1: `x` is no number");
        assert!(wrong("plain: -> <1 row>, 1").starts_with("line 1: expected `,`: write a point"));
        assert!(wrong("plain: -> <1/2 nnz, 1 col>, 1").contains("not divided"));
        for point in
            ["<1 row, 4 col>, 1, vector, vector", "<1 row, 4 col>, 1, vectors", "<8 nnz, 4 col>, 8, "]
        {
            let read = Rule::parse(&format!("plain: -> {point}")).map(|rule| rule.lines()[0].point);
            let as_elsewhere = point.parse::<AtomicParallelism>().map_err(|e| format!("line 1: {e}"));
            assert_eq!(read.map_err(|e| e.to_string()), as_elsewhere);
        }
        assert_eq!(
            wrong("plain: mean < 8 -> <1 row, 1 col>, 1"),
            "line 1: of the lines of `plain` the last line has no conditions"
        );
        assert_eq!(
            wrong(
                "plain: -> <1 row, 1 col>, 1\nplain: mean < 8 -> <1 row, 1 col>, 1\nplain: -> <1 row, 1 col>, 1"
            ),
            "line 1: of the lines of `plain` other lines have some"
        );
        // What comes after is for formats that the first is not for.
        let rule = Rule::parse("plain: -> <8 nnz, 1 col>, 8\nplain: -> <32 nnz, 1 col>, 1").unwrap();
        let any = Statistics { rows: 1.0, mean: 1.0, cv: 0.0, empty: 0.0, longest: 0.0, columns: 1.0 };
        assert_eq!(rule.choose(Kind::Plain, &any).unwrap().to_string(), "<8 nnz, 1 col>, 8");
    }
}
