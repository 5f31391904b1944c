//! What a loop does where an operand stores nothing, and which operands it merges.

use super::Scheduler;
use super::tree::{Assignment, for_each_assignment};
use crate::cin::algebra::simplify;
use crate::cin::copies::copies;
use crate::cin::nested::intern;
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::result::background;
use crate::cin::val::Val;
use crate::cin::{Access, Expr, Stmt, Target, Workspace, WorkspaceDecl};
use crate::front::ast::IndexVar;
use crate::scalar::{Monoid, Value};

/// Does a statement change nothing where an operand stores nothing?
pub(super) fn is_idle_without(s: &Scheduler<'_>, body: &Stmt, leader: &Access) -> bool {
    Gap { s, leader: Some(leader), known: vec![], accesses: vec![] }.is_idle(body)
}

/// Does it where a workspace holds nothing, which is 0 or what its reduction begins with?
fn is_idle_without_element(s: &Scheduler<'_>, w: Workspace, a: &Assignment<'_>) -> bool {
    let mut begins = None;
    for_each_assignment(&s.cin.root, &mut vec![], &mut |p| {
        begins = begins.or(p.op.filter(|_| matches!(p.target, Target::Workspace(filled, _) if *filled == w)));
    });
    let t = s.kernel.dtype;
    let nothing = begins.and_then(|m| m.identity(t)).unwrap_or_else(|| t.zero());
    let mut gap = Gap { s, leader: None, known: vec![(w, Val::structural(nothing))], accesses: vec![] };
    gap.is_idle(&Stmt::Assign { target: a.target.clone(), op: a.op, rhs: a.rhs.clone() })
}

struct Gap<'a, 'k> {
    s: &'a Scheduler<'k>,
    leader: Option<&'a Access>,
    /// What workspaces hold.
    known: Vec<(Workspace, Val)>,
    accesses: Vec<Access>,
}

impl Gap<'_, '_> {
    fn is_idle(&mut self, body: &Stmt) -> bool {
        let kernel = self.s.kernel;
        let (target, op, value) = self.run(body);
        match (target, op) {
            (Target::Tensor(a), _) => {
                value.constant() == Some(background(op, &kernel.tensors[a.tensor.index()].spec, kernel))
            }
            (Target::Workspace(..), Some(_)) => {
                self.identity(op).is_some_and(|nothing| value.constant() == Some(nothing))
            }
            // It is declared with what the missing operands leave.
            (Target::Workspace(..), None) => value.constant().is_some(),
        }
    }

    /// What a statement writes, and with which value.
    fn run(&mut self, s: &Stmt) -> (Target, Option<Monoid>, Val) {
        match s {
            Stmt::Forall { body, .. } => self.run(body),
            Stmt::Where { consumer, producer } => {
                let (target, op, value) = self.run(producer);
                if let Target::Workspace(w, _) = target {
                    let held = match value.constant() {
                        Some(v) if op.is_none() || Some(v) == self.identity(op) => value,
                        _ => Val::Temp(w.0),
                    };
                    self.known.push((w, held));
                }
                self.run(consumer)
            }
            Stmt::Assign { target, op, rhs } => {
                let value = self.value(rhs);
                (target.clone(), *op, simplify(&value, self.s.kernel.dtype))
            }
        }
    }

    fn identity(&self, op: Option<Monoid>) -> Option<Value> {
        op.and_then(|m| m.identity(self.s.kernel.dtype))
    }

    fn value(&mut self, e: &Expr) -> Val {
        match e {
            Expr::Access(a) if Some(a) == self.leader => {
                let spec = &self.s.kernel.tensors[a.tensor.index()].spec;
                Val::structural(spec.fill.value(self.s.kernel.dtype))
            }
            Expr::Access(a) => Val::Access(intern(&mut self.accesses, a)),
            Expr::Workspace(w, _) => {
                self.known.iter().find(|(k, _)| k == w).map_or(Val::Temp(w.0), |(_, v)| v.clone())
            }
            Expr::Literal(v) => Val::Lit(*v),
            Expr::Scalar(n) => Val::Param(*n),
            Expr::Unary(op, a) => Val::Un(*op, Box::new(self.value(a))),
            Expr::Binary(op, a, b) => Val::Op(*op, vec![self.value(a), self.value(b)]),
        }
    }
}

/// Why a loop over `v` is no plain loop over a range, if it is none. `outside` are the loops around it.
pub(super) fn coiteration(
    s: &Scheduler<'_>,
    v: IndexVar,
    outside: &[IndexVar],
    body: &Stmt,
) -> Option<String> {
    let name = |a: &Access| s.kernel.tensors[a.tensor.index()].name.to_string();
    if let Some(gathered) = gathered(s, v, body) {
        return Some(format!("it steps over the runs of equal coordinates in {}", list_name(s, gathered)));
    }
    let swept = swept(s, v, outside, body);
    let list = list_of(s, v, body, &|_, _, _| true);
    match &swept[..] {
        [] => None,
        [(a, _), ..] if let Some(list) = list => {
            Some(format!("it merges the stored coordinates of `{}` and {}", name(a), list_name(s, list)))
        }
        [(a, false)] => Some(format!("it steps over the runs of equal coordinates of `{}`", name(a))),
        [(a, true)] if is_idle_without(s, body, a) => None,
        [(a, true)] => Some(format!("it also does something where `{}` stores nothing", name(a))),
        several => {
            let names: Vec<_> = several.iter().map(|(a, _)| format!("`{}`", name(a))).collect();
            Some(format!("it merges the stored coordinates of {}", names.join(" and ")))
        }
    }
}

/// Does a loop over `v` do nothing where some operand stores nothing, whose positions it could go over instead?
pub(super) fn leads(s: &Scheduler<'_>, v: IndexVar, outside: &[IndexVar], body: &Stmt) -> bool {
    swept(s, v, outside, body).iter().any(|(a, _)| is_idle_without(s, body, a))
}

/// What a loop over `v` goes over instead of an operand, in words: a list of elements that are made in another loop.
pub(super) fn listed(s: &Scheduler<'_>, v: IndexVar, body: &Stmt) -> Option<String> {
    let list = list_of(s, v, body, &|_, _, _| true)?;
    let name = list_name(s, list);
    Some(if copied(s, list).is_some() { name } else { format!("{name}, which another loop fills") })
}

/// A list of elements of several dimensions, the first of which a loop over `v` goes over, or of one, where the loop does something that the list has no element for.
fn gathered(s: &Scheduler<'_>, v: IndexVar, body: &Stmt) -> Option<Workspace> {
    list_of(s, v, body, &|w, vars, a| vars.len() > 1 || !is_idle_without_element(s, w, a))
}

/// A list of elements, over the first dimension of which a loop over `v` goes, and that an assignment reads in a certain way.
fn list_of(
    s: &Scheduler<'_>,
    v: IndexVar,
    body: &Stmt,
    reads: &dyn Fn(Workspace, &[IndexVar], &Assignment<'_>) -> bool,
) -> Option<Workspace> {
    let mut found = None;
    for_each_assignment(body, &mut vec![], &mut |a| {
        let is_list = |w: Workspace, vars: &[IndexVar]| {
            let here = vars.first() == Some(&v) && s.cin.workspaces[w.index()].format.is_sparse();
            here && reads(w, vars, &a)
        };
        found = found.or(a.rhs.workspace(&is_list).map(|(w, _)| w));
    });
    found
}

/// A list of elements in words: a copy of an operand, which nobody has named, is that operand.
fn list_name(s: &Scheduler<'_>, w: Workspace) -> String {
    match copied(s, w) {
        Some(name) => {
            format!("`{name}`, which is copied because its levels are in another order than the loops")
        }
        None => format!("`{}`", s.cin.workspaces[w.index()].name),
    }
}

/// The name of the operand that a list of elements is a copy of, which nobody has named.
fn copied(s: &Scheduler<'_>, w: Workspace) -> Option<String> {
    let list = &s.cin.workspaces[w.index()];
    let is_list = |copy: &WorkspaceDecl| copy.name == list.name && s.unnamed.contains(&w);
    let (a, _) = copies(&s.cin).into_iter().find(|(_, copy)| is_list(copy))?;
    Some(s.kernel.tensors[a.tensor.index()].name.to_string())
}

/// The operands of which a loop over `v` steps through a sparse level, and whether coordinates are unique there.
pub(super) fn swept(
    s: &Scheduler<'_>,
    v: IndexVar,
    outside: &[IndexVar],
    body: &Stmt,
) -> Vec<(Access, bool)> {
    let mut swept: Vec<(Access, bool)> = Vec::new();
    let mut loops = [outside, &[v]].concat();
    let at = loops.len() - 1;
    for_each_assignment(body, &mut loops, &mut |a| {
        a.rhs.for_each_access(&mut |access| {
            let spec = &s.kernel.tensors[access.tensor.index()].spec;
            for (level, x) in spec.levels.iter().zip(level_vars(spec, access)) {
                let here = || s.cin.provenance.depth(x, a.loops) == Some(at) && is_window(s, x, v);
                if !level.can_locate() && here() && !swept.iter().any(|(known, _)| known == access) {
                    swept.push((access.clone(), level.is_unique()));
                }
            }
        });
    });
    swept
}

/// Does a loop over `v` sweep the coordinate `x`, or a window of it? Not if `x` is computed from `v`, or read at a
/// position.
fn is_window(s: &Scheduler<'_>, x: IndexVar, v: IndexVar) -> bool {
    let p = &s.cin.provenance;
    let mut at = x;
    let mut position = false;
    loop {
        if at == v {
            return !position;
        }
        at = match p.consumed_by(at) {
            None | Some(Relation::Fuse { .. }) => return false,
            Some(Relation::Bound { child, .. }) => *child,
            Some(Relation::Split { inner, .. }) if p.leaves(*inner).contains(&v) => *inner,
            Some(Relation::Split { .. }) => return false,
            Some(Relation::Pos { pos, .. }) => {
                position = true;
                *pos
            }
            Some(Relation::Coord { coord, .. }) => {
                position = false;
                *coord
            }
        };
    }
}
