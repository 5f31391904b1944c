//! `C = A·B` of sparse matrices: Gustavson's way, row by row in a dense accumulator, with a sorted list of what is in it;
//! `C = M ∘ (A·B)`, where the mask's row is that list; and `Aᵀ` by counting.

use super::Merged;
use crate::real::Real;
use crate::view::CsrView;

/// Rows of the result are in order.
pub(crate) fn spgemm<T: Real>(a: CsrView<'_, T>, b: CsrView<'_, T>) -> Merged<T> {
    assert!(a.cols == b.rows);
    let mut c = Merged { pos: Vec::with_capacity(a.rows + 1), crd: vec![], vals: vec![] };
    c.pos.push(0);
    let mut sums = vec![T::ZERO; b.cols];
    // The last row that has written a column, counted from 1.
    let mut rows = vec![0_u32; b.cols];
    for i in 0..a.rows {
        let begin = c.crd.len();
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            let j = a.crd[p] as usize;
            for q in b.pos[j] as usize..b.pos[j + 1] as usize {
                // SAFETY: positions are below the number of entries, and columns below that of columns.
                unsafe {
                    let k = *b.crd.get_unchecked(q) as usize;
                    let product = *a.vals.get_unchecked(p) * *b.vals.get_unchecked(q);
                    let (sum, row) = (sums.get_unchecked_mut(k), rows.get_unchecked_mut(k));
                    if *row == i as u32 + 1 {
                        *sum += product;
                    } else {
                        *row = i as u32 + 1;
                        *sum = product;
                        c.crd.push(k as i32);
                    }
                }
            }
        }
        c.crd[begin..].sort_unstable();
        c.vals.extend(c.crd[begin..].iter().map(|k| sums[*k as usize]));
        c.pos.push(c.crd.len() as i32);
    }
    c
}

/// Rows of the result are in order, as the mask's are.
pub(crate) fn masked<T: Real>(m: CsrView<'_, T>, a: CsrView<'_, T>, b: CsrView<'_, T>) -> Merged<T> {
    assert!(a.cols == b.rows && m.cols == b.cols && m.rows == a.rows);
    let room = m.crd.len();
    let mut c = Merged { pos: vec![0], crd: Vec::with_capacity(room), vals: Vec::with_capacity(room) };
    c.pos.reserve(a.rows);
    let mut sums = vec![T::ZERO; b.cols];
    const LISTED: u8 = 1;
    const WRITTEN: u8 = 2;
    let mut marks = vec![0_u8; b.cols];
    for i in 0..a.rows {
        let listed = m.pos[i] as usize..m.pos[i + 1] as usize;
        for k in &m.crd[listed.clone()] {
            marks[*k as usize] = LISTED;
        }
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            let j = a.crd[p] as usize;
            for q in b.pos[j] as usize..b.pos[j + 1] as usize {
                // SAFETY: positions are below the number of entries, and columns below that of columns.
                unsafe {
                    let k = *b.crd.get_unchecked(q) as usize;
                    let mark = marks.get_unchecked_mut(k);
                    if *mark != 0 {
                        *mark = WRITTEN;
                        *sums.get_unchecked_mut(k) += *a.vals.get_unchecked(p) * *b.vals.get_unchecked(q);
                    }
                }
            }
        }
        for p in listed {
            let k = m.crd[p] as usize;
            if marks[k] == WRITTEN {
                c.crd.push(k as i32);
                c.vals.push(m.vals[p] * sums[k]);
                sums[k] = T::ZERO;
            }
            marks[k] = 0;
        }
        c.pos.push(c.crd.len() as i32);
    }
    c
}

/// The rows of `Aᵀ`.
pub(crate) fn transpose<T: Real>(a: CsrView<'_, T>) -> Merged<T> {
    let mut pos = vec![0; a.cols + 1];
    a.crd.iter().for_each(|j| pos[*j as usize + 1] += 1);
    for j in 0..a.cols {
        pos[j + 1] += pos[j];
    }
    let mut next = pos.clone();
    let mut t = Merged { pos, crd: vec![0; a.crd.len()], vals: vec![T::ZERO; a.crd.len()] };
    for i in 0..a.rows {
        for p in a.pos[i] as usize..a.pos[i + 1] as usize {
            // SAFETY: columns are below their number, and positions below that of entries.
            unsafe {
                let at = next.get_unchecked_mut(*a.crd.get_unchecked(p) as usize);
                *t.crd.get_unchecked_mut(*at as usize) = i as i32;
                *t.vals.get_unchecked_mut(*at as usize) = *a.vals.get_unchecked(p);
                *at += 1;
            }
        }
    }
    t
}
