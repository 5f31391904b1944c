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
            least_read: 0,
            least_written: 0,
        }
    }

    /// A warp reads: each sector once an access, which is numbered.
    pub(super) fn read(&mut self, mask: Mask, index: &Lanes, serial: u32) {
        let (moved, new) = count(&mut self.readers, self.bytes, mask, index, serial);
        self.read += moved;
        self.least_read += new;
    }

    /// A warp writes.
    pub(super) fn write(&mut self, mask: Mask, index: &Lanes, serial: u32) {
        let (moved, new) = count(&mut self.writers, self.bytes, mask, index, serial);
        self.written += moved;
        self.least_written += new;
    }
}

fn count(last: &mut [u32], bytes: u64, mask: Mask, index: &Lanes, serial: u32) -> (u64, u64) {
    let (mut moved, mut new) = (0, 0);
    for lane in lanes(mask) {
        let last = &mut last[(index[lane] * bytes / SECTOR) as usize];
        if *last != serial {
            moved += 1;
            new += u64::from(*last == 0);
            *last = serial;
        }
    }
    (moved, new)
}
