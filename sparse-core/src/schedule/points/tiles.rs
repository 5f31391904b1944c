//! Points with `shared = n`: n rows of each dense operand are a tile in shared memory.
//!
//! ```text
//! <x row, c col>, 1, shared = n     split(i, block, part, w·x) split(part, warp, one, x) split(j, tile, entry, n)
//!                                   split(k, ko, kt, 32·c) split(kt, lane, ki, c);
//!                                   block ko tile warp lane one entry ki; precompute(B[j, k], [entry, kt], …)
//! ```
//!
//! A warp has rows, and its lanes the columns. Without columns (SpMV) a thread has a row. All threads of the block load a
//! tile, neighbours what lies side by side.

use super::{Product, on_vectors, one};
use crate::cin::Access;
use crate::cin::grid::WARP;
use crate::cin::order::level_vars;
use crate::front::ast::{self, Kernel};
use crate::front::command::{Strategy, Unit};
use crate::front::point::AtomicParallelism;
use crate::schedule::plan::Plan;
use crate::schedule::{Checked, fail};
use proc_macro2::Span;

/// What a block can share on every GPU without asking; `driver` holds it against what the verifier of LLIR takes.
pub(crate) const SHARED_BYTES: u64 = 48 * 1024;

impl Product {
    /// The dense operands that are read by an entry's coordinate.
    fn operands(&self, kernel: &Kernel) -> Vec<ast::Access> {
        let mut found: Vec<ast::Access> = vec![];
        let Some(entry) = self.along.last() else { return found };
        kernel.assignment.rhs.for_each_access(&mut |a| {
            let dense = kernel.tensors[a.tensor.index()].spec.is_dense();
            let names = |v: &ast::IndexVar| kernel.vars[v.index()].name == *entry;
            if dense
                && a.indices.iter().any(names)
                && !found.iter().any(|b| (b.tensor, &b.indices) == (a.tensor, &a.indices))
            {
                found.push(a.clone());
            }
        });
        found
    }

    /// Is there something to make tiles of, and room for them?
    pub(super) fn shares(&self, kernel: &Kernel, point: &AtomicParallelism, span: Span) -> Checked {
        if self.pattern || !self.dense_rows || self.rows.is_empty() {
            return fail(
                "shared-rows",
                span,
                format!(
                    "the result's rows are no dense levels of `{}`, which threads would hold from tile to tile",
                    self.name
                ),
                "leave out `shared`",
            );
        }
        let operands = self.operands(kernel);
        let Some(entry) = self.along.last().filter(|_| !operands.is_empty()) else {
            return fail(
                "shared-operand",
                span,
                "no dense operand is read by the coordinates of stored entries: there is nothing to make tiles of",
                "leave out `shared`",
            );
        };
        let name = |v: &ast::IndexVar| &kernel.vars[v.index()].name;
        let mut elements = 0;
        for a in &operands {
            if let Some(v) =
                a.indices.iter().find(|v| name(v) != entry && Some(name(v)) != self.column.as_ref())
            {
                return fail(
                    "shared-operand",
                    span,
                    format!(
                        "`{}` is indexed by `{}` too, of which a tile would have all",
                        kernel.tensors[a.tensor.index()].name,
                        name(v)
                    ),
                    "write the commands of a schedule, `schedule cuda { … }`, or leave out `shared`",
                );
            }
            let columns = a.indices.iter().any(|v| Some(name(v)) == self.column.as_ref());
            let c = point.columns.n();
            elements += u64::from(point.shared) * if columns { u64::from(WARP * c) } else { 1 };
        }
        let bytes = elements * kernel.dtype.size() as u64;
        if bytes > SHARED_BYTES {
            return fail(
                "shared-size",
                span,
                format!(
                    "tiles of {} rows take {bytes} bytes: the shared memory of a block has {SHARED_BYTES}",
                    point.shared
                ),
                "write fewer rows or columns",
            );
        }
        Ok(())
    }

    /// Whole rows of which a block takes what meets a tile, tile by tile.
    pub(super) fn rows_on_tiles(
        &self,
        plan: &mut Plan<'_>,
        kernel: &Kernel,
        point: &AtomicParallelism,
        x: u32,
    ) {
        let Some((entry, above)) = self.along.split_last() else { return };
        let c = point.columns.n();
        self.by_rows(plan);
        let row = plan.fuse(&self.rows, "row");
        let lanes = if self.column.is_some() { point.threads / WARP } else { point.threads };
        let (block, part) = plan.split(&row, "block", "part", lanes * x);
        let (unit, rows) = match x {
            1 => (part, vec![]),
            x => {
                let (unit, one) = plan.split(&part, "unit", "one", x);
                (unit, vec![one])
            }
        };
        // Of the column: the tiles of it, one, and what a lane has of that.
        let columns = self.column.as_ref().map(|k| {
            let (ko, kt) = plan.split(k, &format!("{k}o"), &format!("{k}t"), WARP * c);
            let (lane, ki) = match c {
                1 => (kt.clone(), vec![]),
                c => {
                    let (lane, ki) = plan.split(&kt, "lane", &format!("{k}i"), c);
                    (lane, vec![ki])
                }
            };
            (ko, kt, lane, ki)
        });
        let (tile, at) = plan.split(entry, "tile", "entry", point.shared);
        let (blocks, lane, ki) = match &columns {
            Some((ko, _, lane, ki)) => (one(ko), one(lane), &ki[..]),
            None => (&[][..], &[][..], &[][..]),
        };
        plan.reorder(&[
            one(&block),
            blocks,
            one(&tile),
            one(&unit),
            lane,
            &rows,
            &self.kept,
            above,
            one(&at),
            &self.summed,
            ki,
        ]);
        let kt = columns.as_ref().map(|(_, kt, ..)| kt);
        let mut loads = vec![];
        for (n, a) in self.operands(kernel).iter().enumerate() {
            loads.push(self.load(plan, kernel, point, (n, a), (&at, kt)));
        }
        plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
        blocks.iter().for_each(|b| plan.parallelize(b, Unit::GpuBlock, Strategy::NoRaces));
        let rows_on = if self.column.is_some() { Unit::GpuWarp } else { Unit::GpuThread };
        plan.parallelize(&unit, rows_on, Strategy::NoRaces);
        lane.iter().for_each(|l| plan.parallelize(l, Unit::GpuThread, Strategy::NoRaces));
        on_vectors(plan, point, ki);
        for Load { warp, lane, vector } in &loads {
            warp.iter().for_each(|w| plan.parallelize(w, Unit::GpuWarp, Strategy::NoRaces));
            plan.parallelize(lane, Unit::GpuThread, Strategy::NoRaces);
            on_vectors(plan, point, vector);
        }
    }

    /// A tile of an operand, and the loops that fill it: neighbouring threads load what is stored side by side.
    fn load(
        &self,
        plan: &mut Plan<'_>,
        kernel: &Kernel,
        point: &AtomicParallelism,
        (n, a): (usize, &ast::Access),
        (entry, columns): (&String, Option<&String>),
    ) -> Load {
        let c = point.columns.n();
        let tensor = &kernel.tensors[a.tensor.index()];
        let access = Access { tensor: a.tensor, indices: a.indices.clone() };
        let is_column = |v: &ast::IndexVar| self.column.as_ref() == Some(&kernel.vars[v.index()].name);
        let of = |v: &ast::IndexVar| match columns {
            Some(kt) if is_column(v) => kt.clone(),
            _ => entry.clone(),
        };
        // In the order of its levels, the last of which lies side by side.
        let levels = level_vars(&tensor.spec, &access);
        let vars: Vec<String> = levels.iter().map(of).collect();
        let names: Vec<String> = (0..vars.len()).map(|d| plan.name(&format!("from{n}_{d}"))).collect();
        plan.precompute(a, &vars, &names, &format!("{}_tile", tensor.name));
        plan.reorder(&[&names]);
        let mut names = names;
        let mut vector = vec![];
        if point.vector
            && c > 1
            && levels.last().is_some_and(is_column)
            && let Some(last) = names.last_mut()
        {
            let (some, of_one) = plan.split(last, &format!("some{n}"), &format!("vector{n}"), c);
            *last = some;
            vector.push(of_one);
        }
        let all = plan.fuse(&names, &format!("all{n}"));
        let (_, part) = plan.split(&all, &format!("step{n}"), &format!("part{n}"), point.threads);
        match self.column {
            Some(_) => {
                let (warp, lane) = plan.split(&part, &format!("warp{n}"), &format!("load{n}"), WARP);
                Load { warp: Some(warp), lane, vector }
            }
            None => Load { warp: None, lane: part, vector },
        }
    }
}

/// The loops that load a tile.
struct Load {
    warp: Option<String>,
    lane: String,
    vector: Vec<String>,
}
