//! What a thread keeps from one chunk of a loop to the next: the memory of workspaces.

use std::any::Any;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// Memory by number.
#[derive(Debug, Default)]
pub struct Home(RefCell<Vec<Option<Box<dyn Any + Send>>>>);

impl Home {
    /// Memory that is given back when it is dropped; made where there is none of this number yet.
    pub fn keep<M: Send + 'static>(&self, number: usize, make: impl FnOnce() -> M) -> Kept<'_, M> {
        let kept = self.0.borrow_mut().get_mut(number).and_then(Option::take);
        let memory = kept.and_then(|m| m.downcast().ok()).unwrap_or_else(|| Box::new(make()));
        Kept { home: self, number, memory: ManuallyDrop::new(memory) }
    }
}

/// Memory on loan from a [`Home`].
#[derive(Debug)]
pub struct Kept<'a, M: Send + 'static> {
    home: &'a Home,
    number: usize,
    memory: ManuallyDrop<Box<M>>,
}

impl<M: Send> Deref for Kept<'_, M> {
    type Target = M;

    #[inline(always)]
    fn deref(&self) -> &M {
        &self.memory
    }
}

impl<M: Send> DerefMut for Kept<'_, M> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut M {
        &mut self.memory
    }
}

impl<M: Send> Drop for Kept<'_, M> {
    fn drop(&mut self) {
        // SAFETY: nobody has it after this.
        let memory = unsafe { ManuallyDrop::take(&mut self.memory) };
        let mut all = self.home.0.borrow_mut();
        if all.len() <= self.number {
            all.resize_with(self.number + 1, || None);
        }
        all[self.number] = Some(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_made_once_and_comes_again() {
        let home = Home::default();
        for round in 0..3 {
            let mut list = home.keep(1, || {
                assert_eq!(round, 0);
                vec![7]
            });
            let number = home.keep(0, || 5_u8);
            assert_eq!((list.len(), *number), (round + 1, 5));
            list.push(8);
        }
        // Another type of the same number is other memory.
        assert_eq!(*home.keep(1, || 1.5), 1.5);
    }
}
