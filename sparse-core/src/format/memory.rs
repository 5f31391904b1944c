//! The memory of arrays: where in a block elements are, and what the system is told of large blocks.
//!
//! We align by hand, inside blocks that are a little larger and have the alignment of an element. Asked for blocks that
//! are aligned to more than `malloc` does of itself, the standard library copies at every change of size; so they grow by
//! moving pages, and the end of one is given back where it lies. Sizes of results are exact because that costs nothing.
//!
//! The first write to each 4 KiB of fresh memory takes longer than to merge the entries that fit there. So large blocks are
//! asked to be in pages of 2 MiB, where the system has them for those who ask, and are [`kept`] when they are given back.

use super::kept;
use crate::scalar::Element;
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ptr::NonNull;

/// What we allocate begins at a multiple of this many bytes.
pub const ALIGNMENT: usize = 64;
/// What blocks of ours are asked to be aligned to: all alike, for one that was of integers may come again for numbers.
const OF_BLOCKS: usize = 8;
/// Bytes that alignment may cost.
const SLACK: usize = ALIGNMENT - OF_BLOCKS;
/// Blocks of so many bytes are large.
const LARGE: usize = 4 << 20;
const PAGE: usize = 4096;
/// What `malloc` may need for itself in the pages of a large block.
const OVERHEAD: usize = 32;

/// What elements lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Memory {
    /// [`SLACK`] bytes more than they take, so many of them before; whole pages of a large block.
    Ours { lead: usize },
    /// What a `Vec` had: theirs alone.
    Adopted,
}

impl Memory {
    /// None.
    pub(super) const OURS: Self = Memory::Ours { lead: 0 };

    /// The layout of `cap` elements; `None` if it is too large for an allocation.
    pub(super) fn layout<T: Element>(self, cap: usize) -> Option<Layout> {
        let elements = Layout::array::<T>(cap).ok()?;
        if self == Memory::Adopted {
            return Some(elements);
        }
        const { assert!(align_of::<T>() <= OF_BLOCKS) };
        let mut size = elements.size().checked_add(SLACK)?;
        if size >= LARGE {
            size = size.checked_add(OVERHEAD)?.checked_next_multiple_of(PAGE)? - OVERHEAD;
        }
        Layout::from_size_align(size, OF_BLOCKS).ok()
    }

    /// Memory for `cap` elements, not 0, and where the first goes. `None` if there is not so much.
    pub(super) fn allocate<T: Element>(cap: usize) -> Option<(NonNull<T>, Memory)> {
        let layout = Memory::OURS.layout::<T>(cap)?;
        let kept = if layout.size() >= LARGE { kept::take(layout) } else { None };
        // SAFETY: the layout has a size above 0, for no element type is of size 0.
        let block = kept.or_else(|| or_without_kept(|| unsafe { alloc(layout) }))?;
        prefer_huge_pages(block, layout.size());
        let lead = lead(block);
        // SAFETY: `lead` is within the slack that the layout has beside the elements.
        Some((unsafe { block.byte_add(lead) }.cast::<T>(), Memory::Ours { lead }))
    }

    /// Changes the capacity from one to another, neither of them 0; what is in the memory stays, written or not. `None` if
    /// there is not so much memory: nothing has changed then.
    ///
    /// # Safety
    /// The first element is there, in memory for `cap` elements that is this, and nobody uses it meanwhile.
    pub(super) unsafe fn resize<T: Element>(
        self,
        first: NonNull<T>,
        cap: usize,
        new: usize,
    ) -> Option<(NonNull<T>, Memory)> {
        let (before, stay) = (self.lead(), cap.min(new));
        let (layout, new) = (self.layout::<T>(cap)?, self.layout::<T>(new)?);
        // SAFETY: the block was allocated with this layout, and begins so many bytes before the first element; the new
        // size is above 0, and a valid one.
        let block = or_without_kept(|| unsafe {
            realloc(first.as_ptr().byte_sub(before).cast(), layout, new.size())
        })?;
        if self == Memory::Adopted {
            return Some((block.cast(), self));
        }
        match new.size() > layout.size() {
            true => prefer_huge_pages(block, new.size()),
            false => will_come_again(layout),
        }
        let lead = lead(block);
        // SAFETY: both leads are within the slack, so that `stay` elements are in the block after either.
        unsafe {
            let first = block.byte_add(lead).cast::<T>();
            if lead != before {
                first.copy_from(block.byte_add(before).cast(), stay);
            }
            Some((first, Memory::Ours { lead }))
        }
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// As of [`Memory::resize`], and nobody uses it after.
    pub(super) unsafe fn free<T: Element>(self, first: NonNull<T>, cap: usize) {
        let Some(layout) = self.layout::<T>(cap) else { return };
        // SAFETY: the block was allocated with this layout, and begins so many bytes before the first element.
        unsafe {
            let block = first.byte_sub(self.lead()).cast();
            match self {
                Memory::Ours { .. } if layout.size() >= LARGE => kept::give_back(block, layout),
                _ => dealloc(block.as_ptr(), layout),
            }
        }
    }

    /// How many bytes are before the elements.
    fn lead(self) -> usize {
        match self {
            Memory::Ours { lead } => lead,
            Memory::Adopted => 0,
        }
    }
}

/// What an allocator gives, once more without what is kept where it gives nothing.
fn or_without_kept(allocate: impl Fn() -> *mut u8) -> Option<NonNull<u8>> {
    let once_more = || if kept::give_back_all() { allocate() } else { std::ptr::null_mut() };
    NonNull::new(allocate()).or_else(|| NonNull::new(once_more()))
}

/// How many bytes of a block of ours are before the first that is aligned: no more than [`SLACK`].
fn lead(block: NonNull<u8>) -> usize {
    block.addr().get().wrapping_neg() % ALIGNMENT
}

/// Tells glibc that a block of this layout, which has been cut, will come again. It learns from blocks that are freed up
/// to what size, 32 MiB at most, it is to serve requests from pages that it keeps, and keeps twice as much. A block that is
/// smaller when it is freed than when it was asked for teaches too little, and would have fresh pages at every call. So
/// one is freed that is twice as large: several arrays make a result, and workspaces come with them. Large blocks are kept
/// by us.
fn will_come_again(cut: Layout) {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static LARGEST: AtomicUsize = AtomicUsize::new(0);
        let size = 2 * cut.size();
        if cut.size() < LARGE && LARGEST.fetch_max(size, Ordering::Relaxed) < size {
            // SAFETY: the size is above 0 and no larger than others; what is freed was allocated.
            unsafe {
                let layout = Layout::from_size_align_unchecked(size, cut.align());
                // Or the compiler would see that nobody uses it.
                let block = std::hint::black_box(alloc(layout));
                if !block.is_null() {
                    dealloc(block, layout);
                }
            }
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu", not(miri))))]
    let _ = cut;
}

/// Asks for huge pages where a block is large. All pages of it, and no others, if `malloc` has mapped them for it: to
/// the system a part would be a mapping of its own, which could not be moved or cut with the rest.
fn prefer_huge_pages(block: NonNull<u8>, size: usize) {
    const MADV_HUGEPAGE: i32 = 14;
    if size >= LARGE {
        let begin = block.as_ptr().map_addr(|a| a / PAGE * PAGE);
        let len = (block.addr().get() + size).next_multiple_of(PAGE) - begin.addr();
        // SAFETY: this changes nothing in them.
        unsafe { advise(begin, len, MADV_HUGEPAGE) };
    }
}

/// Tells Linux of whole pages what it may do with them. That it has no such pages, or knows no such advice, is not an error.
///
/// # Safety
/// Nobody minds what the advice does to what is in the pages.
pub(super) unsafe fn advise(begin: *mut u8, len: usize, advice: i32) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        unsafe extern "C" {
            fn madvise(begin: *mut std::ffi::c_void, len: usize, advice: std::ffi::c_int) -> std::ffi::c_int;
        }
        // SAFETY: the caller's promise.
        unsafe { madvise(begin.cast(), len, advice) };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (begin, len, advice);
}
