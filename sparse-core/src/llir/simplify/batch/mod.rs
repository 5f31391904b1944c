//! Loops over entries that first load what several entries need.
//!
//! ```text
//! for p in lo..hi {                       for unroll(1) batch in (lo..hi).step_by(4) {
//!     let j = A2_crd[p];                      for unroll(4) n in 0..4 {
//!     vector B_vec = B_vals[j * 4];               let p = batch + n;
//!     let A_val = A_vals[p];          →           if p < hi {
//!     acc += A_val * B_vec;                           let j = A2_crd[p];
//! }                                                   vector B_vec_batch[n * 4, 4] = B_vals[j * 4];
//!                                                     A_val_batch[n] = A_vals[p];
//!                                                 }
//!                                             }
//!                                             for unroll(4) n in 0..4 {
//!                                                 let p = batch + n;
//!                                                 if p < hi { acc += A_val_batch[n] * B_vec_batch[n * 4..]; }
//!                                             }
//!                                         }
//! ```
//!
//! An entry waits for its coordinate, and then for the vector that is found there; here the vectors of a batch are waited for
//! together. NVIDIA's compiler would not do so by itself. It can write out such a loop, but then takes the entries that four do not divide
//! one by one, and of a short row these are all; it moves no load over the end of a row; and where nothing bounds the registers it
//! prefers more threads to more loads. So a launch with such a loop says how many threads have to fit
//! ([`Launch::resident`]): as many as every multiprocessor has.
//!
//! A batch has four entries, or two if the loads of four take more than 24 words of registers. Loops that load scalars alone stay as they
//! are, because few registers hold these, so that a multiprocessor runs as many threads as it can, and has loads enough under way. The
//! exception are loops in which rows end, where a thread has several entries: their scalars are loaded for eight entries, or fewer if these
//! take more than 24 words. Fibers that a thread has one after another stay too: they are short.
//!
//! Only loads of inputs are made before, which nothing writes, and only those that an iteration makes in any case. What is
//! summed keeps its order. Batches that are whole load what stands together in vectors ([`whole`]).

mod plan;
#[cfg(test)]
mod tests;
mod whole;

use super::invariant::Names;
use crate::llir::align::Facts;
use crate::llir::kernel::MAX_RESIDENT;
use crate::llir::walk::{substitute, visit_stmts};
use crate::llir::{
    Array, Block, Buffer, BufferId, Elem, Expr, Launch, LoopKind, Program, Space, Step, Stmt, Ty, Var, VarId,
    VectorPart, build,
};
use plan::{Plan, Tables};

/// Rewrites such loops of launches.
pub(super) fn batch(program: &mut Program) {
    for step in 0..program.steps.len() {
        let Step::Launch(launch) = &mut program.steps[step] else { continue };
        let mut body = std::mem::take(&mut launch.body);
        let facts = whole::facts_of(&body);
        let mut batch = Batch { program, names: Names::of(step), facts, found: false };
        batch.block(&mut body);
        let found = batch.found;
        if let Step::Launch(launch) = &mut program.steps[step] {
            launch.body = body;
            if found {
                bound_registers(launch);
            }
        }
    }
}

/// A loop whose number of iterations is not a constant.
fn is_long(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { lo, hi, .. } => !matches!((lo, hi), (Expr::Index(_), Expr::Index(_))),
        Stmt::While { .. } => true,
        _ => false,
    }
}

/// Leaves each thread as many registers as it has where a multiprocessor is full, and no fewer.
fn bound_registers(launch: &mut Launch) {
    if launch.resident == 0 {
        launch.resident = (MAX_RESIDENT / u64::from(launch.threads.max(1))) as u32;
    }
}

/// Does an iteration of the loop, among whose entries rows end, load what is found at a coordinate that it loads, and nothing of the
/// kind later?
pub(crate) fn waits(buffers: &[Buffer], vars: &[Var], var: VarId, body: &[Stmt]) -> bool {
    Plan::of(&Tables { buffers, vars }, var, body, true).is_some()
}

struct Batch<'a> {
    program: &'a mut Program,
    names: Names,
    /// Of the launch's variables.
    facts: Facts,
    /// Is there such a loop, outside of loops that are not short?
    found: bool,
}

impl Batch<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.len() {
            match Plan::of_loop(self.program, &block[at]) {
                Some(plan) => {
                    self.found = true;
                    let end = self.batched(&mut block[at], plan);
                    // Remarks stay at their loops.
                    let before = block[..at].iter().rposition(|s| !matches!(s, Stmt::Comment(_)));
                    let before = before.map_or(0, |n| n + 1);
                    at += usize::from(end.is_some());
                    block.splice(before..before, end);
                }
                None if is_long(&block[at]) => {}
                None => block[at].for_each_block_mut(&mut |nested| self.block(nested)),
            }
            at += 1;
        }
    }

    /// Rewrites a loop; gives the declaration of its end, if that is not a name.
    fn batched(&mut self, stmt: &mut Stmt, mut plan: Plan) -> Option<Stmt> {
        let Stmt::For { var, lo, hi, step, kind, body } = stmt else { return None };
        let most = whole::most(&self.facts, lo, hi).map(|most| most.div_ceil(u64::from(*step)));
        if let Some(most) = most {
            plan.entries = plan.entries.min(most.clamp(2, 8).next_power_of_two() as u32);
        }
        let is_whole = most.is_none_or(|most| most >= plan.entries.into());
        let name = self.program.var(*var).name.clone();
        let is_steady = match hi {
            Expr::Index(_) => true,
            Expr::Var(v) => !assigns(body, *v),
            _ => false,
        };
        let declared = (!is_steady).then(|| {
            let end = self.index(&format!("{name}_stop"));
            Stmt::Let { var: end, value: std::mem::replace(hi, end.into()) }
        });
        let first = self.index("batch");
        let (entry, by) = (std::mem::replace(var, first), *step);
        *step *= plan.entries;
        // It is written out as far as it should be.
        *kind = LoopKind::Unroll(1);
        let n = self.index("n");
        // The names of the first part, in the second.
        let [next, m] = [entry, n].map(|var| self.again(var));
        let arrays = self.arrays(&plan);
        let number = match plan.entries {
            2 => "two",
            4 => "four",
            _ => "eight",
        };
        let remark = format!("the loads of {number} entries, which do not wait for each other");
        let mut out = vec![Stmt::Comment(remark)];
        out.extend(arrays.all().map(|buffer| Stmt::Local { buffer, init: None }));
        let (once, early, mut late) = parts(std::mem::take(body), &plan);
        out.splice(0..0, once);
        let one_by_one = arrays.filled(early.clone(), &plan, n);
        arrays.read(&mut late, &plan, m);
        substitute(&mut late, entry, &next.into());
        let each = |n: VarId, entry: VarId, inside: Block| {
            let value = build::add(first, build::mul(n, Expr::Index(by.into())));
            let each = vec![
                Stmt::Let { var: entry, value },
                Stmt::If { cond: build::lt(entry, hi.clone()), then: inside, otherwise: vec![] },
            ];
            let (lo, hi) = (Expr::Index(0), Expr::Index(plan.entries.into()));
            let kind = LoopKind::Unroll(plan.entries);
            Stmt::For { var: n, lo, hi, step: 1, kind, body: each }
        };
        let (one_by_one, late) = (each(n, entry, one_by_one), each(m, next, late));
        if by == 1 && is_whole {
            let range = (&*lo, &*hi);
            out.extend(self.in_vectors(&plan, &arrays, (entry, first, n), range, &early, one_by_one));
        } else {
            out.push(one_by_one);
        }
        out.push(late);
        *body = out;
        declared
    }

    fn index(&mut self, name: &str) -> VarId {
        let name = self.names.fresh(self.program, name);
        self.program.vars.push(Var { name, ty: Ty::Index });
        VarId(self.program.vars.len() as u32 - 1)
    }

    /// Another variable of the same name.
    fn again(&mut self, var: VarId) -> VarId {
        self.program.vars.push(self.program.var(var).clone());
        VarId(self.program.vars.len() as u32 - 1)
    }

    /// A register array for what a batch has of something.
    fn register(&mut self, of: &str, elem: Elem, len: u32) -> BufferId {
        let name = self.names.fresh(self.program, &format!("{of}_batch"));
        self.program.buffers.push(Buffer { name, elem, space: Space::Register { len }, array: Array::Local });
        BufferId(self.program.buffers.len() as u32 - 1)
    }

    fn arrays(&mut self, plan: &Plan) -> Arrays {
        let of_vars = plan.kept.iter().map(|v| {
            let var = self.program.var(*v);
            (var.name.clone(), element(var.ty), 1)
        });
        let of_vectors = plan.vectors.iter().map(|(b, len)| {
            let b = self.program.buffer(*b);
            (b.name.clone(), b.elem, *len)
        });
        let [vars, vectors] = [of_vars.collect(), of_vectors.collect()];
        let mut declare = |all: Vec<(String, Elem, u32)>| -> Vec<BufferId> {
            all.into_iter().map(|(name, elem, len)| self.register(&name, elem, len * plan.entries)).collect()
        };
        Arrays { vars: declare(vars), vectors: declare(vectors) }
    }
}

/// The register arrays of a batch, in the order of its plan.
struct Arrays {
    vars: Vec<BufferId>,
    vectors: Vec<BufferId>,
}

impl Arrays {
    fn all(&self) -> impl Iterator<Item = BufferId> {
        [&self.vars, &self.vectors].into_iter().flatten().copied()
    }

    /// The early statements, which fill the elements of entry `n`.
    fn filled(&self, early: Block, plan: &Plan, n: VarId) -> Block {
        let mut out = Block::new();
        let all = early.clone();
        for mut stmt in early {
            match &mut stmt {
                Stmt::Local { .. } => continue,
                Stmt::LoadVector { to, part, .. } => {
                    if let Some(at) = plan.vectors.iter().position(|(b, _)| b == to) {
                        let len = plan.vectors[at].1;
                        *to = self.vectors[at];
                        *part = Some(VectorPart { at: element_of(n, len), len });
                    }
                    out.push(stmt);
                }
                Stmt::Let { var, value } => {
                    let var = *var;
                    let kept = plan.kept.iter().position(|v| *v == var).map(|at| self.vars[at]);
                    let used = |s: &Stmt| {
                        let mut used = false;
                        s.for_each_expr(&mut |e| used |= e.mentions(var));
                        used
                    };
                    match kept {
                        Some(buffer) if !all.iter().any(used) => {
                            out.push(Stmt::Store { buffer, index: n.into(), value: value.clone() });
                        }
                        Some(buffer) => {
                            out.push(stmt);
                            out.push(Stmt::Store { buffer, index: n.into(), value: var.into() });
                        }
                        None => out.push(stmt),
                    }
                }
                _ => out.push(stmt),
            }
        }
        out
    }

    /// Puts the elements of entry `n` into the statements that are left.
    fn read(&self, late: &mut [Stmt], plan: &Plan, n: VarId) {
        for (var, &buffer) in plan.kept.iter().zip(&self.vars) {
            substitute(late, *var, &build::load(buffer, n));
        }
        for ((from, len), &to) in plan.vectors.iter().zip(&self.vectors) {
            each_expr(late, &mut |e| moved(e, *from, to, &element_of(n, *len)));
        }
    }
}

/// The first element of entry `n`, if each has so many.
fn element_of(n: VarId, len: u32) -> Expr {
    build::mul(n, Expr::Index(len.into()))
}

/// Elements of one array are read from another, from there on.
fn moved(e: &mut Expr, from: BufferId, to: BufferId, first: &Expr) {
    e.for_each_child_mut(&mut |child| moved(child, from, to, first));
    if let Expr::Load { buffer, index } = e
        && *buffer == from
    {
        *e = build::load(to, build::add(first.clone(), (**index).clone()));
    }
}

fn each_expr(block: &mut [Stmt], f: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        stmt.for_each_expr_mut(&mut |e| f(e));
        stmt.for_each_block_mut(&mut |nested| each_expr(nested, f));
    }
}

/// Of a body, the statements that run once a batch, the early ones, and the others.
fn parts(body: Block, plan: &Plan) -> (Block, Block, Block) {
    let (mut once, mut early, mut late) = (vec![], vec![], vec![]);
    for (at, stmt) in body.into_iter().enumerate() {
        let part = match at {
            at if plan.once.contains(&at) => &mut once,
            at if plan.early.contains(&at) => &mut early,
            _ => &mut late,
        };
        part.push(stmt);
    }
    (once, early, late)
}

fn assigns(body: &[Stmt], var: VarId) -> bool {
    let mut assigns = false;
    visit_stmts(body, &mut |s| assigns |= s.assigned() == Some(var));
    assigns
}

fn element(ty: Ty) -> Elem {
    match ty {
        Ty::Scalar(t) => Elem::Scalar(t),
        _ => Elem::Index,
    }
}
