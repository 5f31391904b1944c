//! New names for the producer's loops.
//!
//! A variable without a maker gets a new one over the same dimension, with one loop, whatever the old one was split
//! into. For a variable that commands have made, the commands are repeated on a new variable, with the other parts
//! shared: after `split(k, k0, k1, 8)`, `k1` renamed to `kw` is the inner part of a new `k_kw` whose outer part is `k0`.

use super::find::Site;
use super::place::Place;
use super::{Request, place};
use crate::cin::provenance::Relation;
use crate::cin::{Access, Expr};
use crate::front::ast::IndexVar;
use crate::front::command::Name;
use crate::schedule::{Checked, Scheduler, fail};

pub(super) struct Renamed {
    /// The workspace's indices in the producer.
    pub(super) vars: Vec<IndexVar>,
    /// The producer's loops, outermost first.
    pub(super) loops: Vec<IndexVar>,
    /// Old and new variables.
    pub(super) map: Map,
}

type Map = Vec<(IndexVar, IndexVar)>;

pub(super) fn rename(
    s: &mut Scheduler<'_>,
    site: &Site,
    at: &Place,
    vars: &[IndexVar],
    request: &Request<'_>,
) -> Checked<Renamed> {
    let mut map = Map::new();
    let mut fresh: Vec<&Name> = Vec::new();
    for ((&v, old), new) in vars.iter().zip(request.vars).zip(request.renamed) {
        if new.text == old.text {
            continue;
        }
        s.check_new(new)?;
        if new.text == request.workspace.text || fresh.iter().any(|n| n.text == new.text) {
            let message = format!("`{}` is used twice in this command", new.text);
            return fail("duplicate-name", new.span, message, "give every new name once");
        }
        fresh.push(new);
        let var = match s.cin.provenance.made_by(v) {
            None => s.cin.provenance.rename(v, &new.text),
            Some(_) => s.cin.provenance.fresh(&new.text),
        };
        map.push((v, var));
    }
    shared_loops(s, vars, &map, request)?;
    name_ancestors(s, &mut map, &request.workspace.text);
    repeat(s, &map);
    let renamed = |v: IndexVar| map.iter().find(|(old, _)| *old == v).map_or(v, |&(_, new)| new);
    positions(s, site, at, &map, request)?;

    let inside = site.loops.iter().filter(|&&(k, _)| k >= at.at).map(|&(_, v)| v);
    let order: Vec<_> = inside.filter(|v| at.copied.contains(v) || at.moved.contains(v)).collect();
    let mut loops = Vec::new();
    for &v in &order {
        let mut here: Vec<_> =
            vars.iter().copied().filter(|&n| s.cin.provenance.leaves(n).contains(&v)).collect();
        if at.moved.contains(&v) || here.iter().any(|&named| renamed(named) == named) {
            loops.push(v);
        }
        // A new name has one loop, in place of the last of the old ones: there the old name is known. Of fused variables
        // the outer one comes first.
        let last =
            |n: IndexVar| order.iter().rev().find(|l| s.cin.provenance.leaves(n).contains(l)) == Some(&v);
        let roots = s.cin.provenance.roots(v);
        here.retain(|&n| renamed(n) != n && last(n));
        here.sort_by_key(|&n| roots.iter().position(|r| s.cin.provenance.roots(n).contains(r)));
        loops.extend(here.into_iter().map(renamed));
    }
    Ok(Renamed { vars: vars.iter().map(|&v| renamed(v)).collect(), loops, map })
}

/// Fused variables have loops in common: all of them get new names, or none.
fn shared_loops(s: &Scheduler<'_>, vars: &[IndexVar], map: &Map, request: &Request<'_>) -> Checked {
    let new = |v: IndexVar| map.iter().any(|(old, _)| *old == v);
    for (n, &v) in vars.iter().enumerate() {
        let leaves = s.cin.provenance.leaves(v);
        for &u in &vars[..n] {
            if new(u) != new(v) && s.cin.provenance.leaves(u).iter().any(|l| leaves.contains(l)) {
                let message =
                    format!("`{}` and `{}` share a loop, and only one has a new name", s.name(u), s.name(v));
                let help = "give both a new name, or none";
                return fail("precompute-variable", request.renamed[n].span, message, help);
            }
        }
    }
    Ok(())
}

/// Gives new names to all variables that renamed ones are made from.
fn name_ancestors(s: &mut Scheduler<'_>, map: &mut Map, suffix: &str) {
    let mut at = 0;
    while at < map.len() {
        let parents: Vec<_> = s.cin.provenance.makers(map[at].0).flat_map(|r| r.parents().to_vec()).collect();
        for parent in parents {
            if map.iter().any(|(old, _)| *old == parent) {
                continue;
            }
            let name = unused(s, &format!("{}_{suffix}", s.name(parent)));
            let new = match s.cin.provenance.made_by(parent) {
                None => s.cin.provenance.rename(parent, &name),
                Some(_) => s.cin.provenance.fresh(&name),
            };
            map.push((parent, new));
        }
        at += 1;
    }
}

/// Repeats the commands that made renamed variables, on their new names.
fn repeat(s: &mut Scheduler<'_>, map: &Map) {
    let of = |v: IndexVar| map.iter().find(|(old, _)| *old == v).map_or(v, |&(_, new)| new);
    let makes = |r: &&Relation| r.children().iter().any(|c| map.iter().any(|(old, _)| old == c));
    let made: Vec<Relation> = s.cin.provenance.relations().iter().filter(makes).cloned().collect();
    let copies = made.into_iter().map(|relation| match relation {
        Relation::Split { parent, outer, inner, part } => {
            Relation::Split { parent: of(parent), outer: of(outer), inner: of(inner), part }
        }
        Relation::Fuse { outer, inner, fused } => {
            Relation::Fuse { outer: of(outer), inner: of(inner), fused: of(fused) }
        }
        Relation::Pos { coord, pos, access } => {
            Relation::Pos { coord: of(coord), pos: of(pos), access: renamed_access(&access, map) }
        }
        Relation::Coord { pos, coord } => Relation::Coord { pos: of(pos), coord: of(coord) },
        Relation::Bound { parent, child, size, exact } => {
            Relation::Bound { parent: of(parent), child: of(child), size, exact }
        }
    });
    copies.into_iter().for_each(|copy| s.cin.provenance.relate(copy));
}

/// A name that no variable has.
fn unused(s: &Scheduler<'_>, name: &str) -> String {
    let mut unique = name.to_owned();
    let mut n = 2;
    while s.cin.provenance.find(&unique).is_some() {
        unique = format!("{name}_{n}");
        n += 1;
    }
    unique
}

/// A loop over positions counts those of one operand, under the operand's own variables: they keep their names.
fn positions(s: &Scheduler<'_>, site: &Site, at: &Place, map: &Map, request: &Request<'_>) -> Checked {
    let kept: Vec<_> = at.moved.iter().chain(&at.copied).copied().collect();
    for x in place::indices(&site.found) {
        let Some((access, pos)) = s.cin.provenance.position_source(x) else { continue };
        let counted = s.cin.provenance.leaves(pos).iter().any(|l| kept.contains(l));
        let outside = access.indices.iter().find(|v| map.iter().any(|(old, _)| old == *v));
        let own = map.iter().any(|(old, _)| *old == pos || s.cin.provenance.tells_apart(*old, &[pos]));
        if let (true, Some(&v), false) = (counted, outside, own) {
            let t = &s.kernel.tensors[access.tensor.index()].name;
            let message = format!(
                "`{}` counts the positions of `{t}`, which is indexed by `{}`",
                s.name(pos),
                s.name(v)
            );
            let help = format!("keep the name `{}` in the producer", s.name(v));
            let span = request.renamed.first().map_or(request.span, |n| n.span);
            return fail("precompute-variable", span, message, help);
        }
    }
    Ok(())
}

/// An expression under new names.
pub(super) fn substitute(e: &Expr, map: &Map) -> Expr {
    match e {
        Expr::Access(a) => Expr::Access(renamed_access(a, map)),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(substitute(a, map))),
        Expr::Binary(op, a, b) => {
            Expr::Binary(*op, Box::new(substitute(a, map)), Box::new(substitute(b, map)))
        }
        Expr::Workspace(..) | Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
    }
}

fn renamed_access(a: &Access, map: &Map) -> Access {
    let of = |v: &IndexVar| map.iter().find(|(old, _)| old == v).map_or(*v, |&(_, new)| new);
    Access { tensor: a.tensor, indices: a.indices.iter().map(of).collect() }
}
