//! Which threads of a block provably have the same value, and along which it does not decrease.
//!
//! A value's *span* is the largest power of two such that all threads of every aligned run of so many have it:
//! [`BLOCK`] for block numbers and parameters, 1 for the thread's own number, 8 for `thread / 8`. A value is a *ramp*
//! over a run if it counts the run's threads up from a multiple of the run's length: quotients of ramps are the same in
//! parts of it. A variable that is assigned under a condition is only as uniform as the condition.
//!
//! What threads load from one element is the same for them if the launch does not write the array, or if they share it
//! and it is written by plain stores: who loads it in a part of the program that they come to together has been ordered
//! after the store by a barrier, or there is a conflict, which the simulator reports.
//!
//! What lanes do together needs control flow as uniform as the lanes that it names: see zero extension in the section *GPUs* of
//! `ARCHITECTURE.md`.

use super::kernel::{Collective, Over};
use super::walk::visit_stmts;
use super::{Buffer, Cmp, Expr, IndexOp, Launch, Space, Stmt, VarId};

/// All threads of a block.
pub const BLOCK: u32 = 1024;

/// How uniform a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform {
    /// Threads in a run with the same value.
    pub span: u32,
    /// Threads in a run that the value counts.
    pub ramp: u32,
    /// Threads in a run along which the value does not decrease.
    pub rise: u32,
}

impl Uniform {
    const ALL: Uniform = Uniform { span: BLOCK, ramp: 1, rise: BLOCK };
    const NONE: Uniform = Uniform { span: 1, ramp: 1, rise: 1 };

    /// Of a function of both; of one that increases with both, if it says so.
    fn both(self, other: Uniform, increases: bool) -> Uniform {
        let span = self.span.min(other.span);
        let rise = if increases { self.rise.min(other.rise) } else { span };
        Uniform { span, ramp: 1, rise: rise.max(span) }
    }

    fn at_least_span(self) -> Uniform {
        Uniform { rise: self.rise.max(self.span), ..self }
    }

    /// Known in no other way than by its span.
    fn flat(self) -> Uniform {
        Uniform { ramp: 1, rise: self.span, ..self }
    }
}

/// The spans of a launch's variables.
#[derive(Clone, Debug)]
pub struct Spans {
    vars: Vec<Uniform>,
    /// By buffer: does it hold the same for all who load an element together?
    steady: Vec<bool>,
}

/// By buffer: is it not written in the launch, or shared and written by plain stores?
fn steady(launch: &Launch, buffers: &[Buffer]) -> Vec<bool> {
    let own = |b: &Buffer| matches!(b.space, Space::Register { .. });
    let mut steady: Vec<bool> = buffers.iter().map(|b| !own(b)).collect();
    let shared = |b: &Buffer| matches!(b.space, Space::Shared { .. });
    visit_stmts(&launch.body, &mut |s| match s {
        Stmt::Store { buffer, .. } if shared(&buffers[buffer.index()]) => {}
        Stmt::LoadVector { to, .. } => steady[to.index()] = false,
        s => s.buffers().into_iter().for_each(|b| steady[b.index()] = false),
    });
    steady
}

/// The largest power of two that divides a number.
fn power(n: u64) -> u32 {
    if n == 0 { BLOCK } else { 1 << n.trailing_zeros().min(BLOCK.trailing_zeros()) }
}

impl Spans {
    /// The spans of a launch's variables, of a program with so many variables and these buffers.
    pub fn of(launch: &Launch, vars: usize, buffers: &[Buffer]) -> Spans {
        let mut spans = Spans { vars: vec![Uniform::ALL; vars], steady: steady(launch, buffers) };
        spans.vars[launch.thread.index()] = Uniform { span: 1, ramp: BLOCK, rise: BLOCK };
        // Spans only shrink, so this ends.
        loop {
            let before = spans.vars.clone();
            spans.block(&launch.body, BLOCK);
            if spans.vars == before {
                return spans;
            }
        }
    }

    /// A variable's span is now known.
    pub fn set(&mut self, var: VarId, value: Uniform) {
        if self.vars.len() <= var.index() {
            self.vars.resize(var.index() + 1, Uniform::ALL);
        }
        self.vars[var.index()] = value;
    }

    /// How uniform an expression is.
    pub fn expr(&self, e: &Expr) -> Uniform {
        match e {
            Expr::Index(_) | Expr::Lit(_) | Expr::Cond(_) | Expr::Len(_) | Expr::Fits(_) => Uniform::ALL,
            Expr::Var(v) => self.vars.get(v.index()).copied().unwrap_or(Uniform::ALL),
            Expr::Workers(work) => self.expr(work),
            Expr::Search { buffer, .. } if !self.steady[buffer.index()] => Uniform::NONE,
            Expr::Load { buffer, index } => match self.steady[buffer.index()] {
                true => self.expr(index).flat(),
                false => Uniform::NONE,
            },
            Expr::IndexOp(op, a, b) => {
                let (x, y) = (self.expr(a), self.expr(b));
                let constant = match **b {
                    Expr::Index(n) => power(n),
                    _ => 1,
                };
                let part = x.ramp.min(constant);
                match op {
                    IndexOp::Div if part > 1 => Uniform { span: x.span.max(part), ramp: 1, rise: x.rise },
                    IndexOp::Rem if part > 1 => Uniform { span: x.span.min(y.span), ramp: part, rise: part },
                    IndexOp::Add | IndexOp::Mul | IndexOp::Min | IndexOp::Max | IndexOp::Count => {
                        x.both(y, true)
                    }
                    // By or from what is the same for all.
                    IndexOp::Div | IndexOp::Sub => {
                        let rise = x.rise.min(y.span);
                        Uniform { rise: rise.max(x.span.min(y.span)), ..x.both(y, false) }
                    }
                    IndexOp::Rem | IndexOp::Xor | IndexOp::And | IndexOp::Place | IndexOp::Below => {
                        x.both(y, false)
                    }
                }
            }
            e => {
                let mut all = Uniform::ALL;
                e.for_each_child(&mut |c| all = all.both(self.expr(c), false));
                all
            }
        }
    }

    /// Is the condition, along the threads of aligned runs of so many, true up to some thread and false from there on?
    pub fn is_prefix(&self, cond: &Expr, run: u32) -> bool {
        match cond {
            Expr::Cmp(Cmp::Lt | Cmp::Le, a, b) => self.expr(a).rise >= run && self.span(b) >= run,
            Expr::And(a, b) => self.is_prefix(a, run) && self.is_prefix(b, run),
            e => self.span(e) >= run,
        }
    }

    /// The span of an expression.
    pub fn span(&self, e: &Expr) -> u32 {
        self.expr(e).span
    }

    /// A value that is assigned where only some threads come.
    fn limit(&mut self, var: VarId, value: Uniform, control: u32) {
        let known = &mut self.vars[var.index()];
        *known = Uniform { span: known.span.min(value.span).min(control.max(1)), ramp: 1, rise: 1 }
            .at_least_span();
    }

    fn declare(&mut self, var: VarId, value: Uniform) {
        let known = &mut self.vars[var.index()];
        let span = known.span.min(value.span);
        *known = Uniform { span, ramp: value.ramp, rise: known.rise.min(value.rise).max(span) };
    }

    fn block(&mut self, block: &[Stmt], control: u32) {
        for stmt in block {
            match stmt {
                Stmt::Let { var, value } => self.declare(*var, self.expr(value)),
                Stmt::Mut { var, value } => {
                    let value = self.expr(value).flat();
                    self.declare(*var, value);
                }
                Stmt::Assign { var, value } | Stmt::Update { var, value, .. } => {
                    let value = self.expr(value).flat();
                    self.limit(*var, value, control);
                }
                Stmt::Claim { var, .. } => self.limit(*var, Uniform::NONE, control),
                Stmt::Fetch { var: Some(var), .. } => self.declare(*var, Uniform::NONE),
                Stmt::Collective(c) => match c {
                    // All lanes of the group have the total.
                    Collective::Total { var, group, .. } => {
                        self.limit(*var, Uniform { span: group.size, ..Uniform::NONE }, control);
                    }
                    Collective::Scan { before, all, over, .. } => {
                        let span = match over {
                            Over::Group(group) => group.size,
                            Over::Block { .. } => BLOCK,
                        };
                        before.iter().for_each(|var| self.declare(*var, Uniform::NONE));
                        all.iter().for_each(|var| self.declare(*var, Uniform { span, ramp: 1, rise: span }));
                    }
                    Collective::Shuffle { var, .. } | Collective::Segments { var, .. } => {
                        self.declare(*var, Uniform::NONE);
                    }
                    Collective::Scatter { .. } | Collective::Reduce { .. } | Collective::Carry(_) => {}
                },
                _ => {
                    if let Stmt::For { var, lo, .. } = stmt {
                        let lo = self.expr(lo).flat();
                        self.declare(*var, lo);
                    }
                    let inner = control.min(self.control(stmt));
                    for nested in stmt.blocks() {
                        self.block(nested, inner);
                    }
                }
            }
        }
    }

    /// How uniform the decision is by which threads enter a statement's blocks, and how often.
    pub fn control(&self, stmt: &Stmt) -> u32 {
        match stmt {
            Stmt::If { cond, .. } | Stmt::While { cond, .. } => self.span(cond),
            Stmt::For { lo, hi, .. } => self.span(lo).min(self.span(hi)),
            _ => BLOCK,
        }
    }
}

/// Do lanes do something together in the statement?
pub fn is_joint(stmt: &Stmt) -> bool {
    let mut joint = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |s| {
        joint |= matches!(s, Stmt::Collective(_) | Stmt::Barrier(_));
    });
    joint
}
