//! Literals in the kernel's element type.

use super::syntax::{LiteralToken, RawLiteral};
use crate::diag::{Diagnostic, Diagnostics};
use crate::scalar::{DType, Value};
use proc_macro2::{Literal, TokenTree};

/// What a number's text says.
struct Number {
    digits: String,
    suffix: String,
    is_float: bool,
}

/// The literal's value, if the element type has it.
pub(super) fn value(literal: &RawLiteral, dtype: DType, diagnostics: &mut Diagnostics) -> Option<Value> {
    match of_type(literal, dtype) {
        Ok(v) => Some(v),
        Err(d) => {
            diagnostics.push(*d);
            None
        }
    }
}

fn of_type(literal: &RawLiteral, dtype: DType) -> Result<Value, Box<Diagnostic>> {
    let error = |code, message: String, help: String| {
        Err(Box::new(Diagnostic::new(code, literal.span, message).help(help)))
    };
    let wrong_type = |text: String, help: String| {
        error("literal-type", format!("`{text}` is not a value of the kernel's element type `{dtype}`"), help)
    };
    match &literal.token {
        LiteralToken::Bool(v) if dtype == DType::Bool => Ok(Value::Bool(*v)),
        LiteralToken::Bool(v) => {
            wrong_type(v.to_string(), format!("comparisons give 0 or 1: write `{}`", dtype_text(*v, dtype)))
        }
        LiteralToken::Infinity if dtype.is_float() => {
            Ok(if literal.negative { dtype.neg_inf() } else { dtype.pos_inf() })
        }
        LiteralToken::Infinity => wrong_type(
            "inf".into(),
            format!("write the largest `{dtype}` as a number: `{}`", dtype.pos_inf()),
        ),
        LiteralToken::Number(token) => {
            let Some(number) = number(token) else {
                return error(
                    "bad-literal",
                    format!("`{token}` is not a number"),
                    "an expression's literals are numbers, `true`, `false` and `inf`".into(),
                );
            };
            let sign = if literal.negative { "-" } else { "" };
            let digits = format!("{sign}{}", number.digits);
            if !number.suffix.is_empty() && number.suffix != dtype.rust_name() {
                return wrong_type(
                    token.to_string(),
                    format!(
                        "leave the suffix out: a literal takes the kernel's element type (`{}`)",
                        number.digits
                    ),
                );
            }
            let out_of_range = || {
                error(
                    "literal-out-of-range",
                    format!("`{digits}` is out of range for `{dtype}`"),
                    format!("`{dtype}` goes from {} to {}", dtype_min(dtype), dtype_max(dtype)),
                )
            };
            match dtype {
                DType::Bool => {
                    let v = if number.digits == "0" { "false" } else { "true" };
                    wrong_type(token.to_string(), format!("write `{v}`"))
                }
                DType::F32 | DType::F64 => {
                    let v = match dtype {
                        DType::F32 => digits.parse().map(Value::F32),
                        _ => digits.parse().map(Value::F64),
                    };
                    match v {
                        Ok(v) if v.to_f64().is_finite() => Ok(v),
                        _ => out_of_range(),
                    }
                }
                _ if number.is_float => {
                    let rounded = number.digits.parse::<f64>().unwrap_or(0.0).trunc();
                    wrong_type(token.to_string(), format!("write a whole number, such as `{rounded}`"))
                }
                DType::I32 => digits.parse().map(Value::I32).or_else(|_| out_of_range()),
                DType::I64 => digits.parse().map(Value::I64).or_else(|_| out_of_range()),
                DType::U8 => digits.parse().map(Value::U8).or_else(|_| out_of_range()),
            }
        }
    }
}

/// A truth value in the type, as one writes it.
fn dtype_text(v: bool, dtype: DType) -> String {
    (if v { dtype.one() } else { dtype.zero() }).to_string()
}

fn dtype_max(dtype: DType) -> String {
    match dtype {
        DType::F32 => format!("{:e}", f32::MAX),
        DType::F64 => format!("{:e}", f64::MAX),
        _ => dtype.pos_inf().to_string(),
    }
}

fn dtype_min(dtype: DType) -> String {
    if dtype.is_float() { format!("-{}", dtype_max(dtype)) } else { dtype.neg_inf().to_string() }
}

fn number(token: &Literal) -> Option<Number> {
    let tokens = TokenTree::Literal(token.clone()).into();
    match syn::parse2::<syn::Lit>(tokens).ok()? {
        syn::Lit::Int(l) => {
            let suffix = l.suffix().to_owned();
            let is_float = matches!(suffix.as_str(), "f32" | "f64");
            Some(Number { digits: l.base10_digits().to_owned(), suffix, is_float })
        }
        syn::Lit::Float(l) => Some(Number {
            digits: l.base10_digits().to_owned(),
            suffix: l.suffix().to_owned(),
            is_float: true,
        }),
        _ => None,
    }
}
