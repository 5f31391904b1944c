//! Sums that a GPU's threads share: those with fewer elements than it has threads, and those along rows of dense operands;
//! and the loop that a CPU's threads have parts of, where all is summed into one element.
//!
//! ```text
//! s = x[i] * y[i]               divide(i, block, rest, 2048) split(rest, step, thread, 256); block thread step
//! s = A[i, j] * x[j]            the same of the entries of `A`, if nothing asks for the row of one
//! s = y[i] * A[i, j] * x[j]     split(position, block, rest, 8192) split(rest, thread, nnz, 32); block thread nnz
//! C[k, l] = X[i, k] * Y[i, l]   divide(i, part, row, 131072) fuse(part, k, …) fuse(…, l, …) split(…, block, thread, 256); row inside
//! y[i] = X[i, j] * x[j]         split(i, block, row, 32) split(j, step, thread, 8); block row thread step
//! ```
//!
//! Each update of one element waits for the one before: where every 32 elements make one, that decides how long a sum takes, so
//! a thread has as many terms as it can while all of a GPU has some. Neighbouring threads have neighbouring terms, but for
//! the third: there a thread finds the row of its first entry, and the others' on the way.
//!
//! The parts of a `divide` are fewer where there is less to sum ([`Worth::Terms`]), or where the result has more
//! elements.
//!
//! Of the last, threads that had a row each would read elements that are a row apart, and be too few where rows are few and
//! long. Eight lanes read a sector of 32 bytes, and have something to do in short rows, too.

use super::cuda::{Shape, UNITS, accesses, plan, positions};
use crate::cin::order::level_vars;
use crate::cin::provenance::Worth;
use crate::cin::{Access, Cin};
use crate::format::Level;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Strategy, Unit};
use crate::front::point::THREADS;
use crate::schedule::plan::Plan;
use crate::schedule::tree::nest;

/// Blocks that sum into one element: as many as the largest GPU runs at a time.
const BLOCKS: u32 = 2048;

/// Threads that sum into all elements, if there are several: half of those that the largest GPU runs at a time.
const SUMMING: u32 = 1 << 17;

/// Entries of a thread that has to know their rows.
const ENTRIES: u32 = 32;

/// Threads that share a row of dense operands.
const LANES: u32 = 8;

/// Ways to share sums, best first: of a result without variables, or of one that is summed over whole rows of dense operands,
/// or along them.
pub(super) fn shapes(kernel: &Kernel, cin: &Cin) -> Vec<Shape> {
    let nest: Vec<IndexVar> = nest(&cin.root);
    let sums = Sums::of(kernel, cin, &nest);
    let all_dense = sums.accesses.iter().all(|a| kernel.tensors[a.tensor.index()].spec.is_dense());
    if !kernel.assignment.lhs.indices.is_empty() {
        return if all_dense { sums.of_dense_rows(cin, &nest).into_iter().collect() } else { vec![] };
    }
    if sums.loops.is_empty() {
        return vec![];
    }
    if all_dense {
        return vec![sums.abreast(&|plan| plan.fuse(&sums.loops, "fused"))];
    }
    let of_operand = |a: &Access| {
        let positions = positions(cin, &nest, a)?;
        Some(if sums.asks_for_rows(a) { sums.in_runs(&positions) } else { sums.abreast(&positions) })
    };
    sums.accesses.iter().filter_map(of_operand).collect()
}

/// A loop that commands make.
pub(super) type Made<'a> = Box<dyn Fn(&mut Plan<'_>) -> String + 'a>;

/// One loop over all that a result without variables is summed of, if nothing asks where the rows begin: over the entries of
/// the one sparse operand, or over the elements of dense operands that are all stored in the loops' order. The best first.
/// Several sparse operands are merged instead: entries of one would each be sought in the others.
pub(super) fn of_entries<'a>(kernel: &'a Kernel, cin: &'a Cin) -> Vec<Made<'a>> {
    let nest: Vec<IndexVar> = nest(&cin.root);
    let sums = Sums::of(kernel, cin, &nest);
    let spec = |a: &Access| &kernel.tensors[a.tensor.index()].spec;
    let whole = |a: &Access| spec(a).is_dense() && level_vars(spec(a), a) == nest;
    if nest.len() > 1 && sums.accesses.iter().all(whole) {
        return vec![Box::new(move |plan| plan.fuse(&sums.loops, "fused"))];
    }
    let alone = |a: &Access| sums.accesses.iter().all(|b| b == a || spec(b).is_dense());
    let sparse = sums.accesses.iter().filter(|a| !spec(a).is_dense() && alone(a) && !sums.asks_for_rows(a));
    let loops = sparse.filter_map(|a| {
        let entries = positions(cin, &nest, a)?;
        Some(Box::new(entries) as Made<'a>)
    });
    loops.collect()
}

/// A statement whose sums are shared.
struct Sums<'k> {
    kernel: &'k Kernel,
    accesses: Vec<Access>,
    /// The names of its loops' variables.
    loops: Vec<String>,
}

impl<'k> Sums<'k> {
    fn of(kernel: &'k Kernel, cin: &Cin, nest: &[IndexVar]) -> Self {
        let loops = nest.iter().map(|v| cin.provenance.name(*v).to_owned()).collect();
        Sums { kernel, accesses: accesses(kernel), loops }
    }

    /// A result that is summed over whole rows of its operands, or along them.
    fn of_dense_rows(&self, cin: &Cin, nest: &[IndexVar]) -> Option<Shape> {
        let out = &self.kernel.assignment.lhs.indices;
        let (kept, mut summed): (Vec<IndexVar>, Vec<_>) = nest.iter().partition(|v| out.contains(v));
        let whole = |of: &dyn Fn(&Access, IndexVar) -> bool| summed.iter().position(|v| self.all(*v, of));
        let (over, along) = (whole(&|a, v| self.level(a, 0) == v), whole(&|a, v| self.last_level(a) == v));
        let first = summed.remove(over.or(along)?);
        summed.insert(0, first);
        let name = |v: &IndexVar| cin.provenance.name(*v).to_owned();
        let [kept, summed] = [kept, summed].map(|vars| vars.iter().map(name).collect::<Vec<_>>());
        Some(match over {
            Some(_) => self.of_elements(&kept, &summed),
            None => self.along_rows(&kept, &summed),
        })
    }

    /// Has another access a coordinate of one of the levels above the last, of which an entry does not store its own?
    fn asks_for_rows(&self, of: &Access) -> bool {
        let spec = &self.kernel.tensors[of.tensor.index()].spec;
        let rows = spec.levels.iter().skip(1).filter(|l| !matches!(l, Level::Singleton { .. })).count();
        let rows = (0..rows).map(|level| of.indices[spec.map.dim_of_level(level)]);
        let rows: Vec<IndexVar> = rows.collect();
        let mut others = self.accesses.iter().filter(|a| *a != of);
        others.any(|a| a.indices.iter().any(|v| rows.contains(v)))
    }

    /// Does it hold of all operands that have the variable?
    fn all(&self, v: IndexVar, of: &dyn Fn(&Access, IndexVar) -> bool) -> bool {
        self.accesses.iter().filter(|a| a.indices.contains(&v)).all(|a| of(a, v))
    }

    /// The variable of one of an operand's levels.
    fn level(&self, a: &Access, level: usize) -> IndexVar {
        a.indices[self.kernel.tensors[a.tensor.index()].spec.map.dim_of_level(level)]
    }

    fn last_level(&self, a: &Access) -> IndexVar {
        self.level(a, a.indices.len() - 1)
    }

    /// Neighbouring threads have neighbouring terms.
    fn abreast(&self, terms: &dyn Fn(&mut Plan<'_>) -> String) -> Shape {
        let mut plan = plan(self.kernel);
        let terms = terms(&mut plan);
        let (block, rest) = plan.divide(&terms, "block", "rest", BLOCKS);
        let (step, thread) = plan.split(&rest, "step", "thread", THREADS);
        plan.reorder(&[&[block.clone(), thread, step]]);
        Shape {
            commands: plan.finish(),
            worth: Some((block, Worth::Terms { threads: THREADS })),
            units: UNITS,
        }
    }

    /// A thread has entries one after another.
    fn in_runs(&self, entries: &dyn Fn(&mut Plan<'_>) -> String) -> Shape {
        let mut plan = plan(self.kernel);
        let entries = entries(&mut plan);
        let (_, rest) = plan.split(&entries, "block", "rest", THREADS * ENTRIES);
        plan.split(&rest, "thread", "nnz", ENTRIES);
        Shape { commands: plan.finish(), worth: None, units: UNITS }
    }

    /// Threads have elements, and parts of what is summed for them.
    fn of_elements(&self, kept: &[String], summed: &[String]) -> Shape {
        let mut plan = plan(self.kernel);
        let (part, row) = plan.divide(&summed[0], "part", "row", SUMMING);
        let outside = [std::slice::from_ref(&part), kept].concat();
        plan.reorder(&[&outside, &[row], &summed[1..]]);
        let fused = plan.fuse(&outside, "fused");
        plan.split(&fused, "block", "thread", THREADS);
        Shape { commands: plan.finish(), worth: Some((part, Worth::Terms { threads: 1 })), units: UNITS }
    }

    /// Lanes that are next to each other have terms that are, of one element.
    fn along_rows(&self, kept: &[String], summed: &[String]) -> Shape {
        let mut plan = plan(self.kernel);
        let (step, lane) = plan.split(&summed[0], "step", "thread", LANES);
        plan.reorder(&[kept, std::slice::from_ref(&lane), &summed[1..], &[step]]);
        let rows = plan.fuse(kept, "fused");
        let (_, row) = plan.split(&rows, "block", "row", THREADS / LANES);
        plan.parallelize(&row, Unit::GpuWarp, Strategy::NoRaces);
        Shape {
            commands: plan.finish(),
            worth: None,
            units: &[(Unit::GpuGroup(LANES), Strategy::ParallelReduction)],
        }
    }
}
