//! Large blocks that were given back, which come again.
//!
//! The system clears each page that it gives, which takes longer than to merge the entries that fit there: a sum of two
//! matrices whose memory is always fresh takes twice as long. So the blocks that were given back last are kept for those
//! who ask for large ones next, as a loop does whose results replace each other. Of all but the last of them the system is
//! told that it may have their pages when it runs short of memory; a page that it has not taken till then is written to as
//! it is.
//!
//! A result has more room while it is made than it needs in the end. A block is cut, or grows, by moving pages where `malloc`
//! does so, as glibc's does; under others none are kept.

use super::memory::advise;
use std::alloc::{Layout, dealloc, realloc};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Are blocks kept?
const KEEPS: bool = cfg!(all(target_os = "linux", target_env = "gnu", not(miri)));
/// So many are, and so many bytes in all.
const BLOCKS: usize = 16;
const BYTES: usize = 1 << 30;
/// So many bytes of those that were kept last are left as they are. Where the system was told of all of them, a sum of two
/// matrices on two threads took 1.5 times as long in blocks that `malloc` had not mapped for themselves.
const OURS: usize = 256 << 20;
/// What a block may be smaller or larger by than what is asked for.
const GROWS: usize = 4;
const CUT: usize = 2;
/// Pages may be taken until they are written to.
const MADV_FREE: i32 = 8;
/// The system's large pages, which are given back whole.
const HUGE_PAGE: usize = 2 << 20;

static KEPT: Mutex<Kept> = Mutex::new(Kept::new());

fn kept<R>(with: impl FnOnce(&mut Kept) -> R) -> R {
    with(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A kept block of this layout, if there is one that can have it. What is in it may be anything.
pub(super) fn take(layout: Layout) -> Option<NonNull<u8>> {
    let block = KEEPS.then(|| kept(|kept| kept.take(layout)))??;
    // SAFETY: the block is nobody else's, and the size that of a layout.
    unsafe { block.resized(layout.size()) }
}

/// Keeps a block, or gives it back to `malloc`.
///
/// # Safety
/// It was allocated with this layout, and nobody uses it after.
pub(super) unsafe fn give_back(at: NonNull<u8>, layout: Layout) {
    let block = Block { at, layout, ours: true };
    if KEEPS && layout.size() <= BYTES {
        let gone = kept(|kept| {
            let gone = kept.keep(block);
            // SAFETY: who takes a block takes what is in it for anything.
            kept.older().for_each(|block| unsafe { block.may_be_taken() });
            gone
        });
        gone.into_iter().flatten().for_each(Block::free);
    } else {
        block.free();
    }
}

/// Gives all back to `malloc`. Was there something?
pub(super) fn give_back_all() -> bool {
    let blocks = kept(|kept| std::mem::replace(kept, Kept::new()).blocks);
    blocks.into_iter().flatten().map(Block::free).count() > 0
}

/// A block that nobody uses.
#[derive(Debug, PartialEq)]
struct Block {
    at: NonNull<u8>,
    layout: Layout,
    /// Has the system not been told that it may have its pages?
    ours: bool,
}

// SAFETY: it owns its memory.
unsafe impl Send for Block {}

impl Block {
    /// With another size, not 0; it is given back where there is no memory for that.
    ///
    /// # Safety
    /// The size is that of a layout.
    unsafe fn resized(self, size: usize) -> Option<NonNull<u8>> {
        if self.layout.size() == size {
            return Some(self.at);
        }
        // SAFETY: the block was allocated with this layout; the caller's promise.
        let moved = NonNull::new(unsafe { realloc(self.at.as_ptr(), self.layout, size) });
        if moved.is_none() {
            self.free();
        }
        moved
    }

    fn free(self) {
        // SAFETY: the block was allocated with this layout, and is not used any more.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }

    /// Lets the system have the whole pages in it: parts of large ones would be split off first.
    ///
    /// # Safety
    /// Nobody reads what is in it before they write there.
    unsafe fn may_be_taken(&mut self) {
        self.ours = false;
        let at = self.at.addr().get();
        let (begin, end) =
            (at.next_multiple_of(HUGE_PAGE), (at + self.layout.size()) / HUGE_PAGE * HUGE_PAGE);
        if begin < end {
            // SAFETY: the pages are in the block; the caller's promise.
            unsafe { advise(self.at.as_ptr().with_addr(begin), end - begin, MADV_FREE) };
        }
    }
}

/// What is kept, the oldest first.
struct Kept {
    blocks: [Option<Block>; BLOCKS],
}

impl Kept {
    const fn new() -> Self {
        Kept { blocks: [const { None }; BLOCKS] }
    }

    /// The block that is nearest to this layout, if it is not much larger or smaller; of several the last, which may be in
    /// a cache still.
    fn take(&mut self, layout: Layout) -> Option<Block> {
        let wanted = layout.size();
        let fits = |block: &&Block| {
            let size = block.layout.size();
            block.layout.align() == layout.align() && size / CUT <= wanted && wanted / GROWS <= size
        };
        let differs = |n: usize| {
            self.blocks[n].as_ref().filter(fits).map(|block| (block.layout.size().abs_diff(wanted), n))
        };
        let (_, nearest) = (0..BLOCKS).rev().filter_map(differs).min_by_key(|(by, _)| *by)?;
        self.blocks[nearest..].rotate_left(1);
        self.blocks[BLOCKS - 1].take()
    }

    /// Keeps a block that is not too large; gives the oldest ones that have to go for it.
    fn keep(&mut self, block: Block) -> [Option<Block>; BLOCKS] {
        let mut gone = [const { None }; BLOCKS];
        let mut n = 0;
        while self.blocks[BLOCKS - 1].is_some() || self.bytes() + block.layout.size() > BYTES {
            gone[n] = self.blocks[0].take();
            self.blocks.rotate_left(1);
            n += 1;
        }
        if let Some(free) = self.blocks.iter_mut().find(|b| b.is_none()) {
            *free = Some(block);
        }
        gone
    }

    /// Blocks that the system is to be told of: those of ours before the last ones.
    fn older(&mut self) -> impl Iterator<Item = &mut Block> {
        let mut after = 0;
        self.blocks.iter_mut().rev().flatten().filter(move |block| {
            after += block.layout.size();
            block.ours && after > OURS
        })
    }

    fn bytes(&self) -> usize {
        self.blocks.iter().flatten().map(|b| b.layout.size()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::alloc;

    const MIB: usize = 1 << 20;

    fn layout(mib: usize) -> Layout {
        Layout::from_size_align(mib * MIB, 8).unwrap()
    }

    /// A block without memory.
    fn block(mib: usize) -> Block {
        Block { at: NonNull::dangling(), layout: layout(mib), ours: true }
    }

    fn sizes(blocks: &[Option<Block>]) -> Vec<usize> {
        blocks.iter().flatten().map(|b| b.layout.size() / MIB).collect()
    }

    fn of(sizes: &[usize]) -> Kept {
        let mut kept = Kept::new();
        for size in sizes {
            assert!(kept.keep(block(*size)).iter().all(Option::is_none));
        }
        kept
    }

    #[test]
    fn the_nearest_block_comes_again() {
        let cases = [
            // What is cut, and what grows.
            (56, Some(60), vec![100, 70, 40]),
            (60, Some(60), vec![100, 70, 40]),
            (64, Some(60), vec![100, 70, 40]),
            (400, Some(100), vec![70, 60, 40]),
            // Much more than is wanted, or much less.
            (19, None, vec![100, 70, 60, 40]),
            (401, None, vec![100, 70, 60, 40]),
        ];
        for (wanted, taken, left) in cases {
            let mut kept = of(&[100, 70, 60, 40]);
            let taken_block = kept.take(layout(wanted));
            assert_eq!(taken_block.map(|b| b.layout.size() / MIB), taken, "{wanted}");
            assert_eq!(sizes(&kept.blocks), left, "{wanted}");
            // What is left is as good as before.
            assert!(kept.keep(block(5)).iter().all(Option::is_none));
            assert_eq!(sizes(&kept.blocks), [left, vec![5]].concat());
        }
        assert_eq!(of(&[60]).take(Layout::from_size_align(60 * MIB, 16).unwrap()), None);
        let mut kept = of(&[60, 70, 60]);
        kept.take(layout(60));
        assert_eq!(sizes(&kept.blocks), [60, 70]);
    }

    #[test]
    fn the_oldest_go_for_those_that_come() {
        let mut kept = of(&[300, 200, 100, 400]);
        assert_eq!(sizes(&kept.keep(block(24))), []);
        assert_eq!(sizes(&kept.keep(block(301))), [300, 200]);
        assert_eq!(sizes(&kept.blocks), [100, 400, 24, 301]);
        assert_eq!(sizes(&kept.keep(block(1024))), [100, 400, 24, 301]);
        assert_eq!(sizes(&kept.blocks), [1024]);
        let mut kept = of(&(1..=BLOCKS).collect::<Vec<_>>());
        assert_eq!(sizes(&kept.keep(block(9))), [1]);
        assert_eq!(sizes(&kept.blocks), (2..=BLOCKS).chain([9]).collect::<Vec<_>>());
    }

    #[test]
    fn the_system_may_have_what_was_kept_before() {
        let told = |kept: &mut Kept| {
            kept.older().map(|b| (b.ours = false, b.layout.size() / MIB).1).collect::<Vec<_>>()
        };
        let mut kept = of(&[100, 150, 6]);
        assert_eq!(told(&mut kept), []);
        kept.keep(block(1));
        assert_eq!(told(&mut kept), [100]);
        assert_eq!(told(&mut kept), []);
        kept.keep(block(257));
        assert_eq!(told(&mut kept), [257, 1, 6, 150]);
    }

    /// Blocks that other tests may take or drive out between.
    #[test]
    fn blocks_that_come_again_are_as_good_as_new() {
        // SAFETY: blocks are used where they are ours, and given back with the layouts that they have.
        unsafe {
            for round in 0..20 {
                for size in [8 * MIB, 8 * MIB + 8, 20 * MIB, 5 * MIB] {
                    let layout = Layout::from_size_align(size, 8).unwrap();
                    let at = take(layout).or_else(|| NonNull::new(alloc(layout))).unwrap();
                    at.write_bytes(round, size);
                    for place in [0, size / 2, size - 1] {
                        assert_eq!(at.add(place).read(), round);
                    }
                    give_back(at, layout);
                }
            }
            let layout = Layout::from_size_align(BYTES + 1, 8).unwrap();
            if let Some(large) = NonNull::new(alloc(layout)) {
                give_back(large, layout);
                assert!(kept(|kept| kept.blocks.iter().flatten().all(|b| b.at != large)));
            }
        }
    }
}
