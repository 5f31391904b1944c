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
}

impl Registers {
    pub(super) fn new(buffer: &Buffer, len: u32) -> Registers {
        let dtype = match buffer.elem {
            Elem::Scalar(t) => t,
            Elem::Index => DType::I32,
        };
        Registers { name: buffer.name.clone(), dtype, elements: vec![[0; 32]; len as usize] }
    }

    pub(super) fn set(&mut self, mask: Mask, word: u64) {
        for element in &mut self.elements {
            lanes(mask).for_each(|lane| element[lane] = word);
        }
    }

    pub(super) fn elements(&self) -> &[Lanes] {
        &self.elements
    }

    /// Sets each element in the active lanes.
    pub(super) fn set_elements(&mut self, mask: Mask, values: &[Lanes]) {
        for (element, value) in self.elements.iter_mut().zip(values) {
            lanes(mask).for_each(|lane| element[lane] = value[lane]);
        }
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

    pub(super) fn load(&mut self, mask: Mask, index: &Lanes, to: &mut Lanes) -> Done<()> {
        lanes(mask).try_for_each(|lane| {
            to[lane] = *self.at(index[lane], lane)?;
            Ok(())
        })
    }

    pub(super) fn store(&mut self, mask: Mask, index: &Lanes, value: &Lanes) -> Done<()> {
        lanes(mask).try_for_each(|lane| {
            *self.at(index[lane], lane)? = value[lane];
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
            let element = self.at(index[lane], lane)?;
            *element = binary_word(op.op(), t, *element, value[lane]);
            Ok(())
        })
    }
}
