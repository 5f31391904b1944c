//! The host's part of a run: arguments to buffers and parameters, buffers to a result.

use super::fault::{Fault, InterpError};
use super::grid::{LaunchReport, Order};
use super::interp::Machine;
use super::memory::Cells;
use crate::error::Error;
use crate::llir::{
    Array, BufferId, Fibers, MOST, Param, Program, Role, Step, Tensor, TensorId, Ty, Verified,
};
use crate::scalar::{DType, Value};
use crate::tensor::{DynLevel, DynTensor, Lengths, LevelArrays, lengths};
use std::borrow::Cow;
use std::convert::Infallible;

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A tensor.
    Tensor(DynTensor),
    /// A scalar.
    Scalar(Value),
}

/// How long a program may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most statements that may be executed, iterations of loops counted as statements.
    pub steps: u64,
}

impl Default for Limits {
    /// No limit.
    fn default() -> Self {
        Limits { steps: u64::MAX }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Too many or too few tensors or scalars.
    #[error(
        "the kernel takes {expected_tensors} tensors and {expected_scalars} scalars, not {tensors} and {scalars}"
    )]
    ArgumentCount {
        /// Tensors that the kernel takes.
        expected_tensors: usize,
        /// Scalars that the kernel takes.
        expected_scalars: usize,
        /// Tensors that were passed.
        tensors: usize,
        /// Scalars that were passed.
        scalars: usize,
    },
    /// A tensor argument is stored in another format than the kernel was compiled for.
    #[error("the format of `{tensor}` is not the one that the kernel was compiled for")]
    Format {
        /// The tensor's name.
        tensor: String,
    },
    /// An argument has another element type than the kernel was compiled for.
    #[error("`{name}` is {found}, but the kernel was compiled for {expected}")]
    Type {
        /// The argument's name.
        name: String,
        /// The element type that the kernel was compiled for.
        expected: DType,
        /// The argument's element type.
        found: DType,
    },
    /// An argument's storage is invalid, or dimensions of two arguments disagree.
    #[error(transparent)]
    Tensor(#[from] Error),
    /// The program went wrong: a mistake of the compiler.
    #[error("internal error in the program: {0}")]
    Program(#[from] InterpError),
    /// The program assembled an invalid tensor: a mistake of the compiler.
    #[error("internal error: the program assembled an invalid tensor: {0}")]
    InvalidResult(Error),
}

/// Runs a program. The tensors among the arguments are the kernel's tensor parameters in order, the scalars its
/// scalar parameters in order; how the two are interleaved does not matter.
///
/// # Errors
/// A mistake of the caller's, as the compiled function reports it, or a mistake of the compiler's.
pub fn run(program: &Verified, args: &[Arg]) -> Result<DynTensor, RunError> {
    run_with(program, args, Limits::default())
}

/// [`run`], but not for ever.
///
/// # Errors
/// As [`run`].
pub fn run_with(program: &Verified, args: &[Arg], limits: Limits) -> Result<DynTensor, RunError> {
    run_reporting(program, args, limits).map(|(result, _)| result)
}

/// [`run_with`], and what each launch cost, in order.
///
/// # Errors
/// As [`run`].
pub fn run_reporting(
    program: &Verified,
    args: &[Arg],
    limits: Limits,
) -> Result<(DynTensor, Vec<LaunchReport>), RunError> {
    run_in(Order::Ascending, program, args, limits)
}

/// [`run_with`], blocks and warps in an order that the seed draws. Results whose bits depend on the order of atomic updates
/// differ from those of other seeds.
///
/// # Errors
/// As [`run`].
pub fn run_shuffled(
    program: &Verified,
    args: &[Arg],
    limits: Limits,
    seed: u64,
) -> Result<DynTensor, RunError> {
    run_in(Order::Drawn(seed), program, args, limits).map(|(result, _)| result)
}

fn run_in(
    order: Order,
    program: &Verified,
    args: &[Arg],
    limits: Limits,
) -> Result<(DynTensor, Vec<LaunchReport>), RunError> {
    let program = program.program();
    let args = Arguments::check(program, args)?;
    let mut machine = Machine::new(program, limits.steps);
    machine.order = order;
    for (at, buffer) in program.buffers.iter().enumerate() {
        if let Some(cells) = args.array(buffer.array) {
            machine.bind(BufferId(at as u32), cells);
        }
    }
    for param in &program.params {
        match *param {
            Param::Dim { var, tensor, level } => {
                let dim = program.tensors[tensor.index()].spec.map.dim_of_level(level);
                machine.set_index(var, args.size(tensor, dim) as u64);
            }
            Param::Scalar { var, index } => machine.set_scalar(var, args.scalars[index]),
        }
    }
    for step in &program.steps {
        if let Step::Fibers { var, tensor, depth, what } = step
            && let Some(given) = args.tensors[tensor.index()]
        {
            machine.set_index(*var, fibers(*what, lengths::of_dynamic(given).get(*depth)));
        }
    }
    match machine.run() {
        Err(InterpError { fault: Fault::NotOneEntry { columns }, .. }) => Err(args.misfit(columns)),
        ran => {
            let (buffers, reports) = ran?;
            Ok((args.result(buffers)?, reports))
        }
    }
}

/// What a program asks for of the lengths of fibers; more than there can be, where nobody has counted them.
pub fn fibers(what: Fibers, lengths: Option<&Lengths>) -> u64 {
    match what {
        Fibers::Longest => lengths.map_or(MOST, |lengths| lengths.largest),
        Fibers::Squares => lengths.map_or(MOST * MOST, |lengths| lengths.squares),
    }
}

/// Arguments that fit the program.
struct Arguments<'a> {
    program: &'a Program,
    /// By [`TensorId`]; `None` for a result.
    tensors: Vec<Option<&'a DynTensor>>,
    scalars: Vec<Value>,
}

impl<'a> Arguments<'a> {
    fn check(program: &'a Program, args: &'a [Arg]) -> Result<Self, RunError> {
        let (mut tensors, mut scalars) = (vec![], vec![]);
        for arg in args {
            match arg {
                Arg::Tensor(t) => tensors.push(t),
                Arg::Scalar(v) => scalars.push(*v),
            }
        }
        let is_argument = |t: &&Tensor| matches!(t.role, Role::Input | Role::InOut);
        let expected_tensors = program.tensors.iter().filter(is_argument).count();
        // A scalar that the program does not use has no parameter: it may be passed all the same.
        let expected_scalars =
            program.params.iter().filter_map(scalar_index).map(|n| n + 1).max().unwrap_or(0);
        if tensors.len() != expected_tensors || scalars.len() < expected_scalars {
            let (tensors, scalars) = (tensors.len(), scalars.len());
            return Err(RunError::ArgumentCount { expected_tensors, expected_scalars, tensors, scalars });
        }
        let mut passed = tensors.into_iter();
        let tensors: Vec<_> =
            program.tensors.iter().map(|t| is_argument(&t).then(|| passed.next()).flatten()).collect();
        let args = Arguments { program, tensors, scalars };
        args.check_tensors()?;
        args.check_scalars()?;
        args.check_extents()?;
        Ok(args)
    }

    fn check_tensors(&self) -> Result<(), RunError> {
        for (declared, passed) in self.program.tensors.iter().zip(&self.tensors) {
            let Some(passed) = passed else { continue };
            let name = || declared.name.clone();
            if passed.spec != declared.spec {
                return Err(RunError::Format { tensor: name() });
            }
            if passed.dtype != declared.dtype {
                let (expected, found) = (declared.dtype, passed.dtype);
                return Err(RunError::Type { name: name(), expected, found });
            }
            passed.validate()?;
        }
        Ok(())
    }

    fn check_scalars(&self) -> Result<(), RunError> {
        for param in &self.program.params {
            if let Param::Scalar { var, index } = *param
                && let Ty::Scalar(expected) = self.program.var(var).ty
                && self.scalars[index].dtype() != expected
            {
                let name = self.program.var(var).name.clone();
                return Err(RunError::Type { name, expected, found: self.scalars[index].dtype() });
            }
        }
        Ok(())
    }

    /// All dimensions that one index variable ranges over agree.
    fn check_extents(&self) -> Result<(), RunError> {
        for extent in &self.program.extents {
            let Some((&(first, dim), others)) = extent.sources.split_first() else { continue };
            let first_size = self.size(first, dim);
            for &(second, dim) in others {
                let second_size = self.size(second, dim);
                if first_size != second_size {
                    return Err(RunError::Tensor(Error::DimensionMismatch {
                        variable: extent.index.clone(),
                        first: self.program.tensors[first.index()].name.clone(),
                        first_size,
                        second: self.program.tensors[second.index()].name.clone(),
                        second_size,
                    }));
                }
            }
            if let Some(promise) = extent.promises.iter().find(|p| !p.holds(first_size as u64)) {
                return Err(RunError::Tensor(Error::BrokenBound {
                    variable: extent.index.clone(),
                    tensor: self.program.tensors[first.index()].name.clone(),
                    size: first_size,
                    promise: promise.to_string(),
                }));
            }
        }
        for fused in &self.program.fused {
            let entries =
                |&(t, level): &(TensorId, usize)| self.array(Array::Crd(t, level)).map_or(0, |crd| crd.len());
            let sizes = fused.of.iter().map(|&(t, dim)| self.size(t, dim));
            let sizes: Vec<usize> = fused.entries.iter().map(entries).chain(sizes).collect();
            crate::format::check_fused(&fused.index, &sizes).map_err(RunError::Tensor)?;
        }
        Ok(())
    }

    /// Size of a dimension of a tensor, a result's too.
    fn size(&self, tensor: TensorId, dim: usize) -> usize {
        match self.tensors[tensor.index()] {
            Some(t) => t.dims[dim],
            None => {
                let (of, dim) = self.program.tensors[tensor.index()].dims_from[dim];
                // A verified result takes its sizes from arguments.
                self.tensors[of.index()].map_or(0, |t| t.dims[dim])
            }
        }
    }

    /// An argument's array.
    fn array(&self, array: Array) -> Option<Cells<'a>> {
        let level = |t: TensorId, l: usize| self.tensors[t.index()].map(|t| &t.levels[l]);
        let indices = match array {
            Array::Pos(t, l) => level(t, l)?.pos()?,
            Array::Crd(t, l) => level(t, l)?.crd()?,
            Array::Vals(t) => return Some(Cells::Scalar(Cow::Borrowed(&self.tensors[t.index()]?.vals))),
            Array::Local => return None,
        };
        Some(Cells::Index(Cow::Borrowed(indices)))
    }

    /// The tensor that the program made or changed, of the buffers' final contents.
    fn result(&self, buffers: Vec<Cells<'a>>) -> Result<DynTensor, RunError> {
        let (id, output) = self.program.output();
        let mut arrays = Arrays { program: self.program, buffers };
        let levels = match output.role {
            Role::Result => (0..output.spec.rank()).map(|l| arrays.level(id, l)).collect(),
            Role::ResultLike(like, shared) => {
                let mut levels = self.levels(like);
                levels.truncate(shared);
                levels.resize(output.spec.rank(), DynLevel::Dense);
                levels
            }
            Role::InOut | Role::Input => self.levels(id),
        };
        // An in-place output that the program never touches has no buffer.
        let vals = match (arrays.take(Array::Vals(id)), self.tensors[id.index()]) {
            (Some(Cells::Scalar(vals)), _) => vals.into_owned(),
            (_, Some(t)) => t.vals.clone(),
            (_, None) => vec![],
        };
        let dims = (0..output.spec.rank()).map(|d| self.size(id, d)).collect();
        let result = DynTensor { spec: output.spec.clone(), dtype: output.dtype, dims, levels, vals };
        result.validate().map_err(RunError::InvalidResult)?;
        let Some(packed) = &output.packed else { return Ok(result) };
        let entries: Vec<_> = result.iter().collect();
        let packed =
            DynTensor::from_entries(packed.clone(), result.dtype, result.dims.clone(), &entries, false)?;
        Ok(packed)
    }

    /// What stands against entries with these coordinates.
    fn misfit(&self, columns: Vec<Vec<i32>>) -> RunError {
        let (id, output) = self.program.output();
        let dims: Vec<_> = (0..output.spec.rank()).map(|d| self.size(id, d)).collect();
        let entries = columns.first().map_or(0, Vec::len);
        let columns = columns.into_iter().map(Into::into).collect();
        let e = crate::format::misfit(&output.spec, &dims, columns, entries);
        RunError::Tensor(e.unwrap_or_else(|| Error::Internal {
            kernel: self.program.name.clone(),
            what: "entries that fit were found not to".into(),
        }))
    }

    fn levels(&self, of: TensorId) -> Vec<DynLevel> {
        self.tensors[of.index()].map_or_else(Vec::new, |t| t.levels.clone())
    }
}

fn scalar_index(param: &Param) -> Option<usize> {
    match param {
        Param::Scalar { index, .. } => Some(*index),
        Param::Dim { .. } => None,
    }
}

/// The buffers of a finished program.
struct Arrays<'a> {
    program: &'a Program,
    buffers: Vec<Cells<'a>>,
}

impl<'a> Arrays<'a> {
    /// The contents of the buffer that is this array, which is taken once.
    fn take(&mut self, array: Array) -> Option<Cells<'a>> {
        let at = self.program.buffers.iter().position(|b| b.array == array)?;
        Some(std::mem::replace(&mut self.buffers[at], Cells::Index(Cow::Borrowed(&[]))))
    }

    fn indices(&mut self, array: Array) -> Vec<i32> {
        match self.take(array) {
            Some(Cells::Index(v)) => v.into_owned(),
            _ => vec![],
        }
    }

    fn level(&mut self, t: TensorId, l: usize) -> DynLevel {
        let format = self.program.tensors[t.index()].spec.levels[l];
        let Ok(level) =
            LevelArrays::try_build::<Infallible>(
                format,
                |name| Ok(self.indices(Array::of_level(name, t, l))),
            );
        level
    }
}
