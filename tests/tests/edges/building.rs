//! Tensors from entries, from dense data and from chance.

use sparse_gpu::prelude::*;

#[test]
fn entries_outside() {
    let cases: [([usize; 2], usize, usize); 6] = [
        ([3, 0], 0, 3),
        ([0, 4], 1, 4),
        ([usize::MAX, 0], 0, usize::MAX),
        ([0, usize::MAX], 1, usize::MAX),
        ([1 << 32, 0], 0, 1 << 32),
        ([0, 1 << 31], 1, 1 << 31),
    ];
    for (at, dim, _) in cases {
        fn check<F: Format<Coord = [usize; 2]>>(at: [usize; 2], dim: usize) {
            match Tensor::<f32, F>::from_triplets([3, 4], [([0, 0], 1.0), (at, 2.0)]) {
                Err(Error::CoordinateOutOfRange { entry: 1, dim: d, size, .. }) => {
                    assert_eq!((d, size), (dim, [3, 4][dim]), "{at:?}");
                }
                other => panic!("{at:?}: {other:?}"),
            }
        }
        check::<(Dense, Compressed)>(at, dim);
        check::<(Dense, Dense)>(at, dim);
        check::<(Compressed<NonUnique>, Singleton)>(at, dim);
        check::<Reordered<(Compressed, Compressed), 1, 0>>(at, dim);
    }
    assert!(matches!(
        Csr::<f32>::from_triplets([0, 0], [([0, 0], 1.0)]),
        Err(Error::CoordinateOutOfRange { .. })
    ));
}

#[test]
fn dimensions_that_are_too_large() {
    let large = i32::MAX as usize;
    for dims in [[large + 1, 1], [1, large + 1], [usize::MAX, 1], [usize::MAX, usize::MAX]] {
        assert!(
            matches!(Dcsr::<f32>::from_triplets(dims, []), Err(Error::DimensionTooLarge { .. })),
            "{dims:?}"
        );
        assert!(matches!(DenseMat::<f32>::try_full(dims, 0.0), Err(Error::DimensionTooLarge { .. })));
        assert!(matches!(DenseMat::<f32>::from_dense(dims, vec![]), Err(Error::DimensionTooLarge { .. })));
        assert!(matches!(Dcsr::<f32>::try_random_sparse(dims, 0.0, 1), Err(Error::DimensionTooLarge { .. })));
    }
    let last = [large - 1, large - 1];
    let a = Dcsr::from_triplets([large, large], [(last, 2.0f64), ([0, 0], 1.0), (last, 3.0)])
        .expect("two entries");
    assert_eq!((a.stored(), a.get(last), a.get([0, large - 1])), (2, 5.0, 0.0));
    assert!(matches!(a.to_dense(), Err(Error::TooManyEntries { .. })));
    assert!(matches!(a.convert::<(Dense, Dense)>(), Err(Error::TooManyEntries { .. })));
    assert!(matches!(a.convert::<(Compressed, Dense)>(), Err(Error::TooManyEntries { .. })));
    assert!(matches!(
        a.convert::<Filled<(Compressed, Compressed), One>>(),
        Err(Error::TooManyEntries { .. })
    ));
    assert_eq!(a.convert::<Reordered<(Compressed, Compressed), 1, 0>>().expect("two entries").get(last), 5.0);
    assert_eq!(a.convert::<(Compressed<NonUnique>, Singleton)>().expect("two entries").iter().count(), 2);
    type Cube = (Dense, Dense, Compressed);
    assert!(matches!(
        Tensor::<f32, Cube>::from_triplets([large, large, 1], []),
        Err(Error::TooManyEntries { .. })
    ));
    // A dimension of size 0 makes few of many.
    assert_eq!(Dense3::<f32>::try_full([large, large, 0], 1.0).map(|t| t.stored()).unwrap_or(0), 0);
}

#[test]
fn duplicates_in_any_order() -> Result<(), Error> {
    let mut entries: Vec<([usize; 2], i64)> =
        vec![([1, 2], 1), ([0, 0], 10), ([1, 2], 100), ([2, 1], 1000), ([1, 2], 10000), ([0, 0], 100000)];
    for turn in 0..entries.len() {
        entries.rotate_left(1);
        if turn % 2 == 0 {
            entries.reverse();
        }
        fn check<F: Format<Coord = [usize; 2]>>(entries: &[([usize; 2], i64)]) -> Result<(), Error> {
            let t = Tensor::<i64, F>::from_triplets([3, 3], entries.iter().copied())?;
            assert_eq!(
                (t.get([1, 2]), t.get([0, 0]), t.get([2, 1]), t.get([2, 2])),
                (10101, 100010, 1000, 0)
            );
            assert!(t.stored() == 3 || t.stored() == 9);
            Ok(())
        }
        check::<(Dense, Compressed)>(&entries)?;
        check::<(Dense, Dense)>(&entries)?;
        check::<(Compressed<NonUnique>, Singleton)>(&entries)?;
        check::<(Compressed<NonUnique>, Singleton<NonUnique>)>(&entries)?;
        check::<Reordered<(Compressed, Compressed), 1, 0>>(&entries)?;
    }
    Ok(())
}

#[test]
fn sums_that_overflow_wrap() -> Result<(), Error> {
    assert_eq!(SparseVec::from_triplets([1], [([0], i32::MAX), ([0], 1)])?.get([0]), i32::MIN);
    assert_eq!(DenseVec::from_triplets([1], [([0], i64::MIN), ([0], -1)])?.get([0]), i64::MAX);
    assert_eq!(SparseVec::from_triplets([1], [([0], 200u8), ([0], 100)])?.get([0]), 44);
    assert!(SparseVec::from_triplets([1], [([0], true), ([0], true)])?.get([0]));
    assert_eq!(SparseVec::from_triplets([1], [([0], f32::MAX), ([0], f32::MAX)])?.get([0]), f32::INFINITY);
    assert!(
        SparseVec::from_triplets([1], [([0], f64::INFINITY), ([0], f64::NEG_INFINITY)])?.get([0]).is_nan()
    );
    let cancelled = SparseVec::from_triplets([2], [([0], 1.0f32), ([0], -1.0)])?;
    assert_eq!((cancelled.stored(), cancelled.get([0])), (1, 0.0), "a zero that is stored stays");
    Ok(())
}

#[test]
fn dense_data() -> Result<(), Error> {
    for (dims, n) in [([2, 3], 5), ([2, 3], 7), ([0, 3], 1), ([2, 3], 0)] {
        let found = DenseMat::from_dense(dims, vec![1.0f32; n]);
        assert!(matches!(found, Err(Error::ShapeMismatch { .. })), "{dims:?} of {n}");
        let text = found.unwrap_err().to_string();
        assert!(text.contains(&n.to_string()), "{text}");
    }
    assert_eq!(DenseMat::from_dense([0, 3], Vec::<f32>::new())?.stored(), 0);
    let sparse = Csr::from_dense([2, 3], vec![0.0, -0.0, f32::NAN, 1.0, 0.0, f32::MIN_POSITIVE])?;
    assert_eq!(sparse.stored(), 3, "-0 is the fill, as it equals 0; NaN is not");
    Ok(())
}

#[test]
fn chance() -> Result<(), Error> {
    let stored = |density: f64| Csr::<f32>::try_random_sparse([20, 30], density, 7).map(|t| t.stored());
    assert_eq!(stored(0.0)?, 0);
    assert_eq!(stored(-0.0)?, 0);
    assert_eq!(stored(1.0)?, 600);
    assert_eq!(stored(f64::MIN_POSITIVE)?, 0);
    assert_eq!(stored(5e-324)?, 0);
    let most = stored(1.0 - f64::EPSILON)?;
    assert!((590..=600).contains(&most), "{most}");
    for none in [f64::NAN, -0.1, f64::NEG_INFINITY, 1.1, f64::INFINITY] {
        let text = stored(none).expect_err("no probability").to_string();
        assert_eq!(text, format!("the density is {none}: write a number from 0 to 1"));
    }
    for dims in [[0, 0], [0, 5], [5, 0]] {
        for density in [0.0, 0.5, 1.0] {
            assert_eq!(Csr::<f32>::try_random_sparse(dims, density, 7)?.stored(), 0);
            assert_eq!(Coo::<u8>::try_random_sparse(dims, density, 7)?.stored(), 0);
        }
        assert_eq!(DenseMat::<bool>::random(dims, 1).stored(), 0);
    }
    assert_eq!(Scalar::<f32>::random([], 1).stored(), 1);
    let full = Csr::<bool>::random_sparse([5, 5], 1.0, 3);
    assert!(full.iter().all(|e| e.1), "what is stored is not the fill");
    let full = Csr::<u8>::random_sparse([50, 50], 1.0, 3);
    assert!(full.iter().all(|e| e.1 != 0));
    type Ones = Filled<(Dense, Compressed), One>;
    assert!(Tensor::<i32, Ones>::random_sparse([50, 50], 1.0, 3).iter().all(|e| e.1 != 1));
    assert!(Tensor::<bool, Ones>::random_sparse([9, 9], 1.0, 3).iter().all(|e| !e.1));
    assert!(matches!(
        Tensor::<f32, (Dense, Singleton)>::try_random_sparse([9, 9], 0.5, 3),
        Err(Error::NotOneEntry { .. })
    ));
    assert!(matches!(DenseVec::<f64>::try_random([usize::MAX], 1), Err(Error::DimensionTooLarge { .. })));
    // Chance of a huge matrix takes what is drawn, not what could be.
    let few = Dcsr::<f32>::try_random_sparse([i32::MAX as usize, i32::MAX as usize], 1e-18, 5)?;
    assert!(few.stored() < 60, "{}", few.stored());
    assert!(matches!(
        Dcsr::<f32>::try_random_sparse([i32::MAX as usize, i32::MAX as usize], 1.0, 5),
        Err(Error::TooManyEntries { .. })
    ));
    Ok(())
}

#[test]
fn generated() -> Result<(), Error> {
    let sizes = |c: Coordinates<f32>| (c.dims.clone(), c.vals.len(), c.crd.len());
    assert_eq!(sizes(generate::stencil_2d(0, 5)?).1, 0);
    assert_eq!(sizes(generate::stencil_3d(1, 1, 1)?), (vec![1, 1], 1, 2));
    assert_eq!(sizes(generate::rmat(0, 0, 1)?).0, [1, 1]);
    assert_eq!(sizes(generate::uniform(0, 5, 3.0, 1)?).0, [0, 5]);
    assert_eq!(sizes(generate::uniform(5, 0, 3.0, 1)?).1, 0);
    assert_eq!(sizes(generate::banded(0, 1, 1, 1)?).1, 0);
    assert_eq!(sizes(generate::banded(3, 10, 10, 1)?).1, 9);
    assert_eq!(sizes(generate::banded(3, usize::MAX, usize::MAX, 1)?).1, 9);
    for (failed, what) in [
        (generate::rmat::<f32>(31, 1, 1).map(|_| ()), "rmat of 2^31"),
        (generate::rmat::<f32>(u32::MAX, 1, 1).map(|_| ()), "rmat of 2^(2^32)"),
        (generate::rmat::<f32>(20, usize::MAX, 1).map(|_| ()), "rmat of too many edges"),
        (generate::stencil_2d::<f32>(usize::MAX, usize::MAX).map(|_| ()), "a stencil"),
        (generate::stencil_3d::<f32>(1 << 20, 1 << 20, 1 << 30).map(|_| ()), "a stencil"),
        (generate::uniform::<f32>(usize::MAX, 5, 1.0, 1).map(|_| ()), "rows"),
        (generate::uniform::<f32>(5, usize::MAX, 1.0, 1).map(|_| ()), "columns"),
        (generate::banded::<f32>(usize::MAX, 1, 1, 1).map(|_| ()), "a band"),
        (generate::banded::<f32>(i32::MAX as usize, usize::MAX, usize::MAX, 1).map(|_| ()), "a full band"),
    ] {
        assert!(failed.is_err(), "{what}");
    }
    for mean in [0.0, 1e-300, 1e300, f64::INFINITY] {
        let (dims, n, _) = sizes(generate::uniform(10, 10, mean, 1)?);
        assert!(dims == [10, 10] && n <= 100, "{mean}: {n}");
    }
    for mean in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(
            generate::uniform::<f32>(10, 10, mean, 1),
            Err(Error::InvalidDensity { found, .. }) if found.to_bits() == mean.to_bits()
        ));
    }
    Ok(())
}
