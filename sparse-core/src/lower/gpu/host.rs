//! Sizes of grids and arrays: what the host can compute before the launch. What several steps need has a name.

use super::super::Lowerer;
use super::points::Known;
use crate::format::Level;
use crate::llir::{Array, Expr, Space, Step, Ty, VarId, build};

/// What the host learns or computes once.
#[derive(Default)]
pub(in super::super) struct HostSizes {
    /// How long fibers of arguments are, which bounds ask for.
    pub(super) fibers: Vec<Known>,
    /// Sizes that several steps may need, in the order in which they were named.
    named: Vec<(VarId, Expr)>,
}

impl Lowerer<'_> {
    /// A size of the host by a name, if it is more than one.
    pub(in super::super) fn named_size(&mut self, name: &str, value: Expr) -> Expr {
        if let Expr::Index(_) | Expr::Var(_) | Expr::Len(_) = value {
            return value;
        }
        let known = self.sizes_on_host.named.iter().find(|(_, known)| *known == value).map(|(var, _)| *var);
        let var = known.unwrap_or_else(|| {
            let var = self.fresh(name, Ty::Index);
            self.sizes_on_host.named.push((var, value));
            var
        });
        var.into()
    }

    fn is_named_size(&self, var: &VarId) -> bool {
        self.sizes_on_host.named.iter().any(|(named, _)| named == var)
    }

    /// The steps, with what declares the sizes that they name before the first one that does. What one step alone names stands
    /// there.
    pub(in super::super) fn with_sizes(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        let mut declared: Vec<Step> = Vec::new();
        // A size is made of those that were named before it.
        for (var, value) in std::mem::take(&mut self.sizes_on_host.named).into_iter().rev() {
            let mut uses = 0;
            for size in declared.iter().chain(&steps).flat_map(Step::sizes) {
                size.visit(&mut |e| uses += usize::from(e.is_var(var)));
            }
            match uses {
                0 => {}
                1 => {
                    let sizes = declared.iter_mut().chain(&mut steps).flat_map(Step::sizes_mut);
                    sizes.for_each(|size| size.substitute(var, &value));
                }
                _ => declared.push(Step::Let { var, value }),
            }
        }
        for size in declared.into_iter() {
            let uses =
                |step: &Step| step.sizes().iter().any(|e| size.declared().is_some_and(|v| e.mentions(v)));
            let first = steps.iter().position(uses).unwrap_or(steps.len());
            steps.insert(first, size);
        }
        steps
    }

    /// The size as an expression of parameters and of lengths of arrays; the last element of a whole `pos` array is the
    /// number of positions below. `None` if it depends on anything else.
    pub(in super::super) fn host_size(&self, size: &Expr) -> Option<Expr> {
        Some(match size {
            Expr::Index(n) => Expr::Index(*n),
            Expr::Len(buffer) => Expr::Len(*buffer),
            Expr::Var(v) => match self.definitions.get(v) {
                Some(e) => self.host_size(e)?,
                None if self.sizes.contains(v) || self.is_named_size(v) => Expr::Var(*v),
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
        let level = &self.levels[a][level];
        level.crd.filter(|_| level.lists_coordinates()).map(Expr::Len)
    }
}
