//! Products of small integers: sums that wrap, clamps, and one kernel for each element type by a macro of the user's.

use super::{coords, everywhere, numbers};
use sparse_gpu::prelude::*;

/// The same kernels for an element type.
macro_rules! kernels {
    ($name:ident, $t:ty) => {
        mod $name {
            use sparse_gpu::prelude::*;
            tensor_kernel! {
                /// Y = W·X
                pub(super) fn layer(W: Csr<$t>, X: DenseMat<$t>) -> DenseMat<$t> {
                    Y[i, n] = W[i, j] * X[j, n];
                }
            }
            tensor_kernel! {
                /// What was multiplied, between two bounds.
                pub(super) fn clamp(Y: DenseMat<$t>, low: $t, high: $t) -> DenseMat<$t> {
                    Z[i, n] = min(max(Y[i, n], low), high);
                }
            }
            tensor_kernel! {
                pub(super) fn product(W: Csr<$t>, V: Csr<$t>) -> Csr<$t> {
                    U[i, k] = W[i, j] * V[j, k];
                }
            }
            tensor_kernel! {
                pub(super) fn sum(W: Csr<$t>, V: Csc<$t>) -> Csr<$t> {
                    U[i, k] = W[i, k] + V[i, k];
                }
            }
            tensor_kernel! {
                pub(super) fn largest(W: Csr<$t>) -> DenseVec<$t> {
                    m[i] max= W[i, j];
                }
            }
        }
    };
}
kernels!(of_u8, u8);
kernels!(of_i32, i32);
kernels!(of_i64, i64);
kernels!(of_f32, f32);
kernels!(of_f64, f64);

/// Runs the kernels for a type with these operations.
macro_rules! run {
    ($name:ident, $t:ty, $add:expr, $mul:expr, $large:expr) => {{
        let (add, mul): (fn($t, $t) -> $t, fn($t, $t) -> $t) = ($add, $mul);
        let mut number = numbers(5);
        let mut value = || match number() {
            n @ -4..=-2 => (n + 5) as $t * $large as $t,
            n => (n + 1) as $t,
        };
        let (w, v) = (Csr::<$t>::random_sparse([13, 11], 0.3, 1), Csr::<$t>::random_sparse([11, 9], 0.3, 2));
        let w = Csr::from_triplets([13, 11], w.iter().map(|e| (e.0, value())))?;
        let v = Csr::from_triplets([11, 9], v.iter().map(|e| (e.0, value())))?;
        let x = DenseMat::from_dense([11, 4], (0..44).map(|_| value()).collect())?;
        let zero = <$t>::default();
        let sum = |terms: &mut dyn Iterator<Item = $t>| terms.fold(zero, add);
        let y = everywhere!($name::layer, &w, &x);
        for [i, n] in coords([13, 4]) {
            assert_eq!(y.get([i, n]), sum(&mut (0..11).map(|j| mul(w.get([i, j]), x.get([j, n])))));
        }
        let z = everywhere!($name::clamp, &y; 2 as $t, 9 as $t);
        assert!(z.iter().all(|(at, v)| v == y.get(at).max(2 as $t).min(9 as $t)));
        let u = everywhere!($name::product, &w, &v);
        for [i, k] in coords([13, 9]) {
            assert_eq!(u.get([i, k]), sum(&mut (0..11).map(|j| mul(w.get([i, j]), v.get([j, k])))));
        }
        let other = w.iter().map(|(at, v)| ([at[0], (at[1] + at[0]) % 11], v)).collect::<Vec<_>>();
        let c = Csc::from_triplets([13, 11], other)?;
        let s = everywhere!($name::sum, &w, &c);
        for at in coords([13, 11]) {
            assert_eq!(s.get(at), add(w.get(at), c.get(at)));
        }
        let m = everywhere!($name::largest, &w);
        for i in 0..13 {
            let most = (0..11).map(|j| w.get([i, j])).reduce(|a, b| if b > a { b } else { a });
            assert_eq!(Some(m.get([i])), most);
        }
    }};
}

#[test]
fn every_type() -> Result<(), Error> {
    run!(of_u8, u8, u8::wrapping_add, u8::wrapping_mul, 50);
    run!(of_i32, i32, i32::wrapping_add, i32::wrapping_mul, 700_000_000);
    run!(of_i64, i64, i64::wrapping_add, i64::wrapping_mul, 3_000_000_000_000_000_000);
    run!(of_f32, f32, |a, b| a + b, |a, b| a * b, 16);
    run!(of_f64, f64, |a, b| a + b, |a, b| a * b, 16);
    Ok(())
}
