//! Copies to memory that nobody reads soon, with non-temporal stores.
//!
//! An ordinary store reads the line that it is going to overwrite. Where the line comes from main memory and goes back to it, that is
//! half of the traffic: from a core's cache, `memcpy` writes 8.5 GB/s there and these stores 14.5 (Sapphire Rapids, 64 KB at a time).
//! What is to be read again while it is in the caches is not copied so. Nor is anything on other processors than
//! Intel's: on an AMD EPYC these stores took twice as long as `memcpy`.

use super::limits::limits;
use super::shared::Shared;
use crate::scalar::Element;

/// The bytes of a line, which is written as a whole.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const LINE: usize = 64;

/// Where the elements of a result are copied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Some of it may be in the caches when it is read.
    Caches,
    /// It is too large for them.
    Memory,
}

impl Destination {
    /// Of a result that these arrays are room for.
    pub(super) fn of<T: Element>(indices: &[Shared<i32>], values: &Shared<T>) -> Self {
        Self::of_bytes(indices.iter().map(Shared::bytes).sum::<usize>() + values.bytes())
    }

    fn of_bytes(bytes: usize) -> Self {
        if bytes >= limits().past_caches && is_intel() { Destination::Memory } else { Destination::Caches }
    }

    /// Copies elements. Whoever is told that they are there finds them.
    ///
    /// # Safety
    /// There is memory for them at `to`, which nobody else touches.
    pub(super) unsafe fn copy<T: Element>(self, from: &[T], to: *mut T) {
        // SAFETY: the caller's promise; whoever borrows the slice has the elements elsewhere. Elements have no padding.
        unsafe {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            if self == Destination::Memory {
                return copy_past_caches(from.as_ptr().cast(), to.cast(), size_of_val(from));
            }
            std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len());
        }
    }
}

/// Is the processor one of Intel's? Asked once, for in a virtual machine the question takes microseconds.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn is_intel() -> bool {
    static IS_INTEL: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *IS_INTEL.get_or_init(|| {
        let vendor = std::arch::x86_64::__cpuid(0);
        let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
        name.as_flattened() == b"GenuineIntel"
    })
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn is_intel() -> bool {
    false
}

/// Copies bytes, whole lines with non-temporal stores.
///
/// # Safety
/// As of [`std::ptr::copy_nonoverlapping`], and all are initialised.
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn copy_past_caches(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    let head = to.align_offset(LINE).min(bytes);
    let lines = head + (bytes - head) / LINE * LINE;
    // SAFETY: the caller's promise; a line begins at its address. Every x86-64 has the instructions.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        for line in (head..lines).step_by(LINE) {
            let (from, to) = (from.add(line).cast::<__m128i>(), to.add(line).cast::<__m128i>());
            for quarter in 0..LINE / size_of::<__m128i>() {
                _mm_stream_si128(to.add(quarter), _mm_loadu_si128(from.add(quarter)));
            }
        }
        std::ptr::copy_nonoverlapping(from.add(lines), to.add(lines), bytes - lines);
        // These stores come in any order with others: before anyone is told of them they have to be there.
        _mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_the_same_wherever_they_begin_and_end() {
        let from: Vec<u8> = (1..=255).chain(1..=45).collect();
        for destination in [Destination::Caches, Destination::Memory] {
            for begin in 0..70 {
                for len in (0..20).chain(60..70).chain([127, 128, 129, 200, 230]) {
                    let mut to = vec![0; 300];
                    // SAFETY: both are in bounds.
                    unsafe { destination.copy(&from[3..3 + len], to.as_mut_ptr().add(begin)) };
                    assert_eq!(&to[begin..begin + len], &from[3..3 + len], "{len} from {begin} on");
                    let outside = to[..begin].iter().chain(&to[begin + len..]);
                    assert!(outside.into_iter().all(|byte| *byte == 0), "{len} from {begin} on");
                }
            }
        }
    }

    #[test]
    fn small_results_stay_in_the_caches() {
        assert_eq!(Destination::of_bytes(1 << 20), Destination::Caches);
        let large = if is_intel() { Destination::Memory } else { Destination::Caches };
        assert_eq!(Destination::of_bytes(1 << 30), large);
    }

    #[test]
    fn wide_elements_are_copied_whole() {
        let from: Vec<f64> = (0..1000).map(f64::from).collect();
        let mut to = vec![-1.0; 1010];
        // SAFETY: both are in bounds.
        unsafe { Destination::Memory.copy(&from, to.as_mut_ptr().add(5)) };
        assert_eq!(to[5..1005], from);
        assert_eq!((to[4], to[1005]), (-1.0, -1.0));
    }
}
