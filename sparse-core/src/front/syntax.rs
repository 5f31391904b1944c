//! The raw tree: what is written, before names mean anything; and the signature that survives a failure.

use super::ast::{AssignOp, Kernel, Mode, Param};
use super::command::{Platform, Schedule};
use super::schedule::RawSchedule;
use crate::diag::Diagnostics;
use crate::scalar::{BinaryOp, UnaryOp};
use proc_macro2::{Ident, Literal, Span};

/// Why there is no kernel.
#[derive(Clone, Default)]
pub struct Failure {
    /// At least one mistake.
    pub diagnostics: Diagnostics,
    /// The function's header, if it could be read: what is needed to emit an item all the same, so that its callers
    /// are not mistakes too.
    pub signature: Option<Box<Signature>>,
    /// What could be read of a kernel whose schedules alone have mistakes: their other commands may have more.
    pub rest: Option<Box<Rest>>,
    /// The CPU's schedule, and CUDA's, as far as they could be read: they may have mistakes whatever the statement.
    pub schedules: Box<(Schedule, Schedule)>,
}

/// A kernel without the commands that could not be read.
#[derive(Clone)]
pub struct Rest {
    /// The kernel.
    pub kernel: Kernel,
    /// Every name in the commands that are left out: what they would have made of these loops nobody knows.
    pub doubtful: Vec<Doubtful>,
}

/// A name in a command that could not be read.
#[derive(Clone)]
pub struct Doubtful {
    /// Whose schedule.
    pub target: Platform,
    /// How many commands that could be read stand before.
    pub from: usize,
    /// The name.
    pub name: String,
}

impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Failure").field("diagnostics", &self.diagnostics).finish_non_exhaustive()
    }
}

/// The header of a kernel's function.
#[derive(Clone)]
pub struct Signature {
    /// Doc comments and attributes.
    pub attrs: Vec<syn::Attribute>,
    /// Visibility.
    pub vis: syn::Visibility,
    /// Name.
    pub name: Ident,
    /// Parameters in order.
    pub params: Vec<SignatureParam>,
    /// The returned type. `None` within `Some`: something is returned, but its type is itself at fault.
    pub output: Option<Option<syn::Type>>,
}

/// A parameter of a [`Signature`].
#[derive(Clone)]
pub struct SignatureParam {
    /// Its name; `_` where the name is itself at fault (a second one of this name, a keyword).
    pub name: Ident,
    /// How it is passed.
    pub kind: ParamKind,
    /// The user's type without `&` and `&mut`; `None` where the type is itself at fault, so that an item which
    /// repeats it would be at fault again.
    pub ty: Option<syn::Type>,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A tensor, `&T`.
    Tensor,
    /// A tensor written in place, `&mut T`.
    TensorMut,
    /// A scalar, by value.
    Scalar,
}

impl From<&Kernel> for Signature {
    /// For failures of later passes.
    fn from(k: &Kernel) -> Self {
        let params = k.params.iter().map(|p| match *p {
            Param::Scalar(s) => {
                let s = &k.scalars[s];
                let ty = syn::Ident::new(s.dtype.rust_name(), s.name.span());
                let ty = syn::Type::Path(syn::TypePath { qself: None, path: ty.into(), attrs: vec![] });
                SignatureParam { name: s.name.clone(), kind: ParamKind::Scalar, ty: Some(ty) }
            }
            Param::Tensor(t) => {
                let t = &k.tensors[t.index()];
                let kind = if t.mode == Mode::InOut { ParamKind::TensorMut } else { ParamKind::Tensor };
                SignatureParam { name: t.name.clone(), kind, ty: Some(t.ty.clone()) }
            }
        });
        Signature {
            attrs: k.attrs.clone(),
            vis: k.vis.clone(),
            name: k.name.clone(),
            params: params.collect(),
            output: k.tensors.iter().find(|t| t.mode == Mode::Result).map(|t| Some(t.ty.clone())),
        }
    }
}

/// What the grammar found.
pub(super) struct RawKernel {
    pub(super) header: Option<RawHeader>,
    pub(super) statement: Option<RawStatement>,
    /// The whole statement was read: what it doesn't mention is not used.
    pub(super) complete: bool,
    pub(super) schedules: Vec<RawSchedule>,
    /// Mistakes after the body: they are none of the statement's.
    pub(super) after: Diagnostics,
}

pub(super) struct RawHeader {
    pub(super) attrs: Vec<syn::Attribute>,
    pub(super) vis: syn::Visibility,
    pub(super) name: Ident,
    pub(super) params: Vec<RawParam>,
    pub(super) output: Option<RawType>,
}

pub(super) struct RawParam {
    pub(super) name: Ident,
    pub(super) ty: RawType,
}

/// A type as written.
pub(super) struct RawType {
    /// Without its reference; `None` if it is not a type, which has been reported.
    pub(super) ty: Option<syn::Type>,
    pub(super) reference: Reference,
    pub(super) span: Span,
}

#[derive(Clone, Copy)]
pub(super) enum Reference {
    None,
    Shared(Span),
    Mut,
}

pub(super) struct RawStatement {
    /// `None` if it is not an access, which has been reported.
    pub(super) lhs: Option<RawAccess>,
    /// `None` if it is none that can stand there, which has been reported.
    pub(super) op: Option<AssignOp>,
    pub(super) op_span: Span,
    pub(super) rhs: RawExpr,
}

/// `A[i, j]`, or a bare name.
pub(super) struct RawAccess {
    pub(super) name: Ident,
    /// `None` for a bare name. An index that is not a variable (reported) is `None`.
    pub(super) indices: Option<Vec<Option<Ident>>>,
}

pub(super) enum RawExpr {
    Access(RawAccess),
    Literal(RawLiteral),
    Call {
        name: Ident,
        args: Vec<RawExpr>,
    },
    Unary {
        op: UnaryOp,
        span: Span,
        arg: Box<RawExpr>,
    },
    Binary {
        op: BinaryOp,
        span: Span,
        args: Box<(RawExpr, RawExpr)>,
    },
    /// Has been reported.
    Error,
}

impl RawExpr {
    /// Calls `f` on each access, left to right.
    pub(super) fn for_each_access<'a>(&'a self, f: &mut dyn FnMut(&'a RawAccess)) {
        match self {
            RawExpr::Access(a) => f(a),
            RawExpr::Call { args, .. } => args.iter().for_each(|a| a.for_each_access(f)),
            RawExpr::Unary { arg, .. } => arg.for_each_access(f),
            RawExpr::Binary { args, .. } => {
                args.0.for_each_access(f);
                args.1.for_each_access(f);
            }
            RawExpr::Literal(_) | RawExpr::Error => {}
        }
    }
}

pub(super) struct RawLiteral {
    pub(super) token: LiteralToken,
    /// A minus sign stands before it.
    pub(super) negative: bool,
    pub(super) span: Span,
}

pub(super) enum LiteralToken {
    Number(Literal),
    Bool(bool),
    Infinity,
}
