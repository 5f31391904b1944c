//! `precompute(e, [i…], [iw…], w)`: a subexpression is computed into a workspace first.
//!
//! ```text
//! ∀j ∀k C[i, k] += A[i, j] * B[j, k]     precompute(A[i, j] * B[j, k], [k], [kw], w)
//!                                    →   (∀k C[i, k] += w[k]) where (∀j ∀kw w[kw] += A[i, j] * B[j, kw])
//!
//! ∀k C[i, k] += A[i, j] * B[j, k]        precompute(B[j, k], [k], [k], w)
//!                                    →   (∀k C[i, k] += A[i, j] * w[k]) where (∀k w[k] = B[j, k])
//! ```
//!
//! The workspace has a dimension for each named variable, and stands just outside the outermost loop that the producer
//! has. The producer has the loops of the named variables, under their new names, and those over variables that only the
//! expression uses and that are summed: with such a loop its reduction moves, whatever the variables come from. (Not the
//! loop over the other part of a split of which one part is named: it stays outside, and the workspace in it.) What is
//! never written holds the reduction's identity, or without one what the missing operands leave.
//!
//! `[i]` can be an index variable of the statement, whose loops may have been split, or a variable that a command has
//! made: of `split(k, k0, k1, 8)`, `[k1]` gives a workspace of 8 elements inside `k0`'s loop, a *tile*. It stands directly
//! inside of the loops that say which tile it is, outside of those that the expression has nothing to do with:
//!
//! ```text
//! ∀j0 ∀i ∀j1 ∀k1 C[i, k] += A[i, j] * B[j, k]   precompute(B[j, k], [j1, k1], [jw, kw], tile)
//!                  →   ∀j0 (∀i ∀j1 ∀k1 C[i, k] += A[i, j] * tile[j1, k1]) where (∀jw ∀kw tile[jw, kw] = B[j, k])
//! ```
//!
//! On a CPU every array, and every number, stands outside of those: it is not filled again for what it does not depend on.
//!
//! The names in `[iw]` can be the same: then later commands on a name change the loops of both sides.
//!
//! Preconditions: the expression is in the statement (factors of a product and terms of a sum in any order); it depends
//! on each named variable, and on no other loop inside the `where`; what stands around it distributes over the reductions
//! that move; the workspace's size is known before the loops; a sparse result's pattern does not come from the
//! expression; what loops over positions compute still reads the operand whose positions they are; a sparse workspace is
//! read in the order of its variables (`order`); no infinite fill of integers becomes a number, and a `min=` or `max=` of nothing does not meet an infinite fill (`numbers`).

mod distribute;
mod find;
mod numbers;
mod place;
mod rename;

use super::tree::has_loop;
use super::{Checked, Scheduler, fail, order};
use crate::cin::provenance::Size;
use crate::cin::rename::rename as rename_loops;
use crate::cin::result::ResultKind;
use crate::cin::{Expr, Stmt, Target, Workspace, WorkspaceDecl, WorkspaceFormat, terms};
use crate::front::ast::{self, IndexVar};
use crate::front::command::{Name, Platform};
use proc_macro2::Span;

/// What is asked for.
pub(super) struct Request<'a> {
    pub(super) expr: &'a ast::Expr,
    pub(super) span: Span,
    pub(super) vars: &'a [Name],
    pub(super) renamed: &'a [Name],
    pub(super) workspace: &'a Name,
    pub(super) format: Option<WorkspaceFormat>,
}

pub(super) fn apply(s: &mut Scheduler<'_>, request: &Request<'_>) -> Checked {
    let mut vars = named(s, request)?;
    let w = Workspace(s.cin.workspaces.len() as u32);
    let mut hole = Expr::Workspace(w, vars.clone());
    let pattern = terms::plain(request.expr);
    let mut site = find::find(s, &pattern, &hole, &vars, request)?;
    if let Some((own, written)) = own_workspace(s, &site, &hole, &vars) {
        return restore(s, own, written, request);
    }
    if let Some(there) = by_their_loops(s, &site, &vars) {
        vars = there;
        hole = Expr::Workspace(w, vars.clone());
        site = find::find(s, &pattern, &hole, &vars, request)?;
    }
    s.check_new(request.workspace)?;
    let format = request.format.unwrap_or_default();
    check_format(s.target, format, &vars, request)?;
    let place = place::place(s, &site, &vars, request)?;
    if !format.is_sparse() {
        place::check_pattern(s, &site, &vars, request)?;
        if !vars.is_empty() || !place.moved.is_empty() {
            numbers::check(s, &site, request)?;
        }
    }

    let renamed = rename::rename(s, &site, &place, &vars, request)?;
    let producer = Stmt::Assign {
        target: Target::Workspace(w, renamed.vars),
        op: if place.moved.is_empty() { None } else { site.op },
        rhs: rename::substitute(&site.found, &renamed.map),
    };
    let producer = Stmt::nest(&renamed.loops, producer);
    s.cin.root = find::edit(s.cin.root.clone(), &site.path[..place.at], &mut |inside| Stmt::Where {
        consumer: Box::new(place::without(inside, &site.path[place.at..], &place.moved, &site.rest)),
        producer: Box::new(producer.clone()),
    });
    without_needless(&mut s.cin.root, &s.unnamed);
    s.cin.workspaces.push(WorkspaceDecl {
        name: request.workspace.text.clone(),
        vars,
        format,
        block: 0,
        in_parts: false,
        part: false,
        rows: None,
    });
    place::check_result(s, request)?;
    place::check_positions(s, request)?;
    numbers::check_infinities(s, request)?;
    order::check(s, |_| request.span)
}

/// A result's own workspace over one variable, by which a sum was brought in order that a new workspace has now: what is left fills
/// it in the order in which it is read, each element once.
///
/// ```text
/// (∀k C[i, k] = w[k]) where ((∀k w[k] += M[i, k] * acc[k]) where …)   →   (∀k C[i, k] = M[i, k] * acc[k]) where …
/// ```
fn without_needless(stmt: &mut Stmt, own: &[Workspace]) {
    match stmt {
        Stmt::Forall { body, .. } => without_needless(body, own),
        Stmt::Where { consumer, producer } => {
            if let Some(lean) = in_order(consumer, producer, own) {
                *stmt = lean;
                return;
            }
            without_needless(consumer, own);
            without_needless(producer, own);
        }
        Stmt::Assign { .. } => {}
    }
}

/// What reads a workspace and what fills it as one, if that is one loop over the same variable.
fn in_order(consumer: &Stmt, producer: &Stmt, own: &[Workspace]) -> Option<Stmt> {
    let Stmt::Forall { var, body } = consumer else { return None };
    let Stmt::Assign { target: target @ Target::Tensor(_), op: None, rhs: Expr::Workspace(w, read) } =
        &**body
    else {
        return None;
    };
    let Stmt::Where { consumer: fills, producer: first } = producer else { return None };
    let Stmt::Forall { var: filled, body } = &**fills else { return None };
    let Stmt::Assign { target: Target::Workspace(to, written), rhs, .. } = &**body else { return None };
    let same = to == w && read == &[*var] && written == read && filled == var && own.contains(w);
    same.then(|| {
        let target = target.clone();
        let each = Stmt::nest(&[*var], Stmt::Assign { target, op: None, rhs: rhs.clone() });
        Stmt::Where { consumer: Box::new(each), producer: first.clone() }
    })
}

/// A list is of one dimension, and what is found by its coordinates has some. On GPUs that is a hash table.
fn check_format(
    target: Platform,
    format: WorkspaceFormat,
    vars: &[IndexVar],
    request: &Request<'_>,
) -> Checked {
    if let (Platform::Cuda, Some(asked @ (WorkspaceFormat::List | WorkspaceFormat::Sort))) =
        (target, request.format)
    {
        return fail(
            "workspace-format",
            request.workspace.span,
            format!(
                "on GPUs a sparse workspace is a hash table: `{}` can't be a `{asked}`",
                request.workspace.text
            ),
            "write `Hash`",
        );
    }
    match (format, vars.len()) {
        (WorkspaceFormat::Dense, _) | (WorkspaceFormat::List, 1) => Ok(()),
        (WorkspaceFormat::Hash | WorkspaceFormat::Sort, n) if n > 0 => Ok(()),
        (_, 0) => fail(
            "workspace-format",
            request.workspace.span,
            format!("`{}` has no dimension: a scalar needs no `{format}`", request.workspace.text),
            "leave the format out",
        ),
        (_, n) => fail(
            "workspace-format",
            request.workspace.span,
            format!("`{}` has {n} dimensions, and a `List` is an array of one", request.workspace.text),
            "write `Hash` or `Sort`, whose size is that of what is stored",
        ),
    }
}

/// The workspace that the statement has already for exactly this: its result's, or that of a term in another order; and the
/// variables by which it is filled, whose names are its own, and which a user need not know.
fn own_workspace<'s>(
    s: &Scheduler<'_>,
    site: &'s find::Site,
    hole: &Expr,
    vars: &[IndexVar],
) -> Option<(Workspace, &'s [IndexVar])> {
    let p = &s.cin.provenance;
    let originals = |vars: &[IndexVar]| vars.iter().map(|v| p.original(*v)).collect::<Vec<_>>();
    match &site.target {
        Target::Workspace(w, written)
            if site.rest == *hole && originals(written) == originals(vars) && !vars.is_empty() =>
        {
            s.cin.workspaces[w.index()].format.is_sparse().then_some((*w, &written[..]))
        }
        _ => None,
    }
}

/// The variables, where a term that is computed first has loops over them by names of its own, which a user need not know; `None` if
/// all are what its loops are over.
fn by_their_loops(s: &Scheduler<'_>, site: &find::Site, vars: &[IndexVar]) -> Option<Vec<IndexVar>> {
    let p = &s.cin.provenance;
    let around = |v: IndexVar| p.leaves(v).iter().all(|leaf| site.loops.iter().any(|(_, l)| l == leaf));
    let there = vars.iter().map(|&v| {
        let same = |&&(_, l): &&(usize, IndexVar)| p.original(l) == p.original(v);
        let own = site.loops.iter().find(same).filter(|_| !around(v));
        own.map_or(v, |&(_, l)| l)
    });
    let there: Vec<IndexVar> = there.collect();
    let twice = there.iter().enumerate().any(|(at, v)| there[..at].contains(v));
    (there != vars && !twice).then_some(there)
}

/// The same workspace, by another name and in another format.
fn restore(s: &mut Scheduler<'_>, w: Workspace, written: &[IndexVar], request: &Request<'_>) -> Checked {
    let vars = s.cin.workspaces[w.index()].vars.clone();
    let mut root = s.cin.root.clone();
    let Some(producer) = producer_of(&mut root, w) else {
        return fail("internal", request.span, "a workspace that nobody fills", "please report it");
    };
    for (name, (&v, &written)) in request.renamed.iter().zip(vars.iter().zip(written)) {
        if name.text == s.name(written) {
            continue;
        }
        if s.cin.provenance.made_by(written).is_some() || !has_loop(producer, written) {
            let message =
                format!("the loops that fill `{}` are over `{}`", request.workspace.text, s.name(written));
            return fail("precompute-variable", name.span, message, format!("write `{}`", s.name(written)));
        }
        if name.text == s.name(v) {
            // One name is for the loops of both sides, unless others were made of those of one.
            if s.cin.provenance.leaves(v) == [v] {
                rename_loops(producer, written, v);
            }
            continue;
        }
        s.check_new(name)?;
        let own = s.cin.provenance.rename(v, &name.text);
        rename_loops(producer, written, own);
    }
    s.cin.root = root;
    let format = request.format.unwrap_or(s.cin.workspaces[w.index()].format);
    if format == WorkspaceFormat::Dense && s.result == ResultKind::Append {
        return fail(
            "workspace-format",
            request.workspace.span,
            format!(
                "`{}` says which entries the result has: an array of all elements does not",
                request.workspace.text
            ),
            "write `List`, `Hash` or `Sort`",
        );
    }
    if request.format.is_some() {
        check_format(s.target, format, &vars, request)?;
    }
    if s.cin.workspaces[w.index()].name != request.workspace.text {
        s.check_new(request.workspace)?;
    }
    s.unnamed.retain(|u| *u != w);
    let decl = &mut s.cin.workspaces[w.index()];
    (decl.name, decl.format) = (request.workspace.text.clone(), format);
    if request.format.is_some() {
        decl.block = 0;
    }
    Ok(())
}

/// The statement that fills a workspace.
fn producer_of(stmt: &mut Stmt, w: Workspace) -> Option<&mut Stmt> {
    match stmt {
        Stmt::Forall { body, .. } => producer_of(body, w),
        Stmt::Where { consumer, producer } => match producer.fills() == Some(w) {
            true => Some(producer),
            false => producer_of(consumer, w).or_else(|| producer_of(producer, w)),
        },
        Stmt::Assign { .. } => None,
    }
}

/// The variables that the workspace has a dimension for.
fn named(s: &Scheduler<'_>, request: &Request<'_>) -> Checked<Vec<IndexVar>> {
    let mut vars: Vec<IndexVar> = Vec::new();
    for name in request.vars {
        let v = s.variable(name)?;
        let p = &s.cin.provenance;
        if vars.iter().any(|&u| p.comes_from(u, v) || p.comes_from(v, u)) {
            let message = format!("`{}` is in the list already, or comes from a variable there", name.text);
            return fail("duplicate-name", name.span, message, "name each dimension of the workspace once");
        }
        if p.size(v) == Size::Positions {
            return fail(
                "workspace-size",
                name.span,
                format!(
                    "`{}` counts stored positions: the workspace's size would be another in each fiber",
                    name.text
                ),
                format!("split `{}` and precompute over the inner part, whose size is constant", name.text),
            );
        }
        vars.push(v);
    }
    if request.vars.len() != request.renamed.len() {
        let (vars, renamed) = (request.vars.len(), request.renamed.len());
        let message = format!("the lists differ in length: variables {vars}, new names {renamed}");
        let help = "name each variable in the producer; to keep the names, repeat them";
        return fail("command-arguments", request.workspace.span, message, help);
    }
    Ok(vars)
}
