//! Variables that nothing reads, last values that are constants, and variables that never change.

use crate::llir::walk::{substitute, visit_exprs, visit_stmts};
use crate::llir::{Block, Collective, Expr, LoopKind, Program, Step, Stmt, VarId};
use std::collections::BTreeSet;

/// Removes and demotes declarations; says whether it did.
pub(super) fn dead(program: &mut Program) -> bool {
    let mut uses = Uses { read: vec![0; program.vars.len()], assigned: vec![false; program.vars.len()] };
    for step in &program.steps {
        if let Some(block) = step.code() {
            uses.count(block);
        }
    }
    let mut changed = false;
    for step in &mut program.steps {
        if let Some(block) = step.code_mut() {
            changed |= uses.clean(block);
        }
    }
    changed
}

/// Launches share only what their code uses.
pub(super) fn unshare(program: &mut Program) {
    for step in &mut program.steps {
        let Step::Launch(launch) = step else { continue };
        if launch.shared.is_empty() {
            continue;
        }
        let mut used = BTreeSet::new();
        visit_stmts(&launch.body, &mut |s| used.extend(s.buffers()));
        visit_exprs(&launch.body, &mut |e| used.extend(e.buffer()));
        launch.shared.retain(|buffer| used.contains(buffer));
    }
}

struct Uses {
    /// By variable: how often it is read, not counting reads that only feed itself.
    read: Vec<usize>,
    /// By variable: does anything change it?
    assigned: Vec<bool>,
}

impl Uses {
    fn count(&mut self, block: &[Stmt]) {
        visit_exprs(block, &mut |e| {
            if let Expr::Var(v) = e {
                self.read[v.index()] += 1;
            }
        });
        visit_stmts(block, &mut |s| {
            if let Stmt::For { kind: LoopKind::Reduce { var, .. }, .. } = s {
                // The loop's kind promises an update: it has to stay.
                self.read[var.index()] += 1;
            }
            if let Stmt::Claim { var, .. } = s {
                // Who reads it or not, the element is claimed.
                self.read[var.index()] += 1;
            }
            if let Stmt::Collective(c) = s {
                match c {
                    // Other lanes may read what this one gives.
                    Collective::Total { var, .. } => self.read[var.index()] += 1,
                    c => c.segments().into_iter().for_each(|var| self.read[var.index()] += 1),
                }
            }
            let Some(var) = s.assigned() else { return };
            self.assigned[var.index()] = true;
            let read = &mut self.read[var.index()];
            s.for_each_expr(&mut |e| e.visit(&mut |e| *read -= usize::from(e.is_var(var))));
        });
    }

    /// The last value that a variable of the block is assigned, if it is a constant, stands in the variable's place.
    fn settle(&self, block: &mut Block, var: VarId) -> bool {
        let changes = |s: &Stmt| {
            let mut changes = false;
            visit_stmts(std::slice::from_ref(s), &mut |s| changes |= s.assigned() == Some(var));
            changes
        };
        let Some(at) = block.iter().rposition(changes) else { return false };
        let Stmt::Assign { value, .. } = &block[at] else { return false };
        let constant = match value {
            Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) => true,
            Expr::Var(of) => !self.assigned[of.index()],
            _ => false,
        };
        if !constant {
            return false;
        }
        let value = value.clone();
        block.remove(at);
        substitute(&mut block[at..], var, &value);
        true
    }

    fn clean(&self, block: &mut Block) -> bool {
        let before = block.len();
        block.retain(|s| match s {
            Stmt::Let { var, .. }
            | Stmt::Mut { var, .. }
            | Stmt::Assign { var, .. }
            | Stmt::Update { var, .. } => self.read[var.index()] > 0,
            _ => true,
        });
        // Who has waited need not wait again.
        block.dedup_by(|next, one| matches!((one, next), (Stmt::Barrier(a), Stmt::Barrier(b)) if *a == *b));
        let mut changed = block.len() != before;
        let own = block.iter().filter_map(|s| match s {
            Stmt::Mut { var, .. } => Some(*var),
            _ => None,
        });
        for var in own.collect::<Vec<_>>() {
            changed |= self.settle(block, var);
        }
        for stmt in block {
            if let Stmt::Collective(Collective::Scan { before, all, .. }) = stmt {
                // Others may read what this thread gives, or wait for it.
                let asked = (*before, *all);
                let read = |var: &VarId| self.read[var.index()] > 0;
                (*before, *all) = (before.filter(read), all.filter(read));
                changed |= asked != (*before, *all);
            }
            if let Stmt::Mut { var, value } = stmt
                && !self.assigned[var.index()]
            {
                let value = std::mem::replace(value, Expr::Cond(false));
                *stmt = Stmt::Let { var: *var, value };
                changed = true;
            }
            stmt.for_each_block_mut(&mut |nested| changed |= self.clean(nested));
        }
        changed
    }
}
