//! Operands that no order of loops suits together: some are copied in another order first.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

tensor_kernel! {
    /// Edges that go both ways.
    fn reciprocal(A: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * A[j, i];
    }
}

tensor_kernel! {
    fn weaker(A: Csr<f64>, B: Csc<f64>) -> Csr<f64> {
        C[i, j] = min(A[i, j], B[i, j]);
    }
}

tensor_kernel! {
    /// What is copied stands in a term that is summed.
    fn residual(b: DenseVec<f64>, A: Csr<f64>, B: Csc<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        r[i] = b[i] - (A[i, j] + B[i, j]) * x[j];
    }
}

tensor_kernel! {
    fn triangles(A: Csr<f64>) -> Scalar<f64> {
        s = A[i, j] * A[j, k] * A[k, i];
    }
}

tensor_kernel! {
    /// A row's entries are copied, one row after another.
    fn by_rows(A: Csf3<f64>, B: Csf3<f64>) -> DenseVec<f64> {
        y[i] = A[i, j, k] * B[i, k, j];
    }
}

tensor_kernel! {
    /// What is read in another order does not depend on the first loop.
    fn inside_of_another(X: Csf4<f64>, Z: Csf3<f64>) -> Csf3<f64> {
        Y[i, j, k] = X[i, p, j, k] * Z[p, k, j];
    }
}

tensor_kernel! {
    fn inside_of_another_dense(X: Csf4<f64>, Z: Csf3<f64>) -> Tensor<f64, (Dense, Dense, Compressed)> {
        Y[i, j, k] = X[i, p, j, k] * Z[p, k, j];
    }
}

tensor_kernel! {
    fn in_its_order(X: Csf4<f64>, Z: Tensor<f64, Reordered<(Compressed, Compressed, Compressed), 0, 2, 1>>) -> Csf3<f64> {
        Y[i, j, k] = X[i, p, j, k] * Z[p, k, j];
    }
}

tensor_kernel! {
    /// A coordinate that is known when its level is reached.
    fn diagonal(A: Csf3<f64>) -> Csr<f64> {
        D[i, j] = A[i, j, i];
    }
}

tensor_kernel! {
    /// Rows by rows, which the matrix has in no other order.
    fn by_transpose(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[k, j];
    }
}

tensor_kernel! {
    fn gram(A: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * A[k, j];
    }
}

tensor_kernel! {
    fn product(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn transpose(A: Csr<f64>) -> Csr<f64> {
        T[j, i] = A[i, j];
    }
}

tensor_kernel! {
    fn ttm(A: Csf3<f64>, U: Csr<f64>) -> Csf3<f64> {
        Y[i, j, r] = A[i, j, k] * U[r, k];
    }
}

tensor_kernel! {
    /// A product of pairs of rows as a term.
    fn add_gram(A: Csr<f64>, C: Csr<f64>) -> Csr<f64> {
        D[i, k] = C[i, k] + A[i, j] * A[k, j];
    }
}

tensor_kernel! {
    fn rank_2k(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[k, j] + B[i, j] * A[k, j];
    }
}

tensor_kernel! {
    /// A Schur complement with a diagonal pivot.
    fn schur(A: Csr<f64>, B: Csr<f64>, d: DenseVec<f64>) -> Csr<f64> {
        S[i, k] = A[i, k] - B[i, j] * B[k, j] / d[j];
    }
}

tensor_kernel! {
    fn chain(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> {
        D[i, l] = A[i, j] * B[k, j] * C[l, k];
    }
}

tensor_kernel! {
    fn middle_mode(X: Csf3<f64>, A: Csr<f64>) -> Csf3<f64> {
        Y[i, l, k] = X[i, j, k] * A[l, j];
    }
}

tensor_kernel! {
    fn slices(X: Csf3<f64>, Y: Csf3<f64>) -> Csr<f64> {
        Z[i, l] = X[i, j, k] * Y[l, k, j];
    }
}

tensor_kernel! {
    fn normal(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * A[k, j] * x[k];
    }
}

tensor_kernel! {
    fn into_columns(A: Csr<f64>, B: Csr<f64>) -> Csc<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// A sum of each row, in all of its columns.
    fn shifted(X: DenseMat<f64>, A: Csr<f64>, x: DenseVec<f64>) -> DenseMat<f64> {
        Y[i, k] = X[i, k] + A[i, j] * x[j];
    }
}

/// Results on the CPU, and on the simulator: of the same kernel the same numbers.
macro_rules! both {
    ($kernel:ident($($argument:expr),*)) => {{
        let host = $kernel($($argument),*)?;
        let sim = Sim::new();
        let there = $kernel($(&$argument.to(&sim)?),*)?.to_host()?;
        assert!(host.approx_eq(&there, 1e-12), stringify!($kernel));
        host
    }};
}

fn matrix(n: usize, seed: u64) -> Csr<f64> {
    Csr::random_sparse([n, n], 0.06, seed)
}

#[test]
fn operands_are_read_in_both_orders() -> Result<(), Error> {
    for n in [0, 1, 7, 90] {
        let a = matrix(n, 3);
        let b: Csc<f64> = matrix(n, 4).convert()?;
        let (da, db) = (a.to_dense()?, b.to_dense()?);
        let all = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));

        let c = both!(reciprocal(&a));
        for (i, j) in all() {
            assert_eq!(c.get([i, j]), da.get([i, j]) * da.get([j, i]));
        }
        let expected = a.iter().filter(|([i, j], _)| a.iter().any(|(at, _)| at == [*j, *i])).count();
        assert_eq!(c.stored(), expected);

        let c = both!(weaker(&a, &b));
        for (i, j) in all() {
            assert_eq!(c.get([i, j]), da.get([i, j]).min(db.get([i, j])));
        }

        let x = DenseVec::<f64>::random([n], 5);
        let r = both!(residual(&x, &a, &b, &x));
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| (da.get([i, j]) + db.get([i, j])) * x.get([j])).sum();
            assert!((r.get([i]) - (x.get([i]) - sum)).abs() < 1e-9);
        }

        let s = both!(triangles(&a)).value()?;
        let mut expected = 0.0;
        for (i, j) in all() {
            for k in 0..n {
                expected += da.get([i, j]) * da.get([j, k]) * da.get([k, i]);
            }
        }
        assert!((s - expected).abs() < 1e-9, "{s} {expected}");
    }
    Ok(())
}

#[test]
fn fibers_are_read_in_both_orders() -> Result<(), Error> {
    for n in [0, 1, 9, 14] {
        let a: Csf3<f64> = Csf3::random_sparse([n, n, n], 0.2, 6);
        let b: Csf3<f64> = Csf3::random_sparse([n, n, n], 0.2, 7);
        let y = both!(by_rows(&a, &b));
        for i in 0..n {
            let pairs = (0..n).flat_map(|j| (0..n).map(move |k| (j, k)));
            let sum: f64 = pairs.map(|(j, k)| a.get([i, j, k]) * b.get([i, k, j])).sum();
            assert!((y.get([i]) - sum).abs() < 1e-9);
        }
        let d = both!(diagonal(&a));
        for i in 0..n {
            for j in 0..n {
                assert_eq!(d.get([i, j]), a.get([i, j, i]));
            }
        }
    }
    Ok(())
}

/// Each row of one with each of the other would be 4·10⁸ merges.
/// An operand is copied once, outside of loops that it has no part in, though it has some in loops inside of these.
#[test]
fn copies_stand_outside_of_loops_that_do_not_read_them() -> Result<(), Error> {
    let copy = " where (∀p_t0 ∀k_t0 ∀j_t0 t0[p_t0, j_t0, k_t0] = Z[p_t0, k_t0, j_t0])";
    for cin in [inside_of_another::CIN, inside_of_another_dense::CIN] {
        assert!(cin.ends_with(copy) && cin.starts_with('('), "{cin}");
    }
    let entry = |n: usize| ([n % 3, n / 3 % 4, n / 12], (n % 5) as f64 - 1.5);
    let z: Csf3<f64> = Csf3::from_triplets([3, 4, 5], (0..60).filter(|n| n % 7 != 2).map(entry))?;
    let converted = z.convert()?;
    // On a device a copy for each coordinate of the first dimension, of which few are stored, would take minutes.
    let long = 300_000;
    for (n, entries) in [(0, 0), (7, 90), (long, 40)] {
        let entry =
            |at: usize| ([at * 31 % n.max(1), at % 3, at / 3 % 5, at / 15 % 4], (at % 9) as f64 - 3.25);
        let x: Csf4<f64> = Csf4::from_triplets([n, 3, 5, 4], (0..entries).map(entry))?;
        let expected = in_its_order(&x, &converted)?;
        assert_eq!(inside_of_another(&x, &z)?, expected);
        let sim = Sim::new();
        assert_eq!(inside_of_another(&x.to(&sim)?, &z.to(&sim)?)?.to_host()?, expected);
        if n < long {
            let dense = inside_of_another_dense(&x, &z)?;
            assert!(
                dense.iter().all(|(at, value)| expected.get(at) == value)
                    && dense.stored() == expected.stored()
            );
            assert_eq!(inside_of_another_dense(&x.to(&sim)?, &z.to(&sim)?)?.to_host()?, dense);
        }
    }
    Ok(())
}

#[test]
fn pairs_of_rows_are_not_multiplied() -> Result<(), Error> {
    for (rows, others, columns, density) in [
        (0, 3, 4, 0.5),
        (3, 0, 4, 0.5),
        (3, 4, 0, 0.5),
        (1, 1, 1, 1.0),
        (40, 30, 50, 0.1),
        (300, 1, 900, 0.02),
    ] {
        let (a, b) = (
            Csr::random_sparse([rows, columns], density, 1),
            Csr::random_sparse([others, columns], density, 2),
        );
        let c = both!(by_transpose(&a, &b));
        let expected = product(&a, &transpose(&b)?)?;
        assert!(c.approx_eq(&expected, 1e-12) && c.stored() == expected.stored());
        assert!(both!(gram(&a)).approx_eq(&product(&a, &transpose(&a)?)?, 1e-12));
    }
    let a = Csr::random_sparse([20_000, 20_000], 2e-4, 3);
    assert!(gram(&a)?.approx_eq(&product(&a, &transpose(&a)?)?, 1e-12));
    assert!(gram::explain().contains("copies it, into `t0`"));

    let tensor: Csf3<f64> = Csf3::random_sparse([6, 7, 9], 0.2, 4);
    let factor = Csr::random_sparse([5, 9], 0.3, 5);
    let y = both!(ttm(&tensor, &factor));
    for (i, j, r) in (0..6).flat_map(|i| (0..7).flat_map(move |j| (0..5).map(move |r| (i, j, r)))) {
        let sum: f64 = (0..9).map(|k| tensor.get([i, j, k]) * factor.get([r, k])).sum();
        assert!((y.get([i, j, r]) - sum).abs() < 1e-12);
    }
    Ok(())
}

tensor_kernel! {
    /// Sums beside others stay inside of the rows, which threads share.
    fn beside_a_sum(b: DenseVec<f64>, A: Csr<f64>, x: DenseVec<f64>, c: DenseVec<f64>) -> DenseVec<f64> {
        r[i] = b[i] + A[i, j] * x[j] - c[k];
    }
}

tensor_kernel! {
    fn of_few_rows(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[k, j];
    }
}

#[test]
fn sums_are_not_taken_for_copies() -> Result<(), Error> {
    let (a, x) = (matrix(20, 1), DenseVec::random([20], 2));
    let r = both!(beside_a_sum(&x, &a, &x, &x));
    let all: f64 = x.vals().iter().sum();
    for i in 0..20 {
        let row: f64 = (0..20).map(|j| a.get([i, j]) * x.get([j])).sum();
        assert!((r.get([i]) - (x.get([i]) + row - all)).abs() < 1e-12);
    }
    assert!(beside_a_sum::explain().contains("∀i{CPUThread, NoRaces}"), "{}", beside_a_sum::explain());
    Ok(())
}

tensor_kernel! {
    fn product_of_few_rows(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn by_sparse_vector(A: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    /// The rows of the last matrix follow a union.
    fn sum_by_few_rows(A: Dcsr<f64>, B: Dcsr<f64>, C: Dcsr<f64>) -> Dcsr<f64> {
        D[i, k] = (A[i, j] + B[i, j]) * C[j, k];
    }
}

tensor_kernel! {
    /// They follow one operand, which does without them, too.
    fn masked_by_few(A: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] + A[i, j] * x[j];
    }
}

tensor_kernel! {
    fn pairs_of_slices(A: Csf3<f64>, B: Csf3<f64>) -> Csr<f64> {
        C[i, k] = A[i, j, l] * B[k, j, l];
    }
}

/// Rows of a matrix that does not say where each is are searched: to step over all of them for each row of the other would be
/// 3.6·10⁹ steps.
#[test]
fn stored_rows_are_searched() -> Result<(), Error> {
    for (n, density) in [(0, 0.0), (1, 1.0), (30, 0.1), (90, 0.02)] {
        let (a, b) = (Csr::random_sparse([n, n], density, 1), Csr::random_sparse([n, n], density, 2));
        let (few, others): (Dcsr<f64>, Dcsr<f64>) = (a.convert()?, b.convert()?);
        let expected: Dcsr<f64> = product(&a, &b)?.convert()?;
        assert!(both!(product_of_few_rows(&few, &others)).approx_eq(&expected, 1e-12));
        let expected: Dcsr<f64> = product(&a, &transpose(&b)?)?.convert()?;
        assert!(both!(of_few_rows(&few, &others)).approx_eq(&expected, 1e-12));
        let sum = both!(sum_by_few_rows(&few, &others, &few));
        let (dense, db) = (a.to_dense()?, b.to_dense()?);
        for (i, k) in (0..n).flat_map(|i| (0..n).map(move |k| (i, k))) {
            let at = |j: usize| (dense.get([i, j]) + db.get([i, j])) * dense.get([j, k]);
            assert!((sum.get([i, k]) - (0..n).map(at).sum::<f64>()).abs() < 1e-12);
        }
        let x = SparseVec::random_sparse([n], 0.3, 3);
        let y = both!(masked_by_few(&a, &x));
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| a.get([i, j]) * (1.0 + x.get([j]))).sum();
            assert!((y.get([i]) - sum).abs() < 1e-12);
        }
        let y = both!(by_sparse_vector(&a, &x));
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| a.get([i, j]) * x.get([j])).sum();
            assert!((y.get([i]) - sum).abs() < 1e-12);
        }
    }
    let n = 60_000;
    let a = Csr::random_sparse([n, n], 4.0 / n as f64, 3);
    let few: Dcsr<f64> = a.convert()?;
    let [square, gram]: [Dcsr<f64>; 2] = [product(&a, &a)?.convert()?, gram(&a)?.convert()?];
    assert!(product_of_few_rows(&few, &few)?.approx_eq(&square, 1e-12));
    assert!(of_few_rows(&few, &few)?.approx_eq(&gram, 1e-12));
    let doubled = sum_by_few_rows(&few, &few, &few)?;
    assert!(doubled.stored() == square.stored());
    assert!(doubled.vals().iter().zip(square.vals()).all(|(d, s)| (d - 2.0 * s).abs() < 1e-12));
    let y = by_sparse_vector(&a, &SparseVec::from_triplets([n], (0..n).map(|j| ([j], 1.0)))?)?;
    assert!((0..n).step_by(997).all(|i| {
        let row = a.level(1).pos()[i] as usize..a.level(1).pos()[i + 1] as usize;
        (y.get([i]) - a.vals()[row].iter().sum::<f64>()).abs() < 1e-12
    }));

    let (t, u): (Csf3<f64>, Csf3<f64>) =
        (Csf3::random_sparse([7, 6, 9], 0.1, 4), Csf3::random_sparse([5, 6, 9], 0.1, 5));
    let c = both!(pairs_of_slices(&t, &u));
    for (i, k) in (0..7).flat_map(|i| (0..5).map(move |k| (i, k))) {
        let all = (0..6).flat_map(|j| (0..9).map(move |l| (j, l)));
        let sum: f64 = all.map(|(j, l)| t.get([i, j, l]) * u.get([k, j, l])).sum();
        assert!((c.get([i, k]) - sum).abs() < 1e-12);
    }
    Ok(())
}

/// Nothing takes memory for dimensions of which a matrix stores a few rows.
#[test]
fn few_rows_of_large_matrices() -> Result<(), Error> {
    let n = i32::MAX as usize;
    let entries = [([1, 5], 2.0), ([1, n - 1], 3.0), ([n - 1, n - 1], 5.0)];
    let a = Dcsr::from_triplets([n, n], entries)?;
    let c = both!(of_few_rows(&a, &a));
    let found: Vec<_> = c.iter().collect();
    assert_eq!(found, [([1, 1], 13.0), ([1, n - 1], 15.0), ([n - 1, 1], 15.0), ([n - 1, n - 1], 25.0)]);
    Ok(())
}

#[test]
fn explain_says_what_is_copied_and_how_to_avoid_it() {
    let kernel =
        parse_str("fn f(A: Csr<f32>, B: Csc<f32>) -> Csr<f32> { C[i, j] = A[i, j] * B[i, j]; }").unwrap();
    let compiled = compile_kernel(kernel, &Options::default()).unwrap_or_else(|d| panic!("{d}"));
    let [warning] = &compiled.warnings[..] else { panic!("{:?}", compiled.warnings) };
    assert!(warning.starts_with("`B` is read in another order"), "{warning}");
    assert!(warning.ends_with("declare `B: Csr<f32>` and pass `B.convert()`"), "{warning}");
    assert!(reciprocal::explain().contains("`A2: Csc<f64>`"));
    // The loops that run, not the statement's own: they copy another operand, and one more.
    let warnings = |text: &str| {
        let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default());
        compiled.unwrap_or_else(|d| panic!("{d}")).warnings
    };
    let fibers = "Tensor<f64, (Dense, Dense, Compressed)>";
    let text = format!("fn f(A: Csc<f64>, D: {fibers}) -> {fibers} {{ Z[j, i, k] = A[i, k] * D[i, j, k]; }}");
    let [warning] = &warnings(&text)[..] else { panic!("{:?}", warnings(&text)) };
    assert!(warning.ends_with("declare `A: Csr<f64>` and pass `A.convert()`"), "{warning}");
    let text =
        "fn f(A: Csr<f64>, B: Csc<f64>, E: Csc<f64>) -> Csr<f64> { Z[i, j] = A[i, j] * B[i, j] * E[i, k]; }";
    for name in ["B", "E"] {
        let of = format!("`{name}` is read in another order");
        assert!(warnings(text).iter().any(|w| w.starts_with(&of)), "{:?}", warnings(text));
    }
    // Inside of what fills the result's rows.
    let rows = "fn f(A: Csf3<f64>, B: Csf3<f64>) -> Csr<f64> { R[i, k] = A[i, j, k] * B[i, k, j]; }";
    let compiled =
        compile_kernel(parse_str(rows).unwrap(), &Options::default()).unwrap_or_else(|d| panic!("{d}"));
    assert!(
        compiled.warnings.iter().any(|w| w.contains("each call copies it, into `t0`")),
        "{:?}",
        compiled.warnings
    );
}

tensor_kernel! {
    /// A schedule is about the statement's loops; those of the copy have names of their own.
    fn scheduled(A: Csr<f64>, B: Csc<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
    schedule cpu {
        split(i, i0, i1, 16);
        parallelize(i0, CPUThread, NoRaces);
    }
    schedule cuda {
        split(i, b, t, 64);
        parallelize(b, GPUBlock, NoRaces);
        parallelize(t, GPUThread, NoRaces);
    }
}

tensor_kernel! {
    /// The entries of a row are a group's.
    fn weighted(A: Csr<f64>, B: Csc<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * B[i, j] * x[j];
    }
    schedule cpu {
        split(i, i0, i1, 8);
        parallelize(i0, CPUThread, NoRaces);
    }
    schedule cuda {
        split(i, b, w, 4);
        pos(j, p, A[i, j]);
        split(p, p0, p1, 8);
        reorder(b, w, p1, p0);
        parallelize(b, GPUBlock, NoRaces);
        parallelize(w, GPUWarp, NoRaces);
        parallelize(p1, GPUGroup(8), ParallelReduction);
    }
}

#[test]
fn a_schedule_is_about_the_statement() -> Result<(), Error> {
    for n in [0, 1, 5, 200] {
        let a = matrix(n, 8);
        let b: Csc<f64> = matrix(n, 9).convert()?;
        let x = DenseVec::<f64>::random([n], 10);
        let c = both!(scheduled(&a, &b));
        let y = both!(weighted(&a, &b, &x));
        for i in 0..n {
            let products = (0..n).map(|j| a.get([i, j]) * b.get([i, j]));
            assert!(products.clone().enumerate().all(|(j, p)| c.get([i, j]) == p));
            let sum: f64 = products.enumerate().map(|(j, p)| p * x.get([j])).sum();
            assert!((y.get([i]) - sum).abs() < 1e-12);
        }
    }
    Ok(())
}

/// Where commands are about the loops that copy, what to do instead is said of the operand.
#[test]
fn a_copy_that_commands_are_about_is_refused_on_a_gpu() {
    let text = "fn f(A: Csr<f32>, B: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * B[i, j] * x[j]; } \
                schedule cuda { split(j_t0, b, t, 64); parallelize(b, GPUBlock, NoRaces); parallelize(t, GPUThread, NoRaces); }";
    let compiled = compile_cuda(parse_str(text).unwrap(), &Options::default());
    let refused = compiled.map(|c| c.program_text()).unwrap_err();
    let help =
        "`t0` is a copy of `B`, which is not needed if you declare `B: Csr<f32>` and pass `B.convert()`";
    let [d] = &refused.iter().collect::<Vec<_>>()[..] else { panic!("{refused}") };
    assert_eq!(d.help.as_deref(), Some(help));
    assert!(d.message.starts_with("`b` is a loop that fills the workspace `t0`"), "{refused}");
}

/// A square matrix by its elements.
fn elements(n: usize, f: impl Fn(usize, usize) -> f64) -> DenseMat<f64> {
    let vals = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| f(i, j)).collect();
    DenseMat::from_dense([n, n], vals).unwrap()
}

/// Of square ones.
fn product_of(a: &DenseMat<f64>, b: &DenseMat<f64>) -> DenseMat<f64> {
    let n = a.dims()[0];
    elements(n, |i, k| (0..n).map(|j| a.get([i, j]) * b.get([j, k])).sum())
}

fn transposed(a: &DenseMat<f64>) -> DenseMat<f64> {
    elements(a.dims()[0], |i, j| a.get([j, i]))
}

#[test]
fn terms_and_chains_of_pairs_of_rows() -> Result<(), Error> {
    for n in [0, 1, 7, 60] {
        let (a, b, c) = (matrix(n, 1), matrix(n, 2), matrix(n, 3));
        let (da, db, dc) = (a.to_dense()?, b.to_dense()?, c.to_dense()?);
        let d = DenseVec::<f64>::random([n], 4);
        let (at, bt, ct) = (transposed(&da), transposed(&db), transposed(&dc));
        let aat = product_of(&da, &at);
        let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-9, "{x} {y}");
        let all = || (0..n).flat_map(|i| (0..n).map(move |j| [i, j]));

        let sum = both!(add_gram(&a, &c));
        all().for_each(|at| close(sum.get(at), dc.get(at) + aat.get(at)));
        // An entry where C has one, or a pair of rows meets.
        let meets = |[i, k]: [usize; 2]| (0..n).any(|j| da.get([i, j]) != 0.0 && da.get([k, j]) != 0.0);
        assert_eq!(sum.stored(), all().filter(|&at| dc.get(at) != 0.0 || meets(at)).count());

        let two = both!(rank_2k(&a, &b));
        let (abt, bat) = (product_of(&da, &bt), product_of(&db, &at));
        all().for_each(|at| close(two.get(at), abt.get(at) + bat.get(at)));

        let pivots = DenseVec::from_dense([n], (0..n).map(|j| d.get([j]) + 2.0).collect())?;
        let s = both!(schur(&c, &a, &pivots));
        let scaled = elements(n, |j, k| da.get([k, j]) / pivots.get([j]));
        let complement = product_of(&da, &scaled);
        all().for_each(|at| close(s.get(at), dc.get(at) - complement.get(at)));

        let long = both!(chain(&a, &b, &c));
        let expected = product_of(&abt, &ct);
        all().for_each(|at| close(long.get(at), expected.get(at)));

        let y = both!(normal(&a, &d));
        (0..n).for_each(|i| close(y.get([i]), (0..n).map(|k| aat.get([i, k]) * d.get([k])).sum()));

        let columns = both!(into_columns(&a, &b));
        let ab = product_of(&da, &db);
        all().for_each(|at| close(columns.get(at), ab.get(at)));

        let shift = both!(shifted(&dc, &a, &d));
        let sums: Vec<f64> = (0..n).map(|i| (0..n).map(|j| da.get([i, j]) * d.get([j])).sum()).collect();
        all().for_each(|[i, k]| close(shift.get([i, k]), dc.get([i, k]) + sums[i]));
    }
    for n in [0, 1, 9, 13] {
        let x: Csf3<f64> = Csf3::random_sparse([n, n, n], 0.2, 6);
        let y: Csf3<f64> = Csf3::random_sparse([n, n, n], 0.2, 7);
        let a = matrix(n, 8);
        let z = both!(slices(&x, &y));
        let m = both!(middle_mode(&x, &a));
        for (i, l) in (0..n).flat_map(|i| (0..n).map(move |l| (i, l))) {
            let pairs = (0..n).flat_map(|j| (0..n).map(move |k| (j, k)));
            let sum: f64 = pairs.map(|(j, k)| x.get([i, j, k]) * y.get([l, k, j])).sum();
            assert!((z.get([i, l]) - sum).abs() < 1e-9);
            for k in 0..n {
                let sum: f64 = (0..n).map(|j| x.get([i, j, k]) * a.get([l, j])).sum();
                assert!((m.get([i, l, k]) - sum).abs() < 1e-9);
            }
        }
    }
    Ok(())
}

/// Of matrices of so many rows a sum over all pairs would take hours, and more memory than there is.
#[test]
fn pairs_of_rows_are_never_come_to() -> Result<(), Error> {
    let n = 2_000_000;
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let entries: Vec<_> = (0..20_000).map(|_| ([random(), random() % 5000], 1.0)).collect();
    let a = Csr::from_triplets([n, n], entries)?;
    let gram = gram(&a)?.stored();
    assert!(gram < 200_000);
    assert!(add_gram(&a, &a)?.stored() <= gram + a.stored());
    assert!(rank_2k(&a, &a)?.stored() == gram);
    assert!(schur(&a, &a, &DenseVec::full([n], 2.0))?.stored() <= gram + a.stored());
    assert!(chain(&a, &a, &a)?.stored() < 2_000_000);
    assert_eq!(normal(&a, &DenseVec::full([n], 1.0))?.dims(), [n]);
    Ok(())
}

tensor_kernel! {
    fn copied_by_lanes(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { R[i, j] = A[i, j] + B[j, i]; }
    schedule cpu { bound(j, j1, 4, MaxExact); parallelize(j_t0, CPUVector, NoRaces); }
    schedule cuda = none;
}

/// Entries of a copy find their places one after another, whatever the schedule asks of lanes.
#[test]
fn lanes_do_not_count() -> Result<(), Error> {
    let a = Csr::from_triplets([3, 4], [([0, 3], 1.0)])?;
    let b = Csr::from_triplets(
        [4, 3],
        [([0, 0], 2.0), ([1, 0], 3.0), ([2, 0], 4.0), ([3, 0], 5.0), ([3, 2], 6.0)],
    )?;
    let r = copied_by_lanes(&a, &b)?;
    let expected = [([0, 0], 2.0), ([0, 1], 3.0), ([0, 2], 4.0), ([0, 3], 6.0), ([2, 3], 6.0)];
    assert_eq!(r.iter().collect::<Vec<_>>(), expected);
    Ok(())
}
