//! Commands that the compiler writes itself, for defaults and for points of atomic parallelism.

use crate::cin::Access;
use crate::front::ast::command as print;
use crate::front::ast::{self, Kernel};
use crate::front::command::{Command, CommandKind, Factor, Name, Strategy, Unit};
use proc_macro2::Span;

/// Commands under names that the kernel does not have.
pub(super) struct Plan<'k> {
    kernel: &'k Kernel,
    span: Span,
    commands: Vec<Command>,
}

impl<'k> Plan<'k> {
    /// No commands; what is wrong with one is reported at the span.
    pub(super) fn new(kernel: &'k Kernel, span: Span) -> Self {
        Plan { kernel, span, commands: vec![] }
    }

    /// The commands, one after another.
    pub(super) fn finish(self) -> Vec<Command> {
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

    fn push(&mut self, kind: CommandKind) {
        self.commands.push(Command { span: self.span, source: print(self.kernel, &kind), kind });
    }

    fn named(&self, name: &str) -> Name {
        Name { text: name.to_owned(), span: self.span }
    }

    fn factor(&self, n: u32) -> Factor {
        Factor { value: n.into(), span: self.span }
    }

    /// Several loops as one.
    pub(super) fn fuse(&mut self, vars: &[String], base: &str) -> String {
        let mut at = vars[0].clone();
        for (n, v) in vars[1..].iter().enumerate() {
            let last = n + 2 == vars.len();
            at = self.fuse_as(&at, v, &if last { base.to_owned() } else { format!("{base}{n}") });
        }
        at
    }

    /// Two loops as one of this name.
    pub(super) fn fuse_as(&mut self, outer: &str, inner: &str, name: &str) -> String {
        let fused = self.name(name);
        let (outer, inner) = (self.named(outer), self.named(inner));
        self.push(CommandKind::Fuse { outer, inner, fused: self.named(&fused) });
        fused
    }

    pub(super) fn split(&mut self, var: &str, outer: &str, inner: &str, n: u32) -> (String, String) {
        let (outer, inner) = (self.name(outer), self.name(inner));
        let names = [var, &outer, &inner].map(|n| self.named(n));
        let [var, new_outer, new_inner] = names;
        self.push(CommandKind::Split { var, outer: new_outer, inner: new_inner, factor: self.factor(n) });
        (outer, inner)
    }

    pub(super) fn divide(&mut self, var: &str, outer: &str, inner: &str, n: u32) -> (String, String) {
        let (outer, inner) = (self.name(outer), self.name(inner));
        let [var, new_outer, new_inner] = [var, &outer, &inner].map(|n| self.named(n));
        self.push(CommandKind::Divide { var, outer: new_outer, inner: new_inner, factor: self.factor(n) });
        (outer, inner)
    }

    pub(super) fn reorder(&mut self, vars: &[&[String]]) {
        let order: Vec<_> = vars.iter().flat_map(|vars| vars.iter()).map(|v| self.named(v)).collect();
        if order.len() > 1 {
            self.push(CommandKind::Reorder { order });
        }
    }

    /// A loop over the positions of an operand of the statement.
    pub(super) fn pos(&mut self, var: &str, pos: &str, access: &Access) -> String {
        let pos = self.name(pos);
        let access = ast::Access { tensor: access.tensor, indices: access.indices.clone(), span: self.span };
        self.push(CommandKind::Pos { var: self.named(var), pos: self.named(&pos), access });
        pos
    }

    /// A workspace of parts of an operand's dimensions, whose producer has loops under other names.
    pub(super) fn precompute(
        &mut self,
        access: &ast::Access,
        vars: &[String],
        renamed: &[String],
        name: &str,
    ) {
        let list = |names: &[String]| names.iter().map(|n| self.named(n)).collect::<Vec<_>>();
        let (vars, renamed) = (list(vars), list(renamed));
        let workspace = self.named(&self.name(name));
        let expr = ast::Expr::Access(ast::Access { span: self.span, ..access.clone() });
        let (expr_span, format) = (self.span, None);
        self.push(CommandKind::Precompute { expr, expr_span, vars, renamed, workspace, format });
    }

    pub(super) fn unroll(&mut self, var: &str, n: u32) {
        self.push(CommandKind::Unroll { var: self.named(var), factor: self.factor(n) });
    }

    pub(super) fn parallelize(&mut self, var: &str, unit: Unit, strategy: Strategy) {
        let (unit_span, strategy_span) = (self.span, self.span);
        let var = self.named(var);
        self.push(CommandKind::Parallelize { var, unit, unit_span, strategy, strategy_span });
    }
}
