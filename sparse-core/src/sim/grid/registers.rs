//! Register arrays: one a lane, indexed by numbers that a device's compiler has to know.

use super::collective;
use super::lanes::{Done, Lanes, Mask, Stop, binary_word, lanes, select};
use crate::llir::{Buffer, Elem};
use crate::scalar::{DType, Monoid};
use crate::sim::fault::Fault;

/// A register array of each lane.
pub(super) struct Registers {
    name: String,
    dtype: DType,
    elements: Vec<Lanes>,
    /// By element, the lanes in which it has no value.
    unset: Vec<Mask>,
}

impl Registers {
    pub(super) fn new(buffer: &Buffer, len: u32) -> Registers {
        let dtype = match buffer.elem {
            Elem::Scalar(t) => t,
            Elem::Index => DType::I32,
        };
        Registers {
            name: buffer.name.clone(),
            dtype,
            elements: vec![[0; 32]; len as usize],
            unset: vec![0; len as usize],
        }
    }

    /// Sets each element in the active lanes, or takes its value away.
    pub(super) fn set(&mut self, mask: Mask, word: Option<u64>) {
        for (element, unset) in self.elements.iter_mut().zip(&mut self.unset) {
            match word {
                Some(word) => {
                    lanes(mask).for_each(|lane| element[lane] = word);
                    *unset &= !mask;
                }
                None => *unset |= mask,
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    /// All elements, which have values in the active lanes.
    pub(super) fn elements(&self, mask: Mask) -> Done<&[Lanes]> {
        match (0..).zip(&self.unset).find(|(_, unset)| **unset & mask != 0) {
            Some((index, unset)) => Err(self.uninitialised(index, (unset & mask).trailing_zeros())),
            None => Ok(&self.elements),
        }
    }

    fn uninitialised(&self, index: u64, lane: u32) -> Box<Stop> {
        Box::new(Stop { fault: Fault::Uninitialised { buffer: self.name.clone(), index }, lane })
    }

    fn at(&mut self, index: u64, lane: usize) -> Done<&mut u64> {
        let len = self.elements.len();
        match self.elements.get_mut(index as usize) {
            Some(element) => Ok(&mut element[lane]),
            None => {
                let fault = Fault::OutOfBounds { buffer: self.name.clone(), index, len };
                Err(Box::new(Stop { fault, lane: lane as u32 }))
            }
        }
    }

    /// An element that has a value.
    fn held(&mut self, index: u64, lane: usize) -> Done<&mut u64> {
        match self.unset.get(index as usize) {
            Some(unset) if unset >> lane & 1 == 1 => Err(self.uninitialised(index, lane as u32)),
            _ => self.at(index, lane),
        }
    }

    pub(super) fn load(&mut self, mask: Mask, index: &Lanes, to: &mut Lanes) -> Done<()> {
        lanes(mask).try_for_each(|lane| {
            to[lane] = *self.held(index[lane], lane)?;
            Ok(())
        })
    }

    pub(super) fn store(&mut self, mask: Mask, index: &Lanes, value: &Lanes) -> Done<()> {
        lanes(mask).try_for_each(|lane| {
            *self.at(index[lane], lane)? = value[lane];
            self.unset[index[lane] as usize] &= !(1 << lane);
            Ok(())
        })
    }

    /// Reduces the arrays over groups of so many lanes, and scatters the totals.
    pub(super) fn scatter(&mut self, mask: Mask, op: Monoid, size: u32) {
        let before = self.elements.clone();
        collective::scatter(op, self.dtype, size as usize, &mut self.elements);
        for (element, before) in self.elements.iter_mut().zip(&before) {
            *element = select(mask, element, before);
        }
    }

    pub(super) fn update(&mut self, mask: Mask, index: &Lanes, op: Monoid, value: &Lanes) -> Done<()> {
        let t = self.dtype;
        lanes(mask).try_for_each(|lane| {
            let element = self.held(index[lane], lane)?;
            *element = binary_word(op.op(), t, *element, value[lane]);
            Ok(())
        })
    }
}
