//! What looplets bind on the way down an operand's levels.

use super::Lowerer;
use crate::cin::val::AccessId;
use crate::front::ast::IndexVar;
use crate::llir::{Block, Expr};
use crate::looplet::Bind;

/// Binds looplet values to variables named after the level they belong to.
pub(super) struct Binder<'l, 'k> {
    lowerer: &'l mut Lowerer<'k>,
    block: &'l mut Block,
    tensor: String,
    level: usize,
    index: String,
}

impl<'l, 'k> Binder<'l, 'k> {
    pub(super) fn new(
        lowerer: &'l mut Lowerer<'k>,
        block: &'l mut Block,
        a: AccessId,
        level: usize,
        v: IndexVar,
    ) -> Self {
        let tensor = lowerer.tensor_name(a);
        let index = lowerer.name(v);
        Binder { lowerer, block, tensor, level: level + 1, index }
    }
}

impl Bind for Binder<'_, '_> {
    fn bind(&mut self, hint: &str, value: Expr) -> Expr {
        let (t, l) = (&self.tensor, self.level);
        let name = match hint {
            "p" => format!("p{t}{l}"),
            "after" => format!("p{t}{l}_after"),
            "at" => format!("{}{t}", self.index),
            "begin" => format!("p{t}{l}_begin"),
            _ => format!("p{t}{l}_end"),
        };
        self.lowerer.bind(&name, value, self.block)
    }
}
