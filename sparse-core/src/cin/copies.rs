//! Operands in another order: what a product is without them scattered whole.
//!
//! ```text
//! (∀i ∀k R[i, k] = w[i, k]) where (∀j ∀i ∀k w[i, k] += A[j, i] * A[j, k])
//!     →   (∀i (∀k R[i, k] = w[k]) where (∀j ∀k w[k] += t0[i, j] * A[j, k])) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])
//! ```
//!
//! what it is without pairs of rows, in a sum too:
//!
//! ```text
//! ∀i ∀k (D[i, k] = C[i, k] + t0) where (∀j t0 += A[i, j] * B[k, j])
//!     →   (∀i (∀k D[i, k] = C[i, k] + t0[k]) where (∀j ∀k t0[k] += A[i, j] * t1[j, k])) where (∀k_t1 ∀j_t1 t1[j_t1, k_t1] = B[k_t1, j_t1])
//! ```
//!
//! and what a sum is without a term whose others would be scattered with it:
//!
//! ```text
//! (∀i (∀k R[i, k] = t0[i, k] + t1[k]) where (∀j ∀k t1[k] += B[i, j] * C[j, k])) where (∀k_t0 ∀i_t0 t0[i_t0, k_t0] = A[k_t0, i_t0])
//! ```
//!
//! A copy is read as if the operand's levels were in its order: loops have to come to them so, and the rest of the loops follow
//! from that as for any operand ([`order`](super::order)). Which copies are made is a question of [`cost`](mod@super::cost)
//! alone, so that it is one question: the products of a gathered result are sorted, pairs of rows are as many as a dimension
//! squared, and a copy costs its entries.
//!
//! By counting, it is known where the rows of a matrix begin. That takes memory for the whole dimension that is summed over, so
//! that it is done where the matrix has memory for its own rows. In the copy of another rows are searched, on a CPU; on a GPU
//! all copies have their rows by counting.

use super::assembly::groups;
use super::concretize::concretize;
use super::cost::has_mask;
use super::order::level_vars;
use super::parts::{self, in_parts};
use super::terms::{Apart, Arrays, Copied, Part, Which, access, factors_of_sums};
use super::way::{ONE_MORE, Way};
use super::{Access, Cin, Expr, Stmt, Target, WorkspaceDecl};
use crate::diag::Diagnostics;
use crate::front::ast::{self, IndexVar, Kernel};
use crate::front::command::Platform;
use crate::front::type_name;
use crate::scalar::BinaryOp;

/// Of more operands, or terms, no subsets are looked at but each alone, and the last ones.
const SUBSETS_OF: usize = 6;

/// So many ways are looked at, before the best of them is tried with more copies.
const WAYS: usize = 256;

/// A tensor of a higher rank is copied in the order that the loops have, in no other one.
const PERMUTED_RANK: usize = 3;

/// By so much loops with copies have to be less work: what copies cost is not known to a step, and they take memory.
const WORTH: f64 = 3.0;

/// By so much where the result is an array, in which nothing has to be found or sorted: a row instead of a dimension.
const WORTH_IN_ARRAY: f64 = 16.0;

/// The loops in which some operands, or parts of the statement, are computed first, if the statement's own are much more work.
///
/// Looked at are terms that are not reduced, and one or two operands in each order; then, as long as it is less work, one
/// operand more. Products are summed in parts with these copies or without.
pub fn copied(kernel: &Kernel, target: Platform) -> Option<Cin> {
    best_ways(kernel, target).and_then(|ways| ways.best).map(|way| way.cin)
}

/// The same where parts of products are arrays outside of all loops, of which all rows are summed, read or not: on the CPU, where
/// that is much less work, if enough of them are read. Each of these loops is for calls that the ones before are not for.
pub fn with_arrays(kernel: &Kernel) -> Vec<Cin> {
    let ways = if parts::any(kernel) { best_ways(kernel, Platform::Cpu) } else { None };
    let Some(Ways { own, copies, best }) = ways else { return vec![] };
    let arrays = parts::with_arrays(kernel, &own, copies.as_ref(), best.as_ref().unwrap_or(&own));
    arrays.into_iter().map(|way| way.cin).collect()
}

/// The ways to compute a statement.
struct Ways {
    own: Way,
    copies: Option<Way>,
    /// The one that is taken, if not the statement's own.
    best: Option<Way>,
}

fn best_ways(kernel: &Kernel, target: Platform) -> Option<Ways> {
    let spec = &kernel.tensors[kernel.assignment.lhs.tensor.index()].spec;
    // Dense levels below are stored where loops come to the coordinate above: to other ones, if the loops are others.
    let blocks = !spec.is_dense() && groups(spec).is_none_or(|g| !g.suffix.is_empty());
    if blocks {
        return None;
    }
    let own = Way::new(kernel, Apart::NONE, concretize(kernel).ok()?);
    let copies = with_copies(kernel, &own, target);
    let best = match target {
        Platform::Cpu => in_parts(kernel, &own, copies.clone(), Arrays::None),
        Platform::Cuda => copies.clone(),
    };
    Some(Ways { own, copies, best })
}

/// The loops with copies, and those in which masks multiply sums.
fn with_copies(kernel: &Kernel, own: &Way, target: Platform) -> Option<Way> {
    let spec = &kernel.tensors[kernel.assignment.lhs.tensor.index()].spec;
    let mut operands = Vec::new();
    kernel.assignment.rhs.for_each_access(&mut |a| operands.push(orders(kernel, a)));
    let singles: Vec<Copied> = (0..)
        .zip(operands)
        .flat_map(|(operand, orders)| orders.into_iter().map(move |order| Copied { operand, order }))
        .collect();
    // A sum that is a number is one at each coordinate that loops come to, and is stored there, also if it is of nothing: where a
    // result lists its coordinates, no other sums become numbers.
    let own_numbers = numbers(&own.cin);
    let stores_no_more = |way: &Way| {
        let mut sums = numbers(&way.cin).into_iter().zip(&own_numbers);
        let alike = spec.is_dense() || sums.all(|(here, own)| *own || !here);
        alike && (way.apart.parts.is_empty() || has_mask(kernel, &way.cin))
    };
    let of = |apart: Apart| Way::of(kernel, apart, target).filter(stores_no_more);
    // What a mask does not list is passed over where an array says so: there is one a row, of the host's threads.
    let masks = target == Platform::Cpu && !spec.is_dense();
    let masked = if masks { factors_of_sums(kernel) } else { vec![] };
    let mut best = first_ways(kernel, &singles, &masked).filter_map(of).reduce(Way::better)?;
    loop {
        let further = singles.iter().filter_map(|copied| of(best.apart.with(copied)?));
        let masked = under_masks(&best.apart, &masked).and_then(of);
        let further = further.chain(masked).reduce(Way::better);
        match further {
            Some(further) if further.weight < best.weight => best = further,
            _ => break,
        }
    }
    let worth = match spec.is_dense() {
        _ if best.apart.is_of_sums() => ONE_MORE,
        true => WORTH_IN_ARRAY,
        false => WORTH,
    };
    (best.weight * worth < own.weight).then_some(best)
}

/// The same way with sums under masks, if there are any.
fn under_masks(apart: &Apart, masked: &[Part]) -> Option<Apart> {
    let fits = apart.parts.is_empty() && !masked.is_empty();
    fits.then(|| Apart { parts: masked.to_vec(), ..apart.clone() })
}

/// Which sums are numbers, without a dimension, from left to right.
fn numbers(cin: &Cin) -> Vec<bool> {
    fn summed(s: &Stmt, found: &mut Vec<(usize, bool)>) {
        match s {
            Stmt::Forall { body, .. } => summed(body, found),
            Stmt::Where { consumer, producer } => {
                summed(consumer, found);
                summed(producer, found);
            }
            Stmt::Assign { target: Target::Workspace(w, vars), op: Some(_), .. } => {
                found.push((w.index(), vars.is_empty()));
            }
            Stmt::Assign { .. } => {}
        }
    }
    let mut found = Vec::new();
    summed(&cin.root, &mut found);
    found.sort_unstable();
    found.into_iter().map(|(_, number)| number).collect()
}

/// Nothing but what loops do not depend on, sums under a mask, terms of a sum that are not reduced, one operand, and two.
fn first_ways(kernel: &Kernel, singles: &[Copied], masked: &[Part]) -> impl Iterator<Item = Apart> {
    let terms = subsets(terms(&kernel.assignment.rhs).unwrap_or(0)).into_iter();
    let terms = terms.map(|terms| Apart::of_the_whole(Which::These(terms)));
    let one = singles.iter().map(|copied| Apart::copies(vec![copied.clone()]));
    let two = singles.iter().enumerate().flat_map(move |(at, first)| {
        let further = singles[at..].iter().filter(|then| then.operand != first.operand);
        further.map(|then| Apart::copies(vec![first.clone(), then.clone()]))
    });
    let masked =
        std::iter::once(Apart::NONE).chain(one.clone()).filter_map(|apart| under_masks(&apart, masked));
    std::iter::once(Apart::NONE).chain(masked).chain(terms).chain(one).chain(two).take(WAYS)
}

/// The orders in which an operand may be copied: of its variables, each another one than that of its levels.
fn orders(kernel: &Kernel, a: &ast::Access) -> Vec<Vec<IndexVar>> {
    let spec = &kernel.tensors[a.tensor.index()].spec;
    let vars = level_vars(spec, &access(a));
    let repeats = vars.iter().enumerate().any(|(at, v)| vars[..at].contains(v));
    match vars.len() {
        _ if spec.is_dense() || repeats => vec![],
        ..=1 => vec![],
        2..=PERMUTED_RANK => permutations(&vars).into_iter().filter(|order| *order != vars).collect(),
        _ => vec![vec![]],
    }
}

fn permutations(vars: &[IndexVar]) -> Vec<Vec<IndexVar>> {
    if vars.is_empty() {
        return vec![vec![]];
    }
    let first = |at: usize| {
        let rest = [&vars[..at], &vars[at + 1..]].concat();
        permutations(&rest).into_iter().map(move |rest| [&[vars[at]], &rest[..]].concat())
    };
    (0..vars.len()).flat_map(first).collect()
}

/// Some of so many, the smallest subsets first; of too many each alone, and the last ones.
pub fn subsets(of: usize) -> Vec<Vec<usize>> {
    let mut subsets: Vec<Vec<usize>> = match of {
        ..=SUBSETS_OF => {
            (1..1_usize << of).map(|set| (0..of).filter(|at| set >> at & 1 == 1).collect()).collect()
        }
        _ => (0..of).map(|at| vec![at]).chain((0..of - 1).map(|first| (first..of).collect())).collect(),
    };
    subsets.sort_by_key(Vec::len);
    subsets
}

/// Operands that each call copies, because their levels are in another order than the loops that read them, for `explain`.
pub fn warnings(kernel: &Kernel, cin: &Cin) -> Vec<String> {
    let warning = |(a, copy): (&Access, &WorkspaceDecl)| {
        let name = &kernel.tensors[a.tensor.index()].name;
        format!(
            "`{name}` is read in another order than that of its levels: each call copies it, into `{}`. If several calls read the same one, {}",
            copy.name,
            instead(kernel, cin, a, copy)
        )
    };
    copies(cin).into_iter().map(warning).collect()
}

/// Mistakes of a schedule, with help about the copies that are in its way: commands for their loops, which threads cannot share.
pub fn with_advice(kernel: &Kernel, cin: &Cin, mistakes: Diagnostics) -> Diagnostics {
    let Some((a, copy)) = copies(cin).first().copied() else { return mistakes };
    let mut advised = Diagnostics::new();
    for mut d in mistakes.iter().cloned() {
        let names = |w: &WorkspaceDecl| d.message.contains(&format!("`{}`", w.name));
        let about_another = cin.workspaces.iter().any(|w| w.name != copy.name && names(w));
        if matches!(d.code, "parallel-term" | "scattered-on-gpu") && !about_another {
            let name = &kernel.tensors[a.tensor.index()].name;
            let instead = instead(kernel, cin, a, copy);
            d.help =
                Some(format!("`{}` is a copy of `{name}`, which is not needed if you {instead}", copy.name));
        }
        advised.push(d);
    }
    advised
}

/// Copies of operands, and the workspaces that hold them.
pub fn copies(cin: &Cin) -> Vec<(&Access, &WorkspaceDecl)> {
    fn find<'c>(cin: &'c Cin, s: &'c Stmt, found: &mut Vec<(&'c Access, &'c WorkspaceDecl)>) {
        let Stmt::Where { consumer, producer } = s.inside() else { return };
        // Not what the result itself is made of.
        let gathers = matches!(consumer.inside(), Stmt::Assign { rhs: Expr::Workspace(..), op: None, .. });
        match producer.inside() {
            Stmt::Assign { target: Target::Workspace(w, _), op: None, rhs: Expr::Access(a) } if !gathers => {
                found.push((a, &cin.workspaces[w.index()]));
            }
            producer => find(cin, producer, found),
        }
        find(cin, consumer, found);
    }
    let mut found = Vec::new();
    find(cin, &cin.root, &mut found);
    found
}

/// What to write instead of a copy.
fn instead(kernel: &Kernel, cin: &Cin, a: &Access, copy: &WorkspaceDecl) -> String {
    let t = &kernel.tensors[a.tensor.index()];
    // Outer levels that the copy lacks stay where they are.
    let mut order: Vec<usize> = (0..t.spec.rank()).map(|l| t.spec.map.dim_of_level(l)).collect();
    let dim = |d: usize| copy.vars.iter().position(|v| *v == cin.provenance.original(a.indices[d]));
    order.sort_by_key(|d| dim(*d).map_or(0, |at| at + 1));
    let ty = type_name(&t.spec.clone().reordered(order), t.dtype);
    let mut others = false;
    let indices: Vec<IndexVar> = a.indices.iter().map(|v| cin.provenance.original(*v)).collect();
    kernel.assignment.rhs.for_each_access(&mut |b| others |= b.tensor == a.tensor && b.indices != indices);
    let declare = match others {
        true => format!("declare another parameter for this access, such as `{}2: {ty}`,", t.name),
        false => format!("declare `{}: {ty}`", t.name),
    };
    format!("{declare} and pass `{}.convert()`", t.name)
}

/// How many terms a sum has.
fn terms(e: &ast::Expr) -> Option<usize> {
    match e {
        ast::Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            Some(terms(a).unwrap_or(1) + terms(b).unwrap_or(1))
        }
        _ => None,
    }
}

/// The variables of the workspace in which all of the result is gathered, if it is.
pub fn gathered(cin: &Cin) -> Option<&[IndexVar]> {
    let mut at = &cin.root;
    while let Stmt::Where { consumer, .. } = at {
        match consumer.inside() {
            Stmt::Assign { rhs: Expr::Workspace(_, vars), op: None, .. } => return Some(vars),
            // Around it stand copies.
            _ => at = consumer,
        }
    }
    None
}
#[cfg(test)]
mod tests {
    use super::{Platform, copied};
    use crate::cin::print::print;
    use crate::front::parse_str;

    fn cin(text: &str) -> Option<String> {
        let kernel = parse_str(text).unwrap();
        copied(&kernel, Platform::Cpu).map(|cin| print(&cin, &kernel))
    }

    #[test]
    fn a_product_of_a_transpose_has_rows() {
        let text = |ty| format!("fn f(A: Csr<f32>) -> {ty} {{ R[i, k] = A[j, i] * A[j, k]; }}");
        let rows = "(∀i (∀k R[i, k] = w[k]) where (∀j ∀k w[k] += t0[i, j] * A[j, k])) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])";
        assert_eq!(cin(&text("Csr<f32>")).as_deref(), Some(rows));
        let columns = "(∀k (∀i R[i, k] = w[i]) where (∀j ∀i w[i] += A[j, i] * t0[k, j])) where (∀j_t0 ∀k_t0 t0[k_t0, j_t0] = A[j_t0, k_t0])";
        assert_eq!(cin(&text("Csc<f32>")).as_deref(), Some(columns));
        let coarse = "fn f(P: Csr<f32>, A: Csr<f32>) -> Csr<f32> { C[i, l] = P[j, i] * A[j, k] * P[k, l]; }";
        let rows = "(∀i (∀l C[i, l] = w[l]) where ((∀k ∀l w[l] += t0[k] * P[k, l]) where (∀j ∀k_t0 t0[k_t0] += t1[i, j] * A[j, k_t0]))) where (∀j_t1 ∀i_t1 t1[i_t1, j_t1] = P[j_t1, i_t1])";
        assert_eq!(cin(coarse).as_deref(), Some(rows));
        let sum = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = A[j, i] * (A[j, k] + B[j, k]); }";
        let rows = "(∀i (∀k C[i, k] = w[k]) where (∀j ∀k w[k] += t0[i, j] * (A[j, k] + B[j, k]))) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])";
        assert_eq!(cin(sum).as_deref(), Some(rows));
    }

    #[test]
    fn pairs_of_rows_are_not_multiplied() {
        let product = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = A[i, j] * B[k, j]; }";
        let rows = "(∀i (∀k C[i, k] = w[k]) where (∀j ∀k w[k] += A[i, j] * t0[j, k])) where (∀k_t0 ∀j_t0 t0[j_t0, k_t0] = B[k_t0, j_t0])";
        assert_eq!(cin(product).as_deref(), Some(rows));
        assert_eq!(cin(&product.replace("Csr<", "Dcsr<")).as_deref(), Some(rows));
        let slices = "fn f(A: Csf3<f32>, B: Csf3<f32>) -> Csr<f32> { C[i, k] = A[i, j, l] * B[k, j, l]; }";
        let all = "(∀i (∀k C[i, k] = w[k]) where (∀j ∀l ∀k w[k] += A[i, j, l] * t0[j, l, k])) where (∀k_t0 ∀j_t0 ∀l_t0 t0[j_t0, l_t0, k_t0] = B[k_t0, j_t0, l_t0])";
        assert_eq!(cin(slices).as_deref(), Some(all));
        // One copy in the order that is needed, not one of each slice in each iteration of the others.
        assert_eq!(
            cin(&slices.replace("B[k, j, l]", "B[k, l, j]")),
            Some(
                all.replace("B[k_t0, j_t0, l_t0]", "B[k_t0, l_t0, j_t0]")
                    .replace("∀k_t0 ∀j_t0 ∀l_t0", "∀k_t0 ∀l_t0 ∀j_t0")
            )
        );
        let ttm = "fn f(A: Csf3<f32>, U: Csr<f32>) -> Csf3<f32> { Y[i, j, r] = A[i, j, k] * U[r, k]; }";
        let fibers = "(∀i ∀j (∀r Y[i, j, r] = w[r]) where (∀k ∀r w[r] += A[i, j, k] * t0[k, r])) where (∀r_t0 ∀k_t0 t0[k_t0, r_t0] = U[r_t0, k_t0])";
        assert_eq!(cin(ttm).as_deref(), Some(fibers));
        let dense = "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[k, j]; }";
        let rows =
            "(∀i ∀j ∀k C[i, k] += A[i, j] * t0[j, k]) where (∀k_t0 ∀j_t0 t0[j_t0, k_t0] = B[k_t0, j_t0])";
        assert_eq!(cin(dense).as_deref(), Some(rows));
    }

    #[test]
    fn nor_are_they_in_a_term_of_a_sum() {
        let sum = "fn f(A: Csr<f32>, C: Csr<f32>) -> Csr<f32> { D[i, k] = C[i, k] + A[i, j] * A[k, j]; }";
        let rows = "(∀i (∀k D[i, k] = C[i, k] + t0[k]) where (∀j ∀k_t0 t0[k_t0] += A[i, j] * t1[j, k_t0])) where (∀k_t1 ∀j_t1 t1[j_t1, k_t1] = A[k_t1, j_t1])";
        assert_eq!(cin(sum).as_deref(), Some(rows));
        let both =
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = A[i, j] * B[k, j] + B[i, j] * A[k, j]; }";
        let rows = "((∀i ((∀k C[i, k] = t0[k] + t2[k]) where (∀j ∀k_t0 t0[k_t0] += A[i, j] * t1[j, k_t0])) where (∀j ∀k_t2 t2[k_t2] += B[i, j] * t3[j, k_t2])) where (∀k_t1 ∀j_t1 t1[j_t1, k_t1] = B[k_t1, j_t1])) where (∀k_t3 ∀j_t3 t3[j_t3, k_t3] = A[k_t3, j_t3])";
        assert_eq!(cin(both).as_deref(), Some(rows));
    }

    #[test]
    fn nor_in_a_chain() {
        let chain = "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { D[i, l] = A[i, j] * B[k, j] * C[l, k]; }";
        let rows = "((∀i (∀l D[i, l] = w[l]) where ((∀k ∀l w[l] += t0[k] * t2[k, l]) where (∀j ∀k_t0 t0[k_t0] += A[i, j] * t1[j, k_t0]))) where (∀k_t1 ∀j_t1 t1[j_t1, k_t1] = B[k_t1, j_t1])) where (∀l_t2 ∀k_t2 t2[k_t2, l_t2] = C[l_t2, k_t2])";
        assert_eq!(cin(chain).as_deref(), Some(rows));
        let vector =
            "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * A[k, j] * x[k]; }";
        let rows =
            "(∀i ∀j ∀k y[i] += A[i, j] * t0[j, k] * x[k]) where (∀k_t0 ∀j_t0 t0[j_t0, k_t0] = A[k_t0, j_t0])";
        assert_eq!(cin(vector).as_deref(), Some(rows));
        let mode = "fn f(X: Csf3<f32>, A: Csr<f32>) -> Csf3<f32> { Y[i, l, k] = X[i, j, k] * A[l, j]; }";
        let slices = "(∀i (∀l ∀k Y[i, l, k] = w[l, k]) where (∀j ∀l ∀k w[l, k] += X[i, j, k] * t0[j, l])) where (∀l_t0 ∀j_t0 t0[j_t0, l_t0] = A[l_t0, j_t0])";
        assert_eq!(cin(mode).as_deref(), Some(slices));
    }

    #[test]
    fn a_result_in_another_order_than_its_operands_is_summed_by_rows() {
        let text = "fn f(A: Csr<f32>, B: Csr<f32>) -> Csc<f32> { C[i, k] = A[i, j] * B[j, k]; }";
        let columns = "((∀k (∀i C[i, k] = w[i]) where (∀j ∀i w[i] += t0[j, i] * t1[k, j])) where (∀i_t0 ∀j_t0 t0[j_t0, i_t0] = A[i_t0, j_t0])) where (∀j_t1 ∀k_t1 t1[k_t1, j_t1] = B[j_t1, k_t1])";
        assert_eq!(cin(text).as_deref(), Some(columns));
    }

    #[test]
    fn a_term_in_another_order_does_not_scatter_the_others() {
        let text = "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { R[i, k] = A[k, i] + B[i, j] * C[j, k]; }";
        let rows = "(∀i (∀k R[i, k] = t0[i, k] + t1[k]) where (∀j ∀k_t1 t1[k_t1] += B[i, j] * C[j, k_t1])) where (∀k_t0 ∀i_t0 t0[i_t0, k_t0] = A[k_t0, i_t0])";
        assert_eq!(cin(text).as_deref(), Some(rows));
    }

    #[test]
    fn a_mask_multiplies_the_sum() {
        let masked = "fn f(M: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = A[i, j] * M[i, k] * B[j, k]; }";
        let sum = "∀i (∀k C[i, k] = M[i, k] * t0[k]) where (∀j ∀k_t0 t0[k_t0] += A[i, j] * B[j, k_t0])";
        assert_eq!(cin(masked).as_deref(), Some(sum));
        let kernel = parse_str(masked).unwrap();
        assert!(copied(&kernel, Platform::Cuda).is_none(), "a GPU's threads have no array a row");
        let more = "fn f(E: Csr<f32>, M: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = E[i, k] - M[i, k] * A[i, j] * B[j, k]; }";
        let sum =
            "∀i (∀k C[i, k] = E[i, k] - M[i, k] * t0[k]) where (∀j ∀k_t0 t0[k_t0] += A[i, j] * B[j, k_t0])";
        assert_eq!(cin(more).as_deref(), Some(sum));
        let of_transpose = masked.replace("A[i, j]", "A[j, i]");
        let copies = "(∀i (∀k C[i, k] = M[i, k] * t0[k]) where (∀j ∀k_t0 t0[k_t0] += t1[i, j] * B[j, k_t0])) where (∀j_t1 ∀i_t1 t1[i_t1, j_t1] = A[j_t1, i_t1])";
        assert_eq!(cin(&of_transpose).as_deref(), Some(copies));
    }

    #[test]
    fn nothing_is_copied_without_need() {
        for text in [
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = A[i, j] * B[j, k]; }",
            "fn f(B: Csr<f32>) -> Csr<f32> { A[j, i] = B[i, j]; }",
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { R[j, i] = A[i, j] * B[i, j]; }",
            "fn f(A: Csr<f32>) -> SparseVec<f32> { r[j] = A[i, j]; }",
            // Few rows may meet.
            "fn f(A: Dcsr<f32>, B: Dcsr<f32>) -> Csr<f32> { R[i, k] = A[j, i] * B[j, k]; }",
            // Elements of an array are added to in any order.
            "fn f(A: Csr<f32>) -> DenseMat<f32> { R[i, k] = A[j, i] * A[j, k]; }",
            "fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[j] = A[i, j] * x[i]; }",
            "fn f(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> DenseMat<f32> { Y[k, r] = X[i, j, k] * B[i, r] * C[j, r]; }",
            // Pairs that are asked for, or have elements.
            "fn f(S: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = S[i, k] * A[i, j] * B[k, j]; }",
            "fn f(A: Csr<f32>, X: DenseMat<f32>) -> Csr<f32> { C[i, k] = A[i, j] * X[k, j]; }",
            // Factors that the sum does not change list no coordinates of the workspace.
            "fn f(d: SparseVec<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = d[i] * A[i, j] * B[j, k]; }",
            "fn f(D: DenseMat<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = D[i, k] * A[i, j] * B[j, k]; }",
            "fn f(A: Csr<f32>) -> Scalar<f32> { t = A[i, j] * A[j, k] * A[i, k]; }",
        ] {
            assert_eq!(cin(text), None, "{text}");
        }
    }
}
