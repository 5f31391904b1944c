//! Small mends of finished code, so that it reads as a person would write it.

use super::Lowerer;
use crate::llir::verify::is_keyword;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Block, Buffer, BufferId, Cmp, Expr, Param, Space, Step, Stmt, VarId};

/// Removes constants that nothing uses, and inlines those that are used once, right after, as a bound of a loop or
/// the beginning of a cursor: `for p in pos[i]..pos[i + 1]`, `let mut p = pos[i]`.
///
/// Only loads are moved, and only over declarations, so nothing can change in between; a loop's bounds are evaluated once,
/// before it. Nor is anything asked that makes no difference.
pub(super) fn tidy(mut block: Block, buffers: &[Buffer]) -> Block {
    let mut tidy = Tidy { buffers, uses: vec![] };
    visit_exprs(&block, &mut |e| tidy.count(e, 1));
    tidy.block(&mut block);
    block
}

struct Tidy<'a> {
    buffers: &'a [Buffer],
    /// How often each variable occurs in what is left.
    uses: Vec<isize>,
}

impl Tidy<'_> {
    fn count(&mut self, e: &Expr, n: isize) {
        if let Expr::Var(v) = e {
            if self.uses.len() <= v.index() {
                self.uses.resize(v.index() + 1, 0);
            }
            self.uses[v.index()] += n;
        }
    }

    fn block(&mut self, block: &mut Block) {
        // Inside out: what a nested block no longer uses is no longer used.
        for stmt in block.iter_mut() {
            stmt.for_each_block_mut(&mut |nested| self.block(nested));
        }
        for at in (0..block.len()).rev() {
            let Stmt::If { cond, then, otherwise } = &mut block[at] else { continue };
            let either = then == otherwise;
            if either || (otherwise.is_empty() && is_asked_by_loop(cond, then)) {
                cond.visit(&mut |e| self.count(e, -1));
                visit_exprs(otherwise, &mut |e| self.count(e, -1));
                let inside = std::mem::take(then);
                block.splice(at..=at, inside);
            }
        }
        let mut at = block.len();
        while at > 0 {
            at -= 1;
            let (before, after) = block.split_at_mut(at + 1);
            let Stmt::Let { var, value } = &before[at] else { continue };
            let uses = self.uses.get(var.index()).copied().unwrap_or(0);
            if uses == 0 {
                value.visit(&mut |e| self.count(e, -1));
                block.remove(at);
                continue;
            }
            if uses == 1
                && is_load(value, self.buffers)
                && let Some(user) = after.iter_mut().find(|s| !is_let(s) || s.mentions(*var))
                && let Some(slot) = bound(user, *var)
            {
                *slot = value.clone();
                block.remove(at);
            }
        }
    }
}

/// `if lo < hi { for p in lo..hi { … } }`: the loop asks again.
fn is_asked_by_loop(cond: &Expr, then: &[Stmt]) -> bool {
    let Expr::Cmp(Cmp::Lt, lo, hi) = cond else { return false };
    match then {
        [Stmt::For { lo: first, hi: end, .. }] => first == &**lo && end == &**hi,
        [Stmt::Mut { var, value }, Stmt::While { cond: Expr::Cmp(Cmp::Lt, at, end), .. }] => {
            value == &**lo && at.is_var(*var) && end == hi
        }
        _ => false,
    }
}

fn is_let(s: &Stmt) -> bool {
    matches!(s, Stmt::Let { .. } | Stmt::Mut { .. })
}

/// A GPU's own arrays are not among them: there bounds are evaluated in each iteration.
fn is_load(e: &Expr, buffers: &[Buffer]) -> bool {
    let movable = |buffer: &BufferId| {
        matches!(buffers[buffer.index()].space, Space::Input | Space::Scratch | Space::Gathered)
    };
    matches!(e, Expr::Load { buffer, .. } if movable(buffer))
}

/// Where a statement takes the variable as a loop's bound or a cursor's beginning.
fn bound(s: &mut Stmt, v: VarId) -> Option<&mut Expr> {
    match s {
        Stmt::For { lo, .. } if *lo == Expr::Var(v) => Some(lo),
        Stmt::For { hi, .. } | Stmt::Mut { value: hi, .. } if *hi == Expr::Var(v) => Some(hi),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Gives variables of disjoint scopes the same name again: `i`, not `i`, `i_2`, `i_3` in three loops after
    /// each other.
    pub(super) fn rename(&mut self, steps: &[Step]) {
        let named = |n: usize| !self.provisional.contains(&BufferId(n as u32));
        let named = self.buffers.iter().enumerate().filter(|(n, _)| named(*n));
        let mut taken = Taken::default();
        for (_, b) in named {
            taken.insert(&b.name);
        }
        for workspace in &self.spas {
            taken.insert(&workspace.name);
        }
        let mut done = vec![false; self.vars.len()];
        for param in self.params() {
            let (Param::Dim { var, .. } | Param::Scalar { var, .. }) = param;
            self.settle(var, &mut taken, &mut done);
        }
        let mut unused = std::mem::take(&mut self.provisional);
        for block in steps.iter().filter_map(Step::code) {
            visit_stmts(block, &mut |s| {
                if let Stmt::Local { buffer, .. } = s
                    && unused.remove(buffer)
                {
                    settle(&mut self.buffers[buffer.index()].name, &mut taken);
                }
            });
        }
        // What the lowering tried and did not take comes after.
        for buffer in unused {
            settle(&mut self.buffers[buffer.index()].name, &mut taken);
        }
        for step in steps {
            let mut hardware = Vec::new();
            if let Some(var) = step.declared() {
                self.settle(var, &mut taken, &mut done);
            }
            if let Step::Launch(launch) = step {
                let vars = launch.grid.iter().map(|axis| axis.var).chain([launch.thread]);
                hardware.extend(vars.inspect(|var| self.settle(*var, &mut taken, &mut done)));
            }
            if let Some(block) = step.code() {
                self.rename_block(block, &mut taken, &mut done);
            }
            self.release(&hardware, &mut taken);
        }
        // What is declared nowhere is called like no array.
        for (var, _) in self.vars.iter_mut().zip(done).filter(|(_, done)| !done) {
            var.name = first_free(&var.name, |n| is_keyword(n) || taken.contains(n));
        }
    }

    fn rename_block(&mut self, block: &[Stmt], taken: &mut Taken, done: &mut [bool]) {
        let mut mine = Vec::new();
        for s in block {
            match s {
                Stmt::Let { var, .. } | Stmt::Mut { var, .. } | Stmt::Fetch { var: Some(var), .. } => {
                    self.settle(*var, taken, done);
                    mine.push(*var);
                }
                Stmt::Collective(c) => {
                    for var in c.declared() {
                        self.settle(var, taken, done);
                        mine.push(var);
                    }
                }
                Stmt::For { var, body, .. } | Stmt::Threads { var, body, .. } => {
                    self.settle(*var, taken, done);
                    self.rename_block(body, taken, done);
                    self.release(&[*var], taken);
                }
                other => other.blocks().into_iter().for_each(|b| self.rename_block(b, taken, done)),
            }
        }
        self.release(&mine, taken);
    }

    fn settle(&mut self, v: VarId, taken: &mut Taken, done: &mut [bool]) {
        settle(&mut self.vars[v.index()].name, taken);
        done[v.index()] = true;
    }

    fn release(&self, vars: &[VarId], taken: &mut Taken) {
        for v in vars {
            taken.remove(&self.vars[v.index()].name);
        }
    }
}

/// Makes the name the first one like it that is free, and takes it.
fn settle(name: &mut String, taken: &mut Taken) {
    // A variable and a tensor, `i` and `f`, may make a word of the language.
    if is_keyword(name) || !taken.insert(name) {
        *name = first_free(name, |n| is_keyword(n) || taken.contains(n));
        taken.insert(name);
    }
}

/// Names in order: there are few, and a debug build hashes slowly.
#[derive(Default)]
struct Taken(Vec<String>);

impl Taken {
    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|taken| taken.as_str().cmp(name))
    }

    fn contains(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Gives whether it was free.
    fn insert(&mut self, name: &str) -> bool {
        let found = self.find(name);
        if let Err(at) = found {
            self.0.insert(at, name.to_owned());
        }
        found.is_err()
    }

    fn remove(&mut self, name: &str) {
        if let Ok(at) = self.find(name) {
            self.0.remove(at);
        }
    }
}

/// The name, or the name and the first number after it, that is not taken.
pub(super) fn first_free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut free = name.to_owned();
    let mut n = 2;
    while taken(&free) {
        free = format!("{name}_{n}");
        n += 1;
    }
    free
}
