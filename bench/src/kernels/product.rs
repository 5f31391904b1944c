//! `C = A·B`, `A ∘ (A·A)`, `Aᵀ·A` and `Aᵀ` of sparse matrices, the result's rows in order.

use super::sparse::{Block, Rows, SparseResult, accepts, of_hand, of_ours, of_sprs};
use super::{Bench, Candidate, faer, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand;
use crate::peers::{Scalar, mkl, sprs};
use crate::report::Key;
use crate::storage;
use crate::view::CsrView;
use sparse_core::tensor::Csr;

/// Inputs whose product takes more multiplications than this are left out, unless all are asked for: samples would take
/// minutes.
const MOST: usize = 2_000_000_000;
/// And those whose result has more entries: in double precision it would take more than 10 GB.
const LARGEST: usize = 800_000_000;

/// A·A, or A·Aᵀ where A isn't square.
pub(super) fn spgemm<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let [rows, cols] = matrix.dims();
    let transposed = if rows == cols { None } else { Some(storage::transposed(matrix)?) };
    let other = transposed.as_ref().unwrap_or(matrix);
    let (a, b) = (storage::by_rows(matrix), storage::by_rows(other));
    let key = key::<T>(bench, Kernel::Spgemm, "", input);
    if is_left_out(bench, &key, input, a, b) {
        return Ok(());
    }
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(T::spgemm(matrix, other), |m| m.as_ref().ok().map(of_ours));
    })];
    if bench.alone() {
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
                c.put(hand::spgemm(a, b), |m| Some(of_hand(m)));
            }));
        }
        let (left, right) = (sprs::matrix(a), sprs::matrix(b));
        candidates.push(Candidate::new("sprs", move |c: &mut SparseResult<T>| {
            c.put(sprs::spgemm(left, right), |m| Some(of_sprs(m)));
        }));
        faer::spgemm(&mut candidates, a, b);
    }
    if let Ok(mkl) = mkl::get()
        && let (Some(left), Some(right)) = (mkl::Matrix::new(mkl, a), mkl::Matrix::new(mkl, b))
    {
        candidates.push(Candidate::new("mkl", move |c: &mut SparseResult<T>| {
            c.put(left.product(&right), |m| {
                let (pos, crd, vals) = m.as_ref()?.parts()?;
                Some(Rows { pos, crd, vals })
            });
        }));
    }
    let check = |got: &Rows<'_, T>| accepts(got, a.rows, Expected::new(a, b));
    bench.run(&key, &mut SparseResult::new(&check), candidates, |c, call| c.check(call))
}

/// A ∘ (A·A), where A is square: of a graph without weights how many paths of two edges stand beside each edge.
pub(super) fn masked<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let a = storage::by_rows(matrix);
    let key = key::<T>(bench, Kernel::Masked, "", input);
    if a.rows != a.cols || is_left_out(bench, &key, input, a, a) {
        return Ok(());
    }
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(T::masked(matrix, matrix, matrix), |m| m.as_ref().ok().map(of_ours));
    })];
    if bench.alone() {
        candidates.push(Candidate::new("ours-merged", |c: &mut SparseResult<T>| {
            c.put(T::merged(matrix, matrix, matrix), |m| m.as_ref().ok().map(of_ours));
        }));
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
                c.put(hand::masked(a, a, a), |m| Some(of_hand(m)));
            }));
        }
    }
    let check = |got: &Rows<'_, T>| accepts(got, a.rows, Expected { mask: Some(a), ..Expected::new(a, a) });
    bench.run(&key, &mut SparseResult::new(&check), candidates, |c, call| c.check(call))
}

/// Is the product too large? Says so.
fn is_left_out<T: Scalar>(
    bench: &mut Bench,
    key: &Key,
    input: &str,
    a: CsrView<'_, T>,
    b: CsrView<'_, T>,
) -> bool {
    let products: usize = a.crd.iter().map(|j| length(b, *j as usize)).sum();
    let left_out = match products {
        _ if bench.all_products => None,
        MOST.. => Some(format!("{products} multiplications")),
        _ => entries(a, b).is_none().then(|| format!("more than {LARGEST} entries")),
    };
    let Some(why) = left_out else { return false };
    // The bar prints nothing where there is no terminal.
    bench.bar.suspend(|| eprintln!("{}: {input} left out: {why}", key.group.kernel));
    bench.report.leave_out(key, why);
    true
}

/// Aᵀ, by rows.
pub(super) fn transpose<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let a = storage::by_rows(matrix);
    let expected = storage::transposed(matrix)?;
    let (pos, crd): (Vec<i32>, Vec<i32>) = ((0..=a.rows as i32).collect(), (0..a.rows as i32).collect());
    let vals = vec![T::from_f64(1.0); a.rows];
    let one = CsrView { rows: a.rows, cols: a.rows, pos: &pos, crd: &crd, vals: &vals };
    let key = key::<T>(bench, Kernel::Transpose, "", input);
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(T::transpose(matrix), |m| m.as_ref().ok().map(of_ours));
    })];
    if bench.alone() {
        for name in ["hand", "probe"] {
            candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
                c.put(hand::transpose(a), |m| Some(of_hand(m)));
            }));
        }
        let by_rows = sprs::matrix(a);
        candidates.push(Candidate::new("sprs", move |c: &mut SparseResult<T>| {
            c.put(sprs::transpose(by_rows), |m| Some(of_sprs(m)));
        }));
    }
    let check = |got: &Rows<'_, T>| accepts(got, a.cols, Expected::new(storage::by_rows(&expected), one));
    bench.run(&key, &mut SparseResult::new(&check), candidates, |c, call| c.check(call))
}

/// Aᵀ·A.
pub(super) fn ata<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>) -> Result<()> {
    let transposed = storage::transposed(matrix)?;
    let (a, t) = (storage::by_rows(matrix), storage::by_rows(&transposed));
    let key = key::<T>(bench, Kernel::Ata, "", input);
    if is_left_out(bench, &key, input, t, a) {
        return Ok(());
    }
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(T::ata(matrix), |m| m.as_ref().ok().map(of_ours));
    })];
    if bench.alone() {
        candidates.push(Candidate::new("hand", move |c: &mut SparseResult<T>| {
            let t = hand::transpose(a);
            let t = CsrView { rows: a.cols, cols: a.rows, pos: &t.pos, crd: &t.crd, vals: &t.vals };
            c.put(hand::spgemm(t, a), |m| Some(of_hand(m)));
        }));
        let by_rows = sprs::matrix(a);
        candidates.push(Candidate::new("sprs", move |c: &mut SparseResult<T>| {
            c.put(sprs::ata(by_rows), |m| Some(of_sprs(m)));
        }));
    }
    if let Ok(mkl) = mkl::get()
        && let Some(by_rows) = mkl::Matrix::new(mkl, a)
    {
        candidates.push(Candidate::new("mkl", move |c: &mut SparseResult<T>| {
            c.put(by_rows.product_of_transpose(&by_rows), |m| {
                let (pos, crd, vals) = m.as_ref()?.parts()?;
                Some(Rows { pos, crd, vals })
            });
        }));
    }
    let check = |got: &Rows<'_, T>| accepts(got, a.cols, Expected::new(t, a));
    bench.run(&key, &mut SparseResult::new(&check), candidates, |c, call| c.check(call))
}

/// Entries in a row.
fn length<T>(m: CsrView<'_, T>, i: usize) -> usize {
    (m.pos[i + 1] - m.pos[i]) as usize
}

/// On how many coordinates products fall, unless they are too many.
fn entries<T: Copy>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Option<usize> {
    let row = |m: CsrView<'_, T>, i: usize| m.pos[i] as usize..m.pos[i + 1] as usize;
    let mut last = vec![usize::MAX; b.cols];
    let mut entries = 0;
    for i in 0..a.rows {
        for p in row(a, i) {
            for q in row(b, a.crd[p] as usize) {
                let k = b.crd[q] as usize;
                entries += usize::from(last[k] != i);
                last[k] = i;
            }
        }
        if entries > LARGEST {
            return None;
        }
    }
    Some(entries)
}

/// What the rows of a product have to be, found block by block for each result: all of it would take several times as
/// much memory as a result.
struct Expected<'a, T> {
    a: CsrView<'a, T>,
    b: CsrView<'a, T>,
    /// Multiplies the product, which is nowhere else.
    mask: Option<CsrView<'a, T>>,
    /// The first row of the next block.
    next: usize,
    /// How many products fall on each column of a row.
    terms: Vec<u32>,
    /// Where in a block a row's columns are.
    place: Vec<usize>,
    /// A block ends with the row that has its last of so many entries.
    most: usize,
}

impl<'a, T: Scalar> Expected<'a, T> {
    fn new(a: CsrView<'a, T>, b: CsrView<'a, T>) -> Self {
        Expected { a, b, mask: None, next: 0, terms: vec![0; b.cols], place: vec![0; b.cols], most: 1 << 22 }
    }
}

impl<T: Scalar> Iterator for Expected<'_, T> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let Expected { a, b, mask, most, ref mut terms, ref mut place, .. } = *self;
        let begin = self.next;
        let row = |m: CsrView<'_, T>, i: usize| m.pos[i] as usize..m.pos[i + 1] as usize;
        let columns = |j: i32| row(b, j as usize).map(|q| b.crd[q] as usize);
        let (mut pos, mut crd, mut counts) = (vec![0], vec![], vec![]);
        while self.next < a.rows && crd.len() < most {
            let first = crd.len();
            for k in row(a, self.next).flat_map(|p| columns(a.crd[p])) {
                if terms[k] == 0 {
                    crd.push(k as i32);
                }
                terms[k] += 1;
            }
            if let Some(m) = mask {
                let listed = &m.crd[row(m, self.next)];
                let gone = crd.extract_if(first.., |k| listed.binary_search(k).is_err());
                gone.for_each(|k| terms[k as usize] = 0);
            }
            crd[first..].sort_unstable();
            counts.extend(crd[first..].iter().map(|k| std::mem::take(&mut terms[*k as usize])));
            pos.push(crd.len());
            self.next += 1;
        }
        if self.next == begin {
            return None;
        }
        let mut values = Reference::builder::<T>(crd.len());
        // By column; without a mask 1 everywhere.
        let mut factors = vec![if mask.is_none() { Some(1.0) } else { None }; b.cols];
        for (i, within) in (begin..self.next).zip(pos.windows(2)) {
            for n in within[0]..within[1] {
                place[crd[n] as usize] = n;
            }
            let listed =
                mask.into_iter().flat_map(|m| row(m, i).map(move |p| (m.crd[p] as usize, m.vals[p])));
            listed.clone().for_each(|(k, value)| factors[k] = Some(value.to_f64()));
            for p in row(a, i) {
                for q in row(b, a.crd[p] as usize) {
                    let k = b.crd[q] as usize;
                    if let Some(factor) = factors[k] {
                        values.add(place[k], factor * a.vals[p].to_f64() * b.vals[q].to_f64());
                    }
                }
            }
            listed.for_each(|(k, _)| factors[k] = None);
        }
        Some(Block { rows: begin..self.next, pos, crd, values: values.finish(|n| counts[n] as usize) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_product_are_all_its_rows() {
        // [[1, 2], [0, 0], [3, 0]] · [[0, 4], [5, 6]] = [[10, 16], [0, 0], [0, 12]]
        let a = CsrView { rows: 3, cols: 2, pos: &[0, 2, 2, 3], crd: &[0, 1, 0], vals: &[1.0, 2.0, 3.0] };
        let b = CsrView { rows: 2, cols: 2, pos: &[0, 1, 3], crd: &[1, 0, 1], vals: &[4.0, 5.0, 6.0] };
        let (pos, crd, vals) = (vec![0, 2, 2, 3], [0, 1, 1], [10.0, 16.0, 12.0]);
        for (most, begins) in [(1, vec![0, 1]), (2, vec![0, 1]), (3, vec![0]), (100, vec![0])] {
            let expected = || Expected { most, ..Expected::new(a, b) };
            assert_eq!(expected().map(|block| block.rows.start).collect::<Vec<_>>(), begins);
            let rows = Rows { pos: pos.clone(), crd: &crd, vals: &vals };
            assert_eq!(accepts(&rows, 3, expected()), Ok(()));
            let rows = Rows { pos: pos.clone(), crd: &crd, vals: &[10.0, 16.0, 11.0] };
            assert!(accepts(&rows, 3, expected()).is_err());
        }
    }
}
