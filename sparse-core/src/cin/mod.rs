//! Concrete index notation (CIN): index notation with its loops written out.
//!
//! `∀i ∀j y[i] += A[i, j] * x[j]` fixes the order of the loops and says where each reduction happens. A reduction
//! below the root of an expression is a scalar workspace: `(y[i] = t + b[i]) where (∀j t += A[i, j] * x[j])`; the
//! workspace is declared where the `where` stands, outside its producer's loops; one made by `precompute` is an array
//! over the precomputed variables. Scheduling commands rewrite CIN into CIN and record what they did in the
//! [`Provenance`] graph; lowering reads both.

pub mod algebra;
pub mod assembly;
pub mod check;
pub mod concretize;
pub mod copies;
pub mod cost;
pub mod densify;
pub mod grid;
pub mod launches;
pub mod nested;
pub mod order;
pub mod parts;
pub mod print;
pub mod provenance;
pub mod rename;
pub mod result;
pub mod single;
pub mod terms;
pub mod val;
pub mod verify;
pub mod way;

use crate::format::TensorId;
pub use crate::format::WorkspaceFormat;
use crate::front::ast::IndexVar;
use crate::scalar::{BinaryOp, Monoid, UnaryOp, Value};
pub use provenance::Provenance;

/// A workspace, by number in its [`Cin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Workspace(pub u32);

impl Workspace {
    /// As an index into a table of workspaces.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `A[i, j]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorId,
    /// One index variable a dimension.
    pub indices: Vec<IndexVar>,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A tensor's element.
    Access(Access),
    /// An element of a workspace; a scalar one has no indices.
    Workspace(Workspace, Vec<IndexVar>),
    /// A literal.
    Literal(Value),
    /// A scalar parameter.
    Scalar(usize),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Its operator and operands, if it has two of these.
    pub fn binary(&self) -> Option<(BinaryOp, &Expr, &Expr)> {
        match self {
            Expr::Binary(op, a, b) => Some((*op, a, b)),
            _ => None,
        }
    }

    /// Is something true of a part of it?
    pub fn any(&self, is: &impl Fn(&Expr) -> bool) -> bool {
        is(self)
            || match self {
                Expr::Access(_) | Expr::Workspace(..) | Expr::Literal(_) | Expr::Scalar(_) => false,
                Expr::Unary(_, a) => a.any(is),
                Expr::Binary(_, a, b) => a.any(is) || b.any(is),
            }
    }

    /// The first workspace that is read with such indices, and the indices.
    pub fn workspace(
        &self,
        is: &impl Fn(Workspace, &[IndexVar]) -> bool,
    ) -> Option<(Workspace, &[IndexVar])> {
        match self {
            Expr::Workspace(w, indices) => is(*w, indices).then_some((*w, indices)),
            Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => None,
            Expr::Unary(_, a) => a.workspace(is),
            Expr::Binary(_, a, b) => a.workspace(is).or_else(|| b.workspace(is)),
        }
    }

    /// Calls `f` on every workspace that is read, left to right.
    pub fn for_each_workspace(&self, f: &mut impl FnMut(Workspace)) {
        match self {
            Expr::Workspace(w, _) => f(*w),
            Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => {}
            Expr::Unary(_, a) => a.for_each_workspace(f),
            Expr::Binary(_, a, b) => {
                a.for_each_workspace(f);
                b.for_each_workspace(f);
            }
        }
    }

    /// Calls `f` on every access, left to right.
    pub fn for_each_access<'a>(&'a self, f: &mut impl FnMut(&'a Access)) {
        match self {
            Expr::Access(a) => f(a),
            Expr::Workspace(..) | Expr::Literal(_) | Expr::Scalar(_) => {}
            Expr::Unary(_, a) => a.for_each_access(f),
            Expr::Binary(_, a, b) => {
                a.for_each_access(f);
                b.for_each_access(f);
            }
        }
    }
}

/// What an assignment writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An element of the output.
    Tensor(Access),
    /// An element of a workspace.
    Workspace(Workspace, Vec<IndexVar>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// `∀var body`
    Forall {
        /// The loop's variable.
        var: IndexVar,
        /// What it repeats.
        body: Box<Stmt>,
    },
    /// `consumer where producer`
    Where {
        /// Uses the workspace.
        consumer: Box<Stmt>,
        /// Fills the workspace.
        producer: Box<Stmt>,
    },
    /// `target = rhs` or `target op= rhs`
    Assign {
        /// Written place.
        target: Target,
        /// Reduction, if any.
        op: Option<Monoid>,
        /// Value.
        rhs: Expr,
    },
}

/// A declared workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceDecl {
    /// `t0` for the sums of index notation, the user's name for those of `precompute`.
    pub name: String,
    /// The consumer's variables, whose sizes are the workspace's dimensions; none for a scalar.
    pub vars: Vec<IndexVar>,
    /// How it is stored.
    pub format: WorkspaceFormat,
    /// So many of its last dimensions are a dense block below each coordinate of the others: the producer writes all of it, or
    /// nothing. A list of the others has whole blocks, on a CPU; on a GPU elements are scattered one by one.
    pub block: usize,
    /// May threads fill or sort it, before all loops, in parts of what its producer scatters? Nobody scheduled that: its loops
    /// have no tag.
    pub in_parts: bool,
    /// Is it a part of a product, with which nothing is done where its sum has no term? Of an array all elements have terms, or none,
    /// but for [`WorkspaceDecl::rows`].
    pub part: bool,
    /// Of an array outside of all loops that holds a part of a product: the operand with which it shares its rows, whose sums have
    /// terms where that has entries.
    pub rows: Option<Access>,
}

/// A kernel's program in concrete index notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cin {
    /// The statement.
    pub root: Stmt,
    /// Workspaces, by number.
    pub workspaces: Vec<WorkspaceDecl>,
    /// Where the index variables come from, and what the schedule says about their loops.
    pub provenance: Provenance,
    /// Does the statement combine with what an in-place output already holds?
    pub accumulates: bool,
}

/// Other programs for the same statement, which are lowered into one with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// There are none.
    #[default]
    Nothing,
    /// Each is for calls that those before it are not for: with fewer parts of products in arrays outside of all loops, the last
    /// without. On a CPU.
    ForOtherCalls(Vec<Cin>),
    /// Its blocks assemble the rows that scatter much, and the statement's program the others. On a GPU.
    OnBlocks(Box<Cin>),
}

impl Beside {
    /// Those for other calls, in the order in which they are asked.
    pub fn for_other_calls(&self) -> &[Cin] {
        match self {
            Beside::ForOtherCalls(others) => others,
            Beside::Nothing | Beside::OnBlocks(_) => &[],
        }
    }

    /// The one that has rows on blocks.
    pub fn on_blocks(&self) -> Option<&Cin> {
        match self {
            Beside::OnBlocks(cin) => Some(cin),
            Beside::Nothing | Beside::ForOtherCalls(_) => None,
        }
    }
}

impl Cin {
    /// What fills the workspaces that stand outside of all loops, and these, the outermost first.
    pub fn outside(&self) -> impl Iterator<Item = (&Stmt, &WorkspaceDecl)> {
        let mut at = &self.root;
        std::iter::from_fn(move || {
            let Stmt::Where { consumer, producer } = at else { return None };
            at = consumer;
            Some((&**producer, self.workspaces.get(producer.fills()?.index())?))
        })
    }

    /// The sparse workspaces inside of loops. What is filled before all loops is none of a row.
    pub fn scattered_in_rows(&self) -> impl Iterator<Item = &WorkspaceDecl> {
        let before: Vec<&WorkspaceDecl> = self.outside().map(|(_, w)| w).collect();
        let inside = move |w: &&WorkspaceDecl| !before.iter().any(|b| std::ptr::eq(*b, *w));
        self.workspaces.iter().filter(|w| w.format.is_sparse()).filter(inside)
    }
}

impl Stmt {
    /// What it assigns.
    pub fn target(&self) -> &Target {
        match self {
            Stmt::Forall { body, .. } => body.target(),
            Stmt::Where { consumer, .. } => consumer.target(),
            Stmt::Assign { target, .. } => target,
        }
    }

    /// What is inside of the loops that stand around it.
    pub fn inside(&self) -> &Stmt {
        match self {
            Stmt::Forall { body, .. } => body.inside(),
            _ => self,
        }
    }

    /// The variables of the element that it writes.
    pub fn writes(&self) -> &[IndexVar] {
        match self.target() {
            Target::Tensor(a) => &a.indices,
            Target::Workspace(_, indices) => indices,
        }
    }

    /// The workspace that it fills, if not the output.
    pub fn fills(&self) -> Option<Workspace> {
        match self.target() {
            Target::Workspace(w, _) => Some(*w),
            Target::Tensor(_) => None,
        }
    }

    /// The variables of all loops, outermost first, each once; a consumer's before its producer's.
    pub fn loops(&self) -> Vec<IndexVar> {
        fn find(s: &Stmt, found: &mut Vec<IndexVar>) {
            match s {
                Stmt::Forall { var, body } => {
                    if !found.contains(var) {
                        found.push(*var);
                    }
                    find(body, found);
                }
                Stmt::Where { consumer, producer } => {
                    find(consumer, found);
                    find(producer, found);
                }
                Stmt::Assign { .. } => {}
            }
        }
        let mut found = vec![];
        find(self, &mut found);
        found
    }

    /// `∀v…` around a statement, the first variable outermost.
    pub fn nest(vars: &[IndexVar], body: Stmt) -> Stmt {
        vars.iter().rev().fold(body, |body, &var| Stmt::Forall { var, body: Box::new(body) })
    }
}
