//! Statements, as lines.

use super::COLUMNS;
use super::expr::{Exprs, Prec, value};
use super::monoids;
use super::prelude::Part;
use crate::emit::subtracted;
use crate::llir::print::Lines;
use crate::llir::walk::visit_stmts;
use crate::llir::{
    BufferId, Collective, Elem, Expr, FetchOp, IndexOp, Launch, LoopKind, Scope, Space, Stmt, VarId,
    VectorPart,
};
use crate::scalar::{BinaryOp, Monoid, Value};
use std::collections::BTreeSet;

/// Initial values that are listed one by one, at most.
const LISTED: u32 = 8;

/// Writes the lines of a launch.
pub(super) struct Writer<'a> {
    exprs: Exprs<'a>,
    /// Variables that may change.
    mutable: BTreeSet<VarId>,
    out: Lines,
    depth: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(exprs: Exprs<'a>, launch: &Launch) -> Self {
        let mut mutable = BTreeSet::new();
        visit_stmts(&launch.body, &mut |s| {
            if let Stmt::Mut { var, .. } = s {
                mutable.insert(*var);
            }
        });
        Writer { exprs, mutable, out: Lines::default(), depth: 0 }
    }

    pub(super) fn text(self) -> String {
        self.out.text()
    }

    pub(super) fn line(&mut self, text: &str) {
        self.out.push(self.depth, text);
    }

    /// A call as a statement, in several lines if one is too long.
    fn call(&mut self, name: &str, operands: Vec<String>) {
        let whole = format!("{name}({});", operands.join(", "));
        if self.depth * 4 + whole.len() <= COLUMNS {
            return self.line(&whole);
        }
        self.line(&format!("{name}("));
        let last = operands.len().saturating_sub(1);
        self.nested(|w| {
            for (n, operand) in operands.into_iter().enumerate() {
                w.line(&(operand + if n == last { ");" } else { "," }));
            }
        });
    }

    pub(super) fn comment(&mut self, text: &str) {
        for line in text.lines() {
            // At the end of a line a backslash would go on with the comment.
            let line = if line.contains('\\') { &line.replace('\\', "/") } else { line };
            self.line(format!("// {line}").trim_end());
        }
    }

    /// Lines between a line that opens a block and the one that closes it.
    pub(super) fn nested(&mut self, lines: impl FnOnce(&mut Self)) {
        self.depth += 1;
        lines(self);
        self.depth -= 1;
    }

    pub(super) fn block(&mut self, block: &[Stmt]) {
        self.nested(|w| {
            let mut stmts = block.iter().peekable();
            while let Some(stmt) = stmts.next() {
                match (stmt, stmts.peek()) {
                    // What is loaded next needs no value before.
                    (Stmt::Local { buffer, .. }, Some(Stmt::LoadVector { to, .. })) if buffer == to => {
                        w.declare_array(*buffer, "");
                    }
                    (Stmt::Mut { var, .. }, Some(Stmt::Claim { var: claimed, buffer, index, value }))
                        if var == claimed && !index.mentions(*var) && !value.mentions(*var) =>
                    {
                        let ty = w.exprs.type_of(*var);
                        w.claim(&format!("{ty} "), *var, *buffer, index, value);
                        stmts.next();
                    }
                    _ => w.stmt(stmt),
                }
            }
        });
    }

    fn claim(&mut self, ty: &str, var: VarId, buffer: BufferId, index: &Expr, value: &Expr) {
        let (at, value) = (self.address(buffer, index), self.exprs.narrow(value));
        self.exprs.needs.part(Part::Claims);
        self.line(&format!("{ty}{} = claimPlace({at}, {value});", self.exprs.names.var(var)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let (exprs, names) = (self.exprs, self.exprs.names);
        match stmt {
            Stmt::Let { var, value } => {
                let (ty, name) = (exprs.type_of(*var), names.var(*var));
                self.line(&format!("const {ty} {name} = {};", exprs.expr(value)));
            }
            Stmt::Mut { var, value } => {
                let (ty, name) = (exprs.type_of(*var), names.var(*var));
                self.line(&format!("{ty} {name} = {};", exprs.expr(value)));
            }
            Stmt::Assign { var, value } => self.assign(*var, value),
            Stmt::Update { var, op, value } => self.update(names.var(*var), *op, value),
            Stmt::Store { buffer, index, value } => {
                let value = match exprs.program.buffer(*buffer).elem {
                    Elem::Index => exprs.narrow(value),
                    Elem::Scalar(_) => exprs.expr(value),
                };
                self.line(&format!("{}[{}] = {value};", names.buffer(*buffer), exprs.expr(index)));
            }
            Stmt::Reduce { buffer, index, op, value } => self.reduce(*buffer, index, *op, value),
            Stmt::Atomic { buffer, index, op, value } => self.atomic(*buffer, index, *op, value),
            Stmt::Claim { var, buffer, index, value } => self.claim("", *var, *buffer, index, value),
            Stmt::Fetch { op, var, buffer, index, value } => {
                let (at, value) = (self.address(*buffer, index), exprs.narrow(value));
                let declared =
                    var.map_or(String::new(), |v| format!("const {} {} = ", exprs.type_of(v), names.var(v)));
                self.line(&match op {
                    FetchOp::Add => format!("{declared}atomicAdd({at}, {value});"),
                    FetchOp::Max => format!("{declared}atomicMax({at}, {value});"),
                    FetchOp::Mark => format!("{declared}atomicOr({at}, 1 << {value});"),
                });
            }
            Stmt::LoadVector { to, part: None, buffer, index } => {
                exprs.needs.part(Part::VectorLoads);
                let operands = vec![names.buffer(*to).to_owned(), self.address(*buffer, index)];
                self.call("loadVector", operands);
            }
            Stmt::LoadVector { to, part: Some(VectorPart { at, len }), buffer, index } => {
                exprs.needs.part(Part::VectorParts);
                let operands = vec![self.address(*to, at), self.address(*buffer, index)];
                self.call(&format!("loadVector<{len}>"), operands);
            }
            Stmt::StoreVector { buffer, index, from, update } => {
                let operands = vec![self.address(*buffer, index), names.buffer(*from).to_owned()];
                let function = match (update, exprs.program.buffer(*buffer).elem) {
                    (Some(op), Elem::Scalar(t)) => self.atomic_vector(*op, t),
                    _ => {
                        exprs.needs.part(Part::VectorStores);
                        "storeVector".to_owned()
                    }
                };
                self.call(&function, operands);
            }
            Stmt::Local { buffer, init: Some(init) } => self.local(*buffer, *init),
            Stmt::Local { buffer, init: None } => self.declare_array(*buffer, ""),
            Stmt::For { var, lo, hi, step, kind, body } => {
                self.unroll(*var, lo, hi, *kind, body);
                let header = self.header(*var, lo, hi, *step);
                self.line(&format!("for ({header}) {{"));
                self.block(body);
                self.line("}");
            }
            Stmt::While { cond, body } => {
                self.line(&format!("while ({}) {{", exprs.expr(cond)));
                self.block(body);
                self.line("}");
            }
            Stmt::If { cond, then, otherwise } => self.branch(cond, then, otherwise),
            Stmt::Collective(c) => {
                if let Collective::Scan { before: Some(_), all: Some(all), .. } = c {
                    self.line(&format!("int {};", names.var(*all)));
                }
                let (call, operands) = exprs.collective(c);
                self.call(&call, operands);
            }
            Stmt::Barrier(Scope::Block) => self.line("__syncthreads();"),
            Stmt::Barrier(Scope::WARP) => self.line("__syncwarp();"),
            Stmt::Barrier(Scope::Group(size)) => {
                exprs.needs.part(Part::Barriers);
                self.line(&format!("syncGroup<{size}>();"));
            }
            Stmt::Exit => self.line("return;"),
            Stmt::Comment(text) => self.comment(text),
            Stmt::Append { .. }
            | Stmt::AppendN { .. }
            | Stmt::Alloc { .. }
            | Stmt::Mask { .. }
            | Stmt::Scatter { .. }
            | Stmt::Place { .. }
            | Stmt::Gather(_)
            | Stmt::Threads { .. }
            | Stmt::Scan { .. } => {
                unreachable!("a verified launch grows and allocates nothing")
            }
        }
    }

    fn assign(&mut self, var: VarId, value: &Expr) {
        let name = self.exprs.names.var(var);
        let text = match value {
            Expr::IndexOp(IndexOp::Add, a, b) if **a == Expr::Var(var) => match **b {
                Expr::Index(1) => format!("++{name};"),
                _ => format!("{name} += {};", self.exprs.expr(b)),
            },
            Expr::IndexOp(IndexOp::Sub, a, b) if **a == Expr::Var(var) => {
                format!("{name} -= {};", self.exprs.expr(b))
            }
            value => format!("{name} = {};", self.exprs.expr(value)),
        };
        self.line(&text);
    }

    /// `place op= value`
    fn update(&mut self, place: &str, op: Monoid, value: &Expr) {
        let t = self.exprs.dtype(value);
        let (op, value) = subtracted(op.op(), value);
        let short = match op {
            BinaryOp::Add if t.is_float() => Some("+="),
            BinaryOp::Sub if t.is_float() => Some("-="),
            BinaryOp::Mul if t.is_float() => Some("*="),
            BinaryOp::And => Some("&="),
            BinaryOp::Or => Some("|="),
            _ => None,
        };
        let text = match short {
            Some(op) => format!("{place} {op} {};", self.exprs.expr(value)),
            None => format!("{place} = {};", self.exprs.combined(op, place, value)),
        };
        self.line(&text);
    }

    fn reduce(&mut self, buffer: BufferId, index: &Expr, op: Monoid, value: &Expr) {
        let element = format!("{}[{}]", self.exprs.names.buffer(buffer), self.exprs.expr(index));
        let twice = matches!(op, Monoid::Min | Monoid::Max) || !self.exprs.dtype(value).is_float();
        if !twice || matches!(index, Expr::Var(_) | Expr::Index(_)) {
            return self.update(&element, op, value);
        }
        let (ty, name) = (self.exprs.element_type(buffer), self.exprs.names.fresh("element"));
        self.line("{");
        self.nested(|w| {
            w.line(&format!("{ty}& {name} = {element};"));
            w.update(&name, op, value);
        });
        self.line("}");
    }

    fn address(&self, buffer: BufferId, index: &Expr) -> String {
        format!("&{}[{}]", self.exprs.names.buffer(buffer), self.exprs.expr(index))
    }

    fn atomic(&mut self, buffer: BufferId, index: &Expr, op: Monoid, value: &Expr) {
        let at = self.address(buffer, index);
        let t = self.exprs.dtype(value);
        let value = self.exprs.exact(value);
        let text = match monoids::hardware(op, t) {
            Some(name) => format!("{name}({at}, {value});"),
            None => {
                self.exprs.needs.monoid(op, t, true);
                format!("{}::atomic({at}, {value});", monoids::name(op))
            }
        };
        self.line(&text);
    }

    /// What updates several elements: sums of what the hardware adds have a function of their own.
    fn atomic_vector(&self, op: Monoid, t: crate::scalar::DType) -> String {
        self.exprs.needs.part(Part::AtomicVectors);
        if op == Monoid::Add && monoids::hardware(op, t).is_some() {
            return "addVector".into();
        }
        self.exprs.needs.monoid(op, t, true);
        format!("atomicVector<{}>", monoids::name(op))
    }

    fn register_length(&self, buffer: BufferId) -> u32 {
        match self.exprs.program.buffer(buffer).space {
            Space::Register { len } => len,
            _ => unreachable!("a verified program declares register arrays alone"),
        }
    }

    fn declare_array(&mut self, buffer: BufferId, init: &str) {
        let (ty, name) = (self.exprs.element_type(buffer), self.exprs.names.buffer(buffer));
        self.line(&format!("{ty} {name}[{}]{init};", self.register_length(buffer)));
    }

    fn local(&mut self, buffer: BufferId, init: Value) {
        let len = self.register_length(buffer);
        if init.is_zero() {
            self.declare_array(buffer, " = {}");
        } else if len <= LISTED {
            let all = vec![value(init); len as usize].join(", ");
            self.declare_array(buffer, &format!(" = {{{all}}}"));
        } else {
            let (name, at) = (self.exprs.names.buffer(buffer), self.exprs.names.fresh("at"));
            self.declare_array(buffer, "");
            self.line("#pragma unroll");
            self.line(&format!("for (int {at} = 0; {at} < {len}; ++{at}) {name}[{at}] = {};", value(init)));
        }
    }

    /// What keeps the elements of register arrays in registers, and what a schedule asks for.
    fn unroll(&mut self, var: VarId, lo: &Expr, hi: &Expr, kind: LoopKind, body: &[Stmt]) {
        let constant = matches!((lo, hi), (Expr::Index(_), Expr::Index(_)));
        match kind {
            // Loads of a batch are in flight together, and have their registers.
            LoopKind::Unroll(1) => self.line("#pragma unroll 1  // a batch has its registers"),
            LoopKind::Unroll(copies) => self.line(&format!("#pragma unroll {copies}")),
            LoopKind::Lanes => self.line("#pragma unroll"),
            _ if constant && self.picks_registers(var, body) => self.line("#pragma unroll"),
            _ => {}
        }
    }

    /// Does the variable choose among the elements of a register array?
    fn picks_registers(&self, var: VarId, body: &[Stmt]) -> bool {
        let is_register =
            |id: BufferId| matches!(self.exprs.program.buffer(id).space, Space::Register { .. });
        let mut found = false;
        let mut access = |buffer: BufferId, index: &Expr| {
            found |= is_register(buffer) && index.mentions(var);
        };
        visit_stmts(body, &mut |s| {
            if let Stmt::Store { buffer, index, .. } | Stmt::Reduce { buffer, index, .. } = s {
                access(*buffer, index);
            }
            if let Stmt::LoadVector { to, part: Some(part), .. } = s {
                access(*to, &part.at);
            }
            s.for_each_expr(&mut |e| {
                e.visit(&mut |e| {
                    if let Expr::Load { buffer, index } = e {
                        access(*buffer, index);
                    }
                });
            });
        });
        found
    }

    /// What stands in the parentheses of a `for`. Its end is computed once.
    fn header(&self, var: VarId, lo: &Expr, hi: &Expr, step: u32) -> String {
        let (ty, name) = (self.exprs.type_of(var), self.exprs.names.var(var));
        let first = format!("{ty} {name} = {}", self.exprs.expr(lo));
        let next = if step == 1 { format!("++{name}") } else { format!("{name} += {step}") };
        if self.is_steady(hi) {
            return format!("{first}; {name} < {}; {next}", self.exprs.operand(hi, Prec::Sum));
        }
        let end = self.exprs.names.fresh(&format!("{name}_end"));
        format!("{first}, {end} = {}; {name} < {end}; {next}", self.exprs.expr(hi))
    }

    /// Is it as simple as a name, and the same in every iteration?
    fn is_steady(&self, e: &Expr) -> bool {
        match e {
            Expr::Index(_) => true,
            Expr::Var(v) => !self.mutable.contains(v),
            Expr::IndexOp(IndexOp::Add | IndexOp::Sub, a, b) => self.is_steady(a) && self.is_steady(b),
            _ => false,
        }
    }

    fn branch(&mut self, cond: &Expr, then: &[Stmt], mut otherwise: &[Stmt]) {
        self.line(&format!("if ({}) {{", self.exprs.expr(cond)));
        self.block(then);
        while let [Stmt::If { cond, then, otherwise: next }] = otherwise {
            self.line(&format!("}} else if ({}) {{", self.exprs.expr(cond)));
            self.block(then);
            otherwise = next;
        }
        if !otherwise.is_empty() {
            self.line("} else {");
            self.block(otherwise);
        }
        self.line("}");
    }
}
