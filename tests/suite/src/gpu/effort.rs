//! What a kernel on an input makes, before anything is made: cases that take too long, or more memory than there is, are
//! left out by name.

use sparse_core::format::Level;
use sparse_core::front::ast::{self, Access, Expr, IndexVar};
use sparse_core::scalar::{BinaryOp, UnaryOp};
use std::borrow::Cow;

/// The most that a case makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    /// Entries of an input.
    pub(super) entries: usize,
    /// Stored elements of all tensors together, and of a dense result.
    pub(super) elements: u64,
    /// Products of entries and terms, and then steps of the interpreter of the CPU's program.
    pub(super) steps: u64,
}

/// What a case makes, at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    elements: u64,
    products: u64,
}

impl Effort {
    /// Of a kernel whose index variables have these sizes, and whose sparse tensors of such dimensions have such coordinates.
    pub(super) fn of<'a>(
        kernel: &ast::Kernel,
        sizes: &[usize],
        coords: impl Fn(&[usize]) -> Cow<'a, [Vec<usize>]>,
    ) -> Effort {
        let (mut elements, mut seen) = (0u64, vec![]);
        let mut store = |a: &Access| {
            if !seen.contains(&a.tensor) {
                seen.push(a.tensor);
                elements = elements.saturating_add(stored(kernel, a, sizes, &coords));
            }
        };
        kernel.assignment.rhs.for_each_access(&mut store);
        let lhs = &kernel.assignment.lhs;
        if kernel.tensors[lhs.tensor.index()].spec.is_dense() {
            store(lhs);
        }
        let terms = terms(&kernel.assignment.rhs);
        let products = terms.iter().map(|term| products(kernel, term, sizes, &coords));
        Effort { elements, products: products.fold(0, u64::saturating_add) }
    }

    /// Of all its tensors.
    pub(super) fn elements(&self) -> u64 {
        self.elements
    }

    /// Why it is left out, if it is.
    pub(super) fn exceeds(&self, most: &Most) -> Option<String> {
        let (elements, products) = (most.elements, most.steps);
        match () {
            () if self.elements > elements => Some(format!("its tensors have more than {elements} elements")),
            () if self.products > products => Some(format!("more than {products} products")),
            () => None,
        }
    }
}

fn dims(a: &Access, sizes: &[usize]) -> Vec<usize> {
    a.indices.iter().map(|v| sizes[v.index()]).collect()
}

fn product(sizes: impl IntoIterator<Item = usize>) -> u64 {
    sizes.into_iter().fold(1, |all, size| all.saturating_mul(size as u64))
}

/// Elements of a tensor's levels: below dense ones all, below others as many as there are entries.
fn stored<'a>(
    kernel: &ast::Kernel,
    a: &Access,
    sizes: &[usize],
    coords: &impl Fn(&[usize]) -> Cow<'a, [Vec<usize>]>,
) -> u64 {
    let (spec, dims) = (&kernel.tensors[a.tensor.index()].spec, dims(a, sizes));
    if spec.is_dense() {
        return product(dims);
    }
    let entries = coords(&dims).len() as u64;
    let (mut positions, mut all) = (1u64, 0u64);
    for (l, level) in spec.levels.iter().enumerate() {
        positions = positions.saturating_mul(dims[spec.map.dim_of_level(l)] as u64);
        if *level != Level::Dense {
            positions = positions.min(entries);
        }
        all = all.saturating_add(positions);
    }
    all
}

/// A factor of a term.
#[derive(Clone, Copy)]
struct Factor<'a> {
    access: &'a Access,
    /// Its function has a value where nothing is stored.
    is_full: bool,
}

/// The terms of a sum with their factors, products of sums multiplied out.
fn terms(e: &Expr) -> Vec<Vec<Factor<'_>>> {
    match e {
        Expr::Access(access) => vec![vec![Factor { access, is_full: false }]],
        Expr::Literal(_) | Expr::Scalar(_) => vec![vec![]],
        Expr::Unary(op, a) => {
            let mut terms = terms(a);
            if matches!(op, UnaryOp::Not | UnaryOp::Exp | UnaryOp::Ln | UnaryOp::Cos) {
                terms.iter_mut().flatten().for_each(|f| f.is_full = true);
            }
            terms
        }
        Expr::Binary(BinaryOp::Mul | BinaryOp::And | BinaryOp::Div, a, b) => {
            let (left, right) = (terms(a), terms(b));
            left.iter().flat_map(|l| right.iter().map(|r| [&l[..], &r[..]].concat())).collect()
        }
        Expr::Binary(_, a, b) => [terms(a), terms(b)].concat(),
    }
}

/// A factor's variables, and the coordinates of its entries.
type Met<'a> = (Vec<IndexVar>, Cow<'a, [Vec<usize>]>);

/// How many coordinates a term has: those at which its sparse factors meet, at the most, times the sizes of its other
/// variables.
fn products<'a>(
    kernel: &ast::Kernel,
    term: &[Factor<'_>],
    sizes: &[usize],
    coords: &impl Fn(&[usize]) -> Cow<'a, [Vec<usize>]>,
) -> u64 {
    let is_sparse = |f: &&Factor<'_>| !f.is_full && !kernel.tensors[f.access.tensor.index()].spec.is_dense();
    let mut before: Vec<Met<'a>> = vec![];
    let mut all = 1u64;
    for a in term.iter().filter(is_sparse).map(|f| f.access) {
        let own = coords(&dims(a, sizes));
        let is_known = |v: &IndexVar| before.iter().any(|(known, _)| known.contains(v));
        // How many entries meet by one variable, of which every one is an upper bound.
        let by = |at: usize| {
            let (v, rows) = (a.indices[at], degrees(&own, at, sizes[a.indices[at].index()]));
            let first = match &before[..] {
                [(known, first)] => known.iter().position(|k| *k == v).map(|k| degrees(first, k, rows.len())),
                _ => None,
            };
            match first {
                Some(first) => {
                    let pairs = first.iter().zip(&rows).map(|(a, b)| a.saturating_mul(*b));
                    pairs.fold(0, u64::saturating_add)
                }
                None => all.saturating_mul(rows.iter().copied().max().unwrap_or(0)),
            }
        };
        let met = (0..a.indices.len()).filter(|&at| is_known(&a.indices[at])).map(by).min();
        // An entry whose variables are all known adds none.
        let most = if a.indices.iter().all(is_known) { all } else { u64::MAX };
        all = met.unwrap_or(all.saturating_mul(own.len() as u64)).min(most);
        before.push((a.indices.clone(), own));
    }
    let mut others: Vec<IndexVar> = term.iter().flat_map(|f| f.access.indices.iter().copied()).collect();
    others.sort_unstable_by_key(|v| v.0);
    others.dedup();
    others.retain(|v| !before.iter().any(|(known, _)| known.contains(v)));
    all.saturating_mul(product(others.into_iter().map(|v| sizes[v.index()])))
}

/// By coordinate of a dimension, how many entries there are.
fn degrees(coords: &[Vec<usize>], dim: usize, size: usize) -> Vec<u64> {
    let mut degrees = vec![0; size];
    coords.iter().for_each(|c| degrees[c[dim]] += 1);
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparse_core::front::parse_str;

    /// Of a kernel with a matrix that has a full row, and a full column.
    fn effort(text: &str, sizes: &[usize]) -> Effort {
        let kernel = parse_str(text).unwrap();
        Effort::of(&kernel, sizes, |dims| {
            let (rows, cols) = (dims[0], dims[1]);
            let mut coords: Vec<_> = (0..rows).map(|i| vec![i, 0]).collect();
            coords.extend((1..cols).map(|j| vec![0, j]));
            coords.into()
        })
    }

    #[test]
    fn products_and_elements_are_counted() {
        let of = |text: &str, sizes: &[usize]| {
            let Effort { elements, products } = effort(text, sizes);
            (elements, products)
        };
        // Rows, entries, and values of both dense matrices; an entry has all columns.
        let spmm = "fn f(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
        assert_eq!(of(spmm, &[10, 5, 20]), (10 + 29 + 5 * 20 + 10 * 5, 29 * 5));
        // The full row meets itself, and so does each of the others.
        let ata = "fn f(A: Csr<f64>) -> Csr<f64> { C[i, k] = A[j, i] * A[j, k]; }";
        assert_eq!(of(ata, &[20, 20, 20]), (20 + 39, 20 * 20 + 19));
        // What adds a dense matrix goes through all of it.
        let sum = "fn f(B: Csr<f64>, C: DenseMat<f64>) -> DenseMat<f64> { A[i, j] = B[i, j] + C[i, j]; }";
        assert_eq!(of(sum, &[1000, 1000]), (1000 + 1999 + 2_000_000, 1999 + 1_000_000));
        let kronecker = "fn f(B: Csr<f64>, C: Csr<f64>) -> Tensor<f64, (Dense, Dense, Dense, Dense)> \
                         { A[i, k, j, l] = B[i, j] * C[k, l]; }";
        let large = of(kronecker, &[1 << 20, 4, 1 << 20, 4]);
        assert!(large.0 > 1 << 44 && large.1 == ((1 << 21) - 1) * 7, "{large:?}");
        // Without a value where nothing is stored; with one there.
        let exp = |f| format!("fn f(A: Csr<f64>) -> DenseVec<f64> {{ y[i] = {f}(A[i, j]); }}");
        assert_eq!(of(&exp("sin"), &[100, 100]).1, 199);
        assert_eq!(of(&exp("exp"), &[100, 100]).1, 10_000);
    }

    #[test]
    fn a_third_factor_is_bounded_by_its_fullest_row() {
        let text = "fn f(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> { D[i, l] = A[i, j] * B[j, k] * C[k, l]; }";
        let sizes = vec![4; 4];
        // 4·1 + 3·1·… of A and B by j: 4 in the first column, 4 in the first row; 1 each in others.
        assert_eq!(effort(text, &sizes).products, (4 * 4 + 3) * 4);
        let masked = "fn f(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = M[i, k] * A[i, j] * B[j, k]; }";
        assert_eq!(effort(masked, &sizes).products, 4 * 4 + 3);
    }

    #[test]
    fn what_is_too_much_is_said() {
        let most = Most { entries: 10, elements: 100, steps: 1000 };
        let of = |elements, products| Effort { elements, products }.exceeds(&most);
        assert_eq!(of(100, 1000), None);
        assert_eq!(of(101, 1).as_deref(), Some("its tensors have more than 100 elements"));
        assert_eq!(of(1, 1001).as_deref(), Some("more than 1000 products"));
    }
}
