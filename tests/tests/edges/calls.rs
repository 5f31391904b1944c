//! Calls that are wrong, and calls from everywhere: threads, pools, with shared and with huge operands.

use crate::everywhere;
use sparse_gpu::prelude::*;

tensor_kernel! { fn spmm(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; } }
tensor_kernel! { fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[j, k]; } }
tensor_kernel! { fn trace(A: Csr<f64>) -> Scalar<f64> { t = A[i, i]; } }
tensor_kernel! { fn triangles(A: Csr<f64>) -> Csr<f64> { T[i, k] = A[i, k] * A[i, j] * A[j, k]; } }
tensor_kernel! {
    fn mttkrp(X: Csf3<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> DenseMat<f64> {
        A[i, r] = X[i, j, k] * B[j, r] * C[k, r];
    }
}
tensor_kernel! {
    fn gemv(A: Csr<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>, alpha: f64) { y[i] += alpha * A[i, j] * x[j]; }
}
tensor_kernel! {
    fn bounded(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }
    schedule cpu { bound(k, kb, 8, MaxExact); split(kb, k0, k1, 4); }
    schedule cuda = none;
}

/// The call fails on the host and on the simulator, by the same message, which names the variable, the tensors and sizes.
macro_rules! refused {
    ($variable:literal, $first:literal: $n:expr, $second:literal: $m:expr; $kernel:ident, $($tensor:expr),+) => {{
        let sim = Sim::new();
        let here = $kernel($(&$tensor),+).map(|_| ()).expect_err("sizes disagree").to_string();
        let there = $kernel($(&$tensor.to(&sim)?),+).map(|_| ()).expect_err("sizes disagree").to_string();
        assert_eq!(here, there);
        let start = format!("index variable `{}` has size {} in `{}` but {} in `{}`", $variable, $n, $first, $m, $second);
        assert!(here.starts_with(&start), "`{here}`, expected `{start}`");
    }};
}

#[test]
fn sizes_that_disagree() -> Result<(), Error> {
    let a = |m, n| Csr::from_triplets([m, n], []).expect("empty");
    let b = |m, n| DenseMat::<f64>::zeros([m, n]);
    refused!("j", "A": 4, "B": 5; spmm, a(3, 4), b(5, 2));
    refused!("j", "A": 4, "B": 0; spmm, a(3, 4), b(0, 2));
    refused!("j", "A": 0, "B": 1; spmm, a(0, 0), b(1, 0));
    refused!("j", "A": 4, "B": 3; spgemm, a(3, 4), a(3, 4));
    refused!("i", "A": 3, "A": 4; trace, a(3, 4));
    let mismatch = triangles(&a(3, 4)).expect_err("not square").to_string();
    assert!(mismatch.contains("3 in `A`") && mismatch.contains("4 in `A`"), "{mismatch}");
    let x = Csf3::from_triplets([2, 3, 4], [])?;
    refused!("j", "X": 3, "B": 4; mttkrp, x, b(4, 5), b(4, 5));
    refused!("k", "X": 4, "C": 3; mttkrp, x, b(3, 5), b(3, 5));
    refused!("r", "B": 5, "C": 6; mttkrp, x, b(3, 5), b(4, 6));
    let mut y = DenseVec::full([3], 1.0);
    for (n, m, name) in [(4, 2, "y"), (5, 3, "x")] {
        let mut wrong = DenseVec::full([m], 1.0);
        let text = gemv(&a(3, 4), &DenseVec::zeros([n]), &mut wrong, 2.0).unwrap_err().to_string();
        assert!(text.contains(&format!("in `{name}`")), "{text}");
        assert_eq!(wrong.vals(), vec![1.0; m], "a call that is refused writes nothing");
    }
    gemv(&a(3, 4), &DenseVec::full([4], f64::NAN), &mut y, f64::NAN)?;
    assert_eq!(y.vals(), [1.0; 3]);
    let text = bounded(&a(3, 4), &b(4, 7)).unwrap_err().to_string();
    assert!(text.contains("`k` has size 7 in `B`") && text.contains("exactly 8"), "{text}");
    assert_eq!(bounded(&a(3, 4), &b(4, 8))?.dims(), [3, 8]);
    Ok(())
}

#[test]
fn clones_share_memory_and_not_writes() -> Result<(), Error> {
    let a = Csr::from_triplets([3, 3], [([0, 1], 2.0), ([1, 2], 3.0), ([2, 0], 4.0)])?;
    let x = DenseVec::from_dense([3], vec![1.0, 10.0, 100.0])?;
    let mut y = x.clone();
    gemv(&a, &x, &mut y, 1.0)?;
    assert_eq!((x.vals(), y.vals()), (&[1.0, 10.0, 100.0][..], &[21.0, 310.0, 104.0][..]));
    let sim = Sim::new();
    let there = x.to(&sim)?;
    let mut y = there.clone();
    gemv(&a.to(&sim)?, &there, &mut y, 1.0)?;
    assert_eq!((there.to_host()?.vals(), y.to_host()?.vals()), (x.vals(), &[21.0, 310.0, 104.0][..]));
    // A tensor whose values are written through `vals_mut` is its own, and so is a result that shares a pattern.
    let mut t = triangles(&a)?;
    let kept = t.clone();
    t.vals_mut().fill(7.0);
    assert!(kept.iter().all(|e| e.1 != 7.0));
    let mut b = a.clone();
    b.vals_mut().fill(0.0);
    assert_eq!(a.get([0, 1]), 2.0);
    Ok(())
}

tensor_kernel! {
    fn far_parts(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }
    schedule cpu {
        split(i, i0, i1, 2147483648);
        divide(k, k0, k1, 1000);
    }
    schedule cuda = none;
}

#[test]
fn parts_that_are_larger_than_dimensions() -> Result<(), Error> {
    for (m, n, k) in [(0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (5, 4, 3)] {
        let a = Csr::from_triplets([m, n], (0..m.min(n)).map(|i| ([i, n - 1 - i], 1.0 + i as f64)))?;
        let b = DenseMat::from_dense([n, k], (0..n * k).map(|v| v as f64).collect())?;
        assert!(far_parts(&a, &b)? == spmm(&a, &b)?, "{m} x {n} x {k}");
    }
    Ok(())
}

tensor_kernel! {
    fn a_block_of_far_parts(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }
    schedule cuda { split(i, i0, i1, 2147483648); parallelize(i0, GPUBlock, NoRaces); }
}
tensor_kernel! {
    fn threads_of_far_parts(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }
    schedule cuda {
        split(i, i0, i1, 134217728);
        split(i0, bl, t, 32);
        parallelize(bl, GPUBlock, NoRaces);
        parallelize(t, GPUThread, NoRaces);
    }
}

/// What one block goes over is more than 32 bits count: there is one block, and its coordinates fit.
#[test]
fn parts_of_a_grid_that_are_larger_than_dimensions() -> Result<(), Error> {
    let a = some(10, 3);
    let x = DenseVec::from_dense([10], (0..10).map(f64::from).collect())?;
    everywhere!(a_block_of_far_parts, a, x);
    everywhere!(threads_of_far_parts, a, x);
    Ok(())
}

fn some(n: usize, seed: u64) -> Csr<f64> {
    // Whole numbers, so that any order of a sum has the same bits.
    let r = Csr::<i32>::random_sparse([n, n], 0.05, seed);
    r.cast()
}

#[test]
fn from_many_threads_and_pools() -> Result<(), Error> {
    let (a, b) = (some(300, 1), some(300, 2));
    let d = b.to_dense()?;
    let (product, sparse) = (spmm(&a, &d)?, spgemm(&a, &b)?);
    let call = || -> Result<(), Error> {
        assert!(spmm(&a, &d)? == product);
        assert!(spgemm(&a, &b)? == sparse);
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16).map(|_| scope.spawn(|| (0..3).try_for_each(|_| call()))).collect();
        workers.into_iter().try_for_each(|w| w.join().expect("no panic"))
    })?;
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(call)?;
        // Kernels inside of parallel loops, as many as there are threads and more.
        pool.install(|| {
            use rayon::prelude::*;
            (0..20).into_par_iter().try_for_each(|_| call())
        })?;
        let (left, right) = pool.join(call, call);
        left.and(right)?;
        pool.scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|_| call().expect("a call in a scope"));
            }
        });
    }
    // One simulator for all threads.
    let sim = Sim::new();
    let (a, b) = (some(40, 1), some(40, 2));
    let (here, there) = (spgemm(&a, &b)?, (a.to(&sim)?, b.to(&sim)?));
    std::thread::scope(|scope| {
        let call = || spgemm(&there.0, &there.1)?.to_host();
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
        workers.into_iter().try_for_each(|w| w.join().expect("no panic").map(|c| assert!(c == here)))
    })
}

tensor_kernel! { fn dot(a: SparseVec<f64>, b: SparseVec<f64>) -> Scalar<f64> { s = a[i] * b[i]; } }
tensor_kernel! { fn union(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> { c[i] = a[i] + b[i]; } }
tensor_kernel! { fn outer(a: SparseVec<f64>, b: SparseVec<f64>) -> Dcsr<f64> { C[i, j] = a[i] * b[j]; } }
tensor_kernel! { fn turned(A: Dcsr<f64>) -> Dcsr<f64> { B[j, i] = A[i, j]; } }
tensor_kernel! { fn widest(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> { C[i, k] = A[i, j] * B[j, k]; } }
tensor_kernel! {
    fn in_parts(a: SparseVec<f64>, b: SparseVec<f64>) -> Scalar<f64> { s = a[i] * b[i]; }
    schedule cpu {
        split(i, i0, i1, 1073741824);
        parallelize(i0, CPUThread, Temporary);
    }
    schedule cuda = none;
}

#[test]
fn dimensions_as_large_as_they_can_be() -> Result<(), Error> {
    let n = i32::MAX as usize;
    let a = SparseVec::from_triplets([n], [([0], 1.0), ([n / 2], 2.0), ([n - 1], 3.0)])?;
    let b = SparseVec::from_triplets([n], [([1], 5.0), ([n / 2], 7.0), ([n - 1], 11.0)])?;
    assert_eq!(everywhere!(dot, a, b).value()?, 47.0);
    assert_eq!(in_parts(&a, &b)?.value()?, 47.0);
    let c = union(&a, &b)?;
    assert_eq!((c.stored(), c.get([n - 1]), c.get([0]), c.get([1])), (4, 14.0, 1.0, 5.0));
    let m = outer(&a, &b)?;
    assert_eq!((m.dims(), m.stored(), m.get([n - 1, n - 1]), m.get([0, 1])), ([n, n], 9, 33.0, 5.0));
    let t = turned(&m)?;
    assert_eq!((t.dims(), t.stored(), t.get([n - 1, n - 1]), t.get([1, 0])), ([n, n], 9, 33.0, 5.0));
    // Every column of the second meets the one row of the first that has it: 0.
    let p = widest(&m, &turned(&outer(&a, &a)?)?)?;
    assert_eq!((p.dims(), p.stored()), ([n, n], 9));
    assert_eq!(p.get([n - 1, 0]), 3.0 * (7.0 * 2.0 + 11.0 * 3.0));
    // A device counts in 32 bits too, to the end of its last block.
    let sim = Sim::new();
    let (sa, sb, sm) = (a.to(&sim)?, b.to(&sim)?, m.to(&sim)?);
    let too_large = |e: Error| assert!(matches!(e, Error::TooLargeForDevice { .. }), "{e}");
    union(&sa, &sb).map_or_else(too_large, |there| assert!(there.to_host().unwrap() == c));
    outer(&sa, &sb).map_or_else(too_large, |there| assert!(there.to_host().unwrap() == m));
    turned(&sm).map_or_else(too_large, |there| assert!(there.to_host().unwrap() == t));
    Ok(())
}

tensor_kernel! {
    fn all_coordinates(A: Coo<f64>, x: SparseVec<f64>) -> Scalar<f64> { s = A[i, j] * x[k]; }
    schedule cpu { fuse(i, j, f); fuse(f, k, g); }
    schedule cuda {
        fuse(i, j, f); fuse(f, k, g); split(g, block, thread, 256);
        parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, Atomics);
    }
}

tensor_kernel! {
    fn all_with_entries(A: Tensor<f64, (Compressed, Compressed, Compressed)>) -> Scalar<f64> { s = A[i, j, k]; }
    schedule cpu { pos(i, p, A[i, j, k]); fuse(p, j, f); fuse(f, k, g); }
    schedule cuda {
        pos(i, p, A[i, j, k]); fuse(p, j, f); fuse(f, k, g); split(g, block, thread, 256);
        parallelize(block, GPUBlock, NoRaces); parallelize(thread, GPUThread, Atomics);
    }
}

/// Nor that of coordinates of two dimensions with each entry.
#[test]
fn coordinates_with_entries_that_cannot_be_counted() -> Result<(), Error> {
    let call = |n: usize| {
        let a =
            Csf3::from_triplets([4, n, n], [([0, 0, 0], 2.0), ([1, 2, 0], 3.0), ([3, n - 1, n - 1], 4.0)])?;
        let sim = Sim::new();
        let there = all_with_entries(&a.to(&sim)?).and_then(|s| s.to_host()?.value());
        Ok::<_, Error>([all_with_entries(&a).and_then(|s| s.value()), there])
    };
    for value in call(5)? {
        assert_eq!(value?, 9.0);
    }
    for refused in call(i32::MAX as usize)? {
        let refused = refused.expect_err("more than 2^62 iterations").to_string();
        let sizes = "the loop `g` has 3 × 2147483647 × 2147483647 iterations, which are more than 2^62";
        assert!(refused.starts_with(sizes), "{refused}");
    }
    Ok(())
}

/// The number of coordinates of three dimensions need not be an index.
#[test]
fn coordinates_that_cannot_be_counted() -> Result<(), Error> {
    let call = |m: usize, n: usize| {
        let a = Coo::from_triplets([m, m], [([0, 0], 2.0), ([m - 1, m - 1], 3.0)])?;
        let x = SparseVec::from_triplets([n], [([n - 1], 5.0)])?;
        let sim = Sim::new();
        let there = all_coordinates(&a.to(&sim)?, &x.to(&sim)?).and_then(|s| s.to_host()?.value());
        Ok::<_, Error>([all_coordinates(&a, &x).and_then(|s| s.value()), there])
    };
    for value in call(3, 4)? {
        assert_eq!(value?, 25.0);
    }
    for refused in call(i32::MAX as usize, 3)? {
        let refused = refused.expect_err("more than 2^62 coordinates").to_string();
        let sizes = "the loop `g` has 2147483647 × 2147483647 × 3 iterations, which are more than 2^62";
        assert!(refused.starts_with(sizes), "{refused}");
    }
    Ok(())
}
