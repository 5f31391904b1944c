//! Sizes of grids: what the host can compute before the launch.

use super::super::Lowerer;
use crate::cin::val::AccessId;
use crate::format::Level;
use crate::llir::{Array, Expr, Space, build};

impl Lowerer<'_> {
    /// The size as an expression of parameters and of lengths of arrays; the last element of a whole `pos` array is the
    /// number of positions below. `None` if it depends on anything else.
    pub(in super::super) fn host_size(&self, size: &Expr) -> Option<Expr> {
        Some(match size {
            Expr::Index(n) => Expr::Index(*n),
            Expr::Len(buffer) => Expr::Len(*buffer),
            Expr::Var(v) => match self.definitions.get(v) {
                Some(e) => self.host_size(e)?,
                None if self.sizes.contains(v) => Expr::Var(*v),
                None => return None,
            },
            Expr::Load { buffer, index } => self.all_children(*buffer, index)?,
            Expr::IndexOp(op, a, b) => {
                let (a, b) = (self.host_size(a)?, self.host_size(b)?);
                Expr::IndexOp(*op, Box::new(a), Box::new(b))
            }
            _ => return None,
        })
    }

    /// The size as an expression of parameters and of loads from arguments, for a thread.
    pub(in super::super) fn device_size(&self, size: &Expr) -> Option<Expr> {
        Some(match size {
            Expr::Index(n) => Expr::Index(*n),
            Expr::Var(v) => match self.definitions.get(v) {
                Some(e) => self.device_size(e)?,
                None if self.sizes.contains(v) => Expr::Var(*v),
                None => return None,
            },
            Expr::Load { buffer, index } if self.buffers[buffer.index()].space == Space::Input => {
                Expr::Load { buffer: *buffer, index: Box::new(self.device_size(index)?) }
            }
            Expr::IndexOp(op, a, b) => {
                let (a, b) = (self.device_size(a)?, self.device_size(b)?);
                Expr::IndexOp(*op, Box::new(a), Box::new(b))
            }
            _ => return None,
        })
    }

    /// `pos[all parents]`
    fn all_children(&self, buffer: crate::llir::BufferId, index: &Expr) -> Option<Expr> {
        let b = &self.buffers[buffer.index()];
        let Array::Pos(tensor, level) = b.array else { return None };
        if b.space != Space::Input || self.host_size(index)? != self.all_positions(tensor, level)? {
            return None;
        }
        self.length(tensor, level)
    }

    /// The number of stored positions of the levels above `level` of an operand.
    fn all_positions(&self, tensor: crate::format::TensorId, level: usize) -> Option<Expr> {
        let a = self.accesses.iter().position(|a| a.tensor == tensor)?;
        let mut n = Expr::Index(1);
        for l in 0..level {
            n = match self.levels[a][l].level {
                Level::Dense => build::mul(n, self.levels[a][l].size.clone()),
                _ => self.length(tensor, l)?,
            };
        }
        self.host_size(&n)
    }

    fn length(&self, tensor: crate::format::TensorId, level: usize) -> Option<Expr> {
        let a = self.accesses.iter().position(|a| a.tensor == tensor)?;
        let crd = self.levels[AccessId(a as u32).index()][level].crd?;
        Some(Expr::Len(crd))
    }
}
