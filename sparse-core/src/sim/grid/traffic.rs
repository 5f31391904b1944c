//! 32-byte sectors of a buffer: how many the warps' accesses move, and how many different ones there are.

use super::lanes::{Lanes, Mask, lanes};

const SECTOR: u64 = 32;

/// The sectors of one buffer in one launch.
pub(super) struct Traffic {
    bytes: u64,
    /// The access that last read each sector, and that last wrote it; 0 for none.
    readers: Vec<u32>,
    writers: Vec<u32>,
    pub(super) read: u64,
    pub(super) written: u64,
    /// Sectors read, once a block.
    pub(super) block_read: u64,
    pub(super) least_read: u64,
    pub(super) least_written: u64,
}

impl Traffic {
    /// Of so many elements of so many bytes.
    pub(super) fn new(bytes: u64, len: usize) -> Traffic {
        let sectors = (len as u64 * bytes).div_ceil(SECTOR) as usize;
        Traffic {
            bytes,
            readers: vec![0; sectors],
            writers: vec![0; sectors],
            read: 0,
            written: 0,
            block_read: 0,
            least_read: 0,
            least_written: 0,
        }
    }

    /// A warp reads: each sector once an access, which is numbered; `since` is the last access before its block.
    pub(super) fn read(&mut self, mask: Mask, index: &Lanes, serial: u32, since: u32) {
        let moved = count(&mut self.readers, self.bytes, mask, index, serial, since);
        self.read += moved.all;
        self.block_read += moved.in_block;
        self.least_read += moved.new;
    }

    /// A warp writes.
    pub(super) fn write(&mut self, mask: Mask, index: &Lanes, serial: u32) {
        let moved = count(&mut self.writers, self.bytes, mask, index, serial, 0);
        self.written += moved.all;
        self.least_written += moved.new;
    }
}

/// Sectors of one access.
#[derive(Default)]
struct Moved {
    all: u64,
    /// Not touched since the given access.
    in_block: u64,
    /// Never touched.
    new: u64,
}

fn count(last: &mut [u32], bytes: u64, mask: Mask, index: &Lanes, serial: u32, since: u32) -> Moved {
    let mut moved = Moved::default();
    for lane in lanes(mask) {
        let last = &mut last[(index[lane] * bytes / SECTOR) as usize];
        if *last != serial {
            moved.all += 1;
            moved.in_block += u64::from(*last <= since);
            moved.new += u64::from(*last == 0);
            *last = serial;
        }
    }
    moved
}
