//! Where the loops of CIN read the accesses of a statement.

use crate::case::{Case, access_text};
use sparse_core::cin::{Cin, Expr, Stmt, Target};
use sparse_core::front::ast::{IndexVar, Kernel};
use sparse_core::scalar::{BinaryOp, UnaryOp};

/// How the loops of a statement bind the result's coordinates.
#[derive(Default)]
pub struct Bound {
    places: Vec<Place>,
    /// Some accesses go through a workspace.
    pub scattered: bool,
}

/// Where the loops read an access.
#[derive(Default)]
pub struct Place {
    /// As it is printed.
    access: String,
    /// The accesses of the term that it is a factor of: terms may have equal ones, in loops that differ.
    term: Vec<String>,
    /// The variables of the loops around it down to the last that coordinates of the result are appended in.
    pub vars: Vec<usize>,
    /// It goes through a workspace that goes on below what is appended: that may have a row for each coordinate, whatever is
    /// in it, and then blocks of the result are there for all.
    pub by_rows: bool,
    /// It is copied with a variable that is reduced: who reads the copy comes to all of its rows, entries or not.
    pub by_copies: bool,
}

impl Bound {
    /// Where an access of a term is read; a product may be summed in parts, which are terms of their own.
    pub fn place(&self, access: &str, term: &[String]) -> Option<&Place> {
        let mut read = self.places.iter().rev().filter(|p| p.access == access);
        read.clone().find(|p| p.term == term).or_else(|| read.next())
    }
}

pub fn bound(case: &Case, kernel: &Kernel, cin: &Cin) -> Option<Bound> {
    if !cin.provenance.relations().is_empty() {
        return None;
    }
    // Of a result that is packed, the list's.
    let spec = &kernel.tensors[kernel.assignment.lhs.tensor.index()].spec;
    let appended = spec.levels.iter().rposition(|l| !l.is_full())?;
    let names: Vec<&str> = (0..=appended)
        .map(|l| case.assignment.lhs.indices[spec.map.dim_of_level(l)])
        .map(|v| case.vars[v.index()].0.as_str())
        .collect();
    let mut found = Bound::default();
    let of_result = |v: usize| case.assignment.lhs.indices.iter().any(|w| w.index() == v);
    let number = |name: &str| case.vars.iter().position(|v| v.0 == name);
    loops(&cin.root, kernel, cin, &names, &mut vec![], &mut |read, path, scattered| {
        let of_block = |name: &&str| !names.contains(name) && number(name).is_some_and(of_result);
        found.places.push(Place {
            vars: path.iter().filter_map(|name| number(name)).collect(),
            by_rows: scattered.iter().any(of_block),
            by_copies: scattered.iter().any(|name| number(name).is_some_and(|v| !of_result(v))),
            ..read
        });
        found.scattered |= !scattered.is_empty();
    });
    Some(found)
}

fn loops(
    s: &Stmt,
    kernel: &Kernel,
    cin: &Cin,
    appended: &[&str],
    path: &mut Vec<String>,
    f: &mut impl FnMut(Place, &[String], &[&str]),
) {
    match s {
        Stmt::Forall { var, body } => {
            path.push(kernel.vars[cin.provenance.original(*var).index()].name.clone());
            loops(body, kernel, cin, appended, path, f);
            path.pop();
        }
        Stmt::Where { consumer, producer } => {
            loops(consumer, kernel, cin, appended, path, f);
            loops(producer, kernel, cin, appended, path, f);
        }
        Stmt::Assign { target, rhs, .. } => {
            let name = |v: &IndexVar| kernel.vars[cin.provenance.original(*v).index()].name.as_str();
            // Coordinates that go through a workspace are visited there, with all that it holds.
            let mut scattered: Vec<&str> = match target {
                Target::Tensor(_) => vec![],
                Target::Workspace(_, vars) => vars.iter().map(name).collect(),
            };
            if !scattered.iter().any(|v| appended.contains(v)) {
                scattered.clear();
            }
            let counts = |v: &String| appended.contains(&v.as_str()) || scattered.contains(&v.as_str());
            let depth = path.iter().rposition(counts).map_or(0, |d| d + 1);
            let text = |a: &sparse_core::cin::Access| {
                let vars: Vec<_> = a.indices.iter().map(name).collect();
                access_text(&kernel.tensors[a.tensor.index()].name.to_string(), &vars)
            };
            let mut terms = Vec::new();
            additive(rhs, &mut terms);
            for term in terms {
                let mut texts = Vec::new();
                term.for_each_access(&mut |a| texts.push(text(a)));
                let term = sorted(texts.clone());
                for access in texts {
                    let read = Place { access, term: term.clone(), ..Place::default() };
                    f(read, &path[..depth], &scattered);
                }
            }
        }
    }
}

/// The terms of a sum.
fn additive<'a>(e: &'a Expr, terms: &mut Vec<&'a Expr>) {
    match e {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            additive(a, terms);
            additive(b, terms);
        }
        Expr::Unary(UnaryOp::Neg, a) => additive(a, terms),
        term => terms.push(term),
    }
}

pub fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts
}
