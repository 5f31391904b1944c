//! Visits of the expressions and statements inside a block, to read or to change them.

use super::kernel::{Declared, declared};
use super::{Block, BufferId, Collective, Expr, Stmt, VarId, VectorPart};

impl Expr {
    /// Calls `f` on each operand, left to right.
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) | Expr::Var(_) | Expr::Len(_) | Expr::Fits(_) => {}
            Expr::Load { index: a, .. }
            | Expr::Workers(a)
            | Expr::Not(a)
            | Expr::Unary(_, a)
            | Expr::FromIndex(_, a) => f(a),
            Expr::IndexOp(_, a, b)
            | Expr::Cmp(_, a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            Expr::Select(a, b, c) | Expr::Search { lo: a, hi: b, key: c, .. } => {
                f(a);
                f(b);
                f(c);
            }
        }
    }

    /// Calls `f` on this expression and everything in it, operators before their operands.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        // Not by closures: passes visit often, and expanding a kernel has to be quick in a debug build.
        match self {
            Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) | Expr::Var(_) | Expr::Len(_) | Expr::Fits(_) => {}
            Expr::Load { index: a, .. }
            | Expr::Workers(a)
            | Expr::Not(a)
            | Expr::Unary(_, a)
            | Expr::FromIndex(_, a) => a.visit(f),
            Expr::IndexOp(_, a, b)
            | Expr::Cmp(_, a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Binary(_, a, b) => {
                a.visit(f);
                b.visit(f);
            }
            Expr::Select(a, b, c) | Expr::Search { lo: a, hi: b, key: c, .. } => {
                a.visit(f);
                b.visit(f);
                c.visit(f);
            }
        }
    }

    /// Calls `f` on each operand, left to right, to change it.
    pub fn for_each_child_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) | Expr::Var(_) | Expr::Len(_) | Expr::Fits(_) => {}
            Expr::Load { index: a, .. }
            | Expr::Workers(a)
            | Expr::Not(a)
            | Expr::Unary(_, a)
            | Expr::FromIndex(_, a) => f(a),
            Expr::IndexOp(_, a, b)
            | Expr::Cmp(_, a, b)
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            Expr::Select(a, b, c) | Expr::Search { lo: a, hi: b, key: c, .. } => {
                f(a);
                f(b);
                f(c);
            }
        }
    }

    /// Puts an expression in a variable's place.
    pub fn substitute(&mut self, var: VarId, by: &Expr) {
        if self.is_var(var) {
            *self = by.clone();
        } else {
            self.for_each_child_mut(&mut |child| child.substitute(var, by));
        }
    }

    /// Puts an expression in the place of each part that is equal to another.
    pub fn replace(&mut self, from: &Expr, to: &Expr) {
        if self == from {
            *self = to.clone();
        } else {
            self.for_each_child_mut(&mut |child| child.replace(from, to));
        }
    }

    /// Does the variable occur in it?
    pub fn mentions(&self, var: VarId) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= e.is_var(var));
        found
    }

    /// The buffer that it reads, or whose length it is; not those of its operands.
    pub fn buffer(&self) -> Option<BufferId> {
        match self {
            Expr::Load { buffer, .. } | Expr::Search { buffer, .. } | Expr::Len(buffer) => Some(*buffer),
            _ => None,
        }
    }

    /// Is it the variable?
    pub fn is_var(&self, var: VarId) -> bool {
        matches!(self, Expr::Var(v) if *v == var)
    }
}

/// The expressions that a statement itself evaluates, read or changed: `as_ref` or `as_mut`, and the same of a collective.
macro_rules! expressions {
    ($stmt:expr, $f:ident, $as:ident, $of_collective:ident) => {
        match $stmt {
            Stmt::Let { value, .. }
            | Stmt::Mut { value, .. }
            | Stmt::Assign { value, .. }
            | Stmt::Update { value, .. }
            | Stmt::Append { value, .. } => $f(value),
            Stmt::Store { index, value, .. }
            | Stmt::Reduce { index, value, .. }
            | Stmt::Atomic { index, value, .. }
            | Stmt::Claim { index, value, .. }
            | Stmt::Fetch { index, value, .. } => {
                $f(index);
                $f(value);
            }
            Stmt::Alloc { len, .. } | Stmt::Scan { len, .. } => $f(len),
            Stmt::Threads { lo, hi, work, appends, .. } => {
                $f(lo);
                $f(hi);
                $f(work);
                if let Some(before) = appends.$as().and_then(|a| a.before.$as()) {
                    $f(before);
                }
            }
            Stmt::AppendN { count, value, .. } => {
                $f(count);
                if let Some(value) = value {
                    $f(value);
                }
            }
            Stmt::For { lo, hi, .. } => {
                $f(lo);
                $f(hi);
            }
            Stmt::While { cond, .. } | Stmt::If { cond, .. } => $f(cond),
            Stmt::Collective(c) => c.$of_collective($f),
            Stmt::LoadVector { part, index, .. } => {
                if let Some(VectorPart { at, .. }) = part {
                    $f(at);
                }
                $f(index);
            }
            Stmt::StoreVector { index, .. } => $f(index),
            Stmt::Mask { lo, hi, .. } => {
                $f(lo);
                $f(hi);
            }
            Stmt::Scatter { at, value, .. } => {
                for e in at {
                    $f(e);
                }
                $f(value);
            }
            Stmt::Place { at, .. } => {
                for e in at {
                    $f(e);
                }
            }
            Stmt::Local { .. } | Stmt::Gather(_) | Stmt::Barrier(_) | Stmt::Exit | Stmt::Comment(_) => {}
        }
    };
}

impl Stmt {
    /// Calls `f` on the expressions that the statement itself evaluates, not on those of nested blocks.
    pub fn for_each_expr<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        expressions!(self, f, as_ref, for_each_expr)
    }

    /// [`Stmt::for_each_expr`], to change them.
    pub fn for_each_expr_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        expressions!(self, f, as_mut, for_each_expr_mut)
    }

    /// Do its expressions, or those of blocks nested in it, mention the variable?
    pub fn mentions(&self, var: VarId) -> bool {
        let mut found = false;
        visit_exprs(std::slice::from_ref(self), &mut |e| found |= e.is_var(var));
        found
    }

    /// The buffers that it reads or writes besides those that its expressions load from.
    pub fn buffers(&self) -> Vec<BufferId> {
        match self {
            Stmt::Store { buffer, .. }
            | Stmt::Reduce { buffer, .. }
            | Stmt::Atomic { buffer, .. }
            | Stmt::Claim { buffer, .. }
            | Stmt::Fetch { buffer, .. }
            | Stmt::Append { buffer, .. }
            | Stmt::AppendN { buffer, .. }
            | Stmt::Local { buffer, .. }
            | Stmt::Alloc { buffer, .. }
            | Stmt::Scan { buffer, .. } => vec![*buffer],
            Stmt::Collective(c) => c.written(),
            Stmt::Mask { crd, .. } => vec![*crd],
            Stmt::Place { block, .. } => vec![*block],
            Stmt::LoadVector { to, buffer, .. } => vec![*to, *buffer],
            Stmt::StoreVector { buffer, from, .. } => vec![*buffer, *from],
            _ => vec![],
        }
    }

    /// The blocks nested in the statement.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match self {
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Threads { body, .. } => vec![body],
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            _ => vec![],
        }
    }

    /// Calls `f` on each of [`Stmt::blocks`], to change it.
    pub fn for_each_block_mut(&mut self, f: &mut dyn FnMut(&mut Block)) {
        match self {
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Threads { body, .. } => f(body),
            Stmt::If { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            _ => {}
        }
    }

    /// The variables that the statement declares.
    pub fn declared(&self) -> Declared {
        match self {
            Stmt::Let { var, .. }
            | Stmt::Mut { var, .. }
            | Stmt::For { var, .. }
            | Stmt::Threads { var, .. } => declared([Some(*var), None]),
            Stmt::Fetch { var, .. } => declared([*var, None]),
            Stmt::Collective(c) => c.declared(),
            _ => declared([None; 2]),
        }
    }

    /// Calls `f` on the variable that the statement declares or changes.
    fn for_each_var_mut(&mut self, f: &mut dyn FnMut(&mut VarId)) {
        match self {
            Stmt::Let { var, .. }
            | Stmt::Mut { var, .. }
            | Stmt::Assign { var, .. }
            | Stmt::Update { var, .. }
            | Stmt::Claim { var, .. }
            | Stmt::For { var, .. }
            | Stmt::Threads { var, .. }
            | Stmt::Fetch { var: Some(var), .. } => f(var),
            Stmt::Collective(
                Collective::Total { var, .. }
                | Collective::Shuffle { var, .. }
                | Collective::Segments { var, .. },
            ) => f(var),
            Stmt::Collective(Collective::Scan { before, all, .. }) => {
                before.iter_mut().chain(all).for_each(f);
            }
            Stmt::Collective(
                Collective::Scatter { .. } | Collective::Reduce { .. } | Collective::Carry(_),
            )
            | Stmt::Fetch { var: None, .. }
            | Stmt::Store { .. }
            | Stmt::Reduce { .. }
            | Stmt::Atomic { .. }
            | Stmt::Append { .. }
            | Stmt::AppendN { .. }
            | Stmt::Local { .. }
            | Stmt::Alloc { .. }
            | Stmt::Scan { .. }
            | Stmt::LoadVector { .. }
            | Stmt::StoreVector { .. }
            | Stmt::Mask { .. }
            | Stmt::Scatter { .. }
            | Stmt::Place { .. }
            | Stmt::Gather(_)
            | Stmt::If { .. }
            | Stmt::While { .. }
            | Stmt::Barrier(_)
            | Stmt::Exit
            | Stmt::Comment(_) => {}
        }
    }

    /// The variable whose value the statement changes, but not by declaring it.
    pub fn assigned(&self) -> Option<VarId> {
        match self {
            Stmt::Assign { var, .. }
            | Stmt::Update { var, .. }
            | Stmt::Claim { var, .. }
            | Stmt::Collective(Collective::Total { var, .. }) => Some(*var),
            _ => None,
        }
    }
}

/// Puts an expression in a variable's place, in a block that does not change it.
pub fn substitute(block: &mut [Stmt], var: VarId, by: &Expr) {
    for stmt in block {
        stmt.for_each_expr_mut(&mut |e| e.substitute(var, by));
        stmt.for_each_block_mut(&mut |nested| substitute(nested, var, by));
    }
}

/// Puts a variable in another's place, where that is declared, changed and read.
pub fn rename(block: &mut [Stmt], from: VarId, to: VarId) {
    for stmt in block {
        stmt.for_each_var_mut(&mut |var| {
            if *var == from {
                *var = to;
            }
        });
        stmt.for_each_expr_mut(&mut |e| e.substitute(from, &to.into()));
        stmt.for_each_block_mut(&mut |nested| rename(nested, from, to));
    }
}

/// Puts an expression in the place of each that is equal to another.
pub fn replace(block: &mut [Stmt], from: &Expr, to: &Expr) {
    for stmt in block {
        stmt.for_each_expr_mut(&mut |e| e.replace(from, to));
        stmt.for_each_block_mut(&mut |nested| replace(nested, from, to));
    }
}

/// Calls `f` on each statement of a block and of the blocks nested in it, in textual order.
pub fn visit_stmts<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        match stmt {
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Threads { body, .. } => {
                visit_stmts(body, f);
            }
            Stmt::If { then, otherwise, .. } => {
                visit_stmts(then, f);
                visit_stmts(otherwise, f);
            }
            _ => {}
        }
    }
}

/// [`visit_stmts`], but for the statements that other threads run: a loop on threads without its body.
pub fn visit_thread<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        if !matches!(stmt, Stmt::Threads { .. }) {
            stmt.blocks().into_iter().for_each(|nested| visit_thread(nested, f));
        }
    }
}

/// Calls `f` on every expression of a block, nested blocks and operands included.
pub fn visit_exprs<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Expr)) {
    visit_stmts(block, &mut |stmt| stmt.for_each_expr(&mut |e| e.visit(f)));
}
