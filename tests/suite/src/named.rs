//! Cases written by hand: kernel text and data.

use crate::case::{Case, Operand};
use crate::command::Command;
use crate::differential::{Outcome, check};
use crate::interpret::{interpret, run_of};
use sparse_core::driver::concretize_kernel;
use sparse_core::front::command::{Platform, Schedule};
use sparse_core::front::{self, ast::Mode};
use sparse_core::lower::Options;
use sparse_core::scalar::{DType, Value};
use sparse_core::schedule::point_commands;
use sparse_core::tensor::DynTensor;

/// Data of a parameter. Values are converted to the kernel's element type.
pub enum Data<'a> {
    /// A tensor: name, dimensions, entries (duplicates are kept).
    Tensor(&'a str, &'a [usize], &'a [(&'a [usize], f64)]),
    /// A scalar: name, value.
    Scalar(&'a str, f64),
}

/// A case from the text of a kernel and the data of its parameters; for a GPU if the kernel has a schedule for one.
///
/// # Errors
/// Text that is not a kernel, a parameter without data, dimensions that disagree.
pub fn case(text: &str, data: &[Data<'_>]) -> Result<Case, String> {
    let kernel = front::parse_str(text).map_err(|f| f.diagnostics.to_string())?;
    let dtype = kernel.dtype;
    let mut tensors = Vec::new();
    for t in &kernel.tensors {
        let name = t.name.to_string();
        let given = data.iter().find_map(|d| match d {
            Data::Tensor(n, dims, entries) if *n == name => Some((dims.to_vec(), *entries)),
            _ => None,
        });
        let (dims, entries) = match given {
            Some(given) => given,
            None if t.mode == Mode::Result => (vec![0; t.spec.rank()], &[] as _),
            None => return Err(format!("no data for `{name}`")),
        };
        let entries = entries.iter().map(|(c, v)| (c.to_vec(), convert(*v, dtype))).collect();
        tensors.push(Operand { name, spec: t.spec.clone(), mode: t.mode, dims, entries, bare: vec![] });
    }
    let mut scalars = Vec::new();
    for s in &kernel.scalars {
        let name = s.name.to_string();
        let given = data.iter().find_map(|d| match d {
            Data::Scalar(n, v) if *n == name => Some(*v),
            _ => None,
        });
        let v = given.ok_or_else(|| format!("no data for `{name}`"))?;
        scalars.push((name, convert(v, dtype)));
    }
    let mut vars: Vec<(String, usize)> = kernel.vars.iter().map(|v| (v.name.clone(), usize::MAX)).collect();
    let mut clash = None;
    let mut bind = |a: &front::ast::Access| {
        let t = &tensors[a.tensor.index()];
        for (v, &size) in a.indices.iter().zip(&t.dims).filter(|_| t.mode != Mode::Result) {
            let (name, known) = &mut vars[v.index()];
            if *known != usize::MAX && *known != size {
                clash = Some(format!("`{name}` has the sizes {known} and {size}"));
            }
            *known = size;
        }
    };
    bind(&kernel.assignment.lhs);
    kernel.assignment.rhs.for_each_access(&mut bind);
    if let Some(message) = clash {
        return Err(message);
    }
    let lhs = &kernel.assignment.lhs;
    if tensors[lhs.tensor.index()].mode == Mode::Result {
        tensors[lhs.tensor.index()].dims = lhs.indices.iter().map(|v| vars[v.index()].1).collect();
    }
    let (platform, schedule) = match &kernel.cuda {
        Schedule::Commands(_) | Schedule::Point(..) => (Platform::Cuda, &kernel.cuda),
        Schedule::Default | Schedule::None => (Platform::Cpu, &kernel.cpu),
    };
    let schedule = match schedule {
        Schedule::Commands(commands) => commands.iter().filter_map(|c| Command::parse(&c.source)).collect(),
        Schedule::Point(point, span) => {
            let cin = concretize_kernel(&kernel).map_err(|d| d.to_string())?;
            let commands = point_commands(&kernel, &cin, point, *span).map_err(|d| d.to_string())?;
            commands.iter().filter_map(|c| Command::parse(&c.source)).collect()
        }
        Schedule::Default | Schedule::None => vec![],
    };
    let assignment = kernel.assignment;
    let (row_classes, about) = (Options::default().row_classes, vec![]);
    Ok(Case { dtype, vars, tensors, scalars, assignment, platform, schedule, row_classes, about })
}

fn convert(v: f64, dtype: DType) -> Value {
    match dtype {
        DType::F32 => Value::F32(v as f32),
        DType::F64 => Value::F64(v),
        _ => dtype.from_i64(v as i64),
    }
}

/// Compiles, interprets and compares a case.
///
/// # Panics
/// If the compiler refuses it, or the result is not what the oracle says.
#[track_caller]
pub fn agrees(text: &str, data: &[Data<'_>]) {
    passes(&case(text, data).unwrap_or_else(|e| panic!("{e}\n{text}")));
}

/// The same, and what compiled code made of the same parameters: tensors by name, then scalars. The storage of the
/// result is checked, its values, and where it has entries.
///
/// # Panics
/// As [`agrees`], or if the compiled code's result is wrong.
#[track_caller]
pub fn agrees_natively(
    text: &str,
    tensors: &[(&str, DynTensor)],
    scalars: &[(&str, f64)],
    result: &DynTensor,
) {
    let entries = |t: &DynTensor| t.iter().map(|(c, v)| (c, v.to_f64())).collect::<Vec<_>>();
    let owned: Vec<_> = tensors.iter().map(|(name, t)| (*name, &t.dims, entries(t))).collect();
    let borrowed: Vec<Vec<(&[usize], f64)>> =
        owned.iter().map(|(_, _, entries)| entries.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let tensors = owned.iter().zip(&borrowed).map(|((name, dims, _), e)| Data::Tensor(name, dims, e));
    let data: Vec<_> = tensors.chain(scalars.iter().map(|(name, v)| Data::Scalar(name, *v))).collect();
    let case = case(text, &data).unwrap_or_else(|e| panic!("{e}\n{text}"));
    passes(&case);
    let native = |case: &Case| Ok(run_of(case, "(compiled)", Ok(result.clone()))?.into_iter().collect());
    let outcome = check(&case, &native);
    assert!(outcome == Outcome::Passed, "{}\n{outcome:#?}", case.to_code());
}

/// [`agrees`] for a GPU and its simulator, by the kernel's `schedule cuda` or, without one, by the default.
///
/// # Panics
/// As [`agrees`].
#[track_caller]
pub fn agrees_on_gpu(text: &str, data: &[Data<'_>]) {
    let case = case(text, data).unwrap_or_else(|e| panic!("{e}\n{text}"));
    passes(&Case { platform: Platform::Cuda, ..case });
}

/// The same where the compiler may also refuse the kernel.
///
/// # Panics
/// If the result is not what the oracle says, or something breaks.
#[track_caller]
pub fn agrees_on_gpu_or_is_refused(text: &str, data: &[Data<'_>]) {
    let case = case(text, data).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let case = Case { platform: Platform::Cuda, ..case };
    let outcome = check(&case, &interpret);
    assert!(!matches!(outcome, Outcome::Failed { .. }), "{}\n{outcome:#?}", case.to_code());
}

#[track_caller]
fn passes(case: &Case) {
    let outcome = check(case, &interpret);
    assert!(outcome == Outcome::Passed, "{}\n{outcome:#?}", case.to_code());
}
