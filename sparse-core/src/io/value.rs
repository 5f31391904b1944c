//! Text to an element of a tensor: which conversions are exact, and which are errors.
//!
//! | tensor | integer text | fraction |
//! | --- | --- | --- |
//! | `f32`, `f64` | nearest, as Rust reads it: `1e400` is infinite | nearest |
//! | `i32`, `i64`, `u8` | exact, or does not fit | an error unless integral (`2.0`, `1e3`) |
//! | `bool` | is it non-zero? | is it non-zero? |

use super::error::{FileErrorKind, excerpt};
use super::number::{IntegerFault, parse_f32, parse_f64, parse_i64};
use crate::scalar::{DType, Element, Value};

/// The value written as `text`; with `whole`, only integers are allowed.
#[inline]
pub(super) fn parse_value<T: Element>(text: &[u8], whole: bool) -> Result<T, FileErrorKind> {
    if whole && !is_integer(text) {
        return Err(FileErrorKind::NotAnInteger { what: "value of an integer file", found: excerpt(text) });
    }
    let not_a_number = || FileErrorKind::NotANumber { found: excerpt(text) };
    let value = match T::DTYPE {
        DType::F64 => Value::F64(parse_f64(text).ok_or_else(not_a_number)?),
        DType::F32 => Value::F32(parse_f32(text).ok_or_else(not_a_number)?),
        DType::Bool => Value::Bool(parse_f64(text).ok_or_else(not_a_number)? != 0.0),
        DType::I64 => Value::I64(integral(text, T::DTYPE)?),
        DType::I32 => Value::I32(narrow(text, T::DTYPE)?),
        DType::U8 => Value::U8(narrow(text, T::DTYPE)?),
    };
    Ok(element(value))
}

/// The negative, for the other triangle of a skew-symmetric matrix.
#[inline]
pub(super) fn negate<T: Element>(v: T) -> Result<T, FileErrorKind> {
    let negative = match v.to_value() {
        Value::F32(v) => Some(Value::F32(-v)),
        Value::F64(v) => Some(Value::F64(-v)),
        Value::I32(v) => v.checked_neg().map(Value::I32),
        Value::I64(v) => v.checked_neg().map(Value::I64),
        Value::U8(v) => v.checked_neg().map(Value::U8),
        Value::Bool(v) => Some(Value::Bool(v)),
    };
    match negative {
        Some(value) => Ok(element(value)),
        None => Err(FileErrorKind::DoesNotFit {
            found: format!("the mirrored value -({})", v.to_value()),
            dtype: T::DTYPE,
        }),
    }
}

/// Multiplicative identity, the value of a pattern's entry.
pub(super) fn one<T: Element>() -> T {
    element(T::DTYPE.one())
}

#[inline]
fn element<T: Element>(value: Value) -> T {
    // The callers make `value` of type `T::DTYPE`, so that the default is never taken.
    T::from_value(value).unwrap_or_default()
}

#[inline]
fn is_integer(text: &[u8]) -> bool {
    let digits = match text {
        [b'-' | b'+', rest @ ..] => rest,
        _ => text,
    };
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[inline]
fn narrow<I: TryFrom<i64>>(text: &[u8], dtype: DType) -> Result<I, FileErrorKind> {
    I::try_from(integral(text, dtype)?).map_err(|_| FileErrorKind::DoesNotFit { found: excerpt(text), dtype })
}

#[inline]
fn integral(text: &[u8], dtype: DType) -> Result<i64, FileErrorKind> {
    let does_not_fit = || FileErrorKind::DoesNotFit { found: excerpt(text), dtype };
    match parse_i64(text) {
        Ok(v) => Ok(v),
        Err(IntegerFault::Overflow) => Err(does_not_fit()),
        Err(IntegerFault::Syntax) => {
            // `9007199254740993.0` is exact as an integer, not as an f64.
            let point = text.iter().position(|b| *b == b'.');
            if let Some(point) = point
                && text[point + 1..].iter().all(|b| *b == b'0')
                && let Ok(v) = parse_i64(&text[..point])
            {
                return Ok(v);
            }
            let v = parse_f64(text).ok_or_else(|| FileErrorKind::NotANumber { found: excerpt(text) })?;
            if v.is_finite() && v.fract() != 0.0 || v.is_nan() {
                return Err(FileErrorKind::NotIntegral { found: excerpt(text), dtype });
            }
            let bound = -(i64::MIN as f64);
            if v >= -bound && v < bound { Ok(v as i64) } else { Err(does_not_fit()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_integers() {
        assert_eq!(parse_value::<i64>(b"9007199254740993", true), Ok(9007199254740993));
        assert_eq!(parse_value::<i64>(b"9007199254740993.000", false), Ok(9007199254740993));
        assert_eq!(parse_value::<i64>(b"-9223372036854775808", false), Ok(i64::MIN));
        assert_eq!(parse_value::<i32>(b"1e3", false), Ok(1000));
        assert_eq!(parse_value::<u8>(b"255.", false), Ok(255));
    }

    #[test]
    fn refusals() {
        let fit = |r: Result<u8, FileErrorKind>| matches!(r, Err(FileErrorKind::DoesNotFit { .. }));
        assert!(fit(parse_value(b"256", true)));
        assert!(fit(parse_value(b"-1", true)));
        assert!(fit(parse_value(b"1e300", false)));
        assert!(fit(parse_value(b"inf", false)));
        assert!(fit(negate(1)));
        assert!(matches!(
            parse_value::<i64>(b"9223372036854775808", false),
            Err(FileErrorKind::DoesNotFit { .. })
        ));
        assert!(matches!(parse_value::<i64>(b"1.5", false), Err(FileErrorKind::NotIntegral { .. })));
        assert!(matches!(parse_value::<i64>(b"nan", false), Err(FileErrorKind::NotIntegral { .. })));
        assert!(matches!(parse_value::<i64>(b"x", false), Err(FileErrorKind::NotANumber { .. })));
        assert!(matches!(parse_value::<f64>(b"1.5", true), Err(FileErrorKind::NotAnInteger { .. })));
        assert!(matches!(parse_value::<f64>(b"", false), Err(FileErrorKind::NotANumber { .. })));
    }

    #[test]
    fn truth() {
        assert_eq!(parse_value::<bool>(b"0.0", false), Ok(false));
        assert_eq!(parse_value::<bool>(b"-3", true), Ok(true));
        assert_eq!(parse_value::<bool>(b"nan", false), Ok(true));
        assert!(one::<bool>());
        assert_eq!(one::<f32>(), 1.0);
    }
}
