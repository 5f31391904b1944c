//! Products of one sparse operand and dense ones: which a point can be for, and what each asks of them.

use crate::cin::order::level_vars;
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Access, Cin};
use crate::format::{Level, TensorId};
use crate::front::ast::{self, IndexVar, Kernel};
use crate::front::point::{Amount, AtomicParallelism, Data};
use crate::schedule::operand::Operand;
use crate::schedule::tree::nest;
use crate::schedule::{Checked, fail};
use proc_macro2::Span;

/// A product of one sparse operand with dense ones.
pub(super) struct Product {
    pub(super) tensor: TensorId,
    pub(super) name: String,
    pub(super) access: Access,
    /// Its levels' variables that are the result's rows, from the root.
    pub(super) rows: Vec<String>,
    /// Are these levels all dense?
    pub(super) dense_rows: bool,
    /// Is a row one position of theirs?
    pub(super) unique_rows: bool,
    /// Has each row one entry: is the level below a singleton?
    pub(super) single: bool,
    /// Are entries of equal outputs next to each other: is none of the other levels' variables the result's?
    pub(super) sorted: bool,
    /// The other variables of its levels, in order.
    pub(super) along: Vec<String>,
    /// The result's dense variable that consecutive elements have.
    pub(super) column: Option<String>,
    /// More of the result's dense variables. Their loops are outside of those that sum, so that a thread has a sum at a time.
    pub(super) kept: Vec<String>,
    /// The dense variables that are summed.
    pub(super) summed: Vec<String>,
    /// The result has all of its variables: an entry has an output of its own.
    pub(super) pattern: bool,
    /// Has an operand consecutive elements along the columns that a thread has?
    pub(super) loads_vectors: bool,
    /// Has the result?
    pub(super) stores_vectors: bool,
}

impl Product {
    pub(super) fn of(kernel: &Kernel, cin: &Cin, span: Span) -> Checked<Product> {
        let Operand { access, levels, rows: count, pattern } = match Operand::of(kernel) {
            Ok(operand) => operand,
            Err(count) => {
                let what = "atomic parallelism is for one sparse operand and dense ones";
                return fail(
                    "not-hybrid",
                    span,
                    format!("{what}: this statement has {count} sparse operands"),
                    "write the commands of a schedule, `schedule cuda { … }`",
                );
            }
        };
        let repeated = access.indices.iter().enumerate().find(|(at, v)| access.indices[..*at].contains(v));
        if let Some((_, v)) = repeated {
            return fail(
                "not-hybrid",
                span,
                format!(
                    "the sparse operand has `{}` twice: there is one loop for two of its levels",
                    cin.provenance.name(*v)
                ),
                "write the commands of a schedule, `schedule cuda { … }`",
            );
        }
        let nest = nest(&cin.root);
        let spec = &kernel.tensors[access.tensor.index()].spec;
        if levels.iter().any(|v| !nest.contains(v)) {
            return fail(
                "not-hybrid",
                span,
                "the statement's sums are apart from each other: their loops are not directly nested",
                "write the commands of a schedule, `schedule cuda { … }`",
            );
        }
        if result_kind(kernel, cin) == ResultKind::Append {
            return fail(
                "assembled-result",
                span,
                "the result's entries are assembled in their order, by loops over rows: a point has others",
                "return a tensor whose levels are all dense, or the operand's first levels and dense ones; or write the commands of a schedule, `schedule cuda { … }`",
            );
        }
        let name = |v: &IndexVar| cin.provenance.name(*v).to_owned();
        let out = &kernel.assignment.lhs.indices;
        let dense = |v: &&IndexVar| !levels.contains(v);
        let (mut kept, summed): (Vec<_>, Vec<_>) = nest.iter().filter(dense).partition(|v| out.contains(v));
        // What a thread has some of: the result's columns, or those that an entry's sum goes over.
        let sums = pattern && !summed.is_empty();
        let column = out.iter().rev().find(|v| kept.contains(v) && !sums);
        let own = if sums { summed.last().copied() } else { column };
        kept.retain(|v| Some(*v) != column);
        let contiguous = |a: &ast::Access| {
            let spec = &kernel.tensors[a.tensor.index()].spec;
            let access = Access { tensor: a.tensor, indices: a.indices.clone() };
            spec.levels.last().is_some_and(|l| l.is_full()) && level_vars(spec, &access).last() == own
        };
        let mut loads_vectors = false;
        kernel.assignment.rhs.for_each_access(&mut |a| loads_vectors |= contiguous(a));
        Ok(Product {
            tensor: access.tensor,
            name: kernel.tensors[access.tensor.index()].name.to_string(),
            access,
            rows: levels[..count].iter().map(name).collect(),
            dense_rows: spec.levels[..count].iter().all(|l| l.is_full()),
            unique_rows: spec.levels[..count].iter().all(|l| l.is_unique()),
            single: matches!(spec.levels.get(count), Some(Level::Singleton { .. })),
            sorted: !levels[count..].iter().any(|v| out.contains(v)),
            along: levels[count..].iter().map(name).collect(),
            column: column.map(name),
            kept: kept.into_iter().map(name).collect(),
            summed: summed.into_iter().map(name).collect(),
            pattern,
            loads_vectors,
            stores_vectors: contiguous(&kernel.assignment.lhs),
        })
    }

    pub(super) fn has_columns(&self) -> bool {
        self.column.is_some() || (self.pattern && !self.summed.is_empty())
    }

    /// Can the point's threads find rows, and reduce over them?
    pub(super) fn groups(&self, point: &AtomicParallelism, span: Span) -> Checked {
        let name = &self.name;
        let (reduces, by_entries) = (point.group > 1 && !self.pattern, matches!(point.data, Data::Nnz(_)));
        if reduces && by_entries && !self.sorted {
            return fail(
                "unsorted-entries",
                span,
                format!(
                    "entries of one row of the result are not next to each other in `{name}`: a group has nothing to reduce together"
                ),
                "let each thread update for itself, `<1 nnz, 4 col>, 1`; or store the operand in the result's order",
            );
        }
        if point.deterministic && self.rows.is_empty() {
            return fail(
                "not-deterministic",
                span,
                format!(
                    "all groups update the same elements: the result has no variable of the first levels of `{name}`"
                ),
                "leave out `deterministic`, or store the operand in the result's order",
            );
        }
        let several = by_entries && reduces && point.data != Data::Nnz(Amount::Whole(1));
        if !self.unique_rows && (several || !by_entries) {
            return fail(
                "repeated-rows",
                span,
                format!(
                    "`{name}` stores the row of each entry, and where none of them begins: threads have no rows, nor several entries in a group"
                ),
                "balance by single entries, let threads update for themselves, or store the operand by rows",
            );
        }
        if self.single && several {
            return fail(
                "single-entries",
                span,
                format!("each row of `{name}` has one entry: a group has nothing to reduce together"),
                "let threads update for themselves, `<4 nnz, 4 col>, 1`; or balance by single entries",
            );
        }
        Ok(())
    }

    /// Can a thread's columns be one access?
    pub(super) fn vectors(&self, kernel: &Kernel, point: &AtomicParallelism, span: Span) -> Checked {
        let c = point.columns.n();
        if !kernel.dtype.vector_lengths().any(|n| n == u64::from(c)) {
            return fail(
                "vector-columns",
                span,
                format!("{c} columns of `{}` are more than the 16 bytes of one access", kernel.dtype),
                "write 2 columns, or leave out `vector`",
            );
        }
        // A thread that has whole rows stores them, one that updates for itself does so in vectors too; lanes that reduce
        // together write column by column.
        let alone = point.group == 1 && !matches!(point.data, Data::Row(Amount::Part(_)));
        let stores = self.stores_vectors && alone;
        if !self.loads_vectors && !stores {
            return fail(
                "not-contiguous",
                span,
                "no dense operand has consecutive elements along the columns",
                "store a dense operand by rows, or leave out `vector`",
            );
        }
        Ok(())
    }
}
