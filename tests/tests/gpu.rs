//! Kernels for GPUs by name, on the simulator: the points of atomic parallelism for any number of columns, and the
//! reductions that groups of threads do together.

use tests::named::Data::{Scalar, Tensor};
use tests::named::agrees_on_gpu;

/// A sparse tensor: dimensions and entries.
type Sparse<const R: usize> = ([usize; R], Vec<([usize; R], f64)>);

/// Entries with small values at the coordinates that a test picks.
fn matrix(dims: [usize; 2], stored: impl Fn(usize, usize) -> bool) -> Sparse<2> {
    let all = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
    let entries = all.filter(|c| stored(c[0], c[1])).enumerate();
    (dims, entries.map(|(k, c)| (c, (k % 7) as f64 - 2.0)).collect())
}

/// Matrices with empty rows at both ends and between, one huge row, fewer rows than a block and more, one entry, none.
fn matrices() -> Vec<Sparse<2>> {
    vec![
        matrix([7, 9], |i, j| (i * 3 + j * 5) % 4 == 1),
        matrix([34, 11], |i, j| i % 3 == 1 && (i + j) % 4 == 0),
        matrix([9, 40], |i, j| i == 4 || (i > 4 && j == i)),
        matrix([5, 40], |i, _| i == 4),
        matrix([3, 4], |i, j| i == 1 && j == 2),
        matrix([70, 1], |i, _| i % 2 == 0),
        matrix([6, 5], |_, _| false),
        matrix([0, 3], |_, _| true),
        matrix([3, 0], |_, _| true),
    ]
}

/// Every element of a matrix or vector.
fn full<const R: usize>(dims: [usize; R]) -> Sparse<R> {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(&dims, &mut |c| {
        let mut at = [0; R];
        at.copy_from_slice(c);
        entries.push((at, (entries.len() % 5) as f64 - 1.0));
    });
    (dims, entries)
}

/// Order-3 and order-4 tensors: fibers and slices of all lengths, empty ones too; no entries.
fn tensors<const R: usize>(dims: [usize; R]) -> Vec<Sparse<R>> {
    let some = |skip: usize| {
        let (dims, entries) = full(dims);
        let kept = |k: usize| k % 3 != 1 && k / 7 % skip != 1;
        (dims, entries.into_iter().enumerate().filter(|(k, _)| kept(*k)).map(|(_, e)| e).collect())
    };
    vec![some(2), some(5), full(dims), (dims, vec![])]
}

fn refs<const R: usize>(t: &Sparse<R>) -> Vec<(&[usize], f64)> {
    t.1.iter().map(|(c, v)| (&c[..], *v)).collect()
}

/// `C[i, k] = A[i, j] * B[j, k]` in a format of `A` under a schedule, on every matrix, for several numbers of columns.
fn spmm_agrees(format: &str, schedule: &str) {
    let text = format!(
        "fn kernel(A: {format}<f64>, B: DenseMat<f64>) -> DenseMat<f64> {{ C[i, k] = A[i, j] * B[j, k]; }} \
         schedule cuda {{ {schedule} }}"
    );
    for a in matrices() {
        // Many columns for small matrices.
        let small = a.0[0] * a.0[1] <= 200;
        for columns in [1, 3, 4, 7, 33].into_iter().filter(|n| *n < 8 || small) {
            let b = full([a.0[1], columns]);
            agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
        }
    }
}

/// `<x row, c col>, 1`
#[test]
fn spmm_by_rows() {
    for (x, c) in [(1, 1), (1, 4), (3, 2)] {
        let rows = format!("split(i, block, io, {}); split(io, thread, row, {x});", 32 * x);
        let tiles = format!("split(k, ko, ki, {c});");
        let on = "parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
                  parallelize(thread, GPUThread, NoRaces);";
        for order in ["j, ki", "ki, j"] {
            spmm_agrees("Csr", &format!("{rows} {tiles} reorder(block, ko, thread, row, {order}); {on}"));
        }
    }
    // Columns on the threads of a warp that takes a row.
    spmm_agrees(
        "Csr",
        "split(i, block, warp, 4); split(k, ko, ki, 32); reorder(block, ko, warp, ki, j); \
         parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
         parallelize(warp, GPUWarp, NoRaces); parallelize(ki, GPUThread, NoRaces);",
    );
}

/// `<1/g row, c col>, r`
#[test]
fn spmm_by_parts_of_rows() {
    for (g, r, c) in [(2, 2, 4), (8, 8, 1), (8, 4, 2), (32, 32, 4), (32, 8, 4)] {
        let lanes = format!("pos(j, jpos, A[i, j]); split(jpos, jpos0, jpos1, {g});");
        let tiles = format!("split(k, kt, ki, {c});");
        let on = format!(
            "parallelize(ko, GPUBlock, NoRaces); parallelize(warp, GPUWarp, NoRaces); \
             parallelize(jpos1, GPUGroup({r}), ParallelReduction);"
        );
        for (order, folded) in
            [("ki, jpos1, jpos0", false), ("jpos1, ki, jpos0", true), ("jpos1, jpos0, ki", c == 4)]
        {
            // The tile of columns on blocks of its own, or folded into the rows.
            let rows = match folded {
                true => format!(
                    "{tiles} reorder(i, kt, j, ki); fuse(i, kt, io); split(io, ko, warp, 4); {lanes} \
                     reorder(ko, warp, {order}); {on}"
                ),
                false => format!(
                    "{tiles} split(i, ko, warp, 3); {lanes} reorder(ko, kt, warp, {order}); {on} \
                     parallelize(kt, GPUBlock, NoRaces);"
                ),
            };
            spmm_agrees("Csr", &rows);
        }
    }
}

/// `<1 nnz, c col>, r`
#[test]
fn spmm_by_entries() {
    for format in ["Csr", "Dcsr", "Coo"] {
        for (r, c) in [(2, 1), (8, 4), (32, 2)] {
            let lanes = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, p1, 64);";
            let on = format!(
                "parallelize(block, GPUBlock, IgnoreRaces); parallelize(ko, GPUBlock, NoRaces); \
                 parallelize(p1, GPUGroup({r}), Segment);"
            );
            for order in ["ki, p1", "p1, ki"] {
                let tiles = format!("split(k, ko, ki, {c});");
                spmm_agrees(format, &format!("{lanes} {tiles} reorder(block, ko, {order}); {on}"));
            }
        }
    }
}

/// `<g nnz, c col>, 1`
#[test]
fn spmm_by_runs_of_entries() {
    for (g, c) in [(4, 1), (16, 4), (5, 2)] {
        let lanes = format!(
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, p1, {}); split(p1, warp, nnz, {g});",
            8 * g
        );
        let on = "parallelize(block, GPUBlock, IgnoreRaces); parallelize(warp, GPUWarp, IgnoreRaces); \
                  parallelize(thread, GPUThread, Atomics);";
        // A tile of columns a thread.
        let tiles = format!("split(k, kb, kt, {}); split(kt, thread, ki, {c});", 4 * c);
        for order in ["ki, nnz", "nnz, ki"] {
            spmm_agrees(
                "Csr",
                &format!(
                    "{lanes} {tiles} reorder(block, kb, warp, thread, {order}); {on} \
                     parallelize(kb, GPUBlock, NoRaces);"
                ),
            );
        }
    }
}

/// `<g nnz, c col>, r`
#[test]
fn spmm_by_runs_of_entries_in_groups() {
    for format in ["Csr", "Dcsr"] {
        for (g, r, c) in [(2, 2, 4), (8, 8, 4), (3, 32, 1), (8, 4, 2)] {
            let lanes = format!(
                "fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, p1, {}); split(p1, lane, nnz, {g}); \
                 split(k, ko, ki, {c});",
                32 * g
            );
            let on = format!(
                "parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
                 parallelize(lane, GPUGroup({r}), Segment);"
            );
            for order in ["ki, lane, nnz", "lane, nnz, ki", "lane, ki, nnz"] {
                spmm_agrees(format, &format!("{lanes} reorder(block, ko, {order}); {on}"));
            }
        }
    }
}

/// A number of columns that is promised: tiles on the warps of a block, as the papers write it.
#[test]
fn spmm_with_columns_on_warps() {
    let text = "fn kernel(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; } \
         schedule cuda { fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, p1, 32); split(k, ko, ki, 4); \
         bound(ko, warp, 3, MaxExact); reorder(block, warp, ki, p1); parallelize(block, GPUBlock, IgnoreRaces); \
         parallelize(warp, GPUWarp, NoRaces); parallelize(p1, GPUGroup(8), Segment); }";
    for a in matrices() {
        for columns in [9, 11, 12] {
            let b = full([a.0[1], columns]);
            agrees_on_gpu(text, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
        }
    }
}

#[test]
fn spmv() {
    let points = [
        "split(i, b, t, 32); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, NoRaces);",
        "split(i, b, w, 4); pos(j, p, A[i, j]); split(p, p0, p1, 16); reorder(b, w, p1, p0); \
         parallelize(b, GPUBlock, NoRaces); parallelize(w, GPUWarp, NoRaces); \
         parallelize(p1, GPUGroup(16), ParallelReduction);",
        "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, t, 64); parallelize(b, GPUBlock, NoRaces); \
         parallelize(t, GPUGroup(32), Segment);",
        "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, q, 128); split(q, t, n, 4); \
         parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUGroup(4), Segment);",
        "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, q, 128); split(q, t, n, 4); \
         parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, Atomics);",
    ];
    for schedule in points {
        for statement in ["y[i] = A[i, j] * x[j]", "y[i] = alpha * A[i, j] * x[j]"] {
            let scalar = if statement.contains("alpha") { ", alpha: f32" } else { "" };
            let text = format!(
                "fn kernel(A: Csr<f32>, x: DenseVec<f32>{scalar}) -> DenseVec<f32> {{ {statement}; }} \
                 schedule cuda {{ {schedule} }}"
            );
            for a in matrices() {
                let x = full([a.0[1]]);
                let data = [Tensor("A", &a.0, &refs(&a)), Tensor("x", &x.0, &refs(&x)), Scalar("alpha", 3.0)];
                agrees_on_gpu(&text, &data);
            }
        }
        // In place: what is there stays and is added to, rows without entries too.
        for op in ["=", "+="] {
            let text = format!(
                "fn kernel(A: Csr<i64>, x: DenseVec<i64>, y: &mut DenseVec<i64>) {{ y[i] {op} A[i, j] * x[j]; }} \
                 schedule cuda {{ {schedule} }}"
            );
            for a in matrices() {
                let (x, y) = (full([a.0[1]]), full([a.0[0]]));
                let data = [
                    Tensor("A", &a.0, &refs(&a)),
                    Tensor("x", &x.0, &refs(&x)),
                    Tensor("y", &y.0, &refs(&y)),
                ];
                agrees_on_gpu(&text, &data);
            }
        }
    }
}

#[test]
fn sddmm() {
    for (result, width) in [("Csr", 1), ("Csr", 7), ("DenseMat", 33)] {
        for schedule in [
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, t, 32); parallelize(b, GPUBlock, NoRaces); \
             parallelize(t, GPUThread, NoRaces);",
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, w, 4); split(k, k0, k1, 8); reorder(b, w, k1, k0); \
             parallelize(b, GPUBlock, NoRaces); parallelize(w, GPUWarp, NoRaces); \
             parallelize(k1, GPUGroup(8), ParallelReduction);",
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, w, 4); split(k, k0, k1, 32); reorder(b, w, k1, k0); \
             parallelize(b, GPUBlock, NoRaces); parallelize(w, GPUWarp, NoRaces); \
             parallelize(k1, GPUGroup(16), ParallelReduction);",
        ] {
            let text = format!(
                "fn kernel(A: Csr<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> {result}<f64> \
                 {{ Y[i, j] = A[i, j] * B[i, k] * C[j, k]; }} schedule cuda {{ {schedule} }}"
            );
            for a in matrices() {
                let (b, c) = (full([a.0[0], width]), full([a.0[1], width]));
                agrees_on_gpu(
                    &text,
                    &[
                        Tensor("A", &a.0, &refs(&a)),
                        Tensor("B", &b.0, &refs(&b)),
                        Tensor("C", &c.0, &refs(&c)),
                    ],
                );
            }
        }
    }
}

#[test]
fn mttkrp() {
    let three = "reorder(i, k, l, j); fuse(i, k, f); fuse(f, l, g); pos(g, p, B[i, k, l]);";
    let two = "reorder(i, k, l, j); fuse(i, k, f); pos(f, p, B[i, k, l]);";
    let tiles = "split(j, jo, ji, 4);";
    let blocks = "parallelize(b, GPUBlock, NoRaces); parallelize(jo, GPUBlock, NoRaces);";
    for schedule in [
        format!(
            "{three} split(p, b, t, 64); {tiles} reorder(b, jo, t, ji); {blocks} parallelize(t, GPUGroup(8), Segment);"
        ),
        format!(
            "{three} split(p, b, q, 64); split(q, t, n, 4); {tiles} reorder(b, jo, t, n, ji); {blocks} parallelize(t, GPUGroup(16), Segment);"
        ),
        format!(
            "{three} split(p, b, q, 64); split(q, t, n, 4); {tiles} reorder(b, jo, t, ji, n); {blocks} parallelize(t, GPUThread, Atomics);"
        ),
        format!(
            "{two} split(p, b, q, 32); split(q, t, n, 2); {tiles} reorder(b, jo, t, n, l, ji); {blocks} parallelize(t, GPUThread, Atomics);"
        ),
        format!(
            "reorder(i, k, l, j); split(i, b, w, 4); {tiles} reorder(b, jo, w, ji, k, l); {blocks} parallelize(w, GPUThread, NoRaces);"
        ),
        format!(
            "reorder(i, k, l, j); fuse(k, l, f); pos(f, p, B[i, k, l]); split(p, p0, t, 8); {tiles} pos(i, b, B[i, k, l]); reorder(b, jo, t, p0, ji); {blocks} parallelize(t, GPUGroup(8), ParallelReduction);"
        ),
    ] {
        let text = format!(
            "fn kernel(B: Csf3<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> \
             {{ A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; }} schedule cuda {{ {schedule} }}"
        );
        for b in tensors([5, 6, 7]) {
            for columns in [1, 7] {
                let (c, d) = (full([6, columns]), full([7, columns]));
                agrees_on_gpu(
                    &text,
                    &[
                        Tensor("B", &b.0, &refs(&b)),
                        Tensor("C", &c.0, &refs(&c)),
                        Tensor("D", &d.0, &refs(&d)),
                    ],
                );
            }
        }
    }
}

#[test]
fn mttkrp_of_order_4() {
    let text = "fn kernel(B: Tensor<f64, (Compressed, Compressed, Compressed, Compressed)>, C: DenseMat<f64>, \
         D: DenseMat<f64>, E: DenseMat<f64>) -> DenseMat<f64> \
         { A[i, j] = B[i, k, l, m] * C[k, j] * D[l, j] * E[m, j]; } \
         schedule cuda { reorder(i, k, l, m, j); fuse(i, k, f); fuse(f, l, g); fuse(g, m, h); \
         pos(h, p, B[i, k, l, m]); split(p, b, t, 32); split(j, jo, ji, 2); reorder(b, jo, t, ji); \
         parallelize(b, GPUBlock, NoRaces); parallelize(jo, GPUBlock, NoRaces); \
         parallelize(t, GPUGroup(32), Segment); }";
    for b in tensors([3, 4, 2, 5]) {
        let [c, d, e] = [4, 2, 5].map(|n| full([n, 3]));
        agrees_on_gpu(
            text,
            &[
                Tensor("B", &b.0, &refs(&b)),
                Tensor("C", &c.0, &refs(&c)),
                Tensor("D", &d.0, &refs(&d)),
                Tensor("E", &e.0, &refs(&e)),
            ],
        );
    }
}

#[test]
fn ttv_and_ttm() {
    let fibers = "fuse(i, j, f); pos(f, fiber, B[i, j, k]);";
    for schedule in [
        format!("{fibers} split(fiber, b, t, 32); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, NoRaces);"),
        format!("{fibers} split(fiber, b, w, 4); pos(k, p, B[i, j, k]); split(p, p0, p1, 4); reorder(b, w, p1, p0); parallelize(b, GPUBlock, NoRaces); parallelize(w, GPUWarp, NoRaces); parallelize(p1, GPUGroup(4), ParallelReduction);"),
        "fuse(i, j, f); fuse(f, k, g); pos(g, p, B[i, j, k]); split(p, b, t, 32); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUGroup(8), Segment);".into(),
        "fuse(j, k, f); pos(f, p, B[i, j, k]); split(p, p0, t, 32); pos(i, b, B[i, j, k]); reorder(b, p0, t); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUGroup(8), Segment);".into(),
    ] {
        let text = format!(
            "fn kernel(B: Csf3<f32>, c: DenseVec<f32>) -> DenseMat<f32> {{ A[i, j] = B[i, j, k] * c[k]; }} \
             schedule cuda {{ {schedule} }}"
        );
        for b in tensors([5, 6, 7]) {
            let c = full([7]);
            agrees_on_gpu(&text, &[Tensor("B", &b.0, &refs(&b)), Tensor("c", &c.0, &refs(&c))]);
        }
    }
    for schedule in [
        format!("{fibers} split(fiber, b, w, 4); split(l, lo, li, 32); reorder(b, lo, w, li, k); parallelize(b, GPUBlock, NoRaces); parallelize(lo, GPUBlock, NoRaces); parallelize(w, GPUWarp, NoRaces); parallelize(li, GPUThread, NoRaces);"),
        "reorder(i, j, k, l); fuse(i, j, f); fuse(f, k, g); pos(g, p, B[i, j, k]); split(p, b, t, 32); split(l, lo, li, 4); reorder(b, lo, t, li); parallelize(b, GPUBlock, NoRaces); parallelize(lo, GPUBlock, NoRaces); parallelize(t, GPUGroup(8), Segment);".into(),
    ] {
        let text = format!(
            "fn kernel(B: Csf3<f32>, C: DenseMat<f32>) -> Tensor<f32, (Dense, Dense, Dense)> \
             {{ A[i, j, l] = B[i, j, k] * C[k, l]; }} schedule cuda {{ {schedule} }}"
        );
        for b in tensors([5, 6, 7]) {
            for columns in [1, 7, 33] {
                let c = full([7, columns]);
                agrees_on_gpu(&text, &[Tensor("B", &b.0, &refs(&b)), Tensor("C", &c.0, &refs(&c))]);
            }
        }
    }
}

/// Every monoid by groups, by segments and by atomics; min-plus, products, or and and on truth values.
#[test]
fn monoids() {
    for (ty, fill, op, times) in [
        ("f64", "PosInf", "min=", "+"),
        ("f32", "NegInf", "max=", "+"),
        ("i32", "One", "*=", "*"),
        ("f64", "One", "*=", "*"),
        ("i64", "PosInf", "min=", "+"),
        ("bool", "Zero", "|=", "&"),
        ("bool", "One", "&=", "|"),
        ("u8", "Zero", "|=", "&"),
        ("i32", "Zero", "+=", "*"),
    ] {
        for lanes in [
            "split(i, b, w, 4); pos(j, p, A[i, j]); split(p, p0, t, 8); reorder(b, w, t, p0); \
             parallelize(w, GPUWarp, NoRaces); parallelize(t, GPUGroup(8), ParallelReduction);",
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, t, 32); parallelize(t, GPUGroup(16), Segment);",
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, q, 64); split(q, t, n, 3); \
             parallelize(t, GPUGroup(2), Segment);",
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, b, q, 64); split(q, t, n, 3); \
             parallelize(t, GPUThread, Atomics);",
        ] {
            let format = format!("Tensor<{ty}, Filled<(Dense, Compressed), {fill}>>");
            let text = format!(
                "fn kernel(A: {format}, x: DenseVec<{ty}>) -> DenseVec<{ty}> {{ y[i] {op} A[i, j] {times} x[j]; }} \
                 schedule cuda {{ {lanes} parallelize(b, GPUBlock, NoRaces); }}"
            );
            // What is not stored leaves a product and a conjunction alone only where nothing is multiplied to it.
            let text = match fill {
                "One" => {
                    text.replace(&format!(" {times} x[j];"), ";").replace(&format!(", x: DenseVec<{ty}>"), "")
                }
                _ => text,
            };
            for (dims, entries) in matrices() {
                let entries = entries.into_iter().map(|(c, v)| (c, if ty == "u8" { v.abs() } else { v }));
                let a: Sparse<2> = (dims, entries.collect());
                let x: Sparse<1> = ([dims[1]], (0..dims[1]).map(|j| ([j], (j % 3) as f64)).collect());
                agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a)), Tensor("x", &x.0, &refs(&x))]);
            }
        }
    }
}

/// A scalar: all threads of all blocks reduce into one element.
#[test]
fn a_scalar() {
    let positions = "fuse(i, j, f); pos(f, p, A[i, j]);";
    for schedule in [
        String::new(),
        format!(
            "{positions} split(p, b, t, 64); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUGroup(32), ParallelReduction);"
        ),
        format!(
            "{positions} split(p, b, q, 64); split(q, t, n, 4); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUGroup(4), ParallelReduction);"
        ),
        format!(
            "{positions} split(p, b, q, 64); split(q, t, n, 4); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, Atomics);"
        ),
        "split(i, b, t, 32); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, Atomics);".into(),
        // One block: its group is the only writer.
        format!(
            "{positions} split(p, q, t, 32); reorder(t, q); parallelize(t, GPUGroup(32), ParallelReduction);"
        ),
    ] {
        let schedule = if schedule.is_empty() { schedule } else { format!("schedule cuda {{ {schedule} }}") };
        for (fill, statement) in
            [("Zero", "s = A[i, j] * A[i, j]"), ("NegInf", "s max= A[i, j]"), ("Zero", "s += A[i, j]")]
        {
            let format = format!("Tensor<f64, Filled<(Dense, Compressed), {fill}>>");
            let text = format!("fn kernel(A: {format}) -> Scalar<f64> {{ {statement}; }} {schedule}");
            for a in matrices() {
                agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a))]);
            }
        }
    }
}

/// Kernels that nobody scheduled.
#[test]
fn defaults() {
    for text in [
        "fn kernel(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> { C[i, j] = A[i, j] + B[i, j]; }",
        "fn kernel(A: Csr<f32>, B: Csr<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[i, j]; }",
        "fn kernel(A: Csr<f32>, B: Csc<f32>) -> Scalar<f32> { s = A[i, j] * B[j, i]; }",
        "fn kernel(A: Csr<f32>, B: Csr<f32>) -> DenseVec<f32> { y[i] = A[i, j] + 2 * B[i, k]; }",
        "fn kernel(A: Dcsr<f32>) -> DenseVec<f32> { y[j] = A[i, j] * 2; }",
    ] {
        for a in matrices() {
            let (dims, entries) = (a.0, refs(&a));
            let turned: Vec<_> = a.1.iter().map(|(c, v)| ([c[1], c[0]], *v)).collect();
            let turned: Sparse<2> = ([dims[1], dims[0]], turned);
            let b = match text.contains("B[j, i]") {
                true => (turned.0, refs(&turned)),
                false => (dims, entries.iter().copied().filter(|(c, _)| (c[0] + c[1]) % 3 != 0).collect()),
            };
            agrees_on_gpu(text, &[Tensor("A", &dims, &entries), Tensor("B", &b.0, &b.1)]);
        }
    }
}

/// The default schedule has names of its own, whatever the kernel's are, by the rule and without it.
#[test]
fn defaults_under_taken_names() {
    use sparse_core::driver::{Options, compile_cuda};
    let explain = |text: &str| {
        let kernel = sparse_core::front::parse_str(text).ok().unwrap();
        compile_cuda(kernel, &Options::default()).ok().unwrap().explain()
    };
    let text = "fn kernel(fused: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { position[block] = fused[block, thread] * x[thread]; }";
    let explained = explain(text);
    assert!(explained.contains("lane on GPUGroup(32), Segment"), "{explained}");
    let a = matrix([7, 9], |i, j| (i * 3 + j * 5) % 4 == 1);
    let x = full([9]);
    agrees_on_gpu(text, &[Tensor("fused", &a.0, &refs(&a)), Tensor("x", &x.0, &refs(&x))]);
    let text = "fn kernel(fused: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> { position[block] = fused[block, thread] * x[thread]; }";
    let explained = explain(text);
    assert!(explained.contains("on GPUThread, NoRaces"), "{explained}");
    agrees_on_gpu(text, &[Tensor("fused", &a.0, &refs(&a)), Tensor("x", &x.0, &refs(&x))]);
}
