//! The shared storage: our tensors, of which every other implementation reads the very arrays.

use crate::real::Real;
use crate::view::{Csf3View, CsrView};
use sparse_core::error::Result;
use sparse_core::format::Format;
use sparse_core::tensor::{Coordinates, Csc, Csf3, Csr, Tensor};

/// A matrix, by rows.
pub(crate) fn by_rows<T: Real>(a: &Csr<T>) -> CsrView<'_, T> {
    let [rows, cols] = a.dims();
    let level = a.level(1);
    CsrView { rows, cols, pos: level.pos(), crd: level.crd(), vals: a.vals() }
}

/// A matrix by columns: the rows of its transpose.
pub(crate) fn by_columns<T: Real>(a: &Csc<T>) -> CsrView<'_, T> {
    let [rows, cols] = a.dims();
    let level = a.level(1);
    CsrView { rows: cols, cols: rows, pos: level.pos(), crd: level.crd(), vals: a.vals() }
}

/// An order-3 tensor, by fibers.
pub(crate) fn fibers<T: Real>(a: &Csf3<T>) -> Csf3View<'_, T> {
    let [first, second, third] = [a.level(0), a.level(1), a.level(2)];
    Csf3View {
        dims: a.dims(),
        crd1: first.crd(),
        pos2: second.pos(),
        crd2: second.crd(),
        pos3: third.pos(),
        crd3: third.crd(),
        vals: a.vals(),
    }
}

/// A tensor in some format, of entries in double precision.
pub(crate) fn build<T: Real, F: Format>(entries: &Coordinates<f64>) -> Result<Tensor<T, F>> {
    let Coordinates { dims, crd, vals } = entries;
    let vals = vals.iter().map(|v| T::from_f64(*v)).collect();
    Tensor::from_coordinates(Coordinates { dims: dims.clone(), crd: crd.clone(), vals })
}

/// Rows as columns.
pub(crate) fn transposed<T: Real>(a: &Csr<T>) -> Result<Csr<T>> {
    let [rows, cols] = a.dims();
    Tensor::from_triplets([cols, rows], a.iter().map(|([i, j], v)| ([j, i], v)))
}

/// Every column moved one to the right, the last one to the front.
pub(crate) fn shifted<T: Real>(a: &Csr<T>) -> Result<Csr<T>> {
    let [_, cols] = a.dims();
    Tensor::from_triplets(a.dims(), a.iter().map(|([i, j], v)| ([i, (j + 1) % cols], v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_a_matrix() {
        let crd = vec![2, 0, 0, 2, 0, 1, 2, 0];
        let a: Csr<f32> =
            build(&Coordinates { dims: vec![3, 3], crd, vals: vec![1.0, 2.0, 3.0, 4.0] }).unwrap();
        let v = by_rows(&a);
        assert_eq!((v.pos, v.crd, v.vals), (&[0, 2, 2, 3][..], &[1, 2, 0][..], &[3.0, 2.0, 5.0][..]));
        assert_eq!(v.vals.as_ptr() as usize % 64, 0);
        let t: Csc<f32> = a.convert().unwrap();
        let v = by_columns(&t);
        assert_eq!((v.pos, v.crd, v.vals), (&[0, 1, 2, 3][..], &[2, 0, 0][..], &[5.0, 3.0, 2.0][..]));
        let b = shifted(&a).unwrap();
        let v = by_rows(&b);
        assert_eq!((v.pos, v.crd, v.vals), (&[0, 2, 2, 3][..], &[0, 2, 1][..], &[2.0, 3.0, 5.0][..]));
    }

    #[test]
    fn views_of_a_tensor() {
        let crd = vec![1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 2, 2];
        let entries = Coordinates { dims: vec![2, 3, 4], crd, vals: vec![1.0, 2.0, 3.0, 4.0] };
        let t: Csf3<f64> = build(&entries).unwrap();
        let t = fibers(&t);
        assert_eq!((t.crd1, t.pos2, t.crd2), (&[0, 1][..], &[0, 1, 3][..], &[1, 0, 2][..]));
        assert_eq!((t.pos3, t.crd3), (&[0, 2, 3, 4][..], &[0, 1, 0, 2][..]));
        assert_eq!(t.vals, [3.0, 2.0, 1.0, 4.0]);
    }
}
