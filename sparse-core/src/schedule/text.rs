//! Commands that the compiler writes itself, for defaults and for points of atomic parallelism.

use crate::front::ast::Kernel;

/// Commands as text, under names that the kernel does not have.
pub(super) struct Text<'k> {
    kernel: &'k Kernel,
    commands: String,
}

impl<'k> Text<'k> {
    /// No commands.
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        Text { kernel, commands: String::new() }
    }

    /// The commands, one after another.
    pub(super) fn finish(self) -> String {
        self.commands
    }

    /// The name, or one like it that the kernel does not have.
    pub(super) fn name(&self, base: &str) -> String {
        let taken = |n: &str| {
            self.kernel.vars.iter().any(|v| v.name == n)
                || self.kernel.tensors.iter().any(|t| t.name == n)
                || self.kernel.scalars.iter().any(|s| s.name == n)
        };
        let mut name = base.to_owned();
        while taken(&name) {
            name.push('_');
        }
        name
    }

    pub(super) fn push(&mut self, command: String) {
        self.commands += &command;
        self.commands += ";\n";
    }

    /// Several loops as one.
    pub(super) fn fuse(&mut self, vars: &[String], base: &str) -> String {
        let mut at = vars[0].clone();
        for (n, v) in vars[1..].iter().enumerate() {
            let fused = self.name(&format!("{base}{n}"));
            self.push(format!("fuse({at}, {v}, {fused})"));
            at = fused;
        }
        at
    }

    pub(super) fn split(&mut self, var: &str, outer: &str, inner: &str, n: u32) -> (String, String) {
        let (outer, inner) = (self.name(outer), self.name(inner));
        self.push(format!("split({var}, {outer}, {inner}, {n})"));
        (outer, inner)
    }

    pub(super) fn reorder(&mut self, vars: &[&[String]]) {
        let vars = vars.concat();
        if vars.len() > 1 {
            self.push(format!("reorder({})", vars.join(", ")));
        }
    }

    pub(super) fn parallelize(&mut self, var: &str, how: &str) {
        self.push(format!("parallelize({var}, {how})"));
    }
}
