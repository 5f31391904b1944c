//! Division, infinities, NaN and signed zeros.

use super::*;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn div(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> {
        c[i] = a[i] / b[i];
    }
}
tensor_kernel! {
    fn div_sparse(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> {
        c[i] = a[i] / b[i];
    }
}
tensor_kernel! {
    fn div_by_dense(a: SparseVec<f64>, b: DenseVec<f64>) -> SparseVec<f64> {
        c[i] = a[i] / b[i];
    }
}
tensor_kernel! {
    fn div_dense(a: DenseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> {
        c[i] = a[i] / b[i];
    }
}
tensor_kernel! {
    fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}
tensor_kernel! {
    fn mul(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = a[i] * b[i];
    }
}
tensor_kernel! {
    fn sub(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = a[i] - b[i];
    }
}
tensor_kernel! {
    fn scaled(a: SparseVec<f64>, s: f64) -> SparseVec<f64> {
        y[i] = s * a[i];
    }
}
tensor_kernel! {
    fn least(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> {
        y[i] = min(a[i], b[i]);
    }
}
tensor_kernel! {
    fn greatest(a: SparseVec<f64>, b: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = max(a[i], b[i]);
    }
}
tensor_kernel! {
    fn elementwise(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = exp(a[i]) - sqrt(abs(b[i])) + floor(a[i] / 2) * ceil(b[i] / 2);
    }
}
tensor_kernel! {
    fn compare(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> {
        y[i] = (a[i] < b[i]) + 2 * (a[i] != b[i]);
    }
}
tensor_kernel! {
    fn equal(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> {
        y[i] = (a[i] == b[i]) - (a[i] >= b[i]);
    }
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn check(found: &DenseVec<f64>, expected: &[f64]) {
    let pairs = found.vals().iter().zip(expected);
    assert!(
        found.vals().len() == expected.len() && pairs.clone().all(|(&f, &e)| same(f, e)),
        "{:?} is not {expected:?}",
        found.vals()
    );
}

#[test]
fn what_is_not_stored_takes_no_part() -> Result<(), Error> {
    let av = [
        Some(6.0),
        Some(1.0),
        None,
        None,
        Some(0.0),
        Some(0.0),
        None,
        Some(-INF),
        Some(NAN),
        Some(-0.0),
        None,
    ];
    let bv =
        [Some(3.0), None, Some(2.0), None, Some(0.0), None, Some(0.0), Some(INF), Some(2.0), None, Some(NAN)];
    let sparse = |v: &[Option<f64>; 11]| {
        SparseVec::from_triplets([11], v.iter().enumerate().filter_map(|(i, v)| v.map(|v| ([i], v))))
    };
    let dense =
        |v: &[Option<f64>; 11]| DenseVec::from_dense([11], v.iter().map(|v| v.unwrap_or(0.0)).collect());
    let (a, b) = (sparse(&av)?, sparse(&bv)?);
    let both = |op: fn(Option<f64>, Option<f64>) -> f64| {
        av.iter().zip(bv).map(|(&a, b)| op(a, b)).collect::<Vec<f64>>()
    };
    // A numerator that is not stored annihilates any denominator.
    let quotient = |a: Option<f64>, b: Option<f64>| a.map_or(0.0, |a| a / b.unwrap_or(0.0));
    check(&div(&a, &b)?, &both(quotient));
    check(&div_sparse(&a, &b)?.to_dense()?, &both(quotient));
    check(&div_by_dense(&a, &dense(&bv)?)?.to_dense()?, &both(quotient));
    check(&div_dense(&dense(&av)?, &b)?, &both(|a, b| a.unwrap_or(0.0) / b.unwrap_or(0.0)));
    check(&mul(&a, &b)?, &both(|a, b| a.zip(b).map_or(0.0, |(a, b)| a * b)));
    check(&sub(&a, &b)?, &both(|a, b| a.unwrap_or(0.0) - b.unwrap_or(0.0)));
    check(&least(&a, &b)?.to_dense()?, &both(|a, b| a.unwrap_or(0.0).min(b.unwrap_or(0.0))));
    check(&greatest(&a, &dense(&bv)?)?, &both(|a, b| a.unwrap_or(0.0).max(b.unwrap_or(0.0))));
    check(
        &compare(&a, &b)?.to_dense()?,
        &both(|a, b| {
            let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
            f64::from(u8::from(a < b)) + 2.0 * f64::from(u8::from(a != b))
        }),
    );
    check(
        &equal(&a, &b)?,
        &both(|a, b| {
            let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
            f64::from(u8::from(a == b)) - f64::from(u8::from(a >= b))
        }),
    );
    check(&scaled(&a, INF)?.to_dense()?, &both(|a, _| a.map_or(0.0, |a| a * INF)));
    check(&scaled(&a, NAN)?.to_dense()?, &both(|a, _| a.map_or(0.0, |a| a * NAN)));
    Ok(())
}

#[test]
fn a_row_skips_what_it_does_not_store() -> Result<(), Error> {
    let a = Csr::from_triplets([4, 3], [([0, 0], 2.0), ([1, 1], 0.0), ([3, 2], -1.0), ([3, 0], 1.0)])?;
    let x = DenseVec::from_dense([3], vec![1.0, INF, NAN])?;
    check(&spmv(&a, &x)?, &[2.0, NAN, 0.0, NAN]);
    Ok(())
}

#[test]
fn functions_that_move_zero() -> Result<(), Error> {
    let a = [0.0, -3.0, 1.5, 0.0, 4.0];
    let b = [1.0, 0.0, -2.5, 0.0, 9.0];
    let sparse = |v: &[f64]| {
        SparseVec::from_triplets([5], v.iter().enumerate().filter(|v| *v.1 != 0.0).map(|(i, &v)| ([i], v)))
    };
    let y = elementwise(&sparse(&a)?, &sparse(&b)?)?;
    for i in 0..5 {
        let expected = f64::exp(a[i]) - b[i].abs().sqrt() + (a[i] / 2.0).floor() * (b[i] / 2.0).ceil();
        assert!((y.get([i]) - expected).abs() < 1e-12, "{i}: {} {expected}", y.get([i]));
    }
    Ok(())
}
