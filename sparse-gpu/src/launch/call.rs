//! One call of a kernel: from its arguments to its result.

use super::any::{AnyArray, AnyMut, AnyRef};
use super::argument::{Argument, Levels, Vals};
use super::kernel::Kernel;
use super::size::Sizes;
use super::types;
use super::{Backend, share_memory};
use sparse_core::error::{Error, Result};
use sparse_core::format::{Format, Level, LevelArrays, dense_positions};
use sparse_core::llir::{Array, BufferId, Param, Program, Promise, Role, TensorId, VarId};
use sparse_core::scalar::{Element, Value};
use sparse_core::tensor::Tensor;
use sparse_core::tensor::lengths::KnownLengths;
use sparse_core::{rt, typed_each};
use std::sync::Arc;

/// What a kernel made: a tensor's parts. In-place kernels make none.
pub(crate) struct Made<D: Backend> {
    pub(super) device: D,
    pub(super) dims: Vec<usize>,
    pub(super) levels: Levels<D>,
    /// Of a result that has an operand's levels, that operand's.
    pub(super) lengths: KnownLengths,
    pub(super) vals: AnyArray<D>,
}

/// A kernel with the arguments of a call.
pub struct Call<'a, D: Backend> {
    pub(super) kernel: &'a Kernel,
    pub(super) device: D,
    /// By [`TensorId`]; `None` for a result.
    pub(super) tensors: Vec<Option<Shape<D>>>,
    pub(super) scalars: Vec<Value>,
    /// By [`BufferId`].
    pub(super) slots: Vec<Slot<'a, D>>,
    /// What the host has learned, most of it from the device.
    pub(super) read: Vec<(VarId, u64)>,
    /// Is a launch the last thing that the call has given the device to do? Then one that follows it may start early.
    pub(super) launched: bool,
}

pub(super) struct Shape<D: Backend> {
    dims: Vec<usize>,
    levels: Levels<D>,
    pub(super) lengths: KnownLengths,
}

/// What stands behind a buffer.
pub(super) enum Slot<'a, D: Backend> {
    /// Nothing (yet), or what belongs to a kernel alone.
    None,
    Index(Arc<D::Array<i32>>),
    Read(AnyRef<'a, D>),
    Write(AnyMut<'a, D>),
    Made(AnyArray<D>),
}

impl<'a, D: Backend> Call<'a, D> {
    /// Checks the arguments: tensors are the kernel's in order, scalars likewise.
    ///
    /// # Errors
    /// [`Error::CallMismatch`] if tensors or scalars are not of the number, formats and element types that the kernel
    /// declares, or one that it writes in place is passed to be read; [`Error::DimensionMismatch`],
    /// [`Error::BrokenBound`], [`Error::DifferentDevices`]; [`Error::TooManyEntries`] if the result's dense levels have
    /// more positions than 32 bits count.
    pub fn new(kernel: &'a Kernel, arguments: Vec<Argument<'a, D>>, scalars: Vec<Value>) -> Result<Self> {
        let program = kernel.program();
        types::check(program, &arguments, &scalars)?;
        let Some(device) = arguments.first().map(|a| a.device.clone()) else {
            return Err(internal(program, "it is called without a tensor, so on no device"));
        };
        let mut call = Call {
            kernel,
            device,
            tensors: vec![],
            scalars,
            slots: program.buffers.iter().map(|_| Slot::None).collect(),
            read: vec![],
            launched: false,
        };
        let mut passed = arguments.into_iter();
        for (at, declared) in program.tensors.iter().enumerate() {
            let id = TensorId(at as u32);
            if !matches!(declared.role, Role::Input | Role::InOut) {
                call.tensors.push(None);
                continue;
            }
            let argument =
                passed.next().ok_or_else(|| internal(program, "it is called with too few tensors"))?;
            call.add(id, argument)?;
        }
        call.check_extents()?;
        // The lengths of its arrays do not say it where a size is 0.
        let (_, output) = program.output();
        dense_positions(1, output.first_dense().map(|(of, dim)| call.dim(of, dim)))?;
        Ok(call)
    }

    pub(super) fn program(&self) -> &'a Program {
        self.kernel.program()
    }

    /// Binds an argument to its buffers.
    fn add(&mut self, id: TensorId, argument: Argument<'a, D>) -> Result<()> {
        let program = self.program();
        let Argument { device, dims, levels, lengths, vals, .. } = argument;
        let first = program.tensors.iter().find(|t| matches!(t.role, Role::Input | Role::InOut));
        let first = first.map_or("", |t| &t.name);
        share_memory((first, &self.device), (&program.tensors[id.index()].name, &device))?;
        for (slot, buffer) in self.slots.iter_mut().zip(&program.buffers) {
            let array = match buffer.array {
                Array::Pos(t, l) if t == id => levels.get(l).and_then(LevelArrays::pos),
                Array::Crd(t, l) if t == id => levels.get(l).and_then(LevelArrays::crd),
                _ => continue,
            };
            let array =
                array.ok_or_else(|| internal(program, "a tensor has not the arrays of its format"))?;
            *slot = Slot::Index(array.clone());
        }
        if let Some(at) = program.buffers.iter().position(|b| b.array == Array::Vals(id)) {
            self.slots[at] = match vals {
                Vals::Read(array) => Slot::Read(array),
                Vals::Write(array) => Slot::Write(array),
            };
        }
        self.tensors.push(Some(Shape { dims, levels, lengths }));
        Ok(())
    }

    /// All dimensions that one index variable ranges over agree, and are what the schedule promises.
    fn check_extents(&self) -> Result<()> {
        for extent in &self.program().extents {
            let sources: Vec<_> = extent
                .sources
                .iter()
                .map(|&(t, dim)| (self.program().tensors[t.index()].name.as_str(), self.dim(t, dim)))
                .collect();
            let Some(&first) = sources.first() else { continue };
            rt::check_extent(&extent.index, &sources)?;
            for promise in &extent.promises {
                let host = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                match *promise {
                    Promise::Exact(n) => rt::check_bound(&extent.index, first, host(n), true)?,
                    Promise::Multiple(n) => rt::check_bound(&extent.index, first, host(n), false)?,
                    Promise::Parts { size, count } => {
                        rt::check_parts(&extent.index, first, host(size), host(count))?;
                    }
                }
            }
        }
        for fused in &self.program().fused {
            let sizes = fused.of.iter().map(|&(t, dim)| self.dim(t, dim));
            let sizes: Vec<usize> =
                fused.entries.iter().map(|&(t, level)| self.entries(t, level)).chain(sizes).collect();
            rt::check_fused(&fused.index, &sizes)?;
        }
        Ok(())
    }

    /// How many coordinates an argument lists at a level.
    fn entries(&self, tensor: TensorId, level: usize) -> usize {
        let level = self.tensors[tensor.index()].as_ref().and_then(|shape| shape.levels.get(level));
        level.and_then(LevelArrays::crd).map_or(0, |crd| D::len(crd))
    }

    /// Size of a dimension of a tensor, a result's too.
    pub(super) fn dim(&self, tensor: TensorId, dim: usize) -> usize {
        match &self.tensors[tensor.index()] {
            Some(shape) => shape.dims[dim],
            None => {
                let (of, dim) = self.program().tensors[tensor.index()].dims_from[dim];
                // A verified result takes its sizes from arguments.
                self.tensors[of.index()].as_ref().map_or(0, |shape| shape.dims[dim])
            }
        }
    }

    /// Runs the program for its result.
    ///
    /// # Errors
    /// [`Error::CallMismatch`] if the kernel makes no such tensor, [`Error::TooManyEntries`], [`Error::TooLargeForDevice`], [`Error::OutOfDeviceMemory`], and as
    /// [`Backend::launch`].
    pub fn result<T: Element, F: Format>(self) -> Result<Tensor<T, F, D>> {
        let program = self.program();
        types::check_result(program, &F::spec(), T::DTYPE)?;
        let Made { device, dims, levels, lengths, vals } = self.made()?;
        let wrong = || internal(program, "it makes another tensor than it is declared to");
        let vals = T::untyped(vals).ok_or_else(wrong)?;
        let mut sizes = <F::Coord as sparse_core::format::types::Coord>::ZERO;
        if sizes.as_ref().len() != dims.len() || levels.len() != dims.len() {
            return Err(wrong());
        }
        sizes.as_mut().copy_from_slice(&dims);
        // SAFETY: a verified program makes arrays that are valid for the format and the dimensions; the lengths are those of the
        // operand whose levels they are, or nobody has asked for any.
        Ok(unsafe { Tensor::from_raw_arrays(device, sizes, levels, Arc::new(vals)).with_lengths(lengths) })
    }

    /// Runs the program for what it writes in place.
    ///
    /// # Errors
    /// As [`Call::result`].
    pub fn in_place(mut self) -> Result<()> {
        self.run()
    }

    /// Runs the program for its result's parts.
    pub(crate) fn made(mut self) -> Result<Made<D>> {
        self.run()?;
        let program = self.program();
        let (id, output) = program.output();
        let (levels, lengths) = match output.role {
            Role::ResultLike(like, shared) => {
                let like = self.tensors[like.index()].as_ref();
                let (mut levels, lengths) = like.map_or_else(Default::default, |shape| {
                    let all = shape.levels.len() == shared && shared == output.spec.rank();
                    let lengths = if all { shape.lengths.clone() } else { KnownLengths::default() };
                    (shape.levels.clone(), lengths)
                });
                levels.truncate(shared);
                levels.resize(output.spec.rank(), LevelArrays::Dense);
                (levels, lengths)
            }
            _ => {
                let levels =
                    output.spec.levels.iter().enumerate().map(|(l, level)| self.level(id, l, *level));
                (levels.collect::<Result<_>>()?, KnownLengths::default())
            }
        };
        let vals = self.take(Array::Vals(id))?;
        let dims = (0..output.spec.rank()).map(|d| self.dim(id, d)).collect();
        Ok(Made { device: self.device, dims, levels, lengths, vals })
    }

    /// A level of the result.
    fn level(&mut self, id: TensorId, l: usize, level: Level) -> Result<LevelArrays<Arc<D::Array<i32>>>> {
        LevelArrays::try_build(level, |name| {
            let array = i32::untyped(self.take(Array::of_level(name, id, l))?);
            array
                .map(Arc::new)
                .ok_or_else(|| internal(self.program(), "a result's coordinates are no indices"))
        })
    }

    /// An array that the program made.
    fn take(&mut self, array: Array) -> Result<AnyArray<D>> {
        let program = self.program();
        let at = program.buffers.iter().position(|b| b.array == array);
        match at.map(|at| std::mem::replace(&mut self.slots[at], Slot::None)) {
            Some(Slot::Made(array)) => Ok(array),
            _ => Err(internal(program, "an array of the result was not made")),
        }
    }
}

impl<D: Backend> Sizes for Call<'_, D> {
    fn var(&self, var: VarId) -> Option<u64> {
        let read = self.read.iter().find(|(v, _)| *v == var).map(|(_, entries)| *entries);
        read.or_else(|| {
            self.program().params.iter().find_map(|param| match *param {
                Param::Dim { var: v, tensor, level } if v == var => {
                    let dim = self.program().tensors[tensor.index()].spec.map.dim_of_level(level);
                    Some(self.dim(tensor, dim) as u64)
                }
                _ => None,
            })
        })
    }

    fn len(&self, buffer: BufferId) -> Option<u64> {
        let len = match &self.slots[buffer.index()] {
            Slot::None => return None,
            Slot::Index(array) => D::len::<i32>(array),
            Slot::Read(array) => typed_each!(array, T: a => D::len::<T>(a)),
            Slot::Write(array) => typed_each!(array, T: a => D::len::<T>(a)),
            Slot::Made(array) => typed_each!(array, T: a => D::len::<T>(a)),
        };
        Some(len as u64)
    }

    fn load(&self, buffer: BufferId, at: u64) -> Result<Option<u64>> {
        match &self.slots[buffer.index()] {
            Slot::Index(array) if at < D::len::<i32>(array) as u64 => {
                let element = self.device.read(array, at as usize)?;
                Ok(u64::try_from(element).ok())
            }
            _ => Ok(None),
        }
    }

    fn kernel(&self) -> &str {
        &self.program().name
    }
}

pub(super) fn internal(program: &Program, what: &str) -> Error {
    Error::Internal { kernel: program.name.clone(), what: what.into() }
}
