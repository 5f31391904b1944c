//! The executor that needs no compiler: kernel text → program → interpreter.

use crate::case::Case;
use crate::differential::{Run, Stop};
use sparse_core::diag::Diagnostics;
use sparse_core::driver::{self, Options};
use sparse_core::front::{self, ast};
use sparse_core::lower;
use sparse_core::scalar::Value;
use sparse_core::sim::{self, Arg, Limits, RunError};
use sparse_core::tensor::DynTensor;

/// More statements than any case needs: a loop that does not end is a failure, not a hang.
const STEPS: u64 = 5_000_000;

/// Compiles and interprets a case, with the compiler's default choices and with others.
///
/// # Errors
/// The compiler's refusal, or what is broken.
pub fn interpret(case: &Case) -> Result<Vec<Run>, Stop> {
    let default = lower::Options::default();
    let ways = [
        ("", default.clone()),
        ("(galloping, without lanes)", lower::Options { gallop: true, lanes: vec![] }),
        ("(narrow lanes)", lower::Options { lanes: vec![4, 2], ..default }),
    ];
    let run = |(choices, lower)| {
        let values = interpret_with(case, &Options { lower })?;
        Ok(Run { choices, values })
    };
    ways.into_iter().map(run).collect()
}

/// Compiles and interprets a case.
fn interpret_with(case: &Case, options: &Options) -> Result<Vec<Value>, Stop> {
    let refused = |d: &Diagnostics| {
        let code = d.iter().next().map_or("", |d| d.code);
        if code == "internal" {
            broken("compiler", d)
        } else {
            Stop::Refused { code: code.into(), message: d.to_string() }
        }
    };
    let kernel = front::parse_str(&case.kernel_text()).map_err(|f| refused(&f.diagnostics))?;
    let compiled = driver::compile_kernel(kernel, options).map_err(|d| refused(&d))?;
    let mut args = Vec::new();
    for t in case.tensors.iter().filter(|t| t.mode != ast::Mode::Result) {
        let tensor = DynTensor::from_entries(t.spec.clone(), case.dtype, t.dims.clone(), &t.entries, true)
            .map_err(|e| broken("tensor", format!("{}: {e}", t.name)))?;
        args.push(Arg::Tensor(tensor));
    }
    args.extend(case.scalars.iter().map(|s| Arg::Scalar(s.1)));
    let result = sim::run_with(&compiled.program, &args, Limits { steps: STEPS }).map_err(|e| match e {
        RunError::InvalidResult(e) => broken("result storage", e),
        e => broken("run", e),
    })?;
    if result.dims != case.output().dims {
        return Err(broken("dimensions", format!("{:?} for {:?}", result.dims, case.output().dims)));
    }
    result.validate().map_err(|e| broken("result storage", e))?;
    result.to_dense_values().map_err(|e| broken("result storage", e))
}

fn broken(part: &'static str, message: impl std::fmt::Display) -> Stop {
    Stop::Broken { part, message: message.to_string() }
}
