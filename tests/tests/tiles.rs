//! Tiles of dense operands in the shared memory of a block, on the simulator: which threads load them, edges, and what
//! threads hold from tile to tile.

use tests::named::Data::Tensor;
use tests::named::agrees_on_gpu;

type Entries = Vec<(Vec<usize>, f64)>;

/// Entries at about one coordinate in three, with an empty and a full slice.
fn sparse(dims: &[usize]) -> Entries {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        let mixed: usize = c.iter().enumerate().map(|(d, x)| (d + 3) * x).sum();
        if c[0] % 4 != 1 && (c[0] == dims[0] / 2 || mixed % 3 == 1) {
            entries.push((c.to_vec(), (mixed % 7) as f64 - 2.0));
        }
    });
    entries
}

fn dense(dims: &[usize]) -> Entries {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        entries.push((c.to_vec(), (entries.len() % 5) as f64 - 1.0))
    });
    entries
}

/// The kernel on the simulator: the first operand is sparse.
#[track_caller]
fn agrees(text: &str, operands: &[(&str, &[usize])]) {
    let data: Vec<_> = operands
        .iter()
        .enumerate()
        .map(|(n, (name, dims))| (*name, *dims, if n == 0 { sparse(dims) } else { dense(dims) }))
        .collect();
    let refs: Vec<Vec<(&[usize], f64)>> =
        data.iter().map(|(_, _, entries)| entries.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let tensors: Vec<_> =
        data.iter().zip(&refs).map(|((name, dims, _), entries)| Tensor(name, dims, entries)).collect();
    agrees_on_gpu(text, &tensors);
}

/// `C[i, k] = A[i, j] * B[j, k]` on matrices of which tiles divide no dimension, all, or that are smaller than one.
#[track_caller]
fn spmm(schedule: &str) {
    for dtype in ["f32", "i64"] {
        let text = format!(
            "fn kernel(A: Csr<{dtype}>, B: DenseMat<{dtype}>) -> DenseMat<{dtype}> {{ C[i, k] = A[i, j] * B[j, k]; }} \
             schedule cuda {{ {schedule} }}"
        );
        for [m, n, k] in [[21, 30, 7], [16, 32, 32], [3, 5, 2], [9, 70, 33], [0, 4, 4], [4, 0, 4], [5, 6, 0]]
        {
            agrees(&text, &[("A", &[m, n]), ("B", &[n, k])]);
        }
    }
}

/// Rows on warps, columns on lanes; who loads.
#[test]
fn rows_on_warps() {
    let before = "split(i, block, row, 4); split(j, tile, entry, 8); split(k, ko, column, 16); \
                  reorder(block, ko, tile, row, column, entry); \
                  precompute(B[j, k], [entry, column], [from, lane], w); reorder(from, lane);";
    let on = "parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
              parallelize(row, GPUWarp, NoRaces); parallelize(column, GPUThread, NoRaces);";
    for loads in [
        "parallelize(lane, GPUThread, NoRaces);",
        "parallelize(from, GPUThread, NoRaces);",
        "parallelize(from, GPUWarp, NoRaces); parallelize(lane, GPUThread, NoRaces);",
        "",
    ] {
        spmm(&format!("{before} {on} {loads}"));
    }
    spmm(&format!(
        "{before} fuse(from, lane, all); split(all, step, part, 64); split(part, warp, load, 16); {on} \
         parallelize(warp, GPUWarp, NoRaces); parallelize(load, GPUThread, NoRaces);"
    ));
    // Elements of a row by one access.
    spmm(&format!(
        "{before} split(lane, four, vector, 2); {on} parallelize(from, GPUWarp, NoRaces); \
         parallelize(four, GPUThread, NoRaces); parallelize(vector, GPUVector, NoRaces);"
    ));
    // Tiles of columns one after another: the sums are written before the next.
    spmm(&format!(
        "{before} parallelize(block, GPUBlock, NoRaces); parallelize(row, GPUWarp, NoRaces); \
         parallelize(column, GPUThread, NoRaces); parallelize(from, GPUWarp, NoRaces);"
    ));
}

/// Several rows a warp, several columns a lane, in vectors too.
#[test]
fn several_elements_a_lane() {
    let on = "parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
              parallelize(warp, GPUWarp, NoRaces); parallelize(lane, GPUThread, NoRaces); \
              parallelize(from, GPUWarp, NoRaces);";
    for order in ["warp, row, lane, entry, c", "warp, lane, row, entry, c", "warp, lane, row, c, entry"] {
        for (rows, columns) in [(1, 2), (2, 1), (2, 4)] {
            spmm(&format!(
                "split(i, block, part, {}); split(part, warp, row, {rows}); split(j, tile, entry, 4); \
                 split(k, ko, column, {}); split(column, lane, c, {columns}); \
                 reorder(block, ko, tile, {order}); \
                 precompute(B[j, k], [entry, column], [from, to], w); reorder(from, to); {on}",
                4 * rows,
                8 * columns
            ));
        }
    }
    spmm(
        "split(i, block, warp, 4); split(j, tile, entry, 4); split(k, ko, column, 16); \
         split(column, lane, c, 2); reorder(block, ko, tile, warp, lane, entry, c); \
         precompute(B[j, k], [entry, column], [from, to], w); reorder(from, to); split(to, load, two, 2); \
         parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
         parallelize(warp, GPUWarp, NoRaces); parallelize(lane, GPUThread, NoRaces); \
         parallelize(c, GPUVector, NoRaces); parallelize(from, GPUWarp, NoRaces); \
         parallelize(load, GPUThread, NoRaces); parallelize(two, GPUVector, NoRaces);",
    );
}

/// A row a thread.
#[test]
fn rows_on_threads() {
    spmm(
        "split(i, block, thread, 32); split(j, tile, entry, 16); split(k, ko, c, 4); \
         reorder(block, ko, tile, thread, entry, c); \
         precompute(B[j, k], [entry, c], [from, to], w); reorder(from, to); fuse(from, to, all); \
         split(all, step, load, 32); \
         parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
         parallelize(thread, GPUThread, NoRaces); parallelize(load, GPUThread, NoRaces);",
    );
}

#[test]
fn other_kernels() {
    agrees(
        "fn kernel(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; } schedule cuda { \
         split(i, block, thread, 8); split(j, tile, entry, 16); reorder(block, tile, thread, entry); \
         precompute(x[j], [entry], [from], x_tile); split(from, step, load, 8); \
         parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces); \
         parallelize(load, GPUThread, NoRaces); }",
        &[("A", &[21, 50]), ("x", &[50])],
    );
    let mttkrp = "fn kernel(B: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> { \
                  A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; } schedule cuda { \
                  split(i, block, row, 4); split(l, tile, entry, 4); split(j, jo, column, 8); \
                  reorder(block, jo, tile, row, column, k, entry); \
                  precompute(D[l, j], [entry, column], [from, to], D_tile); reorder(from, to); \
                  parallelize(block, GPUBlock, NoRaces); parallelize(jo, GPUBlock, NoRaces); \
                  parallelize(row, GPUWarp, NoRaces); parallelize(column, GPUThread, NoRaces); \
                  parallelize(from, GPUWarp, NoRaces); parallelize(to, GPUThread, NoRaces); }";
    agrees(mttkrp, &[("B", &[9, 5, 11]), ("C", &[5, 9]), ("D", &[11, 9])]);
    // Another monoid, another identity, and an output that is combined with.
    let shortest = "fn kernel(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, B: DenseMat<f64>) \
                    -> Tensor<f64, Filled<(Dense, Dense), PosInf>> { C[i, k] min= A[i, j] + B[j, k]; } \
                    schedule cuda { \
                    split(i, block, row, 4); split(j, tile, entry, 8); split(k, ko, column, 4); \
                    reorder(block, ko, tile, row, column, entry); \
                    precompute(B[j, k], [entry, column], [from, to], w); reorder(from, to); \
                    parallelize(block, GPUBlock, NoRaces); parallelize(ko, GPUBlock, NoRaces); \
                    parallelize(row, GPUWarp, NoRaces); parallelize(column, GPUThread, NoRaces); \
                    parallelize(from, GPUWarp, NoRaces); parallelize(to, GPUThread, NoRaces); }";
    agrees(shortest, &[("A", &[9, 21]), ("B", &[21, 6])]);
}

const ROWS: &str =
    "split(i, block, thread, 8); split(j, tile, entry, 16); reorder(block, tile, thread, entry);";
const UNITS: &str = "parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, NoRaces);";

/// What an operand of one entry a row meets is only located there: a tile of the other one is walked in pieces.
#[test]
fn fibers_that_are_merged_are_searched_in_each_tile() {
    let text = format!(
        "fn kernel(A: Csr<f64>, S: Tensor<f64, (Dense, Singleton)>, x: DenseVec<f64>) -> DenseVec<f64> \
         {{ y[i] = (A[i, j] + S[i, j]) * x[j]; }} schedule cuda {{ {ROWS} {UNITS} }}"
    );
    let x: Vec<([usize; 1], f64)> = (0..40).map(|j| ([j], j as f64 + 1.0)).collect();
    let x: Vec<(&[usize], f64)> = x.iter().map(|(c, v)| (&c[..], *v)).collect();
    for at in [0, 5, 15, 16, 31, 39] {
        let both: &[(&[usize], f64)] = &[(&[0, at], 3.0), (&[1, 39 - at], 2.0)];
        let more: &[(&[usize], f64)] = &[(&[0, 2], 1.0), (&[0, at], 3.0), (&[0, 38], 5.0), (&[1, 39], 2.0)];
        for a in [both, more] {
            let mut a = a.to_vec();
            a.dedup_by(|b, a| a.0 == b.0);
            agrees_on_gpu(
                &text,
                &[Tensor("A", &[2, 40], &a), Tensor("S", &[2, 40], both), Tensor("x", &[40], &x)],
            );
        }
    }
}

/// A fiber that a producer walks, and its consumer again.
#[test]
fn fibers_that_fill_a_workspace_are_walked_again() {
    agrees(
        &format!(
            "fn kernel(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = A[i, j] * A[i, j] * x[j]; }} \
             schedule cuda {{ {ROWS} precompute(A[i, j] * x[j], [entry], [entry], w); {UNITS} }}"
        ),
        &[("A", &[21, 50]), ("x", &[50])],
    );
}

/// What threads hold is short, however large its sizes are.
#[test]
fn columns_without_end_are_not_held() {
    let split = |v: &str| format!("split({v}, {v}0, {v}1, 2147483648);");
    let text = format!(
        "fn kernel(A: Csr<f32>, B: Tensor<f32, (Dense, Dense, Dense, Dense)>) -> Tensor<f32, (Dense, Dense, Dense, Dense)> \
         {{ C[i, k, l, m] = A[i, j] * B[j, k, l, m]; }} schedule cuda {{ split(i, block, thread, 8); \
         split(j, tile, entry, 16); {} {} {} reorder(block, k0, l0, m0, tile, thread, entry, k1, l1, m1); {UNITS} }}",
        split("k"),
        split("l"),
        split("m")
    );
    agrees(&text, &[("A", &[5, 20]), ("B", &[20, 2, 3, 2])]);
}
