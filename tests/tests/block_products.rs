//! Sparse results of dense blocks whose loops do not make them in order: a workspace of whole blocks, each found once for each two that
//! are multiplied.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::emit;
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

type Blocks = Tensor<f64, (Dense, Compressed, Dense, Dense)>;

tensor_kernel! {
    fn product(A: Tensor<f64, (Dense, Compressed, Dense, Dense)>, B: Tensor<f64, (Dense, Compressed, Dense, Dense)>) -> Tensor<f64, (Dense, Compressed, Dense, Dense)> {
        C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n];
    }
}

tensor_kernel! {
    /// By the columns of the matrix, into rows that have entries.
    fn rows_by_columns(A: Csc<f64>, X: Tensor<f64, (Compressed, Dense)>) -> Tensor<f64, (Compressed, Dense)> {
        Y[i, r] = A[i, j] * X[j, r];
    }
}

tensor_kernel! {
    /// What is below the coordinates of a block may not meet: it is found for each element that has terms.
    fn met_below(A: Csr<f64>, B: Csf3<f64>, D: Tensor<f64, (Compressed, Dense)>) -> Tensor<f64, (Dense, Compressed, Dense)> {
        C[i, k, r] = A[i, j] * B[j, k, l] * D[l, r];
    }
}

/// The LLIR of a kernel, and what the Rust code is.
fn program(text: &str) -> (String, String) {
    let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
    let code = emit::rust::native(compiled.program.program());
    (compiled.program_text(), prettyplease::unparse(&syn::parse_str(&code).unwrap()))
}

const BLOCKS: &str = "Tensor<f32, (Dense, Compressed, Dense, Dense)>";

#[test]
fn a_block_is_found_once_for_each_two() {
    let text = format!(
        "fn f(A: {BLOCKS}, B: {BLOCKS}) -> {BLOCKS} {{ C[i, k, m, n] = A[i, j, m, l] * B[j, k, l, n]; }}"
    );
    let (llir, code) = program(&text);
    assert!(llir.contains("workspace w[B2_dim][A3_dim, B4_dim] += List from 0.0;"), "{llir}");
    let [k, placed, m, tile, l] =
        ["let k = B2_crd[pB];", "let w_block = place w[k];", "for m in", "for n0 in", "for reduce(acc"]
            .map(|of| llir.find(of).unwrap_or_else(|| panic!("{of}\n{llir}")));
    assert!(k < placed && placed < m && m < tile && tile < l, "{llir}");
    assert_eq!(llir.matches("place w").count(), 1, "{llir}");
    // Blocks are moved once, to where they are stored.
    assert!(code.contains("w.append("), "{code}");
    assert!(!code.contains("w.gather("), "{code}");
}

#[test]
fn rows_of_a_dense_operand_are_blocks() {
    for (text, placed, loop_over) in [
        (
            "fn f(A: Csc<f32>, X: Tensor<f32, (Compressed, Dense)>) -> Tensor<f32, (Compressed, Dense)> { Y[i, r] = A[i, j] * X[j, r]; }",
            "let w_block = place w[i];",
            "for r in 0..X2_dim",
        ),
        (
            "fn f(X: Csf3<f32>, B: DenseMat<f32>) -> Tensor<f32, (Compressed, Compressed, Dense)> { Y[i, k, r] = X[i, j, k] * B[j, r]; }",
            "let w_block = place w[k];",
            "for r in 0..B2_dim",
        ),
    ] {
        let (llir, code) = program(text);
        let begin = llir.find(placed).unwrap_or_else(|| panic!("{llir}"));
        assert!(llir[begin..].find(loop_over) < llir[begin..].find("gather w;"), "{llir}");
        assert!(code.contains("w.append("), "{code}");
    }
}

/// Where an operand lists what is in a block, or its coordinates decide what is below them, elements are scattered one by one.
#[test]
fn what_a_block_s_coordinates_decide_has_none() {
    for text in [
        // A variable of the block is above a sparse level.
        "fn f(A: Csr<f32>, B: Csr<f32>, D: Csr<f32>) -> Tensor<f32, (Dense, Compressed, Dense)> { C[i, k, r] = A[i, j] * B[j, k] * D[r, k]; }".to_owned(),
        format!(
            "fn f(A: {BLOCKS}, B: Csf3<f32>) -> {BLOCKS} {{ C[i, k, m, n] = A[i, j, m, m] * B[j, k, n]; }}"
        ),
    ] {
        let (llir, _) = program(&text);
        assert!(llir.contains("scatter w[") && !llir.contains("place w"), "{llir}");
    }
}

fn blocks(rows: usize, columns: usize, [m, n]: [usize; 2], seed: usize) -> Blocks {
    let mut entries = vec![];
    for i in 0..rows {
        for j in (0..columns).filter(|j| (i * 5 + j * 7 + seed).is_multiple_of(3)) {
            let elements = (0..m).flat_map(|a| (0..n).map(move |b| (a, b)));
            entries.extend(
                elements.map(|(a, b)| ([i, j, a, b], (i + 2 * j + 3 * a + 5 * b + seed) as f64 % 7.0 - 3.0)),
            );
        }
    }
    Blocks::from_triplets([rows, columns, m, n], entries).expect("a tensor")
}

#[test]
fn products_of_blocks_are_those_of_their_elements() -> Result<(), Error> {
    for [m, l, n] in [[1, 1, 1], [2, 3, 5], [4, 4, 4], [8, 3, 8], [3, 9, 37], [5, 4, 130]] {
        let (a, b) = (blocks(4, 5, [m, l], 1), blocks(5, 30, [l, n], 2));
        let c = product(&a, &b)?;
        let mut expected = vec![0.0; 4 * 30 * m * n];
        for ([i, j, mm, ll], x) in a.iter() {
            for ([jj, k, lll, nn], y) in b.iter() {
                if j == jj && ll == lll {
                    expected[((i * 30 + k) * m + mm) * n + nn] += x * y;
                }
            }
        }
        for i in 0..4 {
            for k in 0..30 {
                for mm in 0..m {
                    for nn in 0..n {
                        let found = c.get([i, k, mm, nn]);
                        assert_eq!(found, expected[((i * 30 + k) * m + mm) * n + nn], "{m} {l} {n}");
                    }
                }
            }
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            assert_eq!(pool.install(|| product(&a, &b))?, c);
        }
        if m * n <= 10 {
            let sim = Sim::new();
            let there = product(&a.to(&sim)?, &b.to(&sim)?)?.to_host()?;
            assert!(c.approx_eq(&there, 1e-12));
        }
    }
    Ok(())
}

/// What has no elements or no terms has no blocks.
#[test]
fn empty_blocks_are_not_stored() -> Result<(), Error> {
    for [m, l, n] in [[2, 0, 2], [0, 2, 2], [2, 2, 0]] {
        let stored = |rows, columns, m, n| -> Result<Blocks, Error> {
            let crd: Vec<i32> = (0..rows).flat_map(|_| 0..columns as i32).collect();
            let pos: Vec<i32> = (0..=rows).map(|row| (row * columns) as i32).collect();
            let vals = vec![1.0; crd.len() * m * n];
            let levels = vec![
                sparse_gpu::format::LevelArrays::Dense,
                sparse_gpu::format::LevelArrays::Compressed { pos: pos.into(), crd: crd.into() },
                sparse_gpu::format::LevelArrays::Dense,
                sparse_gpu::format::LevelArrays::Dense,
            ];
            let parts =
                sparse_gpu::tensor::Parts { dims: vec![rows, columns, m, n], levels, vals: vals.into() };
            Blocks::try_from_parts(parts).map_err(|refused| refused.error)
        };
        let c = product(&stored(3, 4, m, l)?, &stored(4, 5, l, n)?)?;
        assert_eq!(c.iter().count(), 0);
        let sparse_gpu::format::LevelArrays::Compressed { crd, .. } = &c.into_parts().levels[1] else {
            panic!()
        };
        assert!(crd.is_empty(), "{m} {l} {n}");
    }
    Ok(())
}

#[test]
fn rows_and_what_meets_below_are_summed() -> Result<(), Error> {
    let a = Csc::from_triplets([5, 4], [([3, 0], 2.0), ([1, 0], 3.0), ([3, 2], 5.0), ([0, 3], 7.0)])?;
    let x = Tensor::<f64, (Compressed, Dense)>::from_triplets(
        [4, 2],
        [([0, 0], 1.0), ([0, 1], 10.0), ([2, 1], 100.0)],
    )?;
    let y = rows_by_columns(&a, &x)?;
    let entries: Vec<_> = y.iter().collect();
    assert_eq!(entries, [([1, 0], 3.0), ([1, 1], 30.0), ([3, 0], 2.0), ([3, 1], 520.0)]);

    let a = Csr::from_triplets([1, 2], [([0, 0], 1.0), ([0, 1], 1.0)])?;
    let b = Csf3::from_triplets(
        [2, 4, 4],
        [([0, 3, 1], 2.0), ([0, 3, 2], 3.0), ([1, 1, 0], 5.0), ([1, 3, 2], 7.0)],
    )?;
    let d = Tensor::<f64, (Compressed, Dense)>::from_triplets([4, 2], [([2, 0], 1.0), ([2, 1], 10.0)])?;
    let c = met_below(&a, &b, &d)?;
    let entries: Vec<_> = c.iter().collect();
    // Nothing meets at 1, which is not stored.
    assert_eq!(entries, [([0, 3, 0], 10.0), ([0, 3, 1], 100.0)]);
    Ok(())
}
