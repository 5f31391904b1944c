//! Operands that each row comes to from their beginning: a directory says where to search in them, on CPUs.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn selected(A: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    fn scaled(A: Csr<f64>, s: SparseVec<f64>, t: SparseVec<f64>) -> Csr<f64> {
        E[i, j] = s[i] * A[i, j] * t[j];
    }
}

tensor_kernel! {
    fn twice(A: Csr<f64>, x: SparseVec<f64>, z: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j] * z[j];
    }
}

tensor_kernel! {
    /// The vector follows two rows.
    fn of_a_sum(A: Csr<f64>, B: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = (A[i, j] + B[i, j]) * x[j];
    }
}

tensor_kernel! {
    fn of_many(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = (A[i, j] + B[i, j] + C[i, j] + D[i, j]) * x[j];
    }
}

tensor_kernel! {
    /// Rows that are stored at all.
    fn product(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

/// Some coordinates of so many: all, spread ones, or those of one end, which are in one part.
fn coordinates(size: usize, kind: usize) -> Vec<usize> {
    let some = size.min(60);
    match kind {
        0 => vec![],
        1 => (0..some).collect(),
        2 => (0..some).map(|n| size - some + n).collect(),
        3 => (0..some).map(|n| (n as u128 * size as u128 / some as u128) as usize).collect(),
        _ => vec![size - 1],
    }
}

fn vector(size: usize, kind: usize, salt: usize) -> SparseVec<f64> {
    let all = coordinates(size, kind).into_iter().filter(|j| j % 7 != salt);
    SparseVec::from_triplets([size], all.map(|j| ([j], (j % 5 + salt) as f64 - 1.5))).unwrap()
}

fn matrix(rows: usize, size: usize, salt: usize) -> Csr<f64> {
    let kinds = (0..rows).flat_map(|i| coordinates(size, (i + salt) % 6).into_iter().map(move |j| (i, j)));
    let all = kinds.filter(|(i, j)| (i + j * 3 + salt) % 4 < 3);
    Csr::from_triplets([rows, size], all.map(|(i, j)| ([i, j], ((i + j) % 9) as f64 - 4.25))).unwrap()
}

/// On any number of threads.
fn each<T>(f: impl Fn() -> T + Sync) -> Vec<T>
where
    T: Send,
{
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    [1, 3].map(|threads| pool(threads).install(&f)).into()
}

/// Its entries by row.
fn rows(a: &Csr<f64>) -> Vec<Vec<(usize, f64)>> {
    let mut rows = vec![vec![]; a.dim(0)];
    a.iter().for_each(|([i, j], v)| rows[i].push((j, v)));
    rows
}

#[test]
fn what_is_searched_is_what_is_there() -> Result<(), Error> {
    // As many parts as coordinates, fewer, and one: where the rows have few entries.
    for (size, kind) in [1, 5, 61, 1000, (1 << 31) - 1].into_iter().flat_map(|n| (0..5).map(move |k| (n, k)))
    {
        for n in [1, 40] {
            let [a, b, c, d] = [0, 1, 2, 3].map(|salt| matrix(n, size, salt));
            let (s, x, z) = (vector(n, 1, 3), vector(size, kind, 1), vector(size, 3, 2));
            let of = |a: &Csr<f64>, term: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
                rows(a).into_iter().map(|row| row.into_iter().map(|(j, v)| term(j, v)).sum()).collect()
            };
            let plus =
                |a: Vec<f64>, b: Vec<f64>| -> Vec<f64> { a.into_iter().zip(b).map(|(a, b)| a + b).collect() };
            let with_x = |a: &Csr<f64>| of(a, &|j, v| v * x.get([j]));
            let all = each(|| -> Result<_, Error> {
                Ok([
                    selected(&a, &x)?,
                    twice(&a, &x, &z)?,
                    of_a_sum(&a, &b, &x)?,
                    of_many(&a, &b, &c, &d, &x)?,
                ])
            });
            let expected = [
                with_x(&a),
                of(&a, &|j, v| v * x.get([j]) * z.get([j])),
                plus(with_x(&a), with_x(&b)),
                [&b, &c, &d].into_iter().fold(with_x(&a), |sum, m| plus(sum, with_x(m))),
            ];
            for made in all {
                for (number, (y, expected)) in made?.iter().zip(&expected).enumerate() {
                    let near = y.vals().iter().zip(expected).all(|(y, e)| (y - e).abs() < 1e-9);
                    assert!(near, "{number} of {n} rows of {size}, {kind}: {y:?} for {expected:?}");
                }
            }
            let stored = |x: &SparseVec<f64>, at: usize| x.iter().any(|([j], _)| j == at);
            let entries: Vec<_> = a.iter().filter(|([i, j], _)| stored(&s, *i) && stored(&x, *j)).collect();
            for made in each(|| scaled(&a, &s, &x)) {
                let made: Vec<_> =
                    made?.iter().filter(|([i, j], _)| stored(&s, *i) && stored(&x, *j)).collect();
                let expected: Vec<_> =
                    entries.iter().map(|([i, j], v)| ([*i, *j], s.get([*i]) * v * x.get([*j]))).collect();
                assert_eq!(made, expected, "{n} rows of {size}, {kind}");
            }
        }
    }
    Ok(())
}

#[test]
fn rows_that_are_stored_are_found() -> Result<(), Error> {
    for (size, kind) in [1, 61, 1000, (1 << 31) - 1].into_iter().flat_map(|n| (0..5).map(move |k| (n, k))) {
        let rows = matrix(30, size, 1);
        let a = Dcsr::<f64>::from_triplets([30, size], rows.iter())?;
        let stored = coordinates(size, kind);
        let second =
            stored.iter().flat_map(|j| (0..3).map(move |k| ([*j, k * 2], (j % 11 + k) as f64 - 4.5)));
        let b = Dcsr::<f64>::from_triplets([size, 7], second)?;
        let mut expected = vec![[0.0; 7]; 30];
        for ([i, j], v) in rows.iter().filter(|([_, j], _)| stored.contains(j)) {
            (0..7).for_each(|k| expected[i][k] += v * b.get([j, k]));
        }
        for made in each(|| product(&a, &b)) {
            let made = made?;
            for (i, k) in (0..30).flat_map(|i| (0..7).map(move |k| (i, k))) {
                assert!((made.get([i, k]) - expected[i][k]).abs() < 1e-9, "{size}, {kind}: {i}, {k}");
            }
        }
    }
    Ok(())
}

/// An operand that is gone through once, that is not at its beginning, or whose merging is scheduled has none.
#[test]
fn what_is_searched_once_has_no_directory() {
    let has = |text: &str| {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        let made = compiled.program_text().contains("_parts");
        assert_eq!(compiled.explain().contains("has a directory"), made, "{text}");
        made
    };
    assert!(has("fn f(A: Csr<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }"));
    assert!(has("fn f(A: Csr<f32>, B: Dcsr<f32>) -> Csr<f32> { C[i, k] = A[i, j] * B[j, k]; }"));
    for text in [
        "fn f(a: SparseVec<f32>, x: SparseVec<f32>) -> Scalar<f32> { y = a[j] * x[j]; }",
        "fn f(A: Csc<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }",
        "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[i, j]; }",
        "fn f(A: Csr<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] + x[j]; }",
        "fn f(A: Csr<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; } schedule cpu { mergeby(j, Gallop); }",
        "fn f(A: Csr<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; } schedule cpu { mergeby(j, TwoFinger); }",
    ] {
        assert!(!has(text), "{text}");
    }
}
