//! What a worker tells the process that started it: a line for each thing.

use std::fmt;

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// An item begins: its number and name.
    Start(u64, String),
    /// It came out as it should.
    Passed,
    /// The compiler refused it.
    Refused,
    /// It makes too much: why it was not run.
    LeftOut(String),
    /// It did not come out as it should: a report.
    Failed(String),
    /// The device does not work any more: why. The worker ends.
    Lost(String),
    /// There is no time left. The worker ends.
    Late,
    /// There is nothing left to do.
    End,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Start(number, name) => write!(f, "start {number} {}", escape(name)),
            Line::Passed => f.write_str("passed"),
            Line::Refused => f.write_str("refused"),
            Line::LeftOut(why) => write!(f, "left-out {}", escape(why)),
            Line::Late => f.write_str("late"),
            Line::Failed(report) => write!(f, "failed {}", escape(report)),
            Line::Lost(message) => write!(f, "lost {}", escape(message)),
            Line::End => f.write_str("end"),
        }
    }
}

impl Line {
    /// The line that a text is; what else is printed, by a driver perhaps, is none.
    pub(super) fn parse(text: &str) -> Option<Line> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Some(match word {
            "start" => {
                let (number, name) = rest.split_once(' ')?;
                Line::Start(number.parse().ok()?, unescape(name))
            }
            "passed" => Line::Passed,
            "refused" => Line::Refused,
            "left-out" => Line::LeftOut(unescape(rest)),
            "late" => Line::Late,
            "failed" => Line::Failed(unescape(rest)),
            "lost" => Line::Lost(unescape(rest)),
            "end" => Line::End,
            _ => return None,
        })
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        out.push(match escaped {
            Some('n') => '\n',
            Some('r') => '\r',
            Some(other) => other,
            None => c,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let report = "a\n\\n b\r\\".to_owned();
        let lines = [
            Line::Start(17, "spmm on a matrix".into()),
            Line::Passed,
            Line::Refused,
            Line::LeftOut("more than 10 products".into()),
            Line::Late,
            Line::Failed(report.clone()),
            Line::Lost(report),
            Line::End,
        ];
        for line in lines {
            let text = line.to_string();
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(Line::parse(&text), Some(line));
        }
        assert_eq!(Line::parse("NOTE: something"), None);
        assert_eq!(Line::parse("start x y"), None);
    }
}
