//! What a loop's kind promises of its body.

use super::code::{Place, Verifier, monoid};
use super::{Rule, VerifyError, ensure};
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{Block, BufferId, Collective, Expr, IndexOp, LoopKind, Space, Stmt, VarId};
use crate::scalar::Monoid;

impl Verifier<'_> {
    /// A loop of this kind from the first bound to the second.
    pub(super) fn kind(
        &self,
        kind: LoopKind,
        [lo, hi]: [&Expr; 2],
        body: &Block,
        at: Place,
    ) -> Result<(), VerifyError> {
        match kind {
            LoopKind::Serial => Ok(()),
            LoopKind::Unroll(copies) => {
                ensure(copies >= 1, Rule::Loops, at, || "it has no copy of its body".into())
            }
            LoopKind::Lanes => {
                ensure(constant_trips(lo, hi), Rule::Loops, at, || "its trip count is not constant".into())
            }
            LoopKind::Reduce { var, op } => {
                monoid(op, self.mutable(var, at)?, at)?;
                reduction_contract(var, op, body, at)
            }
            LoopKind::ReduceArray { buffer, op } => {
                let b = self.usable(buffer, at)?;
                let register = matches!(b.space, Space::Register { .. });
                ensure(register, Rule::Loops, at, || format!("`{}` is not a register array", b.name))?;
                monoid(op, b.elem.ty(), at)?;
                array_contract(buffer, op, body, at)
            }
        }
    }
}

/// Is `hi - lo` the same number whatever the variables are?
fn constant_trips(lo: &Expr, hi: &Expr) -> bool {
    base(lo) == base(hi)
}

/// What a constant is added to; `None` of a constant alone.
fn base(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Index(_) => None,
        Expr::IndexOp(IndexOp::Add, a, b) => match (&**a, &**b) {
            (e, Expr::Index(_)) | (Expr::Index(_), e) => base(e),
            _ => Some(e),
        },
        e => Some(e),
    }
}

fn reduction_contract(var: VarId, op: Monoid, body: &Block, at: Place) -> Result<(), VerifyError> {
    let updates = body
        .iter()
        .filter(|s| matches!(s, Stmt::Update { var: v, op: o, .. } if *v == var && *o == op))
        .count();
    let mut touched = 0;
    visit_stmts(body, &mut |s| {
        if let Stmt::Update { var: v, .. } | Stmt::Assign { var: v, .. } = s {
            touched += usize::from(*v == var);
        }
        if let Stmt::For { kind: LoopKind::Reduce { var: v, .. }, .. } = s {
            touched += usize::from(*v == var);
        }
        s.for_each_expr(&mut |e| touched += usize::from(e.mentions(var)));
    });
    ensure(updates == 1 && touched == 1, Rule::Loops, at, || {
        "its body does not update the reduced variable exactly once, or touches it otherwise".into()
    })
}

/// A reduction into a register array updates it in one loop over lanes, and does not touch it otherwise.
fn array_contract(buffer: BufferId, op: Monoid, body: &[Stmt], at: Place) -> Result<(), VerifyError> {
    let is_update = |s: &Stmt| matches!(s, Stmt::Reduce { buffer: b, op: o, .. } if *b == buffer && *o == op);
    let updates = body.iter().filter(|s| match s {
        Stmt::For { kind: LoopKind::Lanes, body, .. } => body.iter().any(is_update),
        _ => false,
    });
    ensure(updates.count() == 1, Rule::Loops, at, || {
        "it does not update its array in one loop over lanes".into()
    })?;
    let mut touched = 0;
    visit_stmts(body, &mut |s| {
        touched += match s {
            Stmt::Store { buffer: b, .. }
            | Stmt::Reduce { buffer: b, .. }
            | Stmt::Collective(Collective::Scatter { buffer: b, .. })
            | Stmt::Local { buffer: b, .. } => usize::from(*b == buffer),
            _ => 0,
        };
    });
    visit_exprs(body, &mut |e| {
        touched += usize::from(matches!(e, Expr::Load { buffer: b, .. } if *b == buffer))
    });
    ensure(touched == 1, Rule::Loops, at, || "it uses its array besides updating it".into())
}
