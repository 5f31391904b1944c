//! Is a candidate's result right? Before its time counts.
//!
//! Small inputs are computed by the interpreter of the CPU's program, large ones by the kernel's default schedule on the
//! device. Sums may be reassociated, so that elements may differ by a part of the sum of their terms' magnitudes: of what the
//! kernel, with every sign a plus, makes of the arguments' absolute values.

use super::arguments::Arguments;
use super::error::{Result, TuneError};
use super::tunable::Parsed;
use crate::launch::{Backend, Kernel, run_dynamic};
use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::error::Error;
use sparse_core::front::ast;
use sparse_core::front::command::Schedule;
use sparse_core::scalar::{BinaryOp, DType, UnaryOp, Value};
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
        let statement = &kernel.kernel;
        let sums = magnitudes(statement);
        let by = if operations <= INTERPRETED { Reviewer::Cpu } else { Reviewer::Default };
        let of = |kernel: &ast::Kernel, args: &[Arg]| match by {
            Reviewer::Cpu => interpreted(kernel, args),
            Reviewer::Default => by_default(arguments.device()?, kernel, args),
        };
        let expected = of(statement, &args)?;
        // Signs may be what keeps infinite fills apart: then those of the statement have to do.
        let absolute = of(&sums, &absolute).or_else(|_| of(statement, &absolute))?;
        Ok(Reference::new(expected, &absolute, by))
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

/// What the CPU's program makes of arguments.
fn interpreted(kernel: &ast::Kernel, args: &[Arg]) -> Result<DynTensor> {
    let program = compile_kernel(kernel.clone(), &Options::default());
    let program = program.map_err(|d| TuneError::Kernel(d.to_string()))?.program;
    sim::run(&program, args).map_err(not_computed)
}

/// What the default schedule makes of them on a device.
fn by_default<D: Backend>(device: &D, kernel: &ast::Kernel, args: &[Arg]) -> Result<DynTensor> {
    let kernel = ast::Kernel { cuda: Schedule::Default, ..kernel.clone() };
    let program = compile_cuda(kernel, &Options::default());
    let program = program.map_err(|d| TuneError::Kernel(d.to_string()))?.program;
    Ok(run_dynamic(device, &Kernel::new(program), args)?)
}

/// The same statement with every sign a plus.
fn magnitudes(kernel: &ast::Kernel) -> ast::Kernel {
    fn of(e: &ast::Expr) -> ast::Expr {
        match e {
            ast::Expr::Access(_) | ast::Expr::Scalar(_) => e.clone(),
            ast::Expr::Literal(v) => ast::Expr::Literal(magnitude(*v)),
            ast::Expr::Unary(UnaryOp::Neg, a) => of(a),
            ast::Expr::Unary(op, a) => ast::Expr::Unary(*op, Box::new(of(a))),
            ast::Expr::Binary(op, a, b) => {
                let op = if *op == BinaryOp::Sub { BinaryOp::Add } else { *op };
                ast::Expr::Binary(op, Box::new(of(a)), Box::new(of(b)))
            }
        }
    }
    let assignment = ast::Assignment { rhs: of(&kernel.assignment.rhs), ..kernel.assignment.clone() };
    // Commands may name parts of the statement.
    ast::Kernel { assignment, cpu: Schedule::Default, ..kernel.clone() }
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
