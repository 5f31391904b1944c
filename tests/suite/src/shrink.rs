//! Makes a failing case as small as it gets.
//!
//! Greedy: a list of simplifications, each tried alone; one after which the case still fails in the same way is kept,
//! until none is.

use crate::case::{Case, Operand, access};
use crate::command;
use sparse_core::format::{Fill, FormatSpec, Level, LevelMap};
use sparse_core::front::ast::{AssignOp, Expr, Mode};
use sparse_core::scalar::{DType, Monoid, Value};
use std::time::{Duration, Instant};

/// The longest that one case is shrunk.
const PATIENCE: Duration = Duration::from_secs(60);

/// The smallest case reached for which `fails` holds; it holds for `case`.
pub fn shrink(case: &Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    // Bounds the work on a case that shrinks slowly.
    let (mut tries, began) = (4000, Instant::now());
    // After a step that works the next one of its kind is tried, not all those before it; the end is a round in which
    // none works.
    let (mut at, mut idle) = (0, 0);
    loop {
        let steps = candidates(&best);
        if idle >= steps.len() || tries == 0 || began.elapsed() > PATIENCE {
            return best;
        }
        at %= steps.len();
        for step in steps.into_iter().skip(at) {
            let mut smaller = best.clone();
            step(&mut smaller);
            let smaller = tidy(smaller);
            // A step that changes nothing would work for ever.
            if !is_same(&smaller, &best) && is_sound(&smaller) && fails(&smaller) {
                best = smaller;
                idle = 0;
                break;
            }
            at += 1;
            idle += 1;
            tries -= 1;
            if tries == 0 || began.elapsed() > PATIENCE {
                return best;
            }
        }
    }
}

fn is_same(a: &Case, b: &Case) -> bool {
    let data = |a: &Operand, b: &Operand| a.dims == b.dims && a.entries == b.entries && a.bare == b.bare;
    a.vars == b.vars
        && a.scalars == b.scalars
        && a.tensors.len() == b.tensors.len()
        && a.tensors.iter().zip(&b.tensors).all(|(a, b)| data(a, b))
        && a.row_classes == b.row_classes
        && a.kernel_text() == b.kernel_text()
}

/// A change of a case.
type Step = Box<dyn Fn(&mut Case)>;

/// Every simplification of a case, large steps first.
fn candidates(case: &Case) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    let mut edit = |f| out.push(f);
    for schedule in command::smaller(&case.schedule) {
        edit(Box::new(move |c| c.schedule = schedule.clone()));
    }
    for class in 0..case.row_classes.len() {
        edit(Box::new(move |c| {
            c.row_classes.remove(class);
        }));
    }
    for rhs in smaller_expressions(&case.assignment.rhs) {
        edit(Box::new(move |c| c.assignment.rhs = rhs.clone()));
    }
    if case.assignment.op != AssignOp::Assign {
        edit(Box::new(move |c| c.assignment.op = AssignOp::Assign));
        edit(Box::new(move |c| c.assignment.op = AssignOp::Reduce(Monoid::Add)));
    }
    for v in 0..case.vars.len() {
        edit(Box::new(move |c| drop_var(c, v)));
    }
    for (v, &(_, size)) in case.vars.iter().enumerate() {
        for smaller in [1, size / 2, size.saturating_sub(1)] {
            if smaller < size {
                edit(Box::new(move |c| c.vars[v].1 = smaller));
            }
        }
    }
    for (t, operand) in case.tensors.iter().enumerate() {
        tensor_edits(t, operand, &mut edit);
    }
    for n in 0..case.scalars.len() {
        for v in [0, 1, 2] {
            let v = case.dtype.from_i64(v);
            if weight(v) < weight(case.scalars[n].1) {
                edit(Box::new(move |c| c.scalars[n].1 = v));
            }
        }
    }
    for dtype in [DType::F64, DType::I32] {
        if rank_of_dtype(dtype) < rank_of_dtype(case.dtype) {
            edit(Box::new(move |c| retype(c, dtype)));
        }
    }
    out
}

fn tensor_edits(t: usize, operand: &Operand, edit: &mut impl FnMut(Step)) {
    if operand.mode == Mode::InOut {
        edit(Box::new(move |c| {
            // A returned result is the last tensor.
            let mut moved = c.tensors.remove(t);
            moved.mode = Mode::Result;
            moved.entries.clear();
            c.tensors.push(moved);
            let last = c.tensors.len() - 1;
            let f = |k: usize| {
                if k == t {
                    last
                } else if k > t {
                    k - 1
                } else {
                    k
                }
            };
            renumber(c, &f);
        }));
    }
    if !operand.spec.map.is_identity() {
        edit(Box::new(move |c| {
            let spec = &mut c.tensors[t].spec;
            *spec = FormatSpec::new(spec.levels.clone()).filled(spec.fill);
        }));
    }
    if operand.spec.fill != Fill::Zero {
        edit(Box::new(move |c| c.tensors[t].spec.fill = Fill::Zero));
    }
    for l in 0..operand.spec.rank() {
        for simpler in [Level::Dense, Level::Compressed { unique: true }] {
            if complexity(simpler) < complexity(operand.spec.levels[l]) {
                edit(Box::new(move |c| c.tensors[t].spec.levels[l] = simpler));
            }
        }
    }
    for fiber in 0..operand.bare.len() {
        edit(Box::new(move |c| drop(c.tensors[t].bare.remove(fiber))));
    }
    let n = operand.entries.len();
    let mut size = n;
    while size > 0 {
        for start in (0..n).step_by(size) {
            edit(Box::new(move |c| drop(c.tensors[t].entries.drain(start..(start + size).min(n)))));
        }
        size /= 2;
    }
    for (e, (at, old)) in operand.entries.iter().enumerate() {
        // An entry at a dimension's end keeps it long.
        for d in (0..at.len()).filter(|&d| at[d] > 0) {
            edit(Box::new(move |c| c.tensors[t].entries[e].0[d] = 0));
        }
        for v in [1, 0, 2] {
            let v = old.dtype().from_i64(v);
            if weight(v) < weight(*old) {
                edit(Box::new(move |c| c.tensors[t].entries[e].1 = v));
            }
        }
    }
}

/// The expression with one node replaced by something below it, or by a literal.
fn smaller_expressions(e: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    match e {
        Expr::Access(_) | Expr::Literal(_) => {}
        Expr::Scalar(_) => {}
        Expr::Unary(op, a) => {
            out.push((**a).clone());
            out.extend(smaller_expressions(a).into_iter().map(|a| Expr::Unary(*op, Box::new(a))));
        }
        Expr::Binary(op, a, b) => {
            out.push((**a).clone());
            out.push((**b).clone());
            out.extend(smaller_expressions(a).into_iter().map(|a| Expr::Binary(*op, Box::new(a), b.clone())));
            out.extend(smaller_expressions(b).into_iter().map(|b| Expr::Binary(*op, a.clone(), Box::new(b))));
        }
    }
    out
}

fn drop_var(c: &mut Case, v: usize) {
    let here = |vars: &[sparse_core::front::ast::IndexVar]| -> Vec<usize> {
        (0..vars.len()).filter(|&d| vars[d].index() == v).collect()
    };
    // Every access of a tensor must lose the same dimensions.
    let mut lost: Vec<Option<Vec<usize>>> = vec![None; c.tensors.len()];
    let mut consistent = true;
    let mut visit = |a: &sparse_core::front::ast::Access| {
        let dims = here(&a.indices);
        let slot = &mut lost[a.tensor.index()];
        consistent &= slot.as_ref().is_none_or(|old| *old == dims);
        *slot = Some(dims);
    };
    visit(&c.assignment.lhs);
    c.assignment.rhs.for_each_access(&mut visit);
    if !consistent {
        return;
    }
    for (t, lost) in lost.iter().enumerate() {
        for &d in lost.iter().flatten().rev() {
            drop_dim(&mut c.tensors[t], d);
        }
    }
    c.assignment.rhs = without_var(&c.assignment.rhs, v);
    c.assignment.lhs.indices.retain(|w| w.index() != v);
}

fn drop_dim(t: &mut Operand, d: usize) {
    t.dims.remove(d);
    let level = t.spec.map.level_of_dim(d);
    t.spec.levels.remove(level);
    let LevelMap::Permutation(order) = &mut t.spec.map;
    order.remove(level);
    order.iter_mut().filter(|o| **o > d).for_each(|o| *o -= 1);
    for (coord, _) in &mut t.entries {
        coord.remove(d);
    }
    t.bare.iter_mut().filter(|at| level < at.len()).for_each(|at| {
        at.remove(level);
    });
    t.entries.sort_by(|a, b| a.0.cmp(&b.0));
    t.entries.dedup_by(|a, b| a.0 == b.0);
}

fn without_var(e: &Expr, v: usize) -> Expr {
    match e {
        Expr::Access(a) => {
            let kept: Vec<usize> = a.indices.iter().map(|w| w.index()).filter(|&w| w != v).collect();
            Expr::Access(access(a.tensor.index(), &kept))
        }
        Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(without_var(a, v))),
        Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(without_var(a, v)), Box::new(without_var(b, v))),
    }
}

fn renumber(c: &mut Case, f: &dyn Fn(usize) -> usize) {
    let lhs: Vec<usize> = c.assignment.lhs.indices.iter().map(|v| v.index()).collect();
    c.assignment.lhs = access(f(c.assignment.lhs.tensor.index()), &lhs);
    c.assignment.rhs = renumbered(&c.assignment.rhs, f);
}

fn renumbered(e: &Expr, f: &dyn Fn(usize) -> usize) -> Expr {
    match e {
        Expr::Access(a) => {
            let vars: Vec<usize> = a.indices.iter().map(|v| v.index()).collect();
            Expr::Access(access(f(a.tensor.index()), &vars))
        }
        Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(renumbered(a, f))),
        Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(renumbered(a, f)), Box::new(renumbered(b, f))),
    }
}

/// Drops what the statement does not use, and makes dimensions and entries agree with the sizes.
fn tidy(mut c: Case) -> Case {
    let mut used = vec![false; c.tensors.len()];
    used[c.assignment.lhs.tensor.index()] = true;
    c.assignment.rhs.for_each_access(&mut |a| used[a.tensor.index()] = true);
    let number: Vec<usize> = (0..used.len()).map(|t| used[..t].iter().filter(|u| **u).count()).collect();
    renumber(&mut c, &|t| number[t]);
    let mut keep = used.iter();
    c.tensors.retain(|_| *keep.next().unwrap_or(&true));

    let mut scalars = vec![false; c.scalars.len()];
    mark_scalars(&c.assignment.rhs, &mut scalars);
    let number: Vec<usize> =
        (0..scalars.len()).map(|t| scalars[..t].iter().filter(|u| **u).count()).collect();
    renumber_scalars(&mut c.assignment.rhs, &number);
    let mut keep = scalars.iter();
    c.scalars.retain(|_| *keep.next().unwrap_or(&true));

    let mut accesses = vec![(c.assignment.lhs.tensor.index(), c.assignment.lhs.indices.clone())];
    c.assignment.rhs.for_each_access(&mut |a| accesses.push((a.tensor.index(), a.indices.clone())));
    for (t, vars) in accesses {
        for (d, v) in vars.iter().enumerate() {
            c.tensors[t].dims[d] = c.vars[v.index()].1;
        }
    }
    // Commands name accesses as the statement has them.
    let mut texts = Vec::new();
    c.assignment.rhs.for_each_access(&mut |a| {
        texts.push((c.tensors[a.tensor.index()].name.clone(), c.access_text(a)));
    });
    for pos in c.schedule.iter_mut().filter(|c| c.name == "pos" && c.args.len() == 3) {
        let tensor = pos.args[2].split('[').next().unwrap_or("").to_owned();
        if !texts.iter().any(|(_, text)| *text == pos.args[2])
            && let Some((_, text)) = texts.iter().find(|(name, _)| *name == tensor)
        {
            pos.args[2] = text.clone();
        }
    }
    for t in &mut c.tensors {
        let dims = t.dims.clone();
        t.entries.retain(|(coord, _)| coord.iter().zip(&dims).all(|(c, d)| c < d));
    }
    c
}

fn mark_scalars(e: &Expr, used: &mut [bool]) {
    match e {
        Expr::Scalar(n) => used[*n] = true,
        Expr::Access(_) | Expr::Literal(_) => {}
        Expr::Unary(_, a) => mark_scalars(a, used),
        Expr::Binary(_, a, b) => {
            mark_scalars(a, used);
            mark_scalars(b, used);
        }
    }
}

fn renumber_scalars(e: &mut Expr, number: &[usize]) {
    match e {
        Expr::Scalar(n) => *n = number[*n],
        Expr::Access(_) | Expr::Literal(_) => {}
        Expr::Unary(_, a) => renumber_scalars(a, number),
        Expr::Binary(_, a, b) => {
            renumber_scalars(a, number);
            renumber_scalars(b, number);
        }
    }
}

/// Do all accesses of a tensor agree on its sizes, can its format hold the entries, are the operators defined?
fn is_sound(c: &Case) -> bool {
    let mut sound = true;
    let mut visit = |a: &sparse_core::front::ast::Access| {
        let dims = &c.tensors[a.tensor.index()].dims;
        sound &= dims.len() == a.indices.len();
        sound &= a.indices.iter().zip(dims).all(|(v, d)| c.vars[v.index()].1 == *d);
    };
    visit(&c.assignment.lhs);
    c.assignment.rhs.for_each_access(&mut visit);
    if let AssignOp::Reduce(m) = c.assignment.op {
        sound &= m.accepts(c.dtype);
    }
    sound && accepts(&c.assignment.rhs, c.dtype) && c.tensors.iter().all(|t| holds(t, c.dtype))
}

fn accepts(e: &Expr, dtype: DType) -> bool {
    match e {
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => true,
        Expr::Unary(op, a) => op.accepts(dtype) && accepts(a, dtype),
        Expr::Binary(op, a, b) => op.accepts(dtype) && accepts(a, dtype) && accepts(b, dtype),
    }
}

/// Can the format stand, and store every entry by itself?
fn holds(t: &Operand, dtype: DType) -> bool {
    let levels = &t.spec.levels;
    let stands = (0..levels.len()).all(|l| match levels[l] {
        Level::Singleton { .. } => l > 0,
        _ => l == 0 || levels[l - 1].is_unique(),
    });
    let mut coords: Vec<_> = t.entries.iter().map(|e| &e.0).collect();
    coords.sort();
    let repeats = coords.windows(2).any(|w| w[0] == w[1]);
    let fits = || {
        // A result has no entries yet.
        t.mode == Mode::Result || t.spec.holds_every_tensor() || t.tensor(dtype).is_ok()
    };
    stands && fits() && (!repeats || levels.last().is_some_and(|l| !l.is_unique()))
}

fn retype(c: &mut Case, dtype: DType) {
    let convert = |v: Value| dtype.from_i64(v.to_f64() as i64);
    for t in &mut c.tensors {
        t.entries.iter_mut().for_each(|e| e.1 = convert(e.1));
    }
    c.scalars.iter_mut().for_each(|s| s.1 = convert(s.1));
    fn literals(e: &mut Expr, f: &dyn Fn(Value) -> Value) {
        match e {
            Expr::Literal(v) => *v = f(*v),
            Expr::Access(_) | Expr::Scalar(_) => {}
            Expr::Unary(_, a) => literals(a, f),
            Expr::Binary(_, a, b) => {
                literals(a, f);
                literals(b, f);
            }
        }
    }
    literals(&mut c.assignment.rhs, &convert);
    c.dtype = dtype;
}

fn rank_of_dtype(d: DType) -> u8 {
    match d {
        DType::F64 => 0,
        DType::I32 => 1,
        _ => 2,
    }
}

fn complexity(l: Level) -> u8 {
    match l {
        Level::Dense => 0,
        Level::Compressed { unique: true } => 1,
        _ => 2,
    }
}

/// 1 is the plainest value, then 0, then 2.
fn weight(v: Value) -> u8 {
    match v.to_f64() {
        1.0 => 0,
        0.0 => 1,
        2.0 => 2,
        _ => 3,
    }
}
