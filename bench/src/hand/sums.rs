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
    /// Room for `rows` rows of `most` entries in all, and where they go.
    fn with_capacity(rows: usize, most: usize) -> (Self, Cursor<T>) {
        let mut pos = Vec::with_capacity(rows + 1);
        pos.push(0);
        let mut merged = Merged { pos, crd: Vec::with_capacity(most), vals: Vec::with_capacity(most) };
        let cursor = Cursor { crd: merged.crd.as_mut_ptr(), vals: merged.vals.as_mut_ptr(), len: 0 };
        (merged, cursor)
    }

    fn finish(mut self, entries: &Cursor<T>) -> Self {
        // SAFETY: so many entries were written.
        unsafe {
            self.crd.set_len(entries.len);
            self.vals.set_len(entries.len);
        }
        self.crd.shrink_to_fit();
        self.vals.shrink_to_fit();
        self
    }
}

/// Where the next entry goes. Beside the vectors, whose lengths would be stored with each entry and read again: it stays in
/// registers.
struct Cursor<T> {
    crd: *mut i32,
    vals: *mut T,
    len: usize,
}

impl<T: Real> Cursor<T> {
    /// # Safety
    /// There must be room.
    #[inline(always)]
    unsafe fn push(&mut self, j: i32, v: T) {
        // SAFETY: the caller says that the length is below both capacities.
        unsafe {
            self.crd.add(self.len).write(j);
            self.vals.add(self.len).write(v);
        }
        self.len += 1;
    }
}

/// One pass with room for the largest possible sum, which is given back at the end.
pub(crate) fn add<T: Real>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Merged<T> {
    assert!(a.rows == b.rows && a.cols == b.cols);
    let (mut c, mut entries) = Merged::with_capacity(a.rows, a.crd.len() + b.crd.len());
    let (mut p, mut q) = (0, 0);
    for i in 0..a.rows {
        let (p_end, q_end) = (a.pos[i + 1] as usize, b.pos[i + 1] as usize);
        // SAFETY: p and q are positions, below the number of entries; a push consumes one at least of the entries
        // that there is room for.
        unsafe {
            while p < p_end && q < q_end {
                let (j, k) = (*a.crd.get_unchecked(p), *b.crd.get_unchecked(q));
                if j == k {
                    entries.push(j, *a.vals.get_unchecked(p) + *b.vals.get_unchecked(q));
                    p += 1;
                    q += 1;
                } else if j < k {
                    entries.push(j, *a.vals.get_unchecked(p));
                    p += 1;
                } else {
                    entries.push(k, *b.vals.get_unchecked(q));
                    q += 1;
                }
            }
            while p < p_end {
                entries.push(*a.crd.get_unchecked(p), *a.vals.get_unchecked(p));
                p += 1;
            }
            while q < q_end {
                entries.push(*b.crd.get_unchecked(q), *b.vals.get_unchecked(q));
                q += 1;
            }
        }
        c.pos.push(entries.len as i32);
    }
    c.finish(&entries)
}

/// As [`add`], with room for the smaller of the two.
pub(crate) fn mul<T: Real>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Merged<T> {
    assert!(a.rows == b.rows && a.cols == b.cols);
    let (mut c, mut entries) = Merged::with_capacity(a.rows, a.crd.len().min(b.crd.len()));
    for i in 0..a.rows {
        let (mut p, p_end) = (a.pos[i] as usize, a.pos[i + 1] as usize);
        let (mut q, q_end) = (b.pos[i] as usize, b.pos[i + 1] as usize);
        // SAFETY: p and q are positions, below the number of entries; a push consumes an entry of each.
        unsafe {
            while p < p_end && q < q_end {
                let (j, k) = (*a.crd.get_unchecked(p), *b.crd.get_unchecked(q));
                if j == k {
                    entries.push(j, *a.vals.get_unchecked(p) * *b.vals.get_unchecked(q));
                    p += 1;
                    q += 1;
                } else if j < k {
                    p += 1;
                } else {
                    q += 1;
                }
            }
        }
        c.pos.push(entries.len as i32);
    }
    c.finish(&entries)
}
