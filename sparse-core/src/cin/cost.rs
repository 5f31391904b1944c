//! What loops cost before there is data: the work of CIN for operands of a size that stands for all.
//!
//! Every dimension has 2²⁰ coordinates, of which a sparse level at the root stores one in 16; below one coordinate any other
//! sparse level stores 16. So a loop over a whole dimension inside of another one is far from a loop over a row, as it is for
//! the large matrices that time matters for, and a sum over pairs of rows (n²) far from one over products of entries (n·16²).
//! Coordinates of different operands are independent. The unit is one step of a loop, or of a merge.

use super::order::level_vars;
use super::{Access, Cin, Expr, Stmt, Target, Workspace, WorkspaceFormat};
use crate::format::{Fill, Level};
use crate::front::ast::{IndexVar, Kernel};
use crate::scalar::{BinaryOp, UnaryOp};

/// Coordinates of a dimension.
const SIZE: f64 = (1 << 20) as f64;
/// Coordinates that a sparse root stores.
const ROOT: f64 = SIZE / 16.0;
/// Coordinates that a sparse level stores below one of the level above.
const ROW: f64 = 16.0;
/// Of two rows so many coordinates meet, by chance or by what they have in common.
const MEET: f64 = 0.5;
/// Of the terms that are summed in a row's list so many are elements of their own: rows that meet have coordinates in common.
const DISTINCT: f64 = MEET * MEET;
/// Steps of a search in a long list.
const SEARCH: f64 = 10.0;
/// An element of an array: not the next one in memory.
const ELEMENT: f64 = 2.0;
/// An element of a workspace whose coordinates are listed.
const LISTED: f64 = 3.0;
/// A look at whether the mask of a workspace lists a coordinate, which it does as often as coordinates of two rows meet.
const MARK: f64 = 0.5;
/// An element of a workspace of several dimensions: it is written, sorted, and read.
const SORTED: f64 = 8.0;
/// One that is summed there: many are equal, and as many are sorted as there are products.
const SUMMED: f64 = 32.0;
/// What threads cannot share as they share rows.
const SHARED: f64 = 2.0;

/// The steps that a kernel's loops make.
pub fn cost(kernel: &Kernel, cin: &Cin) -> f64 {
    let filled = vec![Filled::Unknown; cin.workspaces.len()];
    Work { kernel, cin, bound: Vec::new(), filled, masked: Vec::new() }.statement(&cin.root).steps
}

/// Does the loops' consumer of a workspace have a mask, outside of which nothing is scattered?
pub fn has_mask(kernel: &Kernel, cin: &Cin) -> bool {
    fn find(work: &mut Work<'_>, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Forall { var, body } => {
                work.bound.push(*var);
                let found = find(work, body);
                work.bound.pop();
                found
            }
            Stmt::Where { consumer, producer } => {
                let masked = producer.fills().is_some_and(|w| work.is_masked(consumer, w));
                masked || find(work, consumer) || find(work, producer)
            }
            Stmt::Assign { .. } => false,
        }
    }
    find(&mut Work { kernel, cin, bound: vec![], filled: vec![], masked: vec![] }, &cin.root)
}

/// What one run of a statement makes.
#[derive(Clone, Copy)]
struct Run {
    steps: f64,
    /// So many values are assigned.
    values: f64,
}

/// What is known of a workspace where it is read.
#[derive(Clone, Copy)]
enum Filled<'c> {
    Unknown,
    /// Inside of the loop, by this statement.
    Inside(&'c Stmt),
    /// Before, with so many elements.
    Before(f64),
}

/// Which coordinates a loop comes to.
#[derive(Clone, Copy)]
enum Coordinates {
    /// All of the dimension; any other list decides.
    All,
    /// Stored ones.
    Listed {
        count: f64,
        /// Steps to find them.
        steps: f64,
        /// Are they listed from the operand's root, so that a loop inside comes to the same list again?
        from_root: bool,
    },
}

struct Work<'c> {
    kernel: &'c Kernel,
    cin: &'c Cin,
    /// Variables of the loops around.
    bound: Vec<IndexVar>,
    filled: Vec<Filled<'c>>,
    /// Workspaces whose consumer has a mask.
    masked: Vec<Workspace>,
}

impl<'c> Work<'c> {
    fn statement(&mut self, stmt: &'c Stmt) -> Run {
        match stmt {
            Stmt::Forall { var, body } => {
                let (count, steps) = match self.of_statement(body, *var) {
                    Coordinates::All => (SIZE, SIZE),
                    Coordinates::Listed { count, steps, .. } => (count, steps),
                };
                let shared = self.bound.is_empty() && is_summed_over(body, *var);
                self.bound.push(*var);
                let body = self.statement(body);
                self.bound.pop();
                let each = if shared { SHARED * body.steps } else { body.steps };
                Run { steps: steps + count * each, values: count * body.values }
            }
            Stmt::Where { consumer, producer } => {
                self.masked.extend(producer.fills().filter(|w| self.is_masked(consumer, *w)));
                let first = self.statement(producer);
                let filled = producer.fills().map(Workspace::index);
                if let Some(w) = filled {
                    self.filled[w] = Filled::Before(first.values);
                }
                let then = self.statement(consumer);
                Run { steps: first.steps + then.steps, values: then.values }
            }
            Stmt::Assign { target, op, rhs } => {
                let (mut steps, mut values) = (1.0, 1.0);
                rhs.for_each_access(&mut |_| steps += 1.0);
                if let Target::Tensor(a) = target
                    && !self.goes_along(a)
                {
                    steps += ELEMENT;
                }
                if let Target::Workspace(w, _) = target {
                    let decl = &self.cin.workspaces[w.index()];
                    if self.masked.contains(w) {
                        return Run { steps: MARK + MEET * steps, values: MEET };
                    }
                    // Elements of blocks are counted as a GPU scatters them, one by one.
                    let format = if decl.block > 0 { WorkspaceFormat::Sort } else { decl.format };
                    steps += match (format, op) {
                        _ if decl.vars.is_empty() => 0.0,
                        (WorkspaceFormat::Dense, _) => ELEMENT,
                        (WorkspaceFormat::List | WorkspaceFormat::Hash, None) => LISTED,
                        (WorkspaceFormat::List | WorkspaceFormat::Hash, Some(_)) => {
                            values = DISTINCT;
                            LISTED
                        }
                        (WorkspaceFormat::Sort, None) => SORTED,
                        (WorkspaceFormat::Sort, Some(_)) => SUMMED,
                    };
                }
                Run { steps, values }
            }
        }
    }

    /// Does a statement read a workspace only where an operand lists a coordinate? What loops are worth is asked before they are
    /// lowered, where the value itself says it (`lower::scattered`).
    fn is_masked(&self, consumer: &Stmt, w: Workspace) -> bool {
        let decl = &self.cin.workspaces[w.index()];
        let ([var], WorkspaceFormat::List) = (&decl.vars[..], decl.format) else { return false };
        let lists = |a: &Access| {
            let spec = &self.kernel.tensors[a.tensor.index()].spec;
            let level = level_vars(spec, a).iter().position(|v| v == var);
            let vars = level_vars(spec, a);
            // It stands before the workspace is filled.
            let stands = |level: usize| vars[..level].iter().all(|v| self.bound.contains(v));
            let has_list = |level: usize| spec.levels[level].lists_coordinates();
            spec.fill == Fill::Zero && level.is_some_and(|level| has_list(level) && stands(level))
        };
        let read = value(consumer);
        read.any(&|e| matches!(e, Expr::Workspace(read, _) if *read == w)) && masks(read, w, &lists)
    }

    /// Do the innermost loop's iterations write one element after another?
    fn goes_along(&self, a: &Access) -> bool {
        let spec = &self.kernel.tensors[a.tensor.index()].spec;
        !spec.is_dense() || level_vars(spec, a).last() == self.bound.last()
    }

    /// The coordinates of a loop around a statement.
    fn of_statement(&mut self, stmt: &'c Stmt, var: IndexVar) -> Coordinates {
        match stmt {
            Stmt::Forall { var: inner, body } => {
                self.bound.push(*inner);
                let found = self.of_statement(body, var);
                self.bound.pop();
                found
            }
            Stmt::Where { consumer, producer } => {
                let filled = producer.fills().map(Workspace::index);
                if let Some(w) = filled {
                    self.filled[w] = Filled::Inside(producer);
                }
                self.of_statement(consumer, var)
            }
            Stmt::Assign { target, rhs, .. } => match (target, rhs) {
                // What is gathered lists the coordinates that it has.
                (Target::Tensor(_), Expr::Workspace(w, vars)) => match self.filled[w.index()] {
                    Filled::Before(values) => self.of_elements(values, vars, var),
                    Filled::Unknown | Filled::Inside(_) => self.of_value(rhs, var),
                },
                _ => self.of_value(rhs, var),
            },
        }
    }

    fn of_value(&mut self, e: &'c Expr, var: IndexVar) -> Coordinates {
        match e {
            Expr::Access(a) => self.of_access(a, var),
            Expr::Workspace(w, vars) => match self.filled[w.index()] {
                Filled::Before(_) if !self.cin.workspaces[w.index()].format.is_sparse() => Coordinates::All,
                Filled::Inside(producer) => self.of_statement(producer, self.inner(*w, vars, var)),
                Filled::Before(values) => match self.of_elements(values, vars, var) {
                    // A copy has all of its rows, empty ones too.
                    Coordinates::Listed { count: SIZE, from_root: true, .. } if vars.len() > 1 => {
                        Coordinates::All
                    }
                    other => other,
                },
                Filled::Unknown => Coordinates::All,
            },
            Expr::Literal(_) | Expr::Scalar(_) => Coordinates::All,
            Expr::Unary(op, a) => match op {
                UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt | UnaryOp::Sin | UnaryOp::Tanh => {
                    self.of_value(a, var)
                }
                UnaryOp::Floor | UnaryOp::Ceil => self.of_value(a, var),
                UnaryOp::Not | UnaryOp::Exp | UnaryOp::Ln | UnaryOp::Cos => Coordinates::All,
            },
            Expr::Binary(op, a, b) => {
                let (first, second) = (self.of_value(a, var), self.of_value(b, var));
                match op {
                    BinaryOp::Mul | BinaryOp::And => self.meeting(first, second),
                    // min-plus: what is not stored is infinitely far.
                    BinaryOp::Add if self.is_infinite(a) || self.is_infinite(b) => {
                        self.meeting(first, second)
                    }
                    BinaryOp::Div => first,
                    _ => joined(first, second),
                }
            }
        }
    }

    /// A workspace's dimension that is read by a variable, as the loops that fill it have it.
    fn inner(&self, w: Workspace, vars: &[IndexVar], var: IndexVar) -> IndexVar {
        let dim = vars.iter().position(|v| *v == var);
        let Filled::Inside(producer) = self.filled[w.index()] else { return var };
        match (dim, producer.target()) {
            (Some(dim), Target::Workspace(_, written)) => written.get(dim).copied().unwrap_or(var),
            _ => var,
        }
    }

    fn of_access(&self, a: &Access, var: IndexVar) -> Coordinates {
        let spec = &self.kernel.tensors[a.tensor.index()].spec;
        let vars = level_vars(spec, a);
        let Some(level) = vars.iter().position(|v| *v == var) else { return Coordinates::All };
        // What has no loop around is located.
        if !vars[..level].iter().all(|v| self.bound.contains(v)) {
            return Coordinates::All;
        }
        match spec.levels[level] {
            Level::Dense => Coordinates::All,
            Level::Compressed { .. } | Level::Singleton { .. } if level == 0 => listed(ROOT, true),
            Level::Singleton { .. } if spec.levels[level - 1].is_unique() => listed(1.0, false),
            Level::Compressed { .. } | Level::Singleton { .. } => listed(ROW, false),
        }
    }

    /// Of a workspace that is read by its coordinates.
    fn of_elements(&self, values: f64, vars: &[IndexVar], var: IndexVar) -> Coordinates {
        let Some(level) = vars.iter().position(|v| *v == var) else { return Coordinates::All };
        if !vars[..level].iter().all(|v| self.bound.contains(v)) {
            return Coordinates::All;
        }
        // Each level but the last one has as many coordinates as a dimension, if there are as many elements.
        let above: f64 = (0..level).fold(1.0, |above, _| above * (values / above).clamp(1.0, SIZE));
        listed((values / above).clamp(1.0, SIZE), level == 0)
    }

    fn meeting(&self, a: Coordinates, b: Coordinates) -> Coordinates {
        match (a, b) {
            (Coordinates::All, other) | (other, Coordinates::All) => other,
            (
                Coordinates::Listed { count: m, steps: p, from_root: a },
                Coordinates::Listed { count: n, steps: q, from_root: b },
            ) => {
                let count = if a || b { m * n / SIZE } else { MEET * m.min(n) };
                // A list that loops around come to again is searched.
                let (few, many) = if m < n { (p, q) } else { (q, p) };
                let searched = (a || b) && !self.bound.is_empty() && few * SEARCH < many;
                let steps = if searched { few * SEARCH } else { p + q };
                Coordinates::Listed { count, steps, from_root: a && b }
            }
        }
    }

    /// Is what an operand does not store infinite?
    fn is_infinite(&self, e: &Expr) -> bool {
        e.any(&|e| match e {
            Expr::Access(a) => {
                let spec = &self.kernel.tensors[a.tensor.index()].spec;
                matches!(spec.fill, Fill::PosInf | Fill::NegInf)
            }
            _ => false,
        })
    }
}

fn listed(count: f64, from_root: bool) -> Coordinates {
    Coordinates::Listed { count, steps: count, from_root }
}

fn joined(a: Coordinates, b: Coordinates) -> Coordinates {
    match (a, b) {
        (Coordinates::All, _) | (_, Coordinates::All) => Coordinates::All,
        (
            Coordinates::Listed { count: m, steps: p, from_root: a },
            Coordinates::Listed { count: n, steps: q, from_root: b },
        ) => Coordinates::Listed { count: (m + n).min(SIZE), steps: p + q, from_root: a || b },
    }
}

/// What a statement assigns in the end.
fn value(stmt: &Stmt) -> &Expr {
    match stmt {
        Stmt::Forall { body, .. } => value(body),
        Stmt::Where { consumer, .. } => value(consumer),
        Stmt::Assign { rhs, .. } => rhs,
    }
}

/// Is every read of a workspace in a product with an operand that lists its coordinates?
fn masks(e: &Expr, w: Workspace, lists: &impl Fn(&Access) -> bool) -> bool {
    match e {
        Expr::Workspace(read, _) => *read != w,
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => true,
        Expr::Unary(_, a) => masks(a, w, lists),
        Expr::Binary(BinaryOp::Mul, ..)
            if product(e).into_iter().any(|f| matches!(f, Expr::Access(a) if lists(a))) =>
        {
            true
        }
        Expr::Binary(_, a, b) => masks(a, w, lists) && masks(b, w, lists),
    }
}

/// The factors of a product.
fn product(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::Binary(BinaryOp::Mul, a, b) => [product(a), product(b)].concat(),
        factor => vec![factor],
    }
}

/// Does each iteration of a loop add to the same elements?
fn is_summed_over(body: &Stmt, var: IndexVar) -> bool {
    let (Target::Tensor(Access { indices, .. }) | Target::Workspace(_, indices)) = body.target();
    !indices.contains(&var)
}
