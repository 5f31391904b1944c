//! Is a candidate's result right? Before its time counts.
//!
//! Small inputs are computed by the interpreter of the CPU's program, large ones by the kernel's default schedule on the
//! device. Sums may be reassociated, so that elements may differ by a part of the sum of their terms' magnitudes: of what the
//! kernel makes of the arguments' absolute values.

use super::arguments::Arguments;
use super::error::{Result, TuneError};
use super::tunable::Parsed;
use crate::launch::{Backend, Kernel, run_dynamic};
use sparse_core::driver::{Options, compile_cuda};
use sparse_core::error::Error;
use sparse_core::front::ast;
use sparse_core::front::command::Schedule;
use sparse_core::scalar::{DType, Value};
use sparse_core::sim::{self, Arg, RunError};
use sparse_core::tensor::DynTensor;

/// Operations up to which the interpreter computes the result.
const INTERPRETED: u64 = 1 << 22;

/// The right result.
pub(super) struct Reference {
    expected: DynTensor,
    /// Of each value; as long as `expected.vals`.
    magnitudes: Vec<f64>,
    /// Where it is from.
    pub(super) by: Reviewer,
}

/// Who computed the result that candidates are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reviewer {
    /// The CPU's program.
    Cpu,
    /// The kernel's default schedule, on the device.
    Default,
}

impl Reference {
    /// The result for these arguments, which take about so many operations.
    pub(super) fn of<D: Backend>(
        kernel: &Parsed,
        arguments: &Arguments<'_, D>,
        operations: u64,
    ) -> Result<Reference> {
        let args = arguments.on_host()?;
        let absolute: Vec<Arg> = args.iter().map(absolute).collect();
        if operations <= INTERPRETED {
            let program = kernel.on_host()?;
            let run = |args: &[Arg]| sim::run(&program, args).map_err(not_computed);
            return Ok(Reference::new(run(&args)?, &run(&absolute)?, Reviewer::Cpu));
        }
        let ast = ast::Kernel { cuda: Schedule::Default, ..kernel.kernel.clone() };
        let compiled = compile_cuda(ast, &Options::default());
        let program = compiled.map_err(|d| TuneError::Kernel(d.to_string()))?.program;
        let (device, kernel) = (arguments.device()?, Kernel::new(program));
        let run = |args: &[Arg]| Ok::<_, TuneError>(run_dynamic(device, &kernel, args)?);
        Ok(Reference::new(run(&args)?, &run(&absolute)?, Reviewer::Default))
    }

    fn new(expected: DynTensor, absolute: &DynTensor, by: Reviewer) -> Reference {
        let magnitudes = absolute.vals.iter().map(|v| v.to_f64().abs()).collect();
        Reference { expected, magnitudes, by }
    }

    /// What is wrong with a result.
    pub(super) fn differs(&self, found: &DynTensor) -> Option<String> {
        let expected = &self.expected;
        if found.dims != expected.dims || found.levels != expected.levels {
            return Some("it has another pattern".into());
        }
        let tolerance = tolerance(expected.dtype);
        let magnitudes = self.magnitudes.iter().copied().chain(std::iter::repeat(0.0));
        let pairs = found.vals.iter().zip(&expected.vals).zip(magnitudes);
        pairs.enumerate().find_map(|(at, ((found, expected), magnitude))| {
            let (f, e) = (found.to_f64(), expected.to_f64());
            let same = found == expected || (f.is_nan() && e.is_nan());
            let close = (f - e).abs() <= tolerance * magnitude.max(e.abs());
            (!same && !close).then(|| format!("value {at} is {f} instead of {e}"))
        })
    }
}

/// Of sums in any order: 2⁻²⁴ a step for `f32`, with many steps.
fn tolerance(t: DType) -> f64 {
    match t {
        DType::F32 => 1e-4,
        DType::F64 => 1e-11,
        _ => 0.0,
    }
}

fn absolute(arg: &Arg) -> Arg {
    match arg {
        Arg::Tensor(t) => {
            let vals = t.vals.iter().copied().map(magnitude).collect();
            Arg::Tensor(DynTensor { vals, ..t.clone() })
        }
        Arg::Scalar(v) => Arg::Scalar(magnitude(*v)),
    }
}

fn magnitude(v: Value) -> Value {
    match v {
        Value::F32(v) => Value::F32(v.abs()),
        Value::F64(v) => Value::F64(v.abs()),
        v => v,
    }
}

fn not_computed(e: RunError) -> TuneError {
    match e {
        RunError::Tensor(e) => TuneError::Device(e),
        e => TuneError::Device(Error::Internal { kernel: "the reference".into(), what: e.to_string() }),
    }
}
