//! Values of stored entries that a loop would load again and again.
//!
//! ```text
//! let j = A2_crd[p];                              let j = A2_crd[p];
//! for k in 0..4 {                                 let A_val = A_vals[p];
//!     if k < n { acc[k] += A_vals[p] * B[k]; }    for k in 0..4 {
//! }                                                   if k < n { acc[k] += A_val * B[k]; }
//!                                                 }
//! ```
//!
//! A compiler does not load under no condition what is loaded under one. Here it is known to be there: the entry's
//! coordinate was loaded before, under no other condition than the loop itself. On the CPU that goes for loops of a length
//! that is not constant: others are in registers as a whole.

use crate::llir::walk::{replace, visit_exprs, visit_stmts};
use crate::llir::{Array, Block, BufferId, Elem, Expr, Program, Space, Step, Stmt, TensorId, Ty, Var, VarId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Loads such values before the outermost loop in which they stay the same.
pub(super) fn invariant(program: &mut Program) {
    let mut steps = std::mem::take(&mut program.steps);
    let mut declared = declared_by_step(&steps);
    for (n, step) in steps.iter_mut().enumerate() {
        let on_host = !matches!(step, Step::Launch(_));
        let first = program.vars.len();
        if let Some(code) = step.code_mut() {
            let names = Names::of(program, &declared, n);
            Hoist { program, on_host, names }.block(code, &[]);
        }
        declared[n].extend((first..program.vars.len()).map(|v| VarId(v as u32)));
    }
    program.steps = steps;
}

struct Hoist<'a> {
    program: &'a mut Program,
    on_host: bool,
    names: Names,
}

/// Names in a step: there may be thousands.
pub(super) struct Names {
    taken: HashSet<String>,
    /// By a name that was asked for, the number that the next such has.
    next: HashMap<String, u32>,
}

impl Names {
    /// Of the step of this number: names of other steps' variables are free there.
    pub(super) fn of(program: &Program, declared: &[BTreeSet<VarId>], step: usize) -> Names {
        let others = declared.iter().enumerate().filter(|(n, _)| *n != step);
        let elsewhere: BTreeSet<VarId> = others.flat_map(|(_, vars)| vars.iter().copied()).collect();
        let vars = program.vars.iter().enumerate();
        let here = vars.filter(|(n, _)| !elsewhere.contains(&VarId(*n as u32))).map(|(_, v)| &v.name);
        let arrays =
            program.buffers.iter().map(|b| &b.name).chain(program.workspaces.iter().map(|w| &w.name));
        let taken = here.chain(arrays).cloned().collect();
        Names { taken, next: HashMap::new() }
    }

    /// The name, or with a number behind it.
    pub(super) fn fresh(&mut self, like: &str) -> String {
        if self.taken.insert(like.to_owned()) {
            return like.to_owned();
        }
        let next = self.next.entry(like.to_owned()).or_insert(2);
        loop {
            let name = format!("{like}_{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// A tensor's stored entry: its position in the last level.
type Entry = (TensorId, Expr);

impl Hoist<'_> {
    /// The block, where these entries exist.
    fn block(&mut self, block: &mut Block, known: &[Entry]) {
        let mut known = known.to_vec();
        let mut at = 0;
        while at < block.len() {
            if matches!(block[at], Stmt::For { .. }) && !known.is_empty() {
                let loads = self.hoisted(&mut block[at], &known);
                // Remarks stay at their loops.
                let before = block[..at].iter().rposition(|s| !matches!(s, Stmt::Comment(_)));
                let before = before.map_or(0, |n| n + 1);
                at += loads.len();
                block.splice(before..before, loads);
            }
            let stmt = &mut block[at];
            let assigned = if known.is_empty() { vec![] } else { assigned_in(stmt) };
            let keep = |(_, index): &Entry| !assigned.iter().any(|v| index.mentions(*v));
            // A loop comes round to its beginning with what it has assigned.
            let comes_round = matches!(stmt, Stmt::For { .. } | Stmt::While { .. });
            let inside: Vec<Entry> = known.iter().filter(|e| !comes_round || keep(e)).cloned().collect();
            stmt.for_each_block_mut(&mut |nested| self.block(nested, &inside));
            known.retain(keep);
            if let Stmt::Let { value: Expr::Load { buffer, index }, .. } = &block[at] {
                known.extend(self.entry(*buffer, index));
            }
            at += 1;
        }
    }

    /// The entry of which this is a coordinate in the last level.
    fn entry(&self, buffer: BufferId, index: &Expr) -> Option<Entry> {
        match self.program.buffer(buffer).array {
            Array::Crd(t, level) => {
                let last = level + 1 == self.program.tensors[t.index()].spec.levels.len();
                (last && is_plain(index)).then(|| (t, index.clone()))
            }
            _ => None,
        }
    }

    /// Takes loads out of a loop.
    fn hoisted(&mut self, stmt: &mut Stmt, known: &[Entry]) -> Block {
        let Stmt::For { var, lo, hi, body, .. } = stmt else { return vec![] };
        if self.on_host && matches!((lo, hi), (Expr::Index(_), Expr::Index(_))) {
            return vec![];
        }
        let changing = changed_in(*var, body);
        let mut loads: Vec<(BufferId, Expr)> = vec![];
        visit_exprs(body, &mut |e| {
            let Expr::Load { buffer, index } = e else { return };
            let b = self.program.buffer(*buffer);
            let Array::Vals(t) = b.array else { return };
            let same = !changing.iter().any(|v| index.mentions(*v));
            let exists = known.iter().any(|(of, at)| *of == t && at == &**index);
            let load = (*buffer, (**index).clone());
            if b.space == Space::Input && same && exists && !loads.contains(&load) {
                loads.push(load);
            }
        });
        let mut lets = vec![];
        for (buffer, index) in loads {
            let value = Expr::Load { buffer, index: Box::new(index) };
            let var = self.declare(buffer);
            replace(body, &value, &Expr::Var(var));
            lets.push(Stmt::Let { var, value });
        }
        lets
    }

    /// A variable for an element of the buffer.
    fn declare(&mut self, buffer: BufferId) -> VarId {
        let b = self.program.buffer(buffer);
        let Elem::Scalar(dtype) = b.elem else { unreachable!("values are scalars") };
        let name = self.names.fresh(b.element_name());
        self.program.vars.push(Var { name, ty: Ty::Scalar(dtype) });
        VarId(self.program.vars.len() as u32 - 1)
    }
}

/// Variables and constants alone, so that it has one value where it stands.
fn is_plain(index: &Expr) -> bool {
    let mut plain = true;
    index.visit(&mut |e| plain &= !matches!(e, Expr::Load { .. } | Expr::Search { .. }));
    plain
}

/// By step, the variables that its code declares.
pub(super) fn declared_by_step(steps: &[Step]) -> Vec<BTreeSet<VarId>> {
    steps.iter().map(declared_in).collect()
}

/// Variables that a step's code declares.
fn declared_in(step: &Step) -> BTreeSet<VarId> {
    let mut declared = BTreeSet::new();
    visit_stmts(step.code().map_or(&[], |code| &code[..]), &mut |s| declared.extend(s.declared()));
    declared
}

/// Variables that a statement assigns, or one inside of it.
fn assigned_in(stmt: &Stmt) -> Vec<VarId> {
    let mut assigned = vec![];
    visit_stmts(std::slice::from_ref(stmt), &mut |s| assigned.extend(s.assigned()));
    assigned
}

/// Variables that a loop declares or changes.
fn changed_in(var: VarId, body: &[Stmt]) -> BTreeSet<VarId> {
    let mut changed = BTreeSet::from([var]);
    visit_stmts(body, &mut |s| changed.extend(s.assigned().into_iter().chain(s.declared())));
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Level;
    use crate::llir::build::{add, load, lt};
    use crate::llir::print::print;
    use crate::llir::samples::{Tables, for_, let_, mut_};
    use crate::llir::{Axis, Launch, Role};
    use expect_test::expect;

    #[test]
    fn values_are_loaded_before_loops_where_their_coordinates_were_and_the_position_is_the_same() {
        let mut t = Tables::new("f", "");
        let a = t.tensor("A", &[Level::Compressed { unique: true }], Role::Input);
        let y = t.tensor("y", &[Level::Dense], Role::Result);
        let crd = t.buffer("A1_crd", Space::Input, Array::Crd(a, 0));
        let vals = t.buffer("A_vals", Space::Input, Array::Vals(a));
        let out = t.buffer("y_vals", Space::Output, Array::Vals(y));
        let [block, thread, j, p, q, k, l, m, n] =
            ["block", "thread", "j", "p", "q", "k", "l", "m", "n"].map(|name| t.index(name));
        let store = |k: VarId, p: VarId| {
            let (index, value) = (k.into(), load(vals, p));
            let then = vec![Stmt::Store { buffer: out, index, value }];
            Stmt::If { cond: lt(k, Expr::Index(3)), then, otherwise: vec![] }
        };
        let four = |k, p| for_(k, Expr::Index(0), Expr::Index(4), vec![store(k, p)]);
        let next = Stmt::Assign { var: q, value: add(q, Expr::Index(1)) };
        let body = vec![
            let_(p, thread),
            let_(j, load(crd, p)),
            mut_(q, load(crd, thread)),
            Stmt::Comment("the same entry".into()),
            four(k, p),
            Stmt::While { cond: lt(q, Expr::Index(9)), body: vec![let_(m, load(crd, q)), next, four(l, q)] },
            four(n, block),
        ];
        let grid = vec![Axis { var: block, blocks: Expr::Index(1) }];
        let launch = Launch::new("f".into(), grid, (thread, 32), body);
        t.0.steps = vec![Step::Launch(launch)];
        invariant(&mut t.0);
        let text = print(&t.0);
        expect![[r#"
            launch f blocks(block in 0..1) threads(thread in 0..32) {
                let p = thread;
                let j = A1_crd[p];
                let mut q = A1_crd[thread];
                let A_val = A_vals[p];
                // the same entry
                for k in 0..4 {
                    if k < 3 {
                        y_vals[k] = A_val;
                    }
                }
                while q < 9 {
                    let m = A1_crd[q];
                    q += 1;
                    for l in 0..4 {
                        if l < 3 {
                            y_vals[l] = A_vals[q];
                        }
                    }
                }
                for n in 0..4 {
                    if n < 3 {
                        y_vals[n] = A_vals[block];
                    }
                }
            }
        "#]]
        .assert_eq(&text[text.find("launch").unwrap_or(0)..]);
    }
}
