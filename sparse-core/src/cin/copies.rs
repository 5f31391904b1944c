//! Operands in another order: what a product is without them scattered whole.
//!
//! ```text
//! (∀i ∀k R[i, k] = w[i, k]) where (∀j ∀i ∀k w[i, k] += A[j, i] * A[j, k])
//!     →   (∀i (∀k R[i, k] = w[k]) where (∀j ∀k w[k] += t0[i, j] * A[j, k])) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = A[j_t0, i_t0])
//! ```
//!
//! and what a sum is without such a term whose others would be scattered with it:
//!
//! ```text
//! (∀i (∀k R[i, k] = t0[i, k] + t1[k]) where (∀j ∀k t1[k] += B[i, j] * C[j, k])) where (∀k_t0 ∀i_t0 t0[i_t0, k_t0] = A[k_t0, i_t0])
//! ```
//!
//! The workspace on the left has all products of pairs of entries, and is sorted; those on the right have an operand's entries,
//! and a row of the result. So it is of products where
//!
//! - the statement is a product of several operands that sums over some variable, and copied operands lack one of the result's:
//!   there are fewer entries than products, if the other operands have entries in most of the rows that are read, which is
//!   assumed of those whose first level is dense;
//! - copies are read from their beginning on, by the outermost loop: where their rows begin is not known;
//! - further loops are over stored entries, below those of the loop before: no dot products of all pairs of rows.
//!
//! Where the statement's own loops are such dot products, and its result is assembled, as of `A[i, j] * B[k, j]` of two sparse
//! matrices, an inner loop may read copies too. By counting, it is known where the rows of a matrix begin. That takes memory
//! for the whole dimension that is summed over, so that it is done where the matrix has memory for its own rows. In the copy
//! of another rows are searched, on a CPU; on a GPU all copies have their rows by counting.

use super::assembly::groups;
use super::concretize::{concretize, with_first, with_rows};
use super::order::level_vars;
use super::terms::{Apart, Which, access};
use super::{Access, Cin, Expr, Stmt, Target, WorkspaceDecl};
use crate::diag::Diagnostics;
use crate::front::ast::{self, IndexVar, Kernel};
use crate::front::command::Platform;
use crate::front::type_name;
use crate::scalar::BinaryOp;

/// Of more operands, or terms, no subsets are looked at but each alone, and the last ones.
const SUBSETS_OF: usize = 6;

/// The loops in which some operands of a product, or terms of a sum, are copied first, if the statement's own scatter all of its
/// result.
pub fn copied(kernel: &Kernel, target: Platform) -> Option<Cin> {
    let spec = &kernel.tensors[kernel.assignment.lhs.tensor.index()].spec;
    // Dense levels below are stored where loops come to the coordinate above: to other ones, if the loops are others.
    let blocks = groups(spec).is_none_or(|g| !g.suffix.is_empty());
    if blocks {
        return None;
    }
    let own = concretize(kernel).ok()?;
    match gathered(&own) {
        Some(vars) if vars.len() >= 2 => {
            copied_operands(kernel, Instead::Scattered, target).or_else(|| copied_terms(kernel))
        }
        Some(_) => None,
        None => {
            let operands = factors(&kernel.assignment.rhs)?;
            let pairs = copies(&own).is_empty() && Reads::of(kernel, &own, &operands, &[]).sums_over_pairs();
            pairs.then(|| copied_operands(kernel, Instead::Pairs, target)).flatten()
        }
    }
}

/// What a statement does without copies of its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instead {
    /// It scatters all of its result.
    Scattered,
    /// It sums over pairs of rows.
    Pairs,
}

fn copied_operands(kernel: &Kernel, instead: Instead, target: Platform) -> Option<Cin> {
    let a = &kernel.assignment;
    let operands = factors(&a.rhs)?;
    let result = level_vars(&kernel.tensors[a.lhs.tensor.index()].spec, &access(&a.lhs));
    if operands.iter().all(|o| o.indices.iter().all(|v| result.contains(v))) {
        return None;
    }
    let may = |at: usize, copies: &[usize]| {
        let spec = &kernel.tensors[operands[at].tensor.index()].spec;
        match copies.contains(&at) {
            true => {
                let once = spec.levels.last().is_some_and(|level| level.is_unique());
                let rows = target == Platform::Cpu || spec.levels.first().is_some_and(|root| root.is_full());
                let lacks = result.iter().any(|v| !operands[at].indices.contains(v));
                !spec.is_dense() && lacks && (instead == Instead::Scattered || once && rows)
            }
            false => instead == Instead::Pairs || spec.levels.first().is_none_or(|root| root.is_full()),
        }
    };
    subsets(operands.len()).into_iter().find_map(|copies| {
        let allowed = (0..operands.len()).all(|at| may(at, &copies));
        let apart = allowed.then(|| Apart::operands(copies.clone()))?;
        let cin = match instead {
            Instead::Scattered => with_first(kernel, &apart)?,
            Instead::Pairs => with_rows(kernel, &apart)?,
        };
        let reads = Reads::of(kernel, &cin, &operands, &copies);
        let found = instead == Instead::Pairs || copies.iter().all(|&at| reads.from_the_beginning(at));
        (gathered(&cin).is_none() && found && reads.further_loops_are_stored()).then_some(cin)
    })
}

/// Of a sum, terms that are not reduced, so that the others are not scattered.
fn copied_terms(kernel: &Kernel) -> Option<Cin> {
    subsets(terms(&kernel.assignment.rhs)?).into_iter().find_map(|copies| {
        let cin = with_first(kernel, &Apart::of_the_whole(Which::These(copies)))?;
        (gathered(&cin).is_none() && reduces_by_rows(&cin.root)).then_some(cin)
    })
}

/// Is nothing reduced outside of the statement's first loop, but something inside?
fn reduces_by_rows(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Where { consumer, producer } => {
            matches!(inside(producer), Stmt::Assign { op: None, .. }) && reduces_by_rows(consumer)
        }
        Stmt::Forall { .. } => matches!(inside(stmt), Stmt::Where { .. }),
        Stmt::Assign { .. } => false,
    }
}

/// Some of so many, the smallest subsets first; of too many each alone, and the last ones.
pub(super) fn subsets(of: usize) -> Vec<Vec<usize>> {
    let mut subsets: Vec<Vec<usize>> = match of {
        ..=SUBSETS_OF => {
            (1..1_usize << of).map(|set| (0..of).filter(|at| set >> at & 1 == 1).collect()).collect()
        }
        _ => (0..of).map(|at| vec![at]).chain((0..of - 1).map(|first| (first..of).collect())).collect(),
    };
    subsets.sort_by_key(Vec::len);
    subsets
}

/// How a product's operands are read by the loops around it.
struct Reads {
    /// Outermost first.
    loops: Vec<IndexVar>,
    /// Of each operand its variables from the first level on, and whether that stores which coordinates there are.
    operands: Vec<Vec<(IndexVar, bool)>>,
}

impl Reads {
    /// Of loops in which some operands are copied.
    fn of(kernel: &Kernel, cin: &Cin, operands: &[&ast::Access], copies: &[usize]) -> Self {
        let loops = loops(&cin.root);
        let read = |(at, operand): (usize, &&ast::Access)| match copies.contains(&at) {
            // In the order of the loops.
            true => {
                let mut vars = operand.indices.clone();
                vars.sort_by_key(|v| loops.iter().position(|l| l == v));
                vars.into_iter().map(|v| (v, true)).collect()
            }
            false => {
                let spec = &kernel.tensors[operand.tensor.index()].spec;
                let stored = spec.levels.iter().map(|l| !l.is_full());
                level_vars(spec, &access(operand)).into_iter().zip(stored).collect()
            }
        };
        Reads { operands: operands.iter().enumerate().map(read).collect(), loops }
    }

    /// Have all loops but the first one stored entries below those of the loops before?
    fn further_loops_are_stored(&self) -> bool {
        self.are_stored(|vars| &vars[1.min(vars.len())..])
    }

    /// Is there a further loop over a whole dimension, or over the rows of a matrix, whatever the loops before have come to?
    fn sums_over_pairs(&self) -> bool {
        !self.are_stored(|vars| if vars.len() == 1 { vars } else { &vars[1.min(vars.len())..] })
    }

    /// Have all loops but the first one stored entries, in these levels of some operand?
    fn are_stored(&self, levels: impl Fn(&[(IndexVar, bool)]) -> &[(IndexVar, bool)]) -> bool {
        let stored = |v: &IndexVar| self.operands.iter().any(|vars| levels(vars).contains(&(*v, true)));
        self.loops.iter().skip(1).all(stored)
    }

    /// Does the outermost loop read this operand?
    fn from_the_beginning(&self, at: usize) -> bool {
        self.operands[at].first().is_some_and(|(v, _)| self.loops.first() == Some(v))
    }
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
fn copies(cin: &Cin) -> Vec<(&Access, &WorkspaceDecl)> {
    fn find<'c>(cin: &'c Cin, s: &'c Stmt, found: &mut Vec<(&'c Access, &'c WorkspaceDecl)>) {
        let Stmt::Where { consumer, producer } = inside(s) else { return };
        // Not what the result itself is made of.
        let gathers = matches!(inside(consumer), Stmt::Assign { rhs: Expr::Workspace(..), op: None, .. });
        match inside(producer) {
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

/// The loops around the statement's product, outermost first.
fn loops(stmt: &Stmt) -> Vec<IndexVar> {
    match stmt {
        Stmt::Forall { var, body } => [vec![*var], loops(body)].concat(),
        Stmt::Where { consumer, producer } => match inside(consumer) {
            Stmt::Assign { rhs: Expr::Workspace(..), op: None, .. } => loops(producer),
            _ => loops(consumer),
        },
        Stmt::Assign { .. } => vec![],
    }
}

/// The operands of a product, in which there may be sums, from left to right.
fn factors(e: &ast::Expr) -> Option<Vec<&ast::Access>> {
    match e {
        ast::Expr::Binary(BinaryOp::Mul, a, b) => Some([factor(a)?, factor(b)?].concat()),
        _ => None,
    }
}

fn factor(e: &ast::Expr) -> Option<Vec<&ast::Access>> {
    match e {
        ast::Expr::Access(a) => Some(vec![a]),
        ast::Expr::Literal(_) | ast::Expr::Scalar(_) => Some(vec![]),
        ast::Expr::Binary(BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub, a, b) => {
            Some([factor(a)?, factor(b)?].concat())
        }
        ast::Expr::Unary(..) | ast::Expr::Binary(..) => None,
    }
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
        match inside(consumer) {
            Stmt::Assign { rhs: Expr::Workspace(_, vars), op: None, .. } => return Some(vars),
            // Around it stand copies.
            _ => at = consumer,
        }
    }
    None
}

/// What stands in all loops.
fn inside(mut stmt: &Stmt) -> &Stmt {
    while let Stmt::Forall { body, .. } = stmt {
        stmt = body;
    }
    stmt
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
        let rows = "(∀i (∀l C[i, l] = w[l]) where (∀j ∀k ∀l w[l] += t0[i, j] * A[j, k] * P[k, l])) where (∀j_t0 ∀i_t0 t0[i_t0, j_t0] = P[j_t0, i_t0])";
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
        let ttm = "fn f(A: Csf3<f32>, U: Csr<f32>) -> Csf3<f32> { Y[i, j, r] = A[i, j, k] * U[r, k]; }";
        let fibers = "(∀i ∀j (∀r Y[i, j, r] = w[r]) where (∀k ∀r w[r] += A[i, j, k] * t0[k, r])) where (∀r_t0 ∀k_t0 t0[k_t0, r_t0] = U[r_t0, k_t0])";
        assert_eq!(cin(ttm).as_deref(), Some(fibers));
    }

    #[test]
    fn a_term_in_another_order_does_not_scatter_the_others() {
        let text = "fn f(A: Csr<f32>, B: Csr<f32>, C: Csr<f32>) -> Csr<f32> { R[i, k] = A[k, i] + B[i, j] * C[j, k]; }";
        let rows = "(∀i (∀k R[i, k] = t0[i, k] + t1[k]) where (∀j ∀k_t1 t1[k_t1] += B[i, j] * C[j, k_t1])) where (∀k_t0 ∀i_t0 t0[i_t0, k_t0] = A[k_t0, i_t0])";
        assert_eq!(cin(text).as_deref(), Some(rows));
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
            // Rows of a copy would be searched.
            "fn f(A: Csr<f32>, B: Csr<f32>) -> Csc<f32> { C[i, k] = A[i, j] * B[j, k]; }",
            "fn f(A: Csr<f32>) -> DenseMat<f32> { R[i, k] = A[j, i] * A[j, k]; }",
            // Pairs that are asked for, or have elements.
            "fn f(S: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = S[i, k] * A[i, j] * B[k, j]; }",
            "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[k, j]; }",
            "fn f(A: Csr<f32>, X: DenseMat<f32>) -> Csr<f32> { C[i, k] = A[i, j] * X[k, j]; }",
            "fn f(u: SparseVec<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = u[k] * A[i, j] * B[k, j]; }",
        ] {
            assert_eq!(cin(text), None, "{text}");
        }
    }
}
