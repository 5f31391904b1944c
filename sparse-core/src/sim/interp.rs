//! Executes the steps of a program, one statement after another.
//!
//! The program is verified, so that an expression's type says which of the three evaluators reads it, and variables are
//! slots. What the verifier cannot decide is checked here: see [`Fault`]. Iterations over lanes run backwards: they
//! are independent, or the results show it.

use super::fault::{Access, Fault, InterpError};
use super::grid::{LaunchReport, Order};
use super::memory::{Cells, Checked, Memory};
use super::races::Races;
use super::threads::ThreadLoop;
use super::workspaces::Blocks;
use crate::llir::print::{print_headline, print_step_headline};
use crate::llir::{
    Bound, BufferId, Cmp, Elem, Expr, IndexOp, Init, LoopKind, MOST, Program, Space, Step, Stmt, Ty, VarId,
    build, marks_below, place_of,
};
use crate::scalar::{BinaryOp, DType, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A program's state as it runs.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) memory: Vec<Memory<'a>>,
    /// Is it a program of launches, whose arrays are on a device?
    launches: bool,
    /// Variables by number, each in the table of its type.
    pub(super) indices: Vec<u64>,
    pub(super) scalars: Vec<Value>,
    conds: Vec<bool>,
    pub(super) steps: u64,
    pub(super) max_steps: u64,
    /// What sparse workspaces hold, by coordinates.
    pub(super) workspaces: Vec<BTreeMap<Vec<u64>, Value>>,
    /// The same of those that have blocks.
    pub(super) blocks: Vec<Blocks>,
    /// What sparse workspaces take that are masked.
    pub(super) masks: Vec<BTreeSet<u64>>,
    /// What the launches up to now cost.
    pub(super) reports: Vec<LaunchReport>,
    /// Inside a loop on threads.
    pub(super) races: Option<RefCell<Races<'a>>>,
    /// Of blocks and warps.
    pub(super) order: Order,
}

impl<'a> Machine<'a> {
    /// Nothing is bound yet.
    pub(super) fn new(program: &'a Program, max_steps: u64) -> Self {
        let vars = program.vars.len();
        Machine {
            program,
            memory: program.buffers.iter().map(Memory::empty).collect(),
            launches: program.steps.iter().any(|step| matches!(step, Step::Launch(_))),
            indices: vec![0; vars],
            scalars: vec![Value::Bool(false); vars],
            conds: vec![false; vars],
            steps: 0,
            max_steps,
            workspaces: vec![BTreeMap::new(); program.workspaces.len()],
            blocks: vec![Blocks::default(); program.workspaces.len()],
            masks: vec![BTreeSet::new(); program.workspaces.len()],
            reports: vec![],
            races: None,
            order: Order::Ascending,
        }
    }

    pub(super) fn bind(&mut self, buffer: BufferId, cells: Cells<'a>) {
        self.memory[buffer.index()].bind(cells);
    }

    pub(super) fn set_index(&mut self, var: VarId, value: u64) {
        self.indices[var.index()] = value;
    }

    pub(super) fn set_scalar(&mut self, var: VarId, value: Value) {
        self.scalars[var.index()] = value;
    }

    /// Runs every step, and gives the buffers' final contents by number, and what the launches cost.
    pub(super) fn run(mut self) -> Result<(Vec<Cells<'a>>, Vec<LaunchReport>), InterpError> {
        let program = self.program;
        for step in &program.steps {
            let done = match step {
                Step::Run(block) => {
                    self.block(block)?;
                    Ok(())
                }
                Step::Launch(launch) => {
                    self.launch(launch)?;
                    Ok(())
                }
                step => self.host_step(step),
            };
            let place = || format!("`{}`", print_step_headline(program, step));
            done.map_err(|fault| InterpError { fault: *fault, place: place(), thread: None })?;
        }
        let finished = self.memory.into_iter().map(Memory::into_cells).collect::<Checked<_>>();
        let finished = finished.map_err(|fault| InterpError {
            fault: *fault,
            place: "the end of the program".into(),
            thread: None,
        })?;
        Ok((finished, self.reports))
    }

    fn host_step(&mut self, step: &Step) -> Checked<()> {
        match step {
            Step::Allocate { buffer, len, init } => {
                let len = self.index(len)?;
                let memory = &mut self.memory[buffer.index()];
                if self.launches {
                    memory.allocate_on_device(len, *init)
                } else {
                    memory.allocate(len, *init)
                }
            }
            Step::Reserve { buffer, capacity, exact } => {
                let capacity = capacity.as_ref().map(|c| self.index(c)).transpose()?;
                // An array of positions has one element more than there are positions.
                if *exact && capacity.is_some_and(|c| c > MOST) {
                    return Err(Box::new(Fault::TooManyEntries));
                }
                self.memory[buffer.index()].reserve(capacity);
                Ok(())
            }
            Step::Read { var, buffer, index } => {
                self.indices[var.index()] = self.read_back(*buffer, index)?;
                Ok(())
            }
            Step::AtMost { var, most, within, buffer, index } => {
                let most = self.index(most)?;
                self.indices[var.index()] = if most <= *within {
                    let entries = self.read_back(*buffer, index)?;
                    if entries > most {
                        let buffer = self.program.buffer(*buffer).name.clone();
                        return Err(Box::new(Fault::OverBound { buffer, entries, most }));
                    }
                    most
                } else {
                    self.read_back(*buffer, index)?
                };
                Ok(())
            }
            Step::Let { var, value } => {
                self.indices[var.index()] = self.index(value)?;
                Ok(())
            }
            Step::Fits { misfits, columns, len } => {
                if self.memory[misfits.index()].load_index(0)? == 0 {
                    return Ok(());
                }
                let len = self.index(len)?;
                let column = |c: &BufferId| -> Checked<Vec<i32>> {
                    let memory = &self.memory[c.index()];
                    (0..len).map(|e| Ok(memory.load_index(e)? as i32)).collect()
                };
                let columns = columns.iter().map(column).collect::<Checked<_>>()?;
                Err(Box::new(Fault::NotOneEntry { columns }))
            }
            Step::Fill { buffer, value } => {
                self.memory[buffer.index()].fill(*value);
                Ok(())
            }
            // What is stored of an argument is set before the first step.
            Step::Fibers { .. } | Step::Run(_) | Step::Launch(_) => Ok(()),
        }
    }

    /// An element that launches wrote.
    fn read_back(&self, buffer: BufferId, index: &Expr) -> Checked<u64> {
        let entries = self.memory[buffer.index()].load_index(self.index(index)?)?;
        if entries >= MOST { Err(Box::new(Fault::TooManyEntries)) } else { Ok(entries) }
    }

    pub(super) fn block(&mut self, block: &[Stmt]) -> Result<(), InterpError> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// Statements with blocks; the others are [`Machine::simple`].
    fn stmt(&mut self, stmt: &Stmt) -> Result<(), InterpError> {
        let program = self.program;
        let here = |fault: Box<Fault>| InterpError {
            fault: *fault,
            place: format!("`{}`", print_headline(program, stmt)),
            thread: None,
        };
        self.count().map_err(here)?;
        match stmt {
            Stmt::For { var, lo, hi, step, kind, body } => {
                let lo = self.index(lo).map_err(here)?;
                let hi = self.index(hi).map_err(here)?;
                let step = u64::from(*step);
                let trips = hi.saturating_sub(lo).div_ceil(step);
                for trip in 0..trips {
                    let trip = if *kind == LoopKind::Lanes { trips - 1 - trip } else { trip };
                    self.count().map_err(here)?;
                    self.indices[var.index()] = lo + trip * step;
                    self.block(body)?;
                }
                Ok(())
            }
            Stmt::Threads { var, lo, hi, work, balance, private, appends, body } => {
                let (var, balance, private, appends) = (*var, &balance[..], *private, appends.as_ref());
                self.thread_loop(&ThreadLoop { var, lo, hi, work, balance, private, appends, body }, &here)
            }
            Stmt::While { cond, body } => {
                while self.cond(cond).map_err(here)? {
                    self.count().map_err(here)?;
                    self.block(body)?;
                }
                Ok(())
            }
            Stmt::If { cond, then, otherwise } => {
                let taken = if self.cond(cond).map_err(here)? { then } else { otherwise };
                self.block(taken)
            }
            stmt => self.simple(stmt).map_err(here),
        }
    }

    pub(super) fn count(&mut self) -> Checked<()> {
        self.steps += 1;
        if self.steps > self.max_steps {
            return Err(Box::new(Fault::StepLimit { limit: self.max_steps }));
        }
        Ok(())
    }

    fn simple(&mut self, stmt: &Stmt) -> Checked<()> {
        match stmt {
            Stmt::Let { var, value } | Stmt::Mut { var, value } | Stmt::Assign { var, value } => {
                match self.program.var(*var).ty {
                    Ty::Index => self.indices[var.index()] = self.index(value)?,
                    Ty::Scalar(_) => self.scalars[var.index()] = self.scalar(value)?,
                    Ty::Cond => self.conds[var.index()] = self.cond(value)?,
                    Ty::Segments => unreachable!("a verified program declares segments in launches"),
                }
                Ok(())
            }
            Stmt::Update { var, op, value } => {
                let value = self.scalar(value)?;
                let slot = &mut self.scalars[var.index()];
                *slot = binary(op.op(), *slot, value);
                Ok(())
            }
            Stmt::Store { buffer, index, value } => {
                let index = self.index(index)?;
                let value = self.element(*buffer, value)?;
                self.touch(*buffer, index, Access::Write)?;
                self.memory[buffer.index()].store(index, value)
            }
            Stmt::Reduce { buffer, index, op, value } | Stmt::Atomic { buffer, index, op, value } => {
                let index = self.index(index)?;
                let value = self.scalar(value)?;
                let is_atomic = matches!(stmt, Stmt::Atomic { .. });
                self.touch(*buffer, index, if is_atomic { Access::Atomic(*op) } else { Access::Write })?;
                let memory = &mut self.memory[buffer.index()];
                let combined = binary(op.op(), memory.load(index)?, value);
                memory.store(index, combined)
            }
            Stmt::Append { buffer, value } => {
                let value = self.element(*buffer, value)?;
                self.memory[buffer.index()].append(1, value)
            }
            Stmt::AppendN { buffer, count, value } => {
                let count = self.index(count)?;
                let Some(value) = value else { return self.memory[buffer.index()].lengthen(count) };
                let value = self.element(*buffer, value)?;
                self.memory[buffer.index()].append(count, value)
            }
            Stmt::Mask { workspace, crd, lo, hi } => {
                let range = self.index(lo)?..self.index(hi)?;
                let listed =
                    range.map(|p| self.index(&build::load(*crd, Expr::Index(p)))).collect::<Checked<_>>()?;
                self.masks[workspace.index()] = listed;
                Ok(())
            }
            Stmt::Scatter { workspace, at, value } => {
                let at = at.iter().map(|e| self.index(e)).collect::<Checked<_>>()?;
                let value = self.scalar(value)?;
                self.scatter(*workspace, at, value)
            }
            Stmt::Place { workspace, at, .. } => {
                let at = at.iter().map(|e| self.index(e)).collect::<Checked<Vec<_>>>()?;
                self.is_inside(*workspace, &at)?;
                match &self.program.workspace(*workspace).block {
                    Some(block) => self.place(*workspace, block, at),
                    None => unreachable!("a verified program places blocks where there are some"),
                }
            }
            Stmt::Gather(workspace) => self.gather(*workspace),
            Stmt::Local { buffer, init } => {
                let Space::Register { len } = self.program.buffer(*buffer).space else {
                    unreachable!("a verified program declares register arrays alone");
                };
                self.memory[buffer.index()].allocate(u64::from(len), *init)
            }
            Stmt::Alloc { buffer, len, init } => {
                let len = self.index(len)?;
                let memory = &mut self.memory[buffer.index()];
                match init {
                    Init::Value(value) => memory.allocate(len, Some(*value)),
                    Init::Unwritten => memory.allocate(len, None),
                    Init::Kept => memory.keep(len),
                }
            }
            Stmt::Scan { buffer, len } => {
                let len = self.index(len)?;
                self.memory[buffer.index()].scan(len)
            }
            Stmt::Comment(_)
            | Stmt::For { .. }
            | Stmt::Threads { .. }
            | Stmt::While { .. }
            | Stmt::If { .. } => Ok(()),
            Stmt::Collective(_)
            | Stmt::Claim { .. }
            | Stmt::Fetch { .. }
            | Stmt::Barrier(_)
            | Stmt::LoadVector { .. }
            | Stmt::StoreVector { .. }
            | Stmt::Exit => {
                unreachable!("what lanes do together stands in launches")
            }
        }
    }

    /// An access that other threads may see.
    fn touch(&self, buffer: BufferId, index: u64, access: Access) -> Checked<()> {
        match &self.races {
            Some(races) => races.borrow_mut().touch(buffer, index, access),
            None => Ok(()),
        }
    }

    /// The index of an element that is read.
    fn read(&self, buffer: BufferId, index: &Expr) -> Checked<u64> {
        let index = self.index(index)?;
        self.touch(buffer, index, Access::Read)?;
        Ok(index)
    }

    /// A value as an element of a buffer.
    fn element(&self, buffer: BufferId, value: &Expr) -> Checked<Value> {
        match self.program.buffer(buffer).elem {
            Elem::Index => self.memory[buffer.index()].element(self.index(value)?),
            Elem::Scalar(_) => self.scalar(value),
        }
    }

    pub(super) fn index(&self, e: &Expr) -> Checked<u64> {
        match e {
            Expr::Index(n) => Ok(*n),
            Expr::Var(v) => Ok(self.indices[v.index()]),
            Expr::Load { buffer, index } => {
                self.memory[buffer.index()].load_index(self.read(*buffer, index)?)
            }
            Expr::Len(buffer) => Ok(self.memory[buffer.index()].len() as u64),
            // So that there are one, two and three.
            Expr::Workers(work) => Ok(1 + self.index(work)? % 3),
            Expr::IndexOp(op, a, b) => index_op(*op, self.index(a)?, self.index(b)?),
            Expr::Select(c, a, b) => self.index(if self.cond(c)? { a } else { b }),
            Expr::Search { bound, buffer, lo, hi, key } => {
                let (lo, hi, key) = (self.index(lo)?, self.index(hi)?, self.index(key)?);
                let range = self.memory[buffer.index()].sorted(lo, hi)?;
                if self.races.is_some() {
                    (lo..hi).try_for_each(|at| self.touch(*buffer, at, Access::Read))?;
                }
                let below = |c: &i32| match bound {
                    Bound::Lower | Bound::Gallop => i128::from(*c) < i128::from(key),
                    Bound::Upper => i128::from(*c) <= i128::from(key),
                };
                Ok(lo + range.partition_point(below) as u64)
            }
            _ => unreachable!("a verified program has an index here"),
        }
    }

    fn cond(&self, e: &Expr) -> Checked<bool> {
        match e {
            Expr::Cond(c) => Ok(*c),
            // As with AVX2, so that both answers occur.
            Expr::Fits(bytes) => Ok(*bytes <= 256),
            Expr::Var(v) => Ok(self.conds[v.index()]),
            Expr::Cmp(op, a, b) => {
                let (a, b) = (self.index(a)?, self.index(b)?);
                Ok(match op {
                    Cmp::Eq => a == b,
                    Cmp::Ne => a != b,
                    Cmp::Lt => a < b,
                    Cmp::Le => a <= b,
                })
            }
            Expr::And(a, b) => Ok(self.cond(a)? && self.cond(b)?),
            Expr::Or(a, b) => Ok(self.cond(a)? || self.cond(b)?),
            Expr::Not(a) => Ok(!self.cond(a)?),
            _ => unreachable!("a verified program has a condition here"),
        }
    }

    fn scalar(&self, e: &Expr) -> Checked<Value> {
        match e {
            Expr::Lit(v) => Ok(*v),
            Expr::Var(v) => Ok(self.scalars[v.index()]),
            Expr::Load { buffer, index } => self.memory[buffer.index()].load(self.read(*buffer, index)?),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                Ok(binary(*op, a, b))
            }
            Expr::Unary(op, a) => {
                let a = self.scalar(a)?;
                Ok(op.apply(a).unwrap_or_else(|| unreachable!("a verified operator accepts its operand")))
            }
            Expr::FromIndex(t, a) => Ok(from_index(*t, self.index(a)?)),
            Expr::Select(c, a, b) => self.scalar(if self.cond(c)? { a } else { b }),
            _ => unreachable!("a verified program has a scalar here"),
        }
    }
}

pub(super) fn binary(op: BinaryOp, a: Value, b: Value) -> Value {
    op.apply(a, b).unwrap_or_else(|| unreachable!("a verified operator accepts its operands"))
}

/// An index as a scalar: wrapping on integers, non-zero is `true`.
fn from_index(t: DType, n: u64) -> Value {
    t.from_i64(n as i64)
}

fn index_op(op: IndexOp, a: u64, b: u64) -> Checked<u64> {
    let result = match op {
        IndexOp::Add => a.checked_add(b),
        IndexOp::Mul => a.checked_mul(b),
        IndexOp::Min => Some(a.min(b)),
        IndexOp::Max => Some(a.max(b)),
        IndexOp::Count => Some(a.saturating_add(b).min(MOST)),
        IndexOp::Sub => {
            return a.checked_sub(b).ok_or_else(|| Box::new(Fault::NegativeIndex { left: a, right: b }));
        }
        IndexOp::Div | IndexOp::Rem if b == 0 => return Err(Box::new(Fault::DivisionByZero { left: a })),
        IndexOp::Div => Some(a / b),
        IndexOp::Rem => Some(a % b),
        IndexOp::Xor => Some(a ^ b),
        IndexOp::And => Some(a & b),
        IndexOp::Place => Some(place_of(a, b)),
        IndexOp::Below => Some(marks_below(a, b)),
    };
    result.ok_or_else(|| Box::new(Fault::Overflow { left: a, right: b }))
}
