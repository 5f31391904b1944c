//! A buffer that a grid works on: every access in bounds and initialised, conflicts found, sectors counted.

mod search;

use super::array::Array;
use super::lanes::{Done, Lanes, Mask, Stop, binary_word, lanes};
use super::shadow::{Earlier, Now, Shadow};
use super::traffic::Traffic;
use crate::llir::{Buffer, Elem, FetchOp, MOST};
use crate::scalar::{DType, Monoid};
use crate::sim::fault::{Access, Fault, Party, Touch};
use std::cell::OnceCell;

/// The words of a buffer, its caller's or a block's own.
pub(super) enum Words<'a> {
    Read(&'a Array),
    Write(&'a mut Array),
    Own(Array),
}

impl Words<'_> {
    fn array(&self) -> &Array {
        match self {
            Words::Read(a) => a,
            Words::Write(a) => a,
            Words::Own(a) => a,
        }
    }

    fn array_mut(&mut self) -> &mut Array {
        match self {
            Words::Read(_) => unreachable!("a verified program does not write its inputs"),
            Words::Write(a) => a,
            Words::Own(a) => a,
        }
    }
}

/// Who accesses, as far as it is not the lane: thread numbers are the warp's first, blocks by their first epoch.
pub(super) struct Accessor<'a> {
    pub(super) now: Now,
    /// By lane, its group's barriers in the epoch.
    pub(super) syncs: &'a [u32; 32],
    /// The first epoch of each block up to this one.
    pub(super) blocks: &'a [u32],
    /// Counts the warps' accesses, from 1.
    pub(super) serial: u32,
    /// The last one before the block.
    pub(super) since: u32,
}

impl Accessor<'_> {
    fn lane(&self, lane: usize) -> Now {
        Now { thread: self.now.thread + lane as u32, sync: self.syncs[lane], ..self.now }
    }

    fn party(&self, epoch: u32, thread: u32, second: Now) -> Party {
        if thread == second.thread && epoch >= second.block {
            return Party::Another;
        }
        Party::Thread { block: self.blocks.partition_point(|&first| first <= epoch) as u64 - 1, thread }
    }
}

/// How an update goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Update {
    /// A load and a store.
    Plain,
    Atomic,
}

/// One buffer of a launch.
pub(super) struct Memory<'a> {
    name: &'a str,
    elem: Elem,
    words: Words<'a>,
    shadow: Option<Shadow>,
    pub(super) traffic: Option<Traffic>,
    /// Where an index array that nobody writes is not sorted.
    descents: OnceCell<Vec<usize>>,
}

impl<'a> Memory<'a> {
    /// In the device's memory.
    pub(super) fn global(buffer: &'a Buffer, words: Words<'a>, is_written: bool) -> Self {
        let (name, elem, len) = (&buffer.name, buffer.elem, words.array().len());
        let shadow = is_written.then(|| Shadow::new(len, false));
        let traffic = Some(Traffic::new(Array::bytes(elem), len));
        Memory { name, elem, words, shadow, traffic, descents: OnceCell::new() }
    }

    /// In a block's memory.
    pub(super) fn shared(buffer: &'a Buffer, array: Array) -> Self {
        let (name, elem) = (&buffer.name, buffer.elem);
        let shadow = Some(Shadow::new(array.len(), true));
        Memory { name, elem, words: Words::Own(array), shadow, traffic: None, descents: OnceCell::new() }
    }

    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    /// A new block begins.
    pub(super) fn forget(&mut self) {
        if let Some(written) = &mut self.words.array_mut().written {
            written.fill(false);
        }
    }

    /// Elements that were updated atomically more than once.
    pub(super) fn contended(&self) -> u64 {
        self.shadow.as_ref().map_or(0, |s| s.contended)
    }

    fn dtype(&self) -> DType {
        match self.elem {
            Elem::Scalar(t) => t,
            Elem::Index => unreachable!("a verified program updates scalars"),
        }
    }

    fn out_of_bounds(&self, index: u64, lane: usize) -> Box<Stop> {
        let len = self.words.array().len();
        let fault = Fault::OutOfBounds { buffer: self.name.into(), index, len };
        Box::new(Stop { fault, lane: lane as u32 })
    }

    fn conflict(
        &self,
        at: usize,
        by: &Accessor<'_>,
        lane: usize,
        earlier: Earlier,
        access: Access,
    ) -> Box<Stop> {
        let second = by.lane(lane);
        let block = by.blocks.len() as u64 - 1;
        let fault = Fault::Conflict {
            buffer: self.name.into(),
            index: at as u64,
            first: Touch { by: by.party(earlier.epoch, earlier.thread, second), access: earlier.access },
            second: Touch { by: Party::Thread { block, thread: second.thread }, access },
        };
        Box::new(Stop { fault, lane: lane as u32 })
    }

    fn touch(&mut self, at: usize, by: &Accessor<'_>, lane: usize, access: Access) -> Done<()> {
        match &mut self.shadow {
            Some(shadow) => shadow
                .touch(at, by.lane(lane), access)
                .map_err(|earlier| self.conflict(at, by, lane, earlier, access)),
            None => Ok(()),
        }
    }

    /// One lane reads.
    fn read(&mut self, index: u64, by: &Accessor<'_>, lane: usize) -> Done<u64> {
        let at = index as usize;
        let Some(&word) = self.words.array().words.get(at) else {
            return Err(self.out_of_bounds(index, lane));
        };
        self.touch(at, by, lane, Access::Read)?;
        self.initialised(at, lane)?;
        Ok(word)
    }

    fn initialised(&self, at: usize, lane: usize) -> Done<()> {
        match &self.words.array().written {
            Some(written) if !written[at] => {
                let fault = Fault::Uninitialised { buffer: self.name.into(), index: at as u64 };
                Err(Box::new(Stop { fault, lane: lane as u32 }))
            }
            _ => Ok(()),
        }
    }

    /// One lane writes.
    fn write(&mut self, index: u64, word: u64, by: &Accessor<'_>, lane: usize, access: Access) -> Done<()> {
        let at = index as usize;
        if at >= self.words.array().len() {
            return Err(self.out_of_bounds(index, lane));
        }
        self.touch(at, by, lane, access)?;
        let array = self.words.array_mut();
        array.words[at] = word;
        if let Some(written) = &mut array.written {
            written[at] = true;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, mask: Mask, index: &Lanes, to: &mut Lanes, by: &Accessor<'_>) -> Done<()> {
        let is_index = self.elem == Elem::Index;
        for lane in lanes(mask) {
            let word = self.read(index[lane], by, lane)?;
            if is_index && (word as u32 as i32) < 0 {
                return Err(self.negative(index[lane], word, lane));
            }
            to[lane] = word;
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.read(mask, index, by.serial, by.since);
        }
        Ok(())
    }

    fn negative(&self, index: u64, word: u64, lane: usize) -> Box<Stop> {
        let fault = Fault::NegativeElement { buffer: self.name.into(), index, value: word as u32 as i32 };
        Box::new(Stop { fault, lane: lane as u32 })
    }

    pub(super) fn store(&mut self, mask: Mask, index: &Lanes, value: &Lanes, by: &Accessor<'_>) -> Done<()> {
        let is_index = self.elem == Elem::Index;
        for lane in lanes(mask) {
            let word = value[lane];
            if is_index && i32::try_from(word).is_err() {
                let fault = Fault::TooLarge { buffer: self.name.into(), value: word };
                return Err(Box::new(Stop { fault, lane: lane as u32 }));
            }
            self.write(index[lane], word, by, lane, Access::Write)?;
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.write(mask, index, by.serial);
        }
        Ok(())
    }

    /// May a lane access so many elements at once? Arrays begin where all vectors are aligned.
    fn aligned(&self, mask: Mask, index: &Lanes, elements: usize) -> Done<()> {
        let elements = elements as u64;
        match lanes(mask).find(|&lane| !index[lane].is_multiple_of(elements)) {
            Some(lane) => {
                let fault = Fault::Misaligned { buffer: self.name.into(), index: index[lane], elements };
                Err(Box::new(Stop { fault, lane: lane as u32 }))
            }
            None => Ok(()),
        }
    }

    /// As many consecutive elements as there are values, in each lane. An aligned vector lies in one sector.
    pub(super) fn load_vector(
        &mut self,
        mask: Mask,
        index: &Lanes,
        values: &mut [Lanes],
        by: &Accessor<'_>,
    ) -> Done<()> {
        self.aligned(mask, index, values.len())?;
        for lane in lanes(mask) {
            for (n, value) in values.iter_mut().enumerate() {
                value[lane] = self.read(index[lane] + n as u64, by, lane)?;
            }
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.read(mask, index, by.serial, by.since);
        }
        Ok(())
    }

    /// Stores such elements, or combines them with what is there.
    pub(super) fn store_vector(
        &mut self,
        mask: Mask,
        index: &Lanes,
        values: &[Lanes],
        update: Option<Monoid>,
        by: &Accessor<'_>,
    ) -> Done<()> {
        self.aligned(mask, index, values.len())?;
        for lane in lanes(mask) {
            for (n, value) in values.iter().enumerate() {
                let at = index[lane] + n as u64;
                match update {
                    Some(op) => self.combine(at, (op, Access::Atomic(op)), value[lane], by, lane)?,
                    None => self.write(at, value[lane], by, lane, Access::Write)?,
                }
            }
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.write(mask, index, by.serial);
        }
        Ok(())
    }

    /// `buffer[index] op= value` in one lane.
    fn combine(
        &mut self,
        index: u64,
        (op, access): (Monoid, Access),
        value: u64,
        by: &Accessor<'_>,
        lane: usize,
    ) -> Done<()> {
        let at = index as usize;
        let Some(&old) = self.words.array().words.get(at) else {
            return Err(self.out_of_bounds(index, lane));
        };
        let new = binary_word(op.op(), self.dtype(), old, value);
        // A conflict says more than that the element is not initialised.
        self.touch(at, by, lane, access)?;
        self.initialised(at, lane)?;
        self.words.array_mut().words[at] = new;
        Ok(())
    }

    /// `buffer[index] op= value` in each lane.
    pub(super) fn update(
        &mut self,
        mask: Mask,
        index: &Lanes,
        (op, how): (Monoid, Update),
        value: &Lanes,
        by: &Accessor<'_>,
    ) -> Done<()> {
        let access = if how == Update::Atomic { Access::Atomic(op) } else { Access::Write };
        for lane in lanes(mask) {
            self.combine(index[lane], (op, access), value[lane], by, lane)?;
        }
        if let Some(traffic) = &mut self.traffic {
            if how == Update::Plain {
                traffic.read(mask, index, by.serial, by.since);
            }
            traffic.write(mask, index, by.serial);
        }
        Ok(())
    }

    /// What is there, in each lane; the lane's value where that is nothing. Gives the lanes that find nothing before any of them
    /// puts what it has there.
    pub(super) fn claim(
        &mut self,
        mask: Mask,
        index: &Lanes,
        value: &Lanes,
        held: &mut Lanes,
        by: &Accessor<'_>,
    ) -> Done<Mask> {
        let nothing = |lane: &usize| self.words.array().words.get(index[*lane] as usize) == Some(&MOST);
        let free = lanes(mask).filter(nothing).fold(0, |free, lane| free | 1 << lane);
        let claimed = |old, value| match value {
            MOST.. => Err(value),
            _ if old == MOST => Ok(value),
            _ => Ok(old),
        };
        self.exchange(mask, [index, value], held, by, Access::Claim, claimed)?;
        if let Some(traffic) = &mut self.traffic {
            traffic.read(mask, index, by.serial, by.since);
            traffic.write(free, index, by.serial);
        }
        Ok(free)
    }

    /// What is there, in each lane; so much more after.
    pub(super) fn fetch(
        &mut self,
        op: FetchOp,
        mask: Mask,
        index: &Lanes,
        value: &Lanes,
        held: &mut Lanes,
        by: &Accessor<'_>,
    ) -> Done<()> {
        let (monoid, next): (_, fn(u64, u64) -> u64) = match op {
            FetchOp::Add => (Monoid::Add, u64::saturating_add),
            FetchOp::Max => (Monoid::Max, u64::max),
            FetchOp::Mark => {
                (Monoid::Or, |word, bit| word | 1_u64.checked_shl(bit as u32).unwrap_or(u64::MAX))
            }
        };
        let combined = |old, value| match next(old, value) {
            n if n > MOST => Err(n),
            n => Ok(n),
        };
        self.exchange(mask, [index, value], held, by, Access::Atomic(monoid), combined)?;
        if let Some(traffic) = &mut self.traffic {
            traffic.write(mask, index, by.serial);
        }
        Ok(())
    }

    /// What is there, in each lane, and after it what `next` makes of that and the lane's value: that, or a number that is
    /// too large.
    fn exchange(
        &mut self,
        mask: Mask,
        [index, value]: [&Lanes; 2],
        held: &mut Lanes,
        by: &Accessor<'_>,
        access: Access,
        next: impl Fn(u64, u64) -> std::result::Result<u64, u64>,
    ) -> Done<()> {
        for lane in lanes(mask) {
            let at = index[lane] as usize;
            let Some(&old) = self.words.array().words.get(at) else {
                return Err(self.out_of_bounds(index[lane], lane));
            };
            self.touch(at, by, lane, access)?;
            self.initialised(at, lane)?;
            let word = next(old, value[lane]).map_err(|value| {
                let fault = Fault::TooLarge { buffer: self.name.into(), value };
                Box::new(Stop { fault, lane: lane as u32 })
            })?;
            held[lane] = old;
            self.words.array_mut().words[at] = word;
        }
        Ok(())
    }
}
