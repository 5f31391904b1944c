//! `ndarray` arrays to tensors and back. A dense tensor whose levels are in the order of the array's strides takes the
//! array's memory, and an array takes that of a tensor which adopted it; anything else is copied. A view of a dense tensor
//! is of the tensor's own memory.

use super::convert::dense_levels;
use super::{Buffer, Tensor};
use crate::error::{Error, Result};
use crate::format::{DenseFormat, Format};
use crate::scalar::Element;
use ndarray::{Array, ArrayBase, ArrayView, Dim, Dimension, IntoDimension, RawData};

impl<T, F, const R: usize> TryFrom<Array<T, Dim<[usize; R]>>> for Tensor<T, F>
where
    T: Element,
    F: Format<Coord = [usize; R]>,
    Dim<[usize; R]>: Dimension,
{
    type Error = Error;

    /// Fails where [`Tensor::from_dense`] does.
    fn try_from(array: Array<T, Dim<[usize; R]>>) -> Result<Self> {
        let mut dims = [0; R];
        dims.copy_from_slice(array.shape());
        let dense = F::LEVELS.iter().all(|l| l.is_full());
        // Sparse formats are built from row-major order, dense ones from the order of their levels.
        let mut order = [0; R];
        order.iter_mut().enumerate().for_each(|(l, o)| *o = if dense { F::ORDER[l] } else { l });
        let array = permuted(array, order);
        let vals = if array.is_standard_layout() {
            let len = array.len();
            match array.into_raw_vec_and_offset() {
                (vals, None | Some(0)) if vals.len() == len => vals,
                (vals, offset) => vals[offset.unwrap_or(0)..][..len].to_vec(),
            }
        } else {
            array.iter().copied().collect()
        };
        if !dense {
            return Tensor::from_dense(dims, vals);
        }
        super::build::dense_len::<F>(&dims)?;
        // SAFETY: an array has as many values as elements.
        Ok(unsafe { Tensor::assembled(dims, dense_levels(R), Buffer::from(vals)) })
    }
}

impl<T, F, const R: usize> From<Tensor<T, F>> for Array<T, Dim<[usize; R]>>
where
    T: Element,
    F: DenseFormat + Format<Coord = [usize; R]>,
    [usize; R]: IntoDimension<Dim = Dim<[usize; R]>>,
    Dim<[usize; R]>: Dimension,
{
    /// Strides follow the tensor's levels.
    ///
    /// # Panics
    /// If `ndarray` has no such shape: the product of the sizes that are not 0 is above `isize::MAX`.
    fn from(tensor: Tensor<T, F>) -> Self {
        let (sizes, axis_of) = axes::<F, R>(tensor.dims);
        let vals = tensor.into_parts().vals.into_vec();
        let array = Array::from_shape_vec(sizes, vals).expect("a dense tensor has one value an element");
        permuted(array, axis_of)
    }
}

impl<'a, T, F, const R: usize> From<&'a Tensor<T, F>> for ArrayView<'a, T, Dim<[usize; R]>>
where
    T: Element,
    F: DenseFormat + Format<Coord = [usize; R]>,
    [usize; R]: IntoDimension<Dim = Dim<[usize; R]>>,
    Dim<[usize; R]>: Dimension,
{
    /// Of the tensor's own memory; strides follow its levels.
    ///
    /// # Panics
    /// If `ndarray` has no such shape: the product of the sizes that are not 0 is above `isize::MAX`.
    fn from(tensor: &'a Tensor<T, F>) -> Self {
        let (sizes, axis_of) = axes::<F, R>(tensor.dims);
        let array =
            ArrayView::from_shape(sizes, tensor.vals()).expect("a dense tensor has one value an element");
        permuted(array, axis_of)
    }
}

/// Sizes of the levels, and the level that each dimension is.
fn axes<F: Format, const R: usize>(dims: [usize; R]) -> ([usize; R], [usize; R]) {
    let (mut sizes, mut axis_of) = ([0; R], [0; R]);
    for (l, &d) in F::ORDER.iter().enumerate() {
        sizes[l] = dims[d];
        axis_of[d] = l;
    }
    (sizes, axis_of)
}

/// Moves axis `order[l]` to place `l`. Swaps, because `permuted_axes` has no generic form for a constant rank.
fn permuted<S: RawData, const R: usize>(
    mut array: ArrayBase<S, Dim<[usize; R]>>,
    order: [usize; R],
) -> ArrayBase<S, Dim<[usize; R]>>
where
    Dim<[usize; R]>: Dimension,
{
    let mut now: [usize; R] = std::array::from_fn(|axis| axis);
    for (l, &wanted) in order.iter().enumerate() {
        let at = (l..R).find(|&axis| now[axis] == wanted).unwrap_or(l);
        array.swap_axes(l, at);
        now.swap(l, at);
    }
    array
}

#[cfg(test)]
mod tests {
    use crate::tensor::{Csr, Dense3, DenseMat, DenseMatColumnMajor, Scalar};
    use ndarray::{Array, Array2, Array3, ArrayView, ArrayView2, ShapeBuilder, arr0, array, s};

    #[test]
    fn equal_layouts_move_the_memory() {
        let a = Array2::from_shape_vec((2, 3), vec![1, 2, 3, 4, 5, 6]).unwrap();
        let at = a.as_ptr();
        let t = DenseMat::try_from(a.clone()).unwrap();
        assert_eq!(t.vals(), [1, 2, 3, 4, 5, 6]);
        let t = DenseMat::try_from(a.clone()).unwrap();
        assert_eq!(Array2::from(t), a);
        let t = DenseMat::try_from(a).unwrap();
        assert_eq!(t.vals().as_ptr(), at);
        assert_eq!(Array2::from(t).as_ptr(), at);
        let f = Array2::from_shape_vec((2, 3).f(), vec![1, 2, 3, 4, 5, 6]).unwrap();
        let at = f.as_ptr();
        let t = DenseMatColumnMajor::try_from(f).unwrap();
        assert_eq!((t.vals().as_ptr(), t.get([0, 2]), t.get([1, 0])), (at, 5, 2));
        assert_eq!(Array2::from(t), array![[1, 3, 5], [2, 4, 6]]);
    }

    #[test]
    fn views_are_of_the_tensor_s_own_memory() {
        let t = DenseMat::from_dense([2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
        let view = ArrayView2::from(&t);
        assert_eq!((view, view.as_ptr()), (array![[1, 2, 3], [4, 5, 6]].view(), t.vals().as_ptr()));
        let by_columns: DenseMatColumnMajor<i32> = t.convert().unwrap();
        let view = ArrayView::from(&by_columns);
        assert_eq!((view, view.as_ptr()), (array![[1, 2, 3], [4, 5, 6]].view(), by_columns.vals().as_ptr()));
        assert_eq!(view.strides(), [1, 2]);
        assert_eq!(ArrayView::from(&Scalar::scalar(2i64)), arr0(2).view());
        assert_eq!(ArrayView::from(&DenseMat::<f32>::zeros([0, 3])).shape(), [0, 3]);
    }

    #[test]
    fn other_layouts_are_copied() {
        let a = Array3::from_shape_fn((3, 4, 5), |(i, j, k)| (100 * i + 10 * j + k) as i32);
        let part = a.clone().slice_move(s![1.., ..;2, 1..;-1]);
        let t = Dense3::try_from(part.clone()).unwrap();
        assert_eq!(t.dims(), [2, 2, 4]);
        assert!(part.indexed_iter().all(|((i, j, k), &v)| t.get([i, j, k]) == v));
        assert_eq!(Array::from(t), part);
        let tail = a.slice_move(s![2.., .., ..]);
        assert_eq!(Dense3::try_from(tail).unwrap().get([0, 3, 4]), 234);
        let sparse = Csr::try_from(array![[0.0, 2.0], [0.0, 0.0]]).unwrap();
        assert_eq!(sparse.iter().collect::<Vec<_>>(), [([0, 1], 2.0)]);
        assert_eq!(Scalar::try_from(arr0(3u8)).unwrap().value().unwrap(), 3);
        assert_eq!(Array::from(Scalar::scalar(2i64)), arr0(2));
        assert_eq!(Array2::from(DenseMat::<f32>::zeros([0, 3])).shape(), [0, 3]);
    }
}
