//! What the Rust compiler can't know about a loop: how often it runs as a rule, and where its code had better lie.

use std::ops::Range;

/// The positions `lo..hi` of a fiber, which is short as a rule.
///
/// Positions are those of i32 arrays, so the way through i32 changes no value. It keeps LLVM from proving the trip count
/// and unrolling: the unrolled loop's test for an odd entry is mispredicted once a fiber, which made short ones up to a
/// fifth slower.
#[inline(always)]
pub fn fiber(lo: usize, hi: usize) -> Range<usize> {
    lo as i32 as usize..hi as i32 as usize
}

/// The first position of a loop that runs once or more; short as it is, the loop has a cache line to itself.
///
/// A loop of 32 bytes or less that crosses a line's end takes a quarter longer on rows of two or three entries. The
/// position is in its register by then: what is stepped over to the loop's beginning, 31 bytes at most, comes right before
/// it, and not at all before rows of no entries.
#[inline(always)]
#[cfg_attr(not(all(target_arch = "x86_64", not(miri))), expect(unused_mut))]
pub(super) fn aligned(mut position: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: it makes no instructions but such that do nothing, and leaves the position as it is.
    unsafe {
        std::arch::asm!(".p2align 6,,31", "/* {} */", inout(reg) position, options(nomem, nostack, preserves_flags));
    }
    position
}

/// The same position, of which the Rust compiler knows nothing: it can't tell how many there will be, and unrolls no loop
/// over them, nor whether it has changed, and makes no loop of a case that leaves it alone.
#[inline(always)]
#[cfg_attr(not(all(target_arch = "x86_64", not(miri))), expect(unused_mut))]
pub fn unforeseen(mut position: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: it makes no instructions, and leaves the position as it is.
    unsafe {
        std::arch::asm!("/* {} */", inout(reg) position, options(pure, nomem, nostack, preserves_flags));
    }
    position
}

/// Are there more than four positions left?
///
/// What is asked is whether `next` has come near the end, which the compiler computes once a row; `next + 4` it would
/// compute, and copy, for each four entries, an eighth of the time of a row of fourteen. Positions are those of i32
/// arrays, so that signed ones lose nothing.
#[inline(always)]
pub fn more_than_four(next: usize, end: usize) -> bool {
    (next as isize) < end.wrapping_sub(4) as isize
}

/// The positions `next..end`: what is left of a fiber where a merge has ended, an entry or two as a rule.
///
/// The Rust compiler can't tell how a position follows from the one before, so that it makes a plain loop. As calls of `memcpy`
/// or as vectors, the entries that are left took up to half of the time of the sum of two matrices; unrolled by two, a third
/// where rows have six.
#[inline(always)]
pub fn rest(next: usize, end: usize) -> Rest {
    Rest { next, end }
}

/// The positions that [`rest`] gives.
pub struct Rest {
    next: usize,
    end: usize,
}

impl Iterator for Rest {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let position = self.next;
        let more = position < self.end;
        if more {
            self.next = unforeseen(position + 1);
        }
        more.then_some(position)
    }
}

/// The code that follows begins at a cache line.
#[inline(always)]
pub fn align() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: it makes no instructions but such that do nothing.
    unsafe {
        std::arch::asm!(".p2align 6", options(nomem, nostack, preserves_flags));
    }
}

/// The code that follows runs rarely, and had better lie elsewhere.
#[inline(always)]
pub fn cold() {
    std::hint::cold_path();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted_though_there_be_less_than_four_before() {
        for next in 0..12 {
            for end in 0..12 {
                assert_eq!(more_than_four(next, end), next + 4 < end, "{next}..{end}");
            }
        }
    }

    #[test]
    fn positions_stay_what_they_are() {
        for position in [0, 1, 5, i32::MAX as usize] {
            assert_eq!(aligned(position), position);
            assert_eq!(unforeseen(position), position);
            assert_eq!(fiber(position / 2, position), position / 2..position);
        }
        assert_eq!(rest(3, 6).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(rest(6, 6).chain(rest(7, 6)).next(), None);
    }
}
