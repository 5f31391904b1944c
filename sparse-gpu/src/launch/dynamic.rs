//! Calls with tensors whose formats are known at run time, for random tests and tools.

use super::any::AnyArray;
use super::argument::{Argument, Levels, Vals};
use super::call::{Call, Made};
use super::{Backend, Kernel};
use sparse_core::error::{Error, Result};
use sparse_core::format::{Buffer, FormatSpec, LevelArrays};
use sparse_core::llir::{Role, Tensor};
use sparse_core::scalar::{Element, Value};
use sparse_core::sim::Arg;
use sparse_core::tensor::lengths::KnownLengths;
use sparse_core::tensor::{DynLevel, DynTensor};
use sparse_core::{typed_each, typed_of};
use std::sync::Arc;

/// Copies arguments of the host to a device, runs a kernel there, and fetches its result, or the tensor that it wrote in
/// place. Arguments are as for the interpreter: tensors in order, scalars in order.
///
/// # Errors
/// What is wrong with a tensor's storage, and as [`Call::new`] and [`Call::result`].
pub fn run_dynamic<D: Backend>(device: &D, kernel: &Kernel, arguments: &[Arg]) -> Result<DynTensor> {
    let (mut tensors, mut scalars) = (vec![], vec![]);
    for argument in arguments {
        match argument {
            Arg::Tensor(t) => tensors.push(t),
            Arg::Scalar(v) => scalars.push(*v),
        }
    }
    let program = kernel.program();
    let declared: Vec<_> =
        program.tensors.iter().filter(|t| matches!(t.role, Role::Input | Role::InOut)).collect();
    let mut uploaded = tensors.iter().map(|t| Uploaded::new(device, t)).collect::<Result<Vec<_>>>()?;
    // Tensors that are not declared are refused by the call.
    let roles = declared.iter().map(|t| t.role).chain(std::iter::repeat(Role::Input));
    let passed = uploaded.iter_mut().zip(roles).map(|(u, role)| u.argument(device, role));
    let call = Call::new(kernel, passed.collect(), scalars)?;
    let (_, output) = program.output();
    let made = if output.role == Role::InOut {
        call.in_place()?;
        let at = declared.iter().position(|t| t.role == Role::InOut).unwrap_or(0);
        let Uploaded { dims, levels, vals, .. } = uploaded.swap_remove(at);
        Made { device: device.clone(), dims, levels, lengths: KnownLengths::default(), vals }
    } else {
        call.made()?
    };
    fetch(made, output)
}

/// A tensor on the device.
struct Uploaded<D: Backend> {
    spec: FormatSpec,
    dims: Vec<usize>,
    sizes: Vec<usize>,
    levels: Levels<D>,
    lengths: KnownLengths,
    vals: AnyArray<D>,
}

impl<D: Backend> Uploaded<D> {
    fn new(device: &D, tensor: &DynTensor) -> Result<Self> {
        tensor.validate()?;
        let upload = |array: &Vec<i32>| device.upload::<i32>(&Arc::new(array[..].into()));
        let levels = tensor.levels.iter().map(|l| l.as_ref().try_map(upload)).collect::<Result<_>>()?;
        let vals = typed_of!(tensor.dtype, T => {
            let vals: Buffer<T> = tensor.vals.iter().filter_map(|&v| T::from_value(v)).collect();
            let vals = device.upload::<T>(&Arc::new(vals))?;
            // Nobody shares the copy, except with a device whose memory is the host's.
            T::typed(Arc::try_unwrap(vals).or_else(|shared| device.duplicate::<T>(&shared))?)
        });
        let sizes = (0..tensor.spec.rank()).map(|l| tensor.dims[tensor.spec.map.dim_of_level(l)]).collect();
        let (spec, dims) = (tensor.spec.clone(), tensor.dims.clone());
        let lengths = KnownLengths::of_dynamic(tensor);
        Ok(Uploaded { spec, dims, sizes, levels, lengths, vals })
    }

    fn argument(&mut self, device: &D, role: Role) -> Argument<'_, D> {
        let vals = if role == Role::InOut {
            Vals::Write(typed_each!(&mut self.vals, T: a => T::typed(a)))
        } else {
            Vals::Read(typed_each!(&self.vals, T: a => T::typed(a)))
        };
        let (spec, dims, sizes) = (self.spec.clone(), self.dims.clone(), self.sizes.clone());
        let (levels, lengths) = (self.levels.clone(), self.lengths.clone());
        Argument { device: device.clone(), spec, dims, sizes, levels, lengths, vals }
    }
}

/// A result on the host.
pub(crate) fn fetch<D: Backend>(made: Made<D>, declared: &Tensor) -> Result<DynTensor> {
    let Made { device, dims, levels, vals, .. } = made;
    let fetch = |array: Arc<D::Array<i32>>| Ok::<_, Error>(device.download::<i32>(&array)?.to_vec());
    let levels = levels.into_iter().map(|l: LevelArrays<_>| l.try_map(fetch));
    let levels = levels.collect::<Result<Vec<DynLevel>>>()?;
    let vals: Vec<Value> = typed_each!(vals, T: array => {
        device.download::<T>(&Arc::new(array))?.iter().map(|v| v.to_value()).collect()
    });
    let tensor = DynTensor { spec: declared.spec.clone(), dtype: declared.dtype, dims, levels, vals };
    tensor.validate()?;
    Ok(tensor)
}
