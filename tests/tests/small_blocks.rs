//! Block matrices times vectors and each other, where blocks are square and small, and others.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;
use std::collections::BTreeMap;

type Blocks<T> = Tensor<T, (Dense, Compressed, Dense, Dense)>;

tensor_kernel! {
    fn product(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f64>) -> DenseMat<f64> {
        y[i, m] = A[i, j, m, l] * x[j, l];
    }
}

tensor_kernel! {
    fn singles(A: Tensor<f32, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f32>) -> DenseMat<f32> {
        y[i, m] = A[i, j, m, l] * x[j, l];
    }
}

tensor_kernel! {
    fn integers(A: Tensor<i32, (Dense, Compressed, Dense, Dense)>, x: DenseMat<i32>) -> DenseMat<i32> {
        y[i, m] = A[i, j, m, l] * x[j, l];
    }
}

tensor_kernel! {
    /// Blocks by columns.
    fn by_columns(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f64>) -> DenseMat<f64> {
        y[i, m] = A[i, j, l, m] * x[j, l];
    }
}

tensor_kernel! {
    fn residual(b: DenseMat<f64>, A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f64>) -> DenseMat<f64> {
        r[i, m] = b[i, m] - A[i, j, m, l] * x[j, l];
    }
}

tensor_kernel! {
    fn largest(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f64>) -> DenseMat<f64> {
        y[i, m] max= A[i, j, m, l] * x[j, l];
    }
}

tensor_kernel! {
    fn squared(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, B: Tensor<f64, (Dense, Compressed, Dense, Dense)>) -> Tensor<f64, (Dense, Compressed, Dense, Dense)> {
        C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
    }
}

/// All sizes of blocks, square and not.
fn sizes() -> impl Iterator<Item = [usize; 2]> {
    let square = (0..10).chain([16, 32]).map(|n| [n, n]);
    square.chain([[2, 3], [3, 2], [4, 8], [8, 4], [1, 5], [5, 1], [40, 3]])
}

/// Small integers, whose sums are exact in any order.
fn matrix(rows: usize, columns: usize, block: [usize; 2]) -> Blocks<f64> {
    let mut entries = vec![];
    for i in 0..rows {
        // A row of no blocks, and rows of one more each time.
        for j in (0..columns).filter(|j| (i * 7 + j * 5) % 6 < i % 5) {
            for (m, l) in (0..block[0]).flat_map(|m| (0..block[1]).map(move |l| (m, l))) {
                entries.push(([i, j, m, l], ((i * 3 + j * 5 + m * 7 + l * 11) % 9) as f64 - 4.0));
            }
        }
    }
    Blocks::from_triplets([rows, columns, block[0], block[1]], entries).unwrap()
}

fn vector(rows: usize, size: usize) -> DenseMat<f64> {
    DenseMat::from_dense([rows, size], (0..rows * size).map(|n| (n * n % 7) as f64 - 3.0).collect()).unwrap()
}

#[test]
fn blocks_of_all_sizes() {
    let (rows, columns) = (23, 17);
    for [m, l] in sizes() {
        let (a, x, x_rows) = (matrix(rows, columns, [m, l]), vector(columns, l), vector(columns, m));
        let mut y = vec![0.0; rows * m];
        let mut most = vec![f64::NEG_INFINITY; rows * m];
        let mut transposed = vec![0.0; rows * l];
        for ([i, j, r, c], v) in a.iter() {
            y[i * m + r] += v * x.vals()[j * l + c];
            most[i * m + r] = most[i * m + r].max(v * x.vals()[j * l + c]);
            transposed[i * l + c] += v * x_rows.vals()[j * m + r];
        }
        assert_eq!(product(&a, &x).unwrap().vals(), y, "{m} x {l}");
        assert_eq!(by_columns(&a, &x_rows).unwrap().vals(), transposed, "{m} x {l}");
        let b = vector(rows, m);
        let rest: Vec<f64> = b.vals().iter().zip(&y).map(|(b, y)| b - y).collect();
        assert_eq!(residual(&b, &a, &x).unwrap().vals(), rest, "{m} x {l}");
        // Where a row has not all blocks, what is missing is zero.
        let most: Vec<f64> = most.into_iter().map(|v| if l == 0 { v } else { v.max(0.0) }).collect();
        assert_eq!(largest(&a, &x).unwrap().vals(), most, "{m} x {l}");
        let single = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
        let entries = a.iter().map(|(at, v)| (at, v as f32));
        let a = Blocks::from_triplets([rows, columns, m, l], entries).unwrap();
        let x = DenseMat::from_dense([columns, l], single(x.vals())).unwrap();
        assert_eq!(singles(&a, &x).unwrap().vals(), single(&y), "{m} x {l}");
        let integer = |v: &[f32]| v.iter().map(|&v| v as i32).collect::<Vec<i32>>();
        let entries = a.iter().map(|(at, v)| (at, v as i32));
        let a = Blocks::from_triplets([rows, columns, m, l], entries).unwrap();
        let x = DenseMat::from_dense([columns, l], integer(x.vals())).unwrap();
        assert_eq!(integers(&a, &x).unwrap().vals(), integer(&single(&y)), "{m} x {l}");
    }
}

#[test]
fn products_of_blocks_of_all_sizes() {
    let (rows, inner, columns) = (11, 9, 10);
    for [m, l] in sizes().filter(|[m, l]| (1..=64).contains(&(m * l))) {
        for n in [l, 3] {
            let (a, b) = (matrix(rows, inner, [m, l]), matrix(inner, columns, [l, n]));
            let mut rows_of_b = BTreeMap::<_, Vec<_>>::new();
            for ([j, k, c, d], w) in b.iter() {
                rows_of_b.entry([j, c]).or_default().push(([k, d], w));
            }
            let mut sums = BTreeMap::<_, f64>::new();
            for ([i, j, r, c], v) in a.iter() {
                for &([k, d], w) in rows_of_b.get(&[j, c]).into_iter().flatten() {
                    *sums.entry([i, k, r, d]).or_default() += v * w;
                }
            }
            let c = squared(&a, &b).unwrap();
            assert!(c.iter().eq(sums), "{m} x {l} times {l} x {n}");
        }
    }
}

/// A block is read once, with all rows' sums in registers, where code is compiled for its size.
#[test]
fn blocks_are_read_once() {
    let blocks = "Tensor<f64, (Dense, Compressed, Dense, Dense)>";
    let whole = "fn f(A: Tensor<i32, (Dense, Compressed, Dense, Dense)>, x: DenseMat<i32>) -> DenseMat<i32> {
        y[i, m] = A[i, j, m, l] * x[j, l];
    }";
    let compiled = compile_kernel(parse_str(whole).unwrap(), &Options::default()).unwrap();
    let code: String =
        sparse_core::emit::rust::native(compiled.program.program()).split_whitespace().collect();
    assert!(code.contains("3=>avx512_i::<3>"), "{code}");
    for a in ["A[i, j, m, l]", "A[i, j, l, m]"] {
        for text in [
            format!("fn f(A: {blocks}, B: {blocks}) -> {blocks} {{ C[i, k, m, n] = {a} * B[j, k, l, n]; }}"),
            format!("fn f(A: {blocks}, x: DenseMat<f64>) -> DenseMat<f64> {{ y[i, m] = {a} * x[j, l]; }}"),
            format!(
                "fn f(b: DenseMat<f64>, A: {blocks}, x: DenseMat<f64>) -> DenseMat<f64> {{
                    y[i, m] = b[i, m] - {a} * x[j, l];
                }}"
            ),
        ] {
            let compiled = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap();
            let llir = compiled.program_text();
            // The product of transposed blocks is none of this.
            let known = !text.contains("A[i, j, l, m] * B");
            assert_eq!(llir.contains("if fits(256) && (1 < "), known, "{llir}");
            let code = sparse_core::emit::rust::native(compiled.program.program());
            let code: String = code.split_whitespace().collect();
            assert!(code.contains("3=>avx512_i::<3>"), "{llir}");
        }
    }
    // Rows that are a loop's of a command are as it says.
    let text = format!(
        "fn f(A: {blocks}, x: DenseMat<f64>) -> DenseMat<f64> {{ y[i, m] = A[i, j, m, l] * x[j, l]; }}
         schedule cpu {{ unroll(l, 2); }}"
    );
    let compiled = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap();
    assert!(!compiled.program_text().contains("fits(256)"));
}
