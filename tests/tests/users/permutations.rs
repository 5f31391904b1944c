//! Permutations store one entry a row: products and inverses of them are such again, and anything else is an error that
//! names the row, on a device too.

use super::{coords, everywhere};
use sparse_gpu::prelude::*;

/// One entry a row.
type OneARow = Tensor<f64, (Dense, Singleton)>;

tensor_kernel! {
    /// One after the other.
    fn then(P: Tensor<f64, (Dense, Singleton)>, Q: Tensor<f64, (Dense, Singleton)>) -> Tensor<f64, (Dense, Singleton)> {
        R[i, k] = P[i, j] * Q[j, k];
    }
}
tensor_kernel! {
    fn inverse(P: Tensor<f64, (Dense, Singleton)>) -> Tensor<f64, (Dense, Singleton)> { R[j, i] = P[i, j]; }
}
tensor_kernel! {
    fn sum(P: Tensor<f64, (Dense, Singleton)>, Q: Tensor<f64, (Dense, Singleton)>) -> Tensor<f64, (Dense, Singleton)> {
        R[i, j] = P[i, j] + Q[i, j];
    }
}
tensor_kernel! {
    /// Of each stored `i` all `j` have one entry.
    fn complete(A: Csf3<f64>) -> Tensor<f64, (Compressed, Dense, Singleton)> { R[i, j, k] = A[i, j, k]; }
}
tensor_kernel! {
    fn between(A: Csf3<f64>) -> Tensor<f64, (Compressed, Dense, Compressed)> { R[i, j, k] = A[i, j, k]; }
}

fn shift(n: usize, by: usize) -> Result<OneARow, Error> {
    OneARow::from_triplets([n, n], (0..n).map(|i| ([i, (i + by) % n], 1.0)))
}

#[test]
fn one_entry_a_row() -> Result<(), Error> {
    for n in [1, 7, 300] {
        let (p, q) = (shift(n, 2)?, shift(n, 3)?);
        let both = everywhere!(then, &p, &q);
        assert!(coords([n, 1]).all(|[i, _]| both.get([i, (i + 5) % n]) == 1.0));
        let back = everywhere!(inverse, &p);
        assert!(coords([n, 1]).all(|[i, _]| back.get([(i + 2) % n, i]) == 1.0));
    }
    let same = everywhere!(sum, &shift(5, 1)?, &shift(5, 1)?);
    assert_eq!(same.vals(), [2.0; 5]);
    Ok(())
}

#[test]
fn what_is_no_permutation_is_an_error() -> Result<(), Error> {
    let (p, q) = (shift(9, 1)?, shift(9, 4)?);
    let sim = Sim::new();
    for found in [sum(&p, &q).err(), sum(&p.to(&sim)?, &q.to(&sim)?).err()] {
        let Some(Error::NotOneEntry { level, parent, found }) = found else { panic!("{found:?}") };
        assert_eq!((level, &parent[..], &found[..]), (1, &[(0, 0)][..], &[1, 4][..]));
    }
    // Rows that nothing goes to.
    let all_to_one = OneARow::from_triplets([3, 3], (0..3).map(|i| ([i, 1], 1.0)))?;
    for found in [inverse(&all_to_one).err(), inverse(&all_to_one.to(&sim)?).err()] {
        let Some(Error::NotOneEntry { level, parent, found }) = found else { panic!("{found:?}") };
        assert_eq!((level, &parent[..], &found[..]), (1, &[(0, 0)][..], &[][..]));
    }
    Ok(())
}

/// More parents than entries, and than positions can count.
#[test]
fn too_many_parents_are_the_same_error_everywhere() -> Result<(), Error> {
    let sim = Sim::new();
    let few = Csf3::<f64>::from_triplets([3, 500, 3], [([1, 0, 2], 1.0), ([2, 400, 1], 2.0)])?;
    for found in [complete(&few).err(), complete(&few.to(&sim)?).err()] {
        let Some(Error::NotOneEntry { level, parent, found }) = found else { panic!("{found:?}") };
        assert_eq!((level, &parent[..], &found[..]), (2, &[(0, 1), (1, 1)][..], &[][..]));
    }
    let entries = (0..5).map(|i| ([i, 1 << 29, 2], 1.0));
    let many = Csf3::<f64>::from_triplets([8, 1 << 30, 4], entries)?;
    let there = many.to(&sim)?;
    let refused =
        [complete(&many).err(), complete(&there).err(), between(&many).err(), between(&there).err()];
    for found in refused {
        let Some(Error::TooManyEntries { count }) = found else { panic!("{found:?}") };
        assert_eq!(count, 5 << 30);
    }
    Ok(())
}
