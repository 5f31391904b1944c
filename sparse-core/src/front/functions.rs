//! The functions of an expression, and what to write instead of those that there are not.

use crate::scalar::{BinaryOp, UnaryOp};

/// A function that is called by its name.
pub(super) enum Function {
    Unary(UnaryOp),
    Binary(BinaryOp),
}

pub(super) fn function(name: &str) -> Option<Function> {
    match name {
        "min" => return Some(Function::Binary(BinaryOp::Min)),
        "max" => return Some(Function::Binary(BinaryOp::Max)),
        _ => {}
    }
    let named = |op: &UnaryOp| !matches!(op, UnaryOp::Neg | UnaryOp::Not) && op.symbol() == name;
    UnaryOp::ALL.into_iter().find(named).map(Function::Unary)
}

/// What to write instead of a function that there is not.
pub(super) fn instead_of(name: &str) -> &'static str {
    match name {
        "log" => "write `ln`, the natural logarithm",
        "pow" | "powi" | "powf" => "write a product, or `exp(y * ln(x))`",
        "sqr" | "square" => "write a product: `A[i, j] * A[i, j]`",
        "recip" => "write a quotient: `1 / A[i, j]`",
        "relu" => "write `max(x, 0)`",
        "clamp" => "write `min(max(x, low), high)`",
        "sigmoid" => "write `1 / (1 + exp(-x))`",
        "sum" => "leave it out: a variable that is not on the left is summed over",
        _ => "functions are `min max abs sqrt exp ln sin cos tanh floor ceil`",
    }
}

#[cfg(test)]
mod tests {
    use super::{function, instead_of};
    use crate::scalar::UnaryOp;

    #[test]
    fn the_help_names_every_function() {
        let listed: Vec<&str> = instead_of("").split('`').nth(1).unwrap_or_default().split(' ').collect();
        assert!(listed.iter().all(|name| function(name).is_some()), "{listed:?}");
        let called = UnaryOp::ALL.into_iter().map(UnaryOp::symbol).filter(|name| function(name).is_some());
        assert!(called.clone().all(|name| listed.contains(&name)), "{listed:?}");
        assert_eq!(listed.len(), called.count() + 2);
    }
}
