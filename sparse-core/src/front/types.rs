//! What the types of a header declare, and the signature that survives a failure.

use super::scope::reserved;
use super::spelling::structure;
use super::syntax::{ParamKind, RawHeader, RawType, Reference, Signature, SignatureParam};
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::FormatSpec;
use crate::scalar::DType;
use proc_macro2::{Ident, Span};

/// What a type stands for.
#[derive(Clone)]
pub(super) enum Kind {
    Tensor(FormatSpec, DType),
    Scalar(DType),
    /// Has been reported.
    Unknown,
}

/// A declared name's type.
pub(super) struct Declared {
    pub(super) kind: Kind,
    /// Where mistakes about its element type are reported.
    pub(super) dtype_span: Span,
}

/// What a header declares: its parameters in order, and its return type.
pub(super) struct Declarations {
    pub(super) params: Vec<Declared>,
    pub(super) output: Option<Declared>,
}

/// Reads every type of a header.
pub(super) fn declare(header: &RawHeader, diagnostics: &mut Diagnostics) -> Declarations {
    let params = header.params.iter().map(|p| {
        let declared = read(&p.ty, diagnostics);
        match (&declared.kind, p.ty.reference) {
            (Kind::Scalar(t), Reference::Mut) => diagnostics.push(
                Diagnostic::new(
                    "scalar-reference",
                    p.ty.span,
                    format!("the scalar `{}` cannot be written", p.name),
                )
                .help(format!("a scalar result is a tensor of rank 0: write `{}: &mut Scalar<{t}>`", p.name)),
            ),
            (Kind::Scalar(t), Reference::Shared(span)) => diagnostics.push(
                Diagnostic::new("scalar-reference", span, "a scalar is passed by value")
                    .help(format!("write `{}: {t}`", p.name)),
            ),
            (_, Reference::Shared(span)) => diagnostics.push(
                Diagnostic::new(
                    "parameter-reference",
                    span,
                    "a kernel takes its tensors by reference already",
                )
                .help("write the type without `&` (`&mut` is for the tensor that is written in place)"),
            ),
            _ => {}
        }
        declared
    });
    let params = params.collect();
    let output = header.output.as_ref().map(|ty| {
        let declared = read(ty, diagnostics);
        if let Kind::Scalar(t) = declared.kind {
            diagnostics.push(
                Diagnostic::new("scalar-return", ty.span, format!("a kernel returns a tensor, not `{t}`"))
                    .help(format!("write `-> Scalar<{t}>`, and read it with `.value()`")),
            );
        } else if !matches!(ty.reference, Reference::None) {
            diagnostics.push(
                Diagnostic::new(
                    "returned-reference",
                    ty.span,
                    "a kernel returns a new tensor, not a reference",
                )
                .help("remove the `&`; to write in place, take a parameter `C: &mut …` and return nothing"),
            );
        }
        declared
    });
    Declarations { params, output }
}

impl Declarations {
    /// What survives of the header if there is no kernel.
    pub(super) fn signature(&self, header: &RawHeader) -> Signature {
        let known = |d: &Declared, ty: &RawType| match d.kind {
            Kind::Unknown => None,
            Kind::Tensor(..) | Kind::Scalar(_) => ty.ty.clone(),
        };
        let params = header.params.iter().zip(&self.params).enumerate().map(|(n, (p, d))| {
            let kind = match (&d.kind, p.ty.reference) {
                (Kind::Scalar(_), _) => ParamKind::Scalar,
                (_, Reference::Mut) => ParamKind::TensorMut,
                _ => ParamKind::Tensor,
            };
            let faulty = reserved(&p.name).is_some() || header.params[..n].iter().any(|q| q.name == p.name);
            let name = if faulty { Ident::new("_", p.name.span()) } else { p.name.clone() };
            SignatureParam { name, kind, ty: known(d, &p.ty) }
        });
        Signature {
            attrs: header.attrs.clone(),
            vis: header.vis.clone(),
            name: header.name.clone(),
            params: params.collect(),
            output: header.output.as_ref().zip(self.output.as_ref()).map(|(ty, d)| match d.kind {
                Kind::Scalar(_) => None,
                _ => known(d, ty),
            }),
        }
    }
}

fn read(ty: &RawType, diagnostics: &mut Diagnostics) -> Declared {
    let unknown = Declared { kind: Kind::Unknown, dtype_span: ty.span };
    let Some(syntax) = &ty.ty else { return unknown };
    match structure(syntax) {
        Ok((kind, dtype_span)) => Declared { kind, dtype_span },
        Err(d) => {
            d.into_iter().for_each(|d| diagnostics.push(*d));
            unknown
        }
    }
}
