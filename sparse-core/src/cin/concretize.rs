//! Concretization: index notation → CIN.
//!
//! Applies the einsum rule ([`terms`](super::terms)), chooses the loop order ([`order`](super::order)), and where there is none what
//! has to be computed first.

use super::check::workspace_wraps;
use super::copies::{gathered, subsets};
use super::order::{self, Around, Nest, Orders, Reduced};
use super::rename::rename;
use super::terms::{Apart, Arrays, Term, Which, access, split, sums_terms};
use super::{Access, Cin, Expr, Provenance, Stmt, Target, Workspace, WorkspaceDecl, WorkspaceFormat};
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::Level;
use crate::front::ast::{AssignOp, IndexVar, Kernel, Mode};
use crate::scalar::{BinaryOp, Monoid};
use std::ops::RangeInclusive;

/// Writes out the loops of a checked kernel.
///
/// A term of a sum whose operands need an order of loops that the others do not suit is computed first, into a workspace;
/// not if a number there would take the place of an infinity. So is one of a sum inside of a term, as in
/// `(A[i, j] + A[j, i]) / 2`, if no term of the whole helps; and where none does, an operand, as in `A[i, j] * A[j, i]`: it is
/// copied, in the order of the loops. Of several ways to copy it is the one of the fewest operands, of those one where the result
/// is not scattered whole, and of those the one of the last operands.
///
/// # Errors
/// A mistake of the compiler: where each operand is copied, each has loops of its own.
pub fn concretize(kernel: &Kernel) -> Result<Cin, Diagnostics> {
    chosen(kernel).map(|(_, cin)| cin).ok_or_else(|| {
        Diagnostic::new("internal", kernel.name.span(), "internal error in concretization: no order of loops")
            .help("this is a mistake of the compiler: please report it with this kernel")
            .into()
    })
}

/// The loops, and what of the statement is computed first.
fn chosen(kernel: &Kernel) -> Option<(Apart, Cin)> {
    if let Some(cin) = with_terms(kernel, &Apart::NONE, Rows::Kept) {
        return Some((Apart::NONE, cin));
    }
    let counts = split(kernel, &Apart::NONE).counts;
    let one = |n| Which::These(vec![n]);
    let alone = (0..counts.terms).rev().map(one).map(Apart::of_the_whole);
    let several = [1, 0].map(|first| Apart::of_the_whole(Which::From(first)));
    let sum = sums_terms(&kernel.assignment).then(|| alone.chain(several));
    let inside = (0..counts.summands).rev().map(one).map(Apart::inside);
    let but_the_first = (counts.summands > 2).then(|| Apart::inside(Which::From(1)));
    let right = |apart: Apart| {
        let cin = with_terms(kernel, &apart, Rows::Kept)?;
        (!workspace_wraps(kernel, &cin)).then_some((apart, cin))
    };
    let terms = sum.into_iter().flatten().chain(inside).chain(but_the_first).find_map(right);
    terms.or_else(|| with_fewest_copies(counts.operands, right))
}

/// Of the ways to copy some of so many operands the one that [`concretize`] describes.
fn with_fewest_copies(
    operands: usize,
    right: impl Fn(Apart) -> Option<(Apart, Cin)>,
) -> Option<(Apart, Cin)> {
    let mut sets: Vec<Vec<usize>> = subsets(operands);
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| b.cmp(a)));
    sets.chunk_by(|a, b| a.len() == b.len()).find_map(|sets| {
        let found: Vec<_> = sets.iter().filter_map(|set| right(Apart::operands(set.clone()))).collect();
        let best = found.iter().position(|(_, cin)| gathered(cin).is_none()).unwrap_or(0);
        found.into_iter().nth(best)
    })
}

/// Other loops with larger workspaces, which no loop stands outside of: one for the whole result, one for each term of a
/// sum, or those that there are, with the dimensions of the loops around them.
pub fn without_rows(kernel: &Kernel) -> impl Iterator<Item = Cin> {
    let ways = chosen(kernel).map(|(apart, _)| {
        let all = Apart { terms: Which::From(0), ..apart.clone() };
        [(apart.clone(), Rows::Scattered), (all, Rows::Kept), (apart, Rows::Lifted)]
    });
    let found = ways.into_iter().flatten().filter_map(|(apart, rows)| with_terms(kernel, &apart, rows));
    found.filter(|cin| !workspace_wraps(kernel, cin))
}

/// The loops where some terms or operands are computed first, and sums outside of loops that they do not depend on, but inside of
/// so many.
pub(super) fn with_first(kernel: &Kernel, apart: &Apart, inside_of: usize) -> Option<Cin> {
    with_terms(kernel, apart, Rows::Once { inside_of }).filter(|cin| !workspace_wraps(kernel, cin))
}

/// What becomes of workspaces inside of loops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// They stay there.
    Kept,
    /// They go outside of loops that they do not depend on, but stay inside of so many.
    Once { inside_of: usize },
    /// All of the result is scattered at once.
    Scattered,
    /// Each goes outside of the loops around it, with their variables as its first dimensions.
    Lifted,
}

/// The loops, where some terms are computed first; `None` if there are operands that no order suits.
fn with_terms(kernel: &Kernel, apart: &Apart, rows: Rows) -> Option<Cin> {
    let a = &kernel.assignment;
    let lhs = access(&a.lhs);
    let parts = split(kernel, apart);
    let (op, mut first) = (parts.op, parts.first);
    if first.iter().any(|term| term.part && term.vars.is_empty()) {
        return None;
    }
    let root = Nest {
        vars: [&lhs.indices[..], &parts.vars].concat(),
        body: &parts.rhs,
        within: None,
        order: &[],
        part: false,
        array: false,
    };
    let below = first.iter().map(|t| Nest {
        vars: t.vars.clone(),
        body: &t.body,
        within: t.within,
        order: &t.order,
        part: t.part,
        array: sparse_rows(kernel, &first, t, apart.arrays).is_some(),
    });
    let nests: Vec<Nest<'_>> = std::iter::once(root).chain(below).collect();
    let around = match rows {
        Rows::Kept | Rows::Once { .. } | Rows::Lifted => Around::Most,
        Rows::Scattered => Around::None,
    };
    let inside_of = match rows {
        Rows::Once { inside_of } => inside_of,
        Rows::Kept | Rows::Scattered | Rows::Lifted => usize::MAX,
    };
    let mut orders = order::choose(kernel, &lhs, op, &nests, around, inside_of)?;
    if rows == Rows::Lifted {
        lift(&mut orders);
    }
    let mut workspaces = workspaces(kernel, &first, &orders, apart.arrays)?;
    let scattered = orders.scatters.as_ref().map(|(_, over)| scattered(kernel, &nests, over));
    let elements: Vec<_> = orders.reductions.iter().map(|r| r.over.clone()).collect();
    let rhs = with_elements(&parts.rhs, &elements);
    first.iter_mut().for_each(|term| term.body = with_elements(&term.body, &elements));
    let mut provenance = Provenance::new(kernel);
    let mut producers = producers(kernel, &orders.reductions, &first, &workspaces, &mut provenance);
    let w = Workspace(workspaces.len() as u32);
    workspaces.extend(scattered);
    let root = statement(&orders, (lhs, w), (op, rhs), &mut producers);
    let output = &kernel.tensors[a.lhs.tensor.index()];
    Some(Cin {
        root,
        workspaces,
        provenance,
        accumulates: output.mode == Mode::InOut && a.op != AssignOp::Assign,
    })
}

/// The workspaces of what is computed first; `None` if a part of a product has none that is right.
fn workspaces(
    kernel: &Kernel,
    first: &[Term],
    orders: &Orders,
    arrays: Arrays,
) -> Option<Vec<WorkspaceDecl>> {
    let dense = kernel.tensors[kernel.assignment.lhs.tensor.index()].spec.is_dense();
    let workspace = |(n, (r, term)): (usize, (&Reduced, &Term))| {
        // Inside of a term what is not stored does not take part, and is no number.
        let rows = rows_of_array(kernel, first, n, orders, arrays);
        let format = match term.part {
            true if rows.is_some() => WorkspaceFormat::Dense,
            true => format_of_part(kernel, first, n, orders)?,
            false => format(dense && !term.inside, &r.over),
        };
        Some(WorkspaceDecl {
            name: unused(&format!("t{n}"), kernel),
            vars: r.over.clone(),
            format,
            block: 0,
            in_parts: false,
            part: term.part,
            rows,
        })
    };
    orders.reductions.iter().zip(first).enumerate().map(workspace).collect()
}

/// The workspace of a result whose loops do not come to its entries in order.
fn scattered(kernel: &Kernel, nests: &[Nest<'_>], over: &[IndexVar]) -> WorkspaceDecl {
    let dense = kernel.tensors[kernel.assignment.lhs.tensor.index()].spec.is_dense();
    let block = if dense { 0 } else { dense_block(kernel, nests, over) };
    WorkspaceDecl {
        name: unused("w", kernel),
        vars: over.to_vec(),
        format: format(dense, &over[..over.len() - block]),
        block,
        in_parts: false,
        part: false,
        rows: None,
    }
}

/// The statement in its loops, and the producers that stand between them. What is scattered is written by way of its workspace.
fn statement(
    orders: &Orders,
    (lhs, scattered): (Access, Workspace),
    (op, rhs): (Option<Monoid>, Expr),
    producers: &mut Vec<Producer>,
) -> Stmt {
    let Some((outside, over)) = &orders.scatters else {
        let assign = Stmt::Assign { target: Target::Tensor(lhs), op, rhs };
        return nest(&orders.root, 0..=orders.root.len(), assign, producers);
    };
    let (around, inside) = orders.root.split_at(*outside);
    let assign = Stmt::Assign { target: Target::Workspace(scattered, over.clone()), op, rhs };
    let producer = nest(inside, *outside..=orders.root.len(), assign, producers);
    let read = Expr::Workspace(scattered, over.clone());
    let assign = Stmt::Assign { target: Target::Tensor(lhs), op: None, rhs: read };
    let consumer = Box::new(Stmt::nest(over, assign));
    let inner = Stmt::Where { consumer, producer: Box::new(producer) };
    match outside.checked_sub(1) {
        Some(last) => nest(around, 0..=last, inner, producers),
        None => inner,
    }
}

/// What fills a workspace, and how many of the root's loops stand around it.
struct Producer {
    outside: usize,
    stmt: Stmt,
}

/// The loops that fill each workspace. Those over its dimensions have names of their own, so that a schedule for the statement's
/// loops is not about them.
fn producers(
    kernel: &Kernel,
    orders: &[Reduced],
    first: &[Term],
    workspaces: &[WorkspaceDecl],
    provenance: &mut Provenance,
) -> Vec<Producer> {
    let producer = |(n, (order, term)): (u32, (&Reduced, &Term))| {
        let target = Target::Workspace(Workspace(n), order.over.clone());
        let assign = Stmt::Assign { target, op: term.op(), rhs: term.body.clone() };
        let mut stmt = Stmt::nest(&order.loops, assign);
        for v in &order.over {
            let of = &workspaces[n as usize].name;
            let name = unused(&format!("{}_{of}", provenance.name(*v)), kernel);
            rename(&mut stmt, *v, provenance.rename(*v, &name));
        }
        Producer { outside: order.outside, stmt }
    };
    (0..).zip(orders.iter().zip(first)).map(producer).collect()
}

/// Some of the root's loops around a statement, with the producers that stand between them: where so many of the root's
/// loops are around.
fn nest(
    loops: &[IndexVar],
    depths: RangeInclusive<usize>,
    inner: Stmt,
    producers: &mut Vec<Producer>,
) -> Stmt {
    let first = *depths.start();
    let mut stmt = inner;
    for depth in (first..=first + loops.len()).rev() {
        for Producer { stmt: producer, .. } in
            producers.extract_if(.., |p| p.outside == depth && depths.contains(&depth))
        {
            stmt = Stmt::Where { consumer: Box::new(stmt), producer: Box::new(producer) };
        }
        if let Some(inside) = (depth - first).checked_sub(1) {
            stmt = Stmt::Forall { var: loops[inside], body: Box::new(stmt) };
        }
    }
    stmt
}

/// Takes the workspaces that are arrays out of the loops around them.
fn lift(orders: &mut Orders) {
    for r in orders.reductions.iter_mut().filter(|r| !r.over.is_empty()) {
        let around = &orders.root[..r.outside];
        r.over = [around, &r.over].concat();
        r.loops = [around, &r.loops].concat();
        r.outside = 0;
    }
}

/// How a workspace that nobody scheduled is stored: as an array where the result is dense, else with a list of what was
/// written, or, of several dimensions, whose product no memory need hold, as that list alone.
fn format(dense: bool, over: &[IndexVar]) -> WorkspaceFormat {
    match over {
        _ if dense => WorkspaceFormat::Dense,
        [] => WorkspaceFormat::Dense,
        [_] => WorkspaceFormat::List,
        _ => WorkspaceFormat::Sort,
    }
}

/// How many of the last variables of what is scattered are dense in all that it is made of, if a list of the one before is enough: what
/// there is depends on none of them, so that there is a whole block or nothing.
fn dense_block(kernel: &Kernel, nests: &[Nest<'_>], over: &[IndexVar]) -> usize {
    let block = over.iter().rev().take_while(|v| !order::decides(kernel, nests, **v)).count();
    let block = block.min(over.len().saturating_sub(1));
    if block + 1 == over.len() { block } else { 0 }
}

/// How a part of a product is stored, whose elements without terms are not read: as a list, or an array if all elements have
/// terms or none. Of several dimensions it is an array that loops share, as long as they stand around it: one of all of them has no
/// bound but the product of its dimensions, and there is none. A list of a whole dimension would be searched again and again, but by
/// the outermost loop.
fn format_of_part(
    kernel: &Kernel,
    first: &[Term],
    number: usize,
    orders: &Orders,
) -> Option<WorkspaceFormat> {
    let (term, r) = (&first[number], &orders.reductions[number]);
    let dense = kernel.tensors[kernel.assignment.lhs.tensor.index()].spec.is_dense();
    let mut listed = Vec::new();
    vars_of_lists(kernel, first, &term.body, &mut listed);
    let alike = dense && !r.over.iter().any(|v| listed.contains(v));
    let readers = term.within.map_or(&orders.root, |w| &orders.reductions[w].loops);
    match r.over[..] {
        // An assembled result has rows to close, with terms or without.
        [] => (dense || r.outside > 0).then_some(WorkspaceFormat::Dense),
        [v] if !alike => (r.outside > 0 || readers.first() == Some(&v)).then_some(WorkspaceFormat::List),
        [_] => Some(WorkspaceFormat::Dense),
        _ => (alike && r.outside > 0).then_some(WorkspaceFormat::Dense),
    }
}

/// The operand that says which rows of an array outside of all loops have terms, if a part of a product can be one: for each of the
/// rows its sum goes over this operand's fiber, and what is read of it are whole rows.
fn rows_of_array(
    kernel: &Kernel,
    first: &[Term],
    number: usize,
    orders: &Orders,
    arrays: Arrays,
) -> Option<Access> {
    let (term, r) = (&first[number], &orders.reductions[number]);
    let dense = kernel.tensors[kernel.assignment.lhs.tensor.index()].spec.is_dense();
    let is_array = |w: usize| rows_of_array(kernel, first, w, orders, arrays).is_some();
    // Rows that another part selects are few, or many.
    let direct = term.within.is_none_or(|w| !first[w].part || arrays == Arrays::OfArrays && is_array(w));
    let a = sparse_rows(kernel, first, term, arrays).filter(|_| dense && direct && r.outside == 0)?;
    let vars = order::level_vars(&kernel.tensors[a.tensor.index()].spec, &a);
    // The size of more is no index.
    let fits = r.over.len() <= 2;
    (fits && r.over.first() == vars.first() && r.loops.first() == vars.first()).then_some(a)
}

/// The only sparse operand of a part that is a product, if its fibers are what is summed, and arrays may be made of such parts.
fn sparse_rows(kernel: &Kernel, first: &[Term], term: &Term, arrays: Arrays) -> Option<Access> {
    let spec = |a: &Access| &kernel.tensors[a.tensor.index()].spec;
    let plain = |e: &Expr| match e {
        Expr::Access(_) | Expr::Scalar(_) | Expr::Binary(BinaryOp::Mul, ..) => true,
        Expr::Literal(v) => *v != kernel.dtype.zero(),
        Expr::Workspace(w, _) if arrays == Arrays::OfArrays => {
            sparse_rows(kernel, first, &first[w.index()], arrays).is_some()
        }
        Expr::Workspace(..) | Expr::Unary(..) | Expr::Binary(..) => false,
    };
    if arrays == Arrays::None || !term.part || term.body.any(&|e| !plain(e)) {
        return None;
    }
    let mut sparse = vec![];
    term.body.for_each_access(&mut |a| {
        if !spec(a).is_dense() && !sparse.contains(a) {
            sparse.push(a.clone());
        }
    });
    let [a] = &sparse[..] else { return None };
    let lists = matches!(spec(a).levels[..], [Level::Dense, Level::Compressed { .. }]);
    let vars = order::level_vars(spec(a), a);
    (lists && term.vars == vars[1..] && vars[0] != vars[1]).then(|| a.clone())
}

/// The variables of sparse operands that a value depends on.
fn vars_of_lists(kernel: &Kernel, first: &[Term], body: &Expr, vars: &mut Vec<IndexVar>) {
    body.for_each_access(&mut |a| {
        if !kernel.tensors[a.tensor.index()].spec.is_dense() {
            vars.extend(&a.indices);
        }
    });
    body.for_each_workspace(&mut |w| vars_of_lists(kernel, first, &first[w.index()].body, vars));
}

/// A name that nothing of the statement has.
fn unused(name: &str, kernel: &Kernel) -> String {
    let taken = |name: &str| {
        kernel.vars.iter().any(|v| v.name == name)
            || kernel.tensors.iter().any(|t| t.name == name)
            || kernel.scalars.iter().any(|s| s.name == name)
    };
    let mut name = name.to_owned();
    while taken(&name) {
        name.push('_');
    }
    name
}

/// With the elements of workspaces, by number, that an expression reads.
fn with_elements(e: &Expr, elements: &[Vec<IndexVar>]) -> Expr {
    match e {
        Expr::Workspace(w, _) => Expr::Workspace(*w, elements[w.index()].clone()),
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(with_elements(a, elements))),
        Expr::Binary(op, a, b) => {
            let (a, b) = (with_elements(a, elements), with_elements(b, elements));
            Expr::Binary(*op, Box::new(a), Box::new(b))
        }
    }
}
