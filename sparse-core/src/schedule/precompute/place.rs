//! Where the `where` stands, which loops its producer gets, and what its consumer keeps.

use super::Request;
use super::distribute::distributes;
use super::find::{Site, Turn};
use crate::cin::assembly::groups;
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Expr, Stmt, Target, Workspace};
use crate::front::ast::{self, IndexVar};
use crate::front::command::Platform;
use crate::schedule::gaps::is_idle_without;
use crate::schedule::tree::{for_each_assignment, for_each_loop, has_loop};
use crate::schedule::{Checked, Scheduler, fail};

pub(super) struct Place {
    /// The place of the `where` in the path.
    pub(super) at: usize,
    /// Loops that the producer repeats.
    pub(super) copied: Vec<IndexVar>,
    /// Loops that the producer takes over, with their reduction.
    pub(super) moved: Vec<IndexVar>,
}

pub(super) fn place(
    s: &Scheduler<'_>,
    site: &Site,
    vars: &[IndexVar],
    request: &Request<'_>,
) -> Checked<Place> {
    let p = &s.cin.provenance;
    let used = indices(&site.found);
    let comes = |from: &[IndexVar], leaf: IndexVar| comes(s, from, leaf);
    let copied = copied(s, site, vars, request)?;
    let mut kept = indices(&site.rest);
    // The workspace's own indices are not a use: where they are needed, the loops are copied.
    kept.extend(match &site.target {
        Target::Tensor(a) => a.indices.clone(),
        Target::Workspace(_, indices) => indices.clone(),
    });
    let straight = site.path.iter().rposition(|t| *t != Turn::Body).map_or(0, |k| k + 1);
    let summed = site.loops.iter().filter(|&&(k, _)| k >= straight);
    let summed = summed.filter(|(_, v)| !copied.contains(v) && comes(&used, *v) && !comes(&kept, *v));
    // The other part of a named part stays outside, where it is: the workspace is as large as the named part.
    let first = site.loops.iter().find(|(_, v)| copied.contains(v)).map_or(0, |&(k, _)| k);
    let named: Vec<_> = vars.iter().flat_map(|&v| p.roots(v)).collect();
    let part = |v: IndexVar| p.roots(v).iter().any(|r| named.contains(r));
    let moved: Vec<_> = summed.filter(|&&(k, v)| k > first || !part(v)).map(|&(_, v)| v).collect();
    let at = site.loops.iter().find(|(_, v)| copied.contains(v) || moved.contains(v));
    let mut at = at.map_or(site.path.len(), |&(k, _)| k);
    // A tile stands directly inside of the loops that say which it is: whatever else is there goes over it again. So does an
    // array; but a GPU has none outside of the loops of its threads.
    let array = request.format.is_none() && s.target == Platform::Cpu;
    if array || site.loops.iter().any(|&(k, v)| k < at && part(v)) {
        while let Some(&(k, _)) = site.loops.iter().find(|&&(k, v)| k + 1 == at && !comes(&used, v)) {
            at = k;
        }
    }

    let place = Place { at, copied, moved };
    check_loops(s, site, &place, request)?;
    Ok(place)
}

/// The loops that the producer repeats: those of the workspace's variables.
fn copied(
    s: &Scheduler<'_>,
    site: &Site,
    vars: &[IndexVar],
    request: &Request<'_>,
) -> Checked<Vec<IndexVar>> {
    let p = &s.cin.provenance;
    let used = indices(&site.found);
    let text = ast::print(s.kernel, request.expr);
    let mut copied = Vec::new();
    for (&v, name) in vars.iter().zip(request.vars) {
        for leaf in p.leaves(v) {
            if !site.loops.iter().any(|&(_, l)| l == leaf) {
                let message = format!("there is no loop over `{}` around `{text}`", name.text);
                let loops: Vec<_> = site.loops.iter().map(|&(_, l)| l).collect();
                return fail(
                    "precompute-variable",
                    name.span,
                    message,
                    format!("the loops there are over {}", s.list(&loops)),
                );
            }
            if !p.tells_apart(leaf, vars) {
                let message =
                    format!("`{}` is only a part of the loop variable `{}`", name.text, s.name(leaf));
                return fail("precompute-variable", name.span, message, format!("name `{}`", s.name(leaf)));
            }
            if !comes(s, &used, leaf) {
                let message = format!("`{text}` does not depend on `{}`", name.text);
                return fail("precompute-variable", name.span, message, format!("leave `{}` out", name.text));
            }
            if !copied.contains(&leaf) {
                copied.push(leaf);
            }
        }
    }
    Ok(copied)
}

/// Does a loop's variable come from one of these?
fn comes(s: &Scheduler<'_>, from: &[IndexVar], leaf: IndexVar) -> bool {
    from.iter().any(|&x| s.cin.provenance.leaves(x).contains(&leaf))
}

/// The expression depends on no loop that the producer has not, and the reduction that moves into it may.
fn check_loops(s: &Scheduler<'_>, site: &Site, place: &Place, request: &Request<'_>) -> Checked {
    let Place { at, copied, moved } = place;
    let at = *at;
    let used = indices(&site.found);
    let text = ast::print(s.kernel, request.expr);
    let inside = site.loops.iter().filter(|&&(k, _)| k >= at).map(|&(_, v)| v);
    for v in inside.filter(|v| !copied.contains(v) && !moved.contains(v)) {
        if comes(s, &used, v) {
            let outermost = site.loops.iter().find(|&&(k, _)| k == at).map_or(v, |&(_, v)| v);
            return fail(
                "precompute-depends",
                request.span,
                format!(
                    "`{text}` depends on `{}`, whose loop is inside the one over `{}`, where the workspace stands",
                    s.name(v),
                    s.name(outermost)
                ),
                format!(
                    "name `{0}` among the variables too, or `reorder` its loop outside that over `{1}`",
                    s.name(v),
                    s.name(outermost)
                ),
            );
        }
    }
    if let (Some(&v), Some(m)) = (moved.first(), site.op) {
        let w = Workspace(s.cin.workspaces.len() as u32);
        if !distributes(&site.rest, w, m, s.kernel.dtype) {
            return fail(
                "precompute-reduction",
                request.span,
                format!(
                    "the reduction over `{}` would move into the workspace, and what stands around `{text}` does not distribute over `{}=`",
                    s.name(v),
                    m.symbol()
                ),
                format!("precompute more of the expression, or name `{}` among the variables", s.name(v)),
            );
        }
    }
    Ok(())
}

/// A result that has an operand's pattern has it still, if its entries are written while that operand is walked. It is assembled where
/// the workspace tells some of them.
pub(super) fn check_result(s: &mut Scheduler<'_>, request: &Request<'_>) -> Checked {
    let result = result_kind(s.kernel, &s.cin);
    if result == s.result {
        return Ok(());
    }
    let out = &s.kernel.tensors[s.kernel.assignment.lhs.tensor.index()];
    if result == ResultKind::Append && groups(&out.spec).is_some() {
        s.result = result;
        return Ok(());
    }
    let result = &out.name;
    fail(
        "precompute-pattern",
        request.span,
        format!(
            "`{result}` has the pattern of an operand in the expression, which the consumer would not walk"
        ),
        "leave that operand out of the expression, or return a tensor whose levels are all dense",
    )
}

/// A loop over positions walks the operand whose positions they are: still so on both sides.
pub(super) fn check_positions(s: &Scheduler<'_>, request: &Request<'_>) -> Checked {
    let p = &s.cin.provenance;
    let mut broken = None;
    for_each_loop(&s.cin.root, &mut |v, body| {
        for r in p.relations() {
            let Relation::Pos { pos, access, .. } = r else { continue };
            // Loops over outer parts only count.
            let leaves = p.leaves(*pos);
            let last = leaves.contains(&v) && !leaves.iter().any(|l| has_loop(body, *l));
            // What was read of the operand waits in the workspace, an element a position.
            if last && !is_idle_without(s, body, access) && !reads_element(body, v) {
                broken = Some((v, access.clone()));
            }
        }
    });
    let Some((v, access)) = broken else { return Ok(()) };
    let t = &s.kernel.tensors[access.tensor.index()].name;
    fail(
        "pos-not-walked",
        request.span,
        format!(
            "the loop over `{}` walks the positions of `{t}`, but what it would compute does not read `{t}`",
            s.name(v)
        ),
        format!("leave `{t}` out of the expression, or precompute before `pos`"),
    )
}

/// Does a statement read the element of a workspace that the iteration of a loop is?
fn reads_element(s: &Stmt, v: IndexVar) -> bool {
    let mut reads = false;
    for_each_assignment(s, &mut vec![], &mut |a| {
        reads |= a.rhs.any(&|e| matches!(e, Expr::Workspace(_, indices) if indices.contains(&v)));
    });
    reads
}

/// A sparse result's pattern is that of operands, which have to stay in the consumer.
pub(super) fn check_pattern(
    s: &Scheduler<'_>,
    site: &Site,
    vars: &[IndexVar],
    request: &Request<'_>,
) -> Checked {
    if s.result == ResultKind::Dense {
        return Ok(());
    }
    let lhs = &s.kernel.assignment.lhs;
    let mut pattern = None;
    site.found.for_each_access(&mut |a| {
        let spec = &s.kernel.tensors[a.tensor.index()].spec;
        for (level, x) in spec.levels.iter().zip(level_vars(spec, a)) {
            let written = lhs.indices.contains(&s.cin.provenance.original(x));
            let named = vars.iter().any(|&v| s.cin.provenance.roots(v).contains(&x));
            if !level.is_full() && written && named {
                pattern = Some((a.tensor, x));
            }
        }
    });
    let Some((tensor, x)) = pattern else { return Ok(()) };
    let (operand, result) =
        (&s.kernel.tensors[tensor.index()].name, &s.kernel.tensors[lhs.tensor.index()].name);
    let formats = match s.target {
        Platform::Cpu => "`List`, `Hash` or `Sort`",
        Platform::Cuda => "`Hash`",
    };
    fail(
        "precompute-pattern",
        request.span,
        format!(
            "the entries of `{result}` along `{}` come from `{operand}`, and an array of all elements does not say where they are",
            s.name(x)
        ),
        format!(
            "write a format that does, {formats}; or leave `{}` out of the variables, or return a tensor whose levels are all dense",
            s.name(x)
        ),
    )
}

/// The index variables of an expression's accesses and workspaces.
pub(super) fn indices(e: &Expr) -> Vec<IndexVar> {
    let mut found = Vec::new();
    collect(e, &mut found);
    found
}

fn collect(e: &Expr, out: &mut Vec<IndexVar>) {
    match e {
        Expr::Access(a) => out.extend(&a.indices),
        Expr::Workspace(_, indices) => out.extend(indices),
        Expr::Literal(_) | Expr::Scalar(_) => {}
        Expr::Unary(_, a) => collect(a, out),
        Expr::Binary(_, a, b) => {
            collect(a, out);
            collect(b, out);
        }
    }
}

/// The consumer: without the loops that have moved, and with another right-hand side.
pub(super) fn without(s: Stmt, path: &[Turn], moved: &[IndexVar], rest: &Expr) -> Stmt {
    match (s, path.split_first()) {
        (Stmt::Forall { var, body }, Some((_, path))) => {
            let body = without(*body, path, moved, rest);
            if moved.contains(&var) { body } else { Stmt::nest(&[var], body) }
        }
        (Stmt::Where { consumer, producer }, Some((Turn::Producer, path))) => {
            Stmt::Where { consumer, producer: Box::new(without(*producer, path, moved, rest)) }
        }
        (Stmt::Where { consumer, producer }, Some((_, path))) => {
            Stmt::Where { consumer: Box::new(without(*consumer, path, moved, rest)), producer }
        }
        (Stmt::Assign { target, op, .. }, _) => Stmt::Assign { target, op, rhs: rest.clone() },
        (s, None) => s,
    }
}
