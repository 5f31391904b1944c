//! Places that shadow what generated code might lean on.

/// Nothing here is what it is called.
mod shadowed {
    use ::sparse_gpu::tensor::{DenseVec, SparseVec};
    #[allow(dead_code, non_camel_case_types)]
    mod decoys {
        pub(super) type Result = ();
        pub(super) struct Vec;
        pub(super) struct Option;
        pub(super) struct Box;
        pub(super) struct String;
        pub(super) trait Send {}
        pub(super) trait Fn {}
        pub(super) trait Iterator {}
        pub(super) trait Into {}
        pub(super) trait Default {}
        pub(super) fn drop() {}
        pub(super) mod std {}
        pub(super) mod core {}
        pub(super) mod alloc {}
        pub(super) mod sparse_core {}
        pub(super) mod sparse_gpu {}
        pub(super) mod rt {}
        pub(super) struct Host;
        pub(super) struct Error;
        pub(super) type usize = ();
        pub(super) type bool = ();
        pub(super) type i32 = ();
    }
    #[allow(unused_imports)]
    use decoys::*;
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn add(a: SparseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> { c[i] = a[i] + b[i]; }
    }
}

/// Nothing is in scope that is not imported.
#[no_implicit_prelude]
mod without_prelude {
    use ::sparse_gpu::prelude::{Csr, DenseMat, DenseVec};
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn axpy(a: f64, x: DenseVec<f64>, y: &mut DenseVec<f64>) { y[i] += a * x[i]; }
    }
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn product(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[j, k]; }
    }
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn sum(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, j] = A[i, j] + B[i, j]; }
    }
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn sampled(A: Csr<f64>, X: DenseMat<f64>, Y: DenseMat<f64>) -> Csr<f64> {
            S[i, j] = A[i, j] * X[i, k] * Y[j, k];
        }
    }
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn on_the_cpu(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }
        schedule cuda = none;
    }
    ::sparse_gpu::tensor_kernel! {
        pub(super) fn by_positions(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }
        schedule cpu {
            fuse(i, j, f);
            pos(f, p, A[i, j]);
            split(p, p0, p1, 4);
            parallelize(p0, CPUThread, Atomics);
        }
        schedule cuda {
            fuse(i, j, f);
            pos(f, p, A[i, j]);
            split(p, block, lane, 128);
            parallelize(block, GPUBlock, IgnoreRaces);
            parallelize(lane, GPUGroup(8), Segment);
        }
    }
}

#[test]
fn without_the_prelude() -> Result<(), Error> {
    use without_prelude::*;
    let a = Csr::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], -4.0)])?;
    let x = DenseVec::from_dense([2], vec![1.0, 2.0])?;
    let m = DenseMat::from_dense([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    let mut y = x.clone();
    axpy(2.0, &x, &mut y)?;
    assert_eq!(y.vals(), [3.0, 6.0]);
    assert_eq!(product(&a, &a)?.vals(), [-12.0, -12.0]);
    assert_eq!(sum(&a, &a)?.vals(), [6.0, -8.0]);
    assert_eq!(sampled(&a, &m, &m)?.vals(), [33.0, -44.0]);
    assert_eq!(by_positions(&a, &x)?.vals(), [6.0, -4.0]);
    assert_eq!(on_the_cpu(&a, &x)?.vals(), [6.0, -4.0]);
    let sim = Sim::new();
    let (a, x) = (a.to(&sim)?, x.to(&sim)?);
    assert_eq!(by_positions(&a, &x)?.to_host()?.vals(), [6.0, -4.0]);
    assert_eq!(product(&a, &a)?.to_host()?.vals(), [-12.0, -12.0]);
    Ok(())
}

/// Deep inside.
pub(crate) mod outer {
    pub(crate) mod inner {
        use sparse_gpu::prelude::*;
        tensor_kernel! {
            /// Seen from the whole crate.
            ///
            /// With a second paragraph, `code` and "quotes".
            #[must_use]
            #[inline]
            pub(crate) fn scale(x: Csr<f32>, alpha: f32) -> Csr<f32> {
                y[i, j] = alpha * x[i, j];
            }
        }
        tensor_kernel! {
            #[cfg(test)]
            #[allow(clippy::too_many_arguments)]
            #[inline(never)]
            pub(in crate::places) fn many(
                a: DenseVec<i64>,
                b: DenseVec<i64>,
                c: DenseVec<i64>,
                d: DenseVec<i64>,
                e: DenseVec<i64>,
                f: DenseVec<i64>,
                g: DenseVec<i64>,
                h: DenseVec<i64>,
                k: DenseVec<i64>,
            ) -> DenseVec<i64> {
                z[i] = a[i] + b[i] - c[i] * d[i] + e[i] * f[i] - g[i] + h[i] * k[i];
            }
        }
        tensor_kernel! {
            #[cfg(not(test))]
            fn absent(a: DenseVec<f32>) -> DenseVec<f32> { b[i] = a[i]; }
        }
        /// The same name, so that one of the two must be compiled out.
        #[cfg(test)]
        pub(crate) const fn absent() -> usize {
            3
        }
    }
    pub(crate) use inner::scale as shrink;
}

use sparse_gpu::prelude::*;

#[test]
fn kernels_live_anywhere() -> Result<(), Error> {
    tensor_kernel! {
        fn local(x: DenseVec<f32>) -> DenseVec<f32> {
            y[i] = x[i] * x[i];
        }
    }
    let x = DenseVec::from_dense([3], vec![1.0f32, 2.0, 3.0])?;
    assert_eq!(local(&x)?.vals(), [1.0, 4.0, 9.0]);
    {
        tensor_kernel! {
            fn local(x: DenseVec<f32>) -> DenseVec<f32> {
                y[i] = -x[i];
            }
        }
        assert_eq!(local(&x)?.vals(), [-1.0, -2.0, -3.0]);
        assert!(local::CIN.contains('x'));
    }
    let closure = |v: &DenseVec<f32>| -> Result<f32, Error> {
        type Row = DenseVec<f32>;
        tensor_kernel! {
            fn total(x: DenseVec<f32>) -> Scalar<f32> {
                s = x[i];
            }
        }
        let row: &Row = v;
        total(row)?.value()
    };
    assert_eq!(closure(&x)?, 6.0);
    let s = SparseVec::from_triplets([3], [([2], 10.0)])?;
    assert_eq!(shadowed::add(&s, &x)?.vals(), [1.0, 2.0, 13.0]);
    let m = Csr::from_triplets([2, 3], [([1, 2], 4.0f32)])?;
    assert_eq!(outer::inner::scale(&m, 0.5)?.get([1, 2]), 2.0);
    assert_eq!(outer::shrink(&m, 2.0)?.vals(), [8.0]);
    let v = |n: i64| DenseVec::from_dense([2], vec![n, n * n]);
    let z = outer::inner::many(&v(1)?, &v(2)?, &v(3)?, &v(4)?, &v(5)?, &v(6)?, &v(7)?, &v(8)?, &v(9)?)?;
    assert_eq!(z.vals(), [1 + 2 - 12 + 30 - 7 + 72, 1 + 4 - 9 * 16 + 25 * 36 - 49 + 64 * 81]);
    assert_eq!(outer::inner::absent(), 3);
    Ok(())
}

/// Methods of a generic type.
struct Layer<const N: usize>(Csr<f64>);
impl<const N: usize> Layer<N> {
    fn apply(&self, x: &DenseVec<f64>) -> Result<DenseVec<f64>, Error> {
        tensor_kernel! {
            fn forward(W: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
                y[i] = max(W[i, j] * x[j], 0);
            }
        }
        forward(&self.0, x)
    }
}

#[test]
fn methods_of_generic_types() -> Result<(), Error> {
    let layer = Layer::<3>(Csr::from_triplets([2, 2], [([0, 0], 2.0), ([0, 1], -5.0), ([1, 0], -1.0)])?);
    let y = layer.apply(&DenseVec::from_dense([2], vec![1.0, 1.0])?)?;
    // max is no sum: the whole term max(W x, 0) is summed.
    assert_eq!(y.vals(), [2.0, 0.0]);
    Ok(())
}

/// A user's own macro passes names, types and numbers on, those of schedules too.
mod from_a_macro {
    use sparse_gpu::prelude::*;
    mod types {
        pub(super) use sparse_gpu::prelude::DenseMat;
    }
    macro_rules! tiled {
        ($($v:vis $name:ident: $t:ty, $n:literal;)*) => { $(
            tensor_kernel! {
                $v fn $name(A: Csr<$t>, B: self::types::DenseMat<$t>) -> self::types::DenseMat<$t> {
                    C[i, k] = $n * A[i, j] * B[j, k];
                }
                schedule cpu {
                    split(i, i0, i1, $n);
                    parallelize(i0, CPUThread, NoRaces);
                }
                schedule cuda = atomic(<1/$n row, 4 col>, $n);
            }
        )* };
    }
    tiled! {
        pub(super) by_eight: f64, 8;
        pub(super) by_two: i32, 2;
    }
}

#[test]
fn kernels_from_a_macro() -> Result<(), Error> {
    let a = Csr::<f64>::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], -4.0)])?;
    let (b, sim) = (DenseMat::from_dense([2, 1], vec![1.0, 2.0])?, Sim::new());
    assert_eq!(from_a_macro::by_eight(&a, &b)?.vals(), [48.0, -32.0]);
    let there = from_a_macro::by_two(&a.cast().to(&sim)?, &b.cast().to(&sim)?)?;
    assert_eq!(there.to_host()?.vals(), [12, -8]);
    Ok(())
}
