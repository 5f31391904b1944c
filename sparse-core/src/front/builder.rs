//! Schedules built by a program: the same commands as in `schedule cpu { … }`.
//!
//! ```
//! use sparse_core::front::command::{Strategy, Unit};
//! use sparse_core::front::{Commands, parse_str};
//!
//! let text = "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
//! let kernel = parse_str(text).unwrap();
//! let commands = Commands::new()
//!     .split("i", "i0", "i1", 64)
//!     .parallelize("i0", Unit::CpuThread, Strategy::NoRaces)
//!     .resolve(&kernel)
//!     .unwrap();
//! assert_eq!(commands[1].source, "parallelize(i0, CPUThread, NoRaces)");
//! ```

use super::ast::Kernel;
use super::command::{BoundKind, Command, Merge, Strategy, Unit};
use super::schedule::parse_schedule;
use crate::diag::Diagnostics;
use crate::format::WorkspaceFormat;

/// A list of scheduling commands. Names and argument order are those of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    text: Vec<String>,
}

impl Commands {
    /// No commands.
    pub fn new() -> Self {
        Self::default()
    }

    /// As the text that stands in `schedule cpu { … }`.
    pub fn text(&self) -> String {
        self.text.iter().map(|c| format!("{c};\n")).collect()
    }

    /// The commands about a kernel; set [`Kernel::cpu`] to them.
    ///
    /// # Errors
    /// As [`parse_schedule`].
    pub fn resolve(&self, kernel: &Kernel) -> Result<Vec<Command>, Diagnostics> {
        parse_schedule(kernel, &self.text())
    }

    fn with(mut self, command: String) -> Self {
        self.text.push(command);
        self
    }

    /// `split(var, outer, inner, factor)`
    #[must_use]
    pub fn split(self, var: &str, outer: &str, inner: &str, factor: u64) -> Self {
        self.with(format!("split({var}, {outer}, {inner}, {factor})"))
    }

    /// `divide(var, outer, inner, factor)`
    #[must_use]
    pub fn divide(self, var: &str, outer: &str, inner: &str, factor: u64) -> Self {
        self.with(format!("divide({var}, {outer}, {inner}, {factor})"))
    }

    /// `fuse(outer, inner, fused)`
    #[must_use]
    pub fn fuse(self, outer: &str, inner: &str, fused: &str) -> Self {
        self.with(format!("fuse({outer}, {inner}, {fused})"))
    }

    /// `reorder(…)`
    #[must_use]
    pub fn reorder(self, order: &[&str]) -> Self {
        self.with(format!("reorder({})", order.join(", ")))
    }

    /// `pos(var, pos, access)`, the access as the statement has it: `A[i, j]`.
    #[must_use]
    pub fn pos(self, var: &str, pos: &str, access: &str) -> Self {
        self.with(format!("pos({var}, {pos}, {access})"))
    }

    /// `coord(pos, var)`
    #[must_use]
    pub fn coord(self, pos: &str, var: &str) -> Self {
        self.with(format!("coord({pos}, {var})"))
    }

    /// `precompute(expr, [vars], [renamed], workspace)`, the expression in the statement's notation.
    #[must_use]
    pub fn precompute(self, expr: &str, vars: &[&str], renamed: &[&str], workspace: &str) -> Self {
        let (vars, renamed) = (vars.join(", "), renamed.join(", "));
        self.with(format!("precompute({expr}, [{vars}], [{renamed}], {workspace})"))
    }

    /// `precompute(expr, [vars], [renamed], workspace, format)`, the expression in the statement's notation.
    #[must_use]
    pub fn precompute_into(
        self,
        expr: &str,
        vars: &[&str],
        renamed: &[&str],
        workspace: &str,
        format: WorkspaceFormat,
    ) -> Self {
        let (vars, renamed) = (vars.join(", "), renamed.join(", "));
        self.with(format!("precompute({expr}, [{vars}], [{renamed}], {workspace}, {format})"))
    }

    /// `bound(var, bounded, size, kind)`
    #[must_use]
    pub fn bound(self, var: &str, bounded: &str, size: u64, kind: BoundKind) -> Self {
        self.with(format!("bound({var}, {bounded}, {size}, {kind})"))
    }

    /// `unroll(var, factor)`
    #[must_use]
    pub fn unroll(self, var: &str, factor: u64) -> Self {
        self.with(format!("unroll({var}, {factor})"))
    }

    /// `mergeby(var, merge)`
    #[must_use]
    pub fn mergeby(self, var: &str, merge: Merge) -> Self {
        self.with(format!("mergeby({var}, {merge})"))
    }

    /// `parallelize(var, unit, strategy)`
    #[must_use]
    pub fn parallelize(self, var: &str, unit: Unit, strategy: Strategy) -> Self {
        self.with(format!("parallelize({var}, {unit}, {strategy})"))
    }
}
