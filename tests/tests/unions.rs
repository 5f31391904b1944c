//! Sums of many operands: one loop for all, whose code grows with the operands and not with their sets.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn sum_of_four(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = A[i, k] + B[i, k] - C[i, k] + D[i, k];
    }
}

tensor_kernel! {
    /// One term needs two of the operands.
    fn with_a_product(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = A[i, k] * B[i, k] + C[i, k] - D[i, k];
    }
}

tensor_kernel! {
    /// Rows, of which each operand lacks some, in formats of their own.
    fn of_few_rows(A: Dcsr<f64>, B: Dcsr<f64>, C: Dcsr<f64>, D: Dcsr<f64>) -> Dcsr<f64> {
        R[i, k] = A[i, k] + B[i, k] + C[i, k] + D[i, k];
    }
}

tensor_kernel! {
    fn of_entries(A: Coo<f64>, B: Dcsr<f64>, C: Coo<f64>) -> Dcsr<f64> {
        R[i, k] = A[i, k] - B[i, k] + C[i, k];
    }
}

tensor_kernel! {
    fn of_tensors(A: Csf3<f64>, B: Csf3<f64>, C: Csf3<f64>, D: Csf3<f64>) -> Csf3<f64> {
        R[i, j, k] = A[i, j, k] * B[i, j, k] + C[i, j, k] + D[i, j, k];
    }
}

tensor_kernel! {
    /// The sum is a factor of what is reduced.
    fn applied(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = (A[i, k] + B[i, k] + C[i, k] + D[i, k]) * x[k];
    }
}

tensor_kernel! {
    /// Something is done where none of the operands stores an element.
    fn shifted(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, x: DenseVec<f64>) -> DenseMat<f64> {
        R[i, k] = x[k] - (A[i, k] + B[i, k] + C[i, k] + D[i, k]);
    }
}

tensor_kernel! {
    /// Several terms are there at every coordinate.
    fn twice_shifted(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, X: DenseMat<f64>) -> DenseMat<f64> {
        R[i, k] = X[i, k] + A[i, k] + B[i, k] - (C[i, k] - X[k, i] - D[i, k] - 1);
    }
}

tensor_kernel! {
    /// A sum of each row, for all of its elements: of those rows alone that have one.
    fn with_sums_of_rows(A: Dcsr<f64>, B: Dcsr<f64>, C: Dcsr<f64>) -> Dcsr<f64> {
        R[i, k] = A[i, k] + B[i, j] + C[i, k];
    }
}

tensor_kernel! {
    /// What is added everywhere is the result's fill.
    fn above_one(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Tensor<f64, Filled<(Dense, Compressed), One>> {
        R[i, k] = A[i, k] * B[i, k] + C[i, k] + D[i, k] + 1;
    }
}

tensor_kernel! {
    /// One term needs two of the operands, another is there at every coordinate.
    fn product_and_shift(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, x: DenseVec<f64>) -> DenseMat<f64> {
        R[i, k] = A[i, k] * B[i, k] + C[i, k] + D[i, k] + x[k];
    }
}

tensor_kernel! {
    /// What the first operand stores is searched once its row's coordinate is known.
    fn with_a_diagonal(A: Csf3<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = A[i, k, k] + B[i, k] + C[i, k] + D[i, k];
    }
}

tensor_kernel! {
    /// The mask leads, and the others catch up.
    fn masked(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = M[i, k] * (A[i, k] + B[i, k] - C[i, k] + D[i, k]);
    }
}

tensor_kernel! {
    /// Two masks meet, and one term needs two operands.
    fn masked_twice(M: Dcsr<f64>, N: Coo<f64>, A: Dcsr<f64>, B: Dcsr<f64>, C: Coo<f64>, D: Dcsr<f64>) -> Dcsr<f64> {
        R[i, k] = M[i, k] * N[i, k] * (A[i, k] * B[i, k] + C[i, k] + D[i, k]);
    }
}

tensor_kernel! {
    /// The mask is gone through again with every row: it searches for what the others have.
    fn masked_by_a_list(m: SparseVec<f64>, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = m[k] * (A[i, k] + B[i, k] + C[i, k] + D[i, k]);
    }
}

tensor_kernel! {
    fn masked_by_search(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = M[i, k] * (A[i, k] + B[i, k] + C[i, k] + D[i, k]);
    }
    schedule cpu { mergeby(k, Gallop) }
}

tensor_kernel! {
    /// Something is done where the mask alone has an element.
    fn mask_and_more(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = M[i, k] + M[i, k] * (A[i, k] * B[i, k] + C[i, k] + D[i, k]);
    }
}

tensor_kernel! {
    fn masked_tensors(M: Csf3<f64>, A: Csf3<f64>, B: Csf3<f64>, C: Csf3<f64>) -> Csf3<f64> {
        R[i, j, k] = M[i, j, k] * (A[i, j, k] + B[i, j, k] + C[i, j, k]);
    }
}

tensor_kernel! {
    /// Where no term is there, nothing is added: not 0 times what is around the sum.
    fn scaled_or_not(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, x: DenseVec<f64>) -> DenseMat<f64> {
        R[i, k] = 1 - (A[i, k] * B[i, k] + C[i, k] * D[i, k]) * x[k];
    }
}

tensor_kernel! {
    /// On a GPU a thread has an element, and searches all operands for it.
    fn into_dense(A: Dcsr<f64>, B: Coo<f64>, C: Csr<f64>, D: Dcsr<f64>) -> DenseMat<f64> {
        R[i, k] = A[i, k] + B[i, k] * C[i, k] - D[i, k];
    }
}

tensor_kernel! {
    fn masked_into_dense(M: Coo<f64>, A: Dcsr<f64>, B: Coo<f64>, C: Csr<f64>) -> DenseMat<f64> {
        R[i, k] = M[i, k] * (A[i, k] + B[i, k] + C[i, k]);
    }
}

tensor_kernel! {
    /// What no operand has is the identity.
    fn largest_into_dense(
        A: Tensor<f64, Filled<(Compressed, Compressed), NegInf>>,
        B: Tensor<f64, Filled<(Compressed, Compressed), NegInf>>,
        C: Tensor<f64, Filled<(Compressed, Compressed), NegInf>>,
    ) -> DenseMat<f64> {
        R[i, j] max= max(max(A[i, j], B[i, j]), C[i, j]);
    }
}

tensor_kernel! {
    /// Two of the operands are something where nothing of them is stored, and so is the result everywhere.
    fn any_or_not(A: Csr<bool>, B: Csr<bool>, C: Csr<bool>, D: Dcsr<bool>, E: Dcsr<bool>) -> Csr<bool> {
        R[i, k] = A[i, k] | !B[i, k] & C[i, k] | D[i, k] | !E[i, k] | !(A[i, k] & C[i, k]);
    }
}

tensor_kernel! {
    /// What the operands are where nothing is stored comes to the result's fill.
    fn exponentials(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = A[i, k] * B[i, k] + exp(C[i, k]) + D[i, k] - 1;
    }
}

tensor_kernel! {
    /// The same around the sum: where no term is more than that, nothing is multiplied.
    fn scaled_exponentials(A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>, E: Csr<f64>, x: DenseVec<f64>) -> DenseMat<f64> {
        R[i, k] = 1 - (A[i, k] * B[i, k] + exp(C[i, k] * D[i, k]) + A[i, k] * E[i, k] - 1) * x[k];
    }
}

tensor_kernel! {
    /// The mask leads, and of what it lets through some is there without an element.
    fn masked_cosines(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
        R[i, k] = M[i, k] * (A[i, k] + cos(B[i, k]) + max(C[i, k], D[i, k]));
    }
}

/// Results on the CPU, and on the simulator: of the same kernel the same numbers, stored at the same places.
macro_rules! both {
    ($kernel:ident($($argument:expr),*)) => {{
        let host = $kernel($($argument),*)?;
        let sim = Sim::new();
        let there = $kernel($(&$argument.to(&sim)?),*)?.to_host()?;
        assert!(host.approx_eq(&there, 1e-12), stringify!($kernel));
        assert_eq!(host.stored(), there.stored(), stringify!($kernel));
        host
    }};
}

/// Operands of which the first few have no entries, and the others different ones.
fn matrices(dims: [usize; 2], empty: usize) -> [Csr<f64>; 4] {
    std::array::from_fn(|n| {
        let density = if n < empty { 0.0 } else { 0.1 + 0.1 * n as f64 };
        Csr::random_sparse(dims, density, n as u64 + 1)
    })
}

#[test]
fn matrices_add_up() -> Result<(), Error> {
    for (dims, empty) in [([0, 5], 0), ([5, 0], 0), ([1, 1], 0), ([30, 40], 0), ([30, 40], 3), ([30, 40], 4)]
    {
        let [a, b, c, d] = matrices(dims, empty);
        let [da, db, dc, dd] = [a.to_dense()?, b.to_dense()?, c.to_dense()?, d.to_dense()?];
        let all = || (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |k| [i, k]));
        let stores = |m: &Csr<f64>, at: [usize; 2]| m.iter().any(|(stored, _)| stored == at);

        let r = both!(sum_of_four(&a, &b, &c, &d));
        let few: [Dcsr<f64>; 4] = [a.convert()?, b.convert()?, c.convert()?, d.convert()?];
        let rows = both!(of_few_rows(&few[0], &few[1], &few[2], &few[3]));
        let (coo, last): (Coo<f64>, Coo<f64>) = (a.convert()?, c.convert()?);
        let entries = both!(of_entries(&coo, &few[1], &last));
        let x = DenseVec::<f64>::random([dims[1]], 9);
        let s = both!(shifted(&a, &b, &c, &d, &x));
        let p = both!(with_a_product(&a, &b, &c, &d));
        for at in all() {
            let [a, b, c, d] = [da.get(at), db.get(at), dc.get(at), dd.get(at)];
            assert!((r.get(at) - (a + b - c + d)).abs() < 1e-12);
            assert!((rows.get(at) - (a + b + c + d)).abs() < 1e-12);
            assert!((entries.get(at) - (a - b + c)).abs() < 1e-12);
            assert!((s.get(at) - (x.get([at[1]]) - (a + b + c + d))).abs() < 1e-12);
            assert!((p.get(at) - (a * b + c - d)).abs() < 1e-12);
        }
        let any = all().filter(|at| [&a, &b, &c, &d].iter().any(|m| stores(m, *at))).count();
        assert_eq!((r.stored(), rows.stored()), (any, any));
        let product = |at: [usize; 2]| stores(&a, at) && stores(&b, at) || stores(&c, at) || stores(&d, at);
        assert_eq!(p.stored(), all().filter(|at| product(*at)).count());

        let above = both!(above_one(&a, &b, &c, &d));
        assert_eq!(above.stored(), p.stored());
        let shifted = both!(product_and_shift(&a, &b, &c, &d, &x));
        for at in all() {
            let stored = da.get(at) * db.get(at) + dc.get(at) + dd.get(at);
            assert!((above.get(at) - (stored + 1.0)).abs() < 1e-12);
            assert!((shifted.get(at) - (stored + x.get([at[1]]))).abs() < 1e-12);
        }

        let y = both!(applied(&a, &b, &c, &d, &x));
        for i in 0..dims[0] {
            let term =
                |k: usize| [&da, &db, &dc, &dd].iter().map(|m| m.get([i, k])).sum::<f64>() * x.get([k]);
            assert!((y.get([i]) - (0..dims[1]).map(term).sum::<f64>()).abs() < 1e-12);
        }
    }
    Ok(())
}

#[test]
fn what_is_always_there_adds_up() -> Result<(), Error> {
    let [a, b, c, d] = matrices([9, 9], 1);
    let x = DenseMat::<f64>::random([9, 9], 9);
    let r = both!(twice_shifted(&a, &b, &c, &d, &x));
    for at in (0..9).flat_map(|i| (0..9).map(move |k| [i, k])) {
        let [i, k] = at;
        let stored = a.get(at) + b.get(at) - c.get(at) + d.get(at);
        assert!((r.get(at) - (x.get(at) + x.get([k, i]) + stored + 1.0)).abs() < 1e-12);
    }
    Ok(())
}

#[test]
fn rows_without_a_sum_are_not_filled() -> Result<(), Error> {
    let a = Dcsr::from_triplets([4, 5], [([1, 3], 1.0), ([2, 0], 2.0)])?;
    let b = Dcsr::from_triplets([4, 2], [([2, 0], 3.0), ([2, 1], 4.0)])?;
    let c = Dcsr::from_triplets([4, 5], [([1, 1], 5.0), ([2, 4], 6.0)])?;
    let r = both!(with_sums_of_rows(&a, &b, &c));
    let expected = [
        ([1, 1], 5.0),
        ([1, 3], 1.0),
        ([2, 0], 9.0),
        ([2, 1], 7.0),
        ([2, 2], 7.0),
        ([2, 3], 7.0),
        ([2, 4], 13.0),
    ];
    assert_eq!(r.iter().collect::<Vec<_>>(), expected);
    Ok(())
}

#[test]
fn what_is_beside_a_diagonal_is_not_stored() -> Result<(), Error> {
    let a = Csf3::from_triplets([2, 3, 3], [([0, 0, 1], 1.0), ([0, 1, 1], 2.0), ([1, 2, 0], 3.0)])?;
    let b = Csr::from_triplets([2, 3], [([0, 1], 4.0)])?;
    let (c, d) = (Csr::from_triplets([2, 3], [([1, 0], 5.0)])?, Csr::from_triplets([2, 3], [])?);
    let r = both!(with_a_diagonal(&a, &b, &c, &d));
    assert_eq!(r.iter().collect::<Vec<_>>(), [([0, 1], 6.0), ([1, 0], 5.0)]);
    Ok(())
}

/// A dense factor that is no number has a part only where a term does.
#[test]
fn what_is_not_stored_is_not_multiplied() -> Result<(), Error> {
    let [a, b, c, d] = matrices([6, 8], 0).map(|m| {
        let first = m.iter().filter(|(at, _)| at[1] < 4).collect::<Vec<_>>();
        Csr::from_triplets([6, 8], first)
    });
    let (a, b, c, d) = (a?, b?, c?, d?);
    let x = DenseVec::from_triplets([8], (0..8).map(|k| ([k], if k < 4 { 1.0 } else { f64::NAN })))?;
    let y = both!(applied(&a, &b, &c, &d, &x));
    assert!(y.vals().iter().all(|y| y.is_finite()));
    Ok(())
}

#[test]
fn tensors_add_up() -> Result<(), Error> {
    let dims = [7, 6, 9];
    let of = |density: f64, seed: u64| Csf3::<f64>::random_sparse(dims, density, seed);
    for [a, b, c, d] in [[0.3, 0.3, 0.1, 0.2], [0.0, 0.4, 0.0, 0.2], [0.4, 0.4, 0.0, 0.0], [0.0; 4]] {
        let (a, b, c, d) = (of(a, 1), of(b, 2), of(c, 3), of(d, 4));
        let r = both!(of_tensors(&a, &b, &c, &d));
        let mut stored = 0;
        for at in (0..7).flat_map(|i| (0..6).flat_map(move |j| (0..9).map(move |k| [i, j, k]))) {
            let expected = a.get(at) * b.get(at) + c.get(at) + d.get(at);
            assert!((r.get(at) - expected).abs() < 1e-12);
            let has = |t: &Csf3<f64>| t.iter().any(|(stored, _)| stored == at);
            stored += usize::from(has(&a) && has(&b) || has(&c) || has(&d));
        }
        assert_eq!(r.stored(), stored);
    }
    Ok(())
}

#[test]
fn masks_lead() -> Result<(), Error> {
    for (dims, empty) in [([0, 5], 0), ([5, 0], 0), ([1, 1], 0), ([30, 40], 0), ([30, 40], 2), ([30, 40], 4)]
    {
        let [a, b, c, d] = matrices(dims, empty);
        let [m, n] = [7, 8].map(|seed| Csr::<f64>::random_sparse(dims, 0.3, seed));
        let list = SparseVec::<f64>::random_sparse([dims[1]], 0.5, 5);
        let stores = |m: &Csr<f64>, at: [usize; 2]| m.iter().any(|(stored, _)| stored == at);
        let any = |at: [usize; 2]| [&a, &b, &c, &d].iter().any(|t| stores(t, at));
        let product = |at: [usize; 2]| stores(&a, at) && stores(&b, at) || stores(&c, at) || stores(&d, at);
        let listed = |at: [usize; 2]| list.iter().any(|(stored, _)| stored == [at[1]]);
        let all = || (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |k| [i, k]));

        let led = both!(masked(&m, &a, &b, &c, &d));
        let (few_m, coo_n): (Dcsr<f64>, Coo<f64>) = (m.convert()?, n.convert()?);
        let few: [Dcsr<f64>; 3] = [a.convert()?, b.convert()?, d.convert()?];
        let coo: Coo<f64> = c.convert()?;
        let met = both!(masked_twice(&few_m, &coo_n, &few[0], &few[1], &coo, &few[2]));
        let by_list = both!(masked_by_a_list(&list, &a, &b, &c, &d));
        let searched = both!(masked_by_search(&m, &a, &b, &c, &d));
        let more = both!(mask_and_more(&m, &a, &b, &c, &d));
        for at in all() {
            let [a, b, c, d] = [&a, &b, &c, &d].map(|t| t.get(at));
            let (m, n) = (m.get(at), n.get(at));
            assert!((led.get(at) - m * (a + b - c + d)).abs() < 1e-12);
            assert!((met.get(at) - m * n * (a * b + c + d)).abs() < 1e-12);
            assert!((by_list.get(at) - list.get([at[1]]) * (a + b + c + d)).abs() < 1e-12);
            assert!((searched.get(at) - m * (a + b + c + d)).abs() < 1e-12);
            assert!((more.get(at) - (m + m * (a * b + c + d))).abs() < 1e-12);
        }
        assert_eq!(led.stored(), all().filter(|at| stores(&m, *at) && any(*at)).count());
        assert_eq!(searched.stored(), led.stored());
        assert_eq!(more.stored(), m.stored());
        let meets = |at: [usize; 2]| stores(&m, at) && stores(&n, at) && product(at);
        assert_eq!(met.stored(), all().filter(|at| meets(*at)).count());
        assert_eq!(by_list.stored(), all().filter(|at| listed(*at) && any(*at)).count());
    }
    Ok(())
}

#[test]
fn masks_of_tensors_lead() -> Result<(), Error> {
    let dims = [7, 6, 9];
    let of = |density: f64, seed: u64| Csf3::<f64>::random_sparse(dims, density, seed);
    for [m, a, b, c] in
        [[0.3, 0.3, 0.1, 0.2], [0.4, 0.0, 0.4, 0.0], [0.0, 0.4, 0.4, 0.4], [0.4, 0.0, 0.0, 0.0]]
    {
        let (m, a, b, c) = (of(m, 1), of(a, 2), of(b, 3), of(c, 4));
        let r = both!(masked_tensors(&m, &a, &b, &c));
        let mut stored = 0;
        for at in (0..7).flat_map(|i| (0..6).flat_map(move |j| (0..9).map(move |k| [i, j, k]))) {
            let expected = m.get(at) * (a.get(at) + b.get(at) + c.get(at));
            assert!((r.get(at) - expected).abs() < 1e-12);
            let has = |t: &Csf3<f64>| t.iter().any(|(stored, _)| stored == at);
            stored += usize::from(has(&m) && (has(&a) || has(&b) || has(&c)));
        }
        assert_eq!(r.stored(), stored);
    }
    Ok(())
}

/// A dense factor of a sum that is no number has a part only where a term does, though something is done everywhere.
#[test]
fn what_is_around_no_term_is_nothing() -> Result<(), Error> {
    let [a, b, c, d] = matrices([6, 8], 0);
    let x =
        DenseVec::from_triplets([8], (0..8).map(|k| ([k], if k % 2 == 0 { 1.0 } else { f64::INFINITY })))?;
    let stores = |m: &Csr<f64>, at: [usize; 2]| m.iter().any(|(stored, _)| stored == at);
    let host = scaled_or_not(&a, &b, &c, &d, &x)?;
    let sim = Sim::new();
    let there =
        scaled_or_not(&a.to(&sim)?, &b.to(&sim)?, &c.to(&sim)?, &d.to(&sim)?, &x.to(&sim)?)?.to_host()?;
    let mut alone = 0;
    for at in (0..6).flat_map(|i| (0..8).map(move |k| [i, k])) {
        let some = stores(&a, at) && stores(&b, at) || stores(&c, at) && stores(&d, at);
        if !some {
            assert_eq!((host.get(at), there.get(at)), (1.0, 1.0), "{at:?}");
            alone += usize::from([&a, &b, &c, &d].iter().any(|m| stores(m, at)));
        }
    }
    assert!(alone > 0);
    Ok(())
}

#[test]
fn what_is_searched_together_adds_up() -> Result<(), Error> {
    for (dims, empty) in [([0, 5], 0), ([1, 1], 0), ([12, 20], 0), ([12, 20], 2), ([12, 20], 4)] {
        let [a, b, c, d] = matrices(dims, empty);
        let m = Csr::<f64>::random_sparse(dims, 0.4, 7);
        let (few, last): (Dcsr<f64>, Dcsr<f64>) = (a.convert()?, d.convert()?);
        let (coo, mask): (Coo<f64>, Coo<f64>) = (b.convert()?, m.convert()?);
        let sum = both!(into_dense(&few, &coo, &c, &last));
        let masked = both!(masked_into_dense(&mask, &few, &coo, &c));
        for at in (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |k| [i, k])) {
            let [a, b, c, d, m] = [&a, &b, &c, &d, &m].map(|t| t.get(at));
            assert!((sum.get(at) - (a + b * c - d)).abs() < 1e-12);
            assert!((masked.get(at) - m * (a + b + c)).abs() < 1e-12);
        }
    }
    Ok(())
}

#[test]
fn what_no_operand_has_is_the_identity() -> Result<(), Error> {
    let of = |entries: &[([usize; 2], f64)]| Tensor::from_triplets([2, 3], entries.iter().copied());
    let (a, b, c) = (of(&[([0, 1], 1.0)])?, of(&[([0, 1], -2.0), ([1, 0], 4.0)])?, of(&[])?);
    let r = both!(largest_into_dense(&a, &b, &c));
    let none = f64::NEG_INFINITY;
    assert_eq!(r.vals(), [none, 1.0, none, 4.0, none, none]);
    Ok(())
}

tensor_kernel! {
    /// An operand that has a term of its own decides what another's is.
    fn decided(A: SparseVec<f64>, B: SparseVec<f64>, C: SparseVec<f64>, D: SparseVec<f64>) -> DenseVec<f64> {
        R[j] = A[j] - B[j] - C[j] - max(A[j], 1) * D[j];
    }
}

/// It is asked before that operand moves on.
#[test]
fn what_decides_a_term_has_not_moved_on() -> Result<(), Error> {
    let none = SparseVec::from_triplets([3], [])?;
    let (a, d) = (SparseVec::from_triplets([3], [([2], 2.0)])?, SparseVec::from_triplets([3], [([2], 1.0)])?);
    let r = both!(decided(&a, &none, &none, &d));
    assert_eq!(r.vals(), [0.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn what_is_not_stored_is_something() -> Result<(), Error> {
    for (dims, empty) in [([0, 5], 0), ([5, 0], 0), ([1, 1], 0), ([30, 40], 0), ([30, 40], 3), ([30, 40], 4)]
    {
        let all = || (0..dims[0]).flat_map(|i| (0..dims[1]).map(move |k| [i, k]));
        let [a, b, c, d] = matrices(dims, empty);
        let [m, e] = [7, 8].map(|seed| Csr::<f64>::random_sparse(dims, 0.6, seed));
        let stores = |m: &Csr<f64>, at: [usize; 2]| m.iter().any(|(stored, _)| stored == at);

        let sum = both!(exponentials(&a, &b, &c, &d));
        let term = |at| stores(&a, at) && stores(&b, at) || stores(&c, at) || stores(&d, at);
        assert_eq!(sum.stored(), all().filter(|at| term(*at)).count());
        let cosines = both!(masked_cosines(&m, &a, &b, &c, &d));
        assert_eq!(cosines.stored(), m.stored());
        for at in all() {
            let [a, b, c, d, m] = [&a, &b, &c, &d, &m].map(|t| t.get(at));
            assert!((sum.get(at) - (a * b + c.exp() + d - 1.0)).abs() < 1e-12);
            assert!((cosines.get(at) - m * (a + b.cos() + c.max(d))).abs() < 1e-12);
        }

        // Half of what is stored is false.
        let half = |m: &Csr<f64>| {
            Csr::<bool>::from_triplets(dims, m.iter().map(|(at, _)| (at, (at[0] + at[1]).is_multiple_of(2))))
        };
        let (a, b, c, few_d, few_e) =
            (half(&a)?, half(&b)?, half(&c)?, half(&d)?.convert()?, half(&e)?.convert()?);
        let any = both!(any_or_not(&a, &b, &c, &few_d, &few_e));
        assert_eq!(any.stored(), dims[0] * dims[1]);
        for at in all() {
            let [a, b, c] = [&a, &b, &c].map(|t| t.get(at));
            let (d, e) = (few_d.get(at), few_e.get(at));
            assert_eq!(any.get(at), a | !b & c | d | !e | !(a & c), "{at:?}");
        }
    }
    Ok(())
}

/// A dense factor that is no number has a part only where an operand has: constants alone come to 0, which annihilates it.
#[test]
fn what_is_around_constants_is_nothing() -> Result<(), Error> {
    let [a, b, c, d] = matrices([6, 8], 0);
    let x =
        DenseVec::from_triplets([8], (0..8).map(|k| ([k], if k % 2 == 0 { 1.0 } else { f64::INFINITY })))?;
    let stores = |m: &Csr<f64>, at: [usize; 2]| m.iter().any(|(stored, _)| stored == at);
    let e = Csr::<f64>::random_sparse([6, 8], 0.3, 8);
    let host = scaled_exponentials(&a, &b, &c, &d, &e, &x)?;
    let sim = Sim::new();
    let [ta, tb, tc, td, te] = [&a, &b, &c, &d, &e].map(|m| m.to(&sim));
    let there = scaled_exponentials(&ta?, &tb?, &tc?, &td?, &te?, &x.to(&sim)?)?.to_host()?;
    let mut alone = 0;
    for at in (0..6).flat_map(|i| (0..8).map(move |k| [i, k])) {
        let some = stores(&a, at) && (stores(&b, at) || stores(&e, at)) || stores(&c, at) && stores(&d, at);
        if !some {
            assert_eq!((host.get(at), there.get(at)), (1.0, 1.0), "{at:?}");
            alone += usize::from([&a, &b, &c, &d].iter().any(|m| stores(m, at)));
        }
    }
    assert!(alone > 0);
    Ok(())
}

/// So it does where operands are something that nothing is stored of: a lattice has cases for all sets of the others.
#[test]
fn code_grows_with_operands_that_are_something() {
    for (format, result) in [("Csr", "Csr"), ("Dcsr", "Csr"), ("Coo", "Csr"), ("Csr", "DenseMat")] {
        let text = |n: usize| {
            let params: Vec<String> = (0..n).map(|k| format!("A{k}: {format}<bool>")).collect();
            let not = |k: usize| if k.is_multiple_of(2) { "" } else { "!" };
            let terms: Vec<String> = (0..n).map(|k| format!("{}A{k}[i, k]", not(k))).collect();
            format!("fn f({}) -> {result}<bool> {{ R[i, k] = {}; }}", params.join(", "), terms.join(" | "))
        };
        let lines = |n: usize| {
            let kernel = parse_str(&text(n)).expect("a kernel");
            let on_cpu = compile_kernel(kernel.clone(), &Options::default()).expect("a program");
            let on_gpu = compile_cuda(kernel, &Options::default()).expect("a program");
            [on_cpu, on_gpu].map(|compiled| compiled.program_text().lines().count())
        };
        let (few, more, many) = (lines(4), lines(6), lines(8));
        for device in 0..2 {
            let first = more[device] - few[device];
            assert_eq!(
                many[device] - more[device],
                first,
                "{format} into {result}: {few:?} {more:?} {many:?}"
            );
            assert!(first < 500, "{format} into {result}: {few:?} {more:?}");
        }
    }
}

/// Copies in another order, two rows that are looked for, and operands that are something: a lattice took 4.4 MB for it.
#[test]
fn a_reduction_of_many_is_no_more_code() {
    let text = "fn f(A: Tensor<bool, Reordered<(Compressed<NonUnique>, Singleton), 1, 0>>, B: Dcsr<bool>, \
         C: Dcsr<bool>, D: Csr<bool>, E: Dcsr<bool>, F: Csr<bool>) -> Csr<bool> { \
         R[i, k] |= A[i, k] | !B[i, j] & C[j, k] | D[i, k] | !E[i, k] | F[i, k]; }";
    let program = compile_cuda(parse_str(text).expect("a kernel"), &Options::default()).expect("a program");
    let code = sparse_core::emit::cuda::emit(&program.program).len();
    assert!(code < 1_000_000, "{code}");
}

/// With each operand as many lines are added, where a lattice has three times as many cases: 59,049 of ten.
#[test]
fn code_grows_with_the_operands() {
    let formats = [
        ("Csr", "Csr"),
        ("Dcsr", "Dcsr"),
        ("Coo", "Coo"),
        ("Csr", "DenseMat"),
        ("Dcsr", "DenseMat"),
        ("Coo", "DenseMat"),
    ];
    for (format, result, mask) in formats.into_iter().flat_map(|(f, r)| [(f, r, ""), (f, r, "M[i, k] * ")]) {
        let text = |n: usize| {
            let names: Vec<String> = (0..n).map(|k| format!("A{k}")).collect();
            let params = names.iter().map(String::as_str).chain((!mask.is_empty()).then_some("M"));
            let params: Vec<String> = params.map(|name| format!("{name}: {format}<f32>")).collect();
            let terms: Vec<String> = names.iter().map(|name| format!("{name}[i, k]")).collect();
            let sum = terms.join(" + ");
            format!("fn f({}) -> {result}<f32> {{ R[i, k] = {mask}({sum}); }}", params.join(", "))
        };
        let lines = |n: usize| {
            let kernel = parse_str(&text(n)).expect("a kernel");
            let on_cpu = compile_kernel(kernel.clone(), &Options::default()).expect("a program");
            let on_gpu = compile_cuda(kernel, &Options::default()).expect("a program");
            [on_cpu, on_gpu].map(|compiled| compiled.program_text().lines().count())
        };
        let (few, more, many) = (lines(6), lines(8), lines(10));
        for device in 0..2 {
            let first = more[device] - few[device];
            assert_eq!(
                many[device] - more[device],
                first,
                "{mask}{format} into {result}: {few:?} {more:?} {many:?}"
            );
            assert!(first < 500, "{mask}{format} into {result}: {few:?} {more:?}");
        }
    }
}
