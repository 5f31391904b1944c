//! Back ends. Each is total over verified programs: it decides nothing and can't fail.

pub mod cuda;
pub mod rust;
pub mod signature;

use crate::llir::Expr;
use crate::scalar::{BinaryOp, UnaryOp};

/// What adds a negated operand subtracts it, which is the same number of every type.
fn subtracted(op: BinaryOp, right: &Expr) -> (BinaryOp, &Expr) {
    match (op, right) {
        (BinaryOp::Add, Expr::Unary(UnaryOp::Neg, right)) => (BinaryOp::Sub, right),
        _ => (op, right),
    }
}
