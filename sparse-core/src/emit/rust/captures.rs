//! What the body of a loop on threads takes from outside.

use super::expr::rust_type;
use super::names::Names;
use super::native::element_type;
use super::quote::{Ident, Tokens, quote};
use super::sizes::{lets, task_row_size};
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Appends, BufferId, Expr, Program, Space, Step, Stmt, Ty, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The captures of a body.
pub(super) struct Captures<'a> {
    /// Variables declared outside.
    vars: BTreeSet<VarId>,
    /// Arrays declared outside; are they written?
    arrays: BTreeMap<BufferId, bool>,
    /// Growable arrays whose length is asked for.
    lens: BTreeSet<BufferId>,
    /// Arrays that tasks append to.
    appends: Vec<BufferId>,
    /// The dimension whose common sizes are compiled as constants.
    pub(super) row: Option<VarId>,
    /// What is computed from that dimension outside, and has to be again.
    pub(super) again: Vec<(VarId, &'a Expr)>,
    /// In which order they stand, if not in that of the program.
    order: Vec<Ident>,
}

impl<'a> Captures<'a> {
    /// Of the loop over a variable; an array of which threads have copies is captured in any case.
    pub(super) fn of(
        names: &'a Names<'_>,
        loop_var: VarId,
        private: Option<BufferId>,
        appends: Option<&'a Appends>,
        body: &'a [Stmt],
    ) -> Captures<'a> {
        let program = names.program;
        let mut captures = Captures {
            vars: BTreeSet::new(),
            arrays: private.iter().map(|b| (*b, true)).collect(),
            lens: BTreeSet::new(),
            appends: appends.map_or(vec![], |a| a.buffers.clone()),
            row: task_row_size(program, body),
            again: vec![],
            order: vec![],
        };
        captures.capture(names, loop_var, body);
        if let Some(row) = captures.row {
            captures.compute_again(&Derived::new(program, row));
        }
        captures
    }

    fn capture(&mut self, names: &Names<'_>, loop_var: VarId, body: &[Stmt]) {
        let program = names.program;
        // By number: a body mentions few of them often.
        let (mut vars, mut own_vars) = (vec![false; program.vars.len()], vec![false; program.vars.len()]);
        let mut arrays = vec![None; program.buffers.len()];
        let mut own_arrays = vec![false; program.buffers.len()];
        own_vars[loop_var.index()] = true;
        visit_stmts(body, &mut |s| match s {
            Stmt::Let { var, .. } | Stmt::Mut { var, .. } | Stmt::For { var, .. } => {
                own_vars[var.index()] = true;
            }
            Stmt::Local { buffer, .. } | Stmt::Alloc { buffer, .. } | Stmt::Place { block: buffer, .. } => {
                own_arrays[buffer.index()] = true;
            }
            Stmt::Gather(workspace) => {
                let w = program.workspace(*workspace);
                w.crd.iter().chain([&w.vals]).for_each(|b| own_arrays[b.index()] = true);
                // The task makes the workspace.
                for dim in w.dims.iter().chain(w.block.iter().flat_map(|block| &block.dims)) {
                    dim.visit(&mut |e| {
                        if let Expr::Var(v) = e {
                            vars[v.index()] = true;
                        }
                    });
                }
            }
            Stmt::Store { buffer, .. } | Stmt::Reduce { buffer, .. } | Stmt::Atomic { buffer, .. } => {
                arrays[buffer.index()] = Some(true);
            }
            Stmt::Mask { crd, .. } => {
                arrays[crd.index()].get_or_insert(false);
            }
            _ => {}
        });
        visit_exprs(body, &mut |e| match e {
            Expr::Var(v) => vars[v.index()] = true,
            Expr::Len(buffer) if names.is_bounded(*buffer) => {
                self.lens.insert(*buffer);
            }
            Expr::Load { buffer, .. } | Expr::Search { buffer, .. } | Expr::Len(buffer) => {
                arrays[buffer.index()].get_or_insert(false);
            }
            _ => {}
        });
        let vars = vars.into_iter().zip(own_vars).zip(0..);
        self.vars.extend(vars.filter(|((used, own), _)| *used && !own).map(|(_, v)| VarId(v)));
        for ((written, own), b) in arrays.into_iter().zip(own_arrays).zip(0..) {
            if let Some(written) = written.filter(|_| !own) {
                *self.arrays.entry(BufferId(b)).or_default() |= written;
            }
        }
        self.arrays.extend(self.appends.iter().map(|b| (*b, true)));
        self.lens.retain(|b| !self.appends.contains(b));
    }

    /// Captured variables that hang on the row size are computed from it in the task: there it is a constant.
    fn compute_again(&mut self, derived: &Derived<'a>) {
        for var in std::mem::take(&mut self.vars) {
            self.compute_or_capture(var, derived);
        }
        self.vars.insert(derived.row);
    }

    /// What a variable is computed from comes before it.
    fn compute_or_capture(&mut self, var: VarId, derived: &Derived<'a>) {
        let Some(value) = derived.value(var) else {
            self.vars.insert(var);
            return;
        };
        if self.again.iter().all(|(v, _)| *v != var) {
            value.visit(&mut |e| {
                if let Expr::Var(v) = e {
                    self.compute_or_capture(*v, derived);
                }
            });
            self.again.push((var, value));
        }
    }

    /// In the order of these names.
    pub(super) fn in_order(self, order: &[Ident]) -> Self {
        Captures { order: order.to_vec(), ..self }
    }

    /// Variables that the task computes, and those that it captures.
    #[cfg(test)]
    pub(super) fn variables(&self) -> (Vec<VarId>, Vec<VarId>) {
        (self.again.iter().map(|a| a.0).collect(), self.vars.iter().copied().collect())
    }

    /// Parts of the type's fields and of the function's parameters, in one order.
    pub(super) fn parts(&self, names: &'a Names<'_>) -> Vec<Capture<'a>> {
        let program = names.program;
        let vars = self.vars.iter().map(|v| {
            let ty = match program.var(*v).ty {
                Ty::Index => quote!(usize),
                Ty::Scalar(t) => rust_type(t),
                Ty::Cond | Ty::Segments => quote!(bool),
            };
            Capture { name: names.var(*v), ty, how: How::Value }
        });
        let lens =
            self.lens.iter().map(|b| Capture { name: names.len(*b), ty: quote!(usize), how: How::Value });
        let arrays = self.arrays.iter().map(|(b, written)| {
            let buffer = program.buffer(*b);
            let t = element_type(buffer.elem);
            let (ty, how) = match buffer.space {
                _ if self.appends.contains(b) && !names.is_bounded(*b) => (quote!(rt::Grown<#t>), How::Own),
                _ if *written => (quote!(rt::Shared<#t>), How::Shared),
                Space::Input => (quote!([#t]), How::Slice),
                Space::Output => (quote!([MaybeUninit<#t>]), How::Reborrowed),
                Space::Growable if names.is_bounded(*b) => (quote!([MaybeUninit<#t>]), How::Reborrowed),
                Space::Scratch if names.is_unwritten(*b) => (quote!([#t]), How::Written),
                Space::InOut
                | Space::Growable
                | Space::Scratch
                | Space::Gathered
                | Space::Shared { .. }
                | Space::Register { .. } => (quote!([#t]), How::Reborrowed),
            };
            Capture { name: names.buffer(*b), ty, how }
        });
        let mut parts: Vec<_> = vars.chain(lens).chain(arrays).collect();
        parts.sort_by_key(|c| self.order.iter().position(|name| name == c.name));
        parts
    }
}

/// Something that a body captures.
pub(super) struct Capture<'a> {
    pub(super) name: &'a Ident,
    /// Without the reference.
    pub(super) ty: Tokens,
    pub(super) how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// A number.
    Value,
    /// An argument's slice.
    Slice,
    /// A slice of what was mutable outside.
    Reborrowed,
    /// Of what was written outside.
    Written,
    /// An array that threads write.
    Shared,
    /// An array of the task's own, that grows.
    Own,
}

impl How {
    pub(super) fn is_reference(self) -> bool {
        matches!(self, How::Slice | How::Reborrowed | How::Written)
    }
}

/// Constants that are computed from the row size and other constants.
struct Derived<'a> {
    row: VarId,
    lets: BTreeMap<VarId, &'a Expr>,
    changing: BTreeSet<VarId>,
}

impl<'a> Derived<'a> {
    fn new(program: &'a Program, row: VarId) -> Self {
        let mut changing = BTreeSet::new();
        for step in &program.steps {
            let Step::Run(block) = step else { continue };
            visit_stmts(block, &mut |s| {
                if let Stmt::Mut { var, .. } = s {
                    changing.insert(*var);
                }
            });
        }
        Derived { row, lets: lets(program), changing }
    }

    /// What the variable is computed as, if it is one of them.
    fn value(&self, var: VarId) -> Option<&'a Expr> {
        let value = *self.lets.get(&var)?;
        let (mut constant, mut hangs) = (true, false);
        value.visit(&mut |e| match e {
            Expr::Load { .. } | Expr::Search { .. } | Expr::Len(_) => constant = false,
            Expr::Var(v) => {
                constant &= !self.changing.contains(v);
                hangs |= *v == self.row || self.value(*v).is_some();
            }
            _ => {}
        });
        (constant && hangs).then_some(value)
    }
}
