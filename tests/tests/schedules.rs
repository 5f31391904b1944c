//! Scheduled kernels by name: the paper's, what TACO gets wrong, and corners of each command.

use std::path::Path;
use tests::named::Data::{Scalar, Tensor};
use tests::named::{agrees, case};
use tests::{command, differential, interpret};

/// A sparse matrix's entries.
type Entries = Vec<([usize; 2], f64)>;

/// Entries `k + 1` at the coordinates that a test picks.
fn entries(dims: [usize; 2], stored: impl Fn(usize, usize) -> bool) -> Entries {
    let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
    all.filter(|c| stored(c[0], c[1])).enumerate().map(|(k, c)| (c, k as f64 + 1.0)).collect()
}

/// Matrices with empty rows at the beginning, in the middle and at the end, without entries, of one row, of size 0,
/// full, with rows longer and shorter than any chunk.
fn matrices() -> Vec<([usize; 2], Entries)> {
    let of = |dims, stored: &dyn Fn(usize, usize) -> bool| (dims, entries(dims, stored));
    vec![
        of([7, 5], &|i, j| (i * 3 + j * 5) % 4 == 1),
        of([7, 5], &|i, _| i >= 3),
        of([7, 5], &|i, _| i == 3),
        of([7, 5], &|i, j| i % 2 == 1 && j > 1),
        of([7, 5], &|i, _| i == 6),
        of([7, 5], &|_, _| false),
        of([7, 5], &|_, _| true),
        of([1, 11], &|_, j| j != 4),
        of([1, 1], &|_, _| true),
        of([11, 1], &|i, _| i % 3 == 2),
        of([0, 3], &|_, _| true),
        of([3, 0], &|_, _| true),
        of([2, 37], &|i, j| i == 1 || j == 0),
    ]
}

/// As data of a case.
fn refs<const R: usize>(entries: &[([usize; R], f64)]) -> Vec<(&[usize], f64)> {
    entries.iter().map(|(c, v)| (&c[..], *v)).collect()
}

/// `y[i] = A[i, j] * x[j]` under a schedule, in a format of `A`, on every matrix.
fn spmv_agrees(format: &str, schedule: &str) {
    let text = format!(
        "fn kernel(A: {format}<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = A[i, j] * x[j]; }} \
         schedule cpu {{ {schedule} }}"
    );
    for (dims, entries) in matrices() {
        let x: Vec<_> = (0..dims[1]).map(|k| ([k], (k * 7 % 5) as f64 - 1.0)).collect();
        agrees(&text, &[Tensor("A", &dims, &refs(&entries)), Tensor("x", &[dims[1]], &refs(&x))]);
    }
}

#[test]
fn rows_in_chunks() {
    for format in ["Csr", "Dcsr"] {
        for n in [1, 2, 3, 16] {
            spmv_agrees(
                format,
                &format!("split(i, i0, i1, {n}); reorder(i0, i1, j); parallelize(i0, CPUThread, NoRaces);"),
            );
        }
    }
}

/// The paper's figure 4. A chunk of positions begins in a row that is found by search, and that may follow empty rows;
/// its first row may be the one that the last chunk ended in.
#[test]
fn fused_positions_that_start_in_an_empty_row() {
    for format in ["Csr", "Dcsr", "Coo"] {
        spmv_agrees(format, "fuse(i, j, f); pos(f, p, A[i, j]);");
        for n in [1, 2, 3, 4, 16] {
            let split = format!("fuse(i, j, f); pos(f, p, A[i, j]); split(p, p0, p1, {n});");
            spmv_agrees(format, &split);
            spmv_agrees(format, &format!("{split} parallelize(p0, CPUThread, Atomics);"));
            spmv_agrees(format, &format!("{split} parallelize(p0, CPUThread, Temporary);"));
            let divide = format!("fuse(i, j, f); pos(f, p, A[i, j]); divide(p, p0, p1, {n});");
            spmv_agrees(format, &format!("{divide} parallelize(p0, CPUThread, Atomics);"));
        }
    }
}

#[test]
fn positions_below_rows_and_fused_with_them() {
    spmv_agrees("Csr", "pos(j, p, A[i, j]);");
    spmv_agrees("Csr", "pos(j, p, A[i, j]); fuse(i, p, f); split(f, f0, f1, 3);");
    spmv_agrees("Csr", "pos(j, p, A[i, j]); split(p, p0, p1, 4); unroll(p1, 4);");
    spmv_agrees("Csr", "pos(j, p, A[i, j]); divide(p, p0, p1, 3); coord(p1, c);");
    spmv_agrees(
        "Csr",
        "pos(j, p, A[i, j]); split(p, p0, p1, 4); parallelize(p1, CPUVector, ParallelReduction);",
    );
}

#[test]
fn windows_of_a_merged_dimension() {
    let text = |schedule: &str| {
        format!(
            "fn kernel(A: Csr<f64>, B: Csr<f64>) -> DenseMat<f64> {{ C[i, j] = A[i, j] + B[i, j]; }} \
             schedule cpu {{ {schedule} }}"
        )
    };
    for (dims, entries) in matrices() {
        let a = refs(&entries);
        let b: Vec<(&[usize], f64)> = a.iter().copied().filter(|(c, _)| (c[0] + c[1]) % 2 == 0).collect();
        for schedule in [
            "split(j, j0, j1, 2); reorder(j0, i, j1);",
            "divide(j, j0, j1, 3); split(j1, j2, j3, 2); mergeby(j3, Gallop);",
            "split(j, j0, j1, 4); reorder(j0, i); parallelize(j0, CPUThread, NoRaces);",
            "fuse(i, j, f); split(f, f0, f1, 5);",
            "mergeby(j, TwoFinger); parallelize(i, CPUThread, NoRaces);",
        ] {
            agrees(&text(schedule), &[Tensor("A", &dims, &a), Tensor("B", &dims, &b)]);
        }
    }
}

/// TACO drops the `+=` of the workspace where the variable it is precomputed over was made by `bound` or `split`.
#[test]
fn precompute_over_a_derived_variable_still_sums() {
    let spmm = |schedule: &str| {
        format!(
            "fn kernel(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> {{ C[i, k] = A[i, j] * B[j, k]; }} \
             schedule cpu {{ {schedule} }}"
        )
    };
    let b = entries([5, 6], |_, _| true);
    for (dims, entries) in matrices().into_iter().filter(|(dims, _)| dims[1] == 5) {
        let a = refs(&entries);
        let data = [Tensor("A", &dims, &a), Tensor("B", &[5, 6], &refs(&b))];
        for schedule in [
            "bound(k, kb, 6, MaxExact); precompute(A[i, j] * B[j, k], [kb], [kw], w);",
            "bound(k, kb, 6, MaxExact); precompute(A[i, j] * B[j, k], [kb], [kb], w);",
            "bound(k, kb, 3, Divisible); precompute(A[i, j] * B[j, k], [kb], [kw], w);",
            "split(k, k0, k1, 4); reorder(i, k0, j, k1); precompute(A[i, j] * B[j, k], [k1], [kw], w);",
            "split(k, k0, k1, 4); reorder(i, k0, j, k1); precompute(A[i, j] * B[j, k], [k1], [k1], w);",
            "bound(k, kb, 6, MaxExact); split(kb, k0, k1, 4); reorder(i, k0, j, k1); \
             precompute(A[i, j] * B[j, k], [k1], [kw], w); parallelize(i, CPUThread, NoRaces);",
            "split(k, k0, k1, 4); reorder(i, k0, j, k1); precompute(A[i, j] * B[j, k], [k], [kw], w);",
            "bound(j, jb, 5, MaxExact); reorder(k, jb); precompute(A[i, j] * B[j, k], [], [], w);",
            "split(j, j0, j1, 2); precompute(B[j, k], [j1, k], [jw, kw], w);",
        ] {
            agrees(&spmm(schedule), &data);
        }
    }
}

/// The producer and the consumer of a workspace may know different parts of what its dimensions are made from: the last
/// part of a split that ends early is numbered alike by both.
#[test]
fn a_workspace_is_numbered_alike_by_those_who_know_other_parts() {
    for dims in [[2, 1], [3, 5], [2, 7], [1, 3], [0, 3]] {
        let a = entries(dims, |_, _| true);
        for schedule in [
            "fuse(i, j2, f); precompute(A[i, j], [j1, f], [j1, fw], w); split(j1, j3, j4, 1); reorder(j4, f, j3);",
            "fuse(i, j2, f); precompute(A[i, j], [j1, f], [j1, fw], w); reorder(f, j1);",
            "fuse(i, j2, f); split(f, f1, f2, 3); precompute(A[i, j], [j1, f1, f2], [j1, g1, g2], w); reorder(f1, f2, j1);",
            "divide(j2, j3, j4, 2); precompute(A[i, j], [j1, i, j3, j4], [j1, iw, g3, g4], w); reorder(i, j3, j4, j1);",
            "fuse(j1, i, f); precompute(A[i, j], [f, j2], [fw, j2w], w); reorder(j2, f);",
        ] {
            let text = format!(
                "fn kernel(A: DenseMat<f64>) -> DenseMat<f64> {{ R[i, j] = A[i, j]; }} \
                 schedule cpu {{ split(j, j1, j2, 2); reorder(j1, i, j2); {schedule} }}"
            );
            agrees(&text, &[Tensor("A", &dims, &refs(&a))]);
        }
    }
}

/// A part of a part is as long as that is here, though its range is a number before any loop.
#[test]
fn parts_of_a_part_that_ends_early_end_with_it() {
    for n in 0..14 {
        let a: Vec<_> = (0..n).map(|i| ([i], 1.0 + i as f64)).collect();
        for schedule in [
            "split(i5, i6, i7, 1); divide(i6, a, b, 2); divide(b, c, d, 2);",
            "split(i5, i6, i7, 1); divide(i6, a, b, 2); divide(b, c, d, 2); parallelize(a, CPUThread, NoRaces);",
            "split(i5, i6, i7, 1); divide(i6, a, b, 2); split(b, c, d, 2); reorder(d, c);",
            "divide(i5, a, b, 2); divide(b, c, d, 2); reorder(d, c);",
            "split(i5, i6, i7, 2); split(i6, a, b, 2); split(b, c, d, 1); reorder(d, c, i7);",
        ] {
            let text = format!(
                "fn kernel(A: DenseVec<f64>) -> DenseVec<f64> {{ R[i] = A[i]; }} schedule cpu {{ split(i, i4, i5, 4); {schedule} }}"
            );
            agrees(&text, &[Tensor("A", &[n], &refs(&a))]);
        }
    }
}

/// A loop that is counted outside of what is known where a workspace is filled may lie past the window that is known there.
#[test]
fn a_window_inside_is_no_longer_than_that_which_was_counted() {
    for dims in [[1, 5], [3, 5], [2, 3], [5, 1], [1, 1], [0, 2]] {
        let a = entries(dims, |_, _| true);
        for n in [2, 3, 4] {
            let text = format!(
                "fn kernel(A: DenseMat<f64>) -> Scalar<f64> {{ R = A[i, j]; }} schedule cpu {{ \
                 divide(i, i1, i2, 2); fuse(i2, j, f); split(f, f0, f1, {n}); reorder(f0, i1); \
                 precompute(A[i, j], [f1], [g1], w); }}"
            );
            agrees(&text, &[Tensor("A", &dims, &refs(&a))]);
        }
    }
}

/// A sparse workspace's elements have the numbers that its producer gave them, though its consumer knows a part that ends early.
#[test]
fn a_sparse_workspace_is_numbered_as_it_is_filled() {
    for dims in [[3, 9], [3, 4], [2, 1], [1, 5], [0, 3], [3, 0]] {
        let a: Vec<_> = (0..dims[0]).map(|i| ([i], (i + 1) as f64)).collect();
        let c = entries(dims, |_, _| true);
        for format in ["List", "Hash", "Sort", "Dense"] {
            let text = format!(
                "fn kernel(A: DenseVec<f64>, C: DenseMat<f64>) -> DenseVec<f64> {{ R[i] = A[i] * C[i, k]; }} \
                 schedule cpu {{ divide(k, k1, k2, 2); reorder(k1, i); fuse(i, k2, f); \
                 precompute(A[i], [f], [f], w, {format}); }}"
            );
            agrees(&text, &[Tensor("A", &dims[..1], &refs(&a)), Tensor("C", &dims, &refs(&c))]);
        }
    }
}

/// A part that a workspace's producer and its consumer share stands for the same iterations in both, though more is known of
/// what is divided in one of them.
#[test]
fn a_divided_range_has_one_step_where_its_parts_are_shared() {
    for schedule in [
        "split(j, j1, j2, 3); divide(j2, j3, j4, 2); divide(j4, j5, j6, 1); divide(j1, j8, j9, 1); \
         reorder(i, j9, j6, j3, j8, j5); precompute(x[j], [j5], [j7], w);",
        "divide(j, f1, f2, 1); split(f2, f3, f4, 4); divide(f4, f5, f6, 2); \
         precompute(x[j], [f6], [f7], w); reorder(f5, f1, f3);",
    ] {
        for size in [1, 2, 3, 5, 7, 9, 0] {
            let x: Vec<_> = (0..size).map(|j| ([j], j as f64 + 1.0)).collect();
            let text = format!(
                "fn kernel(b: DenseVec<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = b[i] * x[j]; }} \
                 schedule cpu {{ {schedule} }}"
            );
            agrees(&text, &[Tensor("b", &[2], &[(&[0], 1.0), (&[1], 2.0)]), Tensor("x", &[size], &refs(&x))]);
        }
    }
}

/// A loop with a promised size ends where the part ends that it runs over: what is promised is the size before any loop.
#[test]
fn a_promised_part_ends_early_with_what_it_is_a_part_of() {
    for schedule in [
        "split(j, j0, j1, 3); divide(j1, j2, j3, 2); bound(j3, j4, 1, Divisible); reorder(j0, j4, j2);",
        "split(j, j0, j1, 3); divide(j1, j2, j3, 2); bound(j3, j4, 2, MaxExact); reorder(j0, j4, j2);",
        "split(j, j0, j1, 4); split(j1, j2, j3, 2); bound(j2, j4, 2, MaxExact); reorder(j0, j3, j4);",
    ] {
        for size in [1, 2, 3, 4, 5, 7, 0] {
            let x: Vec<_> = (0..size).map(|j| ([j], j as f64 + 1.0)).collect();
            let text = format!(
                "fn kernel(x: DenseVec<f64>) -> Scalar<f64> {{ s = x[j]; }} schedule cpu {{ {schedule} }}"
            );
            agrees(&text, &[Tensor("x", &[size], &refs(&x))]);
        }
    }
}

/// TACO unrolls only loops of constant size.
#[test]
fn an_unbound_loop_is_unrolled() {
    for n in [1, 2, 3, 4, 8] {
        spmv_agrees("Csr", &format!("unroll(i, {n});"));
        spmv_agrees("Csr", &format!("pos(j, p, A[i, j]); unroll(p, {n});"));
        spmv_agrees("Csr", &format!("unroll(j, {n});"));
        spmv_agrees("Csr", &format!("split(i, i0, i1, 3); unroll(i1, {n}); unroll(i0, {n});"));
    }
}

/// A promise is checked at the call, on every path to the size.
#[test]
fn a_broken_promise_is_an_error_of_the_call() {
    let text = |bound: &str| {
        format!(
            "fn kernel(A: Csr<f64>, x: DenseVec<f64>, alpha: f64) -> DenseVec<f64> \
             {{ y[i] = alpha * A[i, j] * x[j]; }} schedule cpu {{ {bound} }}"
        )
    };
    for (bound, holds) in [
        ("bound(i, ib, 7, MaxExact);", true),
        ("bound(i, ib, 6, MaxExact);", false),
        ("bound(i, ib, 8, MaxExact); split(ib, i0, i1, 4);", false),
        ("bound(j, jb, 5, Divisible);", true),
        ("bound(j, jb, 2, Divisible);", false),
        ("bound(j, jb, 5, Divisible); bound(jb, jc, 10, MaxExact);", false),
    ] {
        let data = [Tensor("A", &[7, 5], &[(&[1, 2], 3.0)]), Tensor("x", &[5], &[]), Scalar("alpha", 2.0)];
        let case = case(&text(bound), &data).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(command::breaks_promise(&case.schedule, &case.vars), !holds, "{bound}");
        let runs = interpret::interpret(&case).unwrap_or_else(|e| panic!("{bound}: {e:?}"));
        assert_eq!(runs.is_empty(), !holds, "{bound}");
        assert_eq!(differential::check(&case, &interpret::interpret), differential::Outcome::Passed);
    }
}

/// A kernel of the golden files with smaller chunks, of which small tensors have several.
fn published(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("golden/in/{name}_cpu_oopsla.kernel"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.replace(", 16);", ", 2);").replace(", 8);", ", 3);")
}

/// The six kernels of the paper's evaluation (section 7.2) with its schedules for CPUs: SpMV, SpMSpV, SpMM, SDDMM, TTV and
/// MTTKRP; and TTM, which its artefact has too.
///
/// The paper has no listing of these schedules: it refers to the artefact, a branch of its compiler. Read from there, with
/// the factors that are its defaults, 16 and 8 (the text has none). One strategy differs: the artefact's SDDMM has
/// `ParallelReduction` for lanes of which each writes elements of its own, which here is an error: they have `NoRaces`.
/// SpMSpV has its matrix by columns, as the paper says.
#[test]
fn the_papers_kernels() {
    let tensor: Vec<([usize; 3], f64)> = (0..60)
        .filter(|k| k % 3 != 1 && !(20..33).contains(k))
        .map(|k| ([k / 12, k / 4 % 3, k % 4], k as f64))
        .collect();
    let matrix = |rows, columns| entries([rows, columns], |_, _| true);
    let (c, d) = (matrix(3, 9), matrix(4, 9));
    let (c, d) = (refs(&c), refs(&d));
    for tensor in [&refs(&tensor)[..], &[]] {
        let b = || Tensor("B", &[5, 3, 4], tensor);
        let factors = [b(), Tensor("C", &[3, 9], &c), Tensor("D", &[4, 9], &d)];
        agrees(&published("mttkrp"), &factors);
        agrees(&published("ttv"), &[b(), Tensor("c", &[4], &[(&[0], 1.0), (&[1], 2.0), (&[3], 3.0)])]);
        agrees(&published("ttm"), &[b(), Tensor("C", &[4, 9], &d)]);
        // Not the paper's: all three levels as one.
        let three =
            "reorder(i, k, l, j); fuse(i, k, f); fuse(f, l, g); pos(g, p, B[i, k, l]); split(p, p0, p1, 4);";
        agrees(
            &format!(
                "fn kernel(B: Csf3<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> \
                 {{ A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; }} \
                 schedule cpu {{ {three} parallelize(p0, CPUThread, Atomics); }}"
            ),
            &factors,
        );
    }
    for (dims, entries) in matrices() {
        let a = refs(&entries);
        let every = |step| (0..dims[1]).step_by(step).map(|j| ([j], (j + 1) as f64)).collect::<Vec<_>>();
        for (name, x) in [("spmv", every(1)), ("spmspv", every(3)), ("spmspv", vec![])] {
            agrees(&published(name), &[Tensor("A", &dims, &a), Tensor("x", &[dims[1]], &refs(&x))]);
        }
        let (rows, columns) = (matrix(dims[0], 3), matrix(3, dims[1]));
        let (rows, columns) = (refs(&rows), refs(&columns));
        agrees(
            &published("sddmm"),
            &[
                Tensor("B", &dims, &a),
                Tensor("C", &[dims[0], 3], &rows),
                Tensor("D", &[3, dims[1]], &columns),
            ],
        );
        let right = matrix(dims[1], 9);
        agrees(&published("spmm"), &[Tensor("A", &dims, &a), Tensor("B", &[dims[1], 9], &refs(&right))]);
    }
}
