//! One call of a kernel: from its arguments to its result.

use super::any::{AnyArray, AnyMut, AnyRef};
use super::kernel::Kernel;
use super::size::{Sizes, size};
use super::types;
use super::{Backend, Passed, share_memory};
use sparse_core::emit::cuda::Kernel as Entry;
use sparse_core::emit::signature::Passes;
use sparse_core::error::{Error, Result};
use sparse_core::format::{Format, FormatSpec, Level, LevelArrays, dense_positions, misfit};
use sparse_core::llir::{
    Array, BufferId, Elem, Expr, Launch, MOST, Param, Program, Promise, Role, Step, TensorId, Ty, VarId,
};
use sparse_core::scalar::{DType, Element, Typed, Value};
use sparse_core::sim::fibers;
use sparse_core::tensor::Tensor;
use sparse_core::tensor::lengths::{self, KnownLengths, Lengths};
use sparse_core::{rt, typed_each, typed_of};
use std::sync::Arc;

/// A tensor's levels on a device.
pub(super) type Levels<D> = Vec<LevelArrays<Arc<<D as sparse_core::tensor::Device>::Array<i32>>>>;

/// A tensor that a kernel is called with.
pub struct Argument<'a, D: Backend> {
    pub(super) device: D,
    pub(super) spec: FormatSpec,
    pub(super) dims: Vec<usize>,
    /// From the root down.
    pub(super) sizes: Vec<usize>,
    pub(super) levels: Levels<D>,
    pub(super) lengths: KnownLengths,
    pub(super) vals: Vals<'a, D>,
}

/// An argument's values.
pub(super) enum Vals<'a, D: Backend> {
    Read(AnyRef<'a, D>),
    Write(AnyMut<'a, D>),
}

impl<'a, D: Backend> Argument<'a, D> {
    /// A tensor that is read.
    pub fn read<T: Element, F: Format>(tensor: &'a Tensor<T, F, D>) -> Self {
        Argument {
            device: tensor.device().clone(),
            spec: F::spec(),
            dims: tensor.dims().as_ref().to_vec(),
            sizes: tensor.level_sizes(),
            levels: tensor.levels().to_vec(),
            lengths: tensor.known_lengths().clone(),
            vals: Vals::Read(T::typed(&**tensor.vals_array())),
        }
    }

    /// How many entries there are below each position of the first levels, by their number.
    pub(super) fn lengths(&self) -> Result<&[Lengths]> {
        lengths::known(&self.lengths, &self.sizes, &self.levels, &self.device)
    }

    /// How many values are stored at each entry of the last sparse level.
    pub(super) fn block(&self) -> u64 {
        let sizes = self.sizes.iter().rev().take(self.spec.block_levels());
        sizes.fold(1, |block, size| block.saturating_mul(*size as u64))
    }

    /// A tensor that is written in place; where another tensor shares its values, they are copied first.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`]
    pub fn write<T: Element, F: Format>(tensor: &'a mut Tensor<T, F, D>) -> Result<Self> {
        let (device, dims) = (tensor.device().clone(), tensor.dims().as_ref().to_vec());
        let (levels, sizes) = (tensor.levels().to_vec(), tensor.level_sizes());
        let lengths = tensor.known_lengths().clone();
        // SAFETY: kernels write elements, and do not exchange the array.
        let vals = unsafe { tensor.vals_array_mut() }?;
        let vals = Vals::Write(T::typed(vals));
        Ok(Argument { device, spec: F::spec(), dims, sizes, levels, lengths, vals })
    }

    pub(super) fn dtype(&self) -> DType {
        match &self.vals {
            Vals::Read(array) => typed_each!(array, T: _array => T::DTYPE),
            Vals::Write(array) => typed_each!(array, T: _array => T::DTYPE),
        }
    }
}

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
    kernel: &'a Kernel,
    device: D,
    /// By [`TensorId`]; `None` for a result.
    tensors: Vec<Option<Shape<D>>>,
    scalars: Vec<Value>,
    /// By [`BufferId`].
    slots: Vec<Slot<'a, D>>,
    /// What the host has learned, most of it from the device.
    read: Vec<(VarId, u64)>,
}

struct Shape<D: Backend> {
    dims: Vec<usize>,
    levels: Levels<D>,
    lengths: KnownLengths,
}

/// What stands behind a buffer.
enum Slot<'a, D: Backend> {
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

    fn program(&self) -> &'a Program {
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
                Array::Pos(t, l) if t == id => match levels.get(l) {
                    Some(LevelArrays::Compressed { pos, .. }) => Some(pos),
                    _ => None,
                },
                Array::Crd(t, l) if t == id => match levels.get(l) {
                    Some(LevelArrays::Compressed { crd, .. } | LevelArrays::Singleton { crd }) => Some(crd),
                    _ => None,
                },
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
            let sizes: Vec<usize> = fused.of.iter().map(|&(t, dim)| self.dim(t, dim)).collect();
            rt::check_fused(&fused.index, &sizes)?;
        }
        Ok(())
    }

    /// Size of a dimension of a tensor, a result's too.
    fn dim(&self, tensor: TensorId, dim: usize) -> usize {
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
            Role::ResultLike(like) => {
                let like = self.tensors[like.index()].as_ref();
                like.map_or_else(Default::default, |shape| (shape.levels.clone(), shape.lengths.clone()))
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
        let mut indices = |array| {
            let array = i32::untyped(self.take(array)?);
            array
                .map(Arc::new)
                .ok_or_else(|| internal(self.program(), "a result's coordinates are no indices"))
        };
        Ok(match level {
            Level::Dense => LevelArrays::Dense,
            Level::Compressed { .. } => {
                LevelArrays::Compressed { pos: indices(Array::Pos(id, l))?, crd: indices(Array::Crd(id, l))? }
            }
            Level::Singleton { .. } => LevelArrays::Singleton { crd: indices(Array::Crd(id, l))? },
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

    /// The host steps in order.
    fn run(&mut self) -> Result<()> {
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
        // SAFETY: the arguments are in the order of the signature and of its types, and a verified program keeps inside
        // arrays whose lengths agree.
        unsafe { self.device.launch(kernel, number, grid, passed) }
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

fn internal(program: &Program, what: &str) -> Error {
    Error::Internal { kernel: program.name.clone(), what: what.into() }
}

/// Positions and coordinates are i32.
fn dtype(elem: Elem) -> DType {
    match elem {
        Elem::Index => DType::I32,
        Elem::Scalar(t) => t,
    }
}
