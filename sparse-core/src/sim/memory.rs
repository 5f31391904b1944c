//! The interpreter's memory: typed arrays that check every access.

use super::fault::Fault;
use super::grid;
use crate::llir::{Array, Buffer, Elem};
use crate::scalar::{Monoid, Value};
use std::borrow::Cow;
use std::ops::Range;

/// What goes wrong, boxed: results stay small where nothing does.
pub(super) type Checked<T> = Result<T, Box<Fault>>;

/// An array, the caller's until it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cells<'a> {
    Index(Cow<'a, [i32]>),
    Scalar(Cow<'a, [Value]>),
}

impl Cells<'_> {
    fn empty(elem: Elem) -> Self {
        match elem {
            Elem::Index => Cells::Index(Cow::Owned(vec![])),
            Elem::Scalar(_) => Cells::Scalar(Cow::Owned(vec![])),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Index(v) => v.len(),
            Cells::Scalar(v) => v.len(),
        }
    }

    /// Appends copies of a value, of the array's type in a verified program; says whether there was memory.
    fn append(&mut self, count: u64, value: Value) -> bool {
        fn append<T: Copy>(v: &mut Vec<T>, count: u64, value: T) -> bool {
            let Some(len) = usize::try_from(count).ok().and_then(|n| v.len().checked_add(n)) else {
                return false;
            };
            if v.try_reserve(len - v.len()).is_err() {
                return false;
            }
            v.resize(len, value);
            true
        }
        match (self, value) {
            (Cells::Index(v), Value::I32(value)) => append(v.to_mut(), count, value),
            (Cells::Index(_), _) => unreachable!("a verified program stores indices in index buffers"),
            (Cells::Scalar(v), value) => append(v.to_mut(), count, value),
        }
    }
}

/// A buffer on the simulated device, where launches work on it: it stays there from one to the next, as on a GPU.
#[derive(Default)]
enum Device {
    #[default]
    Nothing,
    /// As it is in the host's memory, too.
    Copy(grid::Array),
    /// A launch writes it, or it was allocated there: in the host's memory are no elements.
    Alone(grid::Array),
}

/// One buffer of the running program.
pub(super) struct Memory<'a> {
    name: &'a str,
    elem: Elem,
    cells: Cells<'a>,
    /// Which elements have been written, where the buffer began uninitialised.
    written: Option<Vec<bool>>,
    device: Device,
    /// How many elements may be appended in all.
    capacity: usize,
    /// Does the caller receive it?
    is_result: bool,
}

impl<'a> Memory<'a> {
    /// No elements yet.
    pub(super) fn empty(buffer: &'a Buffer) -> Self {
        Memory {
            name: &buffer.name,
            elem: buffer.elem,
            cells: Cells::empty(buffer.elem),
            written: None,
            device: Device::Nothing,
            capacity: usize::MAX,
            is_result: buffer.array != Array::Local,
        }
    }

    /// Takes the caller's array.
    pub(super) fn bind(&mut self, cells: Cells<'a>) {
        self.cells = cells;
    }

    /// For a launch: the elements, on the simulated device; if it writes them, there alone.
    pub(super) fn on_device(&mut self, writes: bool) -> Checked<&mut grid::Array> {
        if let Device::Nothing = self.device {
            self.device = Device::Copy(self.to_device()?);
        }
        if writes && let Device::Copy(array) = &mut self.device {
            let array = std::mem::replace(array, grid::Array::empty(self.elem));
            (self.cells, self.written, self.device) = (Cells::empty(self.elem), None, Device::Alone(array));
        }
        match &mut self.device {
            Device::Copy(array) | Device::Alone(array) => Ok(array),
            Device::Nothing => unreachable!("it has just been copied"),
        }
    }

    fn to_device(&self) -> Checked<grid::Array> {
        let array = match &self.cells {
            Cells::Index(v) => grid::Array::of(self.elem, v.iter().map(|&v| Value::I32(v))),
            Cells::Scalar(v) => grid::Array::of(self.elem, v.iter().copied()),
        };
        let array = array.map_err(|_| self.out_of_memory(self.cells.len() as u64))?;
        Ok(array.with_written(self.written.clone()))
    }

    /// For a change: the elements, in the host's memory alone.
    fn bring_home(&mut self) -> &mut Cells<'a> {
        if let Device::Alone(array) = std::mem::take(&mut self.device) {
            self.cells = match self.elem {
                Elem::Index => Cells::Index(Cow::Owned(array.indices(0..array.len()).collect())),
                Elem::Scalar(_) => Cells::Scalar(Cow::Owned(array.values().collect())),
            };
            self.written = array.written().map(<[bool]>::to_vec);
        }
        &mut self.cells
    }

    /// The elements on the device, where nothing else has them.
    fn away(&self) -> Option<&grid::Array> {
        if let Device::Alone(array) = &self.device { Some(array) } else { None }
    }

    fn written(&self) -> Option<&[bool]> {
        match self.away() {
            Some(array) => array.written(),
            None => self.written.as_deref(),
        }
    }

    /// `len` elements on the device, for launches.
    pub(super) fn allocate_on_device(&mut self, len: u64, init: Option<Value>) -> Checked<()> {
        let out_of_memory = |_| self.out_of_memory(len);
        let n = usize::try_from(len).map_err(|_| self.out_of_memory(len))?;
        let array = match init {
            Some(value) => grid::Array::filled(self.elem, n, value),
            None => grid::Array::uninitialised(self.elem, n),
        };
        let array = array.map_err(out_of_memory)?;
        (self.cells, self.written, self.device) = (Cells::empty(self.elem), None, Device::Alone(array));
        Ok(())
    }

    /// `len` elements; without an initial value, each must be written before it is read.
    pub(super) fn allocate(&mut self, len: u64, init: Option<Value>) -> Checked<()> {
        (self.cells, self.device) = (Cells::empty(self.elem), Device::Nothing);
        let zero = match self.elem {
            Elem::Index => Value::I32(0),
            Elem::Scalar(t) => t.zero(),
        };
        if !self.cells.append(len, init.unwrap_or(zero)) {
            return Err(self.out_of_memory(len));
        }
        self.written = init.is_none().then(|| vec![false; self.cells.len()]);
        Ok(())
    }

    /// Declares an array that keeps what it holds, zeros at first.
    pub(super) fn keep(&mut self, len: u64) -> Checked<()> {
        if self.cells.len() as u64 == len { Ok(()) } else { self.allocate(len, Some(Value::I32(0))) }
    }

    /// Allows so many elements to be appended.
    pub(super) fn reserve(&mut self, capacity: Option<u64>) {
        self.capacity = capacity.map_or(usize::MAX, |c| usize::try_from(c).unwrap_or(usize::MAX));
    }

    pub(super) fn fill(&mut self, value: Value) {
        if let Device::Alone(array) = &mut self.device {
            return array.fill(value);
        }
        match (self.bring_home(), value) {
            (Cells::Index(v), Value::I32(value)) => v.to_mut().fill(value),
            (Cells::Index(_), _) => unreachable!("a verified program fills index buffers with indices"),
            (Cells::Scalar(v), value) => v.to_mut().fill(value),
        }
        self.written = None;
    }

    pub(super) fn len(&self) -> usize {
        self.away().map_or_else(|| self.cells.len(), grid::Array::len)
    }

    /// Without elements, a thread's own.
    fn own(&self) -> Memory<'a> {
        let (cells, written, device) = (Cells::empty(self.elem), None, Device::Nothing);
        Memory { cells, written, device, is_result: false, ..*self }
    }

    /// Makes room for a task's own elements, so many at most; gives what was there.
    pub(super) fn begin(&mut self, most: Option<u64>) -> Memory<'a> {
        let mut own = self.own();
        own.reserve(most);
        std::mem::replace(self, own)
    }

    /// Appends all elements of another.
    pub(super) fn extend(&mut self, mut part: Memory<'_>) -> Checked<()> {
        match part.bring_home() {
            Cells::Index(v) => v.iter().try_for_each(|&v| self.append(1, Value::I32(v))),
            Cells::Scalar(v) => v.iter().try_for_each(|&v| self.append(1, v)),
        }
    }

    /// The first `len` elements, counts, become the positions where what they count begins, and then where it ends.
    pub(super) fn scan(&mut self, len: u64) -> Checked<()> {
        let mut sum = 0;
        for at in 0..len {
            let count = self.load_index(at)?;
            self.store(at, self.element(sum)?)?;
            sum += count;
        }
        let end = self.element(sum)?;
        if len == self.len() as u64 { self.append(1, end) } else { self.store(len, end) }
    }

    /// A thread's own, each element the neutral one.
    pub(super) fn copy(&self, op: Monoid) -> Checked<Memory<'a>> {
        let identity = match self.elem {
            Elem::Scalar(t) => op.identity(t),
            Elem::Index => None,
        };
        let Some(identity) = identity else { unreachable!("a verified program reduces scalars") };
        let mut copy = self.own();
        copy.allocate(self.len() as u64, Some(identity))?;
        Ok(copy)
    }

    /// Takes a thread's own into this one, all elements of both.
    pub(super) fn combine(&mut self, copy: &Memory<'_>, op: impl Fn(Value, Value) -> Value) -> Checked<()> {
        (0..self.len() as u64).try_for_each(|at| {
            let combined = op(self.load(at)?, copy.load(at)?);
            self.store(at, combined)
        })
    }

    /// The index as a position inside the buffer.
    fn at(&self, index: u64) -> Checked<usize> {
        let len = self.len();
        match usize::try_from(index) {
            Ok(at) if at < len => Ok(at),
            _ => Err(Box::new(Fault::OutOfBounds { buffer: self.name.into(), index, len })),
        }
    }

    fn readable(&self, index: u64) -> Checked<usize> {
        let at = self.at(index)?;
        match self.written() {
            Some(written) if !written[at] => {
                Err(Box::new(Fault::Uninitialised { buffer: self.name.into(), index }))
            }
            _ => Ok(at),
        }
    }

    pub(super) fn load(&self, index: u64) -> Checked<Value> {
        let at = self.readable(index)?;
        match (self.away(), &self.cells) {
            (Some(array), _) => Ok(array.value(at)),
            (None, Cells::Scalar(v)) => Ok(v[at]),
            (None, Cells::Index(_)) => unreachable!("a verified program reads scalars from scalar buffers"),
        }
    }

    /// Indices of a range.
    fn indices(&self, range: Range<usize>) -> Cow<'_, [i32]> {
        match (self.away(), &self.cells) {
            (Some(array), _) => array.indices(range).collect(),
            (None, Cells::Index(v)) => Cow::Borrowed(&v[range]),
            (None, Cells::Scalar(_)) => {
                unreachable!("a verified program reads indices from index buffers")
            }
        }
    }

    pub(super) fn load_index(&self, index: u64) -> Checked<u64> {
        let at = self.readable(index)?;
        let value = match (self.away(), &self.cells) {
            (Some(array), _) => array.index(at),
            (None, Cells::Index(v)) => v[at],
            (None, Cells::Scalar(_)) => unreachable!("a verified program reads indices from index buffers"),
        };
        u64::try_from(value)
            .map_err(|_| Box::new(Fault::NegativeElement { buffer: self.name.into(), index, value }))
    }

    /// Elements of a range that a search may look at.
    pub(super) fn sorted(&self, lo: u64, hi: u64) -> Checked<Cow<'_, [i32]>> {
        let len = self.len();
        let buffer = || self.name.to_owned();
        let range = lo as usize..hi as usize;
        if lo > hi || hi > len as u64 {
            return Err(Box::new(Fault::SearchRange { buffer: buffer(), lo, hi, len }));
        }
        let unwritten = |w: &[bool]| w[range.clone()].iter().position(|written| !written);
        if let Some(at) = self.written().and_then(unwritten) {
            return Err(Box::new(Fault::Uninitialised { buffer: buffer(), index: lo + at as u64 }));
        }
        let v = self.indices(range);
        if v.is_sorted() { Ok(v) } else { Err(Box::new(Fault::Unsorted { buffer: buffer(), lo, hi })) }
    }

    pub(super) fn store(&mut self, index: u64, value: Value) -> Checked<()> {
        let at = self.at(index)?;
        match (self.bring_home(), value) {
            (Cells::Index(v), Value::I32(value)) => v.to_mut()[at] = value,
            (Cells::Index(_), _) => unreachable!("a verified program stores indices in index buffers"),
            (Cells::Scalar(v), value) => v.to_mut()[at] = value,
        }
        if let Some(written) = &mut self.written {
            written[at] = true;
        }
        Ok(())
    }

    pub(super) fn append(&mut self, count: u64, value: Value) -> Checked<()> {
        if (self.len() as u64).saturating_add(count) > self.capacity as u64 {
            return Err(Box::new(Fault::OverCapacity { buffer: self.name.into(), capacity: self.capacity }));
        }
        if !self.bring_home().append(count, value) {
            return Err(self.out_of_memory(count));
        }
        if let Some(written) = &mut self.written {
            written.resize(self.cells.len(), true);
        }
        Ok(())
    }

    /// Appends elements that are still to be written.
    pub(super) fn lengthen(&mut self, count: u64) -> Checked<()> {
        let before = self.len();
        let nothing = match self.elem {
            Elem::Index => Value::I32(0),
            Elem::Scalar(t) => t.zero(),
        };
        self.append(count, nothing)?;
        let written = self.written.get_or_insert_with(|| vec![true; before]);
        written.truncate(before);
        written.resize(self.cells.len(), false);
        Ok(())
    }

    fn out_of_memory(&self, len: u64) -> Box<Fault> {
        Box::new(Fault::OutOfMemory { buffer: self.name.into(), len })
    }

    /// An index as an element.
    pub(super) fn element(&self, value: u64) -> Checked<Value> {
        i32::try_from(value)
            .map(Value::I32)
            .map_err(|_| Box::new(Fault::TooLarge { buffer: self.name.into(), value }))
    }

    /// The array, all of it written where the caller receives it; elsewhere perhaps without its elements.
    pub(super) fn into_cells(mut self) -> Checked<Cells<'a>> {
        if !self.is_result {
            return Ok(self.cells);
        }
        self.bring_home();
        self.whole()?;
        Ok(self.cells)
    }

    /// Has all of it been written?
    pub(super) fn whole(&self) -> Checked<()> {
        match self.written().and_then(|w| w.iter().position(|written| !written)) {
            Some(at) => Err(Box::new(Fault::Uninitialised { buffer: self.name.into(), index: at as u64 })),
            None => Ok(()),
        }
    }
}
