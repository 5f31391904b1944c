//! Matrices that are filled by counting: whose memory they take, and what is done with them.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, run};
use sparse_core::tensor::DynTensor;
use sparse_gpu::prelude::*;
use std::ops::{Add, Mul};

tensor_kernel! {
    fn sum_by_columns(A: Csr<f32>, B: Csr<f32>) -> Csc<f32> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

fn program(text: &str) -> (sparse_core::llir::Verified, String) {
    let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
    let text = compiled.program_text();
    (compiled.program, text)
}

fn matrix(dims: [usize; 2], salt: usize) -> Csr<f32> {
    let all = (0..dims[0] * dims[1]).filter(|n| n / dims[1] % 4 != 1 && (n * 7 + salt) % 5 < 2);
    Csr::from_triplets(dims, all.map(|n| ([n / dims[1], n % dims[1]], n as f32 + 1.0))).unwrap()
}

fn arg<T>(t: &T) -> Arg
where
    for<'a> DynTensor: From<&'a T>,
{
    Arg::Tensor(DynTensor::from(t))
}

/// Each is scattered to where it stays, though nobody knows before how many there are.
#[test]
fn a_sum_in_another_order_is_scattered_into_the_result() {
    for dims in [[0, 3], [3, 0], [1, 40], [40, 1], [23, 17]] {
        let (a, b) = (matrix(dims, 1), matrix(dims, 3));
        for (op, combine) in [("+", f32::add as fn(f32, f32) -> f32), ("*", f32::mul)] {
            let (program, text) = program(&format!(
                "fn f(A: Csr<f32>, B: Csr<f32>) -> Csc<f32> {{ C[i, j] = A[i, j] {op} B[i, j]; }}"
            ));
            assert!(!text.contains(".push(") && text.contains("C2_crd.push_n(w_all, _);"), "{text}");
            assert!(!text.contains("w_vals"), "{text}");
            let points = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
            // All that is stored is greater than 0.
            let expected = points.map(|c| (c, combine(a.get(c), b.get(c)))).filter(|(_, v)| *v > 0.0);
            let expected = Csc::from_triplets(dims, expected).unwrap();
            assert_eq!(run(&program, &[arg(&a), arg(&b)]).unwrap(), DynTensor::from(&expected), "{text}");
        }
    }
}

#[test]
fn threads_scatter_into_the_result() {
    let dims = [700, 500];
    let (a, b) = (matrix(dims, 1), matrix(dims, 3));
    let points = (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |j| [i, j]));
    let expected = points.map(|c| (c, a.get(c) + b.get(c))).filter(|(_, v)| *v > 0.0);
    let expected = Csc::from_triplets(dims, expected).unwrap();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        assert!(pool.install(|| sum_by_columns(&a, &b)).unwrap() == expected);
    }
}

#[test]
fn memory_for_rows_may_be_an_operands() {
    let (program, text) = program("fn f(A: Csr<f32>, B: Csr<f32>) -> Scalar<f32> { s = A[i, j] * B[j, i]; }");
    assert!(
        text.contains("let mut t02_pos = [unwritten; A1_dim + 1];") && !text.contains("scatter"),
        "{text}"
    );
    for [m, n] in [[0, 3], [3, 0], [1, 40], [40, 1], [23, 17]] {
        let (a, b) = (matrix([m, n], 1), matrix([n, m], 3));
        let expected: f32 = (0..m * n).map(|at| a.get([at / n, at % n]) * b.get([at % n, at / n])).sum();
        let made = run(&program, &[arg(&a), arg(&b)]).unwrap();
        assert_eq!(made.vals.iter().map(|v| v.to_f64() as f32).collect::<Vec<_>>(), [expected]);
    }
    // Of these nobody has memory for all rows.
    let listed = "fn f(A: Dcsr<f32>, B: Dcsr<f32>) -> Scalar<f32> { s = A[i, j] * B[j, i]; }";
    assert!(self::program(listed).1.contains("scatter"));
}

/// Entries are counted in one loop, to which it is all the same whose they are; they are put there row by row.
#[test]
fn entries_are_counted_in_one_loop() {
    for (statement, rows) in
        [("C[j, i] = A[i, j]", 1), ("C[j, i] = A[i, j] * d[i]", 1), ("C[j, i] = A[i, j] * B[i, j]", 2)]
    {
        let operands = ["B: Csr<f32>", "d: DenseVec<f32>"]
            .into_iter()
            .filter(|o| statement.contains(&format!("{}[", &o[..1])));
        let parameters: String = operands.map(|o| format!(", {o}")).collect();
        let (_, text) = program(&format!("fn f(A: Csr<f32>{parameters}) -> Csr<f32> {{ {statement}; }}"));
        // Of a merge the rows are told apart, by both loops.
        assert_eq!(text.matches("for i in i_begin..i_end").count(), rows, "{text}");
    }
}
