//! Variables and arrays: how they are declared, and what they are called.

use super::{Lowerer, tidy};
use crate::format::TensorId;
use crate::llir::{Array, Buffer, BufferId, Elem, Space, Ty, Var, VarId};

impl Lowerer<'_> {
    /// A variable; what it is called in the end may have a number after it.
    pub(super) fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(Var { name: name.to_owned(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    /// The name, or the first one like it, that no array and no workspace has.
    pub(super) fn unique(&self, name: &str) -> String {
        let known = self.buffers.iter().map(|b| &b.name).chain(self.spas.iter().map(|w| &w.name));
        tidy::first_free(name, |n| known.clone().any(|k| k == n))
    }

    /// A new array that is the code's own.
    pub(super) fn local(&mut self, name: &str, elem: Elem, space: Space) -> BufferId {
        let name = self.unique(name);
        self.buffers.push(Buffer { name, elem, space, array: Array::Local });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// An array that the code may not need. It is named at the end.
    pub(super) fn provisional(&mut self, name: &str, elem: Elem, space: Space) -> BufferId {
        self.buffers.push(Buffer { name: name.to_owned(), elem, space, array: Array::Local });
        let buffer = BufferId(self.buffers.len() as u32 - 1);
        self.provisional.insert(buffer);
        buffer
    }

    /// Registers that sums accumulate in.
    pub(super) fn register_array(&mut self, len: u32) -> BufferId {
        self.provisional("acc", Elem::Scalar(self.dtype), Space::Register { len })
    }

    /// One of a tensor's arrays.
    pub(super) fn declare(&mut self, array: Array, space: Space) -> BufferId {
        if let Some(at) = self.buffers.iter().position(|b| b.array == array) {
            return BufferId(at as u32);
        }
        let name = |t: TensorId| self.kernel.tensors[t.index()].name.to_string();
        let (name, elem) = match array {
            Array::Pos(t, l) => (format!("{}{}_pos", name(t), l + 1), Elem::Index),
            Array::Crd(t, l) => (format!("{}{}_crd", name(t), l + 1), Elem::Index),
            Array::Vals(t) => (format!("{}_vals", name(t)), Elem::Scalar(self.dtype)),
            Array::Local => unreachable!("an array of no tensor is declared by its name"),
        };
        self.buffers.push(Buffer { name, elem, space, array });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Takes back a declaration that nothing uses.
    pub(super) fn forget_last(&mut self, buffer: BufferId) {
        if buffer.index() + 1 == self.buffers.len() {
            self.buffers.pop();
            self.provisional.remove(&buffer);
        }
    }

    /// Takes back the register arrays that were declared last, after so many buffers.
    pub(super) fn forget_arrays(&mut self, buffers: usize) {
        let last = |l: &Self| BufferId(l.buffers.len() as u32 - 1);
        while self.buffers.len() > buffers && self.provisional.remove(&last(self)) {
            self.buffers.pop();
        }
    }

    pub(super) fn input(&mut self, array: Array) -> BufferId {
        self.declare(array, Space::Input)
    }
}
