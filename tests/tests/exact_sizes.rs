//! Results take as much memory as they have entries, however they came about.

use rayon::ThreadPoolBuilder;
use sparse_gpu::prelude::*;
use tests::natively::excess;

tensor_kernel! {
    fn union(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

tensor_kernel! {
    fn matches(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] * B[i, j];
    }
}

tensor_kernel! {
    fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn spgemm_serial(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [k], w, Hash);
    }
    schedule cuda = none;
}

tensor_kernel! {
    fn spgemm_dcsr(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn union_dcsr(A: Dcsr<f64>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

tensor_kernel! {
    fn union_coo(A: Coo<f64>, B: Csr<f64>) -> Coo<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

tensor_kernel! {
    fn product_coo(A: Csr<f64>, B: Csr<f64>) -> Coo<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn union_csf(A: Csf3<f64>, B: Csf3<f64>) -> Csf3<f64> {
        C[i, j, k] = A[i, j, k] + B[i, j, k];
    }
}

tensor_kernel! {
    fn product_csf(A: Csf3<f64>, B: Csr<f64>) -> Csf3<f64> {
        C[i, j, l] = A[i, j, k] * B[k, l];
    }
}

tensor_kernel! {
    fn transposed(B: Csr<f64>) -> Csr<f64> {
        A[j, i] = B[i, j];
    }
}

tensor_kernel! {
    fn vectors(a: SparseVec<f64>, b: SparseVec<f64>) -> SparseVec<f64> {
        c[i] = a[i] + b[i];
    }
}

/// On one thread and on several.
fn on_threads(f: impl Fn() + Sync) {
    for n in [1, 2, 4] {
        let pool = ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
        pool.install(&f);
    }
}

macro_rules! exact {
    ($call:expr) => {{
        let result = $call.expect("a result");
        assert_eq!(excess(&result), [], "{}", stringify!($call));
        result.stored()
    }};
}

#[test]
fn sums_and_products_of_matrices() {
    let (a, b) = (Csr::random_sparse([3000, 2000], 0.03, 1), Csr::random_sparse([3000, 2000], 0.03, 2));
    on_threads(|| {
        let bound = a.stored() + b.stored();
        let all = exact!(union(&a, &b));
        // Neither nearly as many as there is room for, nor half of them.
        assert!(bound / 2 < all && all + 1000 < bound);
        let few = exact!(matches(&a, &b));
        assert!(0 < few && few < bound / 40);
        exact!(union(&a, &a));
        exact!(matches(&a, &a));
        exact!(union_coo(&a.convert().expect("a list"), &b));
        exact!(transposed(&a));
    });
}

#[test]
fn products_with_a_workspace() {
    let (a, b) = (Csr::random_sparse([900, 800], 0.02, 3), Csr::random_sparse([800, 700], 0.01, 4));
    let singles = (Csr::random_sparse([900, 800], 0.02, 3), Csr::random_sparse([800, 700], 0.01, 4));
    let (rows, more) = (a.convert::<(Compressed, Compressed)>(), b.convert::<(Compressed, Compressed)>());
    let (rows, more) = (rows.expect("rows"), more.expect("rows"));
    on_threads(|| {
        let stored = exact!(spgemm(&a, &b));
        assert!(1 << 16 < stored && !stored.is_power_of_two());
        assert!(exact!(spgemm_serial(&singles.0, &singles.1)) > 0);
        assert_eq!(exact!(spgemm_dcsr(&rows, &more)), stored);
        assert_eq!(exact!(product_coo(&a, &b)), stored);
        exact!(union_dcsr(&rows, &rows));
    });
}

#[test]
fn tensors_of_order_three() {
    let a = Csf3::random_sparse([60, 70, 80], 0.05, 5);
    let b = Csf3::random_sparse([60, 70, 80], 0.05, 6);
    let m = Csr::random_sparse([80, 90], 0.1, 7);
    on_threads(|| {
        assert!(exact!(union_csf(&a, &b)) > a.stored());
        assert!(exact!(product_csf(&a, &m)) > 0);
    });
}

#[test]
fn results_without_entries() {
    let (none, some) =
        (Csr::from_triplets([50, 50], []).expect("empty"), Csr::random_sparse([50, 50], 0.2, 8));
    on_threads(|| {
        assert_eq!(exact!(union(&none, &none)), 0);
        assert_eq!(exact!(matches(&none, &some)), 0);
        assert_eq!(exact!(spgemm(&some, &none)), 0);
        assert_eq!(exact!(union_coo(&Coo::from_triplets([50, 50], []).expect("empty"), &none)), 0);
    });
    let vector = |n: usize| SparseVec::from_triplets([9], (0..n).map(|k| ([k], 1.0))).expect("entries");
    exact!(vectors(&vector(0), &vector(0)));
    exact!(vectors(&vector(5), &vector(7)));
}
