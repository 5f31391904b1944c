//! Kernels whose results are sparse and assembled: their second operand, and the result on the host.

use super::inputs::Sparse;
use super::kernel::Kernel;
use crate::error::Result;
use crate::storage;
use crate::view::CsrView;
use rayon::prelude::*;
use sparse_core::tensor::Csr;

/// The second operand, and the pattern that has to come out.
pub(crate) struct Assembled {
    pub(crate) second: Csr<f32>,
    pos: Vec<i32>,
    crd: Vec<i32>,
}

/// How many terms a kernel with an assembled result has: entries of both operands, or products. 0 of others.
pub(crate) fn products(kernel: Kernel, sparse: &Sparse) -> u64 {
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

impl Assembled {
    /// Of a matrix: with the values of the result.
    pub(crate) fn new(kernel: Kernel, a: &Csr<f32>) -> Result<(Assembled, Vec<f32>)> {
        let [rows, cols] = a.dims();
        let second: Csr<f32> = match kernel {
            Kernel::Add => storage::shifted(a)?,
            _ if rows == cols => a.clone(),
            _ => Csr::from_triplets([cols, rows], a.iter().map(|([i, j], v)| ([j, i], v)))?,
        };
        let (left, right) = (storage::by_rows(a), storage::by_rows(&second));
        let row = |m: &CsrView<'_, f32>, i: usize| m.pos[i] as usize..m.pos[i + 1] as usize;
        let rows: Vec<Vec<(i32, f32)>> = (0..rows)
            .into_par_iter()
            .map(|i| {
                let mut terms: Vec<(i32, f32)> = vec![];
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
                terms
            })
            .collect();
        let mut pos = vec![0];
        let mut entries = 0;
        for row in &rows {
            entries += row.len() as i32;
            pos.push(entries);
        }
        let (crd, vals) = rows.into_iter().flatten().unzip();
        Ok((Assembled { second, pos, crd }, vals))
    }

    /// Words of the second operand and of the pattern.
    pub(crate) fn words(&self) -> usize {
        let second = self.second.level(1).pos().len() + 2 * self.second.stored();
        second + self.pos.len() + self.crd.len()
    }

    /// Is this the pattern?
    pub(crate) fn check(&self, got: &Csr<f32>) -> std::result::Result<(), String> {
        let level = got.level(1);
        for (what, got, expected) in [("pos", level.pos(), &self.pos), ("crd", level.crd(), &self.crd)] {
            if got != expected {
                let at = got.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(expected.len());
                return Err(format!(
                    "{what} differs at {at}, of {} instead of {}",
                    got.len(),
                    expected.len()
                ));
            }
        }
        Ok(())
    }
}
