//! Whole files: what is read, what is refused and on which line, and that no input makes a reader panic.

use super::testing::Rng;
use super::*;
use crate::format::Dense;
use crate::scalar::DType;
use crate::tensor::*;
use FileErrorKind as K;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

fn mtx<T: Element>(text: impl AsRef<[u8]>) -> Result<Coordinates<T>, FileError> {
    let mut progress = |_, _| {};
    let mut lines = Lines::new(text.as_ref(), "m.mtx", None, &mut progress)?;
    let header = matrix_market::header(&mut lines)?;
    matrix_market::entries(&mut lines, &header, None)
}

fn tns<T: Element>(text: impl AsRef<[u8]>) -> Result<Coordinates<T>, FileError> {
    tns_from(text.as_ref(), None)
}

fn tns_from<T: Element>(reader: impl Read, dims: Option<&[usize]>) -> Result<Coordinates<T>, FileError> {
    tns::read(&mut Lines::new(reader, "t.tns", None, &mut |_, _| {})?, dims, None)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(text).and_then(|()| gz.finish()).expect("writing to memory")
}

fn coordinates<T: Element>(dims: &[usize], entries: &[(&[i32], T)]) -> Coordinates<T> {
    Coordinates {
        dims: dims.to_vec(),
        crd: entries.iter().flat_map(|(crd, _)| crd.iter().copied()).collect(),
        vals: entries.iter().map(|(_, v)| *v).collect(),
    }
}

/// The line and the kind of the error.
#[track_caller]
fn fault<T: Element>(read: Result<Coordinates<T>, FileError>) -> (u64, FileErrorKind) {
    let e = read.expect_err("an error");
    (e.line.expect("a line"), e.kind)
}

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
fn banners_are_refused_by_name() {
    let refuse = |words: &str| fault(mtx::<f64>(format!("%%MatrixMarket {words}\n1 1 1\n1 1 1\n")));
    for (words, name) in [
        ("matrix coordinate complex general", "complex"),
        ("matrix array complex hermitian", "complex"),
        ("matrix coordinate real hermitian", "hermitian"),
        ("vector coordinate real general", "vector"),
        ("matrix coordinate pattern skew-symmetric", "skew-symmetric pattern"),
        ("matrix array pattern general", "array pattern"),
    ] {
        assert!(matches!(refuse(words), (1, K::Unsupported { what, .. }) if what == name), "{words}");
    }
    for (words, name) in [
        ("", "object"),
        ("tensor coordinate real general", "object"),
        ("matrix list real general", "layout"),
        ("matrix coordinate", "field"),
        ("matrix coordinate real", "symmetry"),
        ("matrix coordinate real both", "symmetry"),
    ] {
        assert!(matches!(refuse(words), (1, K::UnknownWord { what, .. }) if what == name), "{words}");
    }
    assert!(matches!(fault(mtx::<f64>("%MatrixMarket matrix\n")), (1, K::NotMatrixMarket { .. })));
    assert!(matches!(fault(mtx::<f64>("")), (1, K::Empty { .. })));
    assert!(matches!(fault(mtx::<f64>(b"\x7fELF\x02\x00\xff\xfe")), (1, K::NotMatrixMarket { .. })));
}

/// Each case is what follows the banner, from line 2, and the line of its fault.
#[test]
fn malformed_matrices_name_the_line() {
    let coordinate =
        |rest: &str| fault(mtx::<f64>(format!("%%MatrixMarket matrix coordinate real general\n{rest}")));
    assert!(matches!(coordinate(""), (1, K::NoSizeLine { .. })));
    assert!(matches!(coordinate("% only\n\n"), (3, K::NoSizeLine { .. })));
    assert!(matches!(coordinate("3 3\n"), (2, K::FieldCount { expected: 3, found: 2, .. })));
    assert!(matches!(coordinate("3 3 1 1\n"), (2, K::FieldCount { found: 4, .. })));
    assert!(matches!(coordinate("NaN 3 3\n"), (2, K::NotAnInteger { .. })));
    assert!(matches!(coordinate("-3 3 3\n"), (2, K::NotAnInteger { .. })));
    assert!(matches!(coordinate("3 3.0 3\n"), (2, K::NotAnInteger { .. })));
    assert!(matches!(coordinate("2147483648 3 3\n"), (2, K::DimensionTooLarge { .. })));
    assert!(matches!(coordinate("3 99999999999999999999999 3\n"), (2, K::DimensionTooLarge { .. })));
    assert!(matches!(coordinate("3 3 2147483648\n1 1 1\n"), (2, K::TooManyEntries { .. })));
    assert!(matches!(coordinate("3 3 99999999999999999999999\n"), (2, K::TooManyEntries { .. })));
    let promise = K::Truncated { expected: 2147483647, found: 1 };
    assert_eq!(coordinate("3 3 2147483647\n1 1 1\n"), (3, promise));
    assert_eq!(coordinate("3 3 2\n1 1 1\n"), (3, K::Truncated { expected: 2, found: 1 }));
    assert_eq!(coordinate("3 3 1\n1 1 1\n\n2 2 2\n"), (5, K::OverLong { expected: 1 }));
    assert_eq!(coordinate("3 3 0\n1 1 1\n"), (3, K::OverLong { expected: 0 }));
    assert_eq!(coordinate("3 3 1\n0 1 1\n"), (3, K::ZeroCoordinate { dim: 1 }));
    assert_eq!(coordinate("3 3 1\n1 4 1\n"), (3, K::OutOfRange { dim: 2, found: 4, size: 3 }));
    assert_eq!(coordinate("0 3 1\n1 1 1\n"), (3, K::OutOfRange { dim: 1, found: 1, size: 0 }));
    assert!(matches!(coordinate("3 3 1\n1 99999999999999999999999 1\n"), (3, K::OutOfRange { .. })));
    assert!(matches!(coordinate("3 3 1\n-1 1 1\n"), (3, K::NotAnInteger { .. })));
    assert!(matches!(coordinate("3 3 1\n1.0 1 1\n"), (3, K::NotAnInteger { .. })));
    assert!(matches!(coordinate("3 3 1\n1 1 x\n"), (3, K::NotANumber { .. })));
    assert!(matches!(coordinate("3 3 1\n1 1 \u{fffd}\u{7}\n"), (3, K::NotANumber { .. })));
    assert!(matches!(coordinate("3 3 1\n1 1\n"), (3, K::FieldCount { expected: 3, found: 2, .. })));
    assert!(matches!(coordinate("3 3 1\n1 1 1 1\n"), (3, K::FieldCount { expected: 3, found: 4, .. })));

    let with = |words: &str, rest: &str| fault(mtx::<i32>(format!("%%MatrixMarket matrix {words}\n{rest}")));
    assert!(matches!(with("coordinate real symmetric", "2 3 0\n"), (2, K::NotSquare { rows: 2, .. })));
    let both = "3 3 2\n2 1 1\n1 3 1\n";
    assert!(matches!(with("coordinate real symmetric", both), (4, K::BothTriangles { .. })));
    assert_eq!(with("coordinate real skew-symmetric", "3 3 1\n2 2 1\n"), (3, K::SkewDiagonal(2)));
    assert!(matches!(with("coordinate pattern general", "3 3 1\n2 2 1\n"), (3, K::FieldCount { .. })));
    assert!(matches!(with("coordinate integer general", "3 3 1\n2 2 1.0\n"), (3, K::NotAnInteger { .. })));
    assert!(matches!(with("coordinate real general", "3 3 1\n2 2 1.5\n"), (3, K::NotIntegral { .. })));
    let narrow = with("coordinate real general", "3 3 1\n2 2 1e10\n");
    assert_eq!(narrow, (3, K::DoesNotFit { found: "1e10".into(), dtype: DType::I32 }));
    assert!(matches!(with("array real general", "2 2\n1\n2\n3\n"), (5, K::Truncated { .. })));
    assert!(matches!(with("array real general", "1 1\n1\n2\n"), (4, K::OverLong { .. })));
    assert!(matches!(with("array real general", "1 1\n1 2\n"), (3, K::FieldCount { .. })));
    assert!(matches!(with("array real general", "2147483647 2\n1\n"), (2, K::TooManyEntries { .. })));
}

#[test]
fn lines_are_bounded() {
    let long = format!("%%MatrixMarket matrix coordinate real general\n% {}\n", "x".repeat(1 << 20));
    assert!(matches!(fault(mtx::<f64>(long)), (2, K::LineTooLong { .. })));
    assert!(matches!(fault(tns::<f64>("1".repeat(70_000))), (1, K::LineTooLong { .. })));
    // Endless, without a line feed.
    let zeros = tns_from::<f64>(std::io::repeat(b'0'), None);
    assert!(matches!(fault(zeros), (1, K::LineTooLong { .. })));
    let comment = format!("{}1 1\n", format!("#{}\n", "x".repeat(60_000)).repeat(20));
    assert_eq!(tns(comment), Ok(coordinates(&[1], &[(&[0], 1.0)])));
}

#[test]
fn damaged_gzip_is_an_error() {
    let text: String = (1..2000).map(|n| format!("{n} {} 1\n", n * 7 % 13 + 1)).collect();
    let whole = gzip(text.as_bytes());
    assert!(tns::<f64>(&whole).is_ok());
    for cut in [3, 9, 11, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        assert!(matches!(fault(tns::<f64>(&whole[..cut])), (_, K::Gzip { .. })), "cut at {cut}");
    }
    let mut checksum = whole.clone();
    let at = whole.len() - 6;
    checksum[at] ^= 1;
    assert!(matches!(fault(tns::<f64>(&checksum)), (_, K::Gzip { .. })));
    assert!(tns::<f64>([&whole[..], b"junk"].concat()).is_err());
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
fn malformed_tns_files_name_the_line() {
    let read = |text: &str| fault(tns::<f64>(text));
    assert_eq!(read(""), (1, K::NoOrder));
    assert_eq!(read("# nothing\n"), (1, K::NoOrder));
    assert_eq!(read("5\n"), (1, K::Order { found: 1 }));
    assert_eq!(read("1 2 3 4 5 6 7 8\n"), (1, K::Order { found: 8 }));
    assert!(matches!(read("1 1 1\n1 1 1 1\n"), (2, K::FieldCount { expected: 3, found: 4, .. })));
    assert!(matches!(read("1 1 1\n\n1 1\n"), (3, K::FieldCount { expected: 3, found: 2, .. })));
    assert_eq!(read("1 0 1\n"), (1, K::ZeroCoordinate { dim: 2 }));
    assert!(matches!(read("1 2147483648 1\n"), (1, K::OutOfRange { dim: 2, .. })));
    assert!(matches!(read("# dims: 2 2\n1 3 1\n"), (2, K::OutOfRange { size: 2, .. })));
    assert!(matches!(read("# dims: 2 2\n1 1 1 1\n"), (2, K::FieldCount { expected: 3, found: 4, .. })));
    assert!(matches!(read("1 1 abc\n"), (1, K::NotANumber { .. })));
    assert!(matches!(read("1 x 1\n"), (1, K::NotAnInteger { .. })));
}

#[test]
fn errors_say_where_and_what() {
    let e = mtx::<u8>("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 300\n")
        .expect_err("an error");
    let text = "m.mtx:3: 300 does not fit u8: read the file into a tensor of a wider type";
    assert_eq!(e.to_string(), text);
    let Err(Error::File(e)) = read_matrix_market_header("no/such/file.mtx") else { panic!("no error") };
    assert_eq!(e.line, None);
    assert!(e.to_string().starts_with("no/such/file.mtx: "), "{e}");
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

/// Random damage to good files: any answer will do, except a panic or entries outside the dimensions.
#[test]
fn damaged_files_never_panic() {
    let mut seeds: Vec<Vec<u8>> = [
        "%%MatrixMarket matrix coordinate real general\n% c\n4 5 3\n1 2 1.5\n4 5 -2e3\n2 2 0.125\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
        "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 7\n3 1 -9223372036854775807\n",
        "%%MatrixMarket matrix array real symmetric\r\n2 2\r\n1\r\n2.5\r\n3\r\n",
        "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
        "# dims: 3 4 5\n1 2 3 4.5\n3 4 5 1e-7\n",
        "1 2 3 4 5 6 0.5\n2 1 1 1 1 1 inf\n",
    ]
    .map(|s| s.as_bytes().to_vec())
    .to_vec();
    let zipped: Vec<_> = seeds.iter().map(|s| gzip(s)).collect();
    seeds.extend(zipped);
    let mut rng = Rng(2024);
    for case in 0..30_000 {
        let mut file = seeds[case % seeds.len()].clone();
        for _ in 0..1 + rng.below(4) {
            damage(&mut file, &mut rng);
        }
        for read in [mtx::<f64>(&file), tns::<f64>(&file)].into_iter().flatten() {
            assert_eq!(read.crd.len(), read.vals.len() * read.dims.len());
            let inside = |(n, c): (usize, &i32)| *c >= 0 && (*c as usize) < read.dims[n % read.dims.len()];
            assert!(read.crd.iter().enumerate().all(inside));
        }
        let _ =
            (mtx::<i32>(&file), mtx::<u8>(&file), mtx::<bool>(&file), tns::<i64>(&file), tns::<f32>(&file));
    }
}

fn damage(file: &mut Vec<u8>, rng: &mut Rng) {
    const TOKENS: [&[u8]; 12] = [
        b"-",
        b"99999999999",
        b"2147483647",
        b"0",
        b"\n",
        b" ",
        b"NaN",
        b"\r",
        b".",
        b"e",
        b"%",
        b"\x1f\x8b",
    ];
    let at = rng.below(file.len() + 1);
    match rng.below(5) {
        0 => file.truncate(at),
        1 => {
            let token = TOKENS[rng.below(TOKENS.len())];
            file.splice(at..at, token.iter().copied());
        }
        2 => {
            let to = (at + rng.below(8)).min(file.len());
            file.drain(at..to);
        }
        3 => {
            let to = (at + rng.below(40)).min(file.len());
            let copy = file[at..to].to_vec();
            file.splice(at..at, copy);
        }
        _ => {
            if let Some(b) = file.get_mut(at) {
                *b ^= 1 << rng.below(8);
            }
        }
    }
}

fn written(write: impl FnOnce(&mut dyn Write) -> Result<(), FileErrorKind>) -> Vec<u8> {
    let mut text = Vec::new();
    write(&mut text).expect("writing to memory");
    text
}

fn entries<T: Element>(c: &Coordinates<T>) -> impl Iterator<Item = (Vec<usize>, T)> {
    let crd = c.crd.chunks(c.dims.len()).map(|crd| crd.iter().map(|c| *c as usize).collect());
    crd.zip(c.vals.iter().copied())
}

#[test]
fn writing_and_reading_gives_the_same() {
    fn check<T: Element>(value: impl Fn(&mut Rng) -> T) {
        let mut rng = Rng(5);
        for dims in [&[7][..], &[4, 9], &[0, 3], &[3, 4, 5], &[2, 3, 2, 3, 2, 9]] {
            let mut c = Coordinates { dims: dims.to_vec(), crd: vec![], vals: vec![] };
            for _ in 0..if dims.contains(&0) { 0 } else { 50 } {
                c.crd.extend(dims.iter().map(|n| rng.below(*n) as i32));
                c.vals.push(value(&mut rng));
            }
            let bits = |c: &Coordinates<T>| c.vals.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>();
            let text = written(|out| write::tns(out, &c.dims, entries(&c)));
            let back = tns::<T>(text).expect("our own file");
            assert_eq!((&back.dims, &back.crd, bits(&back)), (&c.dims, &c.crd, bits(&c)));
            if dims.len() != 2 {
                continue;
            }
            let text = written(|out| write::coordinate_matrix(out, &c.dims, || entries(&c)));
            let back = mtx::<T>(text).expect("our own file");
            assert_eq!((&back.dims, &back.crd, bits(&back)), (&c.dims, &c.crd, bits(&c)));
        }
    }
    check(|rng| f64::from_bits(rng.next()));
    check(|rng| f32::from_bits(rng.next() as u32));
    check(|rng| [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE / 8.0, 0.1][rng.below(6)]);
    check(|rng| rng.next() as i64);
    check(|rng| rng.next() as i32);
    check(|rng| rng.next() as u8);
    check(|rng| rng.next() & 1 == 0);
    check(|_| true);
}

#[test]
fn what_is_written() {
    let c = coordinates(&[2, 2], &[(&[0, 1], true), (&[1, 1], true)]);
    let text = written(|out| write::coordinate_matrix(out, &c.dims, || entries(&c)));
    assert_eq!(text, b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n");
    let dense = coordinates(&[1, 2], &[(&[0, 0], 1.5), (&[0, 1], -0.0)]);
    let text = written(|out| write::array_matrix(out, &dense.dims, entries(&dense)));
    assert_eq!(text, b"%%MatrixMarket matrix array real general\n1 2\n1.5\n-0.0\n");
    let text = written(|out| write::tns(out, &dense.dims, entries(&dense)));
    assert_eq!(text, b"# dims: 1 2\n1 1 1.5\n1 2 -0.0\n");
    let vector = coordinates(&[3], &[(&[2], 7i32)]);
    let text = written(|out| write::coordinate_matrix(out, &vector.dims, || entries(&vector)));
    assert_eq!(text, b"%%MatrixMarket matrix coordinate integer general\n3 1 1\n3 1 7\n");
    let refused = write::coordinate_matrix(&mut Vec::new(), &[1, 1, 1], || [([0; 3], 1.0)].into_iter());
    assert!(matches!(refused, Err(K::CannotWrite { rank: 3, .. })));
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

/// A folder of its own under the system's, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sparse-core-io-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_round_trip() -> crate::error::Result<()> {
    fn check<T: Element, F: Format>(folder: &Folder, tensor: &Tensor<T, F>) -> crate::error::Result<()> {
        let same = |back: Tensor<T, F>| {
            assert_eq!(back.dims(), tensor.dims());
            assert!(back.iter().eq(tensor.iter()), "{tensor:?} came back as {back:?}");
        };
        for gz in ["", ".gz"] {
            let path = folder.0.join(format!("t.tns{gz}"));
            write_tns(&path, tensor)?;
            same(read_tns(&path)?);
            let starts_as_gzip = std::fs::read(&path).is_ok_and(|b| b.starts_with(&[0x1f, 0x8b]));
            assert_eq!(starts_as_gzip, !gz.is_empty());
            let path = folder.0.join(format!("t.mtx{gz}"));
            if F::RANK <= 2 {
                write_matrix_market(&path, tensor)?;
                same(read_matrix_market(&path)?);
                let dims = tensor.dims();
                let header = read_matrix_market_header(&path)?;
                assert_eq!((header.rows, header.symmetry), (dims.as_ref()[0], Symmetry::General));
            } else {
                assert!(matches!(write_matrix_market(&path, tensor), Err(Error::File(_))));
            }
        }
        Ok(())
    }
    let folder = Folder::new("round-trip");
    check(&folder, &Csr::<f64>::random_sparse([30, 20], 0.1, 1))?;
    check(&folder, &Csc::<f32>::random_sparse([30, 20], 0.1, 1))?;
    check(&folder, &Dcsr::<bool>::random_sparse([30, 20], 0.1, 1))?;
    check(&folder, &Coo::<i64>::from_triplets([5, 4], [([1, 2], i64::MAX), ([4, 0], i64::MIN)])?)?;
    check(&folder, &Csr::<u8>::from_triplets([0, 9], [])?)?;
    check(&folder, &DenseMat::<f32>::random([4, 7], 3))?;
    check(&folder, &DenseMatColumnMajor::<f64>::random([4, 7], 3))?;
    check(&folder, &DenseMat::<bool>::random([4, 7], 3))?;
    check(&folder, &DenseVec::<i32>::random([9], 3))?;
    check(&folder, &SparseVec::<f64>::random_sparse([90], 0.1, 3))?;
    check(&folder, &Csf3::<f64>::random_sparse([9, 8, 7], 0.1, 3))?;
    let e =
        write_tns(folder.0.join("no/such/folder.tns"), &DenseVec::<f32>::zeros([1])).expect_err("no folder");
    assert!(e.to_string().contains("folder.tns: "), "{e}");
    Ok(())
}
