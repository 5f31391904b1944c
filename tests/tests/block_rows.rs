//! Products of block matrices: a row's partial sums, vectors or register tiles, are added up once a row, not once a block.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::emit;
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

type Blocks = Tensor<f32, (Dense, Compressed, Dense, Dense)>;

tensor_kernel! {
    fn product(A: Tensor<f32, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f32>) -> DenseMat<f32> {
        y[i, bi] = A[i, j, bi, bj] * x[j, bj];
    }
}

tensor_kernel! {
    /// Of two vectors in each block.
    fn difference(A: Tensor<f32, (Dense, Compressed, Dense, Dense)>, x: DenseMat<f32>) -> DenseMat<f32> {
        y[i, bi] = A[i, j, bi, bj] * x[j, bj] - A[i, j, bi, bj] * x[i, bj];
    }
}

tensor_kernel! {
    fn products(A: Tensor<f32, (Dense, Compressed, Dense, Dense)>, X: Dense3<f32>) -> Dense3<f32> {
        Y[i, bi, k] = A[i, j, bi, bj] * X[j, bj, k];
    }
}

/// What the iterations of the outermost loop do.
fn code(operand: &str, statement: &str) -> String {
    let blocks = "A: Tensor<f32, (Dense, Compressed, Dense, Dense)>";
    body(&format!("fn f({operand}{blocks}, x: DenseMat<f32>) -> DenseMat<f32> {{ {statement} }}"))
}

/// What the iterations of a kernel's loop over rows do.
fn body(kernel: &str) -> String {
    let compiled = compile_kernel(parse_str(kernel).unwrap(), &Options::default()).unwrap();
    let text = emit::rust::native(compiled.program.program());
    let text = prettyplease::unparse(&syn::parse_str(&text).unwrap());
    let begin = text.find("unsafe fn body_i(").unwrap();
    text[begin..begin + text[begin..].find("\n}\n").unwrap()].to_owned()
}

#[test]
fn partial_sums_stand_outside_of_the_blocks_loop() {
    let code = code("", "y[i, bi] = A[i, j, bi, bj] * x[j, bj];");
    // Blocks that are small and square have a way of their own.
    let (_, code) = code.split_once("} else {").unwrap();
    let [partial, blocks, sum] =
        ["let mut partial = isa.splat", "for pA in", "t += partial.sum() + fours.sum();"].map(|of| {
            assert_eq!(code.matches(of).count(), 1, "{of}\n{code}");
            code.find(of).unwrap()
        });
    assert!(partial < blocks && blocks < sum, "{code}");
    // As far inside as the loop's beginning: after it.
    let indent = |at: usize| at - code[..at].rfind('\n').unwrap();
    assert_eq!(indent(blocks), indent(sum), "{code}");
}

#[test]
fn tiles_side_by_side_stand_outside_of_the_blocks_loop() {
    let code = body(
        "fn f(A: Tensor<f32, (Dense, Compressed, Dense, Dense)>, X: Dense3<f32>) -> Dense3<f32> {
            Y[i, bi, k] = A[i, j, bi, bj] * X[j, bj, k];
        }",
    );
    let [begin, end] = ["in (k_end_3..k_end_4)", "in (k_end_4..k_end_5)"].map(|of| code.find(of).unwrap());
    let tile = &code[begin..end];
    let order =
        ["let mut partial = [[0.0_f32; 8]; 4]", "for pA in", "while next + 4 <= end", "for at in 0..8"];
    let order = order.map(|of| tile.find(of).unwrap_or_else(|| panic!("{of}\n{tile}")));
    assert!(order.is_sorted(), "{tile}");
    let indent = |at: usize| at - tile[..at].rfind('\n').unwrap();
    assert_eq!(indent(order[0]), indent(order[3]), "{tile}");
}

#[test]
fn rows_of_entries_keep_their_own_scalars() {
    // Exponentials are taken one by one.
    let compiled = "fn f(A: Csr<f64>) -> Scalar<f64> { s max= exp(A[i, j]); }";
    let compiled = compile_kernel(parse_str(compiled).unwrap(), &Options::default()).unwrap();
    let code = emit::rust::native(compiled.program.program());
    let code = prettyplease::unparse(&syn::parse_str(&code).unwrap());
    let [rows, sums, largest] = ["for i in", "let mut partial = [-f64::INFINITY; 4]", "partial[0].max"]
        .map(|of| code.find(of).unwrap_or_else(|| panic!("{of}\n{code}")));
    assert!(rows < sums && sums < largest, "{code}");
}

#[test]
fn other_totals_are_added_up_inside() {
    // A factor of the block's sum.
    let code = code("B: Csr<f32>, ", "y[i, bi] = B[i, j] * (A[i, j, bi, bj] * x[j, bj]);");
    let (blocks, sum) = (code.find("let mut partial = isa.splat"), code.find("partial.sum()"));
    assert!(code.find("loop {").unwrap() < blocks.unwrap() && blocks < sum, "{code}");
}

fn blocks(rows: usize, size: usize) -> Blocks {
    let here = |i: usize, j: usize| (i * 5 + j * 3) % 7 < 2 && i % 5 != 4;
    let all = (0..rows * rows).map(|n| [n / rows, n % rows]).filter(|[i, j]| here(*i, *j));
    let entries = all.flat_map(|[i, j]| {
        (0..size * size).map(move |n| ([i, j, n / size, n % size], ((i + 3 * j + 7 * n) % 9) as f32 - 4.0))
    });
    Blocks::from_triplets([rows, rows, size, size], entries).unwrap()
}

#[test]
fn blocks_of_all_sizes() {
    for size in [0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 150] {
        let rows = if size > 20 { 9 } else { 40 };
        let a = blocks(rows, size);
        let x: Vec<f32> = (0..rows * size).map(|n| (n * 7 % 11) as f32 - 5.0).collect();
        let x = DenseMat::from_dense([rows, size], x).unwrap();
        let (mut y, mut z) = (vec![0.0; rows * size], vec![0.0; rows * size]);
        for ([i, j, bi, bj], v) in a.iter() {
            y[i * size + bi] += v * x.get([j, bj]);
            z[i * size + bi] += v * (x.get([j, bj]) - x.get([i, bj]));
        }
        assert_eq!(product(&a, &x).unwrap().vals(), y, "{size}");
        assert_eq!(difference(&a, &x).unwrap().vals(), z, "{size}");
    }
}

#[test]
fn products_with_columns_of_all_sizes() {
    for size in [0, 1, 2, 3, 4, 5, 9] {
        for columns in [0, 1, 4, 7, 8, 33, 45, 140] {
            let (rows, a) = (11, blocks(11, size));
            let x: Vec<f32> = (0..rows * size * columns).map(|n| (n * 7 % 11) as f32 - 5.0).collect();
            let x = Dense3::from_dense([rows, size, columns], x).unwrap();
            let mut y = vec![0.0; rows * size * columns];
            for ([i, j, bi, bj], v) in a.iter() {
                (0..columns).for_each(|k| y[(i * size + bi) * columns + k] += v * x.get([j, bj, k]));
            }
            assert_eq!(products(&a, &x).unwrap().vals(), y, "{size} {columns}");
        }
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let a = blocks(300, 8);
    let x = (0..300 * 8).map(|n| 1.0 / (n % 37 + 3) as f32).collect();
    let x = DenseMat::from_dense([300, 8], x).unwrap();
    let made = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let y = pool.install(|| product(&a, &x)).unwrap();
        y.vals().iter().map(|v| v.to_bits()).collect::<Vec<_>>()
    });
    assert!(made.iter().all(|bits| *bits == made[0]));
}
