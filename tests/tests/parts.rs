//! Loops that merge, those over what was gathered first, and rows that are counted and filled, on threads without a schedule: the
//! bytes of one thread, on pools of several sizes and for any amount of work.
#![allow(non_snake_case)]

use rayon::{ThreadPool, ThreadPoolBuilder};
use sparse_core::driver::{Options, compile_kernel};
use sparse_core::format::Format;
use sparse_core::front::parse_str;
use sparse_core::tensor::{DynTensor, Tensor};
use sparse_gpu::prelude::*;

/// A kernel, and the same on one thread.
macro_rules! kernels {
    ($name:ident($($operand:ident: $format:ty),+) -> $result:ty { $($body:tt)+ }) => {
        mod $name {
            use super::*;

            tensor_kernel! {
                pub fn parts($($operand: $format),+) -> $result { $($body)+ }
                schedule cuda = none;
            }
            tensor_kernel! {
                pub fn serial($($operand: $format),+) -> $result { $($body)+ }
                schedule cpu = none;
                schedule cuda = none;
            }

            pub(super) fn check($($operand: &Csr<i64>),+) {
                let text = parts::explain();
                assert!(["for threads", "threads fill", "threads sort"].iter().any(|s| text.contains(s)), "{text}");
                $(let $operand: $format = $operand.convert().unwrap();)+
                let expected = bytes(&serial($(&$operand),+).unwrap());
                for pool in pools() {
                    // The first call in a row stays where it is, where it is worth threads that are awake alone.
                    for _ in 0..3 {
                        let found = pool.install(|| parts($(&$operand),+)).unwrap();
                        assert_eq!(bytes(&found), expected, "{} threads", pool.current_num_threads());
                    }
                }
            }
        }
    };
}

fn pools() -> Vec<ThreadPool> {
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
    [1, 2, 4].map(pool).into()
}

fn bytes<F: Format>(t: &Tensor<i64, F>) -> DynTensor {
    let t = DynTensor::from(t);
    t.validate().unwrap();
    t
}

kernels!(coo_sum(A: Coo<i64>, B: Coo<i64>) -> Coo<i64> { C[i, k] = A[i, k] + B[i, k]; });
kernels!(dcsr_sum(A: Dcsr<i64>, B: Dcsr<i64>) -> Dcsr<i64> { C[i, k] = A[i, k] - 2 * B[i, k]; });
kernels!(mixed_sum(A: Csr<i64>, B: Dcsr<i64>) -> Csr<i64> { C[i, k] = A[i, k] + B[i, k]; });
kernels!(meet(A: Dcsr<i64>, B: Coo<i64>) -> Dcsr<i64> { C[i, k] = A[i, k] * B[i, k]; });
kernels!(conversion(A: Coo<i64>) -> Csr<i64> { C[i, k] = A[i, k]; });
kernels!(product(A: Coo<i64>, B: Csr<i64>) -> Csr<i64> { C[i, k] = A[i, j] * B[j, k]; });
kernels!(of_transpose(A: Csr<i64>) -> Csr<i64> { C[i, k] = A[j, i] * A[j, k]; });
kernels!(coarse(P: Csr<i64>, A: Csr<i64>) -> Dcsr<i64> { C[i, l] = P[j, i] * A[j, k] * P[k, l]; });
kernels!(symmetric(A: Csr<i64>) -> Csr<i64> { C[i, k] = A[i, k] + A[k, i]; });
kernels!(beside(A: Csr<i64>, B: Csr<i64>) -> Csr<i64> { C[i, k] = A[k, i] + B[i, j] * A[j, k]; });
kernels!(transposed(A: Csr<i64>) -> Csr<i64> { C[k, i] = 2 * A[i, k]; });
kernels!(by_columns(A: Csc<i64>) -> Csr<i64> { C[i, k] = A[i, k]; });
kernels!(of_list(A: Coo<i64>) -> Csr<i64> { C[k, i] = A[i, k]; });
kernels!(of_rows(A: Dcsr<i64>) -> Csc<i64> { C[i, k] = A[i, k]; });
kernels!(met(A: Csr<i64>, B: Csr<i64>) -> Csr<i64> { C[k, i] = A[i, k] * B[i, k]; });
kernels!(joined(A: Csr<i64>, B: Csr<i64>) -> Csr<i64> { C[k, i] = A[i, k] - B[i, k]; });
kernels!(listed(A: Csr<i64>) -> Coo<i64> { C[k, i] = A[i, k]; });
kernels!(summed(A: Csr<i64>, B: Csr<i64>) -> Dcsr<i64> { C[k, i] = A[i, k] * B[i, j]; });
kernels!(two_hops(A: Csr<i64>, B: Csr<i64>) -> DenseVec<i64> { y[i] = A[i, j] * B[j, k]; });
kernels!(features(A: Csr<i64>, B: Csr<i64>, X: DenseMat<i64>) -> DenseMat<i64> { C[i, l] = A[i, j] * B[j, k] * X[k, l]; });
kernels!(spmv(A: Coo<i64>) -> DenseVec<i64> { y[i] = A[i, j] * 3; });

/// Rows of all lengths, many of them empty, and one that is full.
fn matrix(n: usize, salt: usize) -> Csr<i64> {
    let long = |i: usize| if i == n / 3 { n } else { (i * 7 + salt) % 23 };
    let row = |i: usize| {
        let few = if i % 4 == 1 { 0 } else { long(i) };
        (0..few).map(move |k| ([i, (i * 13 + k * (1 + salt)) % n], (i + 2 * k) as i64 % 17 - 8))
    };
    let mut entries: Vec<_> = (0..n).flat_map(row).collect();
    entries.sort_by_key(|e| e.0);
    entries.dedup_by_key(|e| e.0);
    Csr::from_triplets([n, n], entries).unwrap()
}

#[test]
fn every_amount_of_work() {
    // From less than a part to all of them.
    for n in [1, 5, 300, 800, 12_000] {
        let (a, b) = (matrix(n, 0), matrix(n, 1));
        coo_sum::check(&a, &b);
        dcsr_sum::check(&a, &b);
        mixed_sum::check(&a, &b);
        meet::check(&a, &b);
        conversion::check(&a);
        symmetric::check(&a);
        spmv::check(&a);
        two_hops::check(&a, &b);
        transposed::check(&a);
        by_columns::check(&a);
        of_list::check(&a);
        of_rows::check(&a);
        met::check(&a, &b);
        joined::check(&a, &b);
        listed::check(&a);
        if n <= 300 {
            features::check(&a, &b, &a);
        }
        if n <= 800 {
            product::check(&a, &b);
            of_transpose::check(&a);
            coarse::check(&a, &b);
            beside::check(&a, &b);
            summed::check(&a, &b);
        }
    }
}

/// So many entries that threads count and place them, or sort them.
#[test]
fn rows_that_threads_count_and_fill() {
    let (a, b) = (matrix(32_000, 0), matrix(32_000, 1));
    assert!(a.stored() > 1 << 18);
    transposed::check(&a);
    by_columns::check(&a);
    of_list::check(&a);
    of_rows::check(&a);
    met::check(&a, &b);
    joined::check(&a, &b);
    listed::check(&a);
    symmetric::check(&a);
}

/// Fewer coordinates than parts, and many entries at each.
#[test]
fn fewer_coordinates_than_parts() {
    let entries = |salt: usize| {
        (0..5).flat_map(move |i| (0..60_000).map(move |k| ([i, k * 2 + i % 2 * salt], k as i64)))
    };
    let a = Csr::from_triplets([5, 130_000], entries(0)).unwrap();
    let b = Csr::from_triplets([5, 130_000], entries(1)).unwrap();
    coo_sum::check(&a, &b);
    dcsr_sum::check(&a, &b);
    conversion::check(&a);
    transposed::check(&a);
    of_rows::check(&b);
    joined::check(&a, &b);
}

/// What a loop does at every coordinate is its work, however little is stored; rows then take as long as each other.
/// What is summed before what reads it is added to it: its loops do not stand inside of each other.
#[test]
fn parts_of_products_are_added() {
    for (text, work) in [
        (
            "fn f(A: Csr<f32>, X: DenseMat<f32>, W: DenseMat<f32>) -> DenseMat<f32> { Y[i, k] = A[i, j] * X[j, l] * W[l, k]; }",
            "A2_pos[A1_dim] * X2_dim + min(A1_dim * W2_dim, 2147483648) * X2_dim",
        ),
        (
            "fn f(A: Csr<f32>, B: Csr<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[i, k]; }",
            "A2_pos[A1_dim] + B2_pos[A1_dim] + A1_dim",
        ),
        // For each entry around, which the part itself has not.
        (
            "fn f(S: Csr<f32>, Q: DenseMat<f32>, K: DenseMat<f32>, V: DenseMat<f32>) -> DenseMat<f32> { O[i, d] = S[i, j] * Q[i, e] * K[j, e] * V[j, d]; }",
            "S2_pos[S1_dim] * Q2_dim + S2_pos[S1_dim] * V2_dim",
        ),
        // For each fiber.
        (
            "fn f(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> Dense3<f32> { Y[i, r, s] = X[i, j, k] * B[j, r] * C[k, s]; }",
            "X3_pos[X2_pos[pX1_end]] * C2_dim + min(X2_pos[pX1_end] * B2_dim, 2147483648) * C2_dim",
        ),
    ] {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
        let text = compiled.program_text();
        assert!(text.contains(&format!("for threads(work {work}, ")), "{text}");
    }
}

#[test]
fn gaps_that_take_part_are_work() {
    let matrices = "A: Csr<f64>, B: DenseMat<f64>, U: DenseMat<f64>, V: DenseMat<f64>, b: DenseVec<f64>, x: DenseVec<f64>";
    let threads = |result: &str, statement: &str| {
        let used = |name: &&str| statement.contains(&format!("{name}["));
        let arguments: Vec<&str> =
            matrices.split(", ").filter(|p| p.split(':').next().is_some_and(|n| used(&n))).collect();
        let kernel = format!("fn f({}) -> {result} {{ {statement} }}", arguments.join(", "));
        let kernel = parse_str(&kernel).unwrap_or_else(|e| panic!("{statement}: {e:?}"));
        let compiled = compile_kernel(kernel, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let text = compiled.program_text();
        let line = text.lines().find(|l| l.contains("for threads")).unwrap_or_else(|| panic!("{text}"));
        line.trim().to_string()
    };
    for (result, statement) in [
        ("DenseMat<f64>", "C[i, j] = A[i, j] + B[i, j];"),
        ("DenseVec<f64>", "s[i] = (A[i, j] - B[i, j]) * (A[i, j] - B[i, j]);"),
        ("DenseMat<f64>", "C[i, j] = A[i, j] - U[i, r] * V[j, r];"),
        ("DenseMat<f64>", "C[i, j] = exp(A[i, j]);"),
    ] {
        let line = threads(result, statement);
        assert!(!line.contains("A2_pos"), "{statement} {line}");
    }
    for (result, statement) in
        [("DenseVec<f64>", "y[i] = b[i] - A[i, j] * x[j];"), ("Csr<f64>", "C[i, j] = A[i, j] * B[i, j];")]
    {
        let line = threads(result, statement);
        assert!(line.contains("work A2_pos[") && line.contains(", balance A2_pos"), "{statement} {line}");
    }
}
