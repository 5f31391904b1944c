//! `C[i, j] = A[i, j] + B[i, j]` and `C[i, j] = A[i, j] * B[i, j]`: two sorted rows merged into a third.

use crate::real::Real;
use crate::view::CsrView;

/// The arrays of a new matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Merged<T> {
    pub(crate) pos: Vec<i32>,
    pub(crate) crd: Vec<i32>,
    pub(crate) vals: Vec<T>,
}

impl<T: Real> Merged<T> {
    /// Room for `rows` rows of `most` entries in all.
    fn with_capacity(rows: usize, most: usize) -> Self {
        let mut pos = Vec::with_capacity(rows + 1);
        pos.push(0);
        Merged { pos, crd: Vec::with_capacity(most), vals: Vec::with_capacity(most) }
    }

    /// # Safety
    /// There must be room.
    #[inline(always)]
    unsafe fn push(&mut self, j: i32, v: T) {
        let n = self.crd.len();
        // SAFETY: the caller says that n is below both capacities; both lengths are n.
        unsafe {
            self.crd.as_mut_ptr().add(n).write(j);
            self.vals.as_mut_ptr().add(n).write(v);
            self.crd.set_len(n + 1);
            self.vals.set_len(n + 1);
        }
    }

    fn shrink(mut self) -> Self {
        self.crd.shrink_to_fit();
        self.vals.shrink_to_fit();
        self
    }
}

/// One pass with room for the largest possible sum, which is given back at the end.
pub(crate) fn add<T: Real>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Merged<T> {
    assert!(a.rows == b.rows && a.cols == b.cols);
    let mut c = Merged::with_capacity(a.rows, a.crd.len() + b.crd.len());
    let (mut p, mut q) = (0, 0);
    for i in 0..a.rows {
        let (p_end, q_end) = (a.pos[i + 1] as usize, b.pos[i + 1] as usize);
        // SAFETY: p and q are positions, below the number of entries; a push consumes one at least of the entries
        // that there is room for.
        unsafe {
            while p < p_end && q < q_end {
                let (j, k) = (*a.crd.get_unchecked(p), *b.crd.get_unchecked(q));
                if j == k {
                    c.push(j, *a.vals.get_unchecked(p) + *b.vals.get_unchecked(q));
                    p += 1;
                    q += 1;
                } else if j < k {
                    c.push(j, *a.vals.get_unchecked(p));
                    p += 1;
                } else {
                    c.push(k, *b.vals.get_unchecked(q));
                    q += 1;
                }
            }
            while p < p_end {
                c.push(*a.crd.get_unchecked(p), *a.vals.get_unchecked(p));
                p += 1;
            }
            while q < q_end {
                c.push(*b.crd.get_unchecked(q), *b.vals.get_unchecked(q));
                q += 1;
            }
        }
        c.pos.push(c.crd.len() as i32);
    }
    c.shrink()
}

/// As [`add`], with room for the smaller of the two.
pub(crate) fn mul<T: Real>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Merged<T> {
    assert!(a.rows == b.rows && a.cols == b.cols);
    let mut c = Merged::with_capacity(a.rows, a.crd.len().min(b.crd.len()));
    for i in 0..a.rows {
        let (mut p, p_end) = (a.pos[i] as usize, a.pos[i + 1] as usize);
        let (mut q, q_end) = (b.pos[i] as usize, b.pos[i + 1] as usize);
        // SAFETY: p and q are positions, below the number of entries; a push consumes an entry of each.
        unsafe {
            while p < p_end && q < q_end {
                let (j, k) = (*a.crd.get_unchecked(p), *b.crd.get_unchecked(q));
                if j == k {
                    c.push(j, *a.vals.get_unchecked(p) * *b.vals.get_unchecked(q));
                    p += 1;
                    q += 1;
                } else if j < k {
                    p += 1;
                } else {
                    q += 1;
                }
            }
        }
        c.pos.push(c.crd.len() as i32);
    }
    c.shrink()
}
