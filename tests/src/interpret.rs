//! The executor that needs no compiler: kernel text → program → interpreter.

use crate::case::{Case, type_text};
use crate::differential::{Run, Stop};
use proc_macro2::{Ident, Span};
use sparse_core::driver::{self, Options};
use sparse_core::format::TensorId;
use sparse_core::front::ast;
use sparse_core::lower;
use sparse_core::scalar::Value;
use sparse_core::sim::{self, Arg, Limits, RunError};
use sparse_core::tensor::DynTensor;

/// More statements than any case needs: a loop that does not end is a failure, not a hang.
const STEPS: u64 = 5_000_000;

/// The kernel of a case, without parsing.
fn kernel(c: &Case) -> Result<ast::Kernel, syn::Error> {
    let id = |s: &str| Ident::new(s, Span::call_site());
    let mut tensors = Vec::new();
    for t in &c.tensors {
        let ty = syn::parse_str(&type_text(&t.spec, c.dtype))?;
        tensors.push(ast::Tensor {
            name: id(&t.name),
            ty,
            spec: t.spec.clone(),
            dtype: c.dtype,
            mode: t.mode,
        });
    }
    let tensor = |k: usize| ast::Param::Tensor(TensorId(k as u32));
    let arguments = (0..c.tensors.len()).filter(|&k| c.tensors[k].mode != ast::Mode::Result).map(tensor);
    Ok(ast::Kernel {
        attrs: vec![],
        vis: syn::parse_str("pub")?,
        name: id("kernel"),
        params: arguments.chain((0..c.scalars.len()).map(ast::Param::Scalar)).collect(),
        tensors,
        scalars: c.scalars.iter().map(|s| ast::Scalar { name: id(&s.0), dtype: c.dtype }).collect(),
        vars: c.vars.iter().map(|v| ast::Var { name: v.0.clone(), span: Span::call_site() }).collect(),
        assignment: c.assignment.clone(),
        source: String::new(),
        dtype: c.dtype,
    })
}

/// Compiles and interprets a case, with the compiler's default choices and with the opposite ones.
///
/// # Errors
/// The compiler's refusal, or what is broken.
pub fn interpret(case: &Case) -> Result<Vec<Run>, Stop> {
    let plain = lower::Options { gallop: true, lanes: vec![] };
    let default = interpret_with(case, &Options::default())?;
    let plain = interpret_with(case, &Options { lower: plain })?;
    Ok(vec![
        Run { choices: "", values: default },
        Run { choices: "(galloping, without lanes)", values: plain },
    ])
}

/// Compiles and interprets a case.
fn interpret_with(case: &Case, options: &Options) -> Result<Vec<Value>, Stop> {
    let kernel = kernel(case).map_err(|e| broken("kernel text", e))?;
    let compiled = driver::compile_kernel(kernel, options).map_err(|d| {
        let code = d.iter().next().map_or("", |d| d.code);
        if code == "internal" {
            broken("compiler", d)
        } else {
            Stop::Refused { code: code.into(), message: d.to_string() }
        }
    })?;
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
