//! Whether a call has the types that its kernel declares.

use super::Backend;
use super::argument::{Argument, Vals};
use sparse_core::error::{Error, Result};
use sparse_core::format::FormatSpec;
use sparse_core::llir::{Param, Program, Role, Ty};
use sparse_core::scalar::{DType, Value};

/// Checks what a kernel is called with: the tensors in order, the scalars likewise. Kernels rely on formats and element
/// types: a format says how long arrays are, its fill what is not stored.
pub(super) fn check<D: Backend>(
    program: &Program,
    arguments: &[Argument<'_, D>],
    scalars: &[Value],
) -> Result<()> {
    let declared = program.tensors.iter().filter(|t| matches!(t.role, Role::Input | Role::InOut));
    let number = declared.clone().count();
    if arguments.len() != number {
        let (expected, found) = (number.to_string(), arguments.len().to_string());
        return Err(mismatch(program, "the number of its tensors", expected, found));
    }
    for (declared, argument) in declared.zip(arguments) {
        let what = || format!("argument `{}`", declared.name);
        if (&declared.spec, declared.dtype) != (&argument.spec, argument.dtype()) {
            let expected = tensor(&declared.spec, declared.dtype);
            return Err(mismatch(program, &what(), expected, tensor(&argument.spec, argument.dtype())));
        }
        if declared.role == Role::InOut && matches!(argument.vals, Vals::Read(_)) {
            let expected = "it as one that is written, as `Argument::write` passes it";
            return Err(mismatch(program, &what(), expected.into(), "passed to be read".into()));
        }
    }
    let scalar =
        |param: &Param| if let Param::Scalar { index, .. } = *param { Some(index + 1) } else { None };
    let number = program.params.iter().filter_map(scalar).max().unwrap_or(0);
    if scalars.len() > number {
        let (expected, found) = (number.to_string(), scalars.len().to_string());
        return Err(mismatch(program, "the number of its scalars", expected, found));
    }
    for param in &program.params {
        let Param::Scalar { var, index } = *param else { continue };
        let declared = program.var(var);
        let what = || format!("scalar `{}`, number {index},", declared.name);
        let Ty::Scalar(expected) = declared.ty else { continue };
        match scalars.get(index).map(|v| v.dtype()) {
            Some(found) if found == expected => {}
            Some(found) => return Err(mismatch(program, &what(), expected.to_string(), found.to_string())),
            None => return Err(mismatch(program, &what(), expected.to_string(), "not given".into())),
        }
    }
    Ok(())
}

/// Checks what a kernel is to make.
pub(super) fn check_result(program: &Program, spec: &FormatSpec, dtype: DType) -> Result<()> {
    let (_, output) = program.output();
    let asked = || format!("asked for as {}", tensor(spec, dtype));
    match output.role {
        Role::InOut | Role::Input => {
            Err(mismatch(program, "the result", "none: it writes in place".into(), asked()))
        }
        Role::Result | Role::ResultLike(..) if (&output.spec, output.dtype) == (spec, dtype) => Ok(()),
        Role::Result | Role::ResultLike(..) => {
            Err(mismatch(program, "the result", tensor(&output.spec, output.dtype), asked()))
        }
    }
}

fn tensor(spec: &FormatSpec, dtype: DType) -> String {
    format!("Tensor<{dtype}, {spec}>")
}

fn mismatch(program: &Program, what: &str, expected: String, found: String) -> Error {
    let (expected, found) = (expected.into(), found.into());
    Error::CallMismatch { kernel: program.name.as_str().into(), what: what.into(), expected, found }
}
