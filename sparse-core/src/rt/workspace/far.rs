//! What a workspace over a large dimension has instead of arrays by coordinate: matrices that store nothing for an empty row have
//! dimensions of which an array would be most of the memory there is.

use super::super::limits::limits;
use super::Hash;
use crate::scalar::Element;

/// The hash table of a large dimension.
#[derive(Debug)]
pub(super) struct Far<T>(Option<Box<Hash<T, 1>>>);

impl<T: Element> Far<T> {
    /// That of a dimension, and the size that arrays by its coordinates have.
    pub(super) fn of(size: usize, init: T) -> (Self, usize) {
        if size > limits().near {
            (Far(Some(Box::new(Hash::new([size], init)))), 0)
        } else {
            (Far(None), size)
        }
    }

    /// Is there one?
    #[inline(always)]
    pub(super) fn is_far(&self) -> bool {
        self.0.is_some()
    }

    /// The table, where there is one.
    #[cold]
    pub(super) fn table(&mut self) -> &mut Hash<T, 1> {
        self.0.as_mut().unwrap_or_else(|| unreachable!("only a dimension that is far is asked for its table"))
    }
}
