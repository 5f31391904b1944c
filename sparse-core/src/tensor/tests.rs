//! Fixed cases; `roundtrip` has the random ones.

use super::*;
use crate::error::Error;
use crate::format::types::{Filled, NonUnique, One, PosInf, Reordered};
use crate::format::{Compressed, Dense, Fill, Level, Singleton};
use crate::scalar::DType;

fn entries() -> Vec<([usize; 2], f64)> {
    vec![([2, 1], 2.0), ([0, 3], 1.0), ([2, 1], 0.5), ([2, 0], 4.0), ([1, 1], 0.0)]
}

#[test]
fn triplets_become_each_format() {
    let a = Csr::from_triplets([3, 4], entries()).unwrap();
    assert_eq!((a.level(1).pos(), a.level(1).crd()), (&[0, 1, 2, 4][..], &[3, 1, 0, 1][..]));
    assert_eq!(a.vals(), [1.0, 0.0, 4.0, 2.5]);
    let coo = Coo::from_triplets([3, 4], entries()).unwrap();
    assert_eq!((coo.level(0).pos(), coo.level(0).crd()), (&[0, 4][..], &[0, 1, 2, 2][..]));
    assert_eq!(coo.level(1).crd(), [3, 1, 0, 1]);
    let csc = Csc::from_triplets([3, 4], entries()).unwrap();
    assert_eq!((csc.level(1).pos(), csc.level(1).crd()), (&[0, 1, 3, 3, 4][..], &[2, 1, 2, 0][..]));
    let dcsc = Dcsc::from_triplets([3, 4], entries()).unwrap();
    assert_eq!((dcsc.level(0).crd(), dcsc.level(1).pos()), (&[0, 1, 3][..], &[0, 1, 3, 4][..]));
    let dense = DenseMat::from_triplets([3, 4], entries()).unwrap();
    assert_eq!(dense.vals(), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 2.5, 0.0, 0.0]);
    for t in [a.to_dense(), coo.to_dense(), csc.to_dense(), dcsc.to_dense()] {
        assert_eq!(t.unwrap(), dense);
    }
    assert_eq!(csc.convert::<(Dense, Compressed)>().unwrap(), a);
    assert_eq!(a.iter().map(|(at, _)| at).collect::<Vec<_>>(), [[0, 3], [1, 1], [2, 0], [2, 1]]);
    assert_eq!((a.get([2, 1]), a.get([2, 3]), csc.get([2, 1])), (2.5, 0.0, 2.5));
    assert_eq!(
        format!("{a:?}"),
        "Tensor<f64, (Dense, Compressed)> [3, 4] 4 stored { [0, 3]: 1.0, [1, 1]: 0.0, [2, 0]: 4.0, [2, 1]: 2.5 }"
    );
}

#[test]
fn scalars_hold_one_value() {
    let s = Scalar::from_triplets([], [([], 2.0f32), ([], 3.0)]).unwrap();
    assert_eq!((s.value().unwrap(), s.stored(), s.get([])), (5.0, 1, 5.0));
    assert_eq!(Scalar::<i32>::from_triplets([], []).unwrap().value().unwrap(), 0);
    assert_eq!(Scalar::scalar(true).iter().collect::<Vec<_>>(), [([], true)]);
}

#[test]
fn a_dense_vector_is_adopted() {
    let v = vec![1.0f32; 6];
    let at = v.as_ptr();
    let t = DenseMat::from_dense([2, 3], v).unwrap();
    assert_eq!(t.vals().as_ptr(), at);
    let v = t.into_parts().vals.into_vec();
    assert_eq!(v.as_ptr(), at);
    let columns = DenseMatColumnMajor::from_dense([2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(columns.vals(), [1, 4, 2, 5, 3, 6]);
    assert_eq!(columns.to_dense().unwrap().vals(), [1, 2, 3, 4, 5, 6]);
    let few = DenseMat::from_dense([2, 3], vec![1; 5]).unwrap_err();
    assert!(matches!(few, Error::ShapeMismatch { .. }));
    assert_eq!(few.to_string(), "5 values for dimensions [2, 3], which have 6 elements");
    let few = Csr::from_coordinates(Coordinates { dims: vec![2, 3], crd: vec![0, 1, 1], vals: vec![1, 2] });
    assert_eq!(
        few.unwrap_err().to_string(),
        "3 coordinates for 2 entries of 2 dimensions: each entry has one a dimension, 4 in all"
    );
}

#[test]
fn writing_leaves_clones_alone() {
    let a = Csr::from_triplets([3, 4], entries()).unwrap();
    let mut b = a.clone();
    b.vals_mut()[0] = 7.0;
    assert_eq!((a.get([0, 3]), b.get([0, 3])), (1.0, 7.0));
    assert_eq!(a.level(1).crd().as_ptr(), b.level(1).crd().as_ptr());
}

/// Arrays that are the same in both formats are one array.
#[test]
fn converting_shares_what_stays_as_it_is() {
    let a = Csr::from_triplets([5, 4], entries()).unwrap();
    let coo: Coo<f64> = a.convert().unwrap();
    let dcsr: Dcsr<f64> = a.convert().unwrap();
    assert_eq!(
        (dcsr.level(0).crd(), dcsr.level(1).pos().len()),
        (coo.convert::<(Compressed, Compressed)>().unwrap().level(0).crd(), dcsr.level(0).crd().len() + 1)
    );
    let (from_coo, from_dcsr): (Csr<f64>, Csr<f64>) = (coo.convert().unwrap(), dcsr.convert().unwrap());
    let (crd, vals) = (a.level(1).crd().as_ptr(), a.vals().as_ptr());
    assert_eq!((coo.level(1).crd().as_ptr(), coo.vals().as_ptr()), (crd, vals));
    assert_eq!((dcsr.level(1).crd().as_ptr(), dcsr.vals().as_ptr()), (crd, vals));
    assert_eq!((from_coo.level(1).crd().as_ptr(), from_coo.vals().as_ptr()), (crd, vals));
    assert_eq!((from_dcsr.level(1).crd().as_ptr(), from_dcsr.vals().as_ptr()), (crd, vals));
    assert_eq!((&from_coo, &from_dcsr), (&a, &a));
}

/// Fibers without entries, which a user's arrays may have, are not in what they are converted to.
#[test]
fn converting_drops_fibers_without_entries() {
    type Csf = (Compressed, Compressed, Compressed);
    let compressed = |pos: &[i32], crd: &[i32]| LevelArrays::compressed(pos.to_vec(), crd.to_vec());
    let levels = vec![
        compressed(&[0, 3], &[0, 1, 3]),
        compressed(&[0, 2, 3, 4], &[0, 2, 1, 1]),
        compressed(&[0, 1, 1, 1, 3], &[2, 0, 1]),
    ];
    let parts = Parts { dims: vec![4, 3, 3], levels, vals: vec![1.0, 2.0, 3.0].into() };
    let a = Tensor::<f64, Csf>::try_from_parts(parts).unwrap();
    let entries = [([0, 0, 2], 1.0), ([3, 1, 0], 2.0), ([3, 1, 1], 3.0)];
    fn is_of<F: Format<Coord = [usize; 3]>>(
        a: &Tensor<f64, (Compressed, Compressed, Compressed)>,
        entries: [([usize; 3], f64); 3],
    ) {
        let b = a.convert::<F>().unwrap();
        assert_eq!(b.into_parts(), Tensor::<f64, F>::from_triplets([4, 3, 3], entries).unwrap().into_parts());
    }
    is_of::<(Dense, Compressed, Compressed)>(&a, entries);
    is_of::<(Dense, Dense, Compressed)>(&a, entries);
    is_of::<(Compressed<NonUnique>, Singleton<NonUnique>, Singleton)>(&a, entries);
}

#[test]
fn what_is_invalid_comes_back() {
    let parts = |pos: &[i32], crd: &[i32], vals: usize| Parts {
        dims: vec![2, 3],
        levels: vec![LevelArrays::Dense, LevelArrays::compressed(pos, crd)],
        vals: vec![1.0; vals].into(),
    };
    let check = |p: Parts<f64>| match Csr::try_from_parts(p.clone()) {
        Ok(_) => None,
        Err(e) => {
            assert_eq!(e.parts, p);
            Some(e.error)
        }
    };
    assert!(check(parts(&[0, 2, 3], &[0, 2, 1], 3)).is_none());
    assert!(matches!(check(parts(&[0, 2], &[0, 2], 2)), Some(Error::LengthMismatch { .. })));
    assert!(matches!(check(parts(&[1, 2, 2], &[0, 2], 2)), Some(Error::InvalidPosition { index: 0, .. })));
    assert!(matches!(check(parts(&[0, 2, 1], &[0], 1)), Some(Error::InvalidPosition { index: 2, .. })));
    assert!(matches!(check(parts(&[0, 2, 3], &[0, 2], 2)), Some(Error::LengthMismatch { .. })));
    assert!(matches!(check(parts(&[0, 2, 3], &[0, 2, 1], 2)), Some(Error::LengthMismatch { level: 2, .. })));
    assert!(matches!(
        check(parts(&[0, 2, 3], &[0, 3, 1], 3)),
        Some(Error::CoordinateOutOfRange { coordinate: 3, dim: 1, .. })
    ));
    assert!(matches!(
        check(parts(&[0, 2, 3], &[0, -1, 1], 3)),
        Some(Error::CoordinateOutOfRange { coordinate: -1, .. })
    ));
    assert!(matches!(
        check(parts(&[0, 2, 3], &[2, 0, 1], 3)),
        Some(Error::UnsortedCoordinates { position: 1, .. })
    ));
    assert!(matches!(
        check(parts(&[0, 2, 3], &[2, 2, 1], 3)),
        Some(Error::DuplicateCoordinate { position: 1, .. })
    ));
    let dense = Parts { levels: vec![LevelArrays::Dense, LevelArrays::Dense], ..parts(&[], &[], 6) };
    assert!(matches!(check(dense), Some(Error::LevelMismatch { level: 1, .. })));
    let rank = Parts { dims: vec![2], ..parts(&[0, 0, 0], &[], 0) };
    assert!(matches!(check(rank), Some(Error::RankMismatch { expected: 2, found: 1 })));
}

#[test]
fn coo_repeats_rows_not_entries() {
    let coo = |rows: &[i32], columns: &[i32]| {
        let pos = vec![0, rows.len() as i32];
        let levels = vec![LevelArrays::compressed(pos, rows), LevelArrays::singleton(columns)];
        let vals = vec![1.0; rows.len()].into();
        Coo::<f64>::try_from_parts(Parts { dims: vec![3, 3], levels, vals }).map_err(|e| e.error)
    };
    assert!(coo(&[0, 0, 2], &[1, 2, 0]).is_ok());
    assert!(matches!(coo(&[0, 0, 2], &[2, 1, 0]), Err(Error::UnsortedCoordinates { level: 1, .. })));
    assert!(matches!(coo(&[0, 0, 2], &[2, 2, 0]), Err(Error::DuplicateCoordinate { level: 1, .. })));
    assert!(matches!(coo(&[1, 0, 2], &[0, 1, 2]), Err(Error::UnsortedCoordinates { level: 0, .. })));
}

#[test]
fn one_entry_a_row() {
    type Rows = Tensor<f64, (Dense, Singleton)>;
    let a =
        Rows::from_triplets([3, 4], [([2, 1], 2.0), ([0, 3], 0.0), ([1, 1], 4.0), ([2, 1], 0.5)]).unwrap();
    assert_eq!((a.level(1).crd(), a.vals()), (&[3, 1, 1][..], &[0.0, 4.0, 2.5][..]));
    assert_eq!((a.get([2, 1]), a.get([2, 2])), (2.5, 0.0));
    assert_eq!(a.iter().map(|(at, _)| at).collect::<Vec<_>>(), [[0, 3], [1, 1], [2, 1]]);
    let none = Rows::from_triplets([3, 4], [([2, 1], 2.0), ([0, 3], 1.0)]).unwrap_err();
    assert!(
        matches!(&none, Error::NotOneEntry { level: 1, parent, found } if *parent == [(0, 1)] && found.is_empty())
    );
    assert_eq!(
        none.to_string(),
        "level 1 is a Singleton, one coordinate for each parent, but coordinate 1 of dimension 0 has none: \
         store one for every parent (zeros count), or use Compressed there (as Csr) or Coo"
    );
    let two = Csr::from_triplets([2, 4], [([0, 1], 2.0), ([1, 3], 1.0), ([1, 0], 1.0)]).unwrap();
    let two = two.convert::<(Dense, Singleton)>().unwrap_err();
    assert!(
        matches!(&two, Error::NotOneEntry { parent, found, .. } if *parent == [(0, 1)] && *found == [0, 3])
    );
    assert!(two.to_string().contains("coordinate 1 of dimension 0 has more: 0, 3"));
    assert!(matches!(Rows::from_dense([2, 2], vec![0.0, 1.0, 0.0, 0.0]), Err(Error::NotOneEntry { .. })));
    assert_eq!(Rows::from_dense([2, 2], vec![0.0, 1.0, 2.0, 0.0]).unwrap().level(1).crd(), [1, 0]);
    assert!(matches!(Rows::try_random_sparse([9, 9], 0.0, 1), Err(Error::NotOneEntry { .. })));
    assert_eq!(Rows::from_triplets([0, 4], []).unwrap().stored(), 0);
    let parts = |crd: &[i32]| {
        let levels = vec![LevelArrays::Dense, LevelArrays::singleton(crd)];
        let parts = Parts { dims: vec![2, 3], levels, vals: vec![1.0; crd.len()].into() };
        Rows::try_from_parts(parts).map_err(|e| e.error)
    };
    assert!(parts(&[2, 2]).is_ok());
    assert!(matches!(parts(&[2]), Err(Error::LengthMismatch { level: 1, expected: 2, found: 1, .. })));
    assert!(matches!(parts(&[2, 3]), Err(Error::CoordinateOutOfRange { dim: 1, .. })));
    type Stored = Tensor<f64, (Compressed, Singleton)>;
    let stored = Stored::from_triplets([3, 4], [([2, 1], 2.0), ([0, 3], 1.0)]).unwrap();
    assert_eq!((stored.level(0).crd(), stored.level(1).crd()), (&[0, 2][..], &[3, 1][..]));
}

#[test]
fn duplicates_are_summed_when_read() {
    type Bag = Tensor<i32, (Compressed<NonUnique>, Singleton<NonUnique>)>;
    let pos: &[i32] = &[0, 3];
    let levels = vec![LevelArrays::compressed(pos, &[1, 1, 1][..]), LevelArrays::singleton(&[0, 2, 2][..])];
    let parts = Parts { dims: vec![2, 3], levels, vals: vec![1, 2, 3].into() };
    let bag = Bag::try_from_parts(parts).unwrap();
    assert_eq!((bag.stored(), bag.get([1, 2]), bag.get([1, 0]), bag.get([0, 0])), (3, 5, 1, 0));
    assert_eq!(bag.to_dense().unwrap().vals(), [0, 0, 0, 1, 0, 5]);
    assert_eq!(bag.convert::<(Dense, Compressed)>().unwrap().vals(), [1, 5]);
    assert!(bag.approx_eq(&bag.to_dense().unwrap(), 0.0));
}

#[test]
fn other_fills() {
    type Distances = Tensor<f64, Filled<(Dense, Compressed), PosInf>>;
    let d = Distances::from_triplets([2, 2], [([0, 1], 3.0)]).unwrap();
    assert_eq!((d.get([0, 1]), d.get([1, 1])), (3.0, f64::INFINITY));
    assert_eq!(d.to_dense().unwrap().vals(), [f64::INFINITY, 3.0, f64::INFINITY, f64::INFINITY]);
    let zero = d.convert::<(Dense, Compressed)>().unwrap();
    assert_eq!(zero.stored(), 4);
    assert!(zero.approx_eq(&d, 0.0));
    assert_eq!(zero.convert::<Filled<(Dense, Compressed), PosInf>>().unwrap(), d);
    type Ones = Tensor<u8, Filled<Reordered<(Dense, Dense), 1, 0>, One>>;
    let ones = Ones::from_triplets([2, 2], [([0, 1], 3), ([0, 1], 4)]).unwrap();
    assert_eq!(ones.vals(), [1, 1, 7, 1]);
}

#[test]
fn too_large_is_an_error() {
    let big = 1usize << 31;
    assert!(matches!(Csr::<f32>::from_triplets([1, big], []), Err(Error::DimensionTooLarge { dim: 1, .. })));
    assert!(matches!(
        DenseMat::<f32>::try_full([1 << 16, 1 << 16], 0.0),
        Err(Error::TooManyEntries { count: 0x1_0000_0000 })
    ));
    assert!(matches!(Dense3::<f32>::from_triplets([1 << 30; 3], []), Err(Error::TooManyEntries { .. })));
    let far = Dcsr::from_triplets([big - 1, big - 1], [([big - 2, 3], 1.0f32)]).unwrap();
    assert_eq!((far.stored(), far.get([big - 2, 3])), (1, 1.0));
    assert!(matches!(far.to_dense(), Err(Error::TooManyEntries { .. })));
    assert!(matches!(
        Csr::from_triplets([2, 2], [([0, 0], 1.0), ([1, 2], 1.0)]),
        Err(Error::CoordinateOutOfRange { entry: 1, dim: 1, coordinate: 2, size: 2 })
    ));
    assert!(matches!(far.try_get([0, big]), Err(Error::CoordinateOutOfRange { dim: 1, .. })));
}

#[test]
fn casts_share_the_pattern() {
    let a = Csr::from_triplets([3, 4], entries()).unwrap();
    let b = a.cast::<i32>();
    assert_eq!(b.vals(), [1, 0, 4, 2]);
    assert_eq!(b.level(1).crd().as_ptr(), a.level(1).crd().as_ptr());
    assert_eq!(b.cast::<bool>().vals(), [true, false, true, true]);
    assert_eq!(Scalar::scalar(i64::MAX).cast::<i32>().vals(), [-1]);
}

#[test]
fn random_tensors_repeat_and_vary() {
    let a = DenseMat::<f32>::random([20, 30], 7);
    assert_eq!(a, DenseMat::random([20, 30], 7));
    assert_ne!(a, DenseMat::random([20, 30], 8));
    assert!(a.vals().iter().all(|v| (-1.0..1.0).contains(v)));
    let s = Csr::<f64>::random_sparse([1000, 1000], 0.01, 1);
    assert!((8_000..12_000).contains(&s.stored()), "{}", s.stored());
    assert_eq!(Csr::<f64>::random_sparse([10, 10], 1.0, 1).stored(), 100);
    assert_eq!(Csf3::<u8>::random_sparse([10, 10, 10], 0.0, 1).stored(), 0);
    assert!(Dcsr::<f32>::random_sparse([1 << 30, 1 << 30], 1e-16, 3).stored() > 50);
}

#[test]
fn nearly_equal() {
    let a = DenseVec::from_dense([3], vec![1.0f64, 100.0, 0.0]).unwrap();
    let near = DenseVec::from_dense([3], vec![1.0, 100.001, 1e-4]).unwrap();
    assert!(a.approx_eq(&near, 1e-4) && !a.approx_eq(&near, 1e-6));
    let sparse = a.convert::<(Compressed,)>().unwrap();
    assert_eq!(sparse.stored(), 2);
    assert!(sparse.approx_eq(&near, 1e-4) && !sparse.approx_eq(&near, 1e-6));
    assert!(!a.approx_eq(&DenseVec::zeros([4]), 1.0));
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let odd = DenseVec::from_dense([2], vec![inf, nan]).unwrap();
    assert!(odd.approx_eq(&odd, 0.0));
    assert!(!odd.approx_eq(&DenseVec::from_dense([2], vec![-inf, nan]).unwrap(), 1.0));
}

#[test]
fn device_is_inferred() {
    fn same<D: Device>(t: &<Csr<f32> as OnDevice>::On<D>) -> &Tensor<f32, (Dense, Compressed), D> {
        t
    }
    let a = Csr::from_triplets([1, 1], [([0, 0], 1.0)]).unwrap();
    assert_eq!(same(&a), &a);
    const LEVELS: &[Level] = &[Level::Dense, Level::Compressed { unique: true }];
    const _: () = assert!(has_structure::<Csc<f32>>(DType::F32, LEVELS, &[1, 0], Fill::Zero));
    const _: () = assert!(!has_structure::<Csr<f32>>(DType::F64, LEVELS, &[0, 1], Fill::Zero));
    fn sync<T: Send + Sync>(_: &T) {}
    sync(&a);
}

#[test]
fn dynamic_tensors_agree() {
    let a = Csc::from_triplets([3, 4], entries()).unwrap();
    let d = DynTensor::from(&a);
    assert!(d.validate().is_ok());
    let typed: Vec<f64> = a.to_dense().unwrap().vals().to_vec();
    assert_eq!(d.to_dense_values().unwrap().iter().map(|v| v.to_f64()).collect::<Vec<_>>(), typed);
    assert_eq!(Csc::<f64>::try_from(d.clone()).unwrap(), a);
    assert!(matches!(Csc::<f32>::try_from(d.clone()), Err(Error::TypeMismatch { .. })));
    assert!(matches!(d.value(), Err(Error::NotAScalar { rank: 2 })));
}

/// Sizes of which one is 0, and others have a product that 32 bits do not count: one rule for all who make tensors.
#[test]
fn levels_above_a_size_of_zero_are_counted_too() {
    let n = i32::MAX as usize;
    let too_many = |r: Result<(), Error>| assert!(matches!(r, Err(Error::TooManyEntries { .. })), "{r:?}");
    too_many(Dense3::<f32>::try_full([65536, 65536, 0], 1.0).map(drop));
    too_many(Dense3::<f32>::from_dense([65536, 65536, 0], vec![]).map(drop));
    too_many(Csf3::<f32>::from_dense([65536, 65536, 0], vec![]).map(drop));
    too_many(Dense4::<f32>::try_full([n, n, n, 0], 1.0).map(drop));
    let levels = || vec![LevelArrays::Dense, LevelArrays::Dense, LevelArrays::Dense];
    let parts = |dims: &[usize]| Parts { dims: dims.to_vec(), levels: levels(), vals: Buffer::<f32>::new() };
    too_many(Dense3::try_from_parts(parts(&[65536, 65536, 0])).map(drop).map_err(|e| e.error));
    // Below it there is nothing to count, in whatever order.
    for dims in [[0, n, n], [n, 0, n], [46_340, 46_340, 0]] {
        let t = Dense3::<f32>::full(dims, 1.0);
        assert_eq!((t.stored(), t.lengths(0).unwrap().entries), (0, 0));
        assert_eq!(Dense3::try_from_parts(t.into_parts()).unwrap().dims(), dims);
    }
    type Last = Tensor<f32, Reordered<(Dense, Dense, Dense), 2, 1, 0>>;
    assert_eq!(Last::full([65536, 65536, 0], 1.0).stored(), 0);
    too_many(Last::try_full([0, 65536, 65536], 1.0).map(drop));
    let none = Coo4::<f32>::from_triplets([0, n, n, n], []).unwrap();
    assert_eq!(none.to_dense().unwrap().dims(), [0, n, n, n]);
    too_many(Coo4::<f32>::from_triplets([n, n, n, 0], []).unwrap().to_dense().map(drop));
}

#[test]
fn entries_without_end_stop_at_the_first_that_is_wrong() {
    let endless = Csr::from_triplets([1, 1], std::iter::repeat(([9, 9], 1.0_f64)));
    assert!(matches!(endless, Err(Error::CoordinateOutOfRange { entry: 0, .. })));
}

/// The mode order and the fill are no less a format than the levels.
#[test]
fn a_tensor_of_another_format_is_refused() {
    let a = Csc::from_triplets([2, 2], [([0, 1], 1.0_f64)]).unwrap();
    let wrong = Csr::<f64>::try_from(DynTensor::from(&a)).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "the tensor is stored as Reordered<(Dense, Compressed), 1, 0>, not as (Dense, Compressed): \
         take it as a tensor of its own format, and `convert` that"
    );
    type Far = Tensor<f64, Filled<(Dense, Compressed), PosInf>>;
    let filled = Far::try_from(DynTensor::from(&a.convert::<(Dense, Compressed)>().unwrap()));
    assert!(matches!(filled, Err(Error::FormatMismatch { .. })));
    assert_eq!(Csc::<f64>::try_from(DynTensor::from(&a)).unwrap(), a);
}

/// Integers that round to the same floating-point number.
#[test]
fn near_integers_are_not_equal() {
    let v = |n: i64| DenseVec::from_dense([2], vec![n, 0]).unwrap();
    let (a, b) = (v((1 << 53) + 1), v(1 << 53));
    assert!(!a.approx_eq(&b, 0.0) && a.approx_eq(&b, 1e-12) && a.approx_eq(&a, 0.0));
    assert!(!v(i64::MAX).approx_eq(&v(i64::MAX - 1), 0.0));
    assert!(!v(i64::MIN).approx_eq(&v(i64::MAX), 1.0) && v(i64::MIN).approx_eq(&v(i64::MAX), 2.0));
}
