//! Monoids of the prelude: how two values of an element type combine, and how a value is combined into memory that others
//! update too. A source has those that it uses, for its element types.

use crate::emit::signature::scalar;
use crate::scalar::{DType, Monoid};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The monoids that a source uses, and whether in memory that others update too.
pub(super) type Used = BTreeMap<(Monoid, DType), bool>;

/// A monoid's name.
pub(super) fn name(op: Monoid) -> &'static str {
    match op {
        Monoid::Add => "Add",
        Monoid::Mul => "Mul",
        Monoid::Min => "Min",
        Monoid::Max => "Max",
        Monoid::And => "And",
        Monoid::Or => "Or",
    }
}

/// Does a monoid's text call the wrapping arithmetic of integers?
pub(super) fn wraps(op: Monoid, t: DType) -> bool {
    matches!(op, Monoid::Add | Monoid::Mul) && !t.is_float()
}

/// Their text, in the order of the monoids.
pub(super) fn text(used: &Used) -> String {
    let retried: BTreeSet<_> = used
        .iter()
        .filter(|((op, t), atomic)| **atomic && update(*op, *t).is_none())
        .map(|((_, t), _)| *t)
        .collect();
    let mut text = if retried.is_empty() { String::new() } else { retry(&retried) };
    let ops: BTreeSet<_> = used.keys().map(|(op, _)| *op).collect();
    for op in ops {
        if matches!(op, Monoid::Min | Monoid::Max) && used.keys().any(|(o, t)| *o == op && t.is_float()) {
            text += "// Of a number and NaN the number.\n";
        }
        let _ = writeln!(text, "struct {} {{", name(op));
        for ((_, t), atomic) in used.iter().filter(|((o, _), _)| *o == op) {
            let ty = scalar(*t);
            let _ = writeln!(
                text,
                "    static __device__ __forceinline__ {ty} combine({ty} a, {ty} b) {{ return {}; }}",
                combined(op, *t)
            );
            if *atomic {
                let update = update(op, *t).unwrap_or_else(|| format!("retry<{}>(at, value)", name(op)));
                let _ = writeln!(
                    text,
                    "    static __device__ __forceinline__ void atomic({ty}* at, {ty} value) {{ {update}; }}"
                );
            }
        }
        text += "};\n\n";
    }
    text
}

/// `a` and `b` combined.
fn combined(op: Monoid, t: DType) -> String {
    let ty = scalar(t);
    match (op, t) {
        (Monoid::Add, _) if wraps(op, t) => "wrappingAdd(a, b)".into(),
        (Monoid::Mul, _) if wraps(op, t) => "wrappingMul(a, b)".into(),
        (Monoid::Add, _) => "a + b".into(),
        (Monoid::Mul, _) => "a * b".into(),
        (Monoid::Min, DType::F32) => "fminf(a, b)".into(),
        (Monoid::Min, DType::F64) => "fmin(a, b)".into(),
        (Monoid::Min, _) => "b < a ? b : a".into(),
        (Monoid::Max, DType::F32) => "fmaxf(a, b)".into(),
        (Monoid::Max, DType::F64) => "fmax(a, b)".into(),
        (Monoid::Max, _) => "a < b ? b : a".into(),
        (Monoid::And, _) => format!("({ty})(a & b)"),
        (Monoid::Or, _) => format!("({ty})(a | b)"),
    }
}

/// The hardware's own update of memory, if there is one for the type itself.
pub(super) fn hardware(op: Monoid, t: DType) -> Option<&'static str> {
    let takes_sign = t != DType::I64 || matches!(op, Monoid::Min | Monoid::Max);
    intrinsic(op, t).filter(|_| takes_sign)
}

fn intrinsic(op: Monoid, t: DType) -> Option<&'static str> {
    Some(match (op, t) {
        (Monoid::Add, DType::F32 | DType::F64 | DType::I32 | DType::I64) => "atomicAdd",
        (Monoid::Min, DType::I32 | DType::I64) => "atomicMin",
        (Monoid::Max, DType::I32 | DType::I64) => "atomicMax",
        (Monoid::And, DType::I32 | DType::I64) => "atomicAnd",
        (Monoid::Or, DType::I32 | DType::I64) => "atomicOr",
        _ => return None,
    })
}

/// The hardware's own update of `*at` by `value`.
fn update(op: Monoid, t: DType) -> Option<String> {
    let name = intrinsic(op, t)?;
    Some(match hardware(op, t) {
        Some(name) => format!("{name}(at, value)"),
        // Of 64 bits the others take words without a sign.
        None => format!("{name}((unsigned long long*)at, (unsigned long long)value)"),
    })
}

/// Updates by compare-and-swap.
fn retry(types: &BTreeSet<DType>) -> String {
    let mut text = String::from(
        "// Where the hardware has no such update, compare-and-swap is tried until it succeeds. It compares bits, so that NaN\n\
         // ends it as well.\n",
    );
    let words: Vec<_> = types.iter().filter_map(|t| word(*t)).collect();
    if !words.is_empty() {
        text += "template <typename T> struct Word;  // T as a word that can be swapped\n";
        words.iter().for_each(|word| text += word);
        text += "\n";
        text += include_str!("prelude/retry.cuh");
        text += "\n";
    }
    let bytes: Vec<_> = types.iter().filter(|t| word(**t).is_none()).map(|t| scalar(*t)).collect();
    if !bytes.is_empty() {
        text += include_str!("prelude/retry_byte.cuh");
        for ty in bytes {
            let _ = writeln!(
                text,
                "template <typename Op> __device__ __forceinline__ void retry({ty}* at, {ty} value) {{\n    retryByte<Op>(at, value);\n}}"
            );
        }
        text += "\n";
    }
    text
}

/// A type as a word, unless it is a byte.
fn word(t: DType) -> Option<String> {
    let (word, of, value) = match t {
        DType::I32 => ("int", "value", "word"),
        DType::I64 => ("unsigned long long", "(type)value", "(long long)word"),
        DType::F32 => ("int", "__float_as_int(value)", "__int_as_float(word)"),
        DType::F64 => (
            "unsigned long long",
            "(type)__double_as_longlong(value)",
            "__longlong_as_double((long long)word)",
        ),
        DType::U8 | DType::Bool => return None,
    };
    let ty = scalar(t);
    Some(format!(
        "template <> struct Word<{ty}> {{\n    \
             typedef {word} type;\n    \
             static __device__ __forceinline__ type of({ty} value) {{ return {of}; }}\n    \
             static __device__ __forceinline__ {ty} value(type word) {{ return {value}; }}\n\
         }};\n"
    ))
}
