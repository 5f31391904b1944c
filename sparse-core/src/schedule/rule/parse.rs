//! A rule from its text: a line each `kind: condition, condition -> point`, empty lines and those that begin with `#`
//! between them.

use super::{Condition, Feature, Kind, Line, NoRule, Rule, Test};
use crate::front::AtomicParallelism;
use crate::front::point::{Amount, Data};

impl Rule {
    /// Of its text, as `Display` writes it.
    ///
    /// # Errors
    /// [`NoRule`], with the line of the text.
    pub fn parse(text: &str) -> Result<Rule, NoRule> {
        Rule::parse_of(text, None)
    }

    /// The lines that begin with a kind; or all.
    pub(super) fn parse_of(text: &str, kind: Option<Kind>) -> Result<Rule, NoRule> {
        let kind = kind.map(|kind| kind.to_string());
        let (mut lines, mut numbers) = (vec![], vec![]);
        // Points come again, and are not read again.
        let mut points = vec![];
        for (n, text) in text.lines().enumerate() {
            let text = text.trim();
            let is_other = kind.as_ref().is_some_and(|kind| !text.starts_with(kind));
            if text.is_empty() || text.starts_with('#') || is_other {
                continue;
            }
            lines.push(line(text, &mut points).map_err(|what| NoRule { line: n + 1, what })?);
            numbers.push(n + 1);
        }
        Rule::new(lines).map_err(|e| NoRule { line: numbers[e.line - 1], ..e })
    }
}

fn line<'t>(text: &'t str, points: &mut Vec<(&'t str, AtomicParallelism)>) -> Result<Line, String> {
    let parts = text.split_once(':').and_then(|(kind, rest)| Some((kind, rest.split_once("->")?)));
    let (kind, (when, point)) =
        parts.ok_or_else(|| format!("`{text}` is no `kind: condition, condition -> point`"))?;
    let point = point.trim();
    let known = points.iter().find(|(text, _)| *text == point).map(|(_, known)| *known);
    let read = match known {
        Some(known) => known,
        None => plain(point).map_or_else(|| point.parse().map_err(|e| format!("{e}")), Ok)?,
    };
    points.push((point, read));
    let conditions = when.split(',').map(str::trim).filter(|c| !c.is_empty());
    Ok(Line {
        kind: self::kind(kind.trim())?,
        when: conditions.map(condition).collect::<Result<_, _>>()?,
        point: read,
    })
}

/// A point as `Display` writes it, without options that are numbers. To make tokens first, as is done for every other one, takes a debug
/// build of the macro longer than all the rest of a rule.
fn plain(text: &str) -> Option<AtomicParallelism> {
    let (data, rest) = text.strip_prefix('<')?.split_once(' ')?;
    let (of, rest) = rest.split_once(", ")?;
    let (columns, rest) = rest.split_once(" col>, ")?;
    let mut rest = rest.split(", ");
    let group = rest.next()?;
    let data = match of {
        "nnz" => Data::Nnz(amount(data)?),
        "row" => Data::Row(amount(data)?),
        _ => return None,
    };
    let mut point = AtomicParallelism::new(data, amount(columns)?, number(group)?);
    for option in rest {
        match option {
            "scatter" if !point.scatter => point.scatter = true,
            "vector" if !point.vector => point.vector = true,
            _ => return None,
        }
    }
    Some(point)
}

/// `8` or `1/8`
fn amount(text: &str) -> Option<Amount> {
    match text.split_once('/') {
        Some(("1", parts)) => number(parts).filter(|parts| *parts > 1).map(Amount::Part),
        Some(_) => None,
        None => number(text).map(Amount::Whole),
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| digits && *n > 0)
}

fn kind(text: &str) -> Result<Kind, String> {
    let all = [Kind::Columns, Kind::Entries, Kind::Plain];
    let found = all.into_iter().find(|k| k.to_string() == text);
    found.ok_or_else(|| format!("`{text}` is none of columns, entries, plain"))
}

fn condition(text: &str) -> Result<Condition, String> {
    let splits = [("!=", 3), ("==", 2), (">=", 1), ("<", 0)];
    let found = splits.iter().find_map(|(at, which)| Some((text.split_once(at)?, *which)));
    let ((left, right), which) = found.ok_or_else(|| {
        format!("`{text}` is no `mean < 8`, `mean >= 8`, `columns % 4 == 0` or `columns % 4 != 0`")
    })?;
    let right = right.trim();
    if which >= 2 {
        let (feature, of) = divided(text, left, right)?;
        let test = if which == 2 { Test::Multiple(of) } else { Test::NotMultiple(of) };
        return Ok(Condition { feature, test });
    }
    let feature = feature(left.trim())?;
    match right.parse::<f64>() {
        Ok(bound) if bound.is_finite() => {
            let test = if which == 0 { Test::Below(bound) } else { Test::AtLeast(bound) };
            Ok(Condition { feature, test })
        }
        _ => Err(format!("`{right}` is no number")),
    }
}

/// `columns % 4` and `0`
fn divided(text: &str, left: &str, right: &str) -> Result<(Feature, u32), String> {
    let parts = left.split_once('%').filter(|_| right == "0");
    let (name, of) =
        parts.ok_or_else(|| format!("`{text}` is no `columns % 4 == 0` or `columns % 4 != 0`"))?;
    let (name, of) = (name.trim(), of.trim());
    let feature = feature(name)?;
    if !feature.is_whole() {
        return Err(format!("`{name}` is no whole number: what divides it is not asked"));
    }
    let of = number(of).ok_or_else(|| format!("`{of}` is no positive whole number"))?;
    Ok((feature, of))
}

fn feature(name: &str) -> Result<Feature, String> {
    let feature = Feature::ALL.into_iter().find(|f| f.name() == name);
    feature.ok_or_else(|| {
        let known = Feature::ALL.map(Feature::name).join(", ");
        format!("`{name}` is none of {known}")
    })
}
