//! Kernels whose result is a sparse matrix: SDDMM, sums and products by elements.

use super::ours::Ours;
use super::{Bench, Candidate, key};
use crate::check::Reference;
use crate::cpu::Kernel;
use crate::error::Result;
use crate::hand::{self, Merged};
use crate::peers::{Scalar, faer, gcc, mkl, sprs};
use crate::scheduled::Scheduled;
use crate::storage;
use crate::view::CsrView;
use ::faer::sparse::SparseColMat;
use ::sprs::CsMatI;
use sparse_core::tensor::{Csr, DenseMat};
use std::hint::black_box;

/// Where an implementation leaves its result if it is wanted; while it is measured, it makes it and drops it.
pub(super) struct SparseResult<T> {
    wanted: bool,
    arrays: Option<Merged<T>>,
}

impl<T: Scalar> SparseResult<T> {
    /// Not wanted yet.
    pub(super) fn new() -> Self {
        SparseResult { wanted: false, arrays: None }
    }

    /// `arrays` reads them out of an implementation's own type.
    pub(super) fn put<R>(&mut self, result: R, arrays: impl FnOnce(&R) -> Option<Merged<T>>) {
        if self.wanted {
            self.arrays = arrays(&result);
        }
        black_box(&result);
    }

    /// Calls, and compares with `expected`, by rows; explicit zeros may be there or not.
    pub(super) fn check(
        &mut self,
        call: &mut dyn FnMut(&mut Self),
        rows: usize,
        expected: &(Merged<f64>, Reference),
    ) -> std::result::Result<(), String> {
        *self = SparseResult { wanted: true, arrays: None };
        call(self);
        self.wanted = false;
        let got = self.arrays.take().ok_or("no result")?;
        let (pattern, values) = expected;
        if got.pos.len() != rows + 1 || got.crd.len() != got.vals.len() {
            return Err(format!("{} positions, {} coordinates", got.pos.len(), got.crd.len()));
        }
        let mut found = vec![T::ZERO; pattern.crd.len()];
        for i in 0..rows {
            let mut q = pattern.pos[i] as usize;
            for p in got.pos[i] as usize..got.pos[i + 1] as usize {
                while q < pattern.pos[i + 1] as usize && pattern.crd[q] < got.crd[p] {
                    q += 1;
                }
                if q < pattern.pos[i + 1] as usize && pattern.crd[q] == got.crd[p] {
                    found[q] = got.vals[p];
                } else if got.vals[p] != T::ZERO {
                    return Err(format!("row {i} has an entry in column {}", got.crd[p]));
                }
            }
        }
        values.accepts(|n| found[n])
    }
}

/// The arrays of one of our matrices.
pub(super) fn arrays<T: Scalar>(m: &Csr<T>) -> Merged<T> {
    let m = storage::by_rows(m);
    Merged { pos: m.pos.to_vec(), crd: m.crd.to_vec(), vals: m.vals.to_vec() }
}

/// Makes a result's values.
type Values<'a, T> = Box<dyn Fn() -> Vec<T> + 'a>;

/// The values of a new matrix with the pattern of A.
pub(super) fn sddmm<T: Scalar>(bench: &mut Bench, input: &str, matrix: &Csr<T>, k: usize) -> Result<()> {
    let a = storage::by_rows(matrix);
    let x = DenseMat::<T>::random([a.rows, k], 7);
    let y = DenseMat::<T>::random([a.cols, k], 8);
    let mut candidates = vec![];
    for (name, ours) in <T as Scheduled>::sddmm() {
        let (x, y) = (&x, &y);
        candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
            c.put(ours(matrix, x, y), |s| s.as_ref().ok().map(arrays));
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
            let with =
                |vals: &Vec<T>| Merged { pos: a.pos.to_vec(), crd: a.crd.to_vec(), vals: vals.clone() };
            c.put(values(), |vals| Some(with(vals)));
        }));
    }
    let mut values = Reference::builder::<T>(a.crd.len());
    for i in 0..a.rows {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            for (x, y) in x.vals()[i * k..][..k].iter().zip(&y.vals()[a.crd[p] as usize * k..][..k]) {
                values.add(p, a.vals[p].to_f64() * x.to_f64() * y.to_f64());
            }
        }
    }
    let pattern = Merged { pos: a.pos.to_vec(), crd: a.crd.to_vec(), vals: vec![] };
    let expected = (pattern, values.finish(|_| k));
    let key = key::<T>(bench, Kernel::Sddmm, format!("K={k}"), input);
    let mut result = SparseResult::new();
    bench.run(&key, &mut result, candidates, |c, call| c.check(call, a.rows, &expected))
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
    let ours = if add { <T as Ours>::add } else { <T as Ours>::mul };
    let mut candidates = vec![Candidate::new("ours", |c: &mut SparseResult<T>| {
        c.put(ours(matrix, &shifted), |s| s.as_ref().ok().map(arrays));
    })];
    let alone = bench.alone();
    for name in ["hand", "probe"].into_iter().filter(|_| alone) {
        candidates.push(Candidate::new(name, move |c: &mut SparseResult<T>| {
            let merged = if add { hand::add(a, b) } else { hand::mul(a, b) };
            c.put(merged, |m| Some(Merged { pos: m.pos.clone(), crd: m.crd.clone(), vals: m.vals.clone() }));
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
    let expected = expected(a, b, add);
    let mut result = SparseResult::new();
    let key = key::<T>(bench, kernel, "", input);
    bench.run(&key, &mut result, candidates, |c, call| c.check(call, a.rows, &expected))
}

/// Those that add, but do not multiply by elements.
fn libraries<'a, T: Scalar>(
    candidates: &mut Vec<Candidate<'a, SparseResult<T>>>,
    a: CsrView<'a, T>,
    b: CsrView<'a, T>,
    alone: bool,
) {
    let (left, right) = (faer::by_columns(a), faer::by_columns(b));
    if alone {
        candidates.push(Candidate::new("faer", move |c: &mut SparseResult<T>| {
            c.put(faer::add(left, right), |m| m.as_ref().map(of_faer));
        }));
    }
    if let Ok(mkl) = mkl::get()
        && let (Some(left), Some(right)) = (mkl::Matrix::new(mkl, a), mkl::Matrix::new(mkl, b))
    {
        candidates.push(Candidate::new("mkl", move |c: &mut SparseResult<T>| {
            c.put(left.add(&right), |m| {
                let (pos, crd, vals) = m.as_ref()?.parts()?;
                Some(Merged { pos, crd, vals })
            });
        }));
    }
}

/// The arrays of a matrix of `sprs`.
pub(super) fn of_sprs<T: Scalar>(m: &CsMatI<T, i32>) -> Merged<T> {
    let pos = m.indptr().raw_storage().to_vec();
    Merged { pos, crd: m.indices().to_vec(), vals: m.data().to_vec() }
}

/// The arrays of a matrix of `faer`, whose columns are our rows.
pub(super) fn of_faer<T: Scalar>(m: &SparseColMat<u32, T>) -> Merged<T> {
    let signed = |v: &[u32]| v.iter().map(|n| *n as i32).collect();
    Merged { pos: signed(m.col_ptr()), crd: signed(m.row_idx()), vals: m.val().to_vec() }
}

/// The union or the intersection of two patterns, by a dense row.
fn expected<T: Scalar>(a: CsrView<'_, T>, b: CsrView<'_, T>, add: bool) -> (Merged<f64>, Reference) {
    let mut pattern = Merged { pos: vec![0], crd: vec![], vals: vec![] };
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
                pattern.crd.push(j);
                terms.push(if add { [l, r] } else { [l * r, 0.0] });
            }
        }
        pattern.pos.push(pattern.crd.len() as i32);
    }
    let mut values = Reference::builder::<T>(terms.len());
    for (n, terms) in terms.into_iter().enumerate() {
        terms.into_iter().for_each(|t| values.add(n, t));
    }
    (pattern, values.finish(|_| 2))
}
