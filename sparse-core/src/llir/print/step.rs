//! Host steps as text.

use super::expr::{Prec, buffer_name, expr, var_name};
use super::{Printer, print_expr};
use crate::llir::Step;

impl Printer<'_> {
    pub(super) fn step(&mut self, step: &Step) {
        let p = self.program;
        match step {
            Step::Allocate { buffer, len, init } => {
                let init = init.map_or(String::new(), |v| format!(" = {v}"));
                self.line(&format!("allocate {}[{}]{init};", buffer_name(p, *buffer), print_expr(p, len)));
            }
            Step::Reserve { buffer, capacity, exact } => {
                let capacity = capacity.as_ref().map_or(String::new(), |c| format!("[{}]", print_expr(p, c)));
                let exact = if *exact { " exactly" } else { "" };
                self.line(&format!("reserve {}{capacity}{exact};", buffer_name(p, *buffer)));
            }
            Step::Read { var, buffer, index } => {
                let (var, buffer) = (var_name(p, *var), buffer_name(p, *buffer));
                self.line(&format!("read {var} = {buffer}[{}];", print_expr(p, index)));
            }
            Step::AtMost { var, most, within, buffer, index } => {
                let (var, most) = (var_name(p, *var), print_expr(p, most));
                let element = format!("{}[{}]", buffer_name(p, *buffer), print_expr(p, index));
                self.line(&format!("at most {var} = {most} up to {within}, else read {element};"));
            }
            Step::Fibers { var, tensor, depth, what } => {
                let (var, tensor) = (var_name(p, *var), &p.tensors[tensor.index()].name);
                let (what, levels) = (what.name(), if *depth == 1 { "level" } else { "levels" });
                self.line(&format!("fibers {var} = {what} below {depth} {levels} of {tensor};"));
            }
            Step::Let { var, value } => {
                self.line(&format!("let {} = {};", var_name(p, *var), print_expr(p, value)));
            }
            Step::Fits { misfits, columns, len } => {
                let columns: Vec<_> = columns.iter().map(|c| buffer_name(p, *c)).collect();
                let (misfits, columns, len) =
                    (buffer_name(p, *misfits), columns.join(", "), print_expr(p, len));
                self.line(&format!("fits {misfits} of {len} in {columns};"));
            }
            Step::Fill { buffer, value } => {
                self.line(&format!("fill {} = {value};", buffer_name(p, *buffer)))
            }
            Step::Run(block) => {
                self.line("run {");
                self.block(block);
                self.line("}");
            }
            Step::Launch(launch) => {
                let blocks = launch.grid.iter().map(|axis| {
                    format!("{} in 0..{}", var_name(p, axis.var), expr(p, &axis.blocks, Prec::Or))
                });
                let blocks: Vec<_> = blocks.collect();
                let thread = format!("{} in 0..{}", var_name(p, launch.thread), launch.threads);
                let resident = match launch.resident {
                    0 => String::new(),
                    n => format!(" resident({n})"),
                };
                let follows = if launch.follows { " follows" } else { "" };
                self.line(&format!(
                    "launch {} blocks({}) threads({thread}){resident}{follows} {{",
                    launch.name,
                    blocks.join(", ")
                ));
                self.block(&launch.body);
                self.line("}");
            }
        }
    }
}
