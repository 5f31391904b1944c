//! The types of expressions.

use super::code::{Place, Verifier};
use super::{Rule, VerifyError, broken, ensure};
use crate::llir::print::print_expr;
use crate::llir::{Buffer, Elem, Expr, Space, Ty};
use crate::scalar::DType;

fn element(t: DType) -> Ty {
    Ty::Scalar(t)
}

impl Verifier<'_> {
    pub(super) fn expect(&self, e: &Expr, ty: Ty, at: Place) -> Result<(), VerifyError> {
        let found = self.ty(e, at)?;
        ensure(found == ty, Rule::Types, at, || {
            format!("`{}` is {found:?}, not {ty:?}", print_expr(self.p, e))
        })
    }

    /// Checks an expression and gives its type.
    pub(super) fn ty(&self, e: &Expr, at: Place) -> Result<Ty, VerifyError> {
        match e {
            Expr::Index(_) => Ok(Ty::Index),
            Expr::Lit(v) => Ok(element(v.dtype())),
            Expr::Cond(_) => Ok(Ty::Cond),
            Expr::Var(v) => self.used(*v, at),
            Expr::Fits(_) => {
                let what = || "what fits in registers is asked in a launch, or on the host".to_owned();
                ensure(!self.launched && !self.host, Rule::Space, at, what)?;
                Ok(Ty::Cond)
            }
            Expr::Workers(work) => {
                let what = || "how many threads there are is asked in a launch, or for a size".to_owned();
                ensure(!self.launched && !self.host, Rule::Space, at, what)?;
                self.expect(work, Ty::Index, at)?;
                Ok(Ty::Index)
            }
            Expr::Load { buffer, index } => {
                let b = self.usable(*buffer, at)?;
                self.host_reads(b, at)?;
                self.expect(index, Ty::Index, at)?;
                Ok(b.elem.ty())
            }
            Expr::Len(buffer) => {
                let b = self.usable(*buffer, at)?;
                self.host_reads(b, at)?;
                let grows = matches!(b.space, Space::Growable | Space::Gathered) && !self.launched;
                let has_length = grows || self.host && b.space == Space::Input;
                ensure(has_length, Rule::Space, at, || format!("`{}` has no length", b.name))?;
                Ok(Ty::Index)
            }
            Expr::IndexOp(_, a, b) => {
                self.expect(a, Ty::Index, at)?;
                self.expect(b, Ty::Index, at)?;
                Ok(Ty::Index)
            }
            Expr::Cmp(_, a, b) => {
                self.expect(a, Ty::Index, at)?;
                self.expect(b, Ty::Index, at)?;
                Ok(Ty::Cond)
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.expect(a, Ty::Cond, at)?;
                self.expect(b, Ty::Cond, at)?;
                Ok(Ty::Cond)
            }
            Expr::Not(a) => {
                self.expect(a, Ty::Cond, at)?;
                Ok(Ty::Cond)
            }
            Expr::Binary(op, a, b) => {
                let t = self.scalar(a, at)?;
                self.expect(b, element(t), at)?;
                ensure(op.accepts(t), Rule::Types, at, || {
                    format!("`{}` is not defined on {t}", op.symbol())
                })?;
                Ok(element(t))
            }
            Expr::Unary(op, a) => {
                let t = self.scalar(a, at)?;
                ensure(op.accepts(t), Rule::Types, at, || {
                    format!("`{}` is not defined on {t}", op.symbol())
                })?;
                Ok(element(t))
            }
            Expr::FromIndex(t, a) => {
                self.expect(a, Ty::Index, at)?;
                Ok(element(*t))
            }
            Expr::Select(c, a, b) => {
                self.expect(c, Ty::Cond, at)?;
                let ty = self.ty(a, at)?;
                ensure(ty != Ty::Cond, Rule::Types, at, || "a selection is an index or a scalar".into())?;
                self.expect(b, ty, at)?;
                Ok(ty)
            }
            Expr::Search { buffer, lo, hi, key, .. } => {
                let b = self.usable(*buffer, at)?;
                self.host_reads(b, at)?;
                ensure(b.elem == Elem::Index, Rule::Space, at, || {
                    format!("`{}` does not hold indices: it cannot be searched", b.name)
                })?;
                for e in [lo, hi, key] {
                    self.expect(e, Ty::Index, at)?;
                }
                Ok(Ty::Index)
            }
        }
    }

    fn host_reads(&self, b: &Buffer, at: Place) -> Result<(), VerifyError> {
        ensure(!self.host || b.space == Space::Input, Rule::Host, at, || {
            format!("a size depends on `{}`, which is no input", b.name)
        })
    }

    fn scalar(&self, e: &Expr, at: Place) -> Result<DType, VerifyError> {
        match self.ty(e, at)? {
            Ty::Scalar(t) => Ok(t),
            found => {
                let e = print_expr(self.p, e);
                broken(Rule::Types, at(), format!("`{e}` is {found:?}, not a scalar"))
            }
        }
    }
}
