//! A CIN program as one nest: reductions and producers stand in the value, where they are read.

use super::launches::launches;
use super::val::{AccessId, Nest, Production, Val};
use super::{Access, Cin, Expr, Stmt, Target, Workspace};
use crate::front::ast::IndexVar;

/// A CIN program as one nest: a target, and a nest whose value has reductions and producers inside.
#[derive(Clone, Debug)]
pub struct Nested {
    /// Written tensor element.
    pub lhs: Access,
    /// The loops around the assignment to it.
    pub nest: Nest,
    /// Distinct accesses of the right-hand side, by [`AccessId`].
    pub accesses: Vec<Access>,
}

impl Nested {
    /// Reads CIN; `None` if its root fills a workspace, or a workspace is read outside its consumer.
    pub fn from_cin(cin: &Cin) -> Option<Nested> {
        let parts = cin.workspaces.iter().map(|w| w.part).collect();
        let arrays = launches(cin).into_iter().filter_map(|launch| launch.fills).collect();
        let mut reader = Reader { parts, arrays, productions: Vec::new(), accesses: Vec::new() };
        let (target, nest) = reader.nest(&cin.root)?;
        match target {
            Target::Tensor(lhs) => Some(Nested { lhs, nest, accesses: reader.accesses }),
            Target::Workspace(..) => None,
        }
    }
}

struct Reader {
    /// The workspaces that hold parts of products, by number.
    parts: Vec<bool>,
    /// Those that a GPU's launches fill before the statement's own.
    arrays: Vec<Workspace>,
    /// Filled so far: the workspace, the element its producer writes, the producer, and whether consumers have loops
    /// of their own, over all of which it lives.
    productions: Vec<(Workspace, Vec<IndexVar>, Nest, bool)>,
    accesses: Vec<Access>,
}

impl Reader {
    fn nest(&mut self, s: &Stmt) -> Option<(Target, Nest)> {
        let mut loops = Vec::new();
        let mut opened = Vec::new();
        let mut at = s;
        loop {
            match at {
                Stmt::Forall { var, body } => {
                    loops.push(*var);
                    at = body;
                }
                Stmt::Where { consumer, producer } => {
                    let (Target::Workspace(w, written), nest) = self.nest(producer)? else { return None };
                    let in_place = match nest.op {
                        Some(_) => nest.opens.is_empty(),
                        None => nest.loops.is_empty(),
                    };
                    // What is done with a part depends on whether it has terms.
                    let is_part = self.parts.get(w.index()).is_some_and(|part| *part);
                    let apart = is_part || self.arrays.contains(&w);
                    let lives = has_loops(consumer) || !written.is_empty() || !in_place || apart;
                    if lives {
                        opened.push((loops.len(), w));
                    }
                    self.productions.push((w, written, nest, lives));
                    at = consumer;
                }
                Stmt::Assign { target, op, rhs } => {
                    let opens = opened.into_iter().map(|(outside, w)| (loops.len() - outside, w)).collect();
                    let rhs = self.value(rhs)?;
                    return Some((target.clone(), Nest { loops, opens, op: *op, rhs }));
                }
            }
        }
    }

    fn value(&mut self, e: &Expr) -> Option<Val> {
        Some(match e {
            Expr::Access(a) => Val::Access(intern(&mut self.accesses, a)),
            Expr::Workspace(w, read) => self.workspace(*w, read)?,
            Expr::Literal(v) => Val::Lit(*v),
            Expr::Scalar(n) => Val::Param(*n),
            Expr::Unary(op, a) => Val::Un(*op, Box::new(self.value(a)?)),
            Expr::Binary(op, a, b) => Val::Op(*op, vec![self.value(a)?, self.value(b)?]),
        })
    }

    fn workspace(&self, w: Workspace, read: &[IndexVar]) -> Option<Val> {
        let (_, written, nest, lives) = self.productions.iter().find(|p| p.0 == w)?;
        Some(match nest {
            // Used where it is computed: a scalar's sum, or the value itself.
            Nest { loops, op: Some(m), rhs, .. } if !lives => {
                Val::Reduce(*m, loops.clone(), Box::new(rhs.clone()))
            }
            Nest { op: None, rhs, .. } if !lives => rhs.clone(),
            nest => Val::Work(Box::new(Production {
                workspace: w,
                read: read.to_vec(),
                written: written.clone(),
                nest: nest.clone(),
            })),
        })
    }
}

/// Are there loops between a `where` and its consumer's assignment?
fn has_loops(consumer: &Stmt) -> bool {
    match consumer {
        Stmt::Forall { .. } => true,
        Stmt::Where { consumer, .. } => has_loops(consumer),
        Stmt::Assign { .. } => false,
    }
}

/// The number of an access, new if it has none.
pub fn intern(accesses: &mut Vec<Access>, a: &Access) -> AccessId {
    let at = accesses.iter().position(|b| b == a).unwrap_or_else(|| {
        accesses.push(a.clone());
        accesses.len() - 1
    });
    AccessId(at as u32)
}
