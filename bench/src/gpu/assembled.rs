//! Kernels whose results are sparse and assembled: their second operand, and the result on the host.

use super::inputs::Sparse;
use super::kernel::Kernel;
use crate::error::{Error, Result};
use crate::real::Real;
use crate::storage;
use crate::view::CsrView;
use rayon::prelude::*;
use sparse_core::tensor::Csr;

/// The second operand, and the pattern that has to come out.
pub(crate) struct Assembled<T: Real> {
    pub(crate) second: Csr<T>,
    pos: Vec<i32>,
    crd: Vec<i32>,
}

/// How many terms a kernel with an assembled result has: entries of both operands, or products. 0 of others.
pub(crate) fn products<T: Real>(kernel: Kernel, sparse: &Sparse<T>) -> u64 {
    let Sparse::Matrix(a) = sparse else { return 0 };
    let ([rows, cols], level) = (a.dims(), a.level(1));
    match kernel {
        Kernel::Add => 2 * a.stored() as u64,
        Kernel::Spgemm => {
            // A column of A meets a row of the second operand, which is that column again if A is not square.
            let mut column = vec![0u64; cols];
            level.crd().iter().for_each(|j| column[*j as usize] += 1);
            let row = |j: usize| (level.pos()[j + 1] - level.pos()[j]) as u64;
            let length = |j: usize| if rows == cols { row(j) } else { column[j] };
            (0..cols).map(|j| column[j] * length(j)).sum()
        }
        _ => 0,
    }
}

impl<T: Real> Assembled<T> {
    /// Of a matrix: with the values of the result.
    ///
    /// # Errors
    /// A second operand or a result of more entries than positions count.
    pub(crate) fn new(kernel: Kernel, a: &Csr<T>) -> Result<(Assembled<T>, Vec<T>)> {
        let [rows, cols] = a.dims();
        let second: Csr<T> = match kernel {
            Kernel::Add => storage::shifted(a)?,
            _ if rows == cols => a.clone(),
            _ => storage::transposed(a)?,
        };
        let (left, right) = (storage::by_rows(a), storage::by_rows(&second));
        let row = |m: &CsrView<'_, T>, i: usize| m.pos[i] as usize..m.pos[i + 1] as usize;
        let rows: Vec<Vec<(i32, T)>> = (0..rows)
            .into_par_iter()
            .map(|i| {
                let mut terms: Vec<(i32, T)> = vec![];
                for p in row(&left, i) {
                    if kernel == Kernel::Add {
                        terms.push((left.crd[p], left.vals[p]));
                        continue;
                    }
                    for q in row(&right, left.crd[p] as usize) {
                        terms.push((right.crd[q], left.vals[p] * right.vals[q]));
                    }
                }
                if kernel == Kernel::Add {
                    terms.extend(row(&right, i).map(|q| (right.crd[q], right.vals[q])));
                }
                terms.sort_by_key(|t| t.0);
                terms.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 += next.1;
                    }
                    same
                });
                // There are many rows, and most products of some are gone.
                terms.shrink_to_fit();
                terms
            })
            .collect();
        let mut pos = vec![0];
        let mut entries = 0;
        for row in &rows {
            entries += row.len();
            pos.push(i32::try_from(entries).map_err(|_| Error::TooMany(entries))?);
        }
        let (crd, vals) = rows.into_iter().flatten().unzip();
        Ok((Assembled { second, pos, crd }, vals))
    }

    /// Bytes of the second operand and of the pattern.
    pub(crate) fn bytes(&self) -> usize {
        let second = self.second.level(1).pos().len() + self.second.stored();
        4 * (second + self.pos.len() + self.crd.len()) + size_of::<T>() * self.second.stored()
    }

    /// Is this the matrix with the values `expected`, if the entries of a row may be in any order? Tells whether they are
    /// in order.
    pub(crate) fn check_in_any_order(
        &self,
        expected: &[T],
        (pos, crd, vals): (&[i32], &[i32], &[T]),
    ) -> std::result::Result<bool, String> {
        same("pos", pos, &self.pos)?;
        if crd.len() != vals.len() || crd.len() != expected.len() {
            return Err(format!("{} columns and {} values of {}", crd.len(), vals.len(), expected.len()));
        }
        let row = |i: usize| pos[i] as usize..pos[i + 1] as usize;
        let rows = (0..pos.len() - 1).into_par_iter().map(|i| {
            let (from, of) = (row(i).start, row(i));
            let mut entries: Vec<(i32, T)> = of.clone().map(|p| (crd[p], vals[p])).collect();
            let in_order = entries.is_sorted_by_key(|e| e.0);
            entries.sort_by_key(|e| e.0);
            let wrong = entries.iter().zip(of).find(|(e, p)| e.0 != self.crd[*p] || e.1 != expected[*p]);
            match wrong {
                None => Ok(in_order),
                Some(((j, v), p)) => Err(format!(
                    "entry {} of row {i} is {} in column {j}, expected {} in column {}",
                    p - from,
                    v.to_f64(),
                    expected[p].to_f64(),
                    self.crd[p]
                )),
            }
        });
        rows.try_reduce(|| true, |a, b| Ok(a && b))
    }

    /// Is this the pattern?
    pub(crate) fn check(&self, got: &Csr<T>) -> std::result::Result<(), String> {
        let level = got.level(1);
        same("pos", level.pos(), &self.pos)?;
        same("crd", level.crd(), &self.crd)
    }
}

/// Are these arrays the same?
fn same(what: &str, got: &[i32], expected: &[i32]) -> std::result::Result<(), String> {
    if got == expected {
        return Ok(());
    }
    let at = got.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(expected.len());
    Err(format!("{what} differs at {at}, of {} instead of {}", got.len(), expected.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_come_in_any_order() {
        let a: Csr<f64> = Csr::from_triplets([2, 3], [([0, 0], 1.0), ([0, 2], 2.0), ([1, 1], 3.0)]).unwrap();
        // Every column moved one to the right: 1 and 0 in the first row, 2 in the second.
        let (sum, vals) = Assembled::new(Kernel::Add, &a).unwrap();
        assert_eq!(
            (&sum.pos[..], &sum.crd[..], &vals[..]),
            (&[0, 3, 5][..], &[0, 1, 2, 1, 2][..], &[3.0, 1.0, 2.0, 3.0, 3.0][..])
        );
        let check = |crd: &[i32], got: &[f64]| sum.check_in_any_order(&vals, (&[0, 3, 5], crd, got));
        assert_eq!(check(&[0, 1, 2, 1, 2], &vals), Ok(true));
        assert_eq!(check(&[2, 0, 1, 1, 2], &[2.0, 3.0, 1.0, 3.0, 3.0]), Ok(false));
        // Values that stay where they were when columns are sorted, and a column that is there twice.
        let fault = check(&[2, 0, 1, 1, 2], &vals).unwrap_err();
        assert_eq!(fault, "entry 0 of row 0 is 1 in column 0, expected 3 in column 0");
        assert!(check(&[0, 1, 1, 1, 2], &vals).unwrap_err().starts_with("entry 2 of row 0 is 2 in column 1"));
        assert!(check(&[0, 1, 2, 1], &vals[..4]).unwrap_err().starts_with("4 columns and 4 values"));
        let fault = sum.check_in_any_order(&vals, (&[0, 2, 5], &[0, 1, 2, 1, 2], &vals)).unwrap_err();
        assert_eq!(fault, "pos differs at 1, of 3 instead of 3");
    }
}
