//! Sums that stand as numbers in an element's expression, as in `y[i] = b[i] - A[i, j] * x[j]`: points of rows, whose threads
//! share each of the sums.
//!
//! ```text
//! <x row, 1 col>, 1     split(i, …, x) split(…, block, thread, p)
//! <1/g row, 1 col>, g   split(i, block, warp, p/g) pos(j, jpos, A) split(jpos, jpos0, jpos1, g); block warp jpos1 jpos0
//! ```
//!
//! The reduction leaves the sum with all lanes; one of them writes the element. By entries there is nobody who has a whole sum.

use super::one;
use crate::cin::order::level_vars;
use crate::cin::result::{ResultKind, result_kind};
use crate::cin::{Access, Cin, Stmt, Target};
use crate::format::TensorId;
use crate::front::ast::{IndexVar, Kernel};
use crate::front::command::{Strategy, Unit};
use crate::front::point::{Amount, AtomicParallelism, Data};
use crate::schedule::plan::Plan;
use crate::schedule::tree::nest;
use crate::schedule::{Checked, fail};
use proc_macro2::Span;

/// The sums of an element.
pub(super) struct Numbers {
    /// The result's variables, in the order of their loops.
    rows: Vec<String>,
    sums: Vec<Sum>,
    /// A sparse operand whose rows are summed.
    pub(super) tensor: TensorId,
    /// How many of its levels, from the root, are the result's.
    pub(super) levels: usize,
}

/// Loops that fill a number.
#[derive(PartialEq)]
struct Sum {
    /// The sparse operand.
    entries: Option<Access>,
    /// Its levels below the result's; of a dense sum, the first variable.
    along: Vec<String>,
    /// The other variables.
    rest: Vec<String>,
}

impl Numbers {
    /// Of a statement that has such sums alone, of one sparse operand at most each, and writes a dense result.
    pub(super) fn of(kernel: &Kernel, cin: &Cin) -> Option<Numbers> {
        let rows = nest(&cin.root);
        let mut at = cin.root.inside();
        let whole = rows.iter().all(|v| kernel.assignment.lhs.indices.contains(v)) && !rows.is_empty();
        if !whole || result_kind(kernel, cin) != ResultKind::Dense {
            return None;
        }
        let mut numbers = Numbers {
            rows: rows.iter().map(|v| cin.provenance.name(*v).to_owned()).collect(),
            sums: vec![],
            tensor: TensorId(0),
            levels: 0,
        };
        while let Stmt::Where { consumer, producer } = at {
            numbers.add(kernel, cin, &rows, producer)?;
            at = consumer;
        }
        let sparse = numbers.sums.iter().any(|s| s.entries.is_some());
        (matches!(at, Stmt::Assign { .. }) && sparse).then_some(numbers)
    }

    /// One more sum, if its loops are those of rows.
    fn add(&mut self, kernel: &Kernel, cin: &Cin, rows: &[IndexVar], producer: &Stmt) -> Option<()> {
        let mut rest = nest(producer);
        let Stmt::Assign { target: Target::Workspace(_, indices), op: Some(_), rhs } = producer.inside()
        else {
            return None;
        };
        let mut sparse: Vec<&Access> = vec![];
        rhs.for_each_access(&mut |a| {
            let stored = !kernel.tensors[a.tensor.index()].spec.is_dense();
            sparse.extend(Some(a).filter(|a| stored && !sparse.contains(a)));
        });
        let along = match sparse[..] {
            _ if !indices.is_empty() || rest.is_empty() => return None,
            [] => vec![rest.remove(0)],
            [a] => {
                let spec = &kernel.tensors[a.tensor.index()].spec;
                let mut levels = level_vars(spec, a);
                levels.truncate(spec.levels.len() - spec.block_levels());
                let count = levels.iter().take_while(|v| rows.contains(v)).count();
                let along = levels.split_off(count);
                // Rows are there to be taken: each is found without a search. And none has columns, which are better neighbours
                // to threads than entries are.
                let found = count == rows.len() && spec.levels[..count].iter().all(|l| l.is_full());
                if !found || along.is_empty() || !along.iter().all(|v| rest.contains(v)) {
                    return None;
                }
                rest.retain(|v| !along.contains(v));
                if self.sums.iter().all(|s| s.entries.is_none()) {
                    (self.tensor, self.levels) = (a.tensor, count);
                }
                along
            }
            _ => return None,
        };
        let names = |vars: Vec<IndexVar>| vars.iter().map(|v| cin.provenance.name(*v).to_owned()).collect();
        let entries = sparse.first().map(|a| (*a).clone());
        self.sums.push(Sum { entries, along: names(along), rest: names(rest) });
        Some(())
    }

    /// Sums whose loops commands tell apart: a command is about all loops over a variable, so that what is said of a sum is
    /// said of those over the same entries too.
    ///
    /// # Errors
    /// A variable of two sums over something else each.
    fn distinct(&self, span: Span) -> Checked<Vec<&Sum>> {
        let mut distinct: Vec<&Sum> = vec![];
        for sum in &self.sums {
            if distinct.contains(&sum) {
                continue;
            }
            if let Some(v) = sum.vars().find(|v| distinct.iter().any(|other| other.vars().any(|w| w == *v))) {
                return fail(
                    "shared-variable",
                    span,
                    format!(
                        "the sums over `{v}` go over different entries, and commands are about the loops of both"
                    ),
                    "write another variable in one of them, as in `A[i, j] * x[j] + B[i, k] * z[k]`",
                );
            }
            distinct.push(sum);
        }
        Ok(distinct)
    }

    /// # Errors
    /// What such sums have no use for.
    pub(super) fn commands(&self, plan: &mut Plan<'_>, point: &AtomicParallelism, span: Span) -> Checked<()> {
        let Data::Row(data) = point.data else {
            return fail(
                "sums-as-numbers",
                span,
                "sums stand as numbers in an expression: who has some entries of a row has not its whole sum",
                "balance by rows, `<1/8 row, 1 col>, 8`; or write the sum and the expression as two kernels",
            );
        };
        if point.columns != Amount::Whole(1) || point.scatter || point.vector || point.shared > 0 {
            return fail(
                "no-columns",
                span,
                "sums stand as numbers in an expression: a thread has one element of the result at a time",
                "write 1 column, and leave out `scatter`, `vector` and `shared`",
            );
        }
        let row = plan.fuse(&self.rows, "row");
        let several = |plan: &mut Plan<'_>, n: u32| match n {
            1 => row.clone(),
            n => plan.split(&row, "rows", "one", n).0,
        };
        match data {
            Amount::Part(g) => {
                if point.group != g {
                    return fail(
                        "number-of-a-group",
                        span,
                        format!(
                            "the {g} threads of a row have one sum, a number that they go on with together"
                        ),
                        format!("write {g} after the columns"),
                    );
                }
                let sums = self.distinct(span)?;
                let rows = several(plan, point.rows);
                let (block, warp) = plan.split(&rows, "block", "warp", point.threads / g);
                let lanes: Vec<String> = sums.iter().map(|sum| sum.on_lanes(plan, g)).collect();
                plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
                plan.parallelize(&warp, Unit::GpuWarp, Strategy::NoRaces);
                for lane in &lanes {
                    plan.parallelize(lane, Unit::GpuGroup(g), Strategy::ParallelReduction);
                }
            }
            Amount::Whole(n) => {
                let rows = several(plan, n);
                let (block, thread) = plan.split(&rows, "block", "thread", point.threads);
                plan.parallelize(&block, Unit::GpuBlock, Strategy::NoRaces);
                plan.parallelize(&thread, Unit::GpuThread, Strategy::NoRaces);
            }
        }
        Ok(())
    }
}

impl Sum {
    fn vars(&self) -> impl Iterator<Item = &String> {
        self.along.iter().chain(&self.rest)
    }

    /// Its terms by turns of so many: the variable of one of them.
    fn on_lanes(&self, plan: &mut Plan<'_>, lanes: u32) -> String {
        // Each sum has variables of its own, and so have its parts.
        let name = |of: &str| format!("{}{of}", self.along[0]);
        let along = plan.fuse(&self.along, &name("along"));
        let terms = match &self.entries {
            Some(access) => plan.pos(&along, &name("pos"), access),
            None => along,
        };
        let (step, lane) = plan.split(&terms, &name("step"), &name("lane"), lanes);
        plan.reorder(&[one(&lane), one(&step), &self.rest]);
        lane
    }
}
