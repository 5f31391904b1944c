//! Products that a GPU sums in two launches: a part that the other loops do not change first, into an array.
//!
//! ```text
//! ∀i ∀k ∀j y[k] += A[i, k] * A[i, j] * x[j]
//!     →   (∀i ∀k y[k] += A[i, k] * t0[i]) where (∀i ∀j t0[i] += A[i, j] * x[j])
//! ```
//!
//! Where a part has no terms the product has none, but an array has a zero there, which an infinite factor would show. So the one
//! sparse operand of a part is a factor of the rest too, which has an entry in a fiber only if the part has one.

use super::{Command, CommandKind, apply_own};
use crate::cin::cost::cost;
use crate::cin::order::level_vars;
use crate::cin::parts::divisions;
use crate::cin::terms::{access, summed_products, sums_terms};
use crate::cin::{Access, Cin, Stmt};
use crate::format::Fill;
use crate::front::ast::{self, IndexVar, Kernel};
use crate::front::command::{Name, Platform};
use crate::scalar::BinaryOp;

/// By so much two launches have to be less work.
const WORTH: f64 = 4.0;

/// Dimensions of an array: a matrix between two products.
const RANK: usize = 2;

/// The loops in which a part of a product is summed first, if the statement's own are much more work.
pub fn chained(kernel: &Kernel, cin: &Cin) -> Option<Cin> {
    let dense = kernel.tensors[kernel.assignment.lhs.tensor.index()].spec.is_dense();
    if !dense || sums_terms(&kernel.assignment) || !cin.workspaces.is_empty() {
        return None;
    }
    let products = summed_products(kernel);
    let [(_, factors)] = &products[..] else { return None };
    let parts = divisions(factors).into_iter();
    let found = parts.filter_map(|(_, inside, outside)| with_first(kernel, cin, &inside, &outside));
    let weighed = found.map(|cin| (cost(kernel, &cin), cin));
    let (weight, best) = weighed.reduce(|a, b| if b.0 < a.0 { b } else { a })?;
    (weight * WORTH < cost(kernel, cin)).then_some(best)
}

/// The loops in which some factors are summed first, outside of all others.
fn with_first(kernel: &Kernel, cin: &Cin, inside: &[&ast::Expr], outside: &[&ast::Expr]) -> Option<Cin> {
    let lhs = access(&kernel.assignment.lhs);
    let vars = |factors: &[&ast::Expr]| -> Vec<IndexVar> {
        factors.iter().flat_map(|f| f.accesses()).flat_map(|a| a.indices.clone()).collect()
    };
    let others = [vars(outside), lhs.indices.clone()].concat();
    let own = vars(inside);
    let kept: Vec<IndexVar> =
        cin.root.loops().into_iter().filter(|v| own.contains(v) && others.contains(v)).collect();
    let summed = own.iter().any(|v| !others.contains(v));
    if !summed || kept.is_empty() || kept.len() > RANK || !has_terms(kernel, inside, outside, &kept) {
        return None;
    }
    let product = inside
        .iter()
        .map(|f| (*f).clone())
        .reduce(|a, b| ast::Expr::Binary(BinaryOp::Mul, Box::new(a), Box::new(b)))?;
    let span = kernel.name.span();
    let name = |text: String| Name { text, span };
    let named = kept.iter().map(|v| cin.provenance.name(*v));
    let (workspace, expr_span, format) = (unused(kernel, "t0"), span, None);
    let kind = CommandKind::Precompute {
        expr: product,
        expr_span,
        vars: named.clone().map(|v| name(v.to_owned())).collect(),
        renamed: named.map(|v| name(unused(kernel, &format!("{v}_{workspace}")))).collect(),
        workspace: name(workspace.clone()),
        format,
    };
    let command = Command { span, source: ast::command(kernel, &kind), kind };
    // A CPU's arrays stand outside of the loops that they do not depend on.
    let found = apply_own(kernel, cin.clone(), &[command], Platform::Cpu).ok()?.cin;
    matches!(found.root, Stmt::Where { .. }).then_some(found)
}

/// Has a part a term wherever the rest has an entry?
fn has_terms(kernel: &Kernel, inside: &[&ast::Expr], outside: &[&ast::Expr], kept: &[IndexVar]) -> bool {
    let spec = |a: &Access| &kernel.tensors[a.tensor.index()].spec;
    let all: Vec<Access> = inside.iter().flat_map(|f| f.accesses()).map(access).collect();
    let sparse: Vec<&Access> = all.iter().filter(|a| !spec(a).is_dense()).collect();
    let [a] = sparse[..] else { return false };
    let levels = level_vars(spec(a), a);
    let above = levels.iter().take_while(|v| kept.contains(v)).count();
    let below = &levels[above..];
    let distinct = (0..below.len()).all(|n| !below[..n].contains(&below[n]) && !kept.contains(&below[n]));
    let is_witness = |b: &Access| b.tensor == a.tensor && level_vars(spec(b), b)[..above] == levels[..above];
    // What else is summed may have a dimension of size 0.
    let covers = all.iter().flat_map(|b| &b.indices).all(|v| kept.contains(v) || levels.contains(v));
    let witness = outside.iter().flat_map(|f| f.accesses()).any(|b| is_witness(&access(b)));
    spec(a).fill == Fill::Zero && distinct && covers && above > 0 && witness
}

/// A name that nothing of the statement has.
fn unused(kernel: &Kernel, name: &str) -> String {
    super::plan::Plan::new(kernel, kernel.name.span()).name(name)
}
