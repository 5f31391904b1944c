//! Names for the formats that have one.

use super::Tensor;
use crate::format::{Compressed, Dense, NonUnique, Reordered, Singleton};

/// One value: a tensor without dimensions.
pub type Scalar<T> = Tensor<T, ()>;
/// Dense vector.
pub type DenseVec<T> = Tensor<T, (Dense,)>;
/// Dense matrix, row-major.
pub type DenseMat<T> = Tensor<T, (Dense, Dense)>;
/// Dense matrix, column-major.
pub type DenseMatColumnMajor<T> = Tensor<T, Reordered<(Dense, Dense), 1, 0>>;
/// Dense tensor of rank 3, row-major.
pub type Dense3<T> = Tensor<T, (Dense, Dense, Dense)>;
/// Dense tensor of rank 4, row-major.
pub type Dense4<T> = Tensor<T, (Dense, Dense, Dense, Dense)>;
/// Sparse vector.
pub type SparseVec<T> = Tensor<T, (Compressed,)>;
/// Compressed sparse rows.
pub type Csr<T> = Tensor<T, (Dense, Compressed)>;
/// Compressed sparse columns.
pub type Csc<T> = Tensor<T, Reordered<(Dense, Compressed), 1, 0>>;
/// Doubly compressed sparse rows: empty rows take no storage.
pub type Dcsr<T> = Tensor<T, (Compressed, Compressed)>;
/// Doubly compressed sparse columns: empty columns take no storage.
pub type Dcsc<T> = Tensor<T, Reordered<(Compressed, Compressed), 1, 0>>;
/// Coordinates of a matrix, in row order.
pub type Coo<T> = Tensor<T, (Compressed<NonUnique>, Singleton)>;
/// Coordinates of a tensor of rank 3.
pub type Coo3<T> = Tensor<T, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton)>;
/// Coordinates of a tensor of rank 4.
pub type Coo4<T> = Tensor<T, (Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)>;
/// Compressed sparse fibers of rank 3.
pub type Csf3<T> = Tensor<T, (Compressed, Compressed, Compressed)>;
/// Compressed sparse fibers of rank 4.
pub type Csf4<T> = Tensor<T, (Compressed, Compressed, Compressed, Compressed)>;
