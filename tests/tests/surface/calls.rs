//! Errors at run time, threads, generic callers.

use super::*;
use sparse_gpu::prelude::*;
use std::sync::Arc;

tensor_kernel! {
    fn spmm(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}
tensor_kernel! {
    fn into(A: Csr<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[row] = A[row, col] * x[col];
    }
}
tensor_kernel! {
    fn add(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}
tensor_kernel! {
    fn outer(b: SparseVec<f64>, c: SparseVec<f64>) -> Csr<f64> {
        A[i, j] = b[i] * c[j];
    }
}
tensor_kernel! {
    fn unread(A: Csr<f64>, x: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = 0 * A[i, j] * x[j];
    }
}

fn mismatch<T>(found: Result<T, Error>, index: &str, tensors: [(&str, usize); 2]) {
    let Err(error) = found else { panic!("sizes disagree") };
    let text = error.to_string();
    assert!(text.contains(&format!("`{index}`")), "{text}");
    for (name, size) in tensors {
        assert!(text.contains(&format!("`{name}`")) && text.contains(&size.to_string()), "{text}");
    }
    assert!(matches!(error, Error::DimensionMismatch { variable, .. } if variable == index));
}

#[test]
fn sizes_that_disagree() -> Result<(), Error> {
    let a = Csr::<f64>::from_triplets([3, 4], [])?;
    mismatch(spmm(&a, &DenseMat::zeros([5, 2])), "j", [("A", 4), ("B", 5)]);
    mismatch(into(&a, &DenseVec::zeros([3]), &mut DenseVec::zeros([3])), "col", [("A", 4), ("x", 3)]);
    let mut y = DenseVec::from_dense([2], vec![7.0, 8.0])?;
    mismatch(into(&a, &DenseVec::zeros([4]), &mut y), "row", [("A", 3), ("y", 2)]);
    assert_eq!(y.vals(), [7.0, 8.0]);
    mismatch(add(&a, &Csr::from_triplets([3, 0], [])?), "j", [("A", 4), ("B", 0)]);
    mismatch(add(&a, &Csr::from_triplets([0, 4], [])?), "i", [("A", 3), ("B", 0)]);
    mismatch(unread(&a, &SparseVec::from_triplets([9], [])?), "j", [("A", 4), ("x", 9)]);
    Ok(())
}

#[test]
fn a_result_that_positions_cannot_count() -> Result<(), Error> {
    let vector = |n: usize| SparseVec::from_triplets([2 * n], (0..n).map(|k| ([2 * k + 1], k as f64)));
    let (b, c) = (vector(3)?, vector(4)?);
    let a = outer(&b, &c)?;
    assert_eq!((a.dims(), a.stored()), ([6, 8], 12));
    assert!(a.iter().all(|([i, j], v)| v == b.get([i]) * c.get([j]) && i % 2 == 1 && j % 2 == 1));
    // Refused before there is memory for a single entry.
    let long = vector(60_000)?;
    assert!(matches!(outer(&long, &long), Err(Error::TooManyEntries { count: 3_600_000_000 })));
    assert_eq!(outer(&long, &SparseVec::from_triplets([5], [])?)?.stored(), 0);
    Ok(())
}

#[test]
fn one_kernel_on_several_threads() -> Result<(), Error> {
    let e = floats([60, 50], 3, 1);
    let f = floats([50, 9], 1, 2);
    let (a, b) =
        (Arc::new(Csr::from_triplets([60, 50], e.clone())?), DenseMat::from_triplets([50, 9], f.clone())?);
    let expected: Vec<f64> = coords([60, 9])
        .iter()
        .map(|c| (0..50).map(|j| num(&e, [c[0], j]) * num(&f, [j, c[1]])).sum())
        .collect();
    let shared = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let (a, b) = (Arc::clone(&a), &b);
                scope.spawn(move || (0..5).map(|_| spmm(&a, b)).next_back())
            })
            .collect();
        workers.into_iter().map(|w| w.join()).collect::<Vec<_>>()
    });
    for result in shared {
        let c = result.expect("no thread panics").expect("five calls")?;
        assert_eq!(c.vals(), expected);
    }
    // Results that share a pattern outlive what they share it with, on another thread.
    let twice = {
        let own = Csr::from_triplets([60, 50], e.clone())?;
        let sum = add(&own, &own)?;
        std::thread::spawn(move || (sum.clone(), sum))
    };
    let (one, two) = twice.join().expect("no thread panics");
    assert!(one == two && one.approx_eq(&two, 0.0));
    for &(at, v) in &e {
        assert_eq!(one.get(at), 2.0 * v);
    }
    Ok(())
}

fn shareable<T: Send + Sync + 'static>(_: &T) {}

fn generic<T: Element, F: Format, D: Device>(t: &Tensor<T, F, D>) -> usize
where
    Tensor<T, F, D>: Send + Sync,
{
    t.dims().as_ref().len()
}

fn through<K>(kernel: K, a: &Csr<f64>, b: &DenseMat<f64>) -> Result<DenseMat<f64>, Error>
where
    K: Fn(&Csr<f64>, &DenseMat<f64>) -> Result<DenseMat<f64>, Error> + Send + Sync + Copy + 'static,
{
    kernel(a, b)
}

type Pointer = fn(&Csr<f64>, &DenseMat<f64>) -> Result<DenseMat<f64>, Error>;

#[test]
fn kernels_and_tensors_are_values() -> Result<(), Error> {
    let a = Csr::from_triplets([2, 2], [([0, 1], 3.0)])?;
    let b = DenseMat::from_dense([2, 1], vec![5.0, 7.0])?;
    shareable(&a);
    shareable(&spmm(&a, &b)?);
    assert_eq!(generic(&a), 2);
    assert_eq!(through(|a, b| spmm(a, &b.clone()), &a, &b)?.vals(), [21.0, 0.0]);
    assert_eq!(through(spmm, &a, &b)?.vals(), [21.0, 0.0]);
    let pointer: Pointer = spmm;
    assert_eq!(pointer(&a, &b)?.vals(), [21.0, 0.0]);
    Ok(())
}
