//! Shrunk counterexamples of the differential suite, each by the mistake that it found.

use tests::named::Data::{Scalar, Tensor};
use tests::named::agrees;

/// The value of an empty run is not its length times its value where that is 0·∞.
#[test]
fn an_empty_run_of_infinite_fill_adds_nothing() {
    let text =
        "fn kernel(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>) -> DenseVec<f64> { R[i] = A[i, j]; }";
    agrees(text, &[Tensor("A", &[1, 3], &[(&[0, 2], 1.0)])]);
    agrees(text, &[Tensor("A", &[1, 0], &[])]);
}

/// Quotients by what is not stored are infinite, and there may be none of them.
#[test]
fn quotients_by_an_empty_run_add_nothing() {
    let text = "fn kernel(A: Scalar<f64>, B: SparseVec<f64>) -> Scalar<f64> { R = A / B[i]; }";
    agrees(text, &[Tensor("A", &[], &[(&[], 1.0)]), Tensor("B", &[6], &[(&[5], 1.0)])]);
}

/// The capacity of an assembled result counts what is appended, not what is reduced.
#[test]
fn a_reduced_operand_without_entries_still_fills_rows() {
    let text = "fn kernel(A: Csr<f64>) -> SparseVec<f64> { R[i] = A[i, j]; }";
    agrees(text, &[Tensor("A", &[1, 0], &[])]);
    let text = "fn kernel(A: Tensor<f64, (Dense, Dense, Compressed)>) -> Csr<f64> { R[i, j] = A[i, j, k]; }";
    agrees(text, &[Tensor("A", &[1, 1, 0], &[])]);
    let text = "fn kernel(A: DenseMat<bool>, C: Tensor<bool, Filled<Reordered<(Compressed, Dense), 1, 0>, One>>) \
                -> Tensor<bool, Filled<Reordered<(Compressed, Dense), 1, 0>, One>> { R[i, j] &= A[i, j] | C[j, k]; }";
    agrees(text, &[Tensor("A", &[0, 1], &[]), Tensor("C", &[1, 0], &[])]);
}

/// A right-hand side that is the fill everywhere leaves a result with the operand's pattern unwritten.
#[test]
fn a_result_that_is_fill_everywhere_is_written() {
    let text =
        "fn kernel(A: SparseVec<bool>) -> Tensor<bool, Filled<(Compressed,), One>> { R[i] = true | A[i]; }";
    agrees(text, &[Tensor("A", &[1], &[(&[0], 1.0)])]);
}

/// A register tile's rest is a region like any other: its bounds are variables of that region.
#[test]
fn the_rest_of_a_register_tile_has_its_own_bounds() {
    let text = "fn kernel(A: Tensor<f64, (Dense, Dense, Dense)>) -> DenseMat<f64> { R[j, i] = A[j, k, i]; }";
    agrees(text, &[Tensor("A", &[1, 2, 9], &[(&[0, 0, 8], 1.0), (&[0, 1, 0], 2.0)])]);
    let text = "fn kernel(A: Scalar<f64>, alpha: f64, R: &mut DenseMat<f64>) { R[i, j] += alpha * A; }";
    agrees(
        text,
        &[Tensor("A", &[], &[(&[], 3.0)]), Scalar("alpha", 2.0), Tensor("R", &[2, 9], &[(&[1, 8], 1.0)])],
    );
}

/// A run of the fill beside a stepper, at a coordinate that the loop binds later.
#[test]
fn a_fill_that_takes_part_is_stored_at_a_bound_coordinate() {
    let text = "fn kernel(A: DenseVec<i32>, B: SparseVec<i32>) -> DenseVec<i32> { R[i] = A[i] ^ B[i]; }";
    agrees(text, &[Tensor("A", &[3], &[(&[0], 1.0), (&[1], 2.0)]), Tensor("B", &[3], &[(&[1], 1.0)])]);
    let text = "fn kernel(A: SparseVec<i32>) -> DenseVec<i32> { R[i] &= A[i]; }";
    agrees(text, &[Tensor("A", &[3], &[(&[1], 2.0)])]);
}

/// Whatever order fills are put in, a gap is found to do something or nothing: −∞ / −∞ is NaN, and so is its maximum
/// with −∞.
#[test]
fn a_gap_of_nan_is_one_thing() {
    let text = "fn kernel(A: Tensor<f64, Filled<(Compressed,), NegInf>>, \
                B: Tensor<f64, Filled<Reordered<(Compressed, Compressed, Compressed), 1, 0, 2>, NegInf>>, \
                C: Tensor<f64, Filled<(Compressed,), NegInf>>) -> DenseVec<f64> \
                { R[i] max= max(A[i] / B[k, i, l], C[i]); }";
    let one: &[(&[usize], f64)] = &[(&[0], 1.0)];
    let data =
        [Tensor("A", &[1], one), Tensor("B", &[1, 1, 1], &[(&[0, 0, 0], 1.0)]), Tensor("C", &[1], one)];
    agrees(text, &data);
}

/// Integers have infinite fills as floats do: what is not stored does not take part, so that nothing is added to the
/// largest value, which would wrap.
#[test]
fn an_infinite_fill_of_integers_annihilates_a_sum() {
    for (dtype, fill, reduce) in [("i32", "PosInf", "min"), ("i64", "NegInf", "max"), ("u8", "PosInf", "min")]
    {
        let text = format!(
            "fn kernel(A: Tensor<{dtype}, Filled<(Dense, Compressed), {fill}>>, x: DenseVec<{dtype}>) \
             -> Tensor<{dtype}, Filled<(Dense,), {fill}>> {{ R[i] {reduce}= A[i, j] + x[j]; }}"
        );
        let x = Tensor("x", &[3], &[(&[0], 4.0), (&[1], 5.0), (&[2], 6.0)]);
        agrees(&text, &[Tensor("A", &[2, 3], &[(&[1, 1], 7.0)]), x]);
        let text = format!(
            "fn kernel(A: Tensor<{dtype}, Filled<(Compressed,), {fill}>>, x: DenseVec<{dtype}>, R: &mut DenseVec<{dtype}>) \
             {{ R[i] = x[i] - (A[i] - 1); }}"
        );
        let x = Tensor("x", &[2], &[(&[0], 4.0), (&[1], 5.0)]);
        agrees(&text, &[Tensor("A", &[2], &[(&[1], 3.0)]), x, Tensor("R", &[2], &[])]);
    }
    // A stored or computed value of that size is an ordinary number.
    let text = "fn kernel(A: SparseVec<u8>, x: DenseVec<u8>) -> DenseVec<u8> { R[i] = x[i] + A[i]; }";
    agrees(text, &[Tensor("A", &[1], &[(&[0], 255.0)]), Tensor("x", &[1], &[(&[0], 3.0)])]);
    let text = "fn kernel(A: SparseVec<u8>, x: DenseVec<u8>) -> DenseVec<u8> { R[i] = x[i] + !A[i]; }";
    agrees(text, &[Tensor("A", &[2], &[(&[0], 1.0)]), Tensor("x", &[2], &[(&[0], 3.0), (&[1], 3.0)])]);
}
