//! Many cases as one crate: what users get, macro and rustc included.
//!
//! The crate prints each case's result; the caller compares it with the oracle.

use crate::case::{Case, Operand, type_text, value_code};
use crate::command::Command;
use crate::differential::Run;
use sparse_core::format::LevelArrays;
use sparse_core::front::ast::Mode;
use sparse_core::scalar::{DType, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// What the crate's `main.rs` includes.
pub fn source(cases: &[(u64, Case)]) -> String {
    let mut out = String::from(HEAD);
    let mut main = String::from("fn main() {\n    sparse_core::rt::use_small_limits();\n");
    for (number, case) in cases {
        module(*number, case, &mut out);
        let _ = writeln!(main, "    report({number}, {}, case_{number}::run);", any_order(case));
    }
    out + &main + "}\n"
}

const HEAD: &str = r#"// Random kernels, written by `cargo xtask native`.

use sparse_core::format::Format;
use sparse_core::scalar::{Element, Value};
use sparse_core::tensor::{DynTensor, LevelArrays, Tensor};

type Outcome = Result<DynTensor, Box<dyn std::error::Error>>;

fn build<T: Element, F: Format>(dims: &[usize], entries: &[(&[usize], T)]) -> Result<Tensor<T, F>, sparse_core::error::Error> {
    let entries: Vec<_> = entries.iter().map(|(c, v)| (c.to_vec(), v.to_value())).collect();
    DynTensor::from_entries(F::spec(), T::DTYPE, dims.to_vec(), &entries, true)?.try_into()
}

/// A tensor from its arrays, which no entries tell.
fn made<T: Element, F: Format>(dims: &[usize], levels: Vec<LevelArrays<Vec<i32>>>, vals: &[T]) -> Result<Tensor<T, F>, sparse_core::error::Error> {
    let vals = vals.iter().map(|v| v.to_value()).collect();
    let t = DynTensor { spec: F::spec(), dtype: T::DTYPE, dims: dims.to_vec(), levels, vals };
    t.validate()?;
    t.try_into()
}

/// A result has memory for what is in it, and no more.
fn result<T: Element, F: Format>(t: &Tensor<T, F>) -> Outcome {
    let mut exact = t.vals_array().capacity() == t.vals().len();
    for level in t.levels() {
        match level {
            LevelArrays::Dense => {}
            LevelArrays::Compressed { pos, crd } => {
                exact &= pos.capacity() == pos.len() && crd.capacity() == crd.len();
            }
            LevelArrays::Singleton { crd } => exact &= crd.capacity() == crd.len(),
        }
    }
    if exact { output(t) } else { Err("the result has memory for more than its entries".into()) }
}

fn output<T: Element, F: Format>(t: &Tensor<T, F>) -> Outcome {
    let t = DynTensor::from(t);
    t.validate()?;
    Ok(t)
}

/// The bits of all elements, and the coordinates of those that are stored.
fn text(t: &DynTensor) -> Result<String, sparse_core::error::Error> {
    let bits = t.to_dense_values()?.into_iter().map(|v| match v {
        Value::F32(v) => v.to_bits() as u64,
        Value::F64(v) => v.to_bits(),
        Value::I32(v) => v as u64,
        Value::I64(v) => v as u64,
        Value::U8(v) => v as u64,
        Value::Bool(v) => v as u64,
    });
    let join = |c: Vec<usize>| c.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(",");
    let stored: Vec<_> = t.iter().map(|(c, _)| join(c)).collect();
    Ok(format!("{};{}", bits.map(|b| b.to_string()).collect::<Vec<_>>().join(" "), stored.join(" ")))
}

/// A kernel is run so often, and its result has to be the same bytes; the same entries where it rounds by the order.
const RUNS: usize = 3;

fn report(number: u64, any_order: bool, run: fn() -> Outcome) {
    let outcome = || -> Result<String, Box<dyn std::error::Error>> {
        let first = text(&run()?)?;
        let entries = |text: &str| text.split_once(';').map(|(_, stored)| stored.to_string());
        for _ in 1..RUNS {
            let again = text(&run()?)?;
            let same = if any_order { entries(&again) == entries(&first) } else { again == first };
            if !same {
                return Err("another run has another result".into());
            }
        }
        Ok(first)
    };
    match std::panic::catch_unwind(outcome) {
        Ok(Ok(text)) => println!("case {number} ok {text}"),
        Ok(Err(e)) => println!("case {number} error {}", e.to_string().replace('\n', " ")),
        Err(_) => println!("case {number} error panic"),
    }
}
"#;

/// Does a kernel combine floats in any order, by atomic updates? Another run may round otherwise.
fn any_order(case: &Case) -> bool {
    let atomic = |c: &Command| c.name == "parallelize" && c.args.iter().any(|arg| arg == "Atomics");
    case.dtype.is_float() && case.schedule.iter().any(atomic)
}

fn module(number: u64, case: &Case, out: &mut String) {
    let _ = writeln!(out, "\nmod case_{number} {{\n    use sparse_gpu::prelude::*;");
    let _ = writeln!(
        out,
        "    tensor_kernel! {{\n        {}\n    }}",
        case.kernel_text().replace('\n', "\n        ")
    );
    let _ = writeln!(out, "    pub fn run() -> super::Outcome {{");
    let mut args = Vec::new();
    let mut result = "result(&kernel_result)".to_string();
    for t in case.tensors.iter().filter(|t| t.mode != Mode::Result) {
        let in_place = t.mode == Mode::InOut;
        let _ = writeln!(out, "        {}", build_code(t, case.dtype, in_place));
        args.push(format!("{}{}", if in_place { "&mut " } else { "&" }, t.name));
        if in_place {
            result = format!("output(&{})", t.name);
        }
    }
    for (name, v) in &case.scalars {
        let _ = writeln!(out, "        let {name}: {} = {};", case.dtype, value_code(*v));
        args.push(name.clone());
    }
    let _ = writeln!(out, "        let kernel_result = kernel({})?;", args.join(", "));
    let _ = writeln!(out, "        super::{result}\n    }}\n}}");
}

fn build_code(t: &Operand, dtype: DType, mutable: bool) -> String {
    if t.bare_fibers().next().is_some()
        && let Ok(made) = t.tensor(dtype)
    {
        let levels: Vec<_> = made.levels.iter().map(level_code).collect();
        let vals: Vec<_> = made.vals.iter().map(|v| value_code(*v)).collect();
        return format!(
            "let {}: {} = super::made(&{:?}, vec![{}], &[{}])?;",
            t.name,
            type_text(&t.spec, dtype),
            t.dims,
            levels.join(", "),
            vals.join(", ")
        );
    }
    let entries: Vec<_> = t.entries.iter().map(|(c, v)| format!("(&{c:?}, {})", value_code(*v))).collect();
    format!(
        "let {}{}: {} = super::build(&{:?}, &[{}])?;",
        if mutable { "mut " } else { "" },
        t.name,
        type_text(&t.spec, dtype),
        t.dims,
        entries.join(", ")
    )
}

fn level_code(level: &LevelArrays<Vec<i32>>) -> String {
    match level {
        LevelArrays::Dense => "LevelArrays::Dense".into(),
        LevelArrays::Compressed { pos, crd } => {
            format!("LevelArrays::Compressed {{ pos: vec!{pos:?}, crd: vec!{crd:?} }}")
        }
        LevelArrays::Singleton { crd } => format!("LevelArrays::Singleton {{ crd: vec!{crd:?} }}"),
    }
}

/// What the crate printed: results by case, or why there are none.
pub fn results(text: &str, cases: &[(u64, Case)]) -> HashMap<u64, Result<Run, String>> {
    let cases: HashMap<u64, &Case> = cases.iter().map(|(n, c)| (*n, c)).collect();
    let mut out = HashMap::new();
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some("case"), Some(number), Some(verdict)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Some((number, case)) = number.parse().ok().and_then(|n: u64| Some((n, cases.get(&n)?))) else {
            continue;
        };
        let rest = words.next().unwrap_or("");
        let parsed = if verdict == "ok" {
            result(case, rest).ok_or_else(|| format!("cannot read `{line}`"))
        } else {
            Err(rest.to_string())
        };
        out.insert(number, parsed);
    }
    out
}

/// The bits of all elements and the coordinates of stored ones, as a result.
fn result(case: &Case, text: &str) -> Option<Run> {
    let (bits, stored) = text.split_once(';')?;
    let bits = bits.split_whitespace().map(|w| Some(value(case.dtype, w.parse().ok()?)));
    let coordinates = |w: &str| w.split(',').map(|c| c.parse().ok()).collect::<Option<Vec<usize>>>();
    let stored = match case.output().spec.is_dense() {
        true => None,
        false => Some(stored.split_whitespace().map(coordinates).collect::<Option<_>>()?),
    };
    Some(Run { choices: "", values: bits.collect::<Option<_>>()?, stored, did: vec![] })
}

fn value(dtype: DType, bits: u64) -> Value {
    match dtype {
        DType::F32 => Value::F32(f32::from_bits(bits as u32)),
        DType::F64 => Value::F64(f64::from_bits(bits)),
        DType::I32 => Value::I32(bits as i32),
        DType::I64 => Value::I64(bits as i64),
        DType::U8 => Value::U8(bits as u8),
        DType::Bool => Value::Bool(bits != 0),
    }
}
