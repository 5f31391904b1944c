//! What is read, and how.

use super::*;

#[test]
fn coordinate_files() {
    let want = coordinates(&[3, 2], &[(&[0, 1], 1.5), (&[2, 0], -2e3)]);
    let text = "%%MatrixMarket matrix coordinate real general\n% by hand\n\n3 2 2\n1 2 1.5\n3 1 -2e3\n";
    assert_eq!(mtx(text), Ok(want.clone()));
    assert_eq!(mtx(text.replace('\n', "\r\n")), Ok(want.clone()), "CRLF");
    assert_eq!(mtx(text.trim_end()), Ok(want.clone()), "no line feed at the end");
    assert_eq!(mtx(text.replace('\n', "\n\n \t\n")), Ok(want.clone()), "blank lines");
    assert_eq!(mtx(text.replace(' ', " \t ").replace("\n%", "\n   %")), Ok(want.clone()), "blanks");
    assert_eq!(mtx(text.replace("real", "DOUBLE").replace("matrix", "Matrix")), Ok(want.clone()), "case");
    assert_eq!(mtx(format!("\u{feff}{text}")), Ok(want.clone()), "byte order mark");
    assert_eq!(mtx(gzip(text.as_bytes())), Ok(want.clone()), "gzip");
    let (a, b) = text.as_bytes().split_at(71);
    assert_eq!(mtx([gzip(a), gzip(b)].concat()), Ok(want), "gzip members");
}

#[test]
fn fields_and_symmetries() {
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n";
    assert_eq!(mtx(pattern), Ok(coordinates(&[2, 2], &[(&[0, 0], 1i32), (&[1, 0], 1), (&[0, 1], 1)])));
    assert_eq!(mtx::<bool>(pattern).map(|c| c.vals), Ok(vec![true; 3]));
    let upper = pattern.replace("2 1\n", "1 2\n");
    assert_eq!(mtx(upper), Ok(coordinates(&[2, 2], &[(&[0, 0], 1u8), (&[0, 1], 1), (&[1, 0], 1)])));
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 9007199254740993\n";
    let big = 9007199254740993i64;
    assert_eq!(mtx(skew), Ok(coordinates(&[2, 2], &[(&[1, 0], big), (&[0, 1], -big)])));
    let empty = "%%MatrixMarket matrix coordinate real general\n0 7 0\n";
    assert_eq!(mtx::<f32>(empty), Ok(coordinates(&[0, 7], &[])));
}

#[test]
fn array_files() {
    let general = "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n";
    let read = mtx::<u8>(general).expect("a good file");
    assert_eq!(read.crd, [0, 0, 1, 0, 0, 1, 1, 1, 0, 2, 1, 2]);
    assert_eq!(read.vals, [1, 2, 3, 4, 5, 6]);
    let symmetric = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";
    let want = coordinates(&[2, 2], &[(&[0, 0], 1f32), (&[1, 0], 2.0), (&[0, 1], 2.0), (&[1, 1], 3.0)]);
    assert_eq!(mtx(symmetric), Ok(want));
    let skew = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n";
    let read = mtx::<f64>(skew).expect("a good file");
    assert_eq!(read.crd, [1, 0, 0, 1, 2, 0, 0, 2, 2, 1, 1, 2]);
    assert_eq!(read.vals, [1.0, -1.0, 2.0, -2.0, 3.0, -3.0]);
    for (m, n) in [(0, 0), (0, 5), (5, 0)] {
        let none = format!("%%MatrixMarket matrix array real general\n{m} {n}\n");
        assert_eq!(mtx::<f64>(none), Ok(coordinates(&[m, n], &[])));
    }
}

#[test]
fn tns_files() {
    let want = coordinates(&[2, 3, 4], &[(&[0, 0, 3], 1.5), (&[1, 2, 0], 2.0)]);
    let text = "# a comment\n\n1 1 4 1.5\n# another\n2 3 1 2\n";
    assert_eq!(tns(text), Ok(want.clone()));
    assert_eq!(tns(text.replace('\n', "\r\n").trim_end()), Ok(want));
    let announced = "# dims: 9 9\n1 2 3\n";
    assert_eq!(tns(announced), Ok(coordinates(&[9, 9], &[(&[0, 1], 3u8)])));
    assert_eq!(tns::<f32>("# dims: 0 5 2\n"), Ok(coordinates(&[0, 5, 2], &[])));
    assert_eq!(tns("# dims: many\n1 2 3\n"), Ok(coordinates(&[1, 2], &[(&[0, 1], 3u8)])));
    let given = tns_from(&b"1 2 3\n"[..], Some(&[4, 5]));
    assert_eq!(given, Ok(coordinates(&[4, 5], &[(&[0, 1], 3i32)])));
    assert_eq!(tns("1 2 3 4 5 6 7\n"), Ok(coordinates(&[1, 2, 3, 4, 5, 6], &[(&[0, 1, 2, 3, 4, 5], 7i64)])));
}

#[test]
fn progress_reaches_the_end() -> crate::error::Result<()> {
    let text = "1 1 1\n".repeat(200_000);
    let mut calls = Vec::new();
    let read: Csr<f32> = read_tns_from(text.as_bytes(), "t", None, |n, total| {
        assert_eq!(total, None);
        calls.push(n);
    })?;
    assert_eq!((read.stored(), read.get([0, 0])), (1, 200_000.0));
    assert!(calls.is_sorted() && calls.len() > 3);
    assert_eq!(calls.last(), Some(&(text.len() as u64)));
    Ok(())
}

fn read<T: Element, F: Format>(text: &str) -> crate::error::Result<Tensor<T, F>> {
    read_matrix_market_from(text.as_bytes(), "m.mtx", |_, _| {})
}

#[test]
fn matrices_and_vectors_in_their_formats() -> crate::error::Result<()> {
    let text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n3 1 4\n3 1 0.5\n";
    let a: Csr<f64> = read(text)?;
    assert_eq!((a.dims(), a.stored(), a.get([0, 2]), a.get([2, 0])), ([3, 3], 3, 4.5, 4.5));
    assert_eq!(read::<f64, _>(text).map(|a: Csc<f64>| (a.stored(), a.get([2, 0])))?, (3, 4.5));
    assert_eq!(read::<f64, _>(text).map(|a: DenseMat<f64>| (a.stored(), a.get([2, 0])))?, (9, 4.5));

    let array = "%%MatrixMarket matrix array integer general\n2 3\n1\n0\n0\n4\n5\n0\n";
    let d: DenseMat<i32> = read(array)?;
    assert_eq!((d.stored(), d.get([1, 1]), d.get([0, 2])), (6, 4, 5));
    let s: Csr<i32> = read(array)?;
    assert_eq!((s.stored(), s.get([1, 1]), s.get([0, 2])), (3, 4, 5));

    let column = "%%MatrixMarket matrix array real general\n3 1\n1\n0\n3\n";
    let row = "%%MatrixMarket matrix coordinate real general\n1 3 2\n1 3 3\n1 1 1\n";
    for text in [column, row] {
        let v: DenseVec<f32> = read(text)?;
        assert_eq!((v.dims(), v.get([0]), v.get([1]), v.get([2])), ([3], 1.0, 0.0, 3.0));
        assert_eq!(read::<f32, _>(text).map(|v: SparseVec<f32>| v.stored())?, 2);
    }
    let kind = |e: Error| if let Error::File(e) = e { (e.line, e.kind) } else { panic!("{e}") };
    let e = read::<f64, _>(text).map(|_: DenseVec<f64>| ()).expect_err("3 x 3");
    assert_eq!(kind(e), (Some(2), K::NotAVector { rows: 3, cols: 3 }));
    let e = read::<f64, _>(text).map(|_: Coo3<f64>| ()).expect_err("rank 3");
    assert_eq!(kind(e), (Some(2), K::Rank { file: 2, wanted: 3 }));
    let e = read_tns_from::<f32, (Dense,)>(&b"1 1 1\n"[..], "t", None, |_, _| {}).expect_err("rank 1");
    assert_eq!(kind(e), (Some(1), K::Rank { file: 2, wanted: 1 }));
    Ok(())
}
