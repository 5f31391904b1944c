//! The finished program: what the launcher checks and passes.

use super::Lowerer;
use crate::cin::Access;
use crate::cin::nested::Nested;
use crate::cin::order::level_vars;
use crate::cin::provenance::Relation;
use crate::cin::result::ResultKind;
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel, Mode};
use crate::llir::{Extent, Fused, Param, Program, Promise, Role, Step, Tensor};

impl Lowerer<'_> {
    /// What the launcher passes: the size of each index variable's dimension, then the scalars.
    pub(super) fn params(&self) -> Vec<Param> {
        let k = self.kernel;
        let mut params: Vec<Param> = Vec::new();
        for v in 0..k.vars.len() as u32 {
            let (tensor, dim) = sources(k, IndexVar(v))[0];
            let var = self.sizes[v as usize];
            let level = k.tensors[tensor.index()].spec.map.level_of_dim(dim);
            params.push(Param::Dim { var, tensor, level });
        }
        params.extend(self.scalars.iter().enumerate().map(|(index, &var)| Param::Scalar { var, index }));
        params
    }

    /// What the schedule promises about the dimension of an index variable, by bounds on it and on itself bounded.
    pub(super) fn promises(&self, v: IndexVar) -> Vec<Promise> {
        let mut promises = Vec::new();
        for r in self.provenance.relations() {
            let Relation::Bound { child, size, exact, .. } = *r else { continue };
            match self.provenance.parts_of(child) {
                Some((root, 1)) if root == v => {
                    promises.push(if exact { Promise::Exact(size) } else { Promise::Multiple(size) });
                }
                // That a known number of parts is a multiple has been checked.
                Some((root, part)) if root == v && exact => {
                    promises.push(Promise::Parts { size: part, count: size })
                }
                _ => {}
            }
        }
        promises
    }

    /// Loops over the coordinates of three dimensions and more, entries in place of some. Of two, each fewer than 2³¹, the number
    /// is an index.
    fn fused_coordinates(&self) -> Vec<Fused> {
        let relations = self.provenance.relations().iter();
        let counts = |v: IndexVar| self.provenance.comes_from_positions(v);
        // Whose positions are taken has no loop of its own.
        let looped = |v: &IndexVar| counts(*v) || !self.provenance.leaves(*v).iter().any(|l| counts(*l));
        let fused = relations.filter_map(|r| match *r {
            Relation::Fuse { fused, .. } => Some(fused).filter(looped),
            _ => None,
        });
        let all = fused.map(|v| self.iterations(v));
        all.filter(|fused| fused.of.len() + fused.entries.len() > 2).collect()
    }

    /// What a fused variable counts.
    fn iterations(&self, v: IndexVar) -> Fused {
        let mut fused = Fused { index: self.name(v), of: vec![], entries: vec![] };
        let (mut work, mut seen) = (vec![v], vec![]);
        while let Some(v) = work.pop() {
            if seen.contains(&v) {
                continue;
            }
            seen.push(v);
            let all = match self.provenance.made_by(v) {
                Some(Relation::Pos { coord, access, .. }) => match self.listed(*coord, access) {
                    Some(entries) => {
                        fused.entries.push(entries);
                        vec![]
                    }
                    None => self.provenance.roots(v),
                },
                // Coordinates, whatever positions they begin with.
                Some(Relation::Coord { .. }) => self.provenance.roots(v),
                Some(r) => r.parents().to_vec(),
                None => {
                    fused.of.push(sources(self.kernel, self.provenance.original(v))[0]);
                    vec![]
                }
            };
            work.extend(all.into_iter().rev());
        }
        fused
    }

    /// The level of an operand whose positions are counted, if it lists coordinates.
    fn listed(&self, coord: IndexVar, access: &Access) -> Option<(TensorId, usize)> {
        let roots: Vec<IndexVar> =
            self.provenance.roots(coord).into_iter().map(|r| self.provenance.original(r)).collect();
        let spec = &self.kernel.tensors[access.tensor.index()].spec;
        let level =
            level_vars(spec, access).iter().rposition(|v| roots.contains(&self.provenance.original(*v)))?;
        (!spec.levels[level].is_full()).then_some((access.tensor, level))
    }

    pub(super) fn finish(self, steps: Vec<Step>, nested: &Nested, kind: &ResultKind) -> Program {
        let k = self.kernel;
        let out_dims = nested.lhs.indices.iter().map(|&v| sources(k, v)[0]).collect::<Vec<_>>();
        // The launcher packs what the host has assembled; launches have done it.
        let (here, later) = (self.gpu.is_some(), self.gpu.is_none());
        let tensors = k.tensors.iter().map(|t| Tensor {
            name: t.name.to_string(),
            spec: t.packed.as_ref().filter(|_| here).unwrap_or(&t.spec).clone(),
            packed: t.packed.clone().filter(|_| later),
            dtype: t.dtype,
            role: match (t.mode, kind) {
                (Mode::Input, _) => Role::Input,
                (Mode::InOut, _) => Role::InOut,
                (Mode::Result, ResultKind::Like { of, levels }) => Role::ResultLike(of.tensor, *levels),
                (Mode::Result, _) => Role::Result,
            },
            dims_from: if t.mode == Mode::Result { out_dims.clone() } else { vec![] },
        });
        let extents = (0..k.vars.len() as u32)
            .map(|v| Extent {
                index: k.vars[v as usize].name.clone(),
                sources: sources(k, IndexVar(v)),
                promises: self.promises(IndexVar(v)),
            })
            .collect();
        let fused = self.fused_coordinates();
        let params = self.params();
        Program {
            name: k.name.to_string(),
            source: k.source.clone(),
            tensors: tensors.collect(),
            extents,
            fused,
            params,
            vars: self.vars,
            buffers: self.buffers,
            // A GPU's are tables in its memory.
            workspaces: if self.gpu.is_some() { vec![] } else { self.spas },
            steps,
            ignored_races: vec![],
        }
    }
}

/// Every (tensor, dimension) of the arguments that an index variable indexes.
pub(super) fn sources(kernel: &Kernel, v: IndexVar) -> Vec<(TensorId, usize)> {
    let mut found = Vec::new();
    let mut add = |tensor: TensorId, indices: &[IndexVar]| {
        for (dim, _) in indices.iter().enumerate().filter(|&(_, w)| *w == v) {
            if !found.contains(&(tensor, dim)) {
                found.push((tensor, dim));
            }
        }
    };
    kernel.assignment.rhs.for_each_access(&mut |a| add(a.tensor, &a.indices));
    let lhs = &kernel.assignment.lhs;
    if kernel.tensors[lhs.tensor.index()].mode == Mode::InOut {
        add(lhs.tensor, &lhs.indices);
    }
    found
}
