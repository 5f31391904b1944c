//! Kernels whose result is a sparse matrix: SDDMM, sums and products by elements.

use super::ours::Ours;
use super::{Bench, Candidate, faer, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand::{self, Merged};
use crate::peers::{Scalar, gcc, mkl, sprs};
use crate::scheduled::Scheduled;
use crate::storage;
use crate::view::CsrView;
use ::sprs::CsMatI;
use sparse_core::tensor::{Csr, DenseMat};
use std::borrow::Borrow;
use std::hint::black_box;
use std::ops::Range;

/// What an implementation made: the positions of its rows, and in its own memory what they have.
pub(super) struct Rows<'r, T> {
    pub(super) pos: Vec<i32>,
    pub(super) crd: &'r [i32],
    pub(super) vals: &'r [T],
}

/// Some rows in a row, and what they have to be.
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    /// The positions in this block at which its rows begin, and the last one ends.
    pub(super) pos: Vec<usize>,
    pub(super) crd: Vec<i32>,
    pub(super) values: Reference,
}

impl Block {
    /// The first thing that is wrong with these rows of a result, whose columns have to rise. Explicit zeros may be there
    /// or not.
    fn accepts<T: Scalar>(&self, got: &Rows<'_, T>) -> std::result::Result<(), String> {
        let mut found = vec![T::ZERO; self.crd.len()];
        for (n, i) in self.rows.clone().enumerate() {
            let (mut q, end) = (self.pos[n], self.pos[n + 1]);
            let row = got.pos[i] as usize..got.pos[i + 1] as usize;
            if !got.crd[row.clone()].is_sorted_by(|j, k| j < k) {
                return Err(format!("the columns of row {i} don't rise"));
            }
            for p in row {
                while q < end && self.crd[q] < got.crd[p] {
                    q += 1;
                }
                if q < end && self.crd[q] == got.crd[p] {
                    found[q] = got.vals[p];
                } else if got.vals[p] != T::ZERO {
                    return Err(format!("row {i} has an entry in column {}", got.crd[p]));
                }
            }
        }
        self.values.accepts(|n| found[n])
    }
}

/// What `Block`s say of a result of so many rows.
pub(super) fn accepts<T: Scalar, B: Borrow<Block>>(
    got: &Rows<'_, T>,
    rows: usize,
    blocks: impl IntoIterator<Item = B>,
) -> std::result::Result<(), String> {
    if got.pos.len() != rows + 1 || got.crd.len() != got.vals.len() {
        return Err(format!("{} positions, {} coordinates", got.pos.len(), got.crd.len()));
    }
    blocks.into_iter().try_for_each(|block| block.borrow().accepts(got))
}

/// Says what is wrong with a result.
type Check<'a, T> = &'a dyn Fn(&Rows<'_, T>) -> std::result::Result<(), String>;

/// Where an implementation shows its result, which is looked at there if that is wanted: results may take a good part
/// of the memory. While it is measured, it makes it and drops it.
pub(super) struct SparseResult<'a, T> {
    check: Check<'a, T>,
    wanted: bool,
    seen: Option<std::result::Result<(), String>>,
}

impl<'a, T: Scalar> SparseResult<'a, T> {
    /// Not wanted yet.
    pub(super) fn new(check: Check<'a, T>) -> Self {
        SparseResult { check, wanted: false, seen: None }
    }

    /// `rows` reads them out of an implementation's own type.
    pub(super) fn put<R>(&mut self, result: R, rows: impl FnOnce(&R) -> Option<Rows<'_, T>>) {
        if self.wanted {
            self.seen = rows(&result).map(|rows| (self.check)(&rows));
        }
        black_box(&result);
    }

    /// Calls, and has the result looked at.
    pub(super) fn check(&mut self, call: &mut dyn FnMut(&mut Self)) -> std::result::Result<(), String> {
        self.wanted = true;
        self.seen = None;
        call(self);
        self.wanted = false;
        self.seen.take().unwrap_or_else(|| Err("no result".into()))
    }
}

/// The rows of one of our matrices.
pub(super) fn of_ours<T: Scalar>(m: &Csr<T>) -> Rows<'_, T> {
    let m = storage::by_rows(m);
    Rows { pos: m.pos.to_vec(), crd: m.crd, vals: m.vals }
}

/// The rows that a hand-written loop made.
pub(super) fn of_hand<T: Scalar>(m: &Merged<T>) -> Rows<'_, T> {
    Rows { pos: m.pos.clone(), crd: &m.crd, vals: &m.vals }
}

/// Makes a result's values.
type Values<'a, T> = Box<dyn Fn() -> Vec<T> + 'a>;

/// The values of a new matrix with the pattern of A.
pub(super) fn sddmm<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>, k: usize) -> Result<()> {
    let a = storage::by_rows(matrix);
    let x = DenseMat::<T>::random([a.rows, k], 7);
    let y = DenseMat::<T>::random([a.cols, k], 8);
    let mut values = Reference::builder::<T>(a.crd.len());
    for i in 0..a.rows {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            for (x, y) in x.vals()[i * k..][..k].iter().zip(&y.vals()[a.crd[p] as usize * k..][..k]) {
                values.add(p, a.vals[p].to_f64() * x.to_f64() * y.to_f64());
            }
        }
    }
    let pos = a.pos.iter().map(|p| *p as usize).collect();
    let expected = [Block { rows: 0..a.rows, pos, crd: a.crd.to_vec(), values: values.finish(|_| k) }];
    let mut candidates = vec![];
    for (name, ours) in <T as Scheduled>::sddmm() {
        let (x, y) = (&x, &y);
        candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
            c.put(ours(matrix, x, y), |s| s.as_ref().ok().map(of_ours));
        }));
    }
    let mut loops: Vec<(&'static str, Values<'_, T>)> = vec![];
    if bench.alone() {
        for name in ["hand", "probe"] {
            loops.push((name, Box::new(|| hand::sddmm(a, x.vals(), y.vals(), k))));
        }
        if let Ok(gcc) = gcc::get() {
            loops.push(("gcc", Box::new(|| T::loops(gcc).sddmm(a, x.vals(), y.vals(), k))));
        }
    }
    for (name, values) in loops {
        candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
            c.put((values(), a), |(vals, a)| Some(Rows { pos: a.pos.to_vec(), crd: a.crd, vals }));
        }));
    }
    let key = key::<T>(bench, Kernel::Sddmm, format!("K={k}"), input);
    let check = |got: &Rows<'_, T>| accepts(got, a.rows, &expected);
    bench.run(&key, &mut SparseResult::new(&check), candidates, |c, call| c.check(call))
}

/// `A + B` or `A ∘ B`, where B is A with every column moved one to the right.
pub(super) fn merge<T: Scalar>(
    bench: &mut Bench,
    input: &str,
    matrix: &Csr<T>,
    kernel: Kernel,
) -> Result<()> {
    let shifted = storage::shifted(matrix)?;
    let (a, b) = (storage::by_rows(matrix), storage::by_rows(&shifted));
    let add = kernel == Kernel::Add;
    let expected = [expected(a, b, add)];
    let ours = if add { <T as Ours>::add } else { <T as Ours>::mul };
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(ours(matrix, &shifted), |s| s.as_ref().ok().map(of_ours));
    })];
    let alone = bench.alone();
    for name in ["hand", "probe"].into_iter().filter(|_| alone) {
        candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
            let merged = if add { hand::add(a, b) } else { hand::mul(a, b) };
            c.put(merged, |m| Some(of_hand(m)));
        }));
    }
    let (left, right) = (sprs::matrix(a), sprs::matrix(b));
    let merge = move |c: &mut SparseResult<T>| {
        let merged = if add { sprs::add(left, right) } else { sprs::mul(left, right) };
        c.put(merged, |m| Some(of_sprs(m)));
    };
    if alone {
        candidates.push(Candidate::new("sprs", merge));
    }
    if add {
        libraries(&mut candidates, a, b, alone);
    }
    let key = key::<T>(bench, kernel, "", input);
    let check = |got: &Rows<'_, T>| accepts(got, a.rows, &expected);
    bench.run(&key, &mut SparseResult::new(&check), candidates, |c, call| c.check(call))
}

/// Those that add, but do not multiply by elements.
fn libraries<'a, T: Scalar>(
    candidates: &mut Vec<Candidate<'a, SparseResult<T>>>,
    a: CsrView<'a, T>,
    b: CsrView<'a, T>,
    alone: bool,
) {
    if alone {
        faer::add(candidates, a, b);
    }
    if let Ok(mkl) = mkl::get()
        && let (Some(left), Some(right)) = (mkl::Matrix::new(mkl, a), mkl::Matrix::new(mkl, b))
    {
        candidates.push(Candidate::new("mkl", move |c: &mut SparseResult<T>| {
            c.put(left.add(&right), |m| {
                let (pos, crd, vals) = m.as_ref()?.parts()?;
                Some(Rows { pos, crd, vals })
            });
        }));
    }
}

/// The rows of a matrix of `sprs`.
pub(super) fn of_sprs<T: Scalar>(m: &CsMatI<T, i32>) -> Rows<'_, T> {
    Rows { pos: m.indptr().raw_storage().to_vec(), crd: m.indices(), vals: m.data() }
}

/// The union or the intersection of two patterns, by a dense row.
fn expected<T: Scalar>(a: CsrView<'_, T>, b: CsrView<'_, T>, add: bool) -> Block {
    let (mut pos, mut crd) = (vec![0], vec![]);
    let (mut left, mut right) = (vec![None; a.cols], vec![None; a.cols]);
    let mut terms = vec![];
    for i in 0..a.rows {
        let row = |m: CsrView<'_, T>| m.pos[i] as usize..m.pos[i + 1] as usize;
        row(a).for_each(|p| left[a.crd[p] as usize] = Some(a.vals[p].to_f64()));
        row(b).for_each(|p| right[b.crd[p] as usize] = Some(b.vals[p].to_f64()));
        let mut columns: Vec<i32> = a.crd[row(a)].iter().chain(&b.crd[row(b)]).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        for j in columns {
            let (l, r) = (left[j as usize].take(), right[j as usize].take());
            if add || (l.is_some() && r.is_some()) {
                let (l, r) = (l.unwrap_or(0.0), r.unwrap_or(0.0));
                crd.push(j);
                terms.push(if add { [l, r] } else { [l * r, 0.0] });
            }
        }
        pos.push(crd.len());
    }
    let mut values = Reference::builder::<T>(terms.len());
    for (n, terms) in terms.into_iter().enumerate() {
        terms.into_iter().for_each(|t| values.add(n, t));
    }
    Block { rows: 0..a.rows, pos, crd, values: values.finish(|_| 2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[[2, 0, 3], [0, 5, 0]]`, a block a row.
    fn blocks() -> [Block; 2] {
        let block = |i, crd: &[i32], vals: &[f64]| {
            let mut values = Reference::builder::<f32>(vals.len());
            vals.iter().enumerate().for_each(|(n, v)| values.add(n, *v));
            Block { rows: i..i + 1, pos: vec![0, crd.len()], crd: crd.to_vec(), values: values.finish(|_| 1) }
        };
        [block(0, &[0, 2], &[2.0, 3.0]), block(1, &[1], &[5.0])]
    }

    fn verdict(pos: &[i32], crd: &[i32], vals: &[f32]) -> std::result::Result<(), String> {
        accepts(&Rows { pos: pos.to_vec(), crd, vals }, 2, blocks())
    }

    #[test]
    fn what_is_wrong_in_any_block_is_named() {
        assert_eq!(verdict(&[0, 2, 3], &[0, 2, 1], &[2.0, 3.0, 5.0]), Ok(()));
        // Zeros may be stored.
        assert_eq!(verdict(&[0, 3, 5], &[0, 1, 2, 1, 2], &[2.0, 0.0, 3.0, 5.0, 0.0]), Ok(()));
        for (pos, crd, vals, fault) in [
            (&[0, 2][..], &[0, 2][..], &[2.0, 3.0][..], "2 positions"),
            (&[0, 2, 3], &[0, 2, 1], &[2.0, 3.0, 4.0], "value 0 is 4e0, expected 5e0"),
            (&[0, 2, 2], &[0, 2], &[2.0, 3.0], "value 0 is 0e0, expected 5e0"),
            (&[0, 2, 4], &[0, 2, 0, 1], &[2.0, 3.0, 1.0, 5.0], "row 1 has an entry in column 0"),
            (&[0, 2, 4], &[0, 2, 1, 1], &[2.0, 3.0, 5.0, 5.0], "the columns of row 1 don't rise"),
            (&[0, 2, 3], &[2, 0, 1], &[3.0, 2.0, 5.0], "the columns of row 0 don't rise"),
        ] {
            let got = verdict(pos, crd, vals).unwrap_err();
            assert!(got.contains(fault), "{got}");
        }
    }
}
