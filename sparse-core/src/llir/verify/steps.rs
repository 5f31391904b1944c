//! The steps of the host, and what stands in their sizes.

use super::code::{Place, Verifier, element_value, known};
use super::tables::var_ty;
use super::{Rule, VerifyError, ensure};
use crate::llir::print::print_step_headline;
use crate::llir::{Buffer, BufferId, Elem, Expr, Role, Space, Step, Tensor, Ty, VarId};

impl Verifier<'_> {
    pub(super) fn step(&mut self, step: &Step) -> Result<(), VerifyError> {
        let p = self.p;
        let at = &|| format!("`{}`", print_step_headline(p, step));
        match step {
            Step::Allocate { buffer, len, init } => {
                self.host_index(len, at)?;
                let b = self.allocate(*buffer, Space::Output, at)?;
                match init {
                    Some(v) => element_value(b, *v, at),
                    None => Ok(()),
                }
            }
            Step::Reserve { buffer, capacity, exact } => {
                ensure(!exact || capacity.is_some(), Rule::Allocation, at, || {
                    "its exact length is not known".into()
                })?;
                if let Some(capacity) = capacity {
                    self.host_index(capacity, at)?;
                }
                self.allocate(*buffer, Space::Growable, at).map(|_| ())
            }
            Step::AtMost { var, most, buffer, index, .. } => {
                self.host_index(most, at)?;
                self.read_back(*var, *buffer, index, at)
            }
            Step::Fibers { var, tensor, depth, .. } => {
                let of = p.tensors.get(tensor.index());
                let is_argument = |t: &&Tensor| matches!(t.role, Role::Input | Role::InOut);
                ensure(
                    of.filter(is_argument).is_some_and(|t| *depth <= t.spec.rank()),
                    Rule::Tensors,
                    at,
                    || "no argument has such levels".into(),
                )?;
                ensure(p.launches().next().is_some(), Rule::Host, at, || {
                    "nothing is launched: lengths are a device's tensors'".into()
                })?;
                ensure(var_ty(p, *var, at)? == Ty::Index, Rule::Types, at, || "a number is an index".into())?;
                self.declare(*var, false, at)
            }
            Step::Let { var, value } => {
                self.host_index(value, at)?;
                ensure(p.launches().next().is_some(), Rule::Host, at, || {
                    "nothing is launched: code on the host has constants of its own".into()
                })?;
                ensure(var_ty(p, *var, at)? == Ty::Index, Rule::Types, at, || "a size is an index".into())?;
                self.declare(*var, false, at)
            }
            Step::Read { var, buffer, index } => self.read_back(*var, *buffer, index, at),
            Step::Fits { misfits, columns, len } => {
                self.host_index(len, at)?;
                for &buffer in columns.iter().chain([misfits]) {
                    let b = self.usable(buffer, at)?;
                    ensure(b.space == Space::Output && b.elem == Elem::Index, Rule::Host, at, || {
                        format!("`{}` is no array of coordinates that is read back", b.name)
                    })?;
                }
                let (_, output) = p.output();
                ensure(p.launches().next().is_some(), Rule::Host, at, || {
                    "nothing is launched that it could wait for".into()
                })?;
                ensure(columns.len() == output.spec.rank(), Rule::Tensors, at, || {
                    format!("{} coordinates for {} levels", columns.len(), output.spec.rank())
                })
            }
            Step::Fill { buffer, value } => {
                let b = self.usable(*buffer, at)?;
                ensure(matches!(b.space, Space::InOut | Space::Output), Rule::Host, at, || {
                    format!("`{}` cannot be filled", b.name)
                })?;
                element_value(b, *value, at)
            }
            Step::Run(block) => self.block(block),
            Step::Launch(launch) => self.launch(launch, at),
        }
    }

    /// A number of entries that launches wrote, which the host learns.
    fn read_back(
        &mut self,
        var: VarId,
        buffer: BufferId,
        index: &Expr,
        at: Place,
    ) -> Result<(), VerifyError> {
        self.host_index(index, at)?;
        let b = self.usable(buffer, at)?;
        ensure(b.space == Space::Output && b.elem == Elem::Index, Rule::Host, at, || {
            format!("`{}` holds no number of entries that is read back", b.name)
        })?;
        ensure(self.p.launches().next().is_some(), Rule::Host, at, || {
            "nothing is launched that it could wait for".into()
        })?;
        ensure(var_ty(self.p, var, at)? == Ty::Index, Rule::Types, at, || "a number is an index".into())?;
        self.declare(var, false, at)
    }

    pub(super) fn host_index(&mut self, e: &Expr, at: Place) -> Result<(), VerifyError> {
        self.host = true;
        let checked = self.expect(e, Ty::Index, at);
        self.host = false;
        checked
    }

    fn allocate(&mut self, id: BufferId, space: Space, at: Place) -> Result<&Buffer, VerifyError> {
        let p = self.p;
        let b = known(p, id, at)?;
        ensure(b.space == space, Rule::Allocation, at, || format!("`{}` is not {space:?}", b.name))?;
        ensure(!self.declared[id.index()], Rule::Allocation, at, || {
            format!("`{}` is allocated twice", b.name)
        })?;
        self.declared[id.index()] = true;
        self.buffers[id.index()] = true;
        Ok(b)
    }
}
