//! What is refused and on which line, and that no input makes a reader panic.

use super::*;

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
    assert_eq!(coordinate("3 3 1\n1 4 1\n"), (3, K::OutOfRange { dim: 2, found: "4".into(), size: 3 }));
    assert_eq!(coordinate("0 3 1\n1 1 1\n"), (3, K::OutOfRange { dim: 1, found: "1".into(), size: 0 }));
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
fn malformed_tns_files_name_the_line() {
    let read = |text: &str| fault(tns::<f64>(text));
    assert_eq!(read(""), (1, K::NoOrder));
    assert_eq!(read("# nothing\n"), (1, K::NoOrder));
    assert_eq!(read("%%MatrixMarket matrix coordinate real general\n2 2 0\n"), (1, K::IsMatrixMarket));
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
    let far = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 99999999999999999999 1\n";
    let text = "m.mtx:3: coordinate 2 is 99999999999999999999, outside 1..=1";
    assert_eq!(mtx::<f64>(far).expect_err("an error").to_string(), text);
    let Err(Error::File(e)) = read_matrix_market_header("no/such/file.mtx") else { panic!("no error") };
    assert_eq!(e.line, None);
    assert!(e.to_string().starts_with("no/such/file.mtx: "), "{e}");
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
