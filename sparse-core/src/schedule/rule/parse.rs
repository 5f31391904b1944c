//! A rule from its text: a line each `kind: condition, condition -> point`, empty lines and those that begin with `#`
//! between them.

use super::{Condition, Feature, Kind, Line, NoRule, Rule};

impl Rule {
    /// Of its text, as `Display` writes it.
    ///
    /// # Errors
    /// [`NoRule`], with the line of the text.
    pub fn parse(text: &str) -> Result<Rule, NoRule> {
        let (mut lines, mut numbers) = (vec![], vec![]);
        for (n, text) in text.lines().enumerate() {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            lines.push(line(text).map_err(|what| NoRule { line: n + 1, what })?);
            numbers.push(n + 1);
        }
        Rule::new(lines).map_err(|e| NoRule { line: numbers[e.line - 1], ..e })
    }
}

fn line(text: &str) -> Result<Line, String> {
    let parts = text.split_once(':').and_then(|(kind, rest)| Some((kind, rest.split_once("->")?)));
    let (kind, (when, point)) =
        parts.ok_or_else(|| format!("`{text}` is no `kind: condition, condition -> point`"))?;
    let conditions = when.split(',').map(str::trim).filter(|c| !c.is_empty());
    Ok(Line {
        kind: self::kind(kind.trim())?,
        when: conditions.map(condition).collect::<Result<_, _>>()?,
        point: point.trim().parse().map_err(|e| format!("{e}"))?,
    })
}

fn kind(text: &str) -> Result<Kind, String> {
    let all = [Kind::Columns, Kind::Entries, Kind::Plain];
    let found = all.into_iter().find(|k| k.to_string() == text);
    found.ok_or_else(|| format!("`{text}` is none of columns, entries, plain"))
}

fn condition(text: &str) -> Result<Condition, String> {
    let (name, below, bound) = match (text.split_once(">="), text.split_once('<')) {
        (Some((name, bound)), _) => (name, false, bound),
        (None, Some((name, bound))) => (name, true, bound),
        (None, None) => return Err(format!("`{text}` is no `mean < 8` or `mean >= 8`")),
    };
    let (name, bound) = (name.trim(), bound.trim());
    let feature = Feature::ALL.into_iter().find(|f| f.name() == name);
    let feature = feature.ok_or_else(|| format!("`{name}` is none of rows, mean, cv, empty, columns"))?;
    match bound.parse::<f64>() {
        Ok(bound) if bound.is_finite() => Ok(Condition { feature, below, bound }),
        _ => Err(format!("`{bound}` is no number")),
    }
}
