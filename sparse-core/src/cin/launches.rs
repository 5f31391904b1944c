//! Which loops of a GPU's are launches of their own: those that fill a dense workspace outside of all loops, which is an array of
//! the call.

use super::provenance::Relation;
use super::{Access, Cin, Expr, Stmt, Target, Workspace, WorkspaceFormat};
use crate::format::TensorId;
use crate::front::ast::IndexVar;
use crate::front::command::Unit;

/// Loops of one launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loops {
    /// The workspace that they fill; `None`: the statement's own.
    pub fills: Option<Workspace>,
    /// Their variables, outermost first.
    pub vars: Vec<IndexVar>,
    /// Those of the element that they write.
    pub writes: Vec<IndexVar>,
}

/// The launches of a scheduled program, the statement's own last. What is gathered in a sparse workspace is among the loops of
/// what reads it: no command chooses its threads.
pub fn launches(cin: &Cin) -> Vec<Loops> {
    let mut found = Vec::new();
    let vars = own_loops(cin, &cin.root, &mut found);
    found.push(Loops { fills: None, vars, writes: cin.root.writes().to_vec() });
    found
}

/// The statement's own.
pub fn own(cin: &Cin) -> Loops {
    let vars = own_loops(cin, &cin.root, &mut vec![]);
    Loops { fills: None, vars, writes: cin.root.writes().to_vec() }
}

/// The loops of a statement without those of the launches before it.
fn own_loops(cin: &Cin, s: &Stmt, found: &mut Vec<Loops>) -> Vec<IndexVar> {
    let Stmt::Where { consumer, producer } = s else { return s.loops() };
    let fills = own_loops(cin, producer, found);
    let mut reads = own_loops(cin, consumer, found);
    match producer.fills().filter(|w| is_array(cin, *w, producer, &fills, &reads)) {
        Some(w) => found.push(Loops { fills: Some(w), vars: fills, writes: producer.writes().to_vec() }),
        None => reads.extend(fills.into_iter().filter(|v| !reads.contains(v)).collect::<Vec<_>>()),
    }
    reads
}

/// Blocks do not wait for each other in a launch: what they fill or read together is an array of the call. What is no part of a
/// dimension is; a number that no unit sums is each thread's own.
fn is_array(cin: &Cin, w: Workspace, producer: &Stmt, fills: &[IndexVar], reads: &[IndexVar]) -> bool {
    let p = &cin.provenance;
    let Some(decl) = cin.workspaces.get(w.index()) else { return false };
    let unit = |v: &IndexVar| p.tag(*v).parallel.map(|(unit, _)| unit).filter(|unit| unit.is_gpu());
    let on_blocks = fills.iter().chain(reads).any(|v| unit(v) == Some(Unit::GpuBlock));
    let whole = |vars: &[IndexVar]| vars.iter().all(|v| p.made_by(*v).is_none());
    decl.format == WorkspaceFormat::Dense
        && !decl.part
        && on_blocks
        && whole(&decl.vars)
        && whole(producer.writes())
        && (!decl.vars.is_empty() || fills.iter().any(|v| unit(v).is_some()))
}

/// What is read or written: a tensor, or a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A tensor.
    Tensor(TensorId),
    /// A workspace.
    Workspace(Workspace),
}

impl Place {
    fn target(self, indices: Vec<IndexVar>) -> Target {
        match self {
            Place::Tensor(tensor) => Target::Tensor(Access { tensor, indices }),
            Place::Workspace(w) => Target::Workspace(w, indices),
        }
    }

    fn read(self, indices: Vec<IndexVar>) -> Expr {
        match self {
            Place::Tensor(tensor) => Expr::Access(Access { tensor, indices }),
            Place::Workspace(w) => Expr::Workspace(w, indices),
        }
    }
}

/// From one program's variables, tensors and workspaces to another's, in which some of the tensors may be workspaces.
pub struct Translation<'a> {
    /// Variables.
    pub var: &'a dyn Fn(IndexVar) -> IndexVar,
    /// Tensors.
    pub tensor: &'a dyn Fn(TensorId) -> Place,
    /// Workspaces.
    pub workspace: &'a dyn Fn(Workspace) -> Place,
}

impl Translation<'_> {
    fn vars(&self, vars: &[IndexVar]) -> Vec<IndexVar> {
        vars.iter().map(|v| (self.var)(*v)).collect()
    }

    /// A statement.
    pub fn stmt(&self, s: &Stmt) -> Stmt {
        match s {
            Stmt::Forall { var, body } => {
                Stmt::Forall { var: (self.var)(*var), body: Box::new(self.stmt(body)) }
            }
            Stmt::Where { consumer, producer } => Stmt::Where {
                consumer: Box::new(self.stmt(consumer)),
                producer: Box::new(self.stmt(producer)),
            },
            Stmt::Assign { target, op, rhs } => {
                let target = match target {
                    Target::Tensor(a) => (self.tensor)(a.tensor).target(self.vars(&a.indices)),
                    Target::Workspace(w, indices) => (self.workspace)(*w).target(self.vars(indices)),
                };
                Stmt::Assign { target, op: *op, rhs: self.expr(rhs) }
            }
        }
    }

    fn expr(&self, e: &Expr) -> Expr {
        match e {
            Expr::Access(a) => (self.tensor)(a.tensor).read(self.vars(&a.indices)),
            Expr::Workspace(w, indices) => (self.workspace)(*w).read(self.vars(indices)),
            Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
            Expr::Unary(op, a) => Expr::Unary(*op, Box::new(self.expr(a))),
            Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(self.expr(a)), Box::new(self.expr(b))),
        }
    }

    /// What a command has related; positions are a tensor's.
    pub fn relation(&self, r: &Relation) -> Relation {
        let v = self.var;
        match *r {
            Relation::Split { parent, outer, inner, part } => {
                Relation::Split { parent: v(parent), outer: v(outer), inner: v(inner), part }
            }
            Relation::Fuse { outer, inner, fused } => {
                Relation::Fuse { outer: v(outer), inner: v(inner), fused: v(fused) }
            }
            Relation::Pos { coord, pos, ref access } => {
                let tensor = match (self.tensor)(access.tensor) {
                    Place::Tensor(tensor) => tensor,
                    Place::Workspace(_) => access.tensor,
                };
                let access = Access { tensor, indices: self.vars(&access.indices) };
                Relation::Pos { coord: v(coord), pos: v(pos), access }
            }
            Relation::Coord { pos, coord } => Relation::Coord { pos: v(pos), coord: v(coord) },
            Relation::Bound { parent, child, size, exact } => {
                Relation::Bound { parent: v(parent), child: v(child), size, exact }
            }
        }
    }
}
