//! Entries that come from main memory are fetched ahead of their use.
//!
//! The processor fetches ahead by itself, but stops where many loads from elsewhere miss the caches meanwhile, as those of
//! a sparse matrix's operand do: told to, it takes 0.6 to 0.9 of the time on matrices past the caches (SpMV, a
//! processor with 1 MiB of its own and 32 MiB in all). In the caches the instructions cost up to a fifth.

use super::{Float, IndexArray, Isa, Level, Load};

/// Entries of this many bytes do not stay in the caches.
pub(super) const STREAMS: usize = 24 << 20;
/// So many elements ahead.
const AHEAD: usize = 512;

/// Is a level, with the values of its entries, too large for the caches?
#[inline]
pub(super) fn too_large<T>(crd: &[i32], vals: &[T]) -> bool {
    size_of_val(crd) + size_of_val(vals) >= STREAMS
}

/// An instruction set, for a kernel whose entries are fetched ahead.
#[derive(Clone, Copy, Debug)]
pub struct Streaming<I>(pub I);

// SAFETY: it holds a marker of the instruction set, all of which is that marker's.
unsafe impl<I: Isa> Isa for Streaming<I> {
    const LEVEL: Level = I::LEVEL;
    const FMA: bool = I::FMA;
    const TILE: u64 = I::TILE;
    type Vector<T: Float> = I::Vector<T>;
    type Quad<T: Float> = I::Quad<T>;

    #[inline(always)]
    unsafe fn load_four<T: Float>(self, array: &(impl Load<T> + ?Sized), i: usize) -> Self::Quad<T> {
        // SAFETY: the caller's promise.
        unsafe {
            fetch(array.address(i));
            self.0.load_four(array, i)
        }
    }

    #[inline(always)]
    unsafe fn four_indices(self, array: &(impl IndexArray + ?Sized), i: usize) -> [usize; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            fetch(array.address(i));
            self.0.four_indices(array, i)
        }
    }

    #[inline(always)]
    unsafe fn last_four_indices(self, array: &(impl IndexArray + ?Sized), i: usize) -> [usize; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            fetch(array.address(i));
            self.0.last_four_indices(array, i)
        }
    }
}

/// Fetches what lies ahead of an element, be it the array's or not.
#[inline(always)]
fn fetch<T>(at: *const T) {
    let ahead = at.wrapping_add(AHEAD);
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every x86-64 has the instruction, which reads nothing that the program could see, from any address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(ahead.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = ahead;
}
