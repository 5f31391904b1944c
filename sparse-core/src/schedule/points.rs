//! Atomic parallelism as scheduling commands, for products of one sparse operand and dense ones.
//!
//! With A(i, j) stored by rows and the dense column k (any number of each; missing ones are left out):
//!
//! ```text
//! <x row, c col>, 1     split(k, ko, ki, c) split(i, …, x) fuse(i, ko, io) split(io, block, thread, p); block thread j ki
//! <1/g row, c col>, r   … split(io, block, warp, p/g) pos(j, jpos, A) split(jpos, jpos0, jpos1, g); block warp jpos1 jpos0 ki
//! <g nnz, c col>, r     fuse(i, j, f) pos(f, fpos, A) split(fpos, block, fpos1, p·g) split(fpos1, lane, nnz, g);
//!                       block ko lane nnz ki; lane on GPUGroup(r) Segment
//! <g nnz, c col>, 1     … pos(f, fpos, A) split(fpos, chunk, nnz, g) fuse(chunk, ko, tile) split(tile, block, thread, p);
//!                       block thread nnz ki; thread on GPUThread Atomics
//! ```
//!
//! Threads that reduce together have entries side by side. Threads that do not have the columns of the same entries side
//! by side, whose elements are neighbours in memory.
//!
//! With the option `scatter` lanes that share a row reduce by `ReduceScatter`; with `rows = n` they take n rows, by a
//! split of the variable of rows whose inner part is a loop inside the warp's. Column tiles are on a second block variable, or fused with the rows, so that any number of columns works. A result
//! with all of the operand's variables (SDDMM) has an output an entry: there a group of r threads shares an entry, and its
//! columns are those that are summed. With `shared = n` rows are whole, and dense operands in tiles (`tiles`). With `vector` the c columns of a thread are one access: `ki` is on GPUVector. With
//! `deterministic` groups of entries reduce by `Deterministic`, not by `Segment`.

mod legal;
mod numbers;
mod product;
mod tiles;

pub use legal::{point_commands, points, schedule_hybrid, schedule_point};
use numbers::Numbers;
use product::Product;
pub(crate) use tiles::SHARED_BYTES;

use super::plan::Plan;
use super::rule::Kind;
use super::{Checked, fail};
use crate::cin::Cin;
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Command, Strategy, Unit};
use crate::front::point::{Amount, AtomicParallelism, Data};
use proc_macro2::Span;

/// So many rows of a group are written out one after another.
const WRITTEN_OUT: u32 = 4;

/// What a kernel has points for: the same for all of them.
pub struct Hybrid(Sums);

enum Sums {
    Numbers(Numbers),
    Product(Box<Product>),
}

impl Hybrid {
    /// # Errors
    /// Why the kernel is not of this kind.
    pub fn of(kernel: &Kernel, cin: &Cin, span: Span) -> Checked<Hybrid> {
        let sums = match Numbers::of(kernel, cin) {
            Some(numbers) => Sums::Numbers(numbers),
            None => Sums::Product(Box::new(Product::of(kernel, cin, span)?)),
        };
        Ok(Hybrid(sums))
    }

    /// What its statistics are of.
    pub fn shape(&self, cin: &Cin) -> Shape {
        let product = match &self.0 {
            Sums::Numbers(Numbers { tensor, levels, .. }) => {
                return Shape { kind: Kind::Plain, tensor: *tensor, rows: *levels, columns: None };
            }
            Sums::Product(product) => product,
        };
        let kind = match (&product.column, product.pattern) {
            (_, true) => Kind::Entries,
            (Some(_), false) => Kind::Columns,
            (None, false) => Kind::Plain,
        };
        let summed = product.summed.last().filter(|_| product.pattern);
        let columns = product.column.as_ref().or(summed);
        let columns = columns.and_then(|name| cin.provenance.find(name));
        Shape { kind, tensor: product.tensor, rows: product.rows.len(), columns }
    }
}

/// The commands of a point for a kernel, which may break rules of their own.
///
/// # Errors
/// The rule that the point breaks, or why the kernel is not of this kind.
fn commands_of(kernel: &Kernel, cin: &Cin, point: &AtomicParallelism, span: Span) -> Checked<Vec<Command>> {
    checked(point, span)?;
    commands_in(&Hybrid::of(kernel, cin, span)?, kernel, point, span)
}

fn checked(point: &AtomicParallelism, span: Span) -> Checked {
    point.check().map_err(|broken| Box::new(broken.at(point, span)))
}

/// The same, of a point that breaks no rule of points.
fn commands_in(
    hybrid: &Hybrid,
    kernel: &Kernel,
    point: &AtomicParallelism,
    span: Span,
) -> Checked<Vec<Command>> {
    let product = match &hybrid.0 {
        Sums::Numbers(numbers) => {
            let mut plan = Plan::new(kernel, span);
            numbers.commands(&mut plan, point, span)?;
            return Ok(plan.finish());
        }
        Sums::Product(product) => product,
    };
    if product.pattern && point.group > 1 && product.summed.is_empty() {
        return fail(
            "nothing-reduced",
            span,
            "every entry has an output of its own, and nothing is summed: threads have nothing to reduce together",
            "write 1 after the columns",
        );
    }
    if point.scatter && product.column.is_none() {
        return fail(
            "no-columns",
            span,
            "the result has no dense variable: threads that reduce have no columns to exchange",
            "leave out `scatter`",
        );
    }
    if point.vector {
        product.vectors(kernel, point, span)?;
    }
    if point.shared > 0 {
        product.shares(kernel, point, span)?;
    }
    product.groups(point, span)?;
    let mut plan = Plan::new(kernel, span);
    match point.data {
        Data::Row(Amount::Whole(x)) if point.shared > 0 => product.rows_on_tiles(&mut plan, kernel, point, x),
        Data::Nnz(g) if product.pattern => product.shared_entries(&mut plan, point, g.n()),
        Data::Nnz(g) => product.entries(&mut plan, point, g.n()),
        Data::Row(_) if product.rows.is_empty() => {
            return fail(
                "no-rows",
                span,
                format!(
                    "`{}` is not stored by rows of the result: its first level is summed over",
                    product.name
                ),
                "balance by entries (`nnz`), or store the operand in the result's order",
            );
        }
        Data::Row(Amount::Whole(x)) => product.whole_rows(&mut plan, point, x),
        Data::Row(Amount::Part(_)) if product.pattern => {
            return fail(
                "pattern-rows",
                span,
                "threads that share a row of a result with an operand's pattern have nothing to reduce together",
                "balance by entries (`nnz`)",
            );
        }
        Data::Row(Amount::Part(g)) => product.shared_rows(&mut plan, point, g),
    }
    Ok(plan.finish())
}

/// What a rule needs to know of a product of one sparse operand and dense ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What kind of product it is.
    pub kind: Kind,
    /// The sparse operand.
    pub tensor: TensorId,
    /// How many of its levels, from the root, are the result's rows.
    pub rows: usize,
    /// The dense variable that points have columns of.
    pub columns: Option<IndexVar>,
}

/// The shape of a kernel that atomic parallelism is for.
pub fn shape(kernel: &Kernel, cin: &Cin) -> Option<Shape> {
    Hybrid::of(kernel, cin, Span::call_site()).ok().map(|hybrid| hybrid.shape(cin))
}

/// One name, as a list.
fn one(name: &String) -> &[String] {
    std::slice::from_ref(name)
}

/// A thread's columns are one access.
fn on_vectors<'a>(
    plan: &mut Plan<'_>,
    point: &AtomicParallelism,
    columns: impl IntoIterator<Item = &'a String>,
) {
    if point.vector {
        columns.into_iter().for_each(|v| plan.parallelize(v, Unit::GpuVector, Strategy::NoRaces));
    }
}

impl Product {
    /// The dense variables that are summed: the last one in vectors, where these are a thread's columns.
    fn summed(&self, plan: &mut Plan<'_>, point: &AtomicParallelism) -> (Vec<String>, Option<String>) {
        let c = point.columns.n();
        match self.summed.split_last() {
            Some((last, others)) if point.vector && self.column.is_none() => {
                let (step, column) = plan.split(last, "step", "column", c);
                ([others, &[step, column.clone()]].concat(), Some(column))
            }
            _ => (self.summed.clone(), None),
        }
    }

    /// Rows, then the result's other variables, then what is summed.
    fn by_rows(&self, plan: &mut Plan<'_>) {
        let column: Vec<String> = self.column.iter().cloned().collect();
        plan.reorder(&[&self.rows, &column, &self.kept, &self.along, &self.summed]);
    }

    /// The column's tiles, and the columns of one.
    fn tile(&self, plan: &mut Plan<'_>, point: &AtomicParallelism) -> (Vec<String>, Vec<String>) {
        let c = point.columns.n();
        match &self.column {
            Some(k) => {
                let (ko, ki) = plan.split(k, &format!("{k}o"), &format!("{k}i"), c);
                (vec![ko], vec![ki])
            }
            None => (vec![], vec![]),
        }
    }

    /// The variable that counts rows: coordinates of dense levels, else stored positions.
    fn row(&self, plan: &mut Plan<'_>) -> String {
        let row = plan.fuse(&self.rows, "row");
        if self.dense_rows {
            return row;
        }
        plan.pos(&row, "rowpos", &self.access)
    }

    /// Rows and column tiles on blocks and `inner`, so many a block. What is left of the tiles is a loop over blocks.
    fn rows_on_blocks(
        &self,
        plan: &mut Plan<'_>,
        row: &str,
        tiles: Vec<String>,
        inner: &str,
        n: u32,
    ) -> (String, String, Vec<String>) {
        let (all, tiles) = match (&tiles[..], self.dense_rows) {
            ([ko], true) => (plan.fuse_as(row, ko, "tile"), vec![]),
            _ => (row.to_owned(), tiles),
        };
        let (block, inner) = plan.split(&all, "block", inner, n);
        (block, inner, tiles)
    }

    /// So many rows one after another: the variable that counts such runs, and the row in one.
    fn several(
        &self,
        plan: &mut Plan<'_>,
        row: &str,
        count: u32,
        tiles: &[String],
        ki: &[String],
    ) -> (String, Vec<String>) {
        if count == 1 {
            return (row.to_owned(), vec![]);
        }
        let (rows, row) = plan.split(row, "rows", "one", count);
        plan.reorder(&[one(&rows), tiles, one(&row), ki, &self.kept, &self.along, &self.summed]);
        (rows, vec![row])
    }

    fn whole_rows(&self, plan: &mut Plan<'_>, point: &AtomicParallelism, x: u32) {
        self.by_rows(plan);
        let (tiles, ki) = self.tile(plan, point);
        let row = self.row(plan);
        let (row, inside) = self.several(plan, &row, x, &tiles, &ki);
        let (block, thread, tiles) = self.rows_on_blocks(plan, &row, tiles, "thread", point.threads);
        let (summed, column) = self.summed(plan, point);
        let outside = [one(&block), &tiles, one(&thread), &inside, &self.kept];
        plan.reorder(&[&outside[..], &[&self.along, &summed, &ki]].concat());
        plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
        tiles.iter().for_each(|t| plan.parallelize(t, Unit::GpuBlock, Strategy::NoRaces));
        plan.parallelize(&thread, Unit::GpuThread, Strategy::NoRaces);
        on_vectors(plan, point, column.iter().chain(&ki));
    }

    fn shared_rows(&self, plan: &mut Plan<'_>, point: &AtomicParallelism, g: u32) {
        self.by_rows(plan);
        let (tiles, ki) = self.tile(plan, point);
        let row = self.row(plan);
        let (row, inside) = self.several(plan, &row, point.rows, &tiles, &ki);
        let (block, warp, tiles) = self.rows_on_blocks(plan, &row, tiles, "warp", point.threads / g);
        let outside = [one(&block), &tiles, one(&warp), &inside, &self.kept];
        plan.reorder(&[&outside[..], &[&self.along, &self.summed, &ki]].concat());
        let along = plan.fuse(&self.along, "along");
        let pos = plan.pos(&along, "pos", &self.access);
        let (step, lane) = plan.split(&pos, "step", "lane", g);
        plan.reorder(&[&[lane.clone(), step], &self.summed, &ki]);
        if let ([row], 2..=WRITTEN_OUT) = (&inside[..], point.rows) {
            // All threads of a warp go through as many rows then.
            plan.unroll(row, point.rows);
        }
        plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
        tiles.iter().for_each(|t| plan.parallelize(t, Unit::GpuBlock, Strategy::NoRaces));
        plan.parallelize(&warp, Unit::GpuWarp, Strategy::NoRaces);
        match point.group {
            1 => plan.parallelize(&lane, Unit::GpuThread, Strategy::Atomics),
            r if point.scatter => plan.parallelize(&lane, Unit::GpuGroup(r), Strategy::ReduceScatter),
            r => plan.parallelize(&lane, Unit::GpuGroup(r), Strategy::ParallelReduction),
        }
        on_vectors(plan, point, &ki);
    }

    /// All stored entries, so many a block.
    fn positions(&self, plan: &mut Plan<'_>) -> String {
        let column: Vec<String> = self.column.iter().cloned().collect();
        plan.reorder(&[&self.rows, &self.along, &self.kept, &self.summed, &column]);
        let levels = [&self.rows[..], &self.along[..]].concat();
        let fused = plan.fuse(&levels, "entry");
        plan.pos(&fused, "pos", &self.access)
    }

    fn entries(&self, plan: &mut Plan<'_>, point: &AtomicParallelism, g: u32) {
        let pos = self.positions(plan);
        let (tiles, ki) = self.tile(plan, point);
        if let ([ko], 1) = (&tiles[..], point.group) {
            return self.entries_by_columns(plan, point, (&pos, g), (ko, &ki));
        }
        let (block, lane, nnz) = match g {
            1 => {
                let (block, lane) = plan.split(&pos, "block", "lane", point.threads);
                (block, lane, vec![])
            }
            g => {
                let (block, part) = plan.split(&pos, "block", "part", point.threads.saturating_mul(g));
                let (lane, nnz) = plan.split(&part, "lane", "nnz", g);
                (block, lane, vec![nnz])
            }
        };
        // A thread that has several entries sums those of a row for one of the result's elements after another.
        let [outside, inside] = if nnz.is_empty() { [&[][..], &self.kept] } else { [&self.kept[..], &[]] };
        plan.reorder(&[one(&block), &tiles, outside, one(&lane), &nnz, inside, &self.summed, &ki]);
        plan.parallelize(&block, Unit::GpuBlock, Strategy::IgnoreRaces);
        tiles.iter().for_each(|t| plan.parallelize(t, Unit::GpuBlock, Strategy::NoRaces));
        match point.group {
            1 => plan.parallelize(&lane, Unit::GpuThread, Strategy::Atomics),
            r if point.deterministic => plan.parallelize(&lane, Unit::GpuGroup(r), Strategy::Deterministic),
            r => plan.parallelize(&lane, Unit::GpuGroup(r), Strategy::Segment),
        }
        on_vectors(plan, point, &ki);
    }

    /// Threads that have the same entries lie along the columns, and update for themselves.
    fn entries_by_columns(
        &self,
        plan: &mut Plan<'_>,
        point: &AtomicParallelism,
        (pos, g): (&str, u32),
        (ko, ki): (&String, &[String]),
    ) {
        let (chunk, nnz) = match g {
            1 => (pos.to_owned(), vec![]),
            g => {
                let (chunk, nnz) = plan.split(pos, "chunk", "nnz", g);
                (chunk, vec![nnz])
            }
        };
        plan.reorder(&[one(&chunk), one(ko), &self.kept, &nnz, &self.summed, ki]);
        let tile = plan.fuse_as(&chunk, ko, "tile");
        let (block, thread) = plan.split(&tile, "block", "thread", point.threads);
        plan.reorder(&[one(&block), one(&thread), &self.kept, &nnz, &self.summed, ki]);
        plan.parallelize(&block, Unit::GpuBlock, Strategy::IgnoreRaces);
        plan.parallelize(&thread, Unit::GpuThread, Strategy::Atomics);
        on_vectors(plan, point, ki);
    }

    /// An entry has an output of its own: a group shares its sum over the dense columns.
    fn shared_entries(&self, plan: &mut Plan<'_>, point: &AtomicParallelism, g: u32) {
        let (r, c) = (point.group, point.columns.n());
        let pos = self.positions(plan);
        let (block, warp) = plan.split(&pos, "block", "warp_part", (point.threads / r).saturating_mul(g));
        let (warp, nnz) = match g {
            1 => (warp, vec![]),
            g => {
                let (warp, nnz) = plan.split(&warp, "warp", "nnz", g);
                (warp, vec![nnz])
            }
        };
        let Some((summed, others)) = self.summed.split_last() else {
            let (tiles, ki) = self.tile(plan, point);
            plan.reorder(&[one(&block), &tiles, one(&warp), &nnz, &self.kept, &ki]);
            plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
            tiles.iter().for_each(|t| plan.parallelize(t, Unit::GpuBlock, Strategy::NoRaces));
            plan.parallelize(&warp, Unit::GpuThread, Strategy::NoRaces);
            on_vectors(plan, point, &ki);
            return;
        };
        if r == 1 {
            let (_, column) = self.summed(plan, point);
            plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
            plan.parallelize(&warp, Unit::GpuThread, Strategy::NoRaces);
            on_vectors(plan, point, &column);
            return;
        }
        let (step, part) = plan.split(summed, "step", "part", r.saturating_mul(c));
        let (lane, column) = match c {
            1 => (part, vec![]),
            c => {
                let (lane, column) = plan.split(&part, "lane", "column", c);
                (lane, vec![column])
            }
        };
        let outside = [one(&block), one(&warp), &nnz, &self.kept, others];
        plan.reorder(&[&outside[..], &[&[lane.clone(), step], &column]].concat());
        plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
        plan.parallelize(&warp, Unit::GpuWarp, Strategy::NoRaces);
        plan.parallelize(&lane, Unit::GpuGroup(r), Strategy::ParallelReduction);
        on_vectors(plan, point, &column);
    }
}
