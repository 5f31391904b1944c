//! `pos(i, p, A[i, j])`: a loop over coordinates becomes one over the stored positions of an operand.
//!
//! ```text
//! ∀i body        →   ∀p body        with i = the coordinate at position p of A
//! ```
//!
//! The other operands are located at the coordinate. Of fused coordinates the positions are those of the last level,
//! through all fibers of the upper ones.
//!
//! Preconditions: `i` is in coordinate space, and ranges over whole dimensions; the access is in the statement and
//! indexed by it; its level is not dense, and stores no coordinate twice; fused coordinates are consecutive levels of
//! the operand, in their order. And nothing is left out: where the operand stores nothing, the statement does nothing.

use super::gaps::{is_idle_without, listed};
use super::tree::{for_each_assignment, for_each_loop};
use super::{Checked, Scheduler, fail};
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::{Access, Stmt};
use crate::format::Level;
use crate::front::ast::{self, Expr, IndexVar};
use crate::front::command::Name;

pub(super) fn apply(s: &mut Scheduler<'_>, var: &Name, pos: &Name, access: &ast::Access) -> Checked {
    let i = s.plain_loop(var)?;
    if s.cin.provenance.is_position(i) {
        return fail(
            "pos-of-position",
            var.span,
            format!("`{}` counts positions already", var.text),
            "`pos` takes a coordinate variable; `coord` goes back to coordinates",
        );
    }
    let Some(dims) = dimensions(s, i) else {
        return fail(
            "pos-of-part",
            var.span,
            format!("`{}` is a part of a dimension, which no operand stores", var.text),
            "write `pos` before the `split` or `divide`, and split the positions",
        );
    };
    let leader = operand(s, access, &dims)?;
    check_levels(s, var, access, &leader, &dims)?;
    let (mut skipped, mut other) = (false, None);
    for_each_loop(&s.cin.root, &mut |v, body| {
        if v == i && !is_idle_without(s, body, &leader) {
            skipped = true;
            other = other.take().or_else(|| listed(s, v, body).filter(|_| !reads(body, &leader)));
        }
    });
    let name = &s.kernel.tensors[leader.tensor.index()].name;
    if let Some(list) = other {
        return fail(
            "pos-order",
            access.span,
            format!("a loop over `{}` reads no positions of `{name}`: it goes over {list}", var.text),
            format!(
                "leave the command out, or convert `{name}` to a format in the order of the loops before the call"
            ),
        );
    }
    if skipped {
        return fail(
            "pos-leaves-out",
            access.span,
            format!(
                "the statement does something where `{name}` stores nothing: a loop over its positions would leave that out"
            ),
            "take the positions of an operand without which every term vanishes, or stay in coordinate space",
        );
    }
    let [p] = s.new_vars([pos])?;
    s.replace(i, &[p]);
    s.cin.provenance.relate(Relation::Pos { coord: i, pos: p, access: leader });
    Ok(())
}

/// Is an operand read in a statement?
fn reads(body: &Stmt, operand: &Access) -> bool {
    let mut found = false;
    for_each_assignment(body, &mut vec![], &mut |a| a.rhs.for_each_access(&mut |b| found |= b == operand));
    found
}

/// The whole dimensions that a coordinate variable ranges over, outermost first.
pub(super) fn dimensions(s: &Scheduler<'_>, v: IndexVar) -> Option<Vec<IndexVar>> {
    match s.cin.provenance.made_by(v) {
        None => Some(vec![v]),
        Some(Relation::Bound { parent, .. }) => dimensions(s, *parent),
        Some(Relation::Fuse { outer, inner, .. }) => {
            Some([dimensions(s, *outer)?, dimensions(s, *inner)?].concat())
        }
        Some(_) => None,
    }
}

/// The operand of the program that is meant: in a producer its variables can have other names.
fn operand(s: &Scheduler<'_>, access: &ast::Access, dims: &[IndexVar]) -> Checked<Access> {
    let mut found: Vec<Access> = Vec::new();
    for_each_assignment(&s.cin.root, &mut vec![], &mut |a| {
        a.rhs.for_each_access(&mut |b| {
            let original = b.indices.iter().map(|&v| s.cin.provenance.original(v));
            if b.tensor == access.tensor && original.eq(access.indices.iter().copied()) {
                found.push(b.clone());
            }
        });
    });
    let text = ast::print(s.kernel, &Expr::Access(access.clone()));
    if found.is_empty() {
        let mut others = Vec::new();
        s.kernel.assignment.rhs.for_each_access(&mut |b| {
            let text = format!("`{}`", ast::print(s.kernel, &Expr::Access(b.clone())));
            if b.tensor == access.tensor && !others.contains(&text) {
                others.push(text);
            }
        });
        let message = format!("`{text}` is not in the statement");
        let help = format!("name an operand as the statement does: {}", others.join(", "));
        return fail("pos-not-in-statement", access.span, message, help);
    }
    match found.iter().find(|a| dims.iter().all(|d| a.indices.contains(d))) {
        Some(a) => Ok(a.clone()),
        None => {
            let missing: Vec<_> = dims.iter().copied().filter(|d| !access.indices.contains(d)).collect();
            if missing.is_empty() {
                let mut own: Vec<IndexVar> = found.into_iter().flat_map(|a| a.indices).collect();
                own.retain(|v| !access.indices.contains(v));
                own.dedup();
                let message = format!("`{text}` is read by loops with names of their own");
                let help =
                    format!("name one of these, {}, or take the positions of another operand", s.list(&own));
                return fail("pos-not-indexed", access.span, message, help);
            }
            let message = format!("`{text}` is not indexed by {}", s.list(&missing));
            fail("pos-not-indexed", access.span, message, "name an operand that is")
        }
    }
}

/// The levels that store the variable: consecutive, the last one sparse and without duplicates.
fn check_levels(
    s: &Scheduler<'_>,
    var: &Name,
    access: &ast::Access,
    leader: &Access,
    dims: &[IndexVar],
) -> Checked {
    let t = &s.kernel.tensors[leader.tensor.index()];
    let vars = level_vars(&t.spec, leader);
    let start = vars.iter().position(|v| *v == dims[0]).unwrap_or(0);
    let last = start + dims.len() - 1;
    if vars.get(start..=last) != Some(dims) {
        return fail(
            "pos-order",
            var.span,
            format!(
                "`{}` stores its levels in the order of {}, where {} are not one after another",
                t.name,
                s.list(&vars),
                s.list(dims)
            ),
            "fuse variables of neighbouring levels, the upper level's first",
        );
    }
    if let Some(v) = dims.iter().find(|d| vars.iter().filter(|v| v == d).count() > 1) {
        return fail(
            "pos-order",
            access.span,
            format!("`{}` has `{}` at two levels, whose positions differ", t.name, s.name(*v)),
            "stay in coordinate space",
        );
    }
    // The coordinate of a position is read from `crd`, or counted where a dense level stands above.
    let levels = &t.spec.levels;
    let counted = |l: usize| !levels[l].lists_coordinates() && (l == last || !levels[l].is_full());
    if let Some(l) = (start..=last).rev().find(|&l| counted(l)) {
        return fail(
            "pos-of-dense",
            access.span,
            format!(
                "`{}` stores `{}` in a {} level: its positions are its coordinates",
                t.name,
                s.name(vars[l]),
                levels[l]
            ),
            "name an operand that stores the variable in a sparse level, or leave the command out",
        );
    }
    // A level with the singletons below it stores tuples, whose positions are one. Above it each position is a row.
    let single = |l: usize| matches!(t.spec.levels[l], Level::Singleton { .. });
    let tuple = (start..=last).rev().find(|&l| !single(l)).unwrap_or(start);
    let repeated =
        (start..tuple).chain([last]).find(|&l| !t.spec.levels[l].is_unique() || (l < tuple && single(l)));
    if let Some(l) = repeated {
        return fail(
            "pos-not-unique",
            access.span,
            format!(
                "`{}` stores `{}` in a {} level: one coordinate can have several positions",
                t.name,
                s.name(vars[l]),
                t.spec.levels[l]
            ),
            "fuse the variable with those of the levels below down to a unique one, and take that one's positions; or use a format whose levels are unique, such as `Csr`",
        );
    }
    Ok(())
}
