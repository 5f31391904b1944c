//! Products that are summed in parts: as many steps as the parts have, and nothing where a part has no terms.
#![allow(non_snake_case)]

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::error::Error;
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, Limits, run_with};
use sparse_core::tensor::{Csr, DenseMat, DenseVec, DynTensor};
use sparse_gpu::prelude::tensor_kernel;
use tests::named::Data::Tensor as Named;
use tests::named::agrees;

const INF: f64 = f64::INFINITY;

/// Does a program come to its end in so many steps?
fn takes(text: &str, operands: &[&DynTensor], steps: u64) -> bool {
    let program = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let operands: Vec<Arg> = operands.iter().map(|t| Arg::Tensor((*t).clone())).collect();
    run_with(&program, &operands, Limits { steps }).is_ok()
}

/// A matrix of one row that stores all of it.
fn row(n: usize) -> Result<DynTensor, Error> {
    Ok(DynTensor::from(&Csr::<f64>::from_triplets([1, n], (0..n).map(|j| ([0, j], 1.0)))?))
}

/// A row of 300 entries, squared, has 90 000 products; its sum is one of 300.
#[test]
fn a_row_is_summed_before_it_is_scattered() -> Result<(), Error> {
    let text = "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[k] = A[i, k] * A[i, j] * x[j]; }";
    let row = row(300)?;
    let x = DynTensor::from(&DenseVec::<f64>::from_triplets([300], (0..300).map(|j| ([j], 1.0)))?);
    assert!(takes(text, &[&row, &x], 6_000));
    assert!(!takes(&format!("{text} schedule cpu = none;"), &[&row, &x], 90_000));
    Ok(())
}

/// 40 neighbours of 40 features, and as many outputs, are 64 000 products.
#[test]
fn features_are_summed_before_they_are_weighted() -> Result<(), Error> {
    let text = "fn f(A: Csr<f64>, X: DenseMat<f64>, W: DenseMat<f64>) -> DenseMat<f64> { Y[i, k] = A[i, j] * X[j, l] * W[l, k]; }";
    let row = row(40)?;
    let all = (0..1600).map(|n| ([n / 40, n % 40], 1.0));
    let x = DynTensor::from(&DenseMat::<f64>::from_triplets([40, 40], all)?);
    assert!(takes(text, &[&row, &x, &x], 12_000));
    assert!(!takes(&format!("{text} schedule cpu = none;"), &[&row, &x, &x], 64_000));
    Ok(())
}

/// A matrix of so many rows, each with entries at the first columns.
fn rows(n: usize, entries: usize) -> Result<DynTensor, Error> {
    let all = (0..n).flat_map(|i| (0..entries).map(move |j| ([i, j], 1.0)));
    Ok(DynTensor::from(&Csr::<f64>::from_triplets([n, n], all)?))
}

const TWO_HOPS: &str =
    "fn f(S: Csr<f64>, A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = S[i, h] * A[h, j] * x[j]; }";

const TWO_HOPS_OF_ROWS: &str = "fn f(S: Csr<f64>, A: Csr<f64>, X: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = S[i, h] * A[h, j] * X[j, k]; }";

/// 60 rows of 20 entries are come to 1200 times, which is 24 000 products.
#[test]
fn rows_that_others_read_are_summed_once() -> Result<(), Error> {
    let a = rows(60, 20)?;
    let x = DynTensor::from(&DenseVec::<f64>::from_triplets([60], (0..60).map(|j| ([j], 1.0)))?);
    for text in [TWO_HOPS, &TWO_HOPS.replace("y[i] = ", "y[i] = x[i] - ")] {
        assert!(takes(text, &[&a, &a, &x], 10_000), "{text}");
        assert!(!takes(&format!("{text} schedule cpu = none;"), &[&a, &a, &x], 24_000), "{text}");
    }
    let all = (0..240).map(|n| ([n / 4, n % 4], 1.0));
    let x = DynTensor::from(&DenseMat::<f64>::from_triplets([60, 4], all)?);
    assert!(takes(TWO_HOPS_OF_ROWS, &[&a, &a, &x], 60_000));
    assert!(!takes(&format!("{TWO_HOPS_OF_ROWS} schedule cpu = none;"), &[&a, &a, &x], 96_000));
    Ok(())
}

/// Each row is summed once: what is summed is stored, and nothing is stored before. Threads share the question which rows are empty.
#[test]
fn rows_that_others_read_are_stored_once() {
    for text in [TWO_HOPS, TWO_HOPS_OF_ROWS] {
        let program = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program_text();
        assert!(program.contains("let mut t0 = [unwritten; "), "{program}");
        let sums = program.lines().filter(|l| l.trim().starts_with("t0[") && l.contains(" += "));
        assert_eq!(sums.count(), 0, "{program}");
        assert!(program.contains("for threads(work S2_dim) part in 0..64 {"), "{program}");
    }
}

const THREE_HOPS: &str = "fn f(S: Csr<f64>, A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = S[i, h] * A[h, j] * B[j, k] * x[k]; }";

/// Two products of 60 rows of 20 entries after the first one: 3 600 products, not 24 000 for each i.
#[test]
fn products_of_products_are_summed_once() -> Result<(), Error> {
    let a = rows(60, 20)?;
    let x = DynTensor::from(&DenseVec::<f64>::from_triplets([60], (0..60).map(|j| ([j], 1.0)))?);
    for text in [THREE_HOPS, &THREE_HOPS.replace("y[i] = ", "y[i] = x[i] - ")] {
        assert!(takes(text, &[&a, &a, &a, &x], 16_000), "{text}");
    }
    let all = (0..240).map(|n| ([n / 4, n % 4], 1.0));
    let x = DynTensor::from(&DenseMat::<f64>::from_triplets([60, 4], all)?);
    let of_rows = THREE_HOPS
        .replace("x: DenseVec<f64>) -> DenseVec", "x: DenseMat<f64>) -> DenseMat")
        .replace("y[i]", "y[i, l]")
        .replace("x[k]", "x[k, l]");
    assert!(takes(&of_rows, &[&a, &a, &a, &x], 90_000));
    Ok(())
}

/// Products of matrices and vectors are one function, whichever arrays they are of, and so are the questions which rows are empty.
#[test]
fn products_in_a_row_are_one_function() {
    let text = |text: &str| {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        sparse_core::emit::rust::native(compiled.program.program())
    };
    for (kernel, loops, functions) in [(TWO_HOPS, 5, 4), (THREE_HOPS, 11, 6)] {
        let text = text(kernel);
        assert_eq!(text.matches("rt :: threads (").count(), loops, "{text}");
        assert_eq!(text.matches("impl rt :: Task for").count(), functions, "{text}");
    }
}

/// Of 1000 rows 20 are read: no others are summed, whose array would take memory for all of them, too.
#[test]
fn few_rows_that_others_read_are_summed_alone() -> Result<(), Error> {
    let a = rows(1000, 10)?;
    let some = DynTensor::from(&Csr::<f64>::from_triplets([1, 1000], (0..20).map(|h| ([0, h], 1.0)))?);
    let x = DynTensor::from(&DenseVec::<f64>::from_triplets([1000], (0..1000).map(|j| ([j], 1.0)))?);
    assert!(takes(TWO_HOPS, &[&some, &a, &x], 1_000));
    // Nor where they are as many as are read, but the array would be much larger than what is asked for.
    let all = (0..2100).map(|h| ([h / 1000, h % 1000], 1.0));
    let most = DynTensor::from(&Csr::<f64>::from_triplets([3, 1000], all)?);
    let one = DynTensor::from(&Csr::<f64>::from_triplets([1000, 1], [([0, 0], 1.0)])?);
    let x = DynTensor::from(&DenseMat::<f64>::from_triplets([1, 8], (0..8).map(|k| ([0, k], 1.0)))?);
    assert!(takes(TWO_HOPS_OF_ROWS, &[&most, &one, &x], 15_000));
    Ok(())
}

/// Nor does one whose entries all meet such rows; where the last product has none of them, the array says enough.
#[test]
fn rows_that_meet_empty_rows_alone_take_no_part() {
    let s: [(&[usize], f64); 6] =
        [(&[0, 0], 1.0), (&[0, 1], INF), (&[0, 2], 3.0), (&[1, 0], f64::NAN), (&[1, 1], INF), (&[1, 2], 6.0)];
    // The second row meets the second and the third of the last matrix.
    let a: [(&[usize], f64); 6] =
        [(&[0, 0], 2.0), (&[0, 1], 2.0), (&[1, 1], 5.0), (&[1, 2], -1.0), (&[2, 0], 4.0), (&[2, 2], -4.0)];
    let b: [(&[usize], f64); 4] = [(&[0, 0], 2.0), (&[1, 1], 5.0), (&[2, 0], 4.0), (&[2, 2], -4.0)];
    let x: [(&[usize], f64); 3] = [(&[0], 1.0), (&[1], 4.0), (&[2], 1.0)];
    for (of_a, of_b) in [(6, 1), (6, 2), (6, 4), (2, 4)] {
        let data = [
            Named("S", &[2, 3], &s),
            Named("A", &[3, 3], &a[..of_a]),
            Named("B", &[3, 3], &b[..of_b]),
            Named("x", &[3], &x),
        ];
        agrees(&THREE_HOPS.replace("fn f", "fn kernel").replace("y[", "R["), &data);
    }
}

/// A row without entries takes no part in what reads it: nothing, not ∞ · 0. One whose entries come to 0 does.
#[test]
fn rows_without_entries_take_no_part() {
    let s: [(&[usize], f64); 6] =
        [(&[0, 0], 1.0), (&[0, 1], INF), (&[0, 2], 3.0), (&[1, 0], f64::NAN), (&[1, 1], INF), (&[1, 2], 6.0)];
    let a: [(&[usize], f64); 4] = [(&[0, 0], 2.0), (&[2, 1], 5.0), (&[1, 0], 4.0), (&[1, 2], -4.0)];
    let x: [(&[usize], f64); 3] = [(&[0, 0], 1.0), (&[1, 0], 4.0), (&[2, 0], 1.0)];
    // The kernel of vectors is that of matrices of one column.
    let vector: Vec<(&[usize], f64)> = x.iter().map(|(at, v)| (&at[..1], *v)).collect();
    for of in [2, 4] {
        let data = |x| [Named("S", &[2, 3], &s), Named("A", &[3, 3], &a[..of]), x];
        let kernel = |text: &str| text.replace("fn f", "fn kernel").replace("y[", "R[").replace("C[", "R[");
        agrees(&kernel(TWO_HOPS), &data(Named("x", &[3], &vector)));
        agrees(&kernel(TWO_HOPS_OF_ROWS), &data(Named("X", &[3, 1], &x)));
    }
}

tensor_kernel! {
    fn two_hops(S: Csr<f64>, A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = S[i, h] * A[h, j] * x[j];
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn two_hops_of_rows(S: Csr<f64>, A: Csr<f64>, X: DenseMat<f64>) -> DenseMat<f64> {
        C[i, k] = S[i, h] * A[h, j] * X[j, k];
    }
    schedule cuda = none;
}

/// The same compiled: some rows are empty, none is, and few are read.
#[test]
fn compiled_code_passes_over_rows_without_entries() -> Result<(), Error> {
    let s = |last: usize| (0..last).map(|h| ([0, h], if h == 1 { INF } else { h as f64 + 1.0 }));
    let rows = |empty: bool| (0..40).filter(move |h| !empty || *h != 1).map(|h| ([h, h / 2], 2.0));
    let x = DenseVec::<f64>::from_triplets([40], (0..40).map(|j| ([j], 1.0)))?;
    let all = (0..40 * 13).map(|n| ([n / 13, n % 13], 1.0));
    let columns = DenseMat::<f64>::from_triplets([40, 13], all)?;
    for (n, empty) in [(2, true), (40, true), (40, false)] {
        let many = if n == 40 { 2 } else { 1 };
        let twice = (0..many).flat_map(|i| s(n).map(move |([_, h], v)| ([i, h], v)));
        let s = Csr::<f64>::from_triplets([many, 40], twice)?;
        let a = Csr::<f64>::from_triplets([40, 40], rows(empty))?;
        let finite: f64 = (0..n).filter(|h| *h != 1).map(|h| 2.0 * (h as f64 + 1.0)).sum();
        let expected = if empty { finite } else { INF };
        assert!(two_hops(&s, &a, &x)?.vals().iter().all(|v| *v == expected), "{n} {empty}");
        assert!(two_hops_of_rows(&s, &a, &columns)?.vals().iter().all(|v| *v == expected), "{n} {empty}");
    }
    Ok(())
}

tensor_kernel! {
    fn three_hops(S: Csr<f64>, A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = S[i, h] * A[h, j] * B[j, k] * x[k];
    }
    schedule cuda = none;
}

/// The same of three matrices: row 1 of the second one has two entries, which may meet empty rows of the last one alone.
#[test]
fn compiled_code_passes_over_rows_that_meet_empty_rows_alone() -> Result<(), Error> {
    let twice = (0..2).flat_map(|i| (0..40).map(move |h| ([i, h], if h == 1 { INF } else { 1.0 })));
    let s = Csr::<f64>::from_triplets([2, 40], twice)?;
    let a = (0..40).flat_map(|h| [([h, (2 * h) % 40], 1.0), ([h, (2 * h + 20) % 40], 1.0)]);
    let a = Csr::<f64>::from_triplets([40, 40], a)?;
    let x = DenseVec::<f64>::from_triplets([40], (0..40).map(|j| ([j], 1.0)))?;
    // Rows 11, 21 and 31 of A are as row 1.
    for (empty, expected) in [(&[][..], INF), (&[2], INF), (&[2, 22], 72.0)] {
        let b = (0..40).filter(|j| !empty.contains(j)).map(|j| ([j, j / 2], 1.0));
        let b = Csr::<f64>::from_triplets([40, 40], b)?;
        let y = three_hops(&s, &a, &b, &x)?;
        assert_eq!(y.vals(), [expected, expected], "{empty:?}");
    }
    Ok(())
}

/// What is not stored does not take part: a row without entries is 0, not 0 · ∞.
#[test]
fn a_part_without_terms_takes_no_part() {
    let a: [(&[usize], f64); 2] = [(&[0, 0], 1.0), (&[2, 1], 2.0)];
    let x: [(&[usize], f64); 3] = [(&[0, 0], 1.0), (&[0, 1], 3.0), (&[1, 0], 2.0)];
    let w: [(&[usize], f64); 4] = [(&[0, 0], INF), (&[0, 1], 1.0), (&[1, 0], 2.0), (&[1, 1], INF)];
    for rhs in ["A[i, j] * X[j, l] * W[l, k]", "W[i, k] - A[i, j] * X[j, l] * W[l, k]"] {
        for ty in ["DenseMat", "Csr"] {
            let text = format!(
                "fn kernel(A: Csr<f64>, X: {ty}<f64>, W: DenseMat<f64>) -> DenseMat<f64> {{ R[i, k] = {rhs}; }}"
            );
            let rows = if rhs.starts_with('W') { 2 } else { 3 };
            let a = Named("A", &[rows, 2], &a[..rows - 1]);
            agrees(&text, &[a, Named("X", &[2, 2], &x), Named("W", &[2, 2], &w)]);
        }
    }
}

/// A number has no terms either where its row has none, nor has an array where a dimension has no coordinates.
#[test]
fn nor_does_a_number_or_a_dimension_without_terms() {
    let text = "fn kernel(A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { R[k] = B[i, k] * A[i, j] * x[j]; }";
    let b: [(&[usize], f64); 2] = [(&[0, 0], INF), (&[1, 1], INF)];
    let a: [(&[usize], f64); 1] = [(&[1, 0], 2.0)];
    agrees(text, &[Named("A", &[2, 1], &a), Named("B", &[2, 2], &b), Named("x", &[1], &[(&[0], 1.0)])]);
    let text = "fn kernel(a: DenseVec<f64>, C: Tensor<f64, Reordered<(Dense, Dense), 1, 0>>, D: DenseMat<f64>) -> DenseVec<f64> { R[k] = a[k] + C[j, l] * D[l, k]; }";
    let d: [(&[usize], f64); 1] = [(&[1, 0], INF)];
    agrees(text, &[Named("a", &[1], &[]), Named("C", &[0, 2], &[]), Named("D", &[2, 1], &d)]);
}

/// Under a mask that has no entries a row of a dense result is not written: it is zero before.
#[test]
fn a_mask_without_entries_leaves_zeros() {
    let text = "fn kernel(A: Csr<f64>, B: Csr<f64>, C: Csc<f64>, D: DenseMat<f64>) -> DenseMat<f64> { R[i, l] = A[i, j] * B[i, k] * C[j, k] * D[j, l]; }";
    let one: [(&[usize], f64); 1] = [(&[0, 0], 2.0)];
    let [a, b, c, d] = [("A", [2, 1]), ("B", [2, 1]), ("C", [1, 1]), ("D", [1, 1])];
    let dense = Named(d.0, &d.1, &one);
    agrees(text, &[Named(a.0, &a.1, &one), Named(b.0, &b.1, &one), Named(c.0, &c.1, &one), dense]);
}
