//! A kernel that writes in place allocates nothing, a result in an operand's pattern shares its levels, and little work
//! starts no threads.

use sparse_gpu::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: all is left to the system's allocator; to count takes no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of this thread.
fn allocations(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

tensor_kernel! {
    fn spmv(A: Csr<f64>, x: DenseVec<f64>, y: &mut DenseVec<f64>) {
        y[i] = A[i, j] * x[j];
    }
    schedule cpu = none;
}

tensor_kernel! {
    fn spmm(A: Csr<f32>, B: DenseMat<f32>, C: &mut DenseMat<f32>) {
        C[i, k] += A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn sddmm(S: Csr<f64>, A: DenseMat<f64>, B: DenseMat<f64>) -> Csr<f64> {
        R[i, j] = S[i, j] * A[i, k] * B[j, k];
    }
}

#[test]
fn kernels_in_place_allocate_nothing() {
    let a = Csr::<f64>::random_sparse([40, 30], 0.2, 1);
    let x = DenseVec::<f64>::random([30], 2);
    let mut y = DenseVec::zeros([40]);
    assert_eq!(allocations(|| spmv(&a, &x, &mut y).unwrap()), 0);
    // Little work, which stays on this thread.
    let (a, b) = (a.cast::<f32>(), DenseMat::<f32>::random([30, 37], 3));
    let mut c = DenseMat::zeros([40, 37]);
    // The first call asks what the processor has.
    spmm(&a, &b, &mut c).unwrap();
    assert_eq!(allocations(|| spmm(&a, &b, &mut c).unwrap()), 0);
    assert!(c.vals().iter().any(|v| *v != 0.0) && y.vals().iter().any(|v| *v != 0.0));
    // Memory that another tensor shares is copied before it is written.
    let shared = c.clone();
    assert_ne!(allocations(|| spmm(&a, &b, &mut c).unwrap()), 0);
    assert_ne!(shared.vals(), c.vals());
}

/// Columns are made of rows where they are going to lie: their arrays, the shared holders of these, and the list of levels.
#[test]
fn rows_become_columns_in_their_own_memory() {
    let a = Csr::<f64>::random_sparse([300, 200], 0.1, 1);
    let mut csc: Option<Csc<f64>> = None;
    let made = allocations(|| csc = a.convert().ok());
    assert!(made <= 9, "{made} allocations");
    let csc = csc.expect("columns");
    assert!(csc.convert::<(Dense, Compressed)>().is_ok_and(|rows| rows == a));
}

#[test]
fn a_result_in_an_operand_s_pattern_shares_its_levels() {
    let s = Csr::<f64>::random_sparse([40, 30], 0.2, 1);
    let (a, b) = (DenseMat::random([40, 8], 2), DenseMat::random([30, 8], 3));
    let r = sddmm(&s, &a, &b).unwrap();
    for (ours, theirs) in r.levels().iter().zip(s.levels()) {
        match (ours, theirs) {
            (LevelArrays::Compressed { pos, crd }, LevelArrays::Compressed { pos: p, crd: c }) => {
                assert!(Arc::ptr_eq(pos, p) && Arc::ptr_eq(crd, c));
            }
            (LevelArrays::Dense, LevelArrays::Dense) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Threads of the global pool stay until the program ends. (Nothing else in this file has work for them.)
#[test]
fn little_work_starts_no_threads() {
    let (a, b) = (Csr::<f32>::random_sparse([40, 30], 0.2, 1), DenseMat::<f32>::random([30, 37], 3));
    let mut c = DenseMat::zeros([40, 37]);
    spmm(&a, &b, &mut c).unwrap();
    let started = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    assert!(started.is_ok(), "{started:?}");
}
