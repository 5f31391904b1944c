//! Shrunk counterexamples of the suite of GPU schedules, each by the mistake that it found.

use tests::named::Data::Tensor;
use tests::named::{agrees_on_gpu, agrees_on_gpu_or_is_refused};

const BLOCKS: &str = "parallelize(block, GPUBlock, NoRaces);";

/// `y[i] = A[i, j]` in a format of `A`, with entries of value 1; if the schedule is legal.
fn sums_agree(format: &str, dims: [usize; 2], stored: &[[usize; 2]], schedule: &str) {
    let text = format!(
        "fn kernel(A: {format}<f64>) -> DenseVec<f64> {{ R[i] = A[i, j]; }} schedule cuda {{ {schedule} }}"
    );
    let entries: Vec<(&[usize], f64)> = stored.iter().map(|c| (&c[..], 1.0)).collect();
    agrees_on_gpu_or_is_refused(&text, &[Tensor("A", &dims, &entries)]);
}

/// A block is padded to whole warps: those threads do not write either, where the summed dimension is 0 too.
#[test]
fn padding_threads_do_not_write() {
    for size in [0, 5] {
        let text = "fn kernel(B: DenseVec<f64>) -> Scalar<f64> { R = B[j]; } schedule cuda { split(j, part, lane, 8); \
                    reorder(lane, part); parallelize(lane, GPUGroup(8), ParallelReduction); }";
        agrees_on_gpu(text, &[Tensor("B", &[size], &[])]);
    }
}

/// A segment goes on in the next iteration of a loop around the group, in another lane: both update the element atomically.
#[test]
fn segments_that_another_iteration_goes_on_with() {
    for columns in [1, 43, 64, 65, 66, 131] {
        let stored: Vec<[usize; 2]> = (0..5 * columns).map(|n| [n / columns, n % columns]).collect();
        for parts in [
            "split(p, step, part, 64);",
            "split(p, q, rest, 256); split(rest, step, part, 64);",
            "divide(p, step, part, 2);",
        ] {
            let schedule = format!(
                "fuse(i, j, f); pos(f, p, A[i, j]); {parts} split(part, lane, nnz, 2); parallelize(lane, GPUGroup(32), Segment);"
            );
            sums_agree("Csr", [5, columns], &stored, &schedule);
        }
    }
}

/// Several columns inside the lanes are all written.
#[test]
fn every_column_inside_lanes_is_written() {
    let b: &[(&[usize], f64)] = &[(&[1, 1], 1.0), (&[0, 3], 2.0)];
    for schedule in [
        "",
        "schedule cuda { split(k, part, lane, 2); parallelize(lane, GPUGroup(2), ParallelReduction); }",
        "schedule cuda { split(k, warp, rest, 2); parallelize(rest, GPUThread, Atomics); }",
    ] {
        let text = format!("fn kernel(C: DenseMat<f64>) -> DenseVec<f64> {{ R[m] = C[k, m]; }} {schedule}");
        agrees_on_gpu(&text, &[Tensor("C", &[2, 4], b)]);
    }
}

/// A lane past the end takes the last entry's row, and contributes nothing to sums inside it either.
#[test]
fn lanes_past_the_end_sum_nothing() {
    let text = "fn kernel(B: Csr<f64>, C: DenseVec<f64>) -> DenseVec<f64> { R[i] = B[i, k] * C[j]; } \
         schedule cuda { fuse(i, k, f); pos(f, p, B[i, k]); split(p, u, t, 2); parallelize(t, GPUGroup(2), Segment); }";
    agrees_on_gpu(text, &[Tensor("B", &[5, 2], &[(&[4, 1], 1.0)]), Tensor("C", &[1], &[(&[0], 1.0)])]);
    let text = "fn kernel(A: Tensor<f64, (Dense, Compressed, Dense)>) -> DenseVec<f64> { R[i] = A[i, j, k]; } \
         schedule cuda { fuse(i, j, f); pos(f, p, A[i, j, k]); split(p, block, t, 2); \
         parallelize(t, GPUGroup(2), Segment); }";
    agrees_on_gpu(text, &[Tensor("A", &[2, 4, 2], &[(&[1, 3, 1], 1.0)])]);
}

/// A lane without an entry of the other sparse factor may be the one that writes for its segment or group.
#[test]
fn lanes_without_a_factor_still_write() {
    let x: &[(&[usize], f64)] = &[(&[6], 1.0)];
    let text = "fn kernel(A: Csr<f64>, B: SparseVec<f64>) -> DenseVec<f64> { R[i] = A[i, j] * B[j]; } \
         schedule cuda { fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, t, 2); \
         parallelize(t, GPUGroup(2), Segment); }";
    let a: &[(&[usize], f64)] = &[(&[0, 5], 1.0), (&[0, 6], 1.0)];
    agrees_on_gpu(text, &[Tensor("A", &[1, 7], a), Tensor("B", &[7], x)]);
    let text = "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { R[j, l] = A[j, k] * B[k, l]; } \
         schedule cuda { split(k, part, lane, 2); split(l, lo, li, 2); reorder(j, lo, lane, part, li); \
         parallelize(lane, GPUGroup(2), ParallelReduction); }";
    let data = [Tensor("A", &[1, 2], &[(&[0, 1], 1.0)]), Tensor("B", &[2, 2], &[(&[1, 1], 1.0)])];
    agrees_on_gpu(text, &data);
    let text = "fn kernel(A: Csr<f64>, B: Tensor<f64, Filled<(Compressed,), PosInf>>) -> DenseVec<f64> \
         { R[j] = A[j, k] * B[k]; } schedule cuda { fuse(j, k, f); pos(f, p, A[j, k]); split(p, block, t, 2); \
         parallelize(t, GPUGroup(2), Segment); }";
    let a: &[(&[usize], f64)] = &[(&[0, 1], 1.0), (&[0, 2], 1.0)];
    agrees_on_gpu(text, &[Tensor("A", &[1, 3], a), Tensor("B", &[3], &[(&[1], 1.0)])]);
}

/// Rows whose entries are not neighbours, because a summed level stands above theirs, have several writers.
#[test]
fn runs_of_entries_of_rows_below_a_summed_level() {
    let text = "fn kernel(A: Tensor<f64, Reordered<(Dense, Dense, Compressed), 1, 0, 2>>, B: DenseMat<f64>) \
         -> DenseMat<f64> { R[i, l] = A[i, j, k] * B[j, l]; } schedule cuda { reorder(j, i, k, l); fuse(j, i, f); \
         fuse(f, k, g); pos(g, p, A[i, j, k]); split(p, block, rest, 3); split(rest, lane, nnz, 2); \
         reorder(block, l, lane, nnz); parallelize(lane, GPUThread, Atomics); }";
    let a: &[(&[usize], f64)] = &[(&[0, 0, 1], 1.0), (&[0, 1, 0], 1.0), (&[1, 1, 1], 1.0)];
    agrees_on_gpu(text, &[Tensor("A", &[2, 2, 2], a), Tensor("B", &[2, 1], &[(&[1, 0], 1.0)])]);
}

/// Lanes over the coordinates of a compressed level below a serial loop keep their coordinates from one iteration to
/// the next.
#[test]
fn lanes_own_coordinates() {
    let stored = [[1, 0], [0, 1], [1, 1]];
    sums_agree("Csc", [2, 2], &stored, "split(i, u, t, 2); parallelize(t, GPUThread, NoRaces);");
}

/// A coordinate that is split belongs to one lane.
#[test]
fn a_singleton_in_lanes_counts_once() {
    let schedule = "split(j, u, t, 2); parallelize(t, GPUGroup(2), ParallelReduction);";
    let text = format!(
        "fn kernel(A: Tensor<f64, (Compressed, Singleton)>) -> DenseVec<f64> {{ R[i] = A[i, j]; }} \
         schedule cuda {{ {schedule} }}"
    );
    agrees_on_gpu(&text, &[Tensor("A", &[4, 2], &[(&[3, 1], 1.0)])]);
}

/// Outputs that a level below the lanes decides are the lanes' own.
#[test]
fn outputs_below_the_lanes() {
    let text = "fn kernel(A: Tensor<f64, Reordered<(Compressed, Singleton), 1, 0>>) -> DenseVec<f64> { R[i] = A[i, j]; }";
    agrees_on_gpu(text, &[Tensor("A", &[4, 12], &[(&[1, 8], 1.0), (&[3, 11], 1.0)])]);
}

/// A workspace of a block is read before its next filling.
#[test]
fn a_shared_workspace_in_a_serial_loop() {
    let text = "fn kernel(A: Tensor<f64, (Compressed, Dense)>, C: DenseVec<f64>) -> DenseVec<f64> \
         { R[j] = A[j, l] + C[l]; } schedule cuda { precompute(C[l], [l], [m], w); bound(l, n, 9, MaxExact); \
         split(m, u, t, 1); parallelize(t, GPUThread, NoRaces); }";
    let a: &[(&[usize], f64)] = &[(&[4, 8], 1.0), (&[5, 6], 1.0)];
    agrees_on_gpu(text, &[Tensor("A", &[6, 9], a), Tensor("C", &[9], &[(&[3], 1.0)])]);
}

/// A kernel without loops runs too.
#[test]
fn a_kernel_without_loops() {
    let text = "fn kernel(A: Scalar<f64>) -> Scalar<f64> { R = A; }";
    agrees_on_gpu(text, &[Tensor("A", &[], &[(&[], 3.0)])]);
}

/// The part of a split that a lane is: its neighbours' rows are not the next ones, and its own may go on in its next run.
#[test]
fn lanes_whose_positions_are_split_again() {
    let positions = "fuse(i, j, f); pos(f, p, A[i, j]);";
    let on = format!("{BLOCKS} parallelize(lane, GPUGroup(4), Segment);");
    let three = [[1, 4], [2, 3], [2, 4]];
    for split in [
        "split(p, q, n, 1); split(q, r, m, 2); split(r, block, lane, 4);",
        "split(p, q, n, 2); divide(n, m, l, 2); split(m, block, lane, 4);",
        "divide(p, q, n, 2); divide(q, r, m, 2); split(r, block, lane, 4);",
        "split(p, q, n, 1); divide(q, r, m, 4); split(r, block, lane, 4); reorder(block, n, lane, m);",
    ] {
        sums_agree("Csr", [3, 5], &three, &format!("{positions} {split} {on}"));
        sums_agree("Csr", [2, 9], &[[0, 2], [1, 8]], &format!("{positions} {split} {on}"));
    }
}

/// `divide` makes the number of parts constant: blocks then run over no entries.
#[test]
fn divided_positions_without_entries() {
    let schedule = format!(
        "fuse(i, j, f); pos(f, p, A[i, j]); divide(p, q, n, 1); split(q, block, lane, 2); {BLOCKS} \
         parallelize(lane, GPUGroup(2), Segment);"
    );
    for dims in [[0, 0], [2, 0], [0, 2], [2, 2]] {
        sums_agree("Csr", dims, &[], &schedule);
    }
}

/// A result with an operand's pattern is written where that operand's entry is, below the lanes of a dense sum too.
#[test]
fn a_result_with_a_pattern_below_lanes() {
    let text = "fn kernel(A: Coo<f64>, B: DenseMat<f64>) -> Coo<f64> { R[i, j] = A[i, j] * B[i, k]; } \
         schedule cuda { fuse(i, j, f); split(k, u, t, 2); reorder(u, t, f); \
         parallelize(t, GPUGroup(2), ParallelReduction); }";
    let a: &[(&[usize], f64)] = &[(&[0, 2], 1.0), (&[0, 3], 1.0)];
    agrees_on_gpu_or_is_refused(text, &[Tensor("A", &[1, 4], a), Tensor("B", &[1, 1], &[(&[0, 0], 1.0)])]);
}

/// Threads inside a lane's rows each have a part of every row.
#[test]
fn threads_inside_rows_bring_their_parts_together() {
    let all = |dims: [usize; 2]| (0..dims[0]).flat_map(move |i| (0..dims[1]).map(move |j| [i, j]));
    let [a, b, d] = [[3, 4], [4, 5], [5, 3]].map(|dims| all(dims).collect::<Vec<_>>());
    let [a, b, d] = [&a, &b, &d].map(|c| c.iter().map(|c| (&c[..], 1.0)).collect::<Vec<_>>());
    let tensors = [Tensor("A", &[3, 4], &a), Tensor("B", &[4, 5], &b), Tensor("D", &[5, 3], &d)];
    for lanes in ["GPUGroup(8), ParallelReduction", "GPUThread, Atomics"] {
        let text = format!(
            "fn kernel(A: Csr<f64>, B: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> {{ \
             C[i, k] = A[i, j] * B[j, l] * D[l, k]; }} schedule cuda {{ split(k, ko, ki, 4); fuse(i, j, f); \
             pos(f, p, A[i, j]); split(p, block, own, 6); split(l, step, lane, 8); \
             reorder(ko, block, own, lane, step, ki); parallelize(block, GPUBlock, Atomics); \
             parallelize(ko, GPUBlock, NoRaces); parallelize(lane, {lanes}); }}"
        );
        agrees_on_gpu(&text, &tensors);
    }
}

/// A constant is summed as often as the lane has iterations, not as the interval has coordinates.
#[test]
fn constants_in_strides() {
    for (dims, term) in [([1, 1, 1, 2], "max(A[i, j, k, l], B[k])"), ([2, 2, 1, 7], "max(A[i, j, k, l], 1)")]
    {
        let text = format!(
            "fn kernel(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, B: DenseVec<f64>) -> Tensor<f64, (Dense, Dense, Dense)> {{ \
             R[i, j, k] = {term}; }} schedule cuda {{ split(l, l3, l4, 3); reorder(i, j, k, l4, l3); \
             parallelize(i, GPUBlock, NoRaces); }}"
        );
        let text = if term.contains("B[") { text } else { text.replace(", B: DenseVec<f64>", "") };
        agrees_on_gpu(&text, &[Tensor("A", &dims, &[]), Tensor("B", &[dims[2]], &[(&[0], 1.0)])]);
    }
}

/// A thread's own loop over positions of all rows writes an element once a row, also where nothing depends on the row.
#[test]
fn a_threads_positions_of_all_rows_add_up() {
    let text = "fn kernel(A: Csr<f64>, x: DenseVec<f64>) -> DenseMat<f64> { R[j, k] = A[i, j] * x[k]; } \
         schedule cuda { bound(k, k0, 2, MaxExact); reorder(k0, i, j); fuse(i, j, f); pos(f, p, A[i, j]); \
         parallelize(k0, GPUThread, NoRaces); }";
    let a: &[(&[usize], f64)] = &[(&[0, 1], 1.0), (&[2, 1], 1.0)];
    agrees_on_gpu(text, &[Tensor("A", &[3, 3], a), Tensor("x", &[2], &[(&[0], 1.0), (&[1], 2.0)])]);
}

/// The last lane with work ends no segment: its row may go on in the next block.
#[test]
fn a_row_goes_on_behind_lanes_without_work() {
    sums_agree(
        "Csr",
        [6, 24],
        &[[2, 23], [5, 5], [5, 9]],
        "fuse(i, j, f); pos(f, p, A[i, j]); split(p, q, n, 2); divide(n, m, l, 2); split(m, u, lane, 4); \
         parallelize(lane, GPUGroup(4), Segment); parallelize(q, GPUBlock, NoRaces);",
    );
}

/// A row's elements of a workspace over several variables are counted as they stand in its table: in no order.
#[test]
fn elements_of_tables_are_counted_unsorted() {
    let a: &[(&[usize], f64)] = &[(&[0, 0, 0], 1.0), (&[1, 0, 0], 1.0), (&[1, 0, 1], 2.0)];
    let b: &[(&[usize], f64)] = &[(&[1, 0, 0], 1.0), (&[0, 0, 1], 1.0), (&[1, 0, 1], 1.0), (&[0, 1, 0], 3.0)];
    for dense in ["(Dense, Dense, Compressed)", "(Dense, Dense, Dense)"] {
        for result in [
            "(Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton)",
            "Reordered<(Compressed<NonUnique>, Singleton<NonUnique>, Singleton<NonUnique>, Singleton), 0, 3, 1, 2>",
            "(Compressed, Compressed<NonUnique>, Singleton<NonUnique>, Singleton)",
            "(Compressed<NonUnique>, Singleton<NonUnique>, Singleton, Dense)",
            "(Compressed, Compressed, Compressed, Compressed)",
        ] {
            let text = format!(
                "fn kernel(A: Tensor<f64, {dense}>, B: Tensor<f64, (Dense, Dense, Compressed)>) -> Tensor<f64, {result}> \
                 {{ R[j, k, l, m] = A[i, j, k] * B[i, l, m]; }}"
            );
            agrees_on_gpu(&text, &[Tensor("A", &[2, 1, 2], a), Tensor("B", &[2, 2, 2], b)]);
        }
    }
}

/// Coordinates between stored ones are visited from the first stored one on: where there is none, no row is counted.
#[test]
fn rows_between_no_entries_are_empty() {
    let text = "fn kernel(A: Tensor<f64, Filled<(Compressed, Dense), PosInf>>) \
         -> Tensor<f64, Filled<(Dense, Compressed), PosInf>> { R[i, j] = A[i, j]; } \
         schedule cuda { pos(i, p, A[i, j]); split(p, q, n, 1); coord(n, c); split(c, u, t, 1); \
         parallelize(t, GPUThread, NoRaces); }";
    for dims in [[1, 0], [3, 0], [3, 2]] {
        agrees_on_gpu(text, &[Tensor("A", &dims, &[])]);
    }
    agrees_on_gpu(text, &[Tensor("A", &[4, 2], &[(&[1, 0], 1.0), (&[2, 1], 2.0)])]);
}

/// A dense block of a result is there only where all the factors at its coordinate are.
#[test]
fn a_block_without_one_of_its_factors_is_not_stored() {
    let a: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[2, 0], 2.0)];
    for (op, ty) in [("*", "f64"), ("&", "i32")] {
        let text = format!(
            "fn kernel(A: Tensor<{ty}, (Compressed, Dense)>, B: SparseVec<{ty}>) -> Tensor<{ty}, (Compressed, Dense)> \
             {{ R[i, k] = A[i, k] {op} B[i]; }}"
        );
        for b in [&[][..], &[(&[2][..], 3.0)]] {
            agrees_on_gpu(&text, &[Tensor("A", &[3, 1], a), Tensor("B", &[3], b)]);
        }
    }
}

/// The factors of a product that a group multiplies overflow in its order before they meet the 0, and in the loops' do not.
#[test]
fn products_overflow_in_another_order() {
    let text = "fn kernel(A: DenseVec<f32>, B: Tensor<f32, (Dense, Dense, Dense)>, C: DenseMat<f32>) -> DenseVec<f32> \
         { R[i] *= A[i] * (B[l, k, i] - C[i, k]); }";
    let c: Vec<([usize; 2], f64)> =
        [1.0, 2.0, 5.0, 2.0, 4.0].iter().enumerate().map(|(k, &v)| ([5, k], v)).collect();
    let c: Vec<(&[usize], f64)> = c.iter().map(|(at, v)| (&at[..], *v)).collect();
    let data = [Tensor("A", &[6], &[(&[5], 4.0)]), Tensor("B", &[8, 6, 6], &[]), Tensor("C", &[6, 6], &c)];
    agrees_on_gpu(text, &data);
}

/// A group has one slot to carry an element's part out: a loop inside that comes by the element again is refused.
#[test]
fn sums_inside_what_is_carried_out() {
    let a: &[(&[usize], f64)] = &[(&[0, 0, 0], 1.0), (&[0, 1, 1], 3.0), (&[1, 0, 0], 2.0)];
    let b: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[1, 0], 3.0), (&[0, 1], 2.0)];
    let data = [Tensor("A", &[2, 2, 2], a), Tensor("B", &[2, 2], b)];
    let inside = ["split(k, k0, k1, 2); reorder(k0, l, k1);", "", "reorder(l, k);"];
    for (n, order) in inside.iter().enumerate() {
        let text = format!(
            "fn kernel(A: Tensor<f64, (Dense, Compressed, Dense)>, B: DenseMat<f64>) -> DenseMat<f64> \
             {{ R[i, l] = A[i, j, k] * B[j, l]; }} schedule cuda {{ {order} fuse(i, j, f); pos(f, p, A[i, j, k]); \
             split(p, u, t, 2); parallelize(u, GPUBlock, NoRaces); parallelize(t, GPUGroup(2), Deterministic); }}"
        );
        match n {
            2 => agrees_on_gpu(&text, &data),
            _ => agrees_on_gpu_or_is_refused(&text, &data),
        }
    }
}

/// A segment that a group has for itself is combined with what is there where a loop inside sums into it again.
#[test]
fn sums_inside_segments_add_up() {
    let text = "fn kernel(A: Tensor<f64, (Dense, Compressed, Dense)>, C: DenseMat<f64>) -> DenseMat<f64> \
         { R[i, l] = A[i, j, k] * C[k, l]; } schedule cuda { fuse(i, j, f); pos(f, p, A[i, j, k]); \
         split(p, u, t, 4); parallelize(t, GPUGroup(4), Segment); }";
    let a: &[(&[usize], f64)] = &[(&[8, 0, 1], 1.0), (&[9, 2, 0], 1.0), (&[14, 2, 0], 1.0)];
    let c: &[(&[usize], f64)] = &[(&[0, 0], 1.0)];
    agrees_on_gpu(text, &[Tensor("A", &[15, 3, 2], a), Tensor("C", &[2, 1], c)]);
}

/// A dense level's positions are its coordinates at the root alone: here rows above it are passed over.
#[test]
fn a_dense_level_above_a_singleton_and_below_rows_that_are_passed_over() {
    let text = "fn kernel(A: Tensor<f64, Reordered<(Dense, Dense, Singleton), 2, 0, 1>>) -> DenseVec<f64> \
         { R[i] = A[i, j, k]; } schedule cuda { reorder(k, i, j); fuse(k, i, f); fuse(f, j, f1); \
         pos(f1, p, A[i, j, k]); split(p, block, lane, 2); parallelize(lane, GPUThread, Atomics); }";
    let a: &[(&[usize], f64)] =
        &[(&[0, 5, 0], 1.0), (&[1, 7, 0], 3.0), (&[0, 14, 1], 2.0), (&[1, 3, 1], 4.0)];
    agrees_on_gpu(text, &[Tensor("A", &[2, 15, 2], a)]);
}

/// A team comes to its table again in a loop inside the row: it waits until the elements before have been read, and goes on
/// behind the entries that it has stored.
#[test]
fn tables_that_a_team_fills_again() {
    let stored: &[(&[usize], f64)] = &[(&[0, 0, 2], 1.0), (&[0, 1, 0], 3.0)];
    let factors: &[(&[usize], f64)] = &[(&[0, 0], 2.0), (&[1, 1], 1.0), (&[0, 2], 5.0)];
    let text = "fn kernel(A: Tensor<i32, (Dense, Dense, Compressed)>, B: DenseMat<i32>) -> \
         Tensor<i32, (Dense, Compressed<NonUnique>, Singleton)> { R[i, l, k] = A[i, j, k] * B[j, l]; } \
         schedule cuda { split(i, block, warp, 1); parallelize(warp, GPUWarp, NoRaces); }";
    agrees_on_gpu(text, &[Tensor("A", &[1, 2, 3], stored), Tensor("B", &[2, 3], factors)]);
    let dense: &[(&[usize], f64)] = &[(&[0, 0, 0], 2.0), (&[0, 1, 0], 3.0)];
    let sparse: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[0, 2], 1.0)];
    let text = "fn kernel(A: Tensor<f64, (Dense, Dense, Dense)>, B: Csr<f64>) -> \
         Tensor<f64, (Dense, Compressed, Dense)> { R[i, j, l] = A[i, j, k] * B[k, l]; } \
         schedule cuda { split(i, block, warp, 1); parallelize(warp, GPUWarp, NoRaces); }";
    agrees_on_gpu(text, &[Tensor("A", &[1, 2, 1], dense), Tensor("B", &[1, 3], sparse)]);
}

/// Parts of a part of a dimension are as many as any of those has, and fewer in the last: its blocks past them do nothing.
#[test]
fn blocks_of_parts_of_parts() {
    let a: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[6, 1], 2.0), (&[6, 0], 3.0), (&[24, 1], 4.0)];
    let x: &[(&[usize], f64)] = &[(&[0], 1.0), (&[1], 5.0)];
    for inner in [
        "parallelize(row, GPUThread, NoRaces);",
        "pos(j, p, A[i, j]); split(p, step, lane, 4); reorder(outer, block, row, lane, step); \
         parallelize(row, GPUWarp, NoRaces); parallelize(lane, GPUGroup(4), ParallelReduction);",
    ] {
        let (moved, parallel) = inner.split_at(inner.find("parallelize").unwrap_or(0));
        let text = format!(
            "fn kernel(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ R[i] = A[i, j] * x[j]; }} schedule cuda {{ \
             divide(i, outer, rest, 3); split(rest, block, row, 2); {moved} parallelize(outer, GPUBlock, NoRaces); \
             {BLOCKS} {parallel} }}"
        );
        for rows in [25, 26, 31] {
            agrees_on_gpu(&text, &[Tensor("A", &[rows, 2], a), Tensor("x", &[2], x)]);
        }
        agrees_on_gpu(&text, &[Tensor("A", &[0, 2], &[]), Tensor("x", &[2], x)]);
    }
}

/// What lies between two single coordinates is counted as nothing where the second comes before the first.
#[test]
fn a_gap_between_coordinates_in_no_order_is_counted_as_empty() {
    let fill = "Filled<Reordered<(Dense, Singleton), 1, 0>, NegInf>";
    let text = format!(
        "fn kernel(A: Tensor<f64, {fill}>, C: Tensor<f64, Reordered<(Dense, Singleton), 1, 0>>) \
         -> Tensor<f64, Filled<Reordered<(Dense, Compressed), 1, 0>, NegInf>> {{ R[j, i] max= A[j, i] * C[j, k]; }}"
    );
    for (at_a, at_c) in [(4, 0), (0, 4), (2, 2), (5, 5), (0, 0), (5, 4), (4, 5)] {
        let a: &[(&[usize], f64)] = &[(&[at_a, 0], 1.0)];
        let c: &[(&[usize], f64)] = &[(&[at_c, 0], 1.0)];
        agrees_on_gpu(
            &format!(
                "{text} schedule cuda {{ split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces); }}"
            ),
            &[Tensor("A", &[6, 1], a), Tensor("C", &[6, 1], c)],
        );
    }
}

/// Where an operand stores nothing, no part of its positions has a coordinate: not each of them all.
#[test]
fn parts_of_no_positions_have_no_coordinates() {
    let text = "fn kernel(A: DenseMat<f64>, B: Tensor<f64, Filled<(Compressed,), PosInf>>) -> \
         Tensor<f64, Filled<(Dense, Compressed), PosInf>> { R[i, k] = A[i, k] + B[i]; } schedule cuda { \
         pos(i, p1, B[i]); divide(p1, p2, p3, 2); coord(p3, c6); split(c6, u31, t32, 1); \
         parallelize(t32, GPUThread, NoRaces); parallelize(p2, GPUBlock, NoRaces); }";
    for n in [1, 3] {
        let a: Vec<_> = (0..n).map(|i| ([i, 0], 1.0 + i as f64)).collect();
        let a: Vec<(&[usize], f64)> = a.iter().map(|(c, v)| (&c[..], *v)).collect();
        agrees_on_gpu(text, &[Tensor("A", &[n, 0], &[]), Tensor("B", &[n], &[])]);
        agrees_on_gpu(text, &[Tensor("A", &[n, 2], &a), Tensor("B", &[n], &[])]);
        agrees_on_gpu(text, &[Tensor("A", &[n, 2], &a), Tensor("B", &[n], &[(&[n - 1], 2.0)])]);
    }
}

/// A minimum of nothing but NaN is what it begins with: where each lane has one value, which a group or a segment reduces, and
/// where it is the first in a table.
#[test]
fn a_minimum_of_nothing_but_nan_is_infinite() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let a: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[1, 0], -inf), (&[2, 0], 1.0)];
    for schedule in [
        "",
        "schedule cuda { fuse(i, j, f); pos(f, p, A[i, j]); split(p, warp, lane, 4); \
         parallelize(lane, GPUGroup(4), Segment); }",
        "schedule cuda = atomic(<1 nnz, 1 col>, 4);",
        "schedule cuda = atomic(<1/4 row, 1 col>, 4);",
    ] {
        let text = format!(
            "fn kernel(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, B: DenseVec<f64>) -> \
             Tensor<f64, Filled<(Dense,), PosInf>> {{ R[i] min= A[i, j] + B[j]; }} {schedule}"
        );
        agrees_on_gpu(&text, &[Tensor("A", &[4, 1], a), Tensor("B", &[1], &[(&[0], inf)])]);
    }
    let text = "fn kernel(A: Tensor<f64, Reordered<(Dense, Dense, Compressed), 0, 2, 1>>) -> \
         Tensor<f64, Filled<Reordered<(Compressed, Dense), 1, 0>, PosInf>> { R[k, j] min= sqrt(A[j, k, m]); }";
    for v in [-3.0, nan, 4.0] {
        agrees_on_gpu(text, &[Tensor("A", &[1, 1, 1], &[(&[0, 0, 0], v)])]);
    }
}

/// A team has a table for one row after another: it waits also for lanes that search the row before in it.
#[test]
fn a_table_that_is_searched_is_not_emptied() {
    let rows: Vec<[usize; 2]> = [0, 2048, 2049].map(|i| [i, 0]).to_vec();
    let a: Vec<(&[usize], f64)> = rows.iter().map(|c| (&c[..], 1.0)).collect();
    for schedule in [
        "split(k, k0, k1, 4); parallelize(i, GPUBlock, NoRaces);",
        "split(k, k0, k1, 4); split(i, block, warp, 1); parallelize(block, GPUBlock, NoRaces); parallelize(warp, GPUWarp, NoRaces);",
    ] {
        let text = format!(
            "fn kernel(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {{ R[i, k] = A[i, j] * B[j, k]; }} schedule cuda {{ {schedule} }}"
        );
        agrees_on_gpu(&text, &[Tensor("A", &[2052, 1], &a), Tensor("B", &[1, 2], &[(&[0, 0], 1.0)])]);
        let few: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[1, 0], 1.0), (&[2, 0], 1.0), (&[5, 0], 1.0)];
        agrees_on_gpu(
            &text,
            &[Tensor("A", &[6, 2], few), Tensor("B", &[2, 2], &[(&[0, 0], 1.0), (&[1, 0], 1.0)])],
        );
    }
}

/// Rows that were copied have a part for each coordinate, and no coordinates to step over: a loop inside of blocks finds them.
#[test]
fn copied_rows_are_found_by_a_loop_of_each_thread() {
    let a: &[(&[usize], f64)] = &[(&[0, 1], 1.0), (&[2, 2], 2.0), (&[6, 0], 3.0)];
    let b: &[(&[usize], f64)] = &[(&[0, 0], 4.0), (&[0, 6], 5.0), (&[2, 3], 6.0), (&[2, 2], 7.0)];
    for (size, on) in [(1, ""), (4, ""), (4, "parallelize(t, GPUWarp, NoRaces);")] {
        let text = format!(
            "fn kernel(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {{ R[i, j] = A[i, j] - B[j, i]; }} \
             schedule cuda {{ split(i, b, t, {size}); parallelize(b, GPUBlock, NoRaces); {on} }}"
        );
        agrees_on_gpu(&text, &[Tensor("A", &[7, 3], a), Tensor("B", &[3, 7], b)]);
    }
}

/// What is copied first and then multiplied by 0 is not read: no rows are enlisted for teams.
#[test]
fn rows_have_no_classes_where_a_copy_is_not_read() {
    let text = "fn kernel(A: Csr<f64>, B: Csc<f64>, C: Csr<f64>) -> Csr<f64> { R[i, k] = A[i, k] * (B[i, k] * 0) - A[i, l] * C[l, k]; }";
    let entries: &[(&[usize], f64)] = &[(&[0, 1], 1.0), (&[1, 0], 2.0), (&[1, 1], 3.0)];
    agrees_on_gpu(text, &["A", "B", "C"].map(|name| Tensor(name, &[2, 2], entries)));
}

/// Threads that have the same entries and other columns of a sum update the same elements: none is one's alone.
#[test]
fn columns_that_are_summed_share_rows() {
    const TILES: &str = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, chunk, nnz, 16); split(k, ko, ki, 4); \
        reorder(chunk, ko, nnz, ki); fuse(chunk, ko, tile); split(tile, block, thread, 256); \
        parallelize(block, GPUBlock, IgnoreRaces); parallelize(thread, GPUThread, Atomics);";
    let text = format!(
        "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseVec<f64> {{ y[i] = A[i, j] * B[j, k]; }} schedule cuda {{ {TILES} }}"
    );
    let a: Vec<[usize; 2]> = (0..60).map(|n| [n / 5, (n * 7) % 13]).collect();
    let a: Vec<(&[usize], f64)> = a.iter().map(|c| (&c[..], 1.0)).collect();
    let b: Vec<[usize; 2]> = (0..13 * 9).map(|n| [n / 9, n % 9]).collect();
    let b: Vec<(&[usize], f64)> = b.iter().enumerate().map(|(n, c)| (&c[..], (n % 3) as f64)).collect();
    agrees_on_gpu(&text, &[Tensor("A", &[12, 13], &a), Tensor("B", &[13, 9], &b)]);
}

/// A vector's loop whose iterations decide alike between two ways to write is two loops, with variables of their own.
#[test]
fn either_way_to_write_has_its_own_loop() {
    let a: &[(&[usize], f64)] =
        &[(&[0, 0], 1.0), (&[0, 2], 2.0), (&[1, 1], 3.0), (&[4, 0], 1.0), (&[4, 2], 5.0)];
    let b: Vec<[usize; 2]> = (0..3 * 16).map(|n| [n / 16, n % 16]).collect();
    let b: Vec<(&[usize], f64)> = b.iter().enumerate().map(|(n, c)| (&c[..], (n % 5) as f64)).collect();
    for schedule in [
        "{ fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, part, 64); split(part, thread, nnz, 2); split(k, ko, ki, 8); \
           split(ki, kj, kv, 4); reorder(block, thread, ko, nnz, kj, kv); parallelize(block, GPUBlock, IgnoreRaces); \
           parallelize(thread, GPUThread, Atomics); parallelize(kv, GPUVector, NoRaces); }",
        "= atomic(<8 nnz, 4 col>, 8, vector, deterministic);",
        "= atomic(<2 nnz, 4 col>, 1, vector);",
    ] {
        let text = format!(
            "fn kernel(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {{ C[i, k] = A[i, j] * B[j, k]; }} schedule cuda {schedule}"
        );
        agrees_on_gpu(&text, &[Tensor("A", &[5, 3], a), Tensor("B", &[3, 16], &b)]);
    }
}

/// Positions of two operands in one fused loop: rows of either may share coordinates, and threads their elements.
#[test]
fn two_operands_positions_in_one_loop() {
    let text = "fn kernel(A: Csr<f64>, b: SparseVec<f64>, C: DenseMat<f64>) -> Tensor<f64, (Dense, Dense, Dense)> {
            y[j, l, k] = A[i, j] * b[l] * C[i, k];
        }
        schedule cuda {
            reorder(i, j, l, k); pos(l, lp, b[l]); fuse(lp, k, t); pos(j, jp, A[i, j]); fuse(jp, t, f); split(f, fo, fi, 64);
            parallelize(fi, GPUThread, NoRaces);
        }";
    let a: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[0, 1], 2.0), (&[1, 1], 3.0), (&[1, 2], 1.0)];
    let b: &[(&[usize], f64)] = &[(&[1], 2.0)];
    let c: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[1, 1], 4.0), (&[0, 1], 1.0)];
    agrees_on_gpu_or_is_refused(
        text,
        &[Tensor("A", &[2, 3], a), Tensor("b", &[2], b), Tensor("C", &[2, 2], c)],
    );
}

/// What is copied for a sum that is a scalar is scattered by many threads, and the sum is written by one.
#[test]
fn a_copy_for_a_scalar() {
    let text = "fn kernel(A: Csr<i32>, B: Csc<i32>, C: DenseVec<i32>) -> Scalar<i32> { s = (A[i, j] ^ B[i, j]) + C[j]; }";
    let a: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[0, 2], 2.0), (&[3, 1], 3.0)];
    let b: &[(&[usize], f64)] = &[(&[0, 2], 7.0), (&[1, 0], 5.0), (&[3, 1], 3.0)];
    let c: &[(&[usize], f64)] = &[(&[0], 4.0), (&[1], -1.0), (&[2], 9.0)];
    agrees_on_gpu(text, &[Tensor("A", &[4, 3], a), Tensor("B", &[4, 3], b), Tensor("C", &[3], c)]);
}

/// What a row scatters is counted, too, where it is all for a number that is not computed yet.
#[test]
fn a_number_from_a_list() {
    let text = "fn kernel(A: Tensor<f64, (Dense, Dense, Compressed)>) -> Csr<f64> { R[j, i] = A[j, i, k]; }
        schedule cuda {
            precompute(A[j, i, k], [], [], s); precompute(A[j, i, k], [k], [k], w, Hash);
            split(j, block, thread, 32); parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces);
        }";
    let a: &[(&[usize], f64)] =
        &[(&[0, 0, 4], 1.0), (&[0, 0, 2], 2.0), (&[0, 1, 1], 3.0), (&[2, 1, 0], 5.0), (&[2, 1, 4], -5.0)];
    agrees_on_gpu(text, &[Tensor("A", &[3, 2, 5], a)]);
}

/// `0 - 0 - cos(-∞)` and `-cos(-∞)` are NaN of different signs, and both what is not stored: where they were taken for different, the
/// gaps of one of them were entries beside those that are stored.
#[test]
fn any_nan_is_what_is_not_stored() {
    let text = "fn kernel(A: Csr<f64>, B: Csr<f64>, D: Tensor<f64, Filled<(Dense, Compressed), NegInf>>) -> Csc<f64> \
         { R[i, j] = A[i, j] - B[i, j] - cos(D[i, j]); }";
    let none: &[(&[usize], f64)] = &[];
    let some: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[1, 2], 2.0)];
    for (a, b, d) in [(none, none, some), (some, none, some), (some, some, none)] {
        let of = |name, entries| Tensor(name, &[2, 3], entries);
        agrees_on_gpu(text, &[of("A", a), of("B", b), of("D", d)]);
    }
}

/// The least of a NaN alone is NaN, where beside it an operand may have several entries that are summed before.
#[test]
fn the_least_of_nan_beside_equal_coordinates() {
    let filled = |levels: &str| format!("Tensor<f32, Filled<({levels}), PosInf>>");
    let (coo, csr) = (filled("Compressed<NonUnique>, Singleton<NonUnique>"), filled("Dense, Compressed"));
    let text = format!(
        "fn kernel(A: Csr<f32>, B: {coo}, C: {csr}, D: {csr}) -> Csr<f32> \
         {{ R[i, k] = min(min(min(A[i, k], B[i, k]), C[i, k]), D[i, k]); }}"
    );
    let nan: &[(&[usize], f64)] = &[(&[0, 3], f64::NAN), (&[0, 1], f64::NAN), (&[1, 2], 5.0)];
    let twice: &[(&[usize], f64)] = &[(&[0, 1], 1.0), (&[0, 1], 2.0), (&[1, 2], f64::NAN)];
    let of = |name, entries| Tensor(name, &[2, 4], entries);
    for c in [&[][..], &[(&[0, 0][..], 1.0)]] {
        agrees_on_gpu(&text, &[of("A", nan), of("B", twice), of("C", c), of("D", &[])]);
    }
}

/// What lanes look rows up by is stored over when all have read it: before a loop, too, after rows that none is around.
#[test]
fn rows_that_are_summed_before_between_and_after_an_entry() {
    let text = "fn kernel(A: Tensor<f64, Filled<(Dense, Singleton), NegInf>>, C: Csr<f64>) -> Csr<f64> \
         { R[i, l] = A[i, j] * C[k, l]; } \
         schedule cuda { split(i, block, warp, 1); parallelize(warp, GPUWarp, NoRaces); }";
    let c: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[1, 1], 2.0), (&[1, 0], 3.0)];
    for j in 0..3 {
        let a: &[(&[usize], f64)] = &[(&[0, j], 1.0), (&[1, 2 - j], 4.0)];
        agrees_on_gpu(text, &[Tensor("A", &[2, 3], a), Tensor("C", &[2, 2], c)]);
    }
}

/// Windows of coordinates begin elsewhere in each column, so that a row is not always the same thread's.
#[test]
fn threads_that_share_a_window_that_moves() {
    let stored = [[0, 0], [1, 0], [1, 1], [2, 1], [0, 2]];
    for made in ["split(p1, p2, p3, 1); coord(p3, c5);", "coord(p1, c5);"] {
        let schedule = format!(
            "pos(i, p1, A[i, j]); {made} split(c5, u24, t25, 2); parallelize(t25, GPUThread, NoRaces);"
        );
        sums_agree("Csc", [3, 3], &stored, &schedule);
    }
}

/// A lane that has an element of a workspace for itself reduces into it alone, whatever its group does with what it reads.
#[test]
fn lanes_with_elements_of_a_workspace_of_their_own() {
    let stored: Vec<[usize; 2]> = (0..23).map(|n| [n % 3, 5 * n % 11]).collect();
    for (made, group) in
        [("divide(p, lane, part, 2);", 2), ("split(p, part, lane, 4); reorder(lane, part);", 4)]
    {
        let schedule = format!(
            "pos(j, p, A[i, j]); {made} precompute(A[i, j], [lane], [lane], w); \
             parallelize(lane, GPUGroup({group}), ParallelReduction);"
        );
        sums_agree("Csr", [3, 11], &stored, &schedule);
        sums_agree("Csr", [1, 0], &[], &schedule);
    }
}

/// Lanes that each have an element of an array do not reduce into one: in what order its elements come nobody knows.
#[test]
fn lanes_with_elements_of_a_sums_array_of_their_own() {
    for group in ["GPUGroup(2), Segment", "GPUGroup(2), Deterministic", "GPUGroup(2), ParallelReduction"] {
        let text = format!(
            "fn kernel(A: Csc<f64>, C: DenseVec<f64>) -> DenseVec<f64> {{ R[i] = A[i, j] + C[i]; }} \
             schedule cuda {{ pos(i_t0, p, A[i, j]); bound(i, i4, 30, MaxExact); split(p, part, lane, 2); \
             parallelize(lane, {group}); }}"
        );
        let a: &[(&[usize], f64)] = &[(&[0, 0], 1.0), (&[27, 0], 1.0)];
        agrees_on_gpu_or_is_refused(&text, &[Tensor("A", &[30, 1], a), Tensor("C", &[30], &[])]);
    }
}
