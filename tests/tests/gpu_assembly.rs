//! Sparse results on a GPU: counted, scanned and filled, on the simulator, without a schedule and with one.

use tests::named::Data::{Scalar, Tensor};
use tests::named::agrees_on_gpu;

/// A sparse tensor: dimensions and entries.
type Sparse<const R: usize> = ([usize; R], Vec<([usize; R], f64)>);

/// The elements of a tensor that a test picks by their number, which is below `of`.
fn some<const R: usize>(dims: [usize; R], stored: impl Fn(usize) -> bool) -> Sparse<R> {
    let mut entries = Vec::new();
    let mut number = 0;
    tests::oracle::for_each_point(&dims, &mut |c| {
        let mut at = [0; R];
        at.copy_from_slice(c);
        if stored(number) {
            entries.push((at, (number % 7) as f64 - 2.0));
        }
        number += 1;
    });
    (dims, entries)
}

fn refs<const R: usize>(t: &Sparse<R>) -> Vec<(&[usize], f64)> {
    t.1.iter().map(|(c, v)| (&c[..], *v)).collect()
}

/// Runs a kernel of tensors A, B, C, … of these dimensions: with many entries, few, all, in some only.
fn all_agree<const R: usize>(text: &str, tensors: usize, dims: [usize; R]) {
    let patterns: [fn(usize, usize) -> bool; 4] =
        [|n, t| (n * (t + 3) + t) % 5 < 2, |n, t| n % 23 == 3 * t, |_, t| t > 0, |n, t| t == 0 && n % 3 == 1];
    for pattern in patterns {
        let data: Vec<Sparse<R>> = (0..tensors).map(|t| some(dims, |n| pattern(n, t))).collect();
        let entries: Vec<_> = data.iter().map(refs).collect();
        let names = ["A", "B", "C", "D"];
        let given: Vec<_> = names.iter().zip(&entries).map(|(name, e)| Tensor(name, &dims, e)).collect();
        agrees_on_gpu(text, &given);
    }
}

/// Sizes below and above a block's threads, one and none.
const MATRICES: [[usize; 2]; 5] = [[7, 9], [260, 3], [1, 40], [0, 3], [3, 0]];

fn matrices_agree(text: &str, tensors: usize) {
    MATRICES.into_iter().for_each(|dims| all_agree(text, tensors, dims));
}

#[test]
fn a_sum_and_a_product_of_matrices() {
    for op in ["+", "*", "-"] {
        for format in ["Csr", "Csc"] {
            let text = format!(
                "fn f(A: {format}<f64>, B: {format}<f64>) -> {format}<f64> {{ R[i, j] = A[i, j] {op} B[i, j]; }}"
            );
            matrices_agree(&text, 2);
        }
    }
}

#[test]
fn three_operands() {
    for rhs in [
        "A[i, j] + B[i, j] + C[i, j]",
        "A[i, j] * B[i, j] + C[i, j]",
        "A[i, j] * (B[i, j] + C[i, j])",
        "2.0 * A[i, j] - B[i, j] * C[i, j]",
    ] {
        let text = format!("fn f(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> {{ R[i, j] = {rhs}; }}");
        all_agree(&text, 3, [7, 9]);
        all_agree(&text, 3, [270, 3]);
    }
}

/// Rows that an operand does not store.
#[test]
fn dense_rows_of_operands_with_sparse_rows() {
    for (a, b, op) in
        [("Dcsr", "Csr", "+"), ("Dcsr", "Csr", "*"), ("Dcsr", "Dcsr", "+"), ("Dcsr", "Dcsr", "*")]
    {
        let text =
            format!("fn f(A: {a}<f64>, B: {b}<f64>) -> Csr<f64> {{ R[i, j] = A[i, j] {op} B[i, j]; }}");
        matrices_agree(&text, 2);
    }
}

#[test]
fn sparse_rows() {
    for op in ["+", "*"] {
        for (format, result) in
            [("Dcsr", "Dcsr"), ("Csr", "Dcsr"), ("Dcsr", "Coo"), ("Coo", "Coo"), ("Csr", "Coo")]
        {
            let text = format!(
                "fn f(A: {format}<f64>, B: {format}<f64>) -> {result}<f64> {{ R[i, j] = A[i, j] {op} B[i, j]; }}"
            );
            matrices_agree(&text, 2);
        }
    }
}

#[test]
fn vectors() {
    for op in ["+", "*"] {
        let text = format!(
            "fn f(A: SparseVec<f64>, B: SparseVec<f64>) -> SparseVec<f64> {{ r[i] = A[i] {op} B[i]; }}"
        );
        for n in [0, 1, 300] {
            all_agree(&text, 2, [n]);
        }
    }
}

#[test]
fn tensors_of_three_dimensions() {
    let d = "Tensor<f64, (Dense, Dense, Compressed)>";
    let s = "Tensor<f64, (Dense, Compressed, Compressed)>";
    let c = "Csf3<f64>";
    for op in ["+", "*"] {
        for (format, result) in [(d, d), (s, s), (c, c), (c, s), (s, d), (d, c)] {
            let text = format!(
                "fn f(A: {format}, B: {format}) -> {result} {{ R[i, j, k] = A[i, j, k] {op} B[i, j, k]; }}"
            );
            for dims in [[5, 4, 6], [40, 3, 2]] {
                all_agree(&text, 2, dims);
            }
        }
    }
}

/// Dense levels at the leaves: blocks.
#[test]
fn rows_of_blocks() {
    let b = "Tensor<f64, (Dense, Compressed, Dense, Dense)>";
    for op in ["+", "*"] {
        let text =
            format!("fn f(A: {b}, B: {b}) -> {b} {{ R[i, j, k, l] = A[i, j, k, l] {op} B[i, j, k, l]; }}");
        all_agree(&text, 2, [4, 3, 2, 2]);
        all_agree(&text, 2, [40, 2, 1, 3]);
    }
    let v = "Tensor<f64, (Compressed, Dense)>";
    let text = format!("fn f(A: {v}, B: {v}) -> {v} {{ R[i, j] = A[i, j] + B[i, j]; }}");
    matrices_agree(&text, 2);
}

/// Values that are sums themselves.
#[test]
fn reductions_inside() {
    let s = "Tensor<f64, (Dense, Compressed, Compressed)>";
    let text = format!("fn f(A: {s}, B: {s}) -> Csr<f64> {{ R[i, j] = A[i, j, k] * B[i, j, k]; }}");
    all_agree(&text, 2, [9, 4, 5]);
    let text =
        "fn f(A: Csf3<f64>, B: Csf3<f64>) -> Dcsr<f64> { R[i, j] = A[i, j, k] * B[i, j, k]; }".to_string();
    all_agree(&text, 2, [9, 4, 5]);
}

#[test]
fn other_fills_and_operators() {
    let text = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { R[i, j] = max(A[i, j], B[i, j]); }";
    matrices_agree(text, 2);
    let m = "Tensor<f64, Filled<(Dense, Compressed), PosInf>>";
    let text = format!("fn f(A: {m}, B: {m}) -> {m} {{ R[i, j] = min(A[i, j], B[i, j]); }}");
    matrices_agree(&text, 2);
}

#[test]
fn a_scalar_and_a_vector_beside_the_matrices() {
    let text = "fn f(A: Csr<f32>, B: Csr<f32>, x: DenseVec<f32>, c: f32) -> Csr<f32> \
                { R[i, j] = c * A[i, j] * x[j] + B[i, j]; }";
    let (a, b, x) = (some([30, 8], |n| n % 3 == 0), some([30, 8], |n| n % 5 < 2), some([8], |_| true));
    agrees_on_gpu(
        text,
        &[
            Tensor("A", &a.0, &refs(&a)),
            Tensor("B", &b.0, &refs(&b)),
            Tensor("x", &x.0, &refs(&x)),
            Scalar("c", 3.0),
        ],
    );
}

/// More rows than the sums of one tile, and than those of one block.
#[test]
fn many_rows() {
    let text = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { R[i, j] = A[i, j] + B[i, j]; }";
    for rows in [2047, 2048, 5000] {
        let (a, b) = (some([rows, 2], |n| n % 3 == 0), some([rows, 2], |n| n % 1001 == 5));
        agrees_on_gpu(text, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
    }
}

/// A kernel of a matrix A and a matrix B of these dimensions.
fn two_agree(text: &str, a: [usize; 2], b: [usize; 2]) {
    let patterns: [fn(usize) -> bool; 4] = [|n| n % 3 == 1, |n| n * n % 11 < 2, |_| true, |_| false];
    for (n, pattern) in patterns.into_iter().enumerate() {
        let (a, b) = (some(a, pattern), some(b, patterns[n / 2]));
        agrees_on_gpu(text, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
    }
}

#[test]
fn products_of_matrices() {
    for (a, b, result) in [
        ("Csr", "Csr", "Csr"),
        ("Csr", "Dcsr", "Csr"),
        ("Dcsr", "Csr", "Dcsr"),
        ("Dcsr", "Dcsr", "Csr"),
        ("Csr", "Csr", "Dcsr"),
        ("Csr", "Csr", "Coo"),
    ] {
        let text =
            format!("fn f(A: {a}<f64>, B: {b}<f64>) -> {result}<f64> {{ R[i, k] = A[i, j] * B[j, k]; }}");
        for [n, m, l] in [[7, 9, 8], [260, 4, 3], [1, 1, 30], [3, 0, 4]] {
            two_agree(&text, [n, m], [m, l]);
        }
    }
    let text = "fn f(A: Csc<f32>, B: Csc<f32>) -> Csc<f32> { R[i, k] = A[i, j] * B[j, k]; }";
    two_agree(text, [9, 6], [6, 7]);
    let text = "fn f(A: Csr<i32>, B: Csr<i32>) -> Csr<i32> { R[i, k] min= A[i, j] + B[j, k]; }";
    let kernel = text.replace("Csr<i32>", "Tensor<i32, Filled<(Dense, Compressed), PosInf>>");
    two_agree(&kernel, [9, 6], [6, 7]);
}

/// Workspaces beside other operands, and several of them.
/// Rows that are sorted with many gaps, of a table that has no place free and of one that has.
#[test]
fn long_rows_of_products() {
    let text = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { R[i, k] = A[i, j] * B[j, k]; }";
    for each in [1, 3, 40] {
        let b: Vec<_> =
            (0..200).map(|n| ([n % 20, (n * 37 + n % each) % 997], 1.0 + (n % 5) as f64)).collect();
        let a: Vec<_> = (0..20).map(|j| ([j % 2, j], 1.0)).chain((0..20).map(|j| ([2, j], 2.0))).collect();
        let a: Vec<(&[usize], f64)> = a.iter().map(|(c, v)| (&c[..], *v)).collect();
        let b: Vec<(&[usize], f64)> = b.iter().map(|(c, v)| (&c[..], *v)).collect();
        agrees_on_gpu(text, &[Tensor("A", &[3, 20], &a), Tensor("B", &[20, 997], &b)]);
    }
}

#[test]
fn products_of_matrices_with_others() {
    for rhs in [
        "C[i, k] * A[i, j] * B[j, k]",
        "C[i, k] + A[i, j] * B[j, k]",
        "C[i, k] - A[i, j] * B[j, k] + B[i, j] * A[j, k]",
        "A[i, j] * B[j, l] * C[l, k]",
    ] {
        let text = format!("fn f(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> {{ R[i, k] = {rhs}; }}");
        all_agree(&text, 3, [8, 8]);
        all_agree(&text, 3, [33, 33]);
    }
}

/// Workspaces inside the loops over a row, and of several dimensions.
#[test]
fn products_of_tensors() {
    let s = "Tensor<f64, (Dense, Compressed, Compressed)>";
    for (a, b, result, statement) in [
        (s, "Csr<f64>", s, "R[i, j, l] = A[i, j, k] * B[k, l]"),
        ("Csf3<f64>", "Csr<f64>", "Csf3<f64>", "R[i, j, l] = A[i, j, k] * B[k, l]"),
        (s, "Csr<f64>", s, "R[i, l, k] = A[i, j, k] * B[j, l]"),
    ] {
        let text = format!("fn f(A: {a}, B: {b}) -> {result} {{ {statement}; }}");
        for dims in [[5, 4, 6], [40, 3, 2]] {
            let b = if statement.contains("B[k, l]") { [dims[2], 5] } else { [dims[1], 5] };
            for pattern in [|n: usize| n % 3 == 1, |n: usize| n % 7 < 5] {
                let (a, b) = (some(dims, pattern), some(b, pattern));
                agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
            }
        }
    }
}

#[test]
fn schedules_of_rows() {
    for schedule in [
        "split(i, b, t, 32); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, NoRaces);",
        "split(i, b, t, 7); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, NoRaces);",
        "split(i, b, r, 64); split(r, w, t, 16); parallelize(b, GPUBlock, NoRaces); \
         parallelize(w, GPUWarp, NoRaces); parallelize(t, GPUThread, NoRaces);",
        "split(i, b, r, 128); split(r, t, s, 4); parallelize(b, GPUBlock, NoRaces); \
         parallelize(t, GPUThread, NoRaces);",
        "parallelize(i, GPUBlock, NoRaces);",
    ] {
        let text = format!(
            "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {{ R[i, j] = A[i, j] + B[i, j]; }} schedule cuda {{ {schedule} }}"
        );
        all_agree(&text, 2, [70, 9]);
    }
}

/// Threads that would share a row, and threads in another order than the rows.
#[test]
fn schedules_that_are_refused() {
    let refused = |formats: &str, schedule: &str| {
        let text = format!(
            "fn f(A: {formats}<f64>, B: {formats}<f64>) -> {formats}<f64> {{ R[i, j] = A[i, j] * B[i, j]; }} schedule cuda {{ {schedule} }}"
        );
        let kernel = sparse_core::front::parse_str(&text).expect("a kernel");
        let found = sparse_core::driver::compile_gpu(kernel, &Default::default());
        let codes: Vec<_> = found.err().expect("it is refused").iter().map(|d| d.code).collect();
        assert_eq!(codes, ["parallel-append"], "{schedule}");
    };
    refused(
        "Csr",
        "pos(j, p, A[i, j]); split(p, b, t, 32); parallelize(b, GPUBlock, NoRaces); \
         parallelize(t, GPUThread, NoRaces);",
    );
    refused("Dcsr", "pos(i, p, A[i, j]); split(p, b, t, 32); parallelize(b, GPUBlock, NoRaces);");
}

/// A statement that does nothing, whatever its operands hold.
#[test]
fn nothing_is_assembled() {
    let text = "fn f(A: DenseVec<i32>) -> SparseVec<i32> { R[j] = 0 & A[j]; }";
    let a = some([5], |_| true);
    agrees_on_gpu(text, &[Tensor("A", &a.0, &refs(&a))]);
    let text = "fn f(A: Csr<f64>) -> Csr<f64> { R[i, j] = 0.0 * A[i, j]; }";
    let a = some([5, 3], |_| true);
    agrees_on_gpu(text, &[Tensor("A", &a.0, &refs(&a))]);
}

/// Formats that cannot be appended to in order are packed from the list of their entries: dense levels between sparse ones,
/// and below them tuples.
#[test]
fn packed_formats() {
    let formats = [
        "(Compressed, Dense, Compressed)",
        "(Dense, Compressed, Dense, Compressed)",
        "(Compressed, Dense, Compressed, Dense)",
        "(Compressed, Compressed, Dense, Compressed)",
        "(Compressed, Dense, Dense, Compressed)",
        "(Compressed, Dense, Compressed<NonUnique>, Singleton)",
        "(Compressed<NonUnique>, Singleton, Dense, Compressed)",
    ];
    for format in formats {
        let (indices, operand, dims): (_, _, &[usize]) = match format.matches(',').count() {
            2 => ("i, j, k", "Csf3", &[4, 3, 9]),
            _ => ("i, j, k, l", "Csf4", &[3, 2, 3, 4]),
        };
        let check = |text: &str| match *dims {
            [a, b, c] => all_agree(text, 2, [a, b, c]),
            [a, b, c, d] => all_agree(text, 2, [a, b, c, d]),
            _ => unreachable!("of three or four dimensions"),
        };
        let head = format!("fn f(A: {operand}<f64>, B: {operand}<f64>) ->");
        check(&format!("{head} Tensor<f64, {format}> {{ R[{indices}] = A[{indices}] + B[{indices}]; }}"));
        check(&format!("{head} Tensor<f64, {format}> {{ R[{indices}] = A[{indices}] * B[{indices}]; }}"));
        let order = if dims.len() == 3 { "2, 0, 1" } else { "3, 0, 2, 1" };
        let turned = format!("Tensor<f64, Reordered<{format}, {order}>>");
        check(&format!("{head} {turned} {{ R[{indices}] = A[{indices}] - B[{indices}]; }}"));
        let filled = format!("Tensor<f64, Filled<{format}, PosInf>>");
        let head = head.replace(&format!("{operand}<f64>"), &filled);
        check(&format!("{head} {filled} {{ R[{indices}] = min(A[{indices}], B[{indices}]); }}"));
    }
}

/// A level that stores one entry for each parent is packed if there is one, and an error otherwise.
#[test]
fn one_entry_for_each_parent() {
    let of = |entries: &[[usize; 2]]| -> Vec<_> { entries.iter().map(|c| (*c, 2.0)).collect() };
    let shift: Vec<[usize; 2]> = (0..300).map(|i| [i, (7 * i + 3) % 300]).collect();
    let gap = &shift[..299];
    let twice = [&shift[..], &[[4, 0]]].concat();
    for format in ["(Dense, Singleton)", "(Compressed, Singleton)", "Reordered<(Dense, Singleton), 1, 0>"] {
        let text = format!("fn f(A: Csr<f64>) -> Tensor<f64, {format}> {{ R[i, j] = A[i, j]; }}");
        for entries in [&shift, gap, &twice, &[]] {
            let a = ([300, 300], of(entries));
            agrees_on_gpu(&text, &[Tensor("A", &a.0, &refs(&a))]);
        }
    }
    let below = "fn f(A: Csr<f64>, B: Csr<f64>) -> Tensor<f64, (Dense, Singleton, Dense, Compressed)> { \
                 R[i, j, k, l] = A[i, j] * B[k, l]; }";
    let few: Vec<[usize; 2]> = (0..5).map(|i| [i, (2 * i + 3) % 5]).collect();
    let b = ([3, 4], of(&[[0, 1], [0, 2], [2, 3]]));
    for entries in [&few[..], &few[1..]] {
        let a = ([5, 5], of(entries));
        agrees_on_gpu(below, &[Tensor("A", &a.0, &refs(&a)), Tensor("B", &b.0, &refs(&b))]);
    }
}
