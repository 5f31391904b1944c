//! What the names in a command stand for.

use super::tree::{has_loop, replace_loop};
use super::{Checked, Scheduler, fail};
use crate::cin::provenance::{Relation, Tag};
use crate::front::ast::IndexVar;
use crate::front::command::Name;

impl Scheduler<'_> {
    /// A variable's name, to be read.
    pub(super) fn name(&self, v: IndexVar) -> &str {
        self.cin.provenance.name(v)
    }

    /// `` `i`, `j` ``
    pub(super) fn list(&self, vars: &[IndexVar]) -> String {
        let names: Vec<_> = vars.iter().map(|&v| format!("`{}`", self.name(v))).collect();
        names.join(", ")
    }

    /// The variable that a name stands for, whether there is a loop over it or not.
    pub(super) fn variable(&self, name: &Name) -> Checked<IndexVar> {
        match self.cin.provenance.find(&name.text) {
            Some(v) => Ok(v),
            None => fail(
                "unknown-variable",
                name.span,
                format!("there is no index variable `{}`", name.text),
                format!("the loops here are over {}", self.list(&self.cin.root.loops())),
            ),
        }
    }

    /// The variable of a loop.
    pub(super) fn loop_over(&self, name: &Name) -> Checked<IndexVar> {
        let v = self.variable(name)?;
        if has_loop(&self.cin.root, v) {
            return Ok(v);
        }
        match self.cin.provenance.consumed_by(v) {
            Some(r) => {
                let made = self.list(&r.children());
                let how = match r {
                    Relation::Split { outer, inner, .. } => {
                        format!("was split into `{}` and `{}`", self.name(*outer), self.name(*inner))
                    }
                    Relation::Fuse { .. } => format!("was fused into {made}"),
                    Relation::Pos { .. } => format!("became the positions {made}"),
                    Relation::Coord { .. } => format!("became the coordinates {made}"),
                    Relation::Bound { .. } => format!("was bounded as {made}"),
                };
                fail(
                    "consumed-variable",
                    name.span,
                    format!("there is no loop over `{}` any more: it {how}", name.text),
                    format!("name {made}"),
                )
            }
            None => fail(
                "unknown-variable",
                name.span,
                format!("there is no loop over `{}`", name.text),
                format!("the loops here are over {}", self.list(&self.cin.root.loops())),
            ),
        }
    }

    /// The variable of a loop that a command replaces: one that nothing has been said about.
    pub(super) fn plain_loop(&self, name: &Name) -> Checked<IndexVar> {
        let v = self.loop_over(name)?;
        // `parallelize` comes after all commands that replace loops, and only the compiler asks what is worth it.
        let Tag { unroll, merge, parallel: _, worth: _ } = self.cin.provenance.tag(v);
        let said = match (unroll, merge) {
            (Some(_), _) => "an `unroll`",
            (_, Some(_)) => "a `mergeby`",
            _ => return Ok(v),
        };
        fail(
            "tagged-loop",
            name.span,
            format!("the loop over `{}` has {said} already: it would be lost", name.text),
            "write it after the commands that replace the loop",
        )
    }

    /// Replaces all loops over a variable.
    pub(super) fn replace(&mut self, v: IndexVar, by: &[IndexVar]) {
        let root = self.cin.root.clone();
        self.cin.root = replace_loop(root, v, by);
    }

    /// New variables of these names.
    pub(super) fn new_vars<const N: usize>(&mut self, names: [&Name; N]) -> Checked<[IndexVar; N]> {
        for (n, name) in names.iter().enumerate() {
            self.check_new(name)?;
            if names[..n].iter().any(|other| other.text == name.text) {
                return self.taken(name, "the other new variable");
            }
        }
        Ok(names.map(|name| self.cin.provenance.fresh(&name.text)))
    }

    /// Is a name free? A workspace that the statement has without being asked takes another one.
    pub(super) fn check_new(&mut self, name: &Name) -> Checked {
        let text = name.text.as_str();
        if let Some(&w) = self.unnamed.iter().find(|w| self.cin.workspaces[w.index()].name == text) {
            let mut other = format!("{text}_");
            while self.is_taken(&other) {
                other.push('_');
            }
            self.cin.workspaces[w.index()].name = other;
        }
        if self.cin.provenance.find(text).is_some() {
            return self.taken(name, "an index variable");
        }
        if self.kernel.tensors.iter().any(|t| t.name == text) {
            return self.taken(name, "a tensor");
        }
        if self.kernel.scalars.iter().any(|s| s.name == text) {
            return self.taken(name, "a scalar");
        }
        if self.cin.workspaces.iter().any(|w| w.name == text) {
            return self.taken(name, "a workspace");
        }
        Ok(())
    }

    fn is_taken(&self, text: &str) -> bool {
        self.cin.provenance.find(text).is_some()
            || self.kernel.tensors.iter().any(|t| t.name == text)
            || self.kernel.scalars.iter().any(|s| s.name == text)
            || self.cin.workspaces.iter().any(|w| w.name == text)
    }

    fn taken<T>(&self, name: &Name, by: &str) -> Checked<T> {
        fail(
            "duplicate-name",
            name.span,
            format!("`{}` names {by} already", name.text),
            "give every new loop and workspace a name of its own",
        )
    }
}
