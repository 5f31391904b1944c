//! `sprs` matrices to tensors and back. Where both are compressed along the same dimension, the vectors of a matrix with
//! 32-bit indices move, or are looked at; those of sprs' own default, `usize`, are copied, and have to fit 32 bits.

use super::{Csc, Csr, LevelArrays, Parts, Tensor};
use crate::error::{Error, Result};
use crate::format::{Format, check_dims};
use crate::scalar::Element;
use sprs::CompressedStorage::{self, CSC, CSR};
use sprs::{CsMatI, CsMatViewI};

impl<T: Element, F: Format<Coord = [usize; 2]>> TryFrom<CsMatI<T, i32>> for Tensor<T, F> {
    type Error = Error;

    /// Fails where [`Tensor::try_from_parts`] or [`Tensor::convert`] does.
    fn try_from(matrix: CsMatI<T, i32>) -> Result<Self> {
        let (dims, order) = (vec![matrix.rows(), matrix.cols()], matrix.storage());
        let (mut pos, crd, vals) = matrix.into_raw_storage();
        // Positions of a slice of a matrix begin where the matrix has it.
        if let Some(first @ 1..) = pos.first().copied() {
            pos.iter_mut().for_each(|p| *p -= first);
        }
        of_arrays(dims, order, pos, crd, vals)
    }
}

impl<T: Element, F: Format<Coord = [usize; 2]>> TryFrom<CsMatI<T, usize>> for Tensor<T, F> {
    type Error = Error;

    /// Copies positions and coordinates. Fails where they do not fit 32 bits, and where [`Tensor::convert`] does.
    fn try_from(matrix: CsMatI<T, usize>) -> Result<Self> {
        let (dims, order) = (vec![matrix.rows(), matrix.cols()], matrix.storage());
        // Coordinates are below these.
        check_dims(2, &dims)?;
        let (pos, crd, vals) = matrix.into_raw_storage();
        let first = pos.first().copied().unwrap_or(0);
        let pos = pos.into_iter().map(|p| p.wrapping_sub(first));
        of_arrays(dims, order, narrow(pos)?, narrow(crd)?, vals)
    }
}

/// Indices of 32 bits.
fn narrow(indices: impl IntoIterator<Item = usize>) -> Result<Vec<i32>> {
    let narrow = |i: usize| i32::try_from(i).map_err(|_| Error::TooManyEntries { count: i as u128 });
    indices.into_iter().map(narrow).collect()
}

fn of_arrays<T: Element, F: Format<Coord = [usize; 2]>>(
    dims: Vec<usize>,
    order: CompressedStorage,
    pos: Vec<i32>,
    crd: Vec<i32>,
    vals: Vec<T>,
) -> Result<Tensor<T, F>> {
    let levels = vec![LevelArrays::Dense, LevelArrays::compressed(pos, crd)];
    let parts = Parts { dims, levels, vals: vals.into() };
    match order {
        CSR => Csr::try_from_parts(parts)?.convert(),
        CSC => Csc::try_from_parts(parts)?.convert(),
    }
}

impl<T: Element> From<Csr<T>> for CsMatI<T, i32> {
    fn from(tensor: Csr<T>) -> Self {
        moved(CSR, tensor)
    }
}

impl<T: Element> From<Csc<T>> for CsMatI<T, i32> {
    fn from(tensor: Csc<T>) -> Self {
        moved(CSC, tensor)
    }
}

impl<T: Element> From<Csr<T>> for CsMatI<T, usize> {
    /// Copies positions and coordinates.
    fn from(tensor: Csr<T>) -> Self {
        widened(CSR, tensor)
    }
}

impl<T: Element> From<Csc<T>> for CsMatI<T, usize> {
    /// Copies positions and coordinates.
    fn from(tensor: Csc<T>) -> Self {
        widened(CSC, tensor)
    }
}

impl<'a, T: Element> From<&'a Csr<T>> for CsMatViewI<'a, T, i32> {
    /// Of the tensor's own arrays.
    fn from(tensor: &'a Csr<T>) -> Self {
        view(CSR, tensor)
    }
}

impl<'a, T: Element> From<&'a Csc<T>> for CsMatViewI<'a, T, i32> {
    /// Of the tensor's own arrays.
    fn from(tensor: &'a Csc<T>) -> Self {
        view(CSC, tensor)
    }
}

/// Of a tensor whose first level is dense, and whose second is compressed, unique, and sprs' inner dimension.
fn moved<T: Element, F: Format<Coord = [usize; 2]>>(
    order: CompressedStorage,
    tensor: Tensor<T, F>,
) -> CsMatI<T, i32> {
    let ([rows, columns], (pos, crd, vals)) = (tensor.dims, arrays(tensor));
    // SAFETY: what `format::validate` holds a tensor to is what sprs asks: a position more than there are rows (or columns),
    // from 0 to the number of entries and never falling, and in each row coordinates that rise and are below the size.
    unsafe { CsMatI::new_unchecked(order, (rows, columns), pos, crd, vals) }
}

fn widened<T: Element, F: Format<Coord = [usize; 2]>>(
    order: CompressedStorage,
    tensor: Tensor<T, F>,
) -> CsMatI<T, usize> {
    let ([rows, columns], (pos, crd, vals)) = (tensor.dims, arrays(tensor));
    let wide = |indices: Vec<i32>| -> Vec<usize> { indices.into_iter().map(|i| i as usize).collect() };
    // SAFETY: as in `moved`; no index is negative.
    unsafe { CsMatI::new_unchecked(order, (rows, columns), wide(pos), wide(crd), vals) }
}

fn view<T: Element, F: Format<Coord = [usize; 2]>>(
    order: CompressedStorage,
    tensor: &Tensor<T, F>,
) -> CsMatViewI<'_, T, i32> {
    let [rows, columns] = tensor.dims;
    let inner = tensor.level(1);
    // SAFETY: as in `moved`.
    unsafe { CsMatViewI::new_unchecked(order, (rows, columns), inner.pos(), inner.crd(), tensor.vals()) }
}

/// `pos` and `crd` of the second level, and the values.
fn arrays<T: Element, F: Format>(tensor: Tensor<T, F>) -> (Vec<i32>, Vec<i32>, Vec<T>) {
    let Parts { mut levels, vals, .. } = tensor.into_parts();
    match levels.pop() {
        Some(LevelArrays::Compressed { pos, crd }) => (pos.into_vec(), crd.into_vec(), vals.into_vec()),
        _ => unreachable!("the second level of CSR and CSC is compressed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Coo;
    use sprs::CsMat;

    fn example() -> CsMatI<f64, i32> {
        CsMatI::new((2, 3), vec![0, 1, 3], vec![2, 0, 1], vec![1.0, 2.0, 3.0])
    }

    /// Does sprs accept what was not shown to it?
    fn valid<I: sprs::SpIndex>(m: &CsMatViewI<'_, f64, I>) -> bool {
        m.check_compressed_structure().is_ok()
    }

    #[test]
    fn vectors_move_both_ways() {
        let m = example();
        let at = (m.indices().as_ptr(), m.data().as_ptr());
        let t = Csr::try_from(m.clone()).unwrap();
        assert_eq!((t.get([0, 2]), t.get([1, 0]), t.get([1, 1])), (1.0, 2.0, 3.0));
        assert_eq!(CsMatI::<_, i32>::from(t), m);
        let t = Csr::try_from(m.clone()).unwrap();
        let c = CsMatI::<_, i32>::from(t.convert::<<Csc<f64> as crate::tensor::OnDevice>::Format>().unwrap());
        assert!(c.is_csc() && valid(&c.view()));
        assert_eq!(c.to_other_storage(), m);
        assert_eq!(Coo::try_from(c).unwrap().iter().collect::<Vec<_>>(), t.iter().collect::<Vec<_>>());
        let back = CsMatI::<_, i32>::from(Csr::try_from(m).unwrap());
        assert_eq!((back.indices().as_ptr(), back.data().as_ptr()), at);
        let empty: CsMatI<f32, i32> = Csr::from_triplets([0, 3], []).unwrap().into();
        assert_eq!((empty.rows(), empty.cols()), (0, 3));
    }

    #[test]
    fn indices_of_64_bits_are_copied() {
        let m: CsMat<f64> = CsMat::new((2, 3), vec![0, 1, 3], vec![2, 0, 1], vec![1.0, 2.0, 3.0]);
        let vals = m.data().as_ptr();
        let t = Csr::try_from(m.clone()).unwrap();
        assert_eq!(CsMat::from(t.clone()), m);
        let c = Csc::try_from(m.clone()).unwrap();
        assert_eq!(c.iter().collect::<Vec<_>>(), [([1, 0], 2.0), ([1, 1], 3.0), ([0, 2], 1.0)]);
        let c = CsMat::from(c);
        assert!(c.is_csc() && valid(&c.view()));
        assert_eq!(c.to_other_storage(), m);
        // Values move, whatever the indices are.
        assert_eq!(CsMat::from(Csr::try_from(m).unwrap()).data().as_ptr(), vals);
        let wide: CsMat<f64> = CsMat::zero((2, 1 << 31));
        let refused = Csr::try_from(wide).unwrap_err();
        assert!(matches!(refused, Error::DimensionTooLarge { dim: 1, .. }), "{refused}");
        assert!(matches!(narrow([1 << 31]), Err(Error::TooManyEntries { count: 0x8000_0000 })));
    }

    #[test]
    fn views_are_of_the_tensor_s_own_arrays() {
        let t = Csr::from_triplets([2, 3], [([0, 2], 1.0), ([1, 0], 2.0), ([1, 1], 3.0)]).unwrap();
        let m = CsMatViewI::from(&t);
        assert_eq!(m, example().view());
        assert!(valid(&m));
        assert_eq!((m.indices().as_ptr(), m.data().as_ptr()), (t.level(1).crd().as_ptr(), t.vals().as_ptr()));
        let c: Csc<f64> = t.convert().unwrap();
        let m = CsMatViewI::from(&c);
        assert!(m.is_csc() && valid(&m));
        assert_eq!(m.to_other_storage(), example());
    }

    #[test]
    fn a_slice_of_a_matrix_is_a_matrix() {
        let part = example().slice_outer(1..2).to_owned();
        assert!(!part.indptr().is_proper());
        let t = Csr::try_from(part).unwrap();
        assert_eq!((t.dims(), t.iter().collect::<Vec<_>>()), ([1, 3], vec![([0, 0], 2.0), ([0, 1], 3.0)]));
        let m: CsMat<f64> = CsMat::new((2, 3), vec![0, 1, 3], vec![2, 0, 1], vec![1.0, 2.0, 3.0]);
        let wide = Csr::try_from(m.slice_outer(1..2).to_owned()).unwrap();
        assert_eq!(wide.iter().collect::<Vec<_>>(), t.iter().collect::<Vec<_>>());
    }
}
