//! The rules of the language.

use super::ast::{AssignOp, IndexVar, Kernel, Mode};
use super::scope::{DeclaredScalar, DeclaredTensor};
use super::syntax::{RawAccess, RawExpr, RawHeader, RawStatement};
use super::types::{Declarations, Kind};
use crate::diag::{Diagnostic, Diagnostics};
use crate::format::Fill;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp};
use proc_macro2::{Ident, Span};

/// Every tensor and scalar has one element type, the first one's. `None` if they don't, or there is none.
pub(super) fn one_dtype(
    header: &RawHeader,
    declared: &Declarations,
    diagnostics: &mut Diagnostics,
) -> Option<DType> {
    let names = header.params.iter().map(|p| Some(&p.name)).chain([None]);
    let all =
        declared.params.iter().chain(&declared.output).zip(names).filter_map(|(d, name)| match d.kind {
            Kind::Tensor(_, t) => Some((t, d.dtype_span, true, name)),
            Kind::Scalar(t) => Some((t, d.dtype_span, false, name)),
            Kind::Unknown => None,
        });
    let all: Vec<_> = all.collect();
    // A tensor decides, if there is one.
    let &(first, _, _, owner) = all.iter().find(|(_, _, tensor, _)| *tensor).or(all.first())?;
    let of = |name: Option<&Ident>| name.map_or("the result".to_owned(), |n| format!("`{n}`"));
    let mut mixed = false;
    for (t, span, tensor, name) in all.iter().copied().filter(|(t, ..)| *t != first) {
        mixed = true;
        let help = match name {
            Some(name) if tensor => {
                format!("write `{first}` here, and convert before the call: `{name}.cast::<{first}>()`")
            }
            _ => format!("write `{first}` here"),
        };
        diagnostics.push(
            Diagnostic::new(
                "mixed-elements",
                span,
                format!(
                    "{} has elements `{t}`, but {} has `{first}`: a kernel has one element type",
                    of(name),
                    of(owner)
                ),
            )
            .help(help),
        );
    }
    (!mixed).then_some(first)
}

/// Each variable once on the left.
pub(super) fn left_repeats(lhs: &RawAccess, diagnostics: &mut Diagnostics) {
    let indices: Vec<_> = lhs.indices.iter().flatten().flatten().collect();
    for (n, v) in indices.iter().enumerate() {
        if indices[..n].contains(v) {
            diagnostics.push(
                Diagnostic::new(
                    "repeated-left-variable",
                    v.span(),
                    format!(
                        "`{v}` stands twice on the left: writing a diagonal is not supported in this version"
                    ),
                )
                .help("compute the diagonal as a vector, and place it with `from_triplets`"),
            );
        }
    }
}

/// Is the operator defined on the element type? Reported if not.
pub(super) fn unary(op: UnaryOp, t: DType, span: Span, diagnostics: &mut Diagnostics) -> bool {
    if op.accepts(t) {
        return true;
    }
    let help = match op {
        UnaryOp::Neg if t == DType::Bool => "write `!` for the opposite".to_owned(),
        UnaryOp::Neg => format!("`{t}` has no negative values: convert the tensors, `.cast::<i32>()`"),
        UnaryOp::Not => "compare instead: `A[i, j] == 0`".to_owned(),
        UnaryOp::Abs => "leave it out".to_owned(),
        _ => format!("`{}` is for floats: convert the tensors, `.cast::<f64>()`", op.symbol()),
    };
    let message = format!("`{}` is not defined on `{t}`", op.symbol());
    diagnostics.push(Diagnostic::new("undefined-operator", span, message).help(help));
    false
}

/// Is the operator defined on the element type? Reported if not.
pub(super) fn binary(op: BinaryOp, t: DType, span: Span, diagnostics: &mut Diagnostics) -> bool {
    if op.accepts(t) {
        return true;
    }
    let help = match op {
        BinaryOp::Add => "write `|`",
        BinaryOp::Mul => "write `&`",
        BinaryOp::Sub => "write `^` for the difference, or `a & !b`",
        BinaryOp::Div => "there is no quotient of truth values: convert the tensors, `.cast::<f32>()`",
        BinaryOp::And => "it is for integers and `bool`: for truth values as 0 and 1 write `*` or `min`",
        BinaryOp::Or => "it is for integers and `bool`: for truth values as 0 and 1 write `max`",
        _ => "it is for integers and `bool`: for a power write a product, for truth values as 0 and 1 `!=`",
    };
    let message = format!("`{}` is not defined on `{t}`", op.symbol());
    diagnostics.push(Diagnostic::new("undefined-operator", span, message).help(help));
    false
}

/// Is the reduction that is written defined on the element type?
pub(super) fn reduction(statement: &RawStatement, t: DType, diagnostics: &mut Diagnostics) {
    if let Some(AssignOp::Reduce(m)) = statement.op
        && !m.accepts(t)
    {
        let help = match m {
            Monoid::Add => "write `|=`",
            Monoid::Mul => "write `&=`",
            Monoid::And => "write `min=` or `*=`",
            _ => "write `max=` or `+=`",
        };
        let message = format!("the reduction `{}=` is not defined on `{t}`", m.symbol());
        diagnostics.push(Diagnostic::new("undefined-reduction", statement.op_span, message).help(help));
    }
}

/// Every parameter is used.
pub(super) fn unused(tensors: &[DeclaredTensor], scalars: &[DeclaredScalar], diagnostics: &mut Diagnostics) {
    let tensors = tensors.iter().filter(|t| !t.used).map(|t| &t.name);
    let scalars = scalars.iter().filter(|s| !s.used).map(|s| &s.name);
    for name in tensors.chain(scalars) {
        diagnostics.push(
            Diagnostic::new("unused-parameter", name.span(), format!("the parameter `{name}` is not used"))
                .help("remove it"),
        );
    }
}

/// Rules on a kernel whose every name has a meaning.
pub(super) fn kernel(kernel: &Kernel, statement: &RawStatement, diagnostics: &mut Diagnostics) {
    // What is summed, and into what, is the operator's to say.
    if statement.op.is_none() {
        return;
    }
    let mut summed = Vec::new();
    kernel.assignment.rhs.for_each_access(&mut |a| {
        summed.extend(a.indices.iter().copied().filter(|v| !kernel.assignment.lhs.indices.contains(v)));
    });
    implied_sum(kernel, &summed, statement.op_span, diagnostics);
    fill(kernel, &summed, diagnostics);
}

/// The size of each dimension of a result is an operand's, whatever else is wrong with them.
pub(super) fn bounds(lhs: &RawAccess, rhs: &RawExpr, result: &Ident, diagnostics: &mut Diagnostics) {
    let mut bounded: Vec<&Ident> = Vec::new();
    rhs.for_each_access(&mut |a| {
        bounded.extend(a.indices.iter().flatten().flatten());
        // In `A(i, j)` it is a name, of which something else has been said.
        bounded.push(&a.name);
    });
    let written: Vec<_> = lhs.indices.iter().flatten().flatten().collect();
    for (n, ident) in written.iter().enumerate() {
        if !bounded.contains(ident) && !written[..n].contains(ident) {
            diagnostics.push(
                Diagnostic::new(
                    "unbound-variable",
                    ident.span(),
                    format!("nothing on the right says how far `{ident}` goes"),
                )
                .help(format!(
                    "use `{ident}` on the right too; or write in place, into a parameter `{result}: &mut …` that has its sizes"
                )),
            );
        }
    }
}

/// `=` sums over variables that are not on the left, and `bool` has no sum.
fn implied_sum(kernel: &Kernel, summed: &[IndexVar], span: Span, diagnostics: &mut Diagnostics) {
    if kernel.assignment.op == AssignOp::Assign
        && !Monoid::Add.accepts(kernel.dtype)
        && let Some(v) = summed.first()
    {
        let name = &kernel.vars[v.index()].name;
        diagnostics.push(
            Diagnostic::new(
                "undefined-reduction",
                span,
                format!(
                    "`{name}` is not on the left, so `=` sums over it, and `{}` has no sum",
                    kernel.dtype
                ),
            )
            .help("write the reduction: `|=` (any), or `&=` (all)"),
        );
    }
}

/// What a reduction never reaches holds its identity; in a sparse result that is what is not stored.
fn fill(kernel: &Kernel, summed: &[IndexVar], diagnostics: &mut Diagnostics) {
    let a = &kernel.assignment;
    let out = &kernel.tensors[a.lhs.tensor.index()];
    if out.mode != Mode::Result || out.spec.is_dense() {
        return;
    }
    let monoid = match a.op {
        AssignOp::Reduce(m) => m,
        // The sums of an additive right side end inside it: what they are added to can be any fill.
        AssignOp::Assign if summed.is_empty() || a.rhs.is_additive() => return,
        AssignOp::Assign => Monoid::Add,
    };
    let Some(identity) = monoid.identity(kernel.dtype) else { return };
    if out.spec.fill.value(kernel.dtype) == identity {
        return;
    }
    let fills = [Fill::Zero, Fill::One, Fill::PosInf, Fill::NegInf];
    let help = match fills.into_iter().find(|f| f.value(kernel.dtype) == identity) {
        Some(fill) => {
            let spec = out.spec.clone().filled(fill);
            format!("return `{}`", super::type_name(&spec, kernel.dtype))
        }
        None => "return a tensor whose levels are all dense".to_owned(),
    };
    diagnostics.push(
        Diagnostic::new(
            "fill-not-identity",
            a.lhs.span,
            format!(
                "where there is nothing to reduce, `{}` holds {identity}, the identity of `{}`; what its format does not store is {}",
                out.name,
                monoid.symbol(),
                out.spec.fill.value(kernel.dtype)
            ),
        )
        .help(help),
    );
}
