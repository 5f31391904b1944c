//! Shrunk counterexamples of the differential suite, each by the mistake that it found.

use tests::named::Data::{Scalar, Tensor};
use tests::named::{agrees, agrees_on_gpu};

/// The value of an empty run is not its length times its value where that is 0·∞.
#[test]
fn an_empty_run_of_infinite_fill_adds_nothing() {
    let text =
        "fn kernel(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>) -> DenseVec<f64> { R[i] = A[i, j]; }";
    agrees(text, &[Tensor("A", &[1, 3], &[(&[0, 2], 1.0)])]);
    agrees(text, &[Tensor("A", &[1, 0], &[])]);
}

/// A term that stands apart has a loop of its own over what the statement's loop was split into others.
#[test]
fn what_is_computed_first_keeps_its_own_loops() {
    for made in ["split(k, k0, k1, 4);", "divide(k, k0, k1, 3);", "bound(k, kb, 6, MaxExact);"] {
        for format in ["Hash", "List", "Sort"] {
            let text = format!(
                "fn kernel(A: Csr<f64>, B: Csr<f64>, D: Csr<f64>) -> Csr<f64> {{ R[i, k] = D[i, k] + A[i, j] * B[j, k]; }} \
                 schedule cpu {{ {made} precompute(A[i, j] * B[j, k], [k], [k], w, {format}); }}"
            );
            let a = Tensor("A", &[2, 2], &[(&[0, 0], 2.0), (&[0, 1], 1.0), (&[1, 1], 3.0)]);
            let b = Tensor("B", &[2, 6], &[(&[0, 1], 1.0), (&[0, 5], 2.0), (&[1, 0], 4.0), (&[1, 5], 5.0)]);
            agrees(&text, &[a, b, Tensor("D", &[2, 6], &[(&[0, 5], 1.0), (&[1, 2], 1.0)])]);
        }
    }
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

/// A sparse vector's positions as its data: three entries with gaps around them.
const GAPS: &[(&[usize], f64)] = &[(&[1], 2.0), (&[2], 3.0), (&[5], 4.0)];

/// Parts of a part are more iterations than their whole has: the guard is against the whole, not against the dimension.
#[test]
fn a_part_of_a_part_ends_with_its_whole() {
    for schedule in [
        "split(i, i1, i2, 3); split(i2, i3, i4, 3);",
        "split(i, i1, i2, 3); divide(i2, i3, i4, 2); reorder(i1, i4, i3); fuse(i4, i3, f); \
         parallelize(f, CPUThread, NoRaces);",
        "split(i, i1, i2, 3); split(i2, i3, i4, 2); reorder(i4, i1, i3);",
    ] {
        for size in [1, 2, 3, 4, 7] {
            let x: Vec<([usize; 1], f64)> = (0..size).map(|k| ([k], k as f64 + 1.0)).collect();
            let x: Vec<(&[usize], f64)> = x.iter().map(|(c, v)| (&c[..], *v)).collect();
            for kernel in [
                "fn kernel(x: DenseVec<f64>) -> DenseVec<f64> { R[i] = x[i]; }",
                "fn kernel(x: DenseVec<f64>) -> DenseVec<f64> { R[i] += 2 * x[i]; }",
                "fn kernel(x: SparseVec<f64>) -> DenseVec<f64> { R[i] = x[i]; }",
            ] {
                agrees(&format!("{kernel} schedule cpu {{ {schedule} }}"), &[Tensor("x", &[size], &x)]);
            }
        }
    }
}

/// The last parts of divided positions can begin behind the last position, where there is no coordinate to read.
#[test]
fn coordinates_of_a_part_without_positions() {
    for n in [1, 2, 3, 4, 5] {
        let text = format!(
            "fn kernel(A: SparseVec<f64>) -> DenseVec<f64> {{ R[i] = A[i]; }} \
             schedule cpu {{ pos(i, p, A[i]); divide(p, p0, p1, {n}); coord(p1, c); }}"
        );
        agrees(&text, &[Tensor("A", &[7], GAPS)]);
        agrees(&text, &[Tensor("A", &[7], &[])]);
    }
}

/// Elements that no position reaches hold the fill, in whatever order parts of the positions come.
#[test]
fn reordered_positions_leave_the_rest_filled() {
    for schedule in [
        "pos(i, p, A[i]); split(p, p0, p1, 1); reorder(p1, p0);",
        "pos(i, p, A[i]); split(p, p0, p1, 2); reorder(p1, p0);",
        "pos(i, p, A[i]); divide(p, p0, p1, 2); split(p0, p2, p3, 1); reorder(p3, p1, p2);",
    ] {
        let text = |kernel: &str| format!("{kernel} schedule cpu {{ {schedule} }}");
        let fresh = text("fn kernel(A: SparseVec<f64>) -> DenseVec<f64> { R[i] = A[i]; }");
        let in_place = text(
            "fn kernel(A: SparseVec<f64>, b: DenseVec<f64>, R: &mut DenseVec<f64>) { R[i] = A[i] * b[k]; }",
        );
        for entries in [GAPS, &[]] {
            agrees(&fresh, &[Tensor("A", &[7], entries)]);
            for b in [0, 2] {
                let old = Tensor("R", &[7], &[(&[0], 9.0), (&[5], 9.0), (&[6], 9.0)]);
                agrees(&in_place, &[Tensor("A", &[7], entries), Tensor("b", &[b], &[]), old]);
            }
        }
    }
}

/// Positions of a level below one that stores no positions of its own.
#[test]
fn positions_of_a_singleton_below_a_dense_level() {
    for schedule in ["fuse(i, j, f); pos(f, p, A[i, j]);", "pos(j, p, A[i, j]); fuse(i, p, f);"] {
        let text = format!(
            "fn kernel(A: Tensor<f64, (Dense, Singleton)>) -> DenseMat<f64> {{ R[i, j] = A[i, j]; }} \
             schedule cpu {{ {schedule} }}"
        );
        agrees(&text, &[Tensor("A", &[3, 4], &[(&[0, 3], 1.0), (&[1, 0], 2.0), (&[2, 3], 3.0)])]);
        agrees(&text, &[Tensor("A", &[0, 0], &[])]);
    }
}

/// A workspace that is small enough for registers is shared by threads all the same.
#[test]
fn threads_share_a_small_workspace() {
    let text = "fn kernel(A: DenseMat<f64>, b: DenseVec<f64>) -> DenseVec<f64> { R[i] min= A[i, k] + b[k]; } \
                schedule cpu { precompute(A[i, k] + b[k], [k], [k2], w); bound(k, k8, 2, MaxExact); \
                parallelize(k8, CPUThread, Atomics); }";
    let a = Tensor("A", &[2, 2], &[(&[0, 0], 3.0), (&[0, 1], 1.0), (&[1, 0], -2.0), (&[1, 1], 5.0)]);
    agrees(text, &[a, Tensor("b", &[2], &[(&[0], 1.0), (&[1], 2.0)])]);
    let text = "fn kernel(C: DenseMat<i32>) -> DenseVec<i32> { R[j] = C[j, k]; } \
                schedule cpu { bound(k, k1, 2, MaxExact); precompute(C[j, k], [k1], [k3], w); \
                parallelize(k3, CPUThread, NoRaces); }";
    let c = Tensor("C", &[2, 2], &[(&[0, 0], 3.0), (&[0, 1], 1.0), (&[1, 0], -2.0), (&[1, 1], 5.0)]);
    agrees(text, &[c]);
}

/// A producer's loop becomes one over positions: under a new name, bounded, or split twice.
#[test]
fn positions_in_a_producer() {
    let data = [
        Tensor("A", &[2, 3], &[(&[0, 1], 2.0), (&[1, 0], 3.0), (&[1, 2], 4.0)]),
        Tensor("B", &[3], &[(&[0], 5.0), (&[1], 6.0), (&[2], 7.0)]),
    ];
    for schedule in [
        "bound(j, j1, 3, MaxExact); precompute(A[i, j] * B[j], [j1], [j2], w); pos(j2, p, A[i, j]);",
        "pos(j, p, A[i, j]); split(p, p0, p1, 2); split(p0, p2, p3, 2);",
        "pos(j, p, A[i, j]); split(p, p0, p1, 2); divide(p0, p2, p3, 2);",
    ] {
        let text = format!(
            "fn kernel(A: Csr<f64>, B: DenseVec<f64>) -> DenseVec<f64> {{ R[i] = A[i, j] * B[j]; }} \
             schedule cpu {{ {schedule} }}"
        );
        agrees(&text, &data);
    }
    let text = "fn kernel(A: SparseVec<f64>) -> Scalar<f64> { R = A[i]; } \
                schedule cpu { pos(i, p, A[i]); split(p, p0, p1, 1); split(p0, p2, p3, 1); }";
    agrees(text, &[Tensor("A", &[7], GAPS)]);
}

/// A loop over one operand's positions appends at each of them, more often than the other has entries.
#[test]
fn an_assembled_result_has_room_for_the_loop_over_positions() {
    let text = "fn kernel(A: Tensor<f64, (Compressed, Dense)>, B: SparseVec<f64>) -> Tensor<f64, (Compressed, Dense)> \
                { R[i, j] = A[i, j] * B[i]; } schedule cpu { pos(i, p, B[i]); }";
    for columns in [0, 2] {
        let b = Tensor("B", &[7], GAPS);
        agrees(text, &[Tensor("A", &[7, columns], &[]), b]);
    }
    let text = "fn kernel(A: SparseVec<f64>, B: SparseVec<f64>) -> SparseVec<f64> { R[i] = A[i] * B[i]; } \
                schedule cpu { pos(i, p, B[i]); }";
    agrees(text, &[Tensor("A", &[7], &[(&[5], 1.0)]), Tensor("B", &[7], GAPS)]);
}

/// A loop over positions of all rows writes an element once a row, also where nothing else depends on the row.
#[test]
fn positions_of_all_rows_add_up_what_they_share() {
    for (format, stored) in [("Csr", [[0, 1], [2, 1]]), ("Csc", [[1, 0], [1, 2]])] {
        let (out, outer) = if format == "Csr" { ("j", "fuse(i, j, f);") } else { ("i", "fuse(j, i, f);") };
        let entries: Vec<(&[usize], f64)> = stored.iter().map(|c| (&c[..], 1.0)).collect();
        for rest in ["", "split(p, p0, p1, 4);"] {
            let text = format!(
                "fn kernel(A: {format}<f64>) -> DenseVec<f64> {{ R[{out}] = A[i, j]; }} \
                 schedule cpu {{ {outer} pos(f, p, A[i, j]); {rest} }}"
            );
            agrees(&text, &[Tensor("A", &[3, 3], &entries)]);
        }
    }
}

/// Parts of a split that are fused end where their own windows end, whatever their size divides.
#[test]
fn parts_that_are_fused_end_early_with_them() {
    let at: Vec<[usize; 2]> = (0..9).flat_map(|i| (0..7).map(move |j| [i, j])).collect();
    let ones: Vec<(&[usize], f64)> = at.iter().map(|c| (&c[..], 1.0)).collect();
    agrees(
        "fn kernel(A: DenseMat<f64>, C: &mut DenseMat<f64>) { C[i, j] += A[i, j]; } schedule cpu { \
         split(i, i0, i1, 4); split(j, j0, j1, 4); reorder(i0, j0, i1, j1); fuse(i1, j1, f); split(f, f0, f1, 8); }",
        &[Tensor("A", &[9, 7], &ones), Tensor("C", &[9, 7], &ones)],
    );
}

/// `i` of `f`, and `i` of `n`, are no words of Rust in the code.
#[test]
fn coordinates_are_not_called_like_keywords() {
    let text = "fn kernel(f: SparseVec<f64>, n: SparseVec<f64>) -> DenseVec<f64> { y[i] = f[i] + n[i]; }";
    agrees(text, &[Tensor("f", &[7], GAPS), Tensor("n", &[7], &[(&[1], 1.0), (&[5], 2.0)])]);
    let text = "fn kernel(s: SparseVec<f64>, o: SparseVec<f64>) -> DenseVec<f64> { y[a] = s[a] * o[a]; }";
    agrees(text, &[Tensor("s", &[7], GAPS), Tensor("o", &[7], GAPS)]);
}

/// Lanes do not scatter, though the loop has as many iterations as a constant says.
#[test]
fn a_sparse_workspace_is_not_filled_by_lanes() {
    let text = "fn kernel(A: Csc<f64>) -> SparseVec<f64> { R[i] = A[i, j]; } \
                schedule cpu { bound(j, j1, 3, MaxExact); parallelize(j1, CPUVector, IgnoreRaces); }";
    agrees(text, &[Tensor("A", &[4, 3], &[(&[1, 0], 1.0), (&[3, 1], 2.0), (&[1, 2], 4.0)])]);
    agrees(text, &[Tensor("A", &[0, 3], &[])]);
}

/// What is computed first for its order of loops is a number where its operand stores nothing, and the infinity of an
/// integer would wrap in the sum: such a term is not, another one may be, or an operand is copied.
#[test]
fn an_infinite_integer_is_no_number_in_a_workspace() {
    let text = "fn kernel(A: Tensor<i32, Filled<(Dense, Compressed), NegInf>>) -> DenseMat<i32> { R[j, i] = A[i, j] + A[j, i]; }";
    agrees(text, &[Tensor("A", &[3, 3], &[(&[0, 2], 1.0), (&[2, 0], 3.0), (&[1, 2], 2.0), (&[1, 1], 4.0)])]);
    for terms in ["A[i, j] + B[j, i]", "B[i, j] + A[j, i]"] {
        let text = format!(
            "fn kernel(A: Tensor<i32, Filled<(Dense, Compressed), NegInf>>, B: Csr<i32>) -> DenseMat<i32> {{ R[i, j] = {terms}; }}"
        );
        let entries = [
            Tensor("A", &[3, 3], &[(&[0, 2], 1.0)]),
            Tensor("B", &[3, 3], &[(&[2, 0], 4.0), (&[1, 2], 5.0)]),
        ];
        agrees(&text, &entries);
    }
}

/// An operand's pattern has entries for which a sparse workspace holds nothing: they are there, and 0.
#[test]
fn a_shared_pattern_is_written_where_a_sparse_workspace_has_no_element() {
    let statement = "R[i, j] = A[i, j] * B[i, k] * C[j, k];";
    for format in ["Hash", "Sort", "Dense"] {
        let text = format!(
            "fn kernel(A: Csr<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> Csr<f64> {{ {statement} }} \
             schedule cpu {{ precompute(B[i, k] * C[j, k], [j, k], [j, k], w, {format}); }}"
        );
        let entries =
            [Tensor("A", &[1, 1], &[(&[0, 0], 1.0)]), Tensor("B", &[1, 0], &[]), Tensor("C", &[1, 0], &[])];
        agrees(&text, &entries);
    }
}

/// 0 − 1 of `u8` is a number, if the one that infinite operands are filled with: what a workspace does not hold is that.
#[test]
fn a_workspace_of_the_largest_integer_does_not_hold_infinities() {
    for format in ["Hash", "Sort", "Dense"] {
        for expression in ["A[k] - (B[j, k] - 1)", "(B[j, k] - 1) * A[k]", "A[k] & (B[j, k] - 1)"] {
            let text = format!(
                "fn kernel(A: DenseVec<u8>, B: Csr<u8>) -> DenseVec<u8> {{ R[j] min= {expression}; }} \
                 schedule cpu {{ precompute(B[j, k] - 1, [j, k], [j, k], w, {format}); }}"
            );
            for entries in [&[][..], &[(&[0, 1][..], 3.0)]] {
                let a = Tensor("A", &[2], &[(&[0], 7.0), (&[1], 2.0)]);
                agrees(&text, &[a, Tensor("B", &[2, 2], entries)]);
            }
        }
    }
}

/// MAX · MAX happens to be 1, which does not leave a third infinity as the one that it is alone: of several the product
/// is a number.
#[test]
fn a_product_of_infinite_integers_is_a_number() {
    // Here A and D are gone before B, which is walked last.
    let text = "fn kernel(A: Tensor<i32, Filled<(Compressed, Dense), PosInf>>, \
         B: Tensor<i32, Filled<(Compressed, Dense, Dense), PosInf>>, C: DenseMat<i32>, \
         D: Tensor<i32, Filled<(Dense, Compressed), PosInf>>) -> DenseVec<i32> \
         { R[i] min= abs(A[l, l] * B[i, l, l] * (C[l, l] - D[l, i])); }";
    let empty = |name, dims| Tensor(name, dims, &[]);
    let operands = [empty("A", &[1, 1]), empty("B", &[1, 1, 1]), empty("C", &[1, 1]), empty("D", &[1, 1])];
    agrees(text, &operands);
    let fill = "Filled<(Dense, Compressed), PosInf>";
    for (reduce, factors) in [("min", "A[i, j] * B[i, j]"), ("max", "B[i, j] * 3")] {
        let text = format!(
            "fn kernel(A: Tensor<i32, {fill}>, B: Tensor<i32, {fill}>, C: DenseMat<i32>, D: Tensor<i32, {fill}>) \
             -> DenseVec<i32> {{ R[i] {reduce}= max(A[i, j], abs({factors} * (C[i, j] - D[j, i]))); }}"
        );
        let some: &[(&[usize], f64)] = &[(&[1, 0], 1.0), (&[0, 1], -3.0)];
        for entries in [&[][..], some] {
            let of = |name| Tensor(name, &[2, 2], entries);
            agrees(&text, &[of("A"), of("B"), of("C"), of("D")]);
        }
    }
}

/// A loop over what a workspace lists takes its balance from no operand, though one that another workspace holds has its
/// variable.
#[test]
fn a_loop_over_a_list_is_not_balanced_by_an_operand_that_is_not_in_it() {
    let text = "fn kernel(A: Dcsc<f64>, B: DenseVec<f64>) -> DenseVec<f64> { R[i] = A[i, j] * B[j]; } schedule cpu { \
         precompute(A[i, j], [j, i], [j, i], w4); precompute(B[j], [j], [j12], w13, Sort); \
         parallelize(j, CPUThread, ParallelReduction); }";
    for n in [1, 3, 6] {
        let b: Vec<_> = (0..n).map(|j| ([j], 1.0 + j as f64)).collect();
        let b: Vec<(&[usize], f64)> = b.iter().map(|(c, v)| (&c[..], *v)).collect();
        agrees(text, &[Tensor("A", &[0, n], &[]), Tensor("B", &[n], &b)]);
        agrees(text, &[Tensor("A", &[2, n], &[(&[1, n - 1], 4.0)]), Tensor("B", &[n], &b)]);
    }
}

/// Literals are not put together where the number would pass the range of the type, nor moved before what keeps it inside.
#[test]
fn literals_do_not_meet_past_the_range_of_their_type() {
    let vector = |name, v| Tensor(name, &[2], Box::leak(Box::new([(&[1_usize][..], v)])));
    let kernel = |rhs: &str| {
        format!("fn kernel(A: DenseVec<f32>, B: DenseVec<f32>) -> DenseVec<f32> {{ R[i] = {rhs}; }}")
    };
    for (rhs, a, b) in [
        ("A[i] * 1e-25 * 1e-25 + B[i]", 1e28, 0.0),
        ("A[i] * 1e25 * 1e25 + B[i]", 1e-28, 0.0),
        ("(A[i] + 3e35) + 3e38 + B[i] * 0.5", -3e38, 0.0),
        ("A[i] * B[i] * 1e-25", 1e-22, 1e25),
        ("1e-25 * A[i] * B[i]", 1e25, 1e22),
    ] {
        agrees(&kernel(rhs), &[vector("A", a), vector("B", b)]);
    }
}

/// A list that is read beside something else is merged with it: its loop is no plain one for threads.
#[test]
fn a_list_beside_another_operand_is_merged() {
    let c = Tensor("C", &[2, 2], &[(&[1, 1], 1.0)]);
    let one = "fn kernel(C: Csr<f64>, d: DenseVec<f64>) -> SparseVec<f64> { R[l] = C[n, l] + d[l]; }";
    agrees(one, &[c, Tensor("d", &[2], &[(&[0], 1.0), (&[1], 2.0)])]);
    let c = Tensor("C", &[3, 2], &[(&[1, 1], 1.0), (&[2, 1], 2.0)]);
    let b = Tensor("B", &[2, 3], &[(&[0, 0], 1.0), (&[1, 2], 1.0)]);
    agrees("fn kernel(C: Csr<f64>, B: Csr<f64>) -> Csr<f64> { R[l, k] = C[n, l] + B[l, k]; }", &[c, b]);
}

/// A sum of a workspace that is still to be filled is not done at once.
#[test]
fn a_run_is_not_reduced_before_its_workspace_is_filled() {
    let text = "fn kernel(A: Tensor<f64, Filled<(Compressed,), One>>, B: DenseVec<f64>) -> Scalar<f64> { R = A[i] * B[j]; } \
                schedule cpu { precompute(B[j], [], [], w7); precompute(B[j], [j], [j], w8); }";
    agrees(text, &[Tensor("A", &[2], &[(&[0], 2.0)]), Tensor("B", &[2], &[(&[0], 1.0), (&[1], 2.0)])]);
}

/// Infinities that meet in a sum annihilate each other: neither stands for what a workspace does not hold.
#[test]
fn a_fill_that_meets_another_stands_for_nothing() {
    let text = "fn kernel(A: DenseVec<f64>, C: Tensor<f64, Filled<(Compressed,), NegInf>>, D: Tensor<f64, Filled<(Compressed,), PosInf>>) \
                -> Tensor<f64, Filled<(Compressed,), NegInf>> { R[i] = -((A[i] + D[i]) * C[i]); } \
                schedule cpu { precompute(A[i], [i], [i], part, Hash); }";
    agrees(text, &[Tensor("A", &[1], &[]), Tensor("C", &[1], &[(&[0], 1.0)]), Tensor("D", &[1], &[])]);
}

/// A constant 0 has no sign: what a workspace begins with is what its loops find where all operands are gone, one by one.
#[test]
fn a_quotient_by_nothing_is_the_same_everywhere() {
    let text = "fn kernel(A: Csc<f64>, C: Csr<f64>, D: SparseVec<f64>) -> Csr<f64> { R[i, j] = max(A[i, j], 1) / (C[i, j] - D[i]); }";
    agrees(
        text,
        &[Tensor("A", &[2, 1], &[]), Tensor("C", &[2, 1], &[(&[1, 0], 1.0)]), Tensor("D", &[2], &[])],
    );
}

/// Threads that fill a workspace read the one around it: it is no thread's own.
#[test]
fn a_workspace_from_which_threads_fill_another_is_shared() {
    let text = "fn kernel(A: Csc<f64>, B: DenseMat<f64>) -> DenseMat<f64> { R[i, j] min= A[i, j] + B[i, k]; } \
                schedule cpu { \
                    precompute(B[i, k] + A[i, j], [k], [k3], w4); \
                    split(i, i6, i7, 1); \
                    precompute(A[i, j], [i7], [i7], w8); \
                    parallelize(k3, CPUThread, NoRaces); \
                }";
    let b: &[(&[usize], f64)] = &[(&[0, 0], 3.0), (&[0, 1], 2.0), (&[1, 2], -1.0)];
    agrees(text, &[Tensor("A", &[2, 2], &[(&[0, 1], 1.0), (&[1, 1], 2.0)]), Tensor("B", &[2, 3], b)]);
}

/// A dense block of a result is there if the operands have entries at the coordinates above it, copied ones too: which
/// they are of below it, nobody knows yet.
#[test]
fn copied_operands_meet_above_a_block() {
    let text = "fn kernel(A: Csc<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Tensor<f64, Reordered<(Compressed, Dense), 1, 0>> \
                { R[i, j] = A[i, j] * B[i, j] * C[i, j] * D[j, i]; }";
    let b: &[(&[usize], f64)] = &[(&[0, 4], 1.0)];
    let c: &[(&[usize], f64)] = &[(&[1, 4], 1.0)];
    let operands = [("A", [2, 5]), ("D", [5, 2])];
    let [a, d] = operands.each_ref().map(|(name, dims)| Tensor(name, dims, &[]));
    agrees(text, &[a, Tensor("B", &[2, 5], b), Tensor("C", &[2, 5], c), d]);
    let text = "fn kernel(A: Tensor<f64, Reordered<(Dense, Dense, Compressed), 1, 2, 0>>, B: Csr<f64>) \
                -> Tensor<f64, Reordered<(Dense, Compressed, Dense), 0, 2, 1>> { R[j, i, l] = A[i, j, l] * B[i, l]; }";
    agrees(text, &[Tensor("A", &[1, 1, 1], &[]), Tensor("B", &[1, 1], &[])]);
}

/// An operand that has nothing in a row is not there at every coordinate of its dense level, where loops come to that first.
#[test]
fn a_dense_level_of_a_missing_row_is_not_there() {
    let text = "fn kernel(B: Tensor<f64, (Compressed, Compressed, Dense)>, \
                C: Tensor<f64, Reordered<(Compressed, Compressed, Dense), 0, 2, 1>>, \
                D: Tensor<f64, (Compressed, Compressed, Dense)>) -> Tensor<f64, (Dense, Compressed, Dense)> \
                { R[i, j, k] = B[i, j, k] + C[i, j, k] + D[i, j, k]; }";
    for c in [&[][..], &[(&[1, 2, 0][..], 5.0)]] {
        let data = [
            Tensor("B", &[2, 3, 2], &[(&[1, 1, 1], 2.0)]),
            Tensor("C", &[2, 3, 2], c),
            Tensor("D", &[2, 3, 2], &[(&[0, 1, 0], 1.0)]),
        ];
        agrees(text, &data);
        agrees_on_gpu(text, &data);
    }
}

/// Of a masked sum, whose operands a thread searches for a row, none has it: the mask's row is not stored for the sake of one that has
/// a dense level.
#[test]
fn a_row_that_only_the_mask_has_is_not_stored() {
    let text = "fn kernel(A: Tensor<f64, (Compressed, Dense)>, B: Dcsr<f64>, C: Dcsr<f64>, D: Dcsr<f64>, \
                E: Tensor<f64, (Compressed, Dense)>) -> Tensor<f64, (Compressed, Dense)> \
                { R[i, j] = A[i, j] * (B[i, j] + C[i, j] + D[i, j] + E[i, j]); }";
    let a: [(&[usize], f64); 4] = [(&[0, 1], 1.0), (&[2, 0], 2.0), (&[3, 1], 3.0), (&[4, 0], 1.0)];
    for e in [&[][..], &[(&[3, 0][..], 5.0)]] {
        let data = [
            Tensor("A", &[5, 2], &a),
            Tensor("B", &[5, 2], &[(&[0, 1], 2.0)]),
            Tensor("C", &[5, 2], &[]),
            Tensor("D", &[5, 2], &[(&[0, 0], 1.0), (&[1, 1], 4.0)]),
            Tensor("E", &[5, 2], e),
        ];
        agrees(text, &data);
        agrees_on_gpu(text, &data);
    }
}

/// A row that one factor of a term has, and no other term, is none of the result's: many operands are merged or searched in one
/// loop, which asks for all that the term needs.
#[test]
fn a_row_that_one_factor_has_is_not_stored() {
    let blocks = "Tensor<i32, (Compressed, Dense)>";
    let statements = [
        ("A: Dcsr<i32>, B: Dcsr<i32>, C: Dcsr<i32>", "(A[j, k] & B[j, k]) + C[j, k]"),
        ("A: Dcsr<i32>, B: Dcsr<i32>, C: Dcsr<i32>, D: Dcsr<i32>", "A[j, k] * B[j, k] + C[j, k] * D[j, k]"),
        (
            "A: Dcsr<i32>, B: Dcsr<i32>, C: Dcsr<i32>, D: Dcsr<i32>, E: Dcsr<i32>",
            "A[j, k] * B[j, k] + C[j, k] * D[j, k] + E[j, k]",
        ),
    ];
    let rows: Vec<Vec<[usize; 2]>> =
        (0..5).map(|n| (0..12).filter(|r| (r * 7 + 3) >> n & 1 == 1).map(|r| [r, n % 3]).collect()).collect();
    let entries: Vec<Vec<(&[usize], f64)>> =
        rows.iter().map(|rows| rows.iter().map(|at| (&at[..], 3.0)).collect()).collect();
    for (operands, value) in statements {
        let text = format!("fn kernel({operands}) -> {blocks} {{ R[j, k] = {value}; }}");
        let names = ["A", "B", "C", "D", "E"].into_iter().zip(&entries);
        let data: Vec<_> = names
            .take(operands.matches(':').count())
            .map(|(name, entries)| Tensor(name, &[12, 3], entries))
            .collect();
        agrees(&text, &data);
        agrees_on_gpu(&text, &data);
    }
}

/// A summand without an operand suits all loops, and is not computed before them.
#[test]
fn a_scalar_summand_is_not_computed_first() {
    let text = "fn kernel(A: Csr<f64>, B: Csc<f64>, C: Csr<f64>, D: Csr<f64>, alpha: f64, beta: f64) \
                -> Tensor<f64, Reordered<(Compressed, Dense), 1, 0>> \
                { R[i, k] = min(alpha + A[j, i], B[j, i]) + min(beta + C[k, j], D[j, k]); }";
    let a: [(&[usize], f64); 3] = [(&[0, 1], 1.0), (&[1, 0], -2.0), (&[1, 2], 3.0)];
    let c: [(&[usize], f64); 2] = [(&[0, 1], -4.0), (&[2, 0], 2.0)];
    let d: [(&[usize], f64); 3] = [(&[0, 0], -1.0), (&[1, 0], 5.0), (&[1, 2], 3.0)];
    let data = [
        Tensor("A", &[2, 3], &a),
        Tensor("B", &[2, 3], &a[1..]),
        Tensor("C", &[3, 2], &c),
        Tensor("D", &[2, 3], &d),
        Scalar("alpha", 1.0),
        Scalar("beta", -1.0),
    ];
    agrees(text, &data);
    agrees_on_gpu(text, &data);
}

/// The largest of what is stored is NaN where that is all there is, also where many operands are merged in one loop.
#[test]
fn the_largest_of_nan_alone() {
    let low = "Tensor<f64, Filled<(Dense, Compressed), NegInf>>";
    let text = format!(
        "fn kernel(A: {low}, C: {low}, E: {low}) -> DenseMat<f64> {{ R[i, k] max= min(max(A[i, j], C[i, j]), E[j, k]); }}"
    );
    let a: [(&[usize], f64); 2] = [(&[0, 0], 2.0), (&[2, 1], f64::NAN)];
    let c: [(&[usize], f64); 3] = [(&[0, 0], f64::NAN), (&[1, 2], f64::NAN), (&[2, 1], 0.5)];
    let e: [(&[usize], f64); 3] = [(&[0, 0], 3.0), (&[1, 0], 4.0), (&[2, 0], 1.0)];
    let data = [Tensor("A", &[3, 3], &a), Tensor("C", &[3, 3], &c), Tensor("E", &[3, 1], &e)];
    agrees(&text, &data);
    agrees_on_gpu(&text, &data);
}

/// A term beside a sparse operand is a fixed factor where that stores nothing, and may leave the sum: ∞ · (0 + 1) is ∞,
/// ∞ · 0 + ∞ · 1 is NaN.
#[test]
fn what_is_added_to_a_sparse_operand_may_leave_a_sum_where_it_stores_nothing() {
    let text = "fn kernel(A: Tensor<f64, (Compressed, Dense)>, b: DenseVec<f64>, C: DenseMat<f64>) -> DenseVec<f64> { \
         y[i] = (A[i, l] + b[i]) * C[i, l]; }";
    let b: [(&[usize], f64); 2] = [(&[0], 2.0), (&[1], f64::INFINITY)];
    let c: [(&[usize], f64); 3] = [(&[0, 1], 3.0), (&[1, 1], 0.0), (&[1, 2], 1.0)];
    for a in [&[][..], &[(&[0, 1][..], 5.0)], &[(&[1, 2][..], 5.0)]] {
        agrees(text, &[Tensor("A", &[2, 3], a), Tensor("b", &[2], &b), Tensor("C", &[2, 3], &c)]);
    }
}

/// Each of two fills annihilates, to a number or to the infinity as large: the value beside one is not that beside the other,
/// though neither is read there.
#[test]
fn a_number_and_an_infinity_annihilate_each_by_itself() {
    let (high, low) = ("Filled<(Dense, Compressed), PosInf>", "Filled<(Dense, Compressed), NegInf>");
    let text = format!(
        "fn kernel(A: DenseMat<i32>, C: Tensor<i32, {high}>, D: Tensor<i32, {low}>) -> DenseMat<i32> \
         {{ R[i, k] = A[i, k] + min(!C[i, k], D[i, k]); }}"
    );
    let a: Vec<[usize; 2]> = (0..12).map(|n| [n / 6, n % 6]).collect();
    let a: Vec<(&[usize], f64)> = a.iter().map(|c| (&c[..], 1.0)).collect();
    let c: [(&[usize], f64); 4] = [(&[0, 1], 1.0), (&[0, 3], 2.0), (&[0, 5], 4.0), (&[1, 0], 1.0)];
    let d: [(&[usize], f64); 3] = [(&[0, 3], 3.0), (&[1, 2], 7.0), (&[1, 4], -9.0)];
    for (c, d) in [(&c[..], &d[..]), (&c[..1], &[]), (&c[3..], &d[1..]), (&[], &d[..])] {
        let data = [Tensor("A", &[2, 6], &a), Tensor("C", &[2, 6], c), Tensor("D", &[2, 6], d)];
        agrees(&text, &data);
        agrees_on_gpu(&text, &data);
    }
}

/// Fills that come to 0 together may annihilate the other factors, or be met by them: it takes an infinity beside them to tell.
#[test]
fn fills_that_come_to_zero_together_may_annihilate() {
    let low = |levels: &str| format!("Tensor<i32, Filled<({levels}), NegInf>>");
    let text = format!(
        "fn kernel(A: {}, B: DenseVec<i32>, D: {sparse}, E: {sparse}) -> DenseVec<i32> \
         {{ R[i] |= -(A[i, l] ^ B[i] * (D[i, l] * E[i, l])); }}",
        low("Compressed, Dense"),
        sparse = low("Dense, Compressed")
    );
    for b in [0.0, 3.0] {
        let b: [(&[usize], f64); 1] = [(&[0], b)];
        let data = [
            Tensor("A", &[1, 1], &[]),
            Tensor("B", &[1], &b),
            Tensor("D", &[1, 1], &[]),
            Tensor("E", &[1, 1], &[]),
        ];
        agrees(&text, &data);
        agrees_on_gpu(&text, &data);
    }
}
