//! The tensors and scalars that a kernel is tuned for, on their device.

use super::error::{Result, TuneError};
use crate::launch::{Argument, Backend, Call, Kernel, share_memory};
use sparse_core::error::Error;
use sparse_core::format::{Buffer, Children, Format, FormatSpec, LevelArrays};
use sparse_core::front::ast;
use sparse_core::scalar::{DType, Element, Value};
use sparse_core::sim::Arg;
use sparse_core::tensor::{DynTensor, Lengths, Tensor};
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

/// Arguments of a kernel: its tensors in order, its scalars in order. A tensor that the kernel writes in place is passed
/// like the others; tuning works on copies of it.
///
/// ```
/// use sparse_gpu::prelude::*;
/// use sparse_gpu::tune::Arguments;
/// let sim = Sim::new();
/// let a = Csr::from_triplets([2, 2], [([0, 1], 1.0f32)])?.to(&sim)?;
/// let b = DenseMat::<f32>::random([2, 4], 1).to(&sim)?;
/// let arguments = Arguments::new().tensor(&a).tensor(&b).scalar(2.0f32);
/// # Ok::<(), Error>(())
/// ```
pub struct Arguments<'a, D: Backend> {
    tensors: Vec<Box<dyn Operand<D> + 'a>>,
    scalars: Vec<Value>,
}

/// A tensor whose type is forgotten.
trait Operand<D: Backend> {
    fn spec(&self) -> FormatSpec;
    fn dtype(&self) -> DType;
    fn dims(&self) -> Vec<usize>;
    fn device(&self) -> &D;
    fn levels(&self) -> &[LevelArrays<Arc<D::Array<i32>>>];
    fn values(&self) -> usize;
    fn lengths(&self, depth: usize) -> Result<Lengths, Error>;
    fn read(&self) -> Argument<'_, D>;
    fn copy(&self) -> Box<dyn Scratch<D>>;
    fn host(&self) -> Result<DynTensor, Error>;
}

/// A tensor that kernels write while they are tuned.
pub(super) trait Scratch<D: Backend> {
    fn write(&mut self) -> Result<Argument<'_, D>, Error>;
    fn host(&self) -> Result<DynTensor, Error>;
}

impl<T: Element, F: Format, D: Backend> Operand<D> for &Tensor<T, F, D> {
    fn spec(&self) -> FormatSpec {
        F::spec()
    }

    fn dtype(&self) -> DType {
        T::DTYPE
    }

    fn dims(&self) -> Vec<usize> {
        Tensor::dims(self).as_ref().to_vec()
    }

    fn device(&self) -> &D {
        Tensor::device(self)
    }

    fn levels(&self) -> &[LevelArrays<Arc<D::Array<i32>>>] {
        Tensor::levels(self)
    }

    fn values(&self) -> usize {
        D::len::<T>(self.vals_array())
    }

    fn lengths(&self, depth: usize) -> Result<Lengths, Error> {
        Tensor::lengths(self, depth)
    }

    fn read(&self) -> Argument<'_, D> {
        Argument::read(*self)
    }

    fn copy(&self) -> Box<dyn Scratch<D>> {
        Box::new(Tensor::clone(self))
    }

    fn host(&self) -> Result<DynTensor, Error> {
        Ok(DynTensor::from(&self.to_host()?))
    }
}

impl<T: Element, F: Format, D: Backend> Scratch<D> for Tensor<T, F, D> {
    /// Its values are its own from the first time on.
    fn write(&mut self) -> Result<Argument<'_, D>, Error> {
        Argument::write(self)
    }

    fn host(&self) -> Result<DynTensor, Error> {
        Ok(DynTensor::from(&self.to_host()?))
    }
}

impl<D: Backend> Default for Arguments<'_, D> {
    fn default() -> Self {
        Arguments { tensors: vec![], scalars: vec![] }
    }
}

impl<'a, D: Backend> Arguments<'a, D> {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next tensor.
    #[must_use]
    pub fn tensor<T: Element, F: Format>(mut self, tensor: &'a Tensor<T, F, D>) -> Self {
        self.tensors.push(Box::new(tensor));
        self
    }

    /// The next scalar.
    #[must_use]
    pub fn scalar<T: Element>(mut self, value: T) -> Self {
        self.scalars.push(value.to_value());
        self
    }

    /// Are these the kernel's parameters?
    pub(super) fn check(&self, kernel: &ast::Kernel) -> Result<()> {
        let declared: Vec<_> = kernel.tensors.iter().filter(|t| t.mode != ast::Mode::Result).collect();
        let (tensors, scalars) = (self.tensors.len(), self.scalars.len());
        let (expected_tensors, expected_scalars) = (declared.len(), kernel.scalars.len());
        if (tensors, scalars) != (expected_tensors, expected_scalars) {
            return Err(TuneError::ArgumentCount { expected_tensors, expected_scalars, tensors, scalars });
        }
        let misfit = |name: &dyn Display, expected, found| {
            Err(TuneError::ElementType { name: name.to_string(), expected, found })
        };
        let named: Vec<_> = declared.iter().map(|t| t.name.to_string()).zip(&self.tensors).collect();
        for pair in named.windows(2) {
            let [first, second] = [&named[0], &pair[1]].map(|(name, t)| (&name[..], t.device()));
            share_memory(first, second)?;
        }
        for (tensor, declared) in self.tensors.iter().zip(declared) {
            if tensor.dtype() != declared.dtype {
                return misfit(&declared.name, declared.dtype, tensor.dtype());
            }
            if tensor.spec() != declared.spec {
                let (expected, found) = (Box::new(declared.spec.clone()), Box::new(tensor.spec()));
                return Err(TuneError::Format { tensor: declared.name.to_string(), expected, found });
            }
        }
        for (value, declared) in self.scalars.iter().zip(&kernel.scalars) {
            if value.dtype() != declared.dtype {
                return misfit(&declared.name, declared.dtype, value.dtype());
            }
        }
        Ok(())
    }

    /// Where they are. Kernels that run on devices have tensors.
    pub(super) fn device(&self) -> Result<&D> {
        let first = self.tensors.first().map(|t| t.device());
        first.ok_or_else(|| TuneError::NothingToTune("a kernel without tensors runs on the CPU".into()))
    }

    /// Sizes of a tensor's dimensions; `None` for a result.
    pub(super) fn dims(&self, tensor: usize) -> Option<Vec<usize>> {
        self.tensors.get(tensor).map(|t| t.dims())
    }

    pub(super) fn lengths(&self, tensor: usize, depth: usize) -> Result<Lengths> {
        Ok(self.tensors[tensor].lengths(depth)?)
    }

    /// Values of all tensors.
    pub(super) fn values(&self) -> u64 {
        self.tensors.iter().map(|t| t.values() as u64).sum()
    }

    /// Where the children of each of these levels' parents are, on the host; the first has so many parents.
    pub(super) fn children(
        &self,
        tensor: usize,
        levels: Range<usize>,
        mut parents: u64,
    ) -> Result<Vec<Children<Arc<Buffer<i32>>>>> {
        let tensor = &self.tensors[tensor];
        let (spec, dims) = (tensor.spec(), tensor.dims());
        let one = |level: usize| {
            let children = tensor.levels()[level].children(dims[spec.map.dim_of_level(level)]);
            let children = children.try_map(|pos| tensor.device().download::<i32>(pos))?;
            parents = children.check(level, parents as usize)? as u64;
            Ok(children)
        };
        levels.map(one).collect()
    }

    /// What the interpreter takes.
    pub(super) fn on_host(&self) -> Result<Vec<Arg>> {
        let tensors = self.tensors.iter().map(|t| Ok(Arg::Tensor(t.host()?)));
        tensors.chain(self.scalars.iter().map(|v| Ok(Arg::Scalar(*v)))).collect()
    }

    /// A copy of the tensor that the kernel writes in place.
    pub(super) fn scratch(&self, written: Option<usize>) -> Option<Box<dyn Scratch<D>>> {
        written.map(|at| self.tensors[at].copy())
    }

    /// A call with these arguments, the written one exchanged for its copy.
    pub(super) fn call<'b>(
        &'b self,
        kernel: &'b Kernel,
        written: Option<usize>,
        scratch: &'b mut Option<Box<dyn Scratch<D>>>,
    ) -> Result<Call<'b, D>, Error> {
        let mut scratch = scratch.as_mut();
        let passed = self.tensors.iter().enumerate().map(|(at, tensor)| {
            match (written == Some(at)).then(|| scratch.take()).flatten() {
                Some(copy) => copy.write(),
                None => Ok(tensor.read()),
            }
        });
        Call::new(kernel, passed.collect::<Result<_, Error>>()?, self.scalars.clone())
    }
}
