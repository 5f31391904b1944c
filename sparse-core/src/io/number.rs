//! Decimal text to numbers, exactly as `str::parse` does it, only faster on short numbers.
//!
//! A decimal of at most 2⁵³ with a power of ten of at most 10²² is the product or quotient of two exactly
//! representable numbers, so one correctly rounded operation gives the correctly rounded result (Clinger, *How to
//! read floating point numbers accurately*, 1990). Everything else goes to the standard library.

/// Whole numbers without a sign; `u64::MAX` where the number is larger.
#[inline]
pub(super) fn parse_unsigned(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let mut v = 0u64;
    for b in text {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        v = match v.checked_mul(10).and_then(|v| v.checked_add(digit as u64)) {
            Some(v) => v,
            None => return text.iter().all(u8::is_ascii_digit).then_some(u64::MAX),
        };
    }
    Some(v)
}

/// What is wrong with the text of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerFault {
    /// Not an integer.
    Syntax,
    /// Outside `i64`.
    Overflow,
}

/// Whole numbers with an optional sign.
#[inline]
pub(super) fn parse_i64(text: &[u8]) -> Result<i64, IntegerFault> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let magnitude = parse_unsigned(digits).ok_or(IntegerFault::Syntax)?;
    if negative {
        0i64.checked_sub_unsigned(magnitude).ok_or(IntegerFault::Overflow)
    } else {
        i64::try_from(magnitude).map_err(|_| IntegerFault::Overflow)
    }
}

/// As `str::parse::<f64>`, and Fortran's `1.5D+03` too.
#[inline]
pub(super) fn parse_f64(text: &[u8]) -> Option<f64> {
    match quick(text) {
        Some(v) => Some(v),
        None => slow(text),
    }
}

/// As `str::parse::<f32>`, and Fortran's `1.5D+03` too.
#[inline]
pub(super) fn parse_f32(text: &[u8]) -> Option<f32> {
    // Rounding twice, to f64 and then to f32, goes wrong only where the first result lies midway between two f32s;
    // below the normal f32 range the midpoints are elsewhere.
    const MIDWAY: u64 = 1 << 28;
    const BELOW: u64 = (MIDWAY << 1) - 1;
    match quick(text) {
        Some(v) if v == 0.0 || (v.abs() >= f32::MIN_POSITIVE as f64 && v.to_bits() & BELOW != MIDWAY) => {
            Some(v as f32)
        }
        _ => slow(text),
    }
}

#[inline]
fn quick(text: &[u8]) -> Option<f64> {
    const EXACT: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    let (negative, mantissa, exponent) = decimal(text)?;
    if mantissa > 1 << 53 {
        return None;
    }
    let scale = EXACT.get(exponent.unsigned_abs() as usize)?;
    let v = if exponent < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
    Some(if negative { -v } else { v })
}

/// Sign, digits and power of ten of a decimal of at most 19 digits.
#[inline]
fn decimal(text: &[u8]) -> Option<(bool, u64, i32)> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut mantissa = 0u64;
    let mut digits = 0;
    let mut fraction = 0;
    let mut in_fraction = false;
    while let [b, tail @ ..] = rest {
        let digit = b.wrapping_sub(b'0');
        if digit <= 9 {
            // Nineteen digits fit; of more, the product would wrap, and the count sends them away below.
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit as u64);
            digits += 1;
            fraction += in_fraction as i32;
        } else if *b == b'.' && !in_fraction {
            in_fraction = true;
        } else {
            break;
        }
        rest = tail;
    }
    if digits == 0 || digits > 19 {
        return None;
    }
    let exponent = match rest {
        [] => 0,
        [b'e' | b'E', tail @ ..] => {
            let (below, tail) = match tail {
                [b'-', tail @ ..] => (true, tail),
                [b'+', tail @ ..] => (false, tail),
                _ => (false, tail),
            };
            if tail.len() > 4 {
                return None;
            }
            let e = parse_unsigned(tail)? as i32;
            if below { -e } else { e }
        }
        _ => return None,
    };
    Some((negative, mantissa, exponent - fraction))
}

#[cold]
fn slow<V: std::str::FromStr>(text: &[u8]) -> Option<V> {
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(v) = text.parse() {
        return Some(v);
    }
    let fortran = text.len() < 64 && text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if !fortran || text.contains(['e', 'E']) {
        return None;
    }
    text.replacen(['d', 'D'], "e", 1).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::Rng;

    fn check(text: &str) {
        let want = text.parse::<f64>().ok().map(f64::to_bits);
        let got = parse_f64(text.as_bytes()).map(f64::to_bits);
        assert_eq!(got, want, "f64 {text}");
        let want = text.parse::<f32>().ok().map(f32::to_bits);
        let got = parse_f32(text.as_bytes()).map(f32::to_bits);
        assert_eq!(got, want, "f32 {text}");
    }

    #[test]
    fn floats_equal_the_standard_library() {
        let odd = "0 -0 +0 1 -1 +1 . - + e 1e 1e+ .5 5. -.5 1.e5 .e5 1e5 1E-5 1e22 1e23 1e-22 1e-23 9007199254740992 \
            9007199254740993 18446744073709551615 18446744073709551616 99999999999999999999 0.1 0.3 1e308 1e309 1e-308 \
            5e-324 2e-324 inf -inf nan NaN infinity 1.5.5 1e5.5 1_0 0x10 1e00005 1e99999 00000000000000000000001 \
            16777217 16777216.5 33554433 3.4028235e38 3.4028236e38 3.40282357e38 1e39 1.1754944e-38 1e-40 1.4e-45 \
            7e-46 1.00000017881393432617187499 8388609.5 -- ++1 1- é";
        odd.split_whitespace().for_each(check);
        let mut rng = Rng(7);
        for _ in 0..40_000 {
            let bits = f64::from_bits(rng.next());
            check(&format!("{bits:e}"));
            check(&format!("{}", f32::from_bits(rng.next() as u32)));
            let digits = rng.next() >> (rng.next() % 64);
            let exponent = (rng.next() % 60) as i64 - 30;
            check(&format!("{digits}e{exponent}"));
            check(&format!("{}.{:04}", digits % 100_000, rng.next() % 10_000));
        }
    }

    #[test]
    fn fortran_exponents() {
        assert_eq!(parse_f64(b"1.5D+03"), Some(1500.0));
        assert_eq!(parse_f64(b"-2d0"), Some(-2.0));
        assert_eq!(parse_f64(b"D"), None);
        assert_eq!(parse_f64(b"1d2d3"), None);
    }

    #[test]
    fn integers() {
        assert_eq!(parse_unsigned(b"007"), Some(7));
        assert_eq!(parse_unsigned(b""), None);
        assert_eq!(parse_unsigned(b"-1"), None);
        assert_eq!(parse_unsigned(b"99999999999999999999"), Some(u64::MAX));
        assert_eq!(parse_unsigned(b"9999999999999999999x"), None);
        assert_eq!(parse_i64(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(parse_i64(b"9223372036854775807"), Ok(i64::MAX));
        assert_eq!(parse_i64(b"9223372036854775808"), Err(IntegerFault::Overflow));
        assert_eq!(parse_i64(b"-"), Err(IntegerFault::Syntax));
        assert_eq!(parse_i64(b"1.0"), Err(IntegerFault::Syntax));
    }
}
