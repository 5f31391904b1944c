//! Facts carried in the order of execution: what variables stand for, and which loads and index arithmetic they hold.

use super::fold::{fold_node, whole};
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Collective, Expr, Program, Space, Stmt, VarId};

/// Folds, replaces and reuses in every code step.
pub(super) fn forward(program: &mut Program) {
    let Program { steps, buffers, vars, .. } = program;
    let mut mutable = vec![false; vars.len()];
    for step in steps.iter() {
        if let Some(block) = step.code() {
            visit_stmts(block, &mut |s| {
                if let Stmt::Mut { var, .. } = s {
                    mutable[var.index()] = true;
                }
            });
        }
    }
    let read_only = buffers.iter().map(|b| b.space == Space::Input).collect();
    let mut pass = Forward { mutable, read_only, means: vec![None; vars.len()], loads: vec![], depth: 0 };
    for step in steps {
        if let Some(block) = step.code_mut() {
            pass.block(block);
        }
    }
}

struct Forward {
    /// By variable: can it change?
    mutable: Vec<bool>,
    /// By buffer: is it the caller's, and only read?
    read_only: Vec<bool>,
    /// By variable: the constant or constant variable that it stands for.
    means: Vec<Option<Expr>>,
    /// Loads that a live variable holds.
    loads: Vec<Held>,
    depth: usize,
}

struct Held {
    load: Expr,
    var: VarId,
    /// Of the block that declares the variable.
    depth: usize,
}

impl Forward {
    fn block(&mut self, block: &mut Block) {
        self.depth += 1;
        block.retain_mut(|stmt| self.stmt(stmt));
        self.depth -= 1;
        let depth = self.depth;
        self.loads.retain(|held| held.depth <= depth);
    }

    /// Gives whether the statement stays.
    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        if let Stmt::While { body, .. } = stmt {
            // Its condition is evaluated after the body, too.
            self.forget_assigned(body);
        }
        stmt.for_each_expr_mut(&mut |e| self.expr(e));
        match stmt {
            Stmt::Let { var, value } => {
                if self.is_trivial(value) {
                    self.means[var.index()] = Some(value.clone());
                    return false;
                }
                if let Expr::IndexOp(..) = value {
                    if let Some(held) = self.loads.iter().find(|held| held.load == *value) {
                        self.means[var.index()] = Some(Expr::Var(held.var));
                        return false;
                    }
                    if self.is_pure(value) {
                        self.loads.push(Held { load: value.clone(), var: *var, depth: self.depth });
                    }
                }
                if matches!(value, Expr::Load { buffer, .. } if self.read_only[buffer.index()]) {
                    self.loads.push(Held { load: value.clone(), var: *var, depth: self.depth });
                }
            }
            Stmt::Assign { var, value } if *value == Expr::Var(*var) => return false,
            Stmt::Assign { var, .. }
            | Stmt::Update { var, .. }
            | Stmt::Claim { var, .. }
            | Stmt::Collective(Collective::Total { var, .. }) => self.forget(*var),
            Stmt::For { body, .. } | Stmt::Threads { body, .. } => self.forget_assigned(body),
            _ => {}
        }
        stmt.for_each_block_mut(&mut |block| self.block(block));
        true
    }

    /// Is it index arithmetic on constants, constant variables and what is only read?
    fn is_pure(&self, e: &Expr) -> bool {
        let mut pure = true;
        e.visit(&mut |e| {
            pure &= match e {
                Expr::Load { buffer, .. } | Expr::Search { buffer, .. } => self.read_only[buffer.index()],
                Expr::Len(_) => false,
                _ => true,
            };
        });
        pure
    }

    fn is_trivial(&self, e: &Expr) -> bool {
        match e {
            Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) => true,
            Expr::Var(v) => !self.mutable[v.index()],
            _ => false,
        }
    }

    fn expr(&self, e: &mut Expr) {
        e.for_each_child_mut(&mut |e| self.expr(e));
        fold_node(e);
        let known = match e {
            Expr::Var(v) => self.means[v.index()].clone(),
            Expr::Load { .. } => {
                self.loads.iter().find(|held| held.load == *e).map(|held| Expr::Var(held.var))
            }
            Expr::IndexOp(..) => whole(e, &|e| self.held(e)),
            _ => None,
        };
        if let Some(known) = known {
            *e = known;
        }
    }

    /// The arithmetic, or the load, that a variable holds.
    fn held(&self, e: &Expr) -> Option<Expr> {
        let Expr::Var(var) = e else { return None };
        self.loads.iter().find(|held| held.var == *var).map(|held| held.load.clone())
    }

    /// The variable changes: loads at it are other loads now.
    fn forget(&mut self, var: VarId) {
        self.loads.retain(|held| !held.load.mentions(var));
    }

    fn forget_assigned(&mut self, block: &[Stmt]) {
        visit_stmts(block, &mut |s| {
            if let Some(var) = s.assigned() {
                self.forget(var);
            }
        });
    }
}
