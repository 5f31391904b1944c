//! Loops on threads that do the same to other arrays: one function, that each of them calls with its own.
//!
//! There is less to compile, and what a processor has learned in one loop, how long the rows of a matrix are, it knows in the next:
//! `A[i, j] * A[j, k] * A[k, l] * x[l]` is three such loops.

use super::captures::Captures;
use super::names::{Names, ident, unique};
use super::quote::Ident;
use super::stmt::Stmts;
use super::tasks::{Task, find};
use crate::llir::walk::visit_stmts;
use crate::llir::{BufferId, Expr, Step, Stmt, VarId};
use std::collections::{BTreeSet, HashSet};

/// What a loop has where another one has its own: names of the same kind, one for one.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) vars: Vec<(VarId, VarId)>,
    pub(super) buffers: Vec<(BufferId, BufferId)>,
}

/// A loop that has functions with others.
#[derive(Clone)]
pub(super) struct Same {
    /// The first of them.
    pub(super) of: VarId,
    /// What the functions' type calls what this one captures, in the order of its captures.
    pub(super) fields: Vec<Ident>,
}

/// What is called in functions by what the loops that have them call it.
#[derive(Clone, Default)]
pub(super) struct Common {
    pub(super) vars: Vec<(VarId, Ident)>,
    pub(super) buffers: Vec<(BufferId, ArrayNames)>,
}

/// Names of an array, of its memory if it is a scratch array, and of the bounds of a row if it is one of positions.
#[derive(Clone)]
pub(super) struct ArrayNames {
    pub(super) name: Ident,
    pub(super) memory: Ident,
    pub(super) bounds: [Ident; 2],
}

impl ArrayNames {
    fn of(name: Ident, taken: &mut HashSet<String>) -> ArrayNames {
        let mut with = |suffix: &str| unique(&format!("{name}_{suffix}"), taken);
        let (memory, bounds) = (with("memory"), ["begin", "end"].map(&mut with));
        ArrayNames { name, memory, bounds }
    }
}

/// The first of some loops, and the others.
struct Group<'l, 'a> {
    first: &'l Loop<'a>,
    others: Vec<(&'l Loop<'a>, Pairs)>,
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
    let mut groups: Vec<Group<'_, 'a>> = vec![];
    for l in &loops {
        let found = groups.iter_mut().find_map(|group| Some((l.same(group.first, names)?, group)));
        match found {
            Some((pairs, group)) => group.others.push((l, pairs)),
            None => groups.push(Group { first: l, others: vec![] }),
        }
    }
    groups.retain(|group| !group.others.is_empty());
    let sharing = |all, group: &Group<'_, 'a>| group.sharing(names, all);
    (!groups.is_empty()).then(|| groups.iter().fold(names.clone(), sharing).in_turn())
}

impl Group<'_, '_> {
    /// With one name for what the loops have several for.
    fn sharing<'a>(&self, names: &Names<'_>, all: Names<'a>) -> Names<'a> {
        let common = self.common(names);
        let within = names.within(&common);
        let of = self.first.var;
        let own = [(of, self.first.captured(&within))].into_iter();
        let others =
            self.others.iter().filter_map(|(l, pairs)| Some((l.var, l.captured(&within.renamed(pairs)?))));
        let same = own.chain(others).map(|(var, fields)| (var, Same { of, fields })).collect();
        all.sharing(of, same, common)
    }

    /// Names of what the functions do with it: `pos` for `A2_pos` and `B2_pos`.
    fn common(&self, names: &Names<'_>) -> Common {
        let (mut taken, ids) = (self.first.words(names), &self.first.ids);
        let ids: BTreeSet<Id> = ids.iter().copied().collect();
        let mut common = Common::default();
        for id in ids {
            match id {
                Id::Var(var) => {
                    let all = self.others.iter().flat_map(|(_, pairs)| partners(&pairs.vars, var));
                    let all: Vec<_> =
                        [var].into_iter().chain(all).map(|v| names.var(v).to_string()).collect();
                    let name = other_than_first(&all).then(|| words_in_common(&all)).flatten();
                    common.vars.extend(name.map(|name| (var, other(&all[0], &name, &mut taken))));
                }
                Id::Buffer(buffer) => {
                    let all = self.others.iter().flat_map(|(_, pairs)| partners(&pairs.buffers, buffer));
                    let all: Vec<_> =
                        [buffer].into_iter().chain(all).map(|b| names.buffer(b).to_string()).collect();
                    if other_than_first(&all) {
                        let role = if self.first.writes(buffer) { "result" } else { "operand" };
                        let name = words_in_common(&all).unwrap_or_else(|| role.to_owned());
                        let name = other(&all[0], &name, &mut taken);
                        common.buffers.push((buffer, ArrayNames::of(name, &mut taken)));
                    }
                }
            }
        }
        common
    }
}

fn other_than_first(names: &[String]) -> bool {
    names.iter().any(|name| *name != names[0])
}

/// The name for what has another one, if that is not it.
fn other(before: &str, name: &str, taken: &mut HashSet<String>) -> Ident {
    if before == name { ident(name) } else { unique(name, taken) }
}

/// What the others have where the first one has this.
fn partners<T: Copy + PartialEq>(pairs: &[(T, T)], of: T) -> impl Iterator<Item = T> {
    pairs.iter().filter(move |(_, first)| *first == of).map(|(own, _)| *own)
}

/// The words that several names end with, or those that they begin with.
fn words_in_common(names: &[String]) -> Option<String> {
    // A number at the end tells it from what has the same name.
    let words = |name: &String| -> Vec<String> {
        name.split('_').filter(|word| word.starts_with(char::is_alphabetic)).map(str::to_owned).collect()
    };
    let all: Vec<Vec<String>> = names.iter().map(words).collect();
    let (first, others) = all.split_first()?;
    let common = |nth: &dyn Fn(&[String], usize) -> Option<String>| {
        (0..first.len()).take_while(|n| others.iter().all(|words| nth(words, *n) == nth(first, *n))).count()
    };
    let last = common(&|words, n| words.iter().rev().nth(n).cloned());
    let before = common(&|words, n| words.get(n).cloned());
    let words = if last > 0 { &first[first.len() - last..] } else { &first[..before] };
    (!words.is_empty()).then(|| words.join("_"))
}

/// A loop on threads.
struct Loop<'a> {
    stmt: &'a Stmt,
    var: VarId,
    in_positions: bool,
    /// What it names, each time that it does.
    ids: Vec<Id>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

    /// What it has for what the other one has, if its items are the other's but for that.
    fn same(&self, first: &Loop<'_>, names: &Names<'_>) -> Option<Pairs> {
        let pairs = pairs(&self.ids, &first.ids)?;
        let renamed = names.renamed(&pairs)?;
        let order = first.captured(names);
        let items =
            |l: &Loop<'_>, names: &Names<'_>| Some(l.task(names)?.in_order(&order).items(l.stmts(names)));
        let (own, others) = (items(self, &renamed)?, items(first, names)?);
        (own == others).then_some(pairs)
    }

    fn task<'n>(&'n self, names: &'n Names<'_>) -> Option<Task<'n>> {
        Task::of(names, self.stmt)
    }

    fn stmts<'n>(&self, names: &'n Names<'n>) -> Stmts<'n> {
        Stmts::new(names).inside(self.in_positions)
    }

    /// What it captures.
    fn captured(&self, names: &Names<'_>) -> Vec<Ident> {
        let task = self.task(names);
        task.iter().flat_map(|task| task.captures.parts(names)).map(|c| c.name.clone()).collect()
    }

    fn writes(&self, buffer: BufferId) -> bool {
        let mut writes = false;
        visit_stmts(std::slice::from_ref(self.stmt), &mut |s| {
            if let Stmt::Store { buffer: b, .. }
            | Stmt::Reduce { buffer: b, .. }
            | Stmt::Atomic { buffer: b, .. } = s
            {
                writes |= *b == buffer;
            }
        });
        writes
    }

    /// The words of its items.
    fn words(&self, names: &Names<'_>) -> HashSet<String> {
        let items = self.task(names).map(|task| task.items(self.stmts(names))).unwrap_or_default();
        let text = items.into_text();
        text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words_in_common() {
        let words = |names: &[&str]| {
            words_in_common(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(words(&["A2_pos", "B2_pos"]).as_deref(), Some("pos"));
        assert_eq!(words(&["entries", "entries_2"]).as_deref(), Some("entries"));
        assert_eq!(words(&["i_t0_begin", "j_t1_begin"]).as_deref(), Some("begin"));
        assert_eq!(words(&["j_t0", "j_t1"]).as_deref(), Some("j"));
        assert_eq!(words(&["x_vals", "t0"]), None);
        assert_eq!(words(&["x_2a", "y_2a", "z"]), None);
    }
}
