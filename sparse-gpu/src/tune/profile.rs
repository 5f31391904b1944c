//! What a kernel's inputs look like to a schedule: the sparse operand's parts, and how much is done for an entry.

use super::arguments::Arguments;
use super::error::Result;
use super::tunable::Parsed;
use super::walk::Walk;
use crate::launch::Backend;
use sparse_core::cin::Access;
use sparse_core::cin::order::level_vars;
use sparse_core::format::Level;
use sparse_core::front::ast::{AssignOp, IndexVar, Kernel};
use sparse_core::scalar::Monoid;
use sparse_core::schedule::Operand;
use sparse_core::tensor::Lengths;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The most parts whose lengths are looked at: evenly spaced runs of them.
const SAMPLE: usize = 1 << 16;
/// Parts of a run, enough for the rows of a block.
const RUN: usize = 1 << 10;

/// A product of one sparse operand and dense ones, by numbers.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// Of the sparse operand's rows: what is below the levels that the result has too.
    pub(super) lengths: Lengths,
    /// Of the fibers of its last level; of a matrix, its rows.
    pub(super) fibers: Lengths,
    /// Entries of a sample of the rows, in order.
    pub(super) rows: Vec<u32>,
    /// Entries of a sample of the fibers, in order.
    pub(super) runs: Vec<u32>,
    /// Fibers of a sample of the parents of fibers, in order; none of a matrix, whose fibers are its rows.
    pub(super) parents: Vec<u32>,
    /// The searches that find a row's coordinates: those of stored positions, below others.
    pub(super) row_search: Search,
    /// Those that find an entry's.
    pub(super) entry_search: Search,
    /// Among how many positions each of these searches.
    pub(super) searched: Vec<u64>,
    /// The dense variable of the result that consecutive elements have, and its size.
    pub(super) columns: Option<u64>,
    /// Products of an entry for each column: the sizes of the dense variables that are summed, or that the result has besides.
    pub(super) others: u64,
    /// The result has an element for each entry.
    pub(super) pattern: bool,
    /// Rows are coordinates, not stored positions.
    pub(super) dense_rows: bool,
    /// The result has the levels of the rows, with an element or a dense block for each that is stored.
    pub(super) shares_rows: bool,
    /// Loads of dense operands for one product.
    pub(super) factors: u64,
    /// Positions of the last level: what an entry's coordinate chooses from.
    pub(super) inner: u64,
    /// Bytes of an element.
    pub(super) bytes: u64,
    /// Are vectors of them updated at once?
    pub(super) updates_vectors: bool,
    /// Elements of the result.
    pub(super) output: u64,
    /// How unequal blocks are of so many rows, so many blocks a row, as far as it is known: many points have the same.
    pub(super) imbalances: RefCell<BTreeMap<(usize, usize), f64>>,
    /// How warps walk whose lanes have so many entries each, as far as it is known.
    pub(super) walks: RefCell<BTreeMap<(u64, usize), Walk>>,
}

/// What a search costs that looks at seven elements at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Search {
    /// Steps, each of which waits for the one before.
    pub(super) steps: f64,
    /// Elements that are looked at.
    pub(super) looks: f64,
}

impl Search {
    /// Among so many elements, on average.
    pub(super) fn among(mut elements: f64) -> Search {
        const PARTS: f64 = 7.0;
        let mut search = Search::default();
        while elements > PARTS {
            search = search + Search { steps: 1.0, looks: PARTS };
            elements /= PARTS + 1.0;
        }
        search + Search { steps: elements.min(1.0), looks: elements }
    }

    /// Part of it, where others do the rest.
    pub(super) fn part(self, of: f64) -> Search {
        Search { steps: self.steps * of, looks: self.looks * of }
    }
}

impl std::ops::Add for Search {
    type Output = Search;

    fn add(self, other: Search) -> Search {
        Search { steps: self.steps + other.steps, looks: self.looks + other.looks }
    }
}

impl Profile {
    /// Of a kernel and its arguments; `None` if the kernel is of another kind.
    pub(super) fn of<D: Backend>(kernel: &Parsed, arguments: &Arguments<'_, D>) -> Result<Option<Profile>> {
        let ast = &kernel.kernel;
        let Ok(Operand { access: operand, levels, rows: depth, pattern }) = Operand::of(ast) else {
            return Ok(None);
        };
        let factors = factors(ast, &operand);
        let extents = extents(arguments, factors.iter().chain([&operand]));
        let spec = &ast.tensors[operand.tensor.index()].spec;
        let out = &ast.assignment.lhs.indices;
        let size = |v: &IndexVar| extents.get(v).copied().unwrap_or(1);
        let column = out.iter().rev().find(|v| !levels.contains(v));
        let others = extents.keys().filter(|v| !levels.contains(v) && Some(*v) != column);
        let tensor = operand.tensor.index();
        let below = level_vars(spec, &operand).split_off(levels.len());
        let block = below.iter().map(size).fold(1, u64::saturating_mul);
        let lengths = arguments.lengths(tensor, depth)?.in_blocks(block);
        let last = levels.len() - 1;
        let fibers = arguments.lengths(tensor, last)?.in_blocks(block);
        let sample = rows(arguments, tensor, depth, levels.len(), lengths.parts)?;
        let runs = match last == depth {
            true => sample.clone(),
            false => rows(arguments, tensor, last, levels.len(), fibers.parts)?,
        };
        let parents = match last {
            0 | 1 => vec![],
            n => rows(arguments, tensor, n - 1, n, arguments.lengths(tensor, n - 1)?.parts)?,
        };
        let Searches { row: row_search, entry: entry_search, among: searched } =
            Searches::of(arguments, tensor, &spec.levels[..levels.len()], depth)?;
        let shares_rows = !pattern && !ast.tensors[ast.assignment.lhs.tensor.index()].spec.is_dense();
        let each = out.iter().filter(|v| !levels.contains(v)).map(size);
        let output = match pattern {
            true => each.fold(lengths.entries, u64::saturating_mul),
            false if shares_rows => each.fold(lengths.parts, u64::saturating_mul),
            false => out.iter().map(size).fold(1, u64::saturating_mul),
        };
        Ok(Some(Profile {
            lengths,
            fibers,
            rows: sample,
            runs,
            parents,
            row_search,
            entry_search,
            searched,
            columns: column.map(size),
            others: others.map(size).fold(1, u64::saturating_mul),
            pattern,
            dense_rows: spec.levels[..depth].iter().all(|l| l.is_full()),
            shares_rows,
            factors: factors.len() as u64,
            inner: levels.last().map_or(1, size),
            bytes: ast.dtype.size() as u64,
            updates_vectors: match ast.assignment.op {
                AssignOp::Assign => Monoid::Add,
                AssignOp::Reduce(op) => op,
            }
            .updates_vectors(ast.dtype),
            output,
            imbalances: RefCell::default(),
            walks: RefCell::default(),
        }))
    }

    /// The searches that find an entry's coordinates between those of two that are so many entries apart.
    pub(super) fn search_between(&self, entries: f64) -> Search {
        let a_share = entries / (self.lengths.entries as f64).max(1.0);
        let each = self.searched.iter().map(|above| Search::among(a_share * *above as f64));
        each.fold(Search::default(), |all, search| all + search)
    }

    /// What was found for such blocks, or is found now.
    pub(super) fn imbalance(&self, rows: (usize, usize), find: impl FnOnce() -> f64) -> f64 {
        *self.imbalances.borrow_mut().entry(rows).or_insert_with(find)
    }

    /// How warps walk that so many lanes or groups of lanes share, with so many entries each.
    pub(super) fn walk(&self, per_lane: u64, lanes: usize) -> Walk {
        let walk = || Walk::along(&self.runs, &self.parents, per_lane, lanes);
        *self.walks.borrow_mut().entry((per_lane, lanes)).or_insert_with(walk)
    }

    /// How warps walk whose lanes have so many whole rows of fibers each.
    pub(super) fn walk_down(&self, per_lane: usize) -> Walk {
        Walk::down(&self.runs, &self.parents, per_lane)
    }

    /// How far apart the result's rows are that something is written to: 1 if neighbours are.
    pub(super) fn spread(&self) -> f64 {
        let written = (self.lengths.parts - self.lengths.empty) * self.columns.unwrap_or(1);
        if self.dense_rows { 1.0 } else { (self.output as f64 / (written as f64).max(1.0)).max(1.0) }
    }

    /// Column tiles of so many columns.
    pub(super) fn tiles(&self, columns: u64) -> u64 {
        self.columns.map_or(1, |n| n.div_ceil(columns.max(1)))
    }

    /// Products of the whole kernel.
    pub(super) fn operations(&self) -> u64 {
        let columns = self.columns.unwrap_or(1).saturating_mul(self.others);
        self.lengths.entries.saturating_mul(columns).saturating_add(self.output)
    }

    /// What the sample stands for.
    pub(super) fn scale(&self) -> f64 {
        let sampled: u64 = self.rows.iter().map(|&n| u64::from(n)).sum();
        match sampled {
            // All sampled rows are empty: those that are not are elsewhere.
            0 => 1.0,
            n => self.lengths.entries as f64 / n as f64,
        }
    }

    /// The statistics that a remembered result holds for: in coarse steps, so that matrices of a kind share it.
    pub(super) fn bucket(&self) -> String {
        let step = |n: f64| if n < 1.0 { 0 } else { (2.0 * n.log2()).round() as i32 + 1 };
        let l = &self.lengths;
        let variation = (4.0 * l.variation()).min(64.0).round() as u32;
        let empty = (4 * l.empty).checked_div(l.parts).unwrap_or(0);
        let columns = self.columns.map_or_else(|| "-".into(), |n| n.to_string());
        format!(
            "rows 2^({}/2), mean 2^({}/2), largest 2^({}/2), variation {variation}/4, empty {empty}/4, inner 2^({}/2), \
             columns {columns}, others {}",
            step(l.parts as f64),
            step(l.mean() * 4.0),
            step(l.largest as f64),
            step(self.inner as f64),
            self.others
        )
    }
}

/// The searches for the coordinates of stored positions.
struct Searches {
    /// Those of a row.
    row: Search,
    /// Those of an entry.
    entry: Search,
    /// Among how many positions each of these searches.
    among: Vec<u64>,
}

impl Searches {
    fn of<D: Backend>(
        arguments: &Arguments<'_, D>,
        tensor: usize,
        levels: &[Level],
        depth: usize,
    ) -> Result<Searches> {
        let mut all = Searches { row: Search::default(), entry: Search::default(), among: vec![] };
        for (n, level) in levels.iter().enumerate().skip(1) {
            if let Level::Compressed { .. } = level {
                let above = arguments.lengths(tensor, n)?.parts;
                let search = Search::among(above as f64);
                all.entry = all.entry + search;
                all.among.push(above);
                if n < depth {
                    all.row = all.row + search;
                }
            }
        }
        Ok(all)
    }
}

/// The dense operands, each once.
fn factors(kernel: &Kernel, operand: &Access) -> Vec<Access> {
    let mut accesses: Vec<Access> = vec![];
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let access = Access { tensor: a.tensor, indices: a.indices.clone() };
        if access != *operand && !accesses.contains(&access) {
            accesses.push(access);
        }
    });
    accesses
}

/// The sizes of the variables of operands.
fn extents<'a, D: Backend>(
    arguments: &Arguments<'_, D>,
    operands: impl Iterator<Item = &'a Access>,
) -> BTreeMap<IndexVar, u64> {
    let mut extents = BTreeMap::new();
    for access in operands {
        let dims = arguments.dims(access.tensor.index()).unwrap_or_default();
        extents.extend(access.indices.iter().copied().zip(dims.into_iter().map(|d| d as u64)));
    }
    extents
}

/// Entries below each of a sample of the positions of the first levels.
fn rows<D: Backend>(
    arguments: &Arguments<'_, D>,
    tensor: usize,
    depth: usize,
    levels: usize,
    parts: u64,
) -> Result<Vec<u32>> {
    let children = arguments.children(tensor, depth..levels, parts)?;
    let first = |part: u64| children.iter().fold(part, |at, c| c.first(at));
    let length = |part: u64| u32::try_from(first(part + 1).saturating_sub(first(part))).unwrap_or(u32::MAX);
    let parts = parts as usize;
    if parts <= SAMPLE {
        return Ok((0..parts as u64).map(length).collect());
    }
    let runs = SAMPLE / RUN;
    let starts = (0..runs).map(|n| (parts - RUN) / (runs - 1) * n);
    Ok(starts.flat_map(|start| (start..start + RUN).map(|part| length(part as u64))).collect())
}
