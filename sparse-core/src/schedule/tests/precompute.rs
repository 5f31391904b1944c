//! Workspaces: where they stand, what moves into them.

use super::*;

#[test]
fn scalars() {
    assert_eq!(
        cin(SPMV, "precompute(A[i, j] * x[j], [], [], t)"),
        "∀i (y[i] += t) where (∀j t += A[i, j] * x[j])"
    );
    assert_eq!(
        cin(SDDMM, "precompute(B[i, k] * D[j, k], [], [], t)"),
        "∀i ∀j (C[i, j] += A[i, j] * t) where (∀k t += B[i, k] * D[j, k])"
    );
    assert_eq!(
        cin(RESIDUAL, "precompute(x[j], [], [], t)"),
        "∀i (r[i] = b[i] - t0) where (∀j (t0 += A[i, j] * t) where (t = x[j]))"
    );
}

#[test]
fn a_reduction_moves_with_its_loop() {
    assert_eq!(
        cin(SPMM, "precompute(A[i, j] * B[j, k], [k], [kw], w)"),
        "∀i (∀k C[i, k] += w[k]) where (∀j ∀kw w[kw] += A[i, j] * B[j, kw])"
    );
    assert_eq!(
        cin(SPMM, "precompute(A[i, j] * B[j, k], k, k, w)"),
        "∀i (∀k C[i, k] += w[k]) where (∀j ∀k w[k] += A[i, j] * B[j, k])"
    );
    assert_eq!(
        cin(SPMM, "precompute(A[i, j] * B[j, k], [i, k], [iw, kw], w)"),
        "(∀i ∀k C[i, k] += w[i, k]) where (∀iw ∀j ∀kw w[iw, kw] += A[iw, j] * B[j, kw])"
    );
}

#[test]
fn without_a_reduction_the_workspace_is_assigned() {
    assert_eq!(
        cin(SPMM, "precompute(B[j, k], [k], [kw], w)"),
        "∀i ∀j (∀k C[i, k] += A[i, j] * w[k]) where (∀kw w[kw] = B[j, kw])"
    );
    assert_eq!(
        cin(SPMV, "precompute(x[j], [j], [jw], w)"),
        "(∀i ∀j y[i] += A[i, j] * w[j]) where (∀jw w[jw] = x[jw])"
    );
}

/// A term that is summed has loops by names of its own, which are not the statement's.
#[test]
fn a_part_of_a_term_is_named_as_the_statement_has_it() {
    let term = "fn f(E: Csr<f64>, M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = E[i, k] + M[i, k] * A[i, j] * B[j, k]; }";
    let outside = "∀i (∀k C[i, k] = E[i, k] + t0[k]) where ((∀k_t0 t0[k_t0] += M[i, k_t0] * w[k_t0]) where";
    assert_eq!(
        cin(term, "precompute(A[i, j] * B[j, k], [k], [k], w, Hash)"),
        format!("{outside} (∀j ∀k_t0 w[k_t0] += A[i, j] * B[j, k_t0]))")
    );
    assert_eq!(
        cin(term, "precompute(A[i, j] * B[j, k], [k], [kw], w, Hash)"),
        format!("{outside} (∀j ∀kw w[kw] += A[i, j] * B[j, kw]))")
    );
}

/// What is left beside a new workspace is in the result's order, and needs no workspace of its own.
#[test]
fn a_result_in_order_needs_no_workspace() {
    let masked =
        "fn f(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = M[i, k] * A[i, j] * B[j, k]; }";
    assert_eq!(
        cin(masked, "precompute(A[i, j] * B[j, k], [k], [kw], acc, Hash)"),
        "∀i (∀k C[i, k] = M[i, k] * acc[k]) where (∀j ∀kw acc[kw] += A[i, j] * B[j, kw])"
    );
    assert_eq!(
        cin(masked, "precompute(M[i, k] * A[i, j], [k], [k], part, Hash)"),
        "∀i (∀k C[i, k] = w[k]) where (∀j (∀k w[k] += part[k] * B[j, k]) where (∀k part[k] = M[i, k] * A[i, j]))"
    );
}

/// TACO drops the `+=` here.
#[test]
fn derived_variables_keep_their_reduction() {
    let (text, graph) = after(
        SPMM,
        "split(k, k0, k1, 8); reorder(i, k0, j, k1); precompute(A[i, j] * B[j, k], [k1], [kw], w)",
    );
    assert_eq!(text, "∀i ∀k0 (∀k1 C[i, k] += w[k1]) where (∀j ∀kw w[kw] += A[i, j] * B[j, k_w])");
    assert_eq!(graph, "k = k0·8 + k1, k1 < 8\nk_w = k0·8 + kw, kw < 8\n");
    let (text, graph) =
        after(SPMM, "bound(k, kb, 32, MaxExact); precompute(A[i, j] * B[j, k], [kb], [kw], w)");
    assert_eq!(text, "∀i (∀kb C[i, k] += w[kb]) where (∀j ∀kw w[kw] += A[i, j] * B[j, k_w])");
    assert_eq!(graph, "k = kb, |kb| = 32\nk_w = kw, |kw| = 32\n");
    assert_eq!(
        cin(SPMM, "split(k, k0, k1, 8); reorder(i, k0, j, k1); precompute(A[i, j] * B[j, k], [k1], [k1], w)"),
        "∀i ∀k0 (∀k1 C[i, k] += w[k1]) where (∀j ∀k1 w[k1] += A[i, j] * B[j, k])"
    );
    let splits = "split(k, k0, k1, 32); split(k1, k2, k3, 8); reorder(i, k0, k2, j, k3)";
    let (text, graph) = after(SPMM, &format!("{splits}; precompute(A[i, j] * B[j, k], [k3], [kw], w)"));
    assert_eq!(text, "∀i ∀k0 ∀k2 (∀k3 C[i, k] += w[k3]) where (∀j ∀kw w[kw] += A[i, j] * B[j, k_w])");
    assert!(graph.ends_with("k_w = k0·32 + k1_w, k1_w < 32\nk1_w = k2·8 + kw, kw < 8\n"), "{graph}");
}

#[test]
fn a_whole_dimension_after_a_split() {
    assert_eq!(
        cin(SPMM, "split(k, k0, k1, 8); precompute(A[i, j] * B[j, k], [k], [kw], w)"),
        "∀i (∀k0 ∀k1 C[i, k] += w[k]) where (∀j ∀kw w[kw] += A[i, j] * B[j, kw])"
    );
    assert_eq!(
        cin(SPMM, "split(k, k0, k1, 8); precompute(A[i, j] * B[j, k], [k], [k], w)"),
        "∀i (∀k0 ∀k1 C[i, k] += w[k]) where (∀j ∀k0 ∀k1 w[k] += A[i, j] * B[j, k])"
    );
}

/// Outside of loops that the expression has nothing to do with; not of those that say which part it is, nor where the
/// workspace is of whole dimensions.
#[test]
fn a_tile_stands_inside_of_the_loops_that_say_which_it_is() {
    let splits = "split(i, i0, i1, 4); split(j, j0, j1, 8); split(k, k0, k1, 8)";
    assert_eq!(
        cin(
            SPMM,
            &format!("{splits}; reorder(i0, k0, j0, i1, j1, k1); precompute(B[j, k], [j1, k1], [jw, kw], w)")
        ),
        "∀i0 ∀k0 ∀j0 (∀i1 ∀j1 ∀k1 C[i, k] += A[i, j] * w[j1, k1]) where (∀jw ∀kw w[jw, kw] = B[j_w, k_w])"
    );
    assert_eq!(
        cin(
            SPMM,
            &format!("{splits}; reorder(i0, j0, i1, k0, j1, k1); precompute(B[j, k], [j1, k1], [jw, kw], w)")
        ),
        "∀i0 ∀j0 ∀i1 ∀k0 (∀j1 ∀k1 C[i, k] += A[i, j] * w[j1, k1]) where (∀jw ∀kw w[jw, kw] = B[j_w, k_w])"
    );
    assert_eq!(
        cin(SPMV, "split(i, i0, i1, 4); precompute(x[j], [j], [jw], w)"),
        "(∀i0 ∀i1 ∀j y[i] += A[i, j] * w[j]) where (∀jw w[jw] = x[jw])"
    );
}

#[test]
fn inside_producers_and_consumers() {
    assert_eq!(
        cin(SPMM, "precompute(A[i, j] * B[j, k], [k], [kw], w); precompute(B[j, k], [kw], [ku], u)"),
        "∀i (∀k C[i, k] += w[k]) where (∀j (∀kw w[kw] += A[i, j] * u[kw]) where (∀ku u[ku] = B[j, ku]))"
    );
    assert_eq!(
        cin(
            MTTKRP,
            "reorder(i, k, l, j); precompute(B[i, k, l] * D[l, j], [j], [jw], w); precompute(C[k, j], [j], [ju], u)"
        ),
        "∀i ∀k ((∀j A[i, j] += w[j] * u[j]) where (∀ju u[ju] = C[k, ju])) where (∀l ∀jw w[jw] += B[i, k, l] * D[l, jw])"
    );
}

#[test]
fn factors_and_terms_in_any_order() {
    assert_eq!(
        cin(MTTKRP, "reorder(i, k, l, j); precompute(D[l, j] * B[i, k, l], [j], [jw], w)"),
        "∀i ∀k (∀j A[i, j] += w[j] * C[k, j]) where (∀l ∀jw w[jw] += B[i, k, l] * D[l, jw])"
    );
    let sum = "fn f(a: DenseVec<f64>, b: DenseVec<f64>, c: DenseVec<f64>) -> DenseVec<f64> { y[i] = a[i] - b[i] + c[i]; }";
    assert_eq!(
        cin(sum, "precompute(a[i] + c[i], [i], [iw], w)"),
        "(∀i y[i] = w[i] - b[i]) where (∀iw w[iw] = a[iw] + c[iw])"
    );
    let squares = "fn f(x: DenseVec<f64>) -> DenseVec<f64> { y[i] = exp(x[i]) / (1 + exp(x[i])); }";
    assert_eq!(
        cin(squares, "precompute(exp(x[i]), [], [], e)"),
        "∀i (y[i] = e / (1.0 + e)) where (e = exp(x[i]))"
    );
}

#[test]
fn other_reductions() {
    assert_eq!(
        cin(MIN_PLUS, "precompute(A[i, j] + d[j], [], [], t)"),
        "∀i (e[i] min= t) where (∀j t min= A[i, j] + d[j])"
    );
    let offset = "fn f(A: DenseMat<f64>, c: DenseVec<f64>) -> DenseVec<f64> { e[i] min= A[i, j] + c[i]; }";
    assert_eq!(
        cin(offset, "precompute(A[i, j], [], [], t)"),
        "∀i (e[i] min= t + c[i]) where (∀j t min= A[i, j])"
    );
    let whole = offset.replace("f64", "i32");
    refused(&whole, "precompute(A[i, j], [], [], t)", "precompute-reduction");
}

#[test]
fn refusals() {
    refused(SPMM, "precompute(B[k, j], [k], [kw], w)", "precompute-not-found");
    refused(SPMM, "precompute(A[i, j] + B[j, k], [k], [kw], w)", "precompute-not-found");
    refused(SPMM, "precompute(A[i, j], [k], [kw], w)", "precompute-variable");
    refused(
        SPMM,
        "split(k, k0, k1, 4); reorder(i, k0, j, k1); precompute(B[j, k], [i], [iw], w)",
        "precompute-variable",
    );
    refused(SPMM, "fuse(j, k, f); precompute(B[j, k], [k], [kw], w)", "precompute-variable");
    refused(SPMM, "precompute(A[i, j] * B[j, k], [], [], w)", "precompute-depends");
    refused(SPMM, "precompute(A[i, j] * B[j, k], [i], [iw], w)", "precompute-depends");
    refused(SPMM, "precompute(B[j, k], [j, k], [jw], w)", "command-arguments");
    refused(SPMM, "split(k, k0, k1, 4); precompute(B[j, k], [k, k1], [k, k1], w)", "duplicate-name");
    refused(SPMV, "pos(j, p, A[i, j]); precompute(A[i, j] * x[j], [p], [pw], w)", "workspace-size");
    let exponent = "fn f(A: DenseMat<f64>) -> DenseVec<f64> { y[i] = exp(A[i, j]); }";
    refused(exponent, "precompute(A[i, j], [], [], w)", "precompute-reduction");
    let integers = "fn f(A: DenseMat<i64>, c: DenseVec<i64>) -> DenseVec<i64> { y[i] = A[i, j] / c[i]; }";
    refused(integers, "precompute(A[i, j], [], [], w)", "precompute-reduction");
    assert_eq!(
        cin(&integers.replace("i64", "f64"), "precompute(A[i, j], [], [], w)"),
        "∀i (y[i] += w / c[i]) where (∀j w += A[i, j])"
    );
    let bias = "fn f(A: DenseMat<f64>, c: DenseVec<f64>) -> DenseVec<f64> { y[i] max= A[i, j] * c[i]; }";
    refused(bias, "precompute(A[i, j], [], [], w)", "precompute-reduction");
    // The loops around the producer walk the pattern.
    assert_eq!(
        cin(SDDMM, "precompute(A[i, j] * B[i, k], [k], [kw], w)"),
        "∀i ∀j (∀k C[i, j] += w[k] * D[j, k]) where (∀kw w[kw] = A[i, j] * B[i, kw])"
    );
    refused(SDDMM, "precompute(A[i, j] * B[i, k], [j], [jw], w)", "precompute-depends");
    refused(SUM, "precompute(A[i, j], [j], [jw], w)", "precompute-pattern");
}

#[test]
fn parts_of_a_variable() {
    assert_eq!(
        cin(SPMV, "split(j, j0, j1, 8); precompute(A[i, j] * x[j], [j1], [jw], w)"),
        "∀i ∀j0 (∀j1 y[i] += w[j1]) where (∀jw w[jw] = A[i, j_w] * x[j_w])"
    );
    assert_eq!(
        cin(SPMV, "split(j, j0, j1, 8); reorder(j1, j0); precompute(A[i, j] * x[j], [j1], [jw], w)"),
        "∀i (∀j1 y[i] += w[j1]) where (∀jw ∀j0 w[jw] += A[i, j_w] * x[j_w])"
    );
}

#[test]
fn positions_in_a_producer() {
    let counted = "pos(j, p, A[i, j]); precompute(A[i, j] * B[j, k], [i, k], [iw, kw], w)";
    refused(SPMM, counted, "precompute-variable");
    assert_eq!(
        cin(SPMM, "pos(j, p, A[i, j]); precompute(A[i, j] * B[j, k], [i, k], [i, kw], w)"),
        "(∀i ∀k C[i, k] += w[i, k]) where (∀i ∀p ∀kw w[i, kw] += A[i, j] * B[j, kw])"
    );
    // The consumer's loop counts the positions whose values wait in the workspace.
    let tiled = "pos(j, p, A[i, j]); split(p, p0, p1, 8); precompute(A[i, j] * x[j], [p1], [pw], w)";
    assert_eq!(cin(SPMV, tiled), "∀i ∀p0 (∀p1 y[i] += w[p1]) where (∀pw w[pw] = A[i, j_w] * x[j_w])");
    // The producer's would count positions of what it does not read.
    refused(SPMV, &tiled.replace("A[i, j] * ", ""), "pos-not-walked");
}

/// With the same names, later commands change both sides.
#[test]
fn shared_names() {
    let shared = "precompute(A[i, j] * B[j, k], [k], [k], w); split(k, k0, k1, 8); parallelize(k1, CPUVector, NoRaces)";
    assert_eq!(
        cin(SPMM, shared),
        "∀i (∀k0 ∀k1{CPUVector, NoRaces} C[i, k] += w[k]) where (∀j ∀k0 ∀k1{CPUVector, NoRaces} w[k] += A[i, j] * B[j, k])"
    );
    assert_eq!(
        cin(SPMM, "precompute(A[i, j] * B[j, k], [k], [k], w); reorder(k, j)"),
        "∀i (∀k C[i, k] += w[k]) where (∀k ∀j w[k] += A[i, j] * B[j, k])"
    );
    refused(SPMM, "precompute(A[i, j] * B[j, k], [k], [k], w); fuse(j, k, f)", "not-adjacent");
}

/// Found by random commands: variables that come from the same, or share a loop.
#[test]
fn entangled_variables() {
    let parts = "split(j, a, b, 3); split(a, c, d, 2); fuse(i, c, f); precompute(A[i, j] * x[j], [d, f], [dw, fw], w)";
    let (text, graph) = after(SPMV, parts);
    assert_eq!(text, "(∀f ∀d y[i] += w[d, f]) where (∀fw ∀dw ∀b w[dw, fw] += A[i_w, j_w] * x[j_w])");
    assert!(graph.contains("a_w = c_w·2 + dw, dw < 2"), "{graph}");
    refused(
        SPMV,
        "split(j, a, b, 3); fuse(a, b, f); precompute(x[j], [a, f], [aw, fw], w)",
        "duplicate-name",
    );
    assert_eq!(
        cin(SPMV, "fuse(i, j, f); precompute(A[i, j], [j, i], [jw, iw], w)"),
        "(∀f y[i] += w[j, i] * x[j]) where (∀iw ∀jw w[jw, iw] = A[iw, jw])"
    );
}
