//! Scheduling commands as text: a name and arguments, which random schedules are made of and which shrinking changes.

use std::collections::HashMap;
use std::fmt;

/// `split(i, i0, i1, 4)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// Its arguments as they are written; a list in brackets is one.
    pub args: Vec<String>,
}

impl Command {
    /// From parts.
    pub fn new(name: &str, args: impl IntoIterator<Item = impl Into<String>>) -> Command {
        Command { name: name.into(), args: args.into_iter().map(Into::into).collect() }
    }

    /// Reads `name(args…)`; `None` if that is not what the text is.
    pub fn parse(text: &str) -> Option<Command> {
        let (name, rest) = text.trim().split_once('(')?;
        let inside = rest.strip_suffix(')')?;
        let mut args = vec![String::new()];
        let mut depth = 0;
        for c in inside.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            match args.last_mut() {
                Some(last) if c != ',' || depth > 0 => last.push(c),
                _ => args.push(String::new()),
            }
        }
        Some(Command::new(name.trim(), args.iter().map(|a| a.trim())))
    }

    /// The variables that it makes: names that no earlier command has.
    pub fn made(&self) -> Vec<&str> {
        let places: &[usize] = match self.name.as_str() {
            "split" | "divide" => &[1, 2],
            "fuse" => &[2],
            "pos" | "coord" | "bound" => &[1],
            _ => &[],
        };
        places.iter().filter_map(|&k| Some(self.args.get(k)?.as_str())).collect()
    }

    /// The variables that it takes away, outermost first.
    pub fn taken(&self) -> Vec<&str> {
        let count = match self.name.as_str() {
            "split" | "divide" | "pos" | "coord" | "bound" => 1,
            "fuse" => 2,
            _ => 0,
        };
        self.args.iter().take(count).map(String::as_str).collect()
    }

    /// The names between the brackets of an argument.
    pub fn list(&self, arg: usize) -> Vec<String> {
        let text = self.args.get(arg).map_or("", String::as_str);
        let names = text.trim_start_matches('[').trim_end_matches(']').split(',');
        names.map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect()
    }

    /// With a variable under another name.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> Command {
        Command {
            name: self.name.clone(),
            args: self.args.iter().map(|a| replace_word(a, from, to)).collect(),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.args.join(", "))
    }
}

fn replace_word(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out += if word == from { to } else { &word };
        word.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// The schedule with a command left out, with or without its variables in later ones, or with smaller numbers.
pub fn smaller(schedule: &[Command]) -> Vec<Vec<Command>> {
    let mut out = Vec::new();
    for (k, c) in schedule.iter().enumerate() {
        let without = [&schedule[..k], &schedule[k + 1..]].concat();
        for from in c.made() {
            for to in c.taken() {
                let others = c.made().into_iter().filter(|m| *m != from);
                let later = |d: &Command| others.clone().fold(d.renamed(from, to), |d, m| d.renamed(m, to));
                let (before, after) = without.split_at(k);
                out.push([before, &after.iter().map(later).collect::<Vec<_>>()].concat());
            }
        }
        out.push(without);
        if c.name == "precompute" {
            out.extend(smaller_precompute(schedule, k));
        }
    }
    for (k, c) in schedule.iter().enumerate() {
        for (at, arg) in c.args.iter().enumerate() {
            let smaller: Vec<String> = match (arg.parse::<u64>(), arg.as_str()) {
                (Ok(n), _) => {
                    let smaller = [1, 2, n / 2, n.saturating_sub(1)].into_iter().filter(|&m| 0 < m && m < n);
                    smaller.map(|m| m.to_string()).collect()
                }
                (_, "Atomics" | "Temporary" | "ParallelReduction") => vec!["NoRaces".into()],
                (_, "ReduceScatter") => vec!["ParallelReduction".into(), "NoRaces".into()],
                (_, "Segment") => vec!["ParallelReduction".into(), "Atomics".into()],
                (_, "Deterministic") => vec!["Segment".into(), "Atomics".into()],
                (_, "CPUVector") => vec!["CPUThread".into()],
                (_, unit) if unit.starts_with("GPUGroup(") => smaller_groups(unit),
                _ if c.name == "precompute" && at == 2 && *arg != c.args[1] => vec![c.args[1].clone()],
                _ => vec![],
            };
            for text in smaller {
                let mut changed = schedule.to_vec();
                changed[k].args[at] = text;
                out.push(changed);
            }
        }
    }
    out
}

/// A workspace over the variables under their own names, in later commands too; or in the usual format.
fn smaller_precompute(schedule: &[Command], k: usize) -> Vec<Vec<Command>> {
    let (c, mut out) = (&schedule[k], Vec::new());
    let (vars, renamed) = (c.list(1), c.list(2));
    if vars != renamed && vars.len() == renamed.len() {
        let own = |d: &Command| vars.iter().zip(&renamed).fold(d.clone(), |d, (v, new)| d.renamed(new, v));
        let (before, after) = schedule.split_at(k);
        out.push([before, &after.iter().map(own).collect::<Vec<_>>()].concat());
    }
    if c.args.len() > 4 {
        let mut usual = schedule.to_vec();
        usual[k].args.truncate(4);
        out.push(usual);
    }
    out
}

/// `GPUGroup(8)` → `GPUThread`, `GPUGroup(4)`
fn smaller_groups(unit: &str) -> Vec<String> {
    let size = unit.trim_start_matches("GPUGroup(").trim_end_matches(')').parse::<u32>().unwrap_or(0);
    let half = (size > 2).then(|| format!("GPUGroup({})", size / 2));
    [Some("GPUThread".into()), half].into_iter().flatten().collect()
}

/// What a schedule does, in words that are counted: its commands, and the combinations that are worth a count.
pub fn features(schedule: &[Command]) -> Vec<String> {
    let mut out = Vec::new();
    // How each variable was made.
    let mut kinds: HashMap<&str, Made> = HashMap::new();
    for c in schedule {
        let arg = |k: usize| c.args.get(k).map_or("", String::as_str);
        let of = |k: usize| kinds.get(arg(k)).copied().unwrap_or_default();
        let mut say = |what: &str| out.push(what.to_owned());
        let mut made = of(0);
        say(&c.name);
        match c.name.as_str() {
            "split" | "divide" => {
                if made.position {
                    say(&format!("{} of positions", c.name));
                }
                if made.part {
                    say("split of a split");
                }
                made.part = true;
            }
            "fuse" => {
                let inner = of(1);
                if inner.position {
                    say("fuse over a pos");
                }
                if made.part || inner.part {
                    say("fuse of a split");
                }
                made = Made {
                    fused: made.fused.max(1) + inner.fused.max(1),
                    position: inner.position,
                    part: made.part || inner.part,
                    ..made
                };
            }
            "pos" => {
                if made.fused > 1 {
                    say("pos of fused");
                }
                if made.fused > 2 {
                    say("pos of fused over three levels");
                }
                if made.bounded {
                    say("pos of bounded");
                }
                made.position = true;
            }
            "coord" => made.position = false,
            "bound" => {
                say(&format!("bound {}", arg(3)));
                made.bounded = true;
            }
            "mergeby" => say(&format!("mergeby {}", arg(1))),
            "unroll" if !made.part => say("unroll of a whole loop"),
            "parallelize" => say(&format!("parallelize {} {}", arg(1), arg(2))),
            "precompute" => {
                let vars = c.list(1);
                say(&format!("precompute into {} dimensions", vars.len()));
                if vars != c.list(2) {
                    say("precompute under new names");
                }
                let made_by_command = |v: &String| kinds.get(v.as_str()).is_some_and(|m| m.part || m.bounded);
                if vars.iter().any(made_by_command) {
                    say("precompute over a derived variable");
                }
            }
            _ => {}
        }
        kinds.extend(c.made().into_iter().map(|name| (name, made)));
    }
    out.push(format!("{} commands", schedule.len()));
    out.sort();
    out.dedup();
    out
}

/// How a variable was made.
#[derive(Clone, Copy, Default)]
struct Made {
    /// Counts positions.
    position: bool,
    /// Is a part of another.
    part: bool,
    /// Has a promise.
    bounded: bool,
    /// Was made from so many variables; 0 for one that was not fused.
    fused: usize,
}

/// Is a promise about the size of a dimension broken?
pub fn breaks_promise(schedule: &[Command], sizes: &[(String, usize)]) -> bool {
    // The index variable that a variable counts the coordinates of, or parts of so many coordinates each.
    let mut of: HashMap<String, (String, u64)> = HashMap::new();
    let mut broken = false;
    for c in schedule {
        // `i_t0` is `i`, where the workspace `t0` is filled, unless the statement has an index of that name.
        let of_a_copy = |v: &str| {
            if sizes.iter().any(|(name, _)| name == v) {
                return None;
            }
            let (root, workspace) = v.rsplit_once("_t")?;
            (!workspace.is_empty() && workspace.bytes().all(|b| b.is_ascii_digit())).then(|| root.to_owned())
        };
        let root = |v: &str, of: &HashMap<String, (String, u64)>| {
            let known = of.get(v).cloned();
            known.unwrap_or_else(|| (of_a_copy(v).unwrap_or_else(|| v.to_owned()), 1))
        };
        if let ("split", [v, outer, inner, n]) = (c.name.as_str(), &c.args[..])
            && let Ok(n) = n.parse::<u64>()
        {
            let (root, part) = root(v, &of);
            of.insert(outer.clone(), (root, part.saturating_mul(n)));
            of.insert(inner.clone(), (String::new(), 1));
        }
        // How many these have is not computed here; their names may look like a copy's.
        let made = match (c.name.as_str(), &c.args[..]) {
            ("divide", [_, outer, inner, _]) => vec![outer, inner],
            ("fuse", [_, _, fused]) => vec![fused],
            ("pos" | "coord", [_, new, ..]) => vec![new],
            _ => vec![],
        };
        of.extend(made.into_iter().map(|new| (new.clone(), (String::new(), 1))));
        if c.name == "precompute" {
            for (v, new) in c.list(1).iter().zip(c.list(2)) {
                let v = root(v, &of);
                of.insert(new, v);
            }
        }
        let ("bound", [var, bounded, size, kind]) = (c.name.as_str(), &c.args[..]) else { continue };
        let (root, part) = root(var, &of);
        // Nothing is asked of parts of 0, which are refused.
        let have = sizes
            .iter()
            .find(|(name, _)| *name == root)
            .map(|(_, size)| (*size as u64).div_ceil(part.max(1)));
        if let (Some(have), Ok(size @ 1..)) = (have, size.parse::<u64>()) {
            broken |= if kind == "MaxExact" { have != size } else { have % size != 0 };
        }
        of.insert(bounded.clone(), (root, part));
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<Command> {
        text.split(';').filter_map(Command::parse).collect()
    }

    #[test]
    fn text_and_back() {
        let text = "precompute(A[i, j] * max(x[j], 1), [j], [jw], w)";
        let c = Command::parse(text).unwrap();
        assert_eq!((c.to_string().as_str(), c.args.len()), (text, 4));
        assert_eq!(c.renamed("j", "k").to_string(), "precompute(A[i, k] * max(x[k], 1), [k], [jw], w)");
        assert_eq!((c.list(1), c.list(2)), (vec!["j".to_owned()], vec!["jw".to_owned()]));
    }

    #[test]
    fn combinations_are_seen() {
        let f = features(&commands(
            "fuse(i, j, f); fuse(f, k, g); pos(g, p, A[i, j, k]); split(p, p0, p1, 4); divide(p1, a, b, 2)",
        ));
        for wanted in [
            "pos of fused over three levels",
            "split of positions",
            "divide of positions",
            "split of a split",
            "5 commands",
        ] {
            assert!(f.iter().any(|f| f == wanted), "{wanted}: {f:?}");
        }
        let f = features(&commands("pos(j, p, A[i, j]); fuse(i, p, f); precompute(x[j], [j], [jw], w)"));
        assert!(f.contains(&"fuse over a pos".into()) && f.contains(&"precompute into 1 dimensions".into()));
    }

    #[test]
    fn promises() {
        let sizes = [("i".to_owned(), 6), ("j".to_owned(), 0)];
        let breaks = |text: &str| breaks_promise(&commands(text), &sizes);
        assert!(!breaks(
            "bound(i, ib, 6, MaxExact); bound(ib, ic, 3, Divisible); bound(j, jb, 5, Divisible)"
        ));
        assert!(breaks("bound(i, ib, 3, Divisible); bound(ib, ic, 12, MaxExact)"));
        assert!(!breaks("divide(j_t0, j_t2, j_t3, 3); bound(j_t2, j_t4, 3, MaxExact)"));
        assert!(breaks("bound(j_t2, j_t4, 3, MaxExact)"));
        assert!(breaks("precompute(x[i], [i], [iw], w); bound(iw, ib, 5, MaxExact)"));
        assert!(!breaks(
            "split(i, a, b, 4); split(a, c, d, 1); bound(c, e, 2, MaxExact); bound(b, f, 4, MaxExact)"
        ));
        assert!(breaks("split(i, a, b, 4); bound(a, c, 1, MaxExact)"));
    }
}
