//! Raw arrays that make no tensor: the error names what is wrong, and they come back.

use sparse_gpu::prelude::*;

fn csr(dims: [usize; 2], pos: &[i32], crd: &[i32], vals: &[f32]) -> Parts<f32> {
    let levels = vec![LevelArrays::Dense, LevelArrays::compressed(pos.to_vec(), crd.to_vec())];
    Parts { dims: dims.to_vec(), levels, vals: vals.to_vec().into() }
}

fn refused<F: Format>(parts: Parts<f32>, says: &str) -> Error {
    let given = parts.clone();
    match Tensor::<f32, F>::try_from_parts(parts) {
        Ok(t) => panic!("{given:?} were taken as {t:?}"),
        Err(e) => {
            assert_eq!(e.parts, given, "the parts come back");
            let text = e.to_string();
            assert!(text.contains(says), "{given:?}: `{text}` does not say `{says}`");
            e.error
        }
    }
}

type C = Compressed;
type CsrFormat = (Dense, C);
type CooFormat = (Compressed<NonUnique>, Singleton);

#[test]
fn positions() {
    // 3 rows, 4 columns; well made: [0, 1, 1, 3], [1, 0, 3].
    let v = [1.0, 2.0, 3.0];
    let c = [1, 0, 3];
    assert!(Csr::try_from_parts(csr([3, 4], &[0, 1, 1, 3], &c, &v)).is_ok());
    let e = refused::<CsrFormat>(csr([3, 4], &[0, 2, 1, 3], &c, &v), "pos[2] of level 1 is 1");
    assert!(matches!(e, Error::InvalidPosition { level: 1, index: 2, found: 1 }), "{e}");
    refused::<CsrFormat>(csr([3, 4], &[1, 1, 1, 3], &c, &v), "pos[0] of level 1 is 1");
    refused::<CsrFormat>(csr([3, 4], &[-1, 1, 1, 3], &c, &v), "pos[0] of level 1 is -1");
    refused::<CsrFormat>(csr([3, 4], &[0, -1, 1, 3], &c, &v), "pos[1] of level 1 is -1");
    refused::<CsrFormat>(csr([3, 4], &[0, 1, 3], &c, &v), "pos of level 1 has 3 elements, expected 4");
    refused::<CsrFormat>(csr([3, 4], &[0, 1, 1, 3, 3], &c, &v), "pos of level 1 has 5 elements, expected 4");
    refused::<CsrFormat>(csr([3, 4], &[], &[], &[]), "pos of level 1 has 0 elements, expected 4");
    refused::<CsrFormat>(csr([0, 4], &[], &[], &[]), "pos of level 1 has 0 elements, expected 1");
    refused::<CsrFormat>(
        csr([3, 4], &[0, 1, 1, i32::MAX], &c, &v),
        "crd of level 1 has 3 elements, expected 2147483647",
    );
    refused::<CsrFormat>(csr([3, 4], &[0, i32::MAX, i32::MAX, i32::MAX], &c, &v), "expected 2147483647");
    refused::<CsrFormat>(csr([3, 4], &[0, 1, 1, 2], &c, &v), "crd of level 1 has 3 elements, expected 2");
    refused::<CsrFormat>(csr([3, 4], &[0, 0, 0, 0], &c, &v), "expected 0");
    refused::<CsrFormat>(csr([3, 4], &[0, 1, i32::MIN, 3], &c, &v), "pos[2] of level 1 is -2147483648");
}

#[test]
fn coordinates() {
    let (p, v) = ([0, 1, 1, 3], [1.0, 2.0, 3.0]);
    for (crd, dim, says) in [
        ([1, 0, 4], 1, "coordinate 4 of dimension 1 is outside 0..4"),
        ([-1, 0, 3], 1, "coordinate -1 of dimension 1 is outside 0..4"),
        ([1, 0, i32::MAX], 1, "coordinate 2147483647"),
        ([i32::MIN, 0, 3], 1, "coordinate -2147483648"),
    ] {
        let e = refused::<CsrFormat>(csr([3, 4], &p, &crd, &v), says);
        assert!(matches!(e, Error::CoordinateOutOfRange { dim: d, .. } if d == dim), "{e}");
    }
    // Dimensions are named as the tensor has them, not as its levels are.
    refused::<Reordered<CsrFormat, 1, 0>>(
        csr([4, 3], &p, &[1, 0, 4], &v),
        "coordinate 4 of dimension 0 is outside 0..4",
    );
    let e = refused::<CsrFormat>(csr([3, 4], &p, &[1, 3, 0], &v), "crd[2] of level 1");
    assert!(matches!(e, Error::UnsortedCoordinates { level: 1, position: 2 }), "{e}");
    let e = refused::<CsrFormat>(csr([3, 4], &p, &[1, 3, 3], &v), "crd[2] of level 1 repeats");
    assert!(matches!(e, Error::DuplicateCoordinate { level: 1, position: 2 }), "{e}");
    refused::<CsrFormat>(csr([3, 0], &p, &[0, 0, 0], &v), "outside 0..0");
    refused::<CsrFormat>(csr([3, 4], &p, &[1, 0], &v), "crd of level 1 has 2 elements, expected 3");
    refused::<CsrFormat>(csr([3, 4], &p, &[1, 0, 3, 3], &v), "crd of level 1 has 4 elements, expected 3");
}

#[test]
fn values_and_dimensions() {
    let (p, c) = ([0, 1, 1, 3], [1, 0, 3]);
    for vals in [&[1.0, 2.0][..], &[1.0; 4], &[]] {
        let found = format!("vals of level 2 has {} elements, expected 3", vals.len());
        refused::<CsrFormat>(csr([3, 4], &p, &c, vals), &found);
    }
    let v = [1.0, 2.0, 3.0];
    let too_large = i32::MAX as usize + 1;
    refused::<CsrFormat>(csr([3, too_large], &p, &c, &v), "dimension 1 has size 2147483648");
    refused::<CsrFormat>(csr([3, usize::MAX], &p, &c, &v), "dimension 1 has size");
    refused::<CsrFormat>(csr([too_large, 4], &p, &c, &v), "dimension 0 has size 2147483648");
    refused::<CsrFormat>(csr([usize::MAX, usize::MAX], &p, &c, &v), "dimension 0 has size");
    // As large as a dimension may be: not an allocation, a wrong length.
    refused::<CsrFormat>(
        csr([too_large - 1, 4], &p, &c, &v),
        "pos of level 1 has 4 elements, expected 2147483648",
    );
    let dense = |dims: [usize; 2]| Parts {
        dims: dims.to_vec(),
        levels: vec![LevelArrays::Dense, LevelArrays::Dense],
        vals: vec![1.0f32; 6].into(),
    };
    assert!(DenseMat::try_from_parts(dense([2, 3])).is_ok());
    refused::<(Dense, Dense)>(dense([2, 4]), "vals of level 2 has 6 elements, expected 8");
    refused::<(Dense, Dense)>(dense([too_large - 1, too_large - 1]), "4611686014132420609 entries");
    refused::<(Dense, Dense)>(dense([0, 3]), "expected 0");
}

#[test]
fn levels_of_another_format() {
    let given = csr([3, 4], &[0, 1, 1, 3], &[1, 0, 3], &[1.0, 2.0, 3.0]);
    refused::<(C, C)>(given.clone(), "level 0 is stored as [Pos, Crd], but [] were given");
    refused::<(Dense, Dense)>(given.clone(), "level 1 is stored as [], but [Pos, Crd] were given");
    refused::<(Dense,)>(given.clone(), "2 dimensions, but the format has 1");
    refused::<(Dense, C, C)>(given.clone(), "2 dimensions, but the format has 3");
    let mut levels = given.clone();
    levels.levels.pop();
    refused::<CsrFormat>(levels, "");
    let mut levels = given.clone();
    levels.levels.push(LevelArrays::Dense);
    refused::<CsrFormat>(levels, "");
    let mut dims = given;
    dims.dims = vec![3];
    refused::<CsrFormat>(dims, "1 dimensions, but the format has 2");
}

#[test]
fn coordinate_lists() {
    let coo = |pos: &[i32], rows: &[i32], cols: &[i32]| Parts {
        dims: vec![3, 4],
        levels: vec![
            LevelArrays::compressed(pos.to_vec(), rows.to_vec()),
            LevelArrays::singleton(cols.to_vec()),
        ],
        vals: vec![1.0f32; rows.len()].into(),
    };
    assert!(Coo::try_from_parts(coo(&[0, 3], &[0, 0, 2], &[1, 3, 0])).is_ok());
    // A list may not be out of order; whether entries repeat the type says.
    refused::<CooFormat>(coo(&[0, 3], &[0, 2, 0], &[1, 3, 0]), "crd[2] of level 0");
    refused::<CooFormat>(coo(&[0, 3], &[0, 0, 2], &[3, 1, 0]), "crd[1] of level 1");
    refused::<CooFormat>(coo(&[0, 3], &[0, 0, 2], &[1, 1, 0]), "crd[1] of level 1 repeats");
    refused::<CooFormat>(coo(&[0, 3], &[0, 0, 2], &[1, 3]), "crd of level 1 has 2 elements, expected 3");
    refused::<CooFormat>(coo(&[0, 3], &[0, 0, 2], &[1, 3, 4]), "coordinate 4 of dimension 1");
    refused::<CooFormat>(coo(&[0, 3], &[0, 0, 3], &[1, 3, 0]), "coordinate 3 of dimension 0");
    refused::<CooFormat>(coo(&[0, 2], &[0, 0, 2], &[1, 3, 0]), "expected 2");
    refused::<CooFormat>(coo(&[0], &[], &[]), "pos of level 0 has 1 elements, expected 2");
    refused::<CooFormat>(coo(&[0, 0, 0], &[], &[]), "pos of level 0 has 3 elements, expected 2");
    assert!(Coo::try_from_parts(coo(&[0, 0], &[], &[])).is_ok());
}

#[test]
fn deep_levels() {
    let csf = |pos: [&[i32]; 3], crd: [&[i32]; 3]| Parts {
        dims: vec![2, 2, 2],
        levels: (0..3).map(|l| LevelArrays::compressed(pos[l].to_vec(), crd[l].to_vec())).collect(),
        vals: vec![1.0f32; crd[2].len()].into(),
    };
    type F = (C, C, C);
    let good = [&[0, 2][..], &[0, 1, 2], &[0, 1, 3]];
    let crd = [&[0, 1][..], &[1, 0], &[0, 0, 1]];
    assert!(Csf3::try_from_parts(csf(good, crd)).is_ok());
    refused::<F>(csf([good[0], &[0, 1], good[2]], crd), "pos of level 1 has 2 elements, expected 3");
    refused::<F>(csf(good, [crd[0], crd[1], &[0, 1, 1]]), "crd[2] of level 2 repeats");
    refused::<F>(csf(good, [crd[0], crd[1], &[0, 1, 0]]), "crd[2] of level 2");
    refused::<F>(csf(good, [&[1, 0], crd[1], crd[2]]), "crd[1] of level 0");
    refused::<F>(csf(good, [crd[0], &[2, 0], crd[2]]), "coordinate 2 of dimension 1");
}
