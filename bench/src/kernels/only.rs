//! A part of the table alone: to measure again, and for longer, what was in doubt.

use crate::error::Error;

/// Which parameters and which implementations are measured.
pub(crate) struct Only {
    params: Filter,
    implementations: Filter,
}

impl Only {
    /// These; all, where none are given.
    pub(crate) fn new(params: &[String], implementations: &[String]) -> Self {
        Only {
            params: Filter::new("--params", params),
            implementations: Filter::new("--implementations", implementations),
        }
    }

    /// Leaves what is to be measured.
    pub(super) fn choose<C>(
        &mut self,
        params: &str,
        candidates: &mut Vec<C>,
        name: impl Fn(&C) -> &'static str,
    ) {
        let here = self.params.lets_through(params);
        candidates.retain(|c| self.implementations.lets_through(name(c)) && here);
    }

    /// What was asked for, and never came.
    pub(crate) fn unmet(&self) -> Option<Error> {
        self.params.unmet().or_else(|| self.implementations.unmet())
    }
}

/// Names of which only some are wanted.
struct Filter {
    option: &'static str,
    wanted: Vec<String>,
    /// All that came, each once.
    met: Vec<String>,
}

impl Filter {
    fn new(option: &'static str, wanted: &[String]) -> Self {
        Filter { option, wanted: wanted.to_vec(), met: Vec::new() }
    }

    fn lets_through(&mut self, name: &str) -> bool {
        if !self.met.iter().any(|n| n == name) {
            self.met.push(name.to_string());
        }
        self.wanted.is_empty() || self.wanted.iter().any(|n| n == name)
    }

    fn unmet(&self) -> Option<Error> {
        let wanted = self.wanted.iter().find(|n| !self.met.contains(n))?.clone();
        let met = self.met.iter().filter(|n| !n.is_empty()).cloned().collect();
        Some(Error::Nothing { option: self.option, wanted, met })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_ones_are_left_and_the_others_named() {
        let strings = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut only = Only::new(&strings(&["N=4"]), &strings(&["ours", "hnad"]));
        let mut here = vec!["ours", "hand"];
        only.choose("N=4", &mut here, |c| c);
        assert_eq!(here, ["ours"]);
        only.choose("N=32", &mut here, |c| c);
        assert!(here.is_empty());
        let error = only.unmet().expect("no implementation is named so").to_string();
        assert_eq!(error, "nothing of what was measured is --implementations hnad: there is ours, hand");
    }
}
