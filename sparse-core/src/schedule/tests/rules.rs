//! One mistake a rule.

use super::*;

#[test]
fn names() {
    refused(SPMV, "split(q, a, b, 4)", "unknown-variable");
    refused(SPMV, "split(i, a, b, 4); split(i, c, d, 4)", "consumed-variable");
    refused(SPMV, "split(i, j, b, 4)", "duplicate-name");
    refused(SPMV, "split(i, b, b, 4)", "duplicate-name");
    refused(SPMV, "split(i, A, b, 4)", "duplicate-name");
    refused(SPMV, "reorder(i, i)", "duplicate-name");
    refused(SPMV, "precompute(x[j], [j], [jw], jw)", "duplicate-name");
    refused(SPMV, "precompute(x[j], [j], [i], w)", "duplicate-name");
}

#[test]
fn factors() {
    refused(SPMV, "split(i, a, b, 0)", "zero-factor");
    refused(SPMV, "divide(i, a, b, 0)", "zero-factor");
    refused(SPMV, "unroll(i, 0)", "zero-factor");
    refused(SPMV, "bound(i, ib, 0, Divisible)", "zero-factor");
    refused(SPMV, "unroll(i, 5000)", "bad-factor");
}

#[test]
fn nests() {
    refused(SPMM, "fuse(i, i, f)", "duplicate-name");
    refused(SPMM, "fuse(i, k, f)", "not-adjacent");
    refused(SPMM, "fuse(j, i, f)", "not-nested");
    refused(RESIDUAL, "fuse(i, j, f)", "not-adjacent");
    refused(SPMM, "reorder(k, i)", "not-adjacent");
    refused(RESIDUAL, "reorder(j, i)", "reorder-reduction");
    let sums = "fn f(a: DenseVec<f64>, b: DenseVec<f64>) -> Scalar<f64> { s = a[i] + b[j]; }";
    refused(sums, "reorder(i, j)", "not-nested");
    refused(sums, "fuse(i, j, f)", "not-nested");
}

#[test]
fn orders() {
    refused(SPMV, "reorder(j, i)", "level-order");
    refused(SPMV, "split(i, i0, i1, 4); reorder(j, i1)", "level-order");
    refused(SPMV, "pos(j, p, A[i, j]); split(p, p0, p1, 4); reorder(p0, i)", "level-order");
    refused(
        SPMV,
        "fuse(i, j, f); split(f, f0, f1, 4); split(f1, f2, f3, 4); fuse(f0, f3, g)",
        "not-adjacent",
    );
    let copy = "fn f(A: Csr<f64>, x: DenseVec<f64>) -> Csr<f64> { C[i, j] = A[i, k] * x[j]; }";
    assert!(cin(SUM, "split(i, i0, i1, 4)").starts_with("∀i0 ∀i1"));
    refused(SUM, "split(j, j0, j1, 4); reorder(j0, i)", "result-order");
    refused(copy, "reorder(k, j)", "result-order");
    refused(copy, "fuse(j, k, f)", "result-order");
    refused(SUM, "fuse(i, j, f)", "result-order");
    let block = "fn f(A: Csr<f64>, B: Csr<f64>, X: DenseMat<f64>) -> Tensor<f64, (Dense, Compressed, Dense)> { C[i, j, r] = A[i, j] * B[i, j] * X[k, r]; }";
    assert!(cin(block, "reorder(r, k)").starts_with("∀i ∀j ∀r ∀k"));
    assert!(cin(block, "reorder(k, r)").starts_with("∀i ∀j ∀k ∀r"));
    refused(block, "reorder(k, r, j)", "result-order");
    refused(block, "reorder(r, k); fuse(j, r, f)", "result-order");
    // At an operand's positions blocks are written in any order.
    let fibers = block.replace(" B: Csr<f64>,", "").replace(" * B[i, j]", "");
    assert!(cin(&fibers, "reorder(k, r, j)").starts_with("∀i ∀k ∀r ∀j"));
}

#[test]
fn position_spaces() {
    refused(SPMV, "pos(j, p, A[i, j]); pos(p, q, A[i, j])", "pos-of-position");
    refused(SPMV, "split(j, j0, j1, 4); pos(j1, p, A[i, j])", "pos-of-part");
    refused(SPMV, "pos(i, p, A[i, j])", "pos-of-dense");
    refused(SPMV, "pos(j, p, A[j, i])", "pos-not-in-statement");
    refused(SPMM, "pos(k, p, A[i, j])", "pos-not-indexed");
    refused(SPMM, "fuse(j, k, f); pos(f, p, A[i, j])", "pos-not-indexed");
    refused(SPMM, "fuse(j, k, f); pos(f, p, B[j, k])", "pos-of-dense");
    // A term that is summed has loops of its own, `k_t0`.
    let term =
        "fn f(E: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = E[i, k] + A[i, j] * B[j, k]; }";
    refused(term, "pos(k, p, B[j, k])", "pos-not-indexed");
    let transposed = "fn f(A: DenseMat<f64>, B: Csr<f64>) -> DenseMat<f64> { C[i, j] = A[i, j] * B[j, i]; }";
    let order = cin(transposed, "split(i, a, b, 1)");
    assert!(order.starts_with("∀j ∀a ∀b"), "{order}");
    let skipped = "fn f(B: Csf3<f64>) -> Scalar<f64> { s = B[i, j, k]; }";
    refused(skipped, "split(j, a, b, 2); fuse(b, k, f); pos(f, p, B[i, j, k])", "pos-of-part");
    let both = "fn f(B: Tensor<f64, (Dense, Dense, Compressed)>, x: DenseVec<f64>) -> DenseVec<f64> { y[j] = B[i, j, k] * x[i]; }";
    refused(both, "reorder(j, i); fuse(j, i, f); fuse(f, k, g); pos(g, p, B[i, j, k])", "pos-order");
    refused(COO, "pos(i, p, A[i, j])", "pos-not-unique");
    let diagonal = "fn f(A: Csr<f64>) -> DenseVec<f64> { y[i] = A[i, i]; }";
    refused(diagonal, "pos(i, p, A[i, i])", "pos-order");
    refused(SUM, "pos(j, p, A[i, j])", "pos-leaves-out");
    let offset = "fn f(b: DenseVec<f64>, A: Dcsr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { r[i] = b[i] - A[i, j] * x[j]; }";
    refused(offset, "pos(i, p, A[i, j])", "pos-leaves-out");
    assert!(cin(offset, "pos(j, p, A[i, j])").contains("∀p t0"));
    assert!(cin(PRODUCT, "pos(i, p, b[i])").starts_with("∀p y[i]"));
    refused(SPMV, "coord(j, c)", "coord-of-coordinate");
    refused(SPMV, "fuse(i, j, f); pos(f, p, A[i, j]); coord(p, c)", "coord-of-fused");
    let parts = "pos(j, p, A[i, j]); split(p, p0, p1, 4);";
    refused(SPMV, &format!("{parts} coord(p0, c)"), "coord-of-outer");
    refused(SPMV, &format!("{parts} split(p0, p00, p01, 8); coord(p01, c)"), "coord-of-outer");
    refused(
        SPMV,
        &format!("{parts} split(p0, p00, p01, 8); reorder(p1, p00, p01); coord(p01, c)"),
        "coord-of-outer",
    );
    assert!(
        cin(SPMV, &format!("{parts} split(p1, p10, p11, 2); coord(p11, c)"))
            .starts_with("∀i ∀p0 ∀p10 ∀c y[i]")
    );
    refused(SPMV, &format!("{parts} coord(p1, c); reorder(c, p0)"), "coord-order");
    refused(SPMV, &format!("{parts} reorder(p1, p0); coord(p1, c)"), "coord-order");
    let tuples = "fn f(A: Tensor<f64, (Compressed<NonUnique>, Singleton, Compressed)>) -> Scalar<f64> { s = A[i, j, k]; }";
    refused(tuples, "fuse(i, j, f); fuse(f, k, g); pos(g, p, A[i, j, k])", "pos-not-unique");
    assert_eq!(cin(tuples, "fuse(i, j, f); pos(f, p, A[i, j, k])"), "∀p ∀k s += A[i, j, k]");
    refused(SPMV, "fuse(i, j, f); pos(f, p, A[i, j]); split(p, p0, p1, 4); fuse(p0, p1, g)", "fuse-position");
    refused(SPMV, "pos(j, p, A[i, j]); split(p, p0, p1, 4); fuse(i, p0, f)", "fuse-position");
    refused(SPMM, "reorder(k, j); pos(j, p, A[i, j]); fuse(k, p, f)", "fuse-position");
    refused(SPMV, "split(i, i0, i1, 4); pos(j, p, A[i, j]); fuse(i1, p, f)", "fuse-position");
    let diagonal = "fn kernel(A: Tensor<f64, (Dense, Dense, Dense, Compressed)>) -> DenseVec<f64> { y[i] = A[i, k, k, j]; }";
    refused(diagonal, "pos(j, p, A[i, k, k, j]); fuse(k, p, f)", "fuse-position");
    assert!(cin(diagonal, "pos(j, p, A[i, k, k, j])").starts_with("∀i ∀k ∀p"));
}

#[test]
fn bounds() {
    refused(SPMV, "split(i, i0, i1, 4); bound(i1, b, 5, MaxExact)", "contradicting-bounds");
    refused(SPMV, "split(i, i0, i1, 4); bound(i0, b, 8, Divisible)", "bound-derived");
    refused(SPMV, "pos(j, p, A[i, j]); bound(p, b, 4, MaxExact)", "bound-derived");
    refused(SPMV, "bound(i, b, 16, MaxExact); bound(b, c, 17, MaxExact)", "contradicting-bounds");
    refused(SPMV, "bound(i, b, 17, MaxExact); bound(b, c, 8, Divisible)", "contradicting-bounds");
    refused(SPMV, "bound(i, b, 8, Divisible); bound(b, c, 17, MaxExact)", "contradicting-bounds");
    let twice = "precompute(x[j], [j], [jw], w); bound(j, b, 8, MaxExact); bound(jw, c, 9, MaxExact)";
    refused(SPMV, twice, "contradicting-bounds");
}

#[test]
fn tags_are_last() {
    refused(SPMV, "parallelize(i, CPUThread, NoRaces); unroll(j, 4)", "after-parallelize");
    refused(SPMV, "parallelize(i, CPUThread, NoRaces); parallelize(i, CPUThread, NoRaces)", "tagged-loop");
    refused(SPMV, "unroll(i, 4); split(i, i0, i1, 4)", "tagged-loop");
    refused(SPMV, "mergeby(j, Gallop); pos(j, p, A[i, j])", "tagged-loop");
    refused(SPMV, "unroll(i, 4); unroll(i, 4)", "tagged-loop");
    refused(SPMV, "mergeby(j, Gallop); mergeby(j, TwoFinger)", "tagged-loop");
}

#[test]
fn parallel_loops() {
    for unit in ["GPUBlock", "GPUWarp", "GPUThread", "GPUGroup(8)"] {
        refused(SPMV, &format!("parallelize(i, {unit}, NoRaces)"), "wrong-unit");
    }
    refused(SPMV, "parallelize(i, CPUThread, Segment)", "wrong-strategy");
    refused(SPMV, "parallelize(j, CPUVector, Atomics)", "wrong-strategy");
    refused(SPMV, "parallelize(i, CPUVector, NoRaces); parallelize(j, CPUThread, Atomics)", "unit-order");
    refused(SPMV, "parallelize(j, CPUThread, Atomics); parallelize(i, CPUThread, NoRaces)", "unit-order");
    refused(SUM, "parallelize(i, CPUVector, NoRaces)", "parallel-append");
    refused(SUM, "split(i, i0, i1, 4); parallelize(i1, CPUThread, NoRaces)", "parallel-append");
    // Not that it merges: splitting it would not help.
    let rows = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, j] = A[i, j] + B[i, j]; }";
    refused(rows, "parallelize(j, CPUThread, NoRaces)", "parallel-append");
    refused(SUM, "parallelize(i, CPUThread, Temporary)", "wrong-strategy");
    refused(SUM, "parallelize(i, CPUThread, IgnoreRaces)", "wrong-strategy");
    refused(PRODUCT, "parallelize(i, CPUThread, NoRaces)", "parallel-coiteration");
    refused(PRODUCT, "split(i, i0, i1, 4); parallelize(i1, CPUThread, NoRaces)", "parallel-coiteration");
    refused(COO, "parallelize(i, CPUThread, NoRaces)", "parallel-coiteration");
    let union = "fn f(a: SparseVec<f64>, b: DenseVec<f64>) -> DenseVec<f64> { y[i] = a[i] + b[i]; }";
    refused(union, "parallelize(i, CPUThread, NoRaces)", "parallel-coiteration");
    for legal in [
        "split(i, i0, i1, 4); parallelize(i0, CPUThread, NoRaces)",
        "split(i, i0, i1, 4); reorder(i1, i0); parallelize(i1, CPUThread, NoRaces)",
        "pos(i, p, a[i]); parallelize(p, CPUThread, NoRaces)",
    ] {
        cin(PRODUCT, legal);
    }
    refused(RESIDUAL, "parallelize(j, CPUThread, Temporary)", "parallel-term");
    cin(RESIDUAL, "parallelize(j, CPUVector, ParallelReduction)");
    cin(RESIDUAL, "parallelize(i, CPUThread, NoRaces)");
    cin(SDDMM, "parallelize(i, CPUThread, NoRaces)");
    cin(SDDMM, "parallelize(j, CPUThread, NoRaces)");
}

#[test]
fn strategies() {
    let fused = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, p0, p1, 8);";
    refused(SPMV, "parallelize(j, CPUThread, NoRaces)", "race");
    refused(SPMV, &format!("{fused} parallelize(p0, CPUThread, NoRaces)"), "race");
    refused(SPMV, "parallelize(i, CPUThread, Temporary)", "not-racing");
    refused(SPMV, "parallelize(i, CPUThread, ParallelReduction)", "not-racing");
    refused(SPMV, &format!("{fused} parallelize(p0, CPUThread, ParallelReduction)"), "not-racing");
    for strategy in ["Atomics", "Temporary"] {
        cin(SPMV, &format!("{fused} parallelize(p0, CPUThread, {strategy})"));
        cin(SPMV, &format!("parallelize(j, CPUThread, {strategy})"));
    }
    cin(SPMV, "parallelize(j, CPUVector, ParallelReduction)");
    let copy = "fn f(x: DenseVec<f64>) -> DenseVec<f64> { y[i] = x[i]; }";
    refused(copy, "parallelize(i, CPUThread, Atomics)", "no-atomic");
    let product = "fn f(A: DenseMat<f64>) -> DenseVec<f64> { y[i] *= A[i, j]; }";
    refused(product, "parallelize(j, CPUThread, Atomics)", "no-atomic");
    cin(product, "parallelize(j, CPUThread, Temporary)");

    let private = "precompute(A[i, j] * B[j, k], [k], [kw], w);";
    cin(SPMM, &format!("{private} parallelize(i, CPUThread, NoRaces)"));
    refused(SPMM, &format!("{private} parallelize(j, CPUThread, NoRaces)"), "race");
    cin(SPMM, &format!("{private} parallelize(j, CPUThread, Temporary)"));
    cin(SPMM, &format!("{private} parallelize(kw, CPUVector, NoRaces)"));
}

#[test]
fn warnings() {
    let warnings = |kernel, commands| scheduled(kernel, commands).unwrap().0.warnings;
    assert_eq!(
        warnings(SPMV, "parallelize(j, CPUThread, IgnoreRaces)"),
        [
            "`parallelize(j, CPUThread, IgnoreRaces)` ignores a race: iterations of `j` write the same element of `y`, and threads of a CPU update it atomically"
        ]
    );
    assert_eq!(warnings(SPMV, "parallelize(i, CPUThread, IgnoreRaces)"), [""; 0]);
    assert_eq!(warnings(PRODUCT, "mergeby(i, Gallop)"), [""; 0]);
    assert_eq!(
        warnings(SPMV, "mergeby(j, Gallop)"),
        ["`mergeby(j, Gallop)` has no effect: the loop merges nothing"]
    );
}

#[test]
fn independent_mistakes_are_reported_together() {
    let text = scheduled(SPMV, "split(i, i0, i1, 0); parallelize(i0, CPUThread, NoRaces); unroll(j, 0); pos(j, p, A[j, i]); coord(p, c)")
        .unwrap_err();
    let codes: Vec<_> = text.split("error[").skip(1).filter_map(|e| Some(e.split_once(']')?.0)).collect();
    assert_eq!(codes, ["zero-factor", "zero-factor"]);
}

#[test]
fn workspaces_of_the_statement_make_way_for_names() {
    let own = cin(RESIDUAL, "split(i, t0, t1, 8)");
    assert_eq!(own, "∀t0 ∀t1 (r[i] = b[i] - t0_) where (∀j t0_ += A[i, j] * x[j])");
    let spgemm = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[j, k]; }";
    assert_eq!(
        cin(spgemm, "split(i, w, w_, 8)"),
        "∀w ∀w_ (∀k C[i, k] = w__[k]) where (∀j ∀k w__[k] += A[i, j] * B[j, k])"
    );
    // One that a user has named is theirs.
    refused(
        spgemm,
        "precompute(A[i, j] * B[j, k], [k], [k], w, Hash); split(i, w, rest, 8)",
        "duplicate-name",
    );
}

#[test]
fn a_sum_of_its_own_is_no_part_to_precompute() {
    let (code, text) = mistake(RESIDUAL, "precompute(b[i] - A[i, j] * x[j], [i], [iw], w)");
    assert_eq!(code, "precompute-not-found");
    assert!(text.contains("`b[i] - A[i, j] * x[j]` has a sum of its own"), "{text}");
}
