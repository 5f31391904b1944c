//! Files as they come: cut short, damaged, written by other programs, lying about their size.

use crate::scratch::Folder;
use flate2::Compression;
use flate2::write::GzEncoder;
use sparse_gpu::io::FileErrorKind;
use sparse_gpu::prelude::*;
use std::io::Write;

const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn matrix<T: Element>(text: impl AsRef<[u8]>) -> Result<Coo<T>, Error> {
    io::read_matrix_market_from(text.as_ref(), "m.mtx", |_, _| {})
}

fn tensor<T: Element, F: Format>(text: impl AsRef<[u8]>) -> Result<Tensor<T, F>, Error> {
    io::read_tns_from(text.as_ref(), "t.tns", None, |_, _| {})
}

/// The line that an error names, its kind and its text.
#[track_caller]
fn fault<T>(found: Result<T, Error>) -> (Option<u64>, FileErrorKind, String) {
    match found {
        Err(Error::File(e)) => (e.line, e.kind.clone(), e.to_string()),
        Err(e) => panic!("not an error of the file: {e}"),
        Ok(_) => panic!("read without an error"),
    }
}

/// Plain and compressed, read as `f64`: the line, and what its message must say.
fn refused(text: &str, line: u64, says: &str) {
    for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        let read = matrix::<f64>(&bytes);
        assert!(read.is_err(), "read without an error: {text:?}");
        let (at, _, message) = fault(read);
        assert!(at == Some(line) && message.contains(says), "{text:?}: {message}");
        assert!(message.starts_with(&format!("m.mtx:{line}: ")), "{message}");
    }
}

#[test]
fn headers_that_lie() {
    for (sizes, says) in [
        ("2147483648 1 1", "too large"),
        ("1 2147483648 1", "too large"),
        ("9223372036854775808 1 1", "too large"),
        ("1000000000000000000000000000000 1 1", "too large"),
        ("2 2 2147483648", "too many"),
        ("2 2 9223372036854775808", "too many"),
        ("2 2 1000000000000000000000000000000", "too many"),
        ("-1 2 1", "whole number"),
        ("2 2 -1", "whole number"),
        ("2.0 2 1", "whole number"),
        ("2 2 1e0", "whole number"),
        ("nan 2 1", "whole number"),
        ("0x2 2 1", "whole number"),
        ("2 2", "found 2"),
        ("2 2 1 1", "found 4"),
        ("two 2 1", "whole number"),
    ] {
        refused(&format!("{GENERAL}{sizes}\n1 1 1.0\n"), 2, says);
        refused(&format!("{GENERAL}% a comment\n\n{sizes}\n1 1 1.0\n"), 4, says);
    }
    // As many as 32 bits count are no error of the header, and take no memory before they come.
    refused(&format!("{GENERAL}2147483647 2147483647 2147483647\n1 1 1.0\n"), 3, "after 1 of 2147483647");
    refused(&format!("{GENERAL}2 2 2\n1 1 1.0"), 3, "after 1 of 2");
    refused(&format!("{GENERAL}2 2 1\n1 1 1.0\n\n% well\n2 2 1.0\n"), 6, "beyond the 1");
    refused(GENERAL, 1, "before the size line");
    refused(&format!("{GENERAL}% nothing\n"), 2, "before the size line");
    refused("", 1, "empty");
}

#[test]
fn banners() {
    for banner in [
        "%%MatrixMarket matrix coordinate real general",
        "%%matrixmarket MATRIX Coordinate REAL General",
        "%%MATRIXMARKET\tmatrix  coordinate\treal general  ",
        "%%MatrixMarket matrix coordinate real general\r",
        "%%MatrixMarket matrix coordinate double general",
    ] {
        let m = matrix::<f64>(format!("{banner}\n1 1 1\n1 1 2.5\n")).expect(banner);
        assert_eq!(m.get([0, 0]), 2.5, "{banner}");
    }
    for (banner, says) in [
        ("%MatrixMarket matrix coordinate real general", "%%MatrixMarket"),
        ("% %MatrixMarket matrix coordinate real general", "%%MatrixMarket"),
        ("1 1 1", "%%MatrixMarket"),
        ("%%MatrixMarket vector coordinate real general", "vector"),
        ("%%MatrixMarket matrix sparse real general", "sparse"),
        ("%%MatrixMarket matrix coordinate float general", "float"),
        ("%%MatrixMarket matrix coordinate real diagonal", "diagonal"),
        ("%%MatrixMarket matrix coordinate complex general", "complex"),
        ("%%MatrixMarket matrix coordinate complex hermitian", "complex"),
        ("%%MatrixMarket matrix coordinate real hermitian", "hermitian"),
        ("%%MatrixMarket matrix array pattern general", "pattern"),
        ("%%MatrixMarket matrix coordinate pattern skew-symmetric", "pattern"),
        ("%%MatrixMarket matrix coordinate real", "expected"),
        ("%%MatrixMarket", "expected"),
    ] {
        refused(&format!("{banner}\n1 1 1\n1 1 1\n"), 1, says);
    }
}

#[test]
fn entries_that_are_none() {
    for (entry, says) in [
        ("0 1 1.0", "start at 1"),
        ("1 0 1.0", "start at 1"),
        ("4 1 1.0", "outside 1..=3"),
        ("1 5 1.0", "outside 1..=4"),
        ("-1 1 1.0", "whole number"),
        ("1.0 1 1.0", "whole number"),
        ("99999999999999999999999 1 1.0", "outside 1..=3"),
        ("18446744073709551617 1 1.0", "outside 1..=3"),
        ("1 1", "found 2"),
        ("1 1 1.0 2.0", "found 4"),
        ("1 1 one", "not a number"),
        ("1 1 1.0x", "not a number"),
        ("1 1 1,5", "not a number"),
        ("1 1 0x10", "not a number"),
        ("1 1 1e", "not a number"),
        ("1 1 --1", "not a number"),
        ("1 1 .", "not a number"),
        ("1 1 1.0 % a comment", "found"),
    ] {
        refused(&format!("{GENERAL}3 4 2\n1 1 1.0\n{entry}\n"), 4, says);
    }
}

#[test]
fn numbers_as_rust_reads_them() -> Result<(), Error> {
    for text in [
        "1e400",
        "-1e400",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "+1",
        "-0",
        "-0.0",
        "1.",
        ".5",
        "5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "123456789012345678901234567890",
        "1E5",
        "1e+5",
        "0.1",
        "00012",
    ] {
        let file = format!("{GENERAL}1 1 1\n1 1 {text}\n");
        let (wide, narrow) = (matrix::<f64>(&file)?.get([0, 0]), matrix::<f32>(&file)?.get([0, 0]));
        let (as_f64, as_f32): (f64, f32) = (text.parse().expect(text), text.parse().expect(text));
        assert!(wide.to_bits() == as_f64.to_bits() || wide.is_nan() && as_f64.is_nan(), "{text}: {wide}");
        assert!(
            narrow.to_bits() == as_f32.to_bits() || narrow.is_nan() && as_f32.is_nan(),
            "{text}: {narrow}"
        );
    }
    Ok(())
}

#[test]
fn integers_that_do_not_fit() -> Result<(), Error> {
    let file = |field: &str, value: &str| {
        format!("%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {value}\n")
    };
    fn read<T: Element>(text: &str) -> Result<T, FileErrorKind> {
        match matrix::<T>(text) {
            Ok(m) => Ok(m.get([0, 0])),
            failed => {
                let (line, kind, message) = fault(failed);
                assert!(line == Some(3) && message.contains("read the file into"), "{message}");
                Err(kind)
            }
        }
    }
    for field in ["integer", "real"] {
        let file = |value| file(field, value);
        assert_eq!(read::<i64>(&file("9223372036854775807")), Ok(i64::MAX), "{field}");
        assert_eq!(read::<i64>(&file("-9223372036854775808")), Ok(i64::MIN));
        assert_eq!(
            read::<i64>(&file("9007199254740993")),
            Ok(9007199254740993),
            "beyond the integers of f64"
        );
        assert!(read::<i64>(&file("9223372036854775808")).is_err());
        assert!(read::<i64>(&file("-9223372036854775809")).is_err());
        assert!(read::<i64>(&file("1000000000000000000000000000000")).is_err());
        assert_eq!(read::<i32>(&file("-2147483648")), Ok(i32::MIN));
        assert!(read::<i32>(&file("2147483648")).is_err());
        assert!(read::<i32>(&file("9223372036854775808")).is_err());
        assert_eq!(read::<u8>(&file("255")), Ok(255));
        for wrong in ["256", "-1", "9223372036854775808"] {
            assert!(read::<u8>(&file(wrong)).is_err(), "{wrong}");
        }
        assert_eq!(read::<f64>(&file("9223372036854775808")), Ok(9223372036854775808.0));
    }
    for wrong in ["0.5", "nan", "inf", "1e-3", "-1e400"] {
        assert!(read::<i32>(&file("real", wrong)).is_err(), "{wrong}");
        assert!(read::<u8>(&file("real", wrong)).is_err(), "{wrong}");
    }
    assert_eq!(read::<i32>(&file("real", "3.0")), Ok(3));
    assert_eq!(read::<i32>(&file("real", "3e2")), Ok(300));
    assert_eq!(read::<u8>(&file("real", "-0.0")), Ok(0));
    // A truth value is read as any number is cast: not 0 is true.
    assert_eq!(read::<bool>(&file("integer", "1")), Ok(true));
    assert_eq!(read::<bool>(&file("integer", "0")), Ok(false));
    Ok(())
}

#[test]
fn text_of_other_systems() -> Result<(), Error> {
    let same = [
        "3 4 2\n1 2 5\n3 4 -6\n",
        "3 4 2\r\n1 2 5\r\n3 4 -6\r\n",
        "3\t4\t2\n1\t2\t5\n 3  4\t -6 \n",
        "3 4 2\n1 2 5\n3 4 -6",
        "% first\n%\n\n   \n3 4 2\n% between\n1 2 5\n\n  % indented\n3 4 -6\n\n\n% last",
        "3 4 2\n3 4 -6\n1 2 5\n \t \r\n",
    ];
    for text in same {
        for bytes in [format!("{GENERAL}{text}").into_bytes(), gzip(format!("{GENERAL}{text}").as_bytes())] {
            let m = matrix::<f64>(&bytes)?;
            assert_eq!(
                (m.dims(), m.stored(), m.get([0, 1]), m.get([2, 3])),
                ([3, 4], 2, 5.0, -6.0),
                "{text:?}"
            );
        }
    }
    // A byte order mark, as some editors write.
    match matrix::<f64>(format!("\u{feff}{GENERAL}1 1 1\n1 1 2\n")) {
        Ok(m) => assert_eq!(m.get([0, 0]), 2.0),
        failed => assert!(fault(failed).2.contains("expected `%%MatrixMarket")),
    }
    // Bytes that are no text, in a comment and in a number.
    let mut bytes = GENERAL.as_bytes().to_vec();
    bytes.extend(b"% M\xfcller \xff\xfe\n1 1 1\n1 1 2\n");
    assert_eq!(matrix::<f64>(&bytes)?.get([0, 0]), 2.0);
    let mut bytes = GENERAL.as_bytes().to_vec();
    bytes.extend(b"1 1 1\n1 1 \xff2\n");
    let (line, _, message) = fault(matrix::<f64>(&bytes));
    assert!(line == Some(3) && message.contains("\\xff"), "{message}");
    let (_, _, message) = fault(matrix::<f64>([0u8; 300]));
    assert!(message.contains("%%MatrixMarket") && message.len() < 300, "{message}");
    let utf16: Vec<u8> = GENERAL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fault(matrix::<f64>(utf16));
    Ok(())
}

#[test]
fn damaged_gzip() -> Result<(), Error> {
    let entries: String = (1..=20_000).map(|k| format!("{k} {} {}\n", 20_001 - k, k as f64 / 7.0)).collect();
    let text = format!("{GENERAL}20000 20000 20000\n{entries}");
    let whole = gzip(text.as_bytes());
    assert_eq!(matrix::<f64>(&whole)?.stored(), 20_000);
    // Cut anywhere, in a number too; the last eight bytes are the checksum.
    for cut in [
        3,
        9,
        10,
        11,
        40,
        whole.len() / 3,
        whole.len() / 2,
        whole.len() - 9,
        whole.len() - 8,
        whole.len() - 1,
    ] {
        let (_, kind, message) = fault(matrix::<f64>(&whole[..cut]));
        assert!(matches!(kind, FileErrorKind::Gzip { .. }), "{cut}: {message}");
    }
    for at in [whole.len() / 2, whole.len() - 6] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fault(matrix::<f64>(&damaged));
    }
    // Two members, as `cat a.gz b.gz` makes, cut inside of a number.
    let half = text.len() / 2;
    let mut joined = gzip(&text.as_bytes()[..half]);
    joined.extend(gzip(&text.as_bytes()[half..]));
    let m = matrix::<f64>(&joined)?;
    assert!(m == matrix::<f64>(&text)?);
    // What stands behind the stream is no part of it, or an error; never entries.
    let mut followed = whole.clone();
    followed.extend(b"1 1 1.0\n");
    if let Ok(m) = matrix::<f64>(&followed) {
        assert_eq!(m.stored(), 20_000);
    }
    Ok(())
}

#[test]
fn symmetry() -> Result<(), Error> {
    let banner = |layout, field, symmetry| format!("%%MatrixMarket matrix {layout} {field} {symmetry}\n");
    let m = matrix::<f64>(banner("coordinate", "real", "skew-symmetric") + "3 3 2\n2 1 5\n3 2 -1\n")?;
    assert_eq!((m.get([1, 0]), m.get([0, 1]), m.get([1, 2]), m.stored()), (5.0, -5.0, 1.0, 4));
    let m = matrix::<i64>(banner("coordinate", "integer", "symmetric") + "3 3 2\n2 1 5\n3 3 -1\n")?;
    assert_eq!((m.get([1, 0]), m.get([0, 1]), m.get([2, 2]), m.stored()), (5, 5, -1, 3));
    let m = matrix::<f32>(banner("coordinate", "pattern", "symmetric") + "3 3 2\n2 1\n3 3\n")?;
    assert_eq!((m.get([1, 0]), m.get([0, 1]), m.get([2, 2]), m.stored()), (1.0, 1.0, 1.0, 3));
    // Columns of the lower triangle; of a skew one without the diagonal.
    let m = matrix::<f64>(banner("array", "real", "symmetric") + "3 3\n1\n2\n3\n4\n5\n6\n")?;
    assert_eq!(m.to_dense()?.vals(), [1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0]);
    let m = matrix::<f64>(banner("array", "real", "skew-symmetric") + "3 3\n1\n2\n3\n")?;
    assert_eq!(m.to_dense()?.vals(), [0.0, -1.0, -2.0, 1.0, 0.0, -3.0, 2.0, 3.0, 0.0]);
    let m = matrix::<f64>(banner("array", "integer", "general") + "2 3\n1\n2\n3\n4\n5\n6\n")?;
    assert_eq!(m.to_dense()?.vals(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    refused(&(banner("coordinate", "real", "skew-symmetric") + "3 3 2\n2 1 5\n2 2 1\n"), 4, "(2, 2)");
    refused(&(banner("coordinate", "real", "symmetric") + "3 4 1\n1 1 5\n"), 2, "square");
    refused(&(banner("array", "real", "symmetric") + "3 4\n1\n"), 2, "square");
    refused(&(banner("array", "real", "general") + "2 2\n1\n2\n3\n"), 5, "after 3 of 4");
    refused(&(banner("array", "real", "general") + "2 2\n1\n2\n3\n4\n5\n"), 7, "beyond the 4");
    refused(&(banner("array", "real", "skew-symmetric") + "2 2\n1\n2\n"), 4, "beyond the 1");
    refused(&(banner("array", "real", "general") + "2 2\n1 2\n3 4\n"), 3, "found 2");
    refused(&(banner("array", "real", "general") + "2 2 4\n1\n"), 2, "found 3");
    refused(&(banner("array", "real", "general") + "100000 100000\n1\n"), 2, "too many");
    refused(&(banner("coordinate", "real", "symmetric") + "3 3 2\n2 1 5\n1 2 5\n"), 4, "one triangle");
    // The negative of a value may be none of the type.
    let skew = banner("coordinate", "integer", "skew-symmetric") + "2 2 1\n2 1 ";
    assert_eq!(matrix::<i64>(format!("{skew}-9223372036854775807\n"))?.get([0, 1]), i64::MAX);
    assert_eq!(fault(matrix::<i64>(format!("{skew}-9223372036854775808\n"))).0, Some(3));
    assert_eq!(fault(matrix::<i32>(format!("{skew}-2147483648\n"))).0, Some(3));
    assert_eq!(fault(matrix::<u8>(format!("{skew}1\n"))).0, Some(3));
    Ok(())
}

#[test]
fn matrices_without_elements() -> Result<(), Error> {
    for (rows, cols) in [(0, 0), (0, 5), (5, 0)] {
        for symmetry in ["general", "symmetric"] {
            if symmetry == "symmetric" && rows != cols {
                continue;
            }
            let sparse = format!("%%MatrixMarket matrix coordinate real {symmetry}\n{rows} {cols} 0\n");
            assert_eq!(matrix::<f32>(&sparse)?.dims(), [rows, cols]);
            let csr: Csr<f32> = io::read_matrix_market_from(sparse.as_bytes(), "m", |_, _| {})?;
            assert_eq!((csr.dims(), csr.stored()), ([rows, cols], 0));
            let dense = format!("%%MatrixMarket matrix array real {symmetry}\n{rows} {cols}\n");
            let read: DenseMat<f32> = io::read_matrix_market_from(dense.as_bytes(), "m", |_, _| {})?;
            assert_eq!((read.dims(), read.vals().len()), ([rows, cols], 0));
        }
        refused(&format!("{GENERAL}{rows} {cols} 1\n1 1 1.0\n"), 3, "outside");
    }
    Ok(())
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new("none");
    for path in [
        folder.path("missing.mtx"),
        folder.path("missing.mtx.gz"),
        folder.path(""),
        folder.path("no/folder.mtx"),
    ] {
        for found in [
            io::read_matrix_market::<f64, (Dense, Compressed)>(&path).map(|_| ()),
            io::read_tns::<f64, (Compressed, Compressed, Compressed)>(&path).map(|_| ()),
            io::read_matrix_market_header(&path).map(|_| ()),
        ] {
            let (line, kind, message) = fault(found);
            assert!(line.is_none() && matches!(kind, FileErrorKind::Io { .. }), "{message}");
            assert!(message.starts_with(&path.display().to_string()), "{message}");
        }
    }
    for path in [folder.path(""), folder.path("no/folder.mtx")] {
        let (line, _, message) = fault(io::write_matrix_market(&path, &DenseMat::<f64>::zeros([2, 2])));
        assert!(line.is_none() && message.starts_with(&path.display().to_string()), "{message}");
    }
}

#[test]
fn frostt() -> Result<(), Error> {
    let one: SparseVec<f64> = tensor("3 1.5\n7 -2\n3 1\n")?;
    assert_eq!((one.dims(), one.stored(), one.get([2]), one.get([6])), ([7], 2, 2.5, -2.0));
    type Six = (Compressed, Compressed, Compressed, Compressed, Compressed, Compressed);
    let six: Tensor<i64, Six> =
        tensor("1 2 3 4 5 6 9223372036854775807\n6 5 4 3 2 1 -9223372036854775808\n")?;
    assert_eq!((six.dims(), six.stored()), ([6, 5, 4, 4, 5, 6], 2));
    assert_eq!((six.get([0, 1, 2, 3, 4, 5]), six.get([5, 4, 3, 2, 1, 0])), (i64::MAX, i64::MIN));
    for same in [
        "2 3 4 1\n",
        "\n# hello\n2 3 4 1",
        "2\t3\t4\t1\r\n",
        "  2 3 4 1.0e0  \n\n",
        "# dims: 2 3 4\n2 3 4 1\n",
    ] {
        for bytes in [same.as_bytes().to_vec(), gzip(same.as_bytes())] {
            let t: Csf3<f32> = tensor(bytes)?;
            assert_eq!((t.dims(), t.stored(), t.get([1, 2, 3])), ([2, 3, 4], 1, 1.0), "{same:?}");
        }
    }
    for (text, line, says) in [
        ("", 1, "# dims"),
        ("\n\n", 2, "# dims"),
        ("# nothing\n", 1, "# dims"),
        ("1 1 1 1\n1 1 1\n", 2, "found 3"),
        ("1 1 1 1\n1 1 1 1 1\n", 2, "found 5"),
        ("1 1 1\n", 1, "2 dimensions"),
        ("1 1 1 1 1 1 1 1\n", 1, "fields"),
        ("1\n", 1, "fields"),
        ("0 1 1 1\n", 1, "start at 1"),
        ("1 1 2147483648 1\n", 1, "2147483647"),
        ("1 1 1000000000000000000000000000000 1\n", 1, "2147483647"),
        ("1 1 -1 1\n", 1, "whole number"),
        ("1 1 1.5 1\n", 1, "whole number"),
        ("1 1 1 x\n", 1, "not a number"),
        ("# dims: 2 2 2\n1 1 3 1\n", 2, "outside 1..=2"),
        ("# dims: 2 2\n1 1 1 1\n", 2, "expected 3 fields"),
        ("# dims: 2 2\n1 1 1\n", 2, "2 dimensions"),
        ("# dims: 2 2\n", 1, "2 dimensions"),
        ("# dims: 2 2 0\n1 1 1 1\n", 2, "outside 1..=0"),
        ("# dims: 2 2 2147483648\n1 1 1 1\n", 1, "too large"),
        ("# dims: 2 2 1000000000000000000000000\n1 1 1 1\n", 1, "too large"),
        ("# dims: 2 2 -1\n1 1 1 1\n", 1, "whole number"),
        ("# dims: 1 1 1 1 1 1 1\n", 1, "7 dimensions: a tensor has at most 6"),
    ] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let (at, _, message) = fault(tensor::<f64, (Compressed, Compressed, Compressed)>(bytes));
            assert!(at == Some(line) && message.contains(says), "{text:?}: {message}");
        }
    }
    let sized = io::read_tns_from::<f64, (Compressed, Compressed)>(
        "3 1 1\n".as_bytes(),
        "t",
        Some([2, 2]),
        |_, _| {},
    );
    assert_eq!(fault(sized).0, Some(1));
    let empty =
        io::read_tns_from::<f64, (Compressed, Compressed)>("".as_bytes(), "t", Some([2, 2]), |_, _| {})?;
    assert_eq!((empty.dims(), empty.stored()), ([2, 2], 0));
    let whole = gzip("1 1 1 1.25\n".repeat(1000).as_bytes());
    fault(tensor::<f64, (Compressed, Compressed, Compressed)>(&whole[..whole.len() - 12]));
    Ok(())
}

/// Values at the ends of a type, each with a coordinate of its own.
fn extremes<T: Element, const R: usize>(vals: &[T]) -> ([usize; R], Vec<([usize; R], T)>) {
    let entries = vals.iter().enumerate().map(|(k, &v)| {
        let mut at = [k % 3; R];
        at[0] = k;
        (at, v)
    });
    let mut dims = [4; R];
    dims[0] = vals.len() + 2;
    (dims, entries.collect())
}

fn bits<T: Element>(v: T) -> u64 {
    match v.to_value() {
        sparse_gpu::scalar::Value::F32(v) => v.to_bits().into(),
        sparse_gpu::scalar::Value::F64(v) => v.to_bits(),
        other => format!("{other:?}").bytes().fold(0, |h, b| h.wrapping_mul(31).wrapping_add(b.into())),
    }
}

fn same_bits<T: Element, F: Format>(a: &Tensor<T, F>, b: &Tensor<T, F>) {
    assert_eq!((a.dims(), a.stored()), (b.dims(), b.stored()));
    for (x, y) in a.iter().zip(b.iter()) {
        assert!(x.0 == y.0 && bits(x.1) == bits(y.1), "{x:?} came back as {y:?}");
    }
}

fn through_tns<T: Element, F: Format<Coord = [usize; R]>, const R: usize>(
    folder: &Folder,
    vals: &[T],
) -> Result<(), Error> {
    let (dims, entries) = extremes(vals);
    let t = Tensor::<T, F>::from_triplets(dims, entries)?;
    for name in ["t.tns", "t.tns.gz"] {
        io::write_tns(folder.path(name), &t)?;
        same_bits(&t, &io::read_tns(folder.path(name))?);
    }
    Ok(())
}

fn through_mtx<T: Element, F: Format<Coord = [usize; R]>, const R: usize>(
    folder: &Folder,
    vals: &[T],
) -> Result<(), Error> {
    let (dims, entries) = extremes(vals);
    let t = Tensor::<T, F>::from_triplets(dims, entries)?;
    for name in ["t.mtx", "t.mtx.gz"] {
        io::write_matrix_market(folder.path(name), &t)?;
        same_bits(&t, &io::read_matrix_market(folder.path(name))?);
    }
    Ok(())
}

fn through_files<T: Element>(vals: &[T]) -> Result<(), Error> {
    type C = Compressed;
    let folder = Folder::new(std::any::type_name::<T>());
    through_tns::<T, (C,), 1>(&folder, vals)?;
    through_tns::<T, (Dense,), 1>(&folder, vals)?;
    through_tns::<T, (C, C), 2>(&folder, vals)?;
    through_tns::<T, (Dense, C, C), 3>(&folder, vals)?;
    through_tns::<T, (C, C, Dense, C), 4>(&folder, vals)?;
    through_tns::<T, (C, C, C, C, C), 5>(&folder, vals)?;
    through_tns::<T, (C, C, C, C, C, C), 6>(&folder, vals)?;
    through_mtx::<T, (C,), 1>(&folder, vals)?;
    through_mtx::<T, (Dense,), 1>(&folder, vals)?;
    through_mtx::<T, (Dense, C), 2>(&folder, vals)?;
    through_mtx::<T, (Dense, Dense), 2>(&folder, vals)?;
    through_mtx::<T, Reordered<(Dense, Dense), 1, 0>, 2>(&folder, vals)?;
    through_mtx::<T, Reordered<(C, C), 1, 0>, 2>(&folder, vals)?;
    through_mtx::<T, (Compressed<NonUnique>, Singleton), 2>(&folder, vals)?;
    through_mtx::<T, Filled<(Dense, C), One>, 2>(&folder, vals)?;
    through_tns::<T, Filled<(C, C), PosInf>, 2>(&folder, vals)
}

#[test]
fn written_and_read_again() -> Result<(), Error> {
    through_files(&[
        0.0f64,
        -0.0,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.1,
        1e22,
        9007199254740993.0,
        1.0 / 3.0,
    ])?;
    through_files(&[
        0.0f32,
        -0.0,
        f32::MIN_POSITIVE,
        1e-45,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.1,
        16777217.0,
    ])?;
    through_files(&[0, i64::MIN, i64::MAX, -1, 9007199254740993])?;
    through_files(&[0, i32::MIN, i32::MAX, -1])?;
    through_files(&[0u8, 1, 127, 128, 255])?;
    through_files(&[false, true, true, false])?;
    let folder = Folder::new("nan");
    let t = Csr::from_triplets([2, 2], [([0, 1], f32::NAN)])?;
    io::write_matrix_market(folder.path("t.mtx"), &t)?;
    let back: Csr<f32> = io::read_matrix_market(folder.path("t.mtx"))?;
    assert!(back.get([0, 1]).is_nan() && back.stored() == 1);
    Ok(())
}
