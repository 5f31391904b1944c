//! Sizes of arrays and grids, evaluated on the host.

use sparse_core::error::{Error, Result};
use sparse_core::llir::{BufferId, Cmp, Expr, IndexOp, MOST, VarId, marks_below, place_of};

/// What sizes depend on.
pub(super) trait Sizes {
    /// A parameter's value.
    fn var(&self, var: VarId) -> Option<u64>;
    /// An input array's length.
    fn len(&self, buffer: BufferId) -> Option<u64>;
    /// An element of an input array.
    fn load(&self, buffer: BufferId, at: u64) -> Result<Option<u64>>;
    /// The kernel's name.
    fn kernel(&self) -> &str;
}

/// The value of a size. Sums and products saturate, so that what is too large for the machine is refused where it is
/// used.
pub(super) fn size(e: &Expr, of: &impl Sizes) -> Result<u64> {
    let internal = |what: &str| Error::Internal { kernel: of.kernel().into(), what: what.into() };
    let known =
        |value: Option<u64>| value.ok_or_else(|| internal("a size depends on what the host does not know"));
    match e {
        Expr::Index(n) => Ok(*n),
        Expr::Var(var) => known(of.var(*var)),
        Expr::Len(buffer) => known(of.len(*buffer)),
        Expr::Load { buffer, index } => known(of.load(*buffer, size(index, of)?)?),
        Expr::IndexOp(op, a, b) => {
            let (a, b) = (size(a, of)?, size(b, of)?);
            match op {
                IndexOp::Add => Ok(a.saturating_add(b)),
                IndexOp::Mul => Ok(a.saturating_mul(b)),
                IndexOp::Sub => a.checked_sub(b).ok_or_else(|| internal("a size is negative")),
                IndexOp::Div => a.checked_div(b).ok_or_else(|| internal("a size is divided by zero")),
                IndexOp::Rem => a.checked_rem(b).ok_or_else(|| internal("a size is divided by zero")),
                IndexOp::Min => Ok(a.min(b)),
                IndexOp::Max => Ok(a.max(b)),
                IndexOp::Count => Ok(a.saturating_add(b).min(MOST)),
                IndexOp::Xor => Ok(a ^ b),
                IndexOp::And => Ok(a & b),
                IndexOp::Place => Ok(place_of(a, b)),
                IndexOp::Below => Ok(marks_below(a, b)),
            }
        }
        Expr::Select(cond, a, b) => size(if holds(cond, of)? { a } else { b }, of),
        _ => Err(internal("a size is no arithmetic of indices")),
    }
}

fn holds(e: &Expr, of: &impl Sizes) -> Result<bool> {
    match e {
        Expr::Cond(b) => Ok(*b),
        Expr::Cmp(op, a, b) => {
            let (a, b) = (size(a, of)?, size(b, of)?);
            Ok(match op {
                Cmp::Eq => a == b,
                Cmp::Ne => a != b,
                Cmp::Lt => a < b,
                Cmp::Le => a <= b,
            })
        }
        Expr::And(a, b) => Ok(holds(a, of)? && holds(b, of)?),
        Expr::Or(a, b) => Ok(holds(a, of)? || holds(b, of)?),
        Expr::Not(a) => Ok(!holds(a, of)?),
        _ => {
            let what = "a size depends on a condition of elements".into();
            Err(Error::Internal { kernel: of.kernel().into(), what })
        }
    }
}
