//! From the spelling of a type to the structure of a tensor.
//!
//! A macro sees no types, only paths, so the structure is read from the last segment: the aliases of the prelude, or
//! `Tensor<T, F>` with the format spelled out. The emitted code asserts that the guess is right.

use super::misspelt;
use super::types::Kind;
use crate::diag::Diagnostic;
use crate::error::FormatProblem;
use crate::format::{Fill, FormatSpec, Level, MAX_RANK};
use crate::scalar::DType;
use proc_macro2::Span;
use syn::spanned::Spanned;

/// A mistake, or one that has been reported already.
pub(super) type Result<T> = std::result::Result<T, Option<Box<Diagnostic>>>;

fn error<T>(
    code: crate::diag::Code,
    span: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Result<T> {
    Err(Some(Box::new(Diagnostic::new(code, span, message).help(help))))
}

/// What a type stands for, and where its element type is written.
pub(super) fn structure(ty: &syn::Type) -> Result<(Kind, Span)> {
    let Some(segment) = last_segment(ty) else {
        return error("unknown-type", ty.span(), "this type is not a tensor's", misspelt::no_path(ty));
    };
    let name = segment.ident.to_string();
    let span = segment.ident.span();
    if segment.arguments.is_none() {
        if let Some(t) = DType::from_rust_name(&name) {
            return Ok((Kind::Scalar(t), span));
        }
        if is_primitive(&name) {
            return error(
                "unsupported-element",
                span,
                format!("`{name}` is not an element type"),
                elements(),
            );
        }
    }
    let alias = alias(&name);
    if alias.is_none() && name != "Tensor" {
        return error(
            "unknown-type",
            span,
            format!("the macro cannot tell the structure of `{name}`: it sees the name only"),
            misspelt::path(&name),
        );
    }
    let args = arguments(segment)?;
    match (alias, args.as_slice()) {
        (Some(spec), [element]) => {
            let (t, span) = dtype(element)?;
            Ok((Kind::Tensor(spec, t), span))
        }
        (None, [format, _]) if is_format(format) => error(
            "type-arguments",
            format.span(),
            "this is a format: `Tensor` takes its elements first",
            "write `Tensor<f32, (Dense, Compressed)>`",
        ),
        (None, [element, format]) => {
            let element = dtype(element);
            let spec = spec(format)?;
            check_spec(&spec, format.span())?;
            let (t, span) = element?;
            Ok((Kind::Tensor(spec, t), span))
        }
        (Some(_), []) | (None, [] | [_]) => {
            let example = match name.as_str() {
                "Tensor" => "Tensor<f32, (Dense, Compressed)>".to_owned(),
                alias => format!("{alias}<f32>"),
            };
            error("type-arguments", span, format!("`{name}` misses arguments"), format!("write `{example}`"))
        }
        (None, [_, first, second, ..]) if is_level(first) && is_level(second) => error(
            "type-arguments",
            first.span(),
            "a format is a tuple of levels, this is a level",
            "write the levels in parentheses: `Tensor<f32, (Dense, Compressed)>`",
        ),
        (Some(_), [_, extra, ..]) | (None, [_, _, extra, ..]) => error(
            "type-arguments",
            extra.span(),
            format!("`{name}` has an argument too many"),
            "remove it: a kernel is generic over the device, which is not written here",
        ),
    }
}

/// A tensor's type as one writes it: an alias if there is one.
pub(crate) fn type_name(spec: &FormatSpec, dtype: DType) -> String {
    match ALIASES.into_iter().find(|name| alias(name).as_ref() == Some(spec)) {
        Some(name) => format!("{name}<{dtype}>"),
        None => format!("Tensor<{dtype}, {spec}>"),
    }
}

/// The aliases of `tensor/alias.rs`, the better known first.
pub(super) const ALIASES: [&str; 16] = [
    "Scalar",
    "DenseVec",
    "DenseMat",
    "DenseMatColumnMajor",
    "Dense3",
    "Dense4",
    "SparseVec",
    "Csr",
    "Csc",
    "Dcsr",
    "Dcsc",
    "Coo",
    "Coo3",
    "Coo4",
    "Csf3",
    "Csf4",
];

/// The format behind one of [`ALIASES`].
pub(super) fn alias(name: &str) -> Option<FormatSpec> {
    use Level::Dense;
    const COMPRESSED: Level = Level::Compressed { unique: true };
    const REPEATED: Level = Level::Compressed { unique: false };
    const ONE: Level = Level::Singleton { unique: true };
    const ONE_REPEATED: Level = Level::Singleton { unique: false };
    let (levels, columns): (&[Level], bool) = match name {
        "Scalar" => (&[], false),
        "DenseVec" => (&[Dense], false),
        "DenseMat" => (&[Dense; 2], false),
        "DenseMatColumnMajor" => (&[Dense; 2], true),
        "Dense3" => (&[Dense; 3], false),
        "Dense4" => (&[Dense; 4], false),
        "SparseVec" => (&[COMPRESSED], false),
        "Csr" => (&[Dense, COMPRESSED], false),
        "Csc" => (&[Dense, COMPRESSED], true),
        "Dcsr" => (&[COMPRESSED; 2], false),
        "Dcsc" => (&[COMPRESSED; 2], true),
        "Coo" => (&[REPEATED, ONE], false),
        "Coo3" => (&[REPEATED, ONE_REPEATED, ONE], false),
        "Coo4" => (&[REPEATED, ONE_REPEATED, ONE_REPEATED, ONE], false),
        "Csf3" => (&[COMPRESSED; 3], false),
        "Csf4" => (&[COMPRESSED; 4], false),
        _ => return None,
    };
    let spec = FormatSpec::new(levels.to_vec());
    Some(if columns { spec.reordered(vec![1, 0]) } else { spec })
}

fn last_segment(ty: &syn::Type) -> Option<&syn::PathSegment> {
    match ty {
        syn::Type::Path(p) if p.qself.is_none() => p.path.segments.last(),
        syn::Type::Group(g) => last_segment(&g.elem),
        syn::Type::Paren(p) => last_segment(&p.elem),
        _ => None,
    }
}

fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "i8" | "i16"
            | "i128"
            | "isize"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f16"
            | "f128"
            | "char"
            | "str"
            | "String"
    )
}

fn elements() -> String {
    let names: Vec<_> = DType::ALL.iter().map(|t| format!("`{t}`")).collect();
    format!("element types are {}", names.join(", "))
}

/// The type arguments of a segment, lifetimes and the like refused.
fn arguments(segment: &syn::PathSegment) -> Result<Vec<&syn::GenericArgument>> {
    match &segment.arguments {
        syn::PathArguments::None => Ok(vec![]),
        syn::PathArguments::AngleBracketed(a) => Ok(a.args.iter().collect()),
        syn::PathArguments::Parenthesized(_) => error(
            "type-arguments",
            segment.ident.span(),
            format!("`{}` takes its arguments in angle brackets", segment.ident),
            format!("write `{}<…>`", segment.ident),
        ),
    }
}

fn dtype(arg: &syn::GenericArgument) -> Result<(DType, Span)> {
    let segment = match arg {
        syn::GenericArgument::Type(ty) => last_segment(ty),
        _ => None,
    };
    let span = arg.span();
    let Some(segment) = segment else {
        return error("unsupported-element", span, "this is not an element type", elements());
    };
    match DType::from_rust_name(&segment.ident.to_string()) {
        Some(t) if segment.arguments.is_none() => Ok((t, segment.ident.span())),
        _ => error(
            "unsupported-element",
            segment.ident.span(),
            format!("`{}` is not an element type", segment.ident),
            elements(),
        ),
    }
}

const FORMATS: &str = "a format is a tuple of levels, such as `(Dense, Compressed)`, or `Reordered<(…), 1, 0>` or `Filled<(…), PosInf>` over one";

fn spec(arg: &syn::GenericArgument) -> Result<FormatSpec> {
    match arg {
        syn::GenericArgument::Type(ty) => format(ty),
        other => error("unknown-format", other.span(), "this is not a format", FORMATS),
    }
}

fn format(ty: &syn::Type) -> Result<FormatSpec> {
    match ty {
        syn::Type::Tuple(t) => Ok(FormatSpec::new(t.elems.iter().map(level).collect::<Result<_>>()?)),
        syn::Type::Group(g) => format(&g.elem),
        syn::Type::Paren(p) if level(&p.elem).is_ok() => one_level(&p.elem),
        syn::Type::Paren(p) => format(&p.elem),
        syn::Type::Path(_) if level(ty).is_ok() => one_level(ty),
        _ => {
            let Some(segment) = last_segment(ty) else {
                return error("unknown-format", ty.span(), "this is not a format", FORMATS);
            };
            let args = arguments(segment)?;
            match (segment.ident.to_string().as_str(), args.as_slice()) {
                ("Reordered", [base, order @ ..]) => reordered(spec(base)?, order, segment.ident.span()),
                ("Filled", [base, fill]) => Ok(spec(base)?.filled(read_fill(fill)?)),
                ("Filled", _) => error(
                    "type-arguments",
                    segment.ident.span(),
                    "`Filled` takes a format and a fill",
                    "write it as `Filled<(Dense, Compressed), PosInf>`",
                ),
                ("Reordered", _) => error(
                    "type-arguments",
                    segment.ident.span(),
                    "`Reordered` takes a format and a mode order",
                    "write it as `Reordered<(Dense, Compressed), 1, 0>`",
                ),
                (name, _) if alias(name).is_some() => error(
                    "unknown-format",
                    segment.ident.span(),
                    format!("`{name}` is a tensor's type, not a format"),
                    format!("write `{name}<f32>`, or the levels: `Tensor<f32, (Dense, Compressed)>`"),
                ),
                (name, _) => error(
                    "unknown-format",
                    segment.ident.span(),
                    format!(
                        "the macro cannot tell the format that `{name}` stands for: it sees the name only"
                    ),
                    FORMATS,
                ),
            }
        }
    }
}

fn is_level(arg: &syn::GenericArgument) -> bool {
    matches!(arg, syn::GenericArgument::Type(ty) if level(ty).is_ok())
}

fn is_format(arg: &syn::GenericArgument) -> bool {
    is_level(arg) || matches!(arg, syn::GenericArgument::Type(ty) if format(ty).is_ok())
}

fn one_level(ty: &syn::Type) -> Result<FormatSpec> {
    error(
        "unknown-format",
        ty.span(),
        "a format is a tuple, this is a level",
        format!("write a comma after the only level: `({},)`", level(ty)?),
    )
}

fn level(ty: &syn::Type) -> Result<Level> {
    let unknown = |span| {
        error(
            "unknown-level",
            span,
            "this is not a level format",
            "levels are `Dense`, `Compressed`, `Compressed<NonUnique>`, `Singleton` and `Singleton<NonUnique>`",
        )
    };
    let Some(segment) = last_segment(ty) else { return unknown(ty.span()) };
    let unique = match arguments(segment)?.as_slice() {
        [] => Some(true),
        [syn::GenericArgument::Type(ty)] => match last_segment(ty).map(|s| s.ident.to_string()).as_deref() {
            Some("Unique") => Some(true),
            Some("NonUnique") => Some(false),
            _ => return unknown(ty.span()),
        },
        _ => None,
    };
    match (segment.ident.to_string().as_str(), unique) {
        ("Dense", Some(true)) if segment.arguments.is_none() => Ok(Level::Dense),
        ("Compressed", Some(unique)) => Ok(Level::Compressed { unique }),
        ("Singleton", Some(unique)) => Ok(Level::Singleton { unique }),
        _ => unknown(segment.ident.span()),
    }
}

fn read_fill(arg: &syn::GenericArgument) -> Result<Fill> {
    let segment = match arg {
        syn::GenericArgument::Type(ty) => last_segment(ty),
        _ => None,
    };
    match segment.map(|s| s.ident.to_string()).as_deref() {
        Some("Zero") => Ok(Fill::Zero),
        Some("One") => Ok(Fill::One),
        Some("PosInf") => Ok(Fill::PosInf),
        Some("NegInf") => Ok(Fill::NegInf),
        _ => error(
            "unknown-fill",
            arg.span(),
            "this is not a fill",
            "fills are `Zero`, `One`, `PosInf` and `NegInf`",
        ),
    }
}

/// Dimensions that are not written stand at their own level.
fn reordered(base: FormatSpec, order: &[&syn::GenericArgument], span: Span) -> Result<FormatSpec> {
    let rank = base.rank();
    if !base.map.is_identity() {
        return error(
            "bad-mode-order",
            span,
            "a format can be reordered only once",
            "write one `Reordered` with the order you mean",
        );
    }
    if order.len() > rank {
        return error(
            "bad-mode-order",
            order[rank].span(),
            format!("the format has {rank} levels, the mode order {} entries", order.len()),
            "write one entry a level: the dimension that it stores",
        );
    }
    let mut modes: Vec<usize> = (0..rank).collect();
    let mut seen = vec![false; rank];
    for (l, arg) in order.iter().enumerate() {
        match integer(arg) {
            Some(d) if d < rank => modes[l] = d,
            _ => {
                return error(
                    "bad-mode-order",
                    arg.span(),
                    format!("not a dimension: this format has {rank}"),
                    "write the number of a dimension, counted from 0",
                );
            }
        }
    }
    for (l, &d) in modes.iter().enumerate() {
        if std::mem::replace(&mut seen[d], true) {
            let written = order.len();
            let rest = (written..rank).map(|l| l.to_string()).collect::<Vec<_>>().join(", ");
            let help = match rest.as_str() {
                "" => "write every dimension once".to_owned(),
                rest => format!(
                    "write all {rank} dimensions: what is left out after {written} stands for {rest}, each at its own level"
                ),
            };
            return error(
                "bad-mode-order",
                order.get(l).map_or(span, |a| a.span()),
                format!("the mode order {modes:?} names dimension {d} twice"),
                help,
            );
        }
    }
    Ok(base.reordered(modes))
}

fn integer(arg: &syn::GenericArgument) -> Option<usize> {
    let syn::GenericArgument::Const(syn::Expr::Lit(e)) = arg else { return None };
    let syn::Lit::Int(l) = &e.lit else { return None };
    l.base10_parse().ok()
}

/// Formats that tensors can have.
fn check_spec(spec: &FormatSpec, span: Span) -> Result<()> {
    if spec.rank() > MAX_RANK {
        return error(
            "rank-too-large",
            span,
            format!("the format has {} levels", spec.rank()),
            format!("a tensor has at most {MAX_RANK} dimensions"),
        );
    }
    let mut parent = None;
    for &level in &spec.levels {
        let (code, help) = match level.check_below(parent) {
            Ok(()) => {
                parent = Some(level);
                continue;
            }
            Err(FormatProblem::SingletonAtRoot) => {
                ("singleton-at-root", "write `Compressed` for the first level")
            }
            Err(_) => (
                "dense-below-non-unique",
                "make the level above unique, or write `Compressed` or `Singleton` instead",
            ),
        };
        let message = match parent {
            None => format!("`{level}` cannot be the first level"),
            Some(parent) => format!("a `{level}` level cannot stand below a `{parent}` one"),
        };
        return error(code, span, message, help);
    }
    Ok(())
}
