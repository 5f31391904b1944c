//! What of a loop's body a batch does before, and what it leaves.

use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{
    Array, Bound, Buffer, BufferId, Cmp, Expr, LoopKind, Program, Space, Stmt, Ty, Var, VarId,
};
use std::collections::BTreeSet;

/// Words of registers that the loads of a batch may take: with them four blocks of 256 threads still fit.
const WORDS: u32 = 24;

/// Entries of a batch, if so many words an entry are loaded. Of scalars more are under way where vectors are few.
pub(super) fn entries(words: u32, vectors: bool) -> Option<u32> {
    let most = if vectors { 4 } else { 8 };
    [8, 4, 2].into_iter().find(|n| *n <= most && n * words <= WORDS)
}

/// Declarations of a program.
pub(super) struct Tables<'a> {
    pub(super) buffers: &'a [Buffer],
    pub(super) vars: &'a [Var],
}

impl Tables<'_> {
    fn is_input(&self, buffer: BufferId) -> bool {
        self.buffers[buffer.index()].space == Space::Input
    }

    /// Registers that an element of the type takes; none of what an array cannot hold.
    fn words(&self, ty: Ty) -> Option<u32> {
        match ty {
            Ty::Index => Some(1),
            Ty::Scalar(t) => Some((t.size() as u32).div_ceil(4)),
            Ty::Cond | Ty::Segments => None,
        }
    }
}

/// What of a loop's body is done before.
#[derive(Default)]
pub(super) struct Plan {
    /// Statements of the body: declarations of what is loaded, register arrays and the vectors that they hold.
    pub(super) early: BTreeSet<usize>,
    /// Others of the kind, which are the same for all entries.
    pub(super) once: BTreeSet<usize>,
    /// Variables among them that what is left uses.
    pub(super) kept: Vec<VarId>,
    /// Register arrays among them, and their lengths.
    pub(super) vectors: Vec<(BufferId, u32)>,
    /// Entries of a batch.
    pub(super) entries: u32,
}

impl Plan {
    pub(super) fn of_loop(program: &Program, stmt: &Stmt) -> Option<Plan> {
        let Stmt::For { var, kind: LoopKind::Serial, body, .. } = stmt else { return None };
        let tables = Tables { buffers: &program.buffers, vars: &program.vars };
        Plan::of(&tables, *var, body, ends_rows(*var, body))
    }

    /// The plan of a loop; in those in which rows end, scalars are worth it.
    pub(super) fn of(tables: &Tables<'_>, var: VarId, body: &[Stmt], ends_rows: bool) -> Option<Plan> {
        if !body.iter().any(|s| loads_coordinate(tables, s)) || !is_simple(body) {
            return None;
        }
        let mut open = Open {
            tables,
            changing: BTreeSet::new(),
            found: BTreeSet::from([var]),
            coordinates: BTreeSet::new(),
        };
        visit_stmts(body, &mut |s| open.changing.extend(s.assigned().into_iter().chain(s.declared())));
        let (mut plan, mut chained) = (Plan::default(), false);
        for (at, stmt) in body.iter().enumerate() {
            match stmt {
                Stmt::Let { var, value }
                    if tables.words(tables.vars[var.index()].ty).is_some() && open.is_found(value) =>
                {
                    let waits = |e: &Expr| matches!(e, Expr::Load { index, .. } if open.follows(index));
                    chained |= ends_rows && waits(value);
                    open.declare(*var, value);
                    plan.early.insert(at);
                }
                Stmt::LoadVector { to, part: None, buffer, index }
                    if tables.is_input(*buffer) && open.is_fixed(index) =>
                {
                    if let Some(declared) = only_loaded(body, *to)
                        && let Space::Register { len } = tables.buffers[to.index()].space
                    {
                        if open.is_found(index) {
                            chained |= open.follows(index);
                            plan.early.extend([declared, at]);
                            plan.vectors.push((*to, len));
                        } else {
                            plan.once.extend([declared, at]);
                        }
                    }
                }
                _ => {}
            }
        }
        plan.drop_unused(body);
        plan.kept = plan.needed_later(body);
        if !chained || plan.waits_later(tables, body) || plan.keeps_computed(tables, body) {
            return None;
        }
        let words = |v: &VarId| tables.words(tables.vars[v.index()].ty).unwrap_or(0);
        let element = |b: &BufferId| tables.words(tables.buffers[b.index()].elem.ty()).unwrap_or(0);
        let vectors = plan.vectors.iter().map(|(b, len)| len * element(b));
        let all = vectors.chain(plan.kept.iter().map(words)).sum();
        plan.entries = entries(all, !plan.vectors.is_empty())?;
        Some(plan)
    }

    /// Declarations of what is computed stay, unless something is loaded by it.
    fn drop_unused(&mut self, body: &[Stmt]) {
        loop {
            let unused = self.early.iter().copied().find(|&at| {
                let Stmt::Let { var, value } = &body[at] else { return false };
                let mut used = false;
                value.visit(&mut |e| used |= matches!(e, Expr::Load { .. }));
                for &other in &self.early {
                    body[other].for_each_expr(&mut |e| used |= e.mentions(*var));
                }
                !used
            });
            let Some(at) = unused else { return };
            self.early.remove(&at);
        }
    }

    /// Variables of the early statements that the others use.
    fn needed_later(&self, body: &[Stmt]) -> Vec<VarId> {
        let mut used = vec![];
        self.each_later(body, &mut |e| {
            e.visit(&mut |e| {
                if let Expr::Var(v) = e {
                    used.push(*v);
                }
            });
        });
        let vars = self.early.iter().flat_map(|&at| body[at].declared());
        vars.filter(|v| used.contains(v)).collect()
    }

    /// Is anything left that is found by what is loaded before?
    fn waits_later(&self, tables: &Tables<'_>, body: &[Stmt]) -> bool {
        let mut waits = false;
        let found = |e: &Expr| self.kept.iter().any(|v| e.mentions(*v));
        self.each_later(body, &mut |e| {
            e.visit(&mut |e| {
                if let Expr::Load { buffer, index } = e {
                    waits |= tables.is_input(*buffer) && found(index);
                }
            });
        });
        self.late(body).for_each(|s| {
            visit_stmts(std::slice::from_ref(s), &mut |s| {
                if let Stmt::LoadVector { buffer, index, .. } = s {
                    waits |= tables.is_input(*buffer) && found(index);
                }
            });
        });
        waits
    }

    /// Is an index kept that is no element? It may need 64 bits, and elements have 32.
    fn keeps_computed(&self, tables: &Tables<'_>, body: &[Stmt]) -> bool {
        self.early.iter().any(|&at| match &body[at] {
            Stmt::Let { var, value } => {
                let is_index = tables.vars[var.index()].ty == Ty::Index;
                is_index && self.kept.contains(var) && !matches!(value, Expr::Load { .. })
            }
            _ => false,
        })
    }

    /// The statements that are left.
    fn late<'a>(&'a self, body: &'a [Stmt]) -> impl Iterator<Item = &'a Stmt> {
        body.iter()
            .enumerate()
            .filter(|(at, _)| !self.early.contains(at) && !self.once.contains(at))
            .map(|(_, s)| s)
    }

    /// Calls `f` on their expressions.
    fn each_later(&self, body: &[Stmt], f: &mut dyn FnMut(&Expr)) {
        self.late(body)
            .for_each(|s| visit_stmts(std::slice::from_ref(s), &mut |s| s.for_each_expr(&mut |e| f(e))));
    }
}

/// What is known while the body is read.
struct Open<'a> {
    tables: &'a Tables<'a>,
    /// Variables that the body declares or changes, and that are not known before.
    changing: BTreeSet<VarId>,
    /// The loop's variable, and what is found by it.
    found: BTreeSet<VarId>,
    /// Of these, coordinates, and what is made from them.
    coordinates: BTreeSet<VarId>,
}

impl Open<'_> {
    /// Is it the same before the body as in its place, made with loads of inputs alone?
    fn is_fixed(&self, e: &Expr) -> bool {
        let mut fixed = true;
        e.visit(&mut |e| match e {
            Expr::Var(v) => fixed &= !self.changing.contains(v),
            Expr::Load { buffer, .. } => fixed &= self.tables.is_input(*buffer),
            _ => {}
        });
        fixed
    }

    /// Is it that, and found by the loop's variable?
    fn is_found(&self, e: &Expr) -> bool {
        self.is_fixed(e) && self.found.iter().any(|v| e.mentions(*v))
    }

    /// Is it made from a coordinate that is loaded?
    fn follows(&self, e: &Expr) -> bool {
        let mut follows = false;
        e.visit(&mut |e| match e {
            Expr::Var(v) => follows |= self.coordinates.contains(v),
            Expr::Load { buffer, .. } => {
                follows |= matches!(self.tables.buffers[buffer.index()].array, Array::Crd(..));
            }
            _ => {}
        });
        follows
    }

    /// The variable has this value, before the others.
    fn declare(&mut self, var: VarId, value: &Expr) {
        self.changing.remove(&var);
        self.found.insert(var);
        if self.follows(value) {
            self.coordinates.insert(var);
        }
    }
}

/// Does the statement itself load a coordinate, by which something else can be found?
fn loads_coordinate(tables: &Tables<'_>, stmt: &Stmt) -> bool {
    let mut loads = false;
    stmt.for_each_expr(&mut |e| {
        e.visit(&mut |e| {
            if let Expr::Load { buffer, .. } = e {
                loads |= matches!(tables.buffers[buffer.index()].array, Array::Crd(..));
            }
        });
    });
    loads
}

/// Does a row end before some of the entries? `if end <= p { …; end = … }`
fn ends_rows(var: VarId, body: &[Stmt]) -> bool {
    let is_end = |s: &Stmt| match s {
        Stmt::If { cond: Expr::Cmp(Cmp::Le, end, p), then: next, .. }
        | Stmt::While { cond: Expr::Cmp(Cmp::Le, end, p), body: next }
            if p.is_var(var) =>
        {
            next.iter().filter_map(Stmt::assigned).any(|v| end.is_var(v))
        }
        _ => false,
    };
    body.iter().any(is_end)
}

/// Can several iterations stand one after another, written out? Its loops are short, and each thread runs it alone.
fn is_simple(body: &[Stmt]) -> bool {
    let mut simple = true;
    visit_stmts(body, &mut |s| {
        simple &= match s {
            Stmt::For { lo, hi, .. } => matches!((lo, hi), (Expr::Index(_), Expr::Index(_))),
            Stmt::While { cond, .. } => {
                let mut loads = false;
                cond.visit(&mut |e| loads |= matches!(e, Expr::Load { .. }));
                !loads
            }
            Stmt::Let { .. }
            | Stmt::Mut { .. }
            | Stmt::Assign { .. }
            | Stmt::Update { .. }
            | Stmt::Store { .. }
            | Stmt::Reduce { .. }
            | Stmt::Atomic { .. }
            | Stmt::Local { .. }
            | Stmt::LoadVector { .. }
            | Stmt::StoreVector { .. }
            | Stmt::If { .. }
            | Stmt::Comment(_) => true,
            _ => false,
        };
    });
    // But for a search nearby, as for a row that has entries.
    visit_exprs(body, &mut |e| {
        simple &= !matches!(e, Expr::Search { bound: Bound::Lower | Bound::Upper, .. });
    });
    simple
}

/// Where the body itself declares a register array that one vector is loaded into, and that is otherwise read.
fn only_loaded(body: &[Stmt], array: BufferId) -> Option<usize> {
    let mut touched = 0;
    visit_stmts(body, &mut |s| touched += s.buffers().iter().filter(|b| **b == array).count());
    let declared = body.iter().position(|s| matches!(s, Stmt::Local { buffer, .. } if *buffer == array));
    declared.filter(|_| touched == 2)
}
