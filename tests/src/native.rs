//! Many cases as one crate: what users get, macro and rustc included.
//!
//! The crate prints each case's result; the caller compares it with the oracle.

use crate::case::{Case, Operand, type_text, value_code};
use sparse_core::front::ast::Mode;
use sparse_core::scalar::{DType, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// The crate's `main.rs`.
pub fn source(cases: &[(u64, Case)]) -> String {
    let mut out = String::from(HEAD);
    let mut main = String::from("fn main() {\n");
    for (number, case) in cases {
        module(*number, case, &mut out);
        let _ = writeln!(main, "    report({number}, case_{number}::run);");
    }
    out + &main + "}\n"
}

const HEAD: &str = r#"//! Random kernels, written by `cargo xtask native`.
#![allow(non_snake_case, unused)]

use sparse_core::format::Format;
use sparse_core::scalar::{Element, Value};
use sparse_core::tensor::{DynTensor, Tensor};

type Outcome = Result<Vec<Value>, Box<dyn std::error::Error>>;

fn build<T: Element, F: Format>(dims: &[usize], entries: &[(&[usize], T)]) -> Result<Tensor<T, F>, sparse_core::error::Error> {
    let entries: Vec<_> = entries.iter().map(|(c, v)| (c.to_vec(), v.to_value())).collect();
    DynTensor::from_entries(F::spec(), T::DTYPE, dims.to_vec(), &entries, true)?.try_into()
}

fn values<T: Element, F: Format>(t: &Tensor<T, F>) -> Outcome {
    let t = DynTensor::from(t);
    t.validate()?;
    Ok(t.to_dense_values()?)
}

fn report(number: u64, run: fn() -> Outcome) {
    match std::panic::catch_unwind(run) {
        Ok(Ok(values)) => {
            let bits = values.iter().map(|v| match *v {
                Value::F32(v) => v.to_bits() as u64,
                Value::F64(v) => v.to_bits(),
                Value::I32(v) => v as u64,
                Value::I64(v) => v as u64,
                Value::U8(v) => v as u64,
                Value::Bool(v) => v as u64,
            });
            println!("case {number} ok {}", bits.map(|b| b.to_string()).collect::<Vec<_>>().join(" "));
        }
        Ok(Err(e)) => println!("case {number} error {}", e.to_string().replace('\n', " ")),
        Err(_) => println!("case {number} error panic"),
    }
}
"#;

fn module(number: u64, case: &Case, out: &mut String) {
    let _ = writeln!(out, "\nmod case_{number} {{\n    use sparse_gpu::prelude::*;");
    let _ = writeln!(
        out,
        "    tensor_kernel! {{\n        {}\n    }}",
        case.kernel_text().replace('\n', "\n        ")
    );
    let _ = writeln!(out, "    pub fn run() -> super::Outcome {{");
    let mut args = Vec::new();
    let mut result = "kernel_result".to_string();
    for t in case.tensors.iter().filter(|t| t.mode != Mode::Result) {
        let in_place = t.mode == Mode::InOut;
        let _ = writeln!(out, "        {}", build_code(t, case.dtype, in_place));
        args.push(format!("{}{}", if in_place { "&mut " } else { "&" }, t.name));
        if in_place {
            result = t.name.clone();
        }
    }
    for (name, v) in &case.scalars {
        let _ = writeln!(out, "        let {name}: {} = {};", case.dtype, value_code(*v));
        args.push(name.clone());
    }
    let _ = writeln!(out, "        let kernel_result = kernel({})?;", args.join(", "));
    let _ = writeln!(out, "        super::values(&{result})\n    }}\n}}");
}

fn build_code(t: &Operand, dtype: DType, mutable: bool) -> String {
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

/// What the crate printed: values by case, or why there are none.
pub fn results(text: &str, cases: &[(u64, Case)]) -> HashMap<u64, Result<Vec<Value>, String>> {
    let dtypes: HashMap<u64, DType> = cases.iter().map(|(n, c)| (*n, c.dtype)).collect();
    let mut out = HashMap::new();
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let (Some("case"), Some(number), Some(verdict)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let Some((number, dtype)) = number.parse().ok().and_then(|n: u64| Some((n, *dtypes.get(&n)?))) else {
            continue;
        };
        let rest = words.next().unwrap_or("");
        let parsed = if verdict == "ok" {
            let values: Option<Vec<Value>> =
                rest.split_whitespace().map(|w| Some(value(dtype, w.parse().ok()?))).collect();
            values.ok_or_else(|| format!("cannot read `{line}`"))
        } else {
            Err(rest.to_string())
        };
        out.insert(number, parsed);
    }
    out
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
