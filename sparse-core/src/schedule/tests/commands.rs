//! Before → after.

use super::*;

#[test]
fn split_and_divide() {
    let (text, graph) = after(SPMV, "split(i, i0, i1, 64)");
    assert_eq!(text, "∀i0 ∀i1 ∀j y[i] += A[i, j] * x[j]");
    assert_eq!(graph, "i = i0·64 + i1, i1 < 64\n");
    let (text, graph) = after(SPMV, "divide(i, i0, i1, 8); split(i1, i2, i3, 4);");
    assert_eq!(text, "∀i0 ∀i2 ∀i3 ∀j y[i] += A[i, j] * x[j]");
    assert_eq!(graph, "i = i0·|i1| + i1, i0 < 8\ni1 = i2·4 + i3, i3 < 4\n");
}

#[test]
fn both_sides_of_a_where_are_split() {
    let text = cin(RESIDUAL, "split(i, i0, i1, 64); split(j, j0, j1, 4)");
    assert_eq!(text, "∀i0 ∀i1 (r[i] = b[i] - t0) where (∀j0 ∀j1 t0 += A[i, j] * x[j])");
}

#[test]
fn fuse() {
    let (text, graph) = after(SPMV, "fuse(i, j, f); split(f, f0, f1, 8)");
    assert_eq!(text, "∀f0 ∀f1 y[i] += A[i, j] * x[j]");
    assert_eq!(graph, "f = i·|j| + j\nf = f0·8 + f1, f1 < 8\n");
    assert_eq!(cin(SPMV, "pos(j, p, A[i, j]); fuse(i, p, f)"), "∀f y[i] += A[i, j] * x[j]");
    assert_eq!(
        cin(SPMV, "pos(j, p, A[i, j]); fuse(i, p, f); split(f, f0, f1, 8)"),
        "∀f0 ∀f1 y[i] += A[i, j] * x[j]"
    );
}

#[test]
fn parts_of_positions_with_columns_inside_them() {
    let tiles = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, chunk, nnz, 8); split(k, ko, ki, 4); \
        reorder(chunk, ko, nnz, ki); fuse(chunk, ko, tile)";
    let (text, graph) = after(SPMM, tiles);
    assert_eq!(text, "∀tile ∀nnz ∀ki C[i, k] += A[i, j] * B[j, k]");
    assert!(graph.ends_with("tile = chunk·|ko| + ko\n"), "{graph}");
}

#[test]
fn fusing_what_was_split_is_finite() {
    let mut commands = String::from("split(i, a0, b0, 2); fuse(a0, b0, i0);");
    for n in 1..100 {
        let i = n - 1;
        commands += &format!("split(i{i}, a{n}, b{n}, 2); fuse(a{n}, b{n}, i{n});");
    }
    assert_eq!(cin(SPMV, &commands), "∀i99 ∀j y[i] += A[i, j] * x[j]");
}

#[test]
fn reorder() {
    assert_eq!(
        cin(SPMM, "split(k, k0, k1, 32); reorder(i, k0, j, k1)"),
        "∀i ∀k0 ∀j ∀k1 C[i, k] += A[i, j] * B[j, k]"
    );
    assert_eq!(cin(SPMM, "reorder(k, j)"), "∀i ∀k ∀j C[i, k] += A[i, j] * B[j, k]");
    let windows = "split(j, j0, j1, 64); reorder(j0, i)";
    assert_eq!(cin(SPMV, windows), "∀j0 ∀i ∀j1 y[i] += A[i, j] * x[j]");
}

#[test]
fn pos_and_coord() {
    let (text, graph) = after(SPMV, "fuse(i, j, f); pos(f, p, A[i, j]); split(p, p0, p1, 8)");
    assert_eq!(text, "∀p0 ∀p1 y[i] += A[i, j] * x[j]");
    assert_eq!(graph, "f = i·|j| + j\nf = the coordinate at position p of A[i, j]\np = p0·8 + p1, p1 < 8\n");
    let (text, graph) = after(SPMV, "pos(j, p, A[i, j]); split(p, p0, p1, 8); coord(p1, c)");
    assert_eq!(text, "∀i ∀p0 ∀c y[i] += A[i, j] * x[j]");
    assert!(graph.ends_with("c = the coordinates that the positions p1 span\n"), "{graph}");
    assert_eq!(cin(SPMV, "bound(j, jb, 8, Divisible); pos(jb, p, A[i, j])"), "∀i ∀p y[i] += A[i, j] * x[j]");
    assert_eq!(cin(COO, "fuse(i, j, f); pos(f, p, A[i, j])"), "∀p y[i] += A[i, j] * x[j]");
    let three = "fuse(i, k, f); fuse(f, l, g); pos(g, p, B[i, k, l])";
    assert_eq!(
        cin(MTTKRP, &format!("reorder(i, k, l, j); {three}")),
        "∀p ∀j A[i, j] += B[i, k, l] * C[k, j] * D[l, j]"
    );
}

#[test]
fn bound() {
    let (text, graph) = after(SPMM, "bound(k, kb, 32, MaxExact); split(kb, k0, k1, 8)");
    assert_eq!(text, "∀i ∀j ∀k0 ∀k1 C[i, k] += A[i, j] * B[j, k]");
    assert_eq!(graph, "k = kb, |kb| = 32\nkb = k0·8 + k1, k1 < 8\n");
    let (_, graph) = after(SPMM, "bound(k, kb, 8, Divisible); bound(kb, kc, 32, MaxExact)");
    assert_eq!(graph, "k = kb, |kb| a multiple of 8\nkb = kc, |kc| = 32\n");
}

#[test]
fn tags() {
    assert_eq!(
        cin(
            SPMM,
            "unroll(j, 4); mergeby(j, Gallop); parallelize(i, CPUThread, NoRaces); parallelize(k, CPUVector, NoRaces)"
        ),
        "∀i{CPUThread, NoRaces} ∀j{unroll 4, Gallop} ∀k{CPUVector, NoRaces} C[i, k] += A[i, j] * B[j, k]"
    );
}

/// The schedules of the OOPSLA paper's CPU evaluation.
#[test]
fn published_schedules() {
    assert_eq!(
        cin(
            SPMM,
            "split(i, i0, i1, 16); pos(j, jpos, A[i, j]); split(jpos, jpos0, jpos1, 8); reorder(i0, i1, jpos0, k, jpos1); parallelize(i0, CPUThread, NoRaces); parallelize(k, CPUVector, IgnoreRaces)"
        ),
        "∀i0{CPUThread, NoRaces} ∀i1 ∀jpos0 ∀k{CPUVector, IgnoreRaces} ∀jpos1 C[i, k] += A[i, j] * B[j, k]"
    );
    assert_eq!(
        cin(
            SPMV,
            "fuse(i, j, f); pos(f, p, A[i, j]); split(p, p0, p1, 1024); parallelize(p0, CPUThread, Atomics)"
        ),
        "∀p0{CPUThread, Atomics} ∀p1 y[i] += A[i, j] * x[j]"
    );
    assert_eq!(
        cin(
            MTTKRP,
            "split(i, i1, i2, 16); reorder(i1, i2, k, l, j); precompute(B[i, k, l] * D[l, j], [j], [j], w); parallelize(i1, CPUThread, NoRaces)"
        ),
        "∀i1{CPUThread, NoRaces} ∀i2 ∀k (∀j A[i, j] += w[j] * C[k, j]) where (∀l ∀j w[j] += B[i, k, l] * D[l, j])"
    );
}
