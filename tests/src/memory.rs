//! Memory that a call does not get: an allocator for a test's program, which refuses large blocks to the threads of a call alone.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Larger blocks are refused to the threads of a call.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

thread_local! {
    /// Whether this thread is one of a call: other tests and their harness need memory at the same time.
    static OF_THE_CALL: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, within what [`within`] says.
pub struct Limited;

impl Limited {
    fn has(size: usize) -> bool {
        size <= MOST.load(Ordering::Relaxed) || !OF_THE_CALL.get()
    }
}

// SAFETY: what is not refused is left to the system's allocator.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Limited::has(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Limited::has(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !Limited::has(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

/// One test at a time, as long as this is held: the limit is the program's.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs with blocks of so many bytes at most, where [`Limited`] is the program's allocator.
pub fn within<R>(most: usize, run: impl FnOnce() -> R) -> R {
    let before = OF_THE_CALL.replace(true);
    MOST.store(most, Ordering::Relaxed);
    let ran = run();
    MOST.store(usize::MAX, Ordering::Relaxed);
    OF_THE_CALL.set(before);
    ran
}

/// Threads that [`within`] holds for.
///
/// # Panics
/// If there are none to be had.
pub fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| OF_THE_CALL.set(true));
    pool.build().expect("threads")
}
