//! The host steps of a call: room for arrays, what the host learns from launches, and the launches.

use super::call::{Call, Slot, internal};
use super::size::{Sizes, size};
use super::{Backend, Passed};
use sparse_core::emit::cuda::Kernel as Entry;
use sparse_core::emit::signature::Passes;
use sparse_core::error::{Error, Result};
use sparse_core::format::misfit;
use sparse_core::llir::{Array, BufferId, Elem, Expr, Launch, MOST, Param, Step, TensorId, Ty, VarId};
use sparse_core::scalar::{DType, Element, Typed, Value};
use sparse_core::sim::fibers;
use sparse_core::tensor::lengths::Lengths;
use sparse_core::{typed_each, typed_of};

impl<D: Backend> Call<'_, D> {
    /// The host steps in order.
    pub(super) fn run(&mut self) -> Result<()> {
        let mut launches = self.kernel.launches().enumerate();
        for step in &self.program().steps {
            match step {
                Step::Allocate { buffer, len, init } => self.allocate(*buffer, size(len, self)?, *init)?,
                Step::Read { var, buffer, index } => self.read(*var, *buffer, index)?,
                Step::AtMost { var, most, within, buffer, index } => match size(most, self)? {
                    most if most <= *within => self.read.push((*var, most)),
                    _ => self.read(*var, *buffer, index)?,
                },
                Step::Fibers { var, tensor, depth, what } => {
                    let known = fibers(*what, self.lengths(*tensor, *depth));
                    self.read.push((*var, known));
                }
                Step::Let { var, value } => {
                    let value = size(value, self)?;
                    self.read.push((*var, value));
                }
                Step::Fits { misfits, columns, len } => self.fits(*misfits, columns, len)?,
                Step::Fill { buffer, value } => self.fill(*buffer, *value)?,
                Step::Launch(_) => {
                    if let Some((number, (launch, entry))) = launches.next() {
                        self.launch(number, launch, entry)?;
                    }
                }
                Step::Reserve { .. } | Step::Run(_) => {
                    return Err(internal(self.program(), "it has code of the host"));
                }
            }
        }
        Ok(())
    }

    fn allocate(&mut self, buffer: BufferId, len: u64, init: Option<Value>) -> Result<()> {
        let declared = self.program().buffer(buffer);
        // Positions are one more than what they point at.
        let more = u64::from(matches!(declared.array, Array::Pos(..)));
        if len > MOST + more {
            return Err(match declared.array {
                // Not the result is too large: what its launches note for each row or coordinate is.
                Array::Local => {
                    let what = format!("the length of `{}`", declared.name);
                    Error::TooLargeForDevice { what, value: len.into(), most: MOST }
                }
                _ => Error::TooManyEntries { count: (len - more).into() },
            });
        }
        self.launched &= init.is_none();
        let (device, dtype) = (&self.device, dtype(declared.elem));
        let array = typed_of!(dtype, T => {
            let init = match init {
                None => None,
                Some(value) => Some(T::from_value(value).ok_or_else(|| self.misfit())?),
            };
            // SAFETY: a verified program allocates without a value where it writes every element.
            T::typed(unsafe { device.allocate::<T>(len as usize, init) }?)
        });
        self.slots[buffer.index()] = Slot::Made(array);
        Ok(())
    }

    /// How many entries an argument has below the positions of its first levels, unless nobody has counted them: those of a
    /// tensor that a kernel has made.
    fn lengths(&self, tensor: TensorId, depth: usize) -> Option<&Lengths> {
        self.tensors[tensor.index()].as_ref()?.lengths.get()?.get(depth)
    }

    /// A number of entries that launches counted: waits for them.
    fn read(&mut self, var: VarId, buffer: BufferId, index: &Expr) -> Result<()> {
        self.launched = false;
        let at = size(index, self)?;
        let entries = match &self.slots[buffer.index()] {
            Slot::Made(Typed::I32(array)) if at < D::len::<i32>(array) as u64 => {
                self.device.read(array, at as usize)?
            }
            _ => return Err(internal(self.program(), "a number of entries is none")),
        };
        match u64::try_from(entries) {
            // Counts stop there.
            Ok(entries) if entries < MOST => self.read.push((var, entries)),
            _ => return Err(Error::TooManyEntries { count: u128::from(MOST) + 1 }),
        }
        Ok(())
    }

    /// Whether launches have found no parent that has no entry or several where one is stored: waits for them.
    fn fits(&mut self, misfits: BufferId, columns: &[BufferId], len: &Expr) -> Result<()> {
        self.launched = false;
        let program = self.program();
        let wrong = || internal(program, "what is packed is no list of entries");
        let found = match &self.slots[misfits.index()] {
            Slot::Made(Typed::I32(array)) => self.device.read(array, 0)?,
            _ => return Err(wrong()),
        };
        if found == 0 {
            return Ok(());
        }
        let entries = size(len, self)? as usize;
        let mut lists = Vec::new();
        for column in columns {
            let Slot::Made(Typed::I32(array)) =
                std::mem::replace(&mut self.slots[column.index()], Slot::None)
            else {
                return Err(wrong());
            };
            lists.push(self.device.read_first(array, entries)?);
        }
        let (id, output) = program.output();
        let dims: Vec<_> = (0..output.spec.rank()).map(|d| self.dim(id, d)).collect();
        Err(misfit(&output.spec, &dims, lists, entries).unwrap_or_else(wrong))
    }

    fn fill(&mut self, buffer: BufferId, value: Value) -> Result<()> {
        fn fill<T: Element, D: Backend>(
            device: &D,
            array: &mut D::Array<T>,
            value: Value,
        ) -> Option<Result<()>> {
            Some(device.fill(array, T::from_value(value)?))
        }
        self.launched = false;
        let device = &self.device;
        let filled = match &mut self.slots[buffer.index()] {
            Slot::Write(array) => typed_each!(array, T: a => fill::<T, D>(device, a, value)),
            Slot::Made(array) => typed_each!(array, T: a => fill::<T, D>(device, a, value)),
            Slot::None | Slot::Index(_) | Slot::Read(_) => None,
        };
        filled.unwrap_or_else(|| Err(self.misfit()))
    }

    fn misfit(&self) -> Error {
        internal(self.program(), "a value is not of its array's type")
    }

    fn launch(&mut self, number: usize, launch: &Launch, entry: &Entry) -> Result<()> {
        let signature = &entry.parameters;
        let mut grid = [1u32; 3];
        for ((blocks, axis), &most) in grid.iter_mut().zip(&launch.grid).zip(&entry.max_blocks) {
            let wanted = size(&axis.blocks, self)?;
            let most = most.min(MOST);
            if wanted > most {
                let what = format!("the number of blocks of kernel `{}`", launch.name);
                return Err(Error::TooLargeForDevice { what, value: wanted.into(), most });
            }
            *blocks = wanted as u32;
        }
        if grid.contains(&0) {
            return Ok(());
        }
        let (program, kernel) = (self.program(), self.kernel);
        self.check_lengths(entry)?;
        let values = signature.iter().map(|p| match p.passes {
            Passes::Buffer(_) => Ok(None),
            Passes::Value(var) => self.value(var, entry.most).map(Some),
        });
        let values: Vec<Option<Passed<'_, D>>> = values.collect::<Result<_>>()?;
        let mut arrays: Vec<_> = self.slots.iter_mut().map(Slot::pass).collect();
        let passed = signature.iter().zip(values).map(|(parameter, value)| match parameter.passes {
            Passes::Buffer(id) => arrays[id.index()].take(),
            Passes::Value(_) => value,
        });
        let passed: Option<Vec<_>> = passed.collect();
        let passed = passed.ok_or_else(|| internal(program, "a kernel's array does not exist"))?;
        // Not after one that had no blocks and was not launched. For sizes that were read since then the host has waited.
        let early = std::mem::replace(&mut self.launched, true) && launch.follows;
        // SAFETY: the arguments are in the order of the signature and of its types, and a verified program keeps inside
        // arrays whose lengths agree.
        unsafe { self.device.launch(kernel, number, grid, passed, early) }
    }

    /// Do the kernel's loops over arrays count in 32 bits?
    fn check_lengths(&self, entry: &Entry) -> Result<()> {
        for parameter in &entry.parameters {
            let Passes::Buffer(id) = parameter.passes else { continue };
            let most = entry.most + u64::from(matches!(self.program().buffer(id).array, Array::Pos(..)));
            if let Some(len) = self.len(id).filter(|len| *len > most) {
                let what = format!("the length of `{}`", parameter.name);
                return Err(Error::TooLargeForDevice { what, value: len.into(), most });
            }
        }
        Ok(())
    }

    /// A size or scalar, as a kernel gets it.
    fn value<'b>(&self, var: VarId, most: u64) -> Result<Passed<'b, D>> {
        let program = self.program();
        let name = || program.var(var).name.clone();
        for param in &program.params {
            match *param {
                Param::Dim { var: v, .. } if v == var => {
                    let value = self.var(var).unwrap_or(0);
                    let index = i32::try_from(value).ok().filter(|_| value <= most);
                    let what = || format!("`{}`", name());
                    let too_large = || Error::TooLargeForDevice { what: what(), value: value.into(), most };
                    return index.map(Passed::Index).ok_or_else(too_large);
                }
                Param::Scalar { var: v, index } if v == var => {
                    let value = self.scalars.get(index).copied();
                    let fits = value.filter(|value| program.var(var).ty == Ty::Scalar(value.dtype()));
                    return fits.map(Passed::Scalar).ok_or_else(|| {
                        internal(program, "it is called with other scalars than it is declared with")
                    });
                }
                _ => {}
            }
        }
        Err(internal(program, "a kernel's parameter is none of the program's"))
    }
}

impl<D: Backend> Slot<'_, D> {
    fn pass(&mut self) -> Option<Passed<'_, D>> {
        match self {
            Slot::None => None,
            Slot::Index(array) => Some(Passed::Read(i32::typed(&**array))),
            Slot::Read(array) => Some(Passed::Read(typed_each!(array, T: a => T::typed(*a)))),
            Slot::Write(array) => Some(Passed::Write(typed_each!(array, T: a => T::typed(&mut **a)))),
            Slot::Made(array) => Some(Passed::Write(typed_each!(array, T: a => T::typed(a)))),
        }
    }
}

/// Positions and coordinates are i32.
fn dtype(elem: Elem) -> DType {
    match elem {
        Elem::Index => DType::I32,
        Elem::Scalar(t) => t,
    }
}
