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
    for step in 0..program.steps.len() {
        let on_host = !matches!(program.steps[step], Step::Launch(_));
        let Some(code) = program.steps[step].code_mut() else { continue };
        let mut code = std::mem::take(code);
        Hoist { program, on_host, names: Names::of(step) }.block(&mut code, &[]);
        if let Some(place) = program.steps[step].code_mut() {
            *place = code;
        }
    }
}

struct Hoist<'a> {
    program: &'a mut Program,
    on_host: bool,
    names: Names,
}

/// So many names are looked for among those that there are; for more these are collected. A debug build hashes slowly.
const FEW: u32 = 16;

/// Names in a step: mostly few are asked for, but there may be thousands.
pub(super) struct Names {
    step: usize,
    asked: u32,
    /// By variable that there was when the first name was asked for: does another step declare it?
    elsewhere: Option<Vec<bool>>,
    taken: Option<HashSet<String>>,
    /// By a name that was asked for, the number that the next such has.
    next: HashMap<String, u32>,
}

impl Names {
    /// Of the step of this number: names of other steps' variables are free there.
    pub(super) fn of(step: usize) -> Names {
        Names { step, asked: 0, elsewhere: None, taken: None, next: HashMap::new() }
    }

    /// The name, or with a number behind it: that of the next variable or array.
    pub(super) fn fresh(&mut self, program: &Program, like: &str) -> String {
        self.asked += 1;
        let elsewhere = self.elsewhere.get_or_insert_with(|| declared_elsewhere(program, self.step));
        if self.asked > FEW && self.taken.is_none() {
            self.taken = Some(names(program, elsewhere).cloned().collect());
        }
        let name = match self.is_taken(program, like) {
            true => self.numbered(program, like),
            false => like.to_owned(),
        };
        if let Some(taken) = &mut self.taken {
            taken.insert(name.clone());
        }
        name
    }

    fn numbered(&mut self, program: &Program, like: &str) -> String {
        let mut number = self.next.get(like).copied().unwrap_or(2);
        loop {
            let name = format!("{like}_{number}");
            number += 1;
            if !self.is_taken(program, &name) {
                self.next.insert(like.to_owned(), number);
                return name;
            }
        }
    }

    fn is_taken(&self, program: &Program, name: &str) -> bool {
        match (&self.taken, &self.elsewhere) {
            (Some(taken), _) => taken.contains(name),
            (None, elsewhere) => names(program, elsewhere.as_deref().unwrap_or(&[])).any(|n| n == name),
        }
    }
}

/// By variable: does a step other than this one declare it?
fn declared_elsewhere(program: &Program, step: usize) -> Vec<bool> {
    let mut elsewhere = vec![false; program.vars.len()];
    for other in program.steps.iter().enumerate().filter(|(n, _)| *n != step).filter_map(|(_, s)| s.code()) {
        visit_stmts(other, &mut |s| s.declared().for_each(|v| elsewhere[v.index()] = true));
    }
    elsewhere
}

/// The names that a step cannot give: those of all arrays, and of variables that are not declared elsewhere.
fn names<'p>(program: &'p Program, elsewhere: &'p [bool]) -> impl Iterator<Item = &'p String> {
    let vars = program.vars.iter().enumerate();
    let vars = vars.filter(|(n, _)| !elsewhere.get(*n).is_some_and(|e| *e)).map(|(_, v)| &v.name);
    let arrays = program.buffers.iter().map(|b| &b.name).chain(program.workspaces.iter().map(|w| &w.name));
    vars.chain(arrays)
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
        let name = self.names.fresh(self.program, b.element_name());
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
    fn names_are_the_same_whether_they_are_looked_for_or_collected() {
        let mut t = Tables::new("f", "");
        let [thread, n, m] = ["thread", "n", "m"].map(|name| t.index(name));
        let steps = [n, m].map(|var| {
            Step::Launch(Launch::new("f".into(), vec![], (thread, 32), vec![let_(var, Expr::Index(1))]))
        });
        t.0.steps = steps.into();
        let mut names = Names::of(0);
        for at in 1..=FEW {
            // The other step's `m` is no name of this one's.
            for (like, number) in [("n", at + 1), ("m", at)] {
                let name = names.fresh(&t.0, like);
                t.index(&name);
                let expected = if number == 1 { like.to_owned() } else { format!("{like}_{number}") };
                assert_eq!(name, expected);
            }
        }
    }

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
