//! Loops on threads that do the same to other arrays: one function, that each of them calls with its own.
//!
//! There is less to compile, and what a processor has learned in one loop, how long the rows of a matrix are, it knows in the next:
//! `A[i, j] * A[j, k] * A[k, l] * x[l]` is three such loops.

use super::captures::Captures;
use super::names::Names;
use super::quote::{Ident, Tokens};
use super::stmt::Stmts;
use super::tasks::{Task, find};
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Expr, Step, Stmt, VarId};

/// What a loop has where another one has its own: names of the same kind, one for one.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) vars: Vec<(VarId, VarId)>,
    pub(super) buffers: Vec<(BufferId, BufferId)>,
}

/// A loop whose functions are another one's.
#[derive(Clone)]
pub(super) struct Same {
    /// The other loop's variable.
    pub(super) of: VarId,
    /// What the other's type calls what this one captures, in the order of its captures.
    pub(super) fields: Vec<Ident>,
}

/// The names with which such loops share their functions, if there are any.
pub(super) fn shared<'a>(names: &Names<'a>) -> Option<Names<'a>> {
    let mut loops: Vec<Loop<'a>> = vec![];
    for step in &names.program.steps {
        if let Step::Run(block) = step {
            find(Stmts::new(names), block, &mut |stmts, stmt| {
                loops.extend(Loop::of(names, stmt, stmts.in_positions));
            });
        }
    }
    let mut same = vec![];
    for (n, l) in loops.iter().enumerate() {
        let first = loops[..n].iter().filter(|first| same.iter().all(|(var, _)| *var != first.var));
        same.extend(first.filter_map(|first| Some((l.var, l.same(first, names)?))).next());
    }
    (!same.is_empty()).then(|| names.sharing(same))
}

/// A loop on threads.
struct Loop<'a> {
    stmt: &'a Stmt,
    var: VarId,
    in_positions: bool,
    /// What it names, each time that it does.
    ids: Vec<Id>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Id {
    Var(VarId),
    Buffer(BufferId),
}

impl<'a> Loop<'a> {
    /// Not one that appends or has sparse workspaces.
    fn of(names: &Names<'a>, stmt: &'a Stmt, in_positions: bool) -> Option<Loop<'a>> {
        let Stmt::Threads { var, private, appends: None, body, .. } = stmt else { return None };
        let mut ids = vec![Id::Var(*var)];
        ids.extend(private.map(|(buffer, _)| Id::Buffer(buffer)));
        let captures = Captures::of(names, *var, private.map(|p| p.0), None, body);
        for (var, value) in &captures.again {
            ids.push(Id::Var(*var));
            value.visit(&mut |e| ids.extend(named(e)));
        }
        let mut workspaces = false;
        visit_stmts(body, &mut |s| {
            workspaces |=
                matches!(s, Stmt::Gather(_) | Stmt::Scatter { .. } | Stmt::Place { .. } | Stmt::Mask { .. });
            ids.extend(s.declared().chain(s.assigned()).map(Id::Var));
            ids.extend(s.buffers().into_iter().map(Id::Buffer));
            s.for_each_expr(&mut |e| e.visit(&mut |e| ids.extend(named(e))));
        });
        (!workspaces).then_some(Loop { stmt, var: *var, in_positions, ids })
    }

    /// Are its items the other's, where what it names has the other's names?
    fn same(&self, first: &Loop<'_>, names: &Names<'_>) -> Option<Same> {
        let pairs = pairs(&self.ids, &first.ids)?;
        let (of_first, items) = first.emitted(names)?;
        let mut renamed = names.renamed(&pairs)?;
        let (fields, _) = self.emitted(&renamed)?;
        renamed.order = of_first;
        let (_, own) = self.emitted(&renamed)?;
        (own == items).then_some(Same { of: first.var, fields })
    }

    /// What it captures, and its items.
    fn emitted(&self, names: &Names<'_>) -> Option<(Vec<Ident>, Tokens)> {
        let task = Task::of(names, self.stmt)?;
        let captured = task.captures.parts(names).into_iter().map(|c| c.name.clone()).collect();
        Some((captured, task.items(Stmts::new(names).inside(self.in_positions))))
    }
}

fn named(e: &Expr) -> Option<Id> {
    match e {
        Expr::Var(v) => Some(Id::Var(*v)),
        e => e.buffer().map(Id::Buffer),
    }
}

/// None where they name things in another order.
fn pairs(own: &[Id], others: &[Id]) -> Option<Pairs> {
    if own.len() != others.len() {
        return None;
    }
    let mut pairs = Pairs::default();
    for pair in own.iter().zip(others) {
        match pair {
            (Id::Var(own), Id::Var(other)) => add(&mut pairs.vars, (*own, *other))?,
            (Id::Buffer(own), Id::Buffer(other)) => add(&mut pairs.buffers, (*own, *other))?,
            _ => return None,
        }
    }
    Some(pairs)
}

/// None where one of them has another partner.
fn add<T: Copy + PartialEq>(pairs: &mut Vec<(T, T)>, pair: (T, T)) -> Option<()> {
    match pairs.iter().find(|p| p.0 == pair.0 || p.1 == pair.1) {
        Some(found) => (*found == pair).then_some(()),
        None => {
            pairs.push(pair);
            Some(())
        }
    }
}
