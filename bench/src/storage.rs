//! Storage that all implementations share: dense values aligned to 64 bytes, and sparse tensors by rows.

use crate::real::Real;
use crate::view::{Csf3View, CsrView};
use sparse_core::io::Coordinates;
use std::ops::{Deref, DerefMut};

/// One cache line, which is also one AVX-512 register.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Values that begin at a multiple of 64 bytes.
pub(crate) struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    of: std::marker::PhantomData<T>,
}

impl<T: Real> Aligned<T> {
    /// All zero.
    pub(crate) fn zeros(len: usize) -> Self {
        let lines = (len * size_of::<T>()).div_ceil(size_of::<Line>());
        Aligned { lines: vec![Line([0; 64]); lines], len, of: std::marker::PhantomData }
    }

    /// A copy.
    pub(crate) fn from_values(values: impl ExactSizeIterator<Item = T>) -> Self {
        let mut aligned = Self::zeros(values.len());
        aligned.iter_mut().zip(values).for_each(|(to, from)| *to = from);
        aligned
    }

    /// Numbers between −1 and 1, the same ones for the same seed.
    pub(crate) fn random(len: usize, seed: u64) -> Self {
        let mut state = seed;
        Self::from_values((0..len).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::from_f64((state >> 40) as f64 / f64::from(1u32 << 23) - 1.0)
        }))
    }
}

impl<T: Real> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the lines hold at least `len` values of a type whose every bit pattern is a value, initialised, and
        // are aligned to 64 bytes, more than any `Real` asks for.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Real> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

/// A matrix in compressed sparse rows, or columns, as whoever made it says.
pub(crate) struct Csr<T> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) pos: Vec<i32>,
    pub(crate) crd: Vec<i32>,
    pub(crate) vals: Aligned<T>,
}

impl<T: Real> Csr<T> {
    /// Entries in any order; duplicates are summed.
    pub(crate) fn new(entries: &Coordinates<f64>) -> Self {
        let (crd, vals) = sorted(entries);
        let pos = positions(crd.iter().map(|c| c[0]), entries.dims[0]);
        Csr {
            rows: entries.dims[0],
            cols: entries.dims[1],
            pos,
            crd: crd.iter().map(|c| c[1]).collect(),
            vals: Aligned::from_values(vals.iter().map(|v| T::from_f64(*v))),
        }
    }

    /// What the implementations read.
    pub(crate) fn view(&self) -> CsrView<'_, T> {
        CsrView { rows: self.rows, cols: self.cols, pos: &self.pos, crd: &self.crd, vals: &self.vals }
    }

    /// Every column moved one to the right, the last one to the front.
    pub(crate) fn shifted(&self) -> Self {
        let mut crd = self.crd.clone();
        let mut order: Vec<usize> = (0..crd.len()).collect();
        for row in self.pos.windows(2) {
            let row = row[0] as usize..row[1] as usize;
            // A last column becomes the first entry of its row, the others keep their order.
            if crd[row.clone()].last().is_some_and(|j| *j as usize == self.cols - 1) {
                crd[row.clone()].rotate_right(1);
                order[row.clone()].rotate_right(1);
            }
            for j in &mut crd[row] {
                *j = if *j as usize == self.cols - 1 { 0 } else { *j + 1 };
            }
        }
        let vals = Aligned::from_values(order.iter().map(|n| self.vals[*n]));
        Csr { rows: self.rows, cols: self.cols, pos: self.pos.clone(), crd, vals }
    }

    /// The transpose: the same matrix by columns.
    pub(crate) fn transposed(&self) -> Self {
        let mut pos = vec![0; self.cols + 1];
        for j in &self.crd {
            pos[*j as usize + 1] += 1;
        }
        for j in 0..self.cols {
            pos[j + 1] += pos[j];
        }
        let mut next = pos.clone();
        let mut crd = vec![0; self.crd.len()];
        let mut vals = Aligned::zeros(self.crd.len());
        for i in 0..self.rows {
            for p in self.pos[i] as usize..self.pos[i + 1] as usize {
                let to = &mut next[self.crd[p] as usize];
                crd[*to as usize] = i as i32;
                vals[*to as usize] = self.vals[p];
                *to += 1;
            }
        }
        Csr { rows: self.cols, cols: self.rows, pos, crd, vals }
    }
}

/// An order-3 tensor, all levels compressed.
pub(crate) struct Csf3<T> {
    dims: [usize; 3],
    crd1: Vec<i32>,
    pos2: Vec<i32>,
    crd2: Vec<i32>,
    pos3: Vec<i32>,
    crd3: Vec<i32>,
    vals: Aligned<T>,
}

impl<T: Real> Csf3<T> {
    /// Entries in any order; duplicates are summed.
    pub(crate) fn new(entries: &Coordinates<f64>) -> Self {
        let (crd, vals) = sorted(entries);
        let mut tensor = Csf3 {
            dims: [entries.dims[0], entries.dims[1], entries.dims[2]],
            crd1: vec![],
            pos2: vec![0],
            crd2: vec![],
            pos3: vec![0],
            crd3: crd.iter().map(|c| c[2]).collect(),
            vals: Aligned::from_values(vals.iter().map(|v| T::from_f64(*v))),
        };
        for (n, c) in crd.iter().enumerate() {
            let fiber = n == 0 || crd[n - 1][..2] != c[..2];
            if fiber && n > 0 {
                tensor.pos3.push(n as i32);
            }
            if n == 0 || crd[n - 1][0] != c[0] {
                if n > 0 {
                    tensor.pos2.push(tensor.crd2.len() as i32);
                }
                tensor.crd1.push(c[0]);
            }
            if fiber {
                tensor.crd2.push(c[1]);
            }
        }
        if !crd.is_empty() {
            tensor.pos3.push(crd.len() as i32);
            tensor.pos2.push(tensor.crd2.len() as i32);
        }
        tensor
    }

    /// What the implementations read.
    pub(crate) fn view(&self) -> Csf3View<'_, T> {
        Csf3View {
            dims: self.dims,
            crd1: &self.crd1,
            pos2: &self.pos2,
            crd2: &self.crd2,
            pos3: &self.pos3,
            crd3: &self.crd3,
            vals: &self.vals,
        }
    }
}

/// Coordinates in lexicographic order, each once, with the sum of its values.
fn sorted(entries: &Coordinates<f64>) -> (Vec<&[i32]>, Vec<f64>) {
    let at = |n: usize| &entries.crd[n * entries.dims.len()..][..entries.dims.len()];
    let mut order: Vec<usize> = (0..entries.vals.len()).collect();
    order.sort_by(|a, b| at(*a).cmp(at(*b)));
    let (mut crd, mut vals): (Vec<&[i32]>, Vec<f64>) =
        (Vec::with_capacity(order.len()), Vec::with_capacity(order.len()));
    for n in order {
        match (crd.last(), vals.last_mut()) {
            (Some(last), Some(sum)) if *last == at(n) => *sum += entries.vals[n],
            _ => {
                crd.push(at(n));
                vals.push(entries.vals[n]);
            }
        }
    }
    (crd, vals)
}

fn positions(rows: impl Iterator<Item = i32>, dim: usize) -> Vec<i32> {
    let mut pos = vec![0; dim + 1];
    for i in rows {
        pos[i as usize + 1] += 1;
    }
    for i in 0..dim {
        pos[i + 1] += pos[i];
    }
    pos
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Csr<f64> {
        let crd = vec![2, 0, 0, 2, 0, 1, 2, 0];
        Csr::new(&Coordinates { dims: vec![3, 3], crd, vals: vec![1.0, 2.0, 3.0, 4.0] })
    }

    #[test]
    fn duplicates_are_summed() {
        let a = matrix();
        assert_eq!(
            (&a.pos[..], &a.crd[..], &a.vals[..]),
            (&[0, 2, 2, 3][..], &[1, 2, 0][..], &[3.0, 2.0, 5.0][..])
        );
        assert_eq!(a.vals.as_ptr() as usize % 64, 0);
    }

    #[test]
    fn shift_and_transpose() {
        let a = matrix();
        let b = a.shifted();
        assert_eq!((&b.crd[..], &b.vals[..]), (&[0, 2, 1][..], &[2.0, 3.0, 5.0][..]));
        let t = a.transposed();
        assert_eq!(
            (&t.pos[..], &t.crd[..], &t.vals[..]),
            (&[0, 1, 2, 3][..], &[2, 0, 0][..], &[5.0, 3.0, 2.0][..])
        );
    }

    #[test]
    fn fibers() {
        let crd = vec![1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 2, 2];
        let t = Csf3::<f32>::new(&Coordinates { dims: vec![2, 3, 4], crd, vals: vec![1.0, 2.0, 3.0, 4.0] });
        let t = t.view();
        assert_eq!((t.crd1, t.pos2, t.crd2), (&[0, 1][..], &[0, 1, 3][..], &[1, 0, 2][..]));
        assert_eq!((t.pos3, t.crd3), (&[0, 2, 3, 4][..], &[0, 1, 0, 2][..]));
        assert_eq!(t.vals, [3.0, 2.0, 1.0, 4.0]);
    }
}
