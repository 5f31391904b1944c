//! `sprs` matrices with 32-bit indices to tensors and back: the vectors move where both are compressed along the same
//! dimension.

use super::{Csc, Csr, LevelArrays, Parts, Tensor};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::scalar::Element;
use sprs::CsMatI;

impl<T: Element, F: Format<Coord = [usize; 2]>> TryFrom<CsMatI<T, i32>> for Tensor<T, F> {
    type Error = Error;

    /// Fails where [`Tensor::try_from_parts`] or [`Tensor::convert`] does.
    fn try_from(matrix: CsMatI<T, i32>) -> Result<Self> {
        let dims = vec![matrix.rows(), matrix.cols()];
        let by_rows = matrix.is_csr();
        let (pos, crd, vals) = matrix.into_raw_storage();
        let levels = vec![LevelArrays::Dense, LevelArrays::compressed(pos, crd)];
        let parts = Parts { dims, levels, vals: vals.into() };
        if by_rows { Csr::try_from_parts(parts)?.convert() } else { Csc::try_from_parts(parts)?.convert() }
    }
}

impl<T: Element> From<Csr<T>> for CsMatI<T, i32> {
    fn from(tensor: Csr<T>) -> Self {
        let ([rows, columns], (pos, crd, vals)) = (tensor.dims, arrays(tensor));
        CsMatI::try_new((rows, columns), pos, crd, vals)
            .unwrap_or_else(|(.., e)| unreachable!("a valid CSR tensor was refused: {e}"))
    }
}

impl<T: Element> From<Csc<T>> for CsMatI<T, i32> {
    fn from(tensor: Csc<T>) -> Self {
        let ([rows, columns], (pos, crd, vals)) = (tensor.dims, arrays(tensor));
        CsMatI::try_new_csc((rows, columns), pos, crd, vals)
            .unwrap_or_else(|(.., e)| unreachable!("a valid CSC tensor was refused: {e}"))
    }
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

    #[test]
    fn vectors_move_both_ways() {
        let m = CsMatI::new((2, 3), vec![0, 1, 3], vec![2, 0, 1], vec![1.0, 2.0, 3.0]);
        let at = (m.indices().as_ptr(), m.data().as_ptr());
        let t = Csr::try_from(m.clone()).unwrap();
        assert_eq!((t.get([0, 2]), t.get([1, 0]), t.get([1, 1])), (1.0, 2.0, 3.0));
        assert_eq!(CsMatI::from(t), m);
        let t = Csr::try_from(m.clone()).unwrap();
        let c = CsMatI::from(t.convert::<<Csc<f64> as crate::tensor::OnDevice>::Format>().unwrap());
        assert!(c.is_csc());
        assert_eq!(c.to_other_storage(), m);
        assert_eq!(Coo::try_from(c).unwrap().iter().collect::<Vec<_>>(), t.iter().collect::<Vec<_>>());
        let back = CsMatI::from(Csr::try_from(m).unwrap());
        assert_eq!((back.indices().as_ptr(), back.data().as_ptr()), at);
        let empty: CsMatI<f32, i32> = Csr::from_triplets([0, 3], []).unwrap().into();
        assert_eq!((empty.rows(), empty.cols()), (0, 3));
    }
}
