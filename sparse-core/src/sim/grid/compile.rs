//! LLIR to [`Code`]: variables and constants get registers, expressions get a stack of further ones.

use super::array::to_word;
use super::code::{CarryOut, Code, Combine, Flag, Given, Instr, Op, Pc, Place, Reg};
use super::collective::exchanges;
use crate::llir::kernel::WARP;
use crate::llir::walk::{visit_exprs, visit_stmts};
use crate::llir::{
    BufferId, Carry, Collective, Elem, Expr, Group, Launch, LoopKind, Over, Program, Scanned, Scope, Space,
    Stmt, Ty, VarId, Write,
};
use crate::scalar::DType;
use std::collections::HashMap;

/// Compiles a launch's body.
pub(super) fn compile<'a>(program: &'a Program, launch: &'a Launch) -> Code<'a> {
    let mut c = Compiler {
        program,
        code: Code {
            instrs: vec![],
            together: WARP,
            registers: 0,
            flags: 0,
            constants: vec![],
            true_flags: vec![],
            vars: vec![None; program.vars.len()],
            combines: vec![],
            arrays: vec![],
            lengths: vec![0; program.buffers.len()],
            writes: vec![false; program.buffers.len()],
            places: vec![None; program.buffers.len()],
        },
        constants: HashMap::new(),
        cond_constants: [None; 2],
        globals: 0,
        shared: 0,
        registers: 0,
        flags: 0,
        stmt: None,
        exits: vec![vec![]],
    };
    c.collect(launch);
    c.block(&launch.body);
    c.stmt = None;
    let end = c.emit(Op::End, 0);
    c.close(end as Pc);
    c.code
}

pub(super) struct Compiler<'a> {
    pub(super) program: &'a Program,
    pub(super) code: Code<'a>,
    pub(super) constants: HashMap<u64, Reg>,
    pub(super) cond_constants: [Option<Flag>; 2],
    globals: u32,
    shared: u32,
    /// The first that is free.
    registers: u32,
    flags: u32,
    stmt: Option<&'a Stmt>,
    /// By block around us: instructions that go to its end where no lane is left.
    exits: Vec<Vec<Pc>>,
}

impl<'a> Compiler<'a> {
    /// Registers of everything that the body names.
    fn collect(&mut self, launch: &'a Launch) {
        for axis in &launch.grid {
            self.declare(axis.var);
        }
        self.declare(launch.thread);
        visit_stmts(&launch.body, &mut |s| match s {
            Stmt::Let { var, .. }
            | Stmt::Mut { var, .. }
            | Stmt::For { var, .. }
            | Stmt::Fetch { var: Some(var), .. } => self.declare(*var),
            Stmt::Collective(c) => c.declared().for_each(|v| self.declare(v)),
            Stmt::Barrier(Scope::Group(size)) => self.code.together = *size,
            _ => {}
        });
        visit_exprs(&launch.body, &mut |e| match e {
            Expr::Var(v) => self.declare(*v),
            Expr::Index(n) => self.constant(*n),
            Expr::Lit(v) => self.constant(to_word(*v)),
            Expr::Cond(c) if self.cond_constants[usize::from(*c)].is_none() => {
                let flag = self.new_flag();
                self.cond_constants[usize::from(*c)] = Some(flag);
                if *c {
                    self.code.true_flags.push(flag);
                }
            }
            _ => {}
        });
    }

    fn declare(&mut self, var: VarId) {
        if self.code.vars[var.index()].is_none() {
            let slot = match self.program.var(var).ty {
                Ty::Cond => self.new_flag(),
                Ty::Index | Ty::Scalar(_) | Ty::Segments => self.new_register(),
            };
            self.code.vars[var.index()] = Some(slot);
        }
    }

    fn constant(&mut self, word: u64) {
        if !self.constants.contains_key(&word) {
            let to = self.new_register();
            self.constants.insert(word, to);
            self.code.constants.push((to, word));
        }
    }

    pub(super) fn new_register(&mut self) -> Reg {
        self.registers += 1;
        self.code.registers = self.code.registers.max(self.registers as usize);
        self.registers - 1
    }

    pub(super) fn new_flag(&mut self) -> Flag {
        self.flags += 1;
        self.code.flags = self.code.flags.max(self.flags as usize);
        self.flags - 1
    }

    /// The register of an index, scalar or segments, or the flag of a condition.
    pub(super) fn var(&self, var: VarId) -> u32 {
        self.code.vars[var.index()]
            .unwrap_or_else(|| unreachable!("every variable of the body has been collected"))
    }

    pub(super) fn emit(&mut self, op: Op, cost: u32) -> usize {
        self.code.instrs.push(Instr { op, cost, stmt: self.stmt });
        self.code.instrs.len() - 1
    }

    fn here(&self) -> Pc {
        self.code.instrs.len() as Pc
    }

    /// Where a forward jump goes, now that it is known: to the next instruction.
    pub(super) fn land(&mut self, at: usize) {
        let here = self.here();
        match &mut self.code.instrs[at].op {
            Op::If { otherwise: to, .. }
            | Op::Else { end: to }
            | Op::While { end: to, .. }
            | Op::For { end: to, .. }
            | Op::EndIf { out: to }
            | Op::EndLoop { out: to }
            | Op::Exit { out: to } => *to = here,
            _ => unreachable!("only jumps land"),
        }
    }

    /// Emits what goes to the end of the block around it where no lane is left.
    fn emit_out(&mut self, op: Op) {
        let at = self.emit(op, 0) as Pc;
        self.exits.last_mut().unwrap_or_else(|| unreachable!("there is a block")).push(at);
    }

    /// The block ends with this instruction: there the lanes come out that are all gone.
    fn close(&mut self, end: Pc) {
        for at in self.exits.pop().unwrap_or_default() {
            match &mut self.code.instrs[at as usize].op {
                Op::EndIf { out } | Op::EndLoop { out } | Op::Exit { out } => *out = end,
                _ => unreachable!("only these come out"),
            }
        }
    }

    /// A nested block, and the instruction that ends it.
    fn nested(&mut self, block: &'a [Stmt], stmt: &'a Stmt, end: Op, cost: u32) -> usize {
        self.exits.push(vec![]);
        self.block(block);
        self.stmt = Some(stmt);
        let at = self.emit(end, cost);
        self.close(at as Pc);
        at
    }

    fn block(&mut self, block: &'a [Stmt]) {
        for stmt in block {
            let free = (self.registers, self.flags);
            self.stmt = Some(stmt);
            self.statement(stmt);
            (self.registers, self.flags) = free;
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Let { var, value } | Stmt::Mut { var, value } => {
                let to = self.var(*var);
                match self.program.var(*var).ty {
                    Ty::Cond => self.cond(value, Some(to)),
                    _ => self.word(value, Some(to)),
                };
            }
            Stmt::Assign { var, value } => {
                let to = self.var(*var);
                if self.program.var(*var).ty == Ty::Cond {
                    let from = self.cond(value, None);
                    self.emit(Op::MoveFlag { to, from }, 0);
                } else {
                    let from = self.word(value, None);
                    self.emit(Op::Move { to, from }, 0);
                }
            }
            Stmt::Update { var, op, value } => {
                let Ty::Scalar(t) = self.program.var(*var).ty else {
                    unreachable!("a verified program updates scalars")
                };
                let (var, b) = (self.var(*var), self.word(value, None));
                let from = self.new_register();
                self.emit(Op::Binary { op: op.op(), t, to: from, a: var, b }, 1);
                self.emit(Op::Move { to: var, from }, 0);
            }
            Stmt::Store { buffer, index, value } => {
                let place = self.written(*buffer);
                let (index, value) = (self.element(place, index), self.word(value, None));
                // A register array's elements are variables, and copies cost nothing.
                let cost = if matches!(place, Place::Register(_)) { 0 } else { 1 };
                self.emit(Op::Store { place, index, value }, cost);
            }
            Stmt::Reduce { buffer, index, op, value } => {
                let (place, op) = (self.written(*buffer), *op);
                let (index, value) = (self.element(place, index), self.word(value, None));
                // A register array's element is operated on where it is.
                let cost = if matches!(place, Place::Register(_)) { 1 } else { 3 };
                self.emit(Op::Reduce { place, index, op, value }, cost);
            }
            Stmt::Atomic { buffer, index, op, value } => {
                let (index, value) = (self.word(index, None), self.word(value, None));
                let (place, op) = (self.written(*buffer), *op);
                self.emit(Op::Atomic { place, index, op, value }, 1);
            }
            Stmt::Claim { var, buffer, index, value } => {
                let (index, value) = (self.word(index, None), self.word(value, None));
                let (place, to) = (self.written(*buffer), self.var(*var));
                // A load, and is nothing there? Swaps are counted where they are made.
                self.emit(Op::Claim { to, place, index, value }, 2);
            }
            Stmt::Fetch { op, var, buffer, index, value } => {
                let (index, value) = (self.word(index, None), self.word(value, None));
                let (place, to) = (self.written(*buffer), var.map(|v| self.var(v)));
                self.emit(Op::Fetch { op: *op, to, place, index, value }, 1);
            }
            Stmt::LoadVector { to, part, buffer, index } => {
                let index = self.word(index, None);
                let (array, place) = (self.register_array(*to), self.place(*buffer));
                let part = part.as_ref().map(|p| (self.element(Place::Register(array), &p.at), p.len));
                self.emit(Op::LoadVector { array, part, place, index }, 1);
            }
            Stmt::StoreVector { buffer, index, from, update } => {
                let index = self.word(index, None);
                let (place, array) = (self.written(*buffer), self.register_array(*from));
                let atomics = match (update, self.program.buffer(*buffer).elem) {
                    (None, _) => 0,
                    (Some(op), Elem::Scalar(of)) if op.updates_vectors(of) => 1,
                    _ => self.code.arrays[array as usize],
                };
                self.emit(Op::StoreVector { place, index, array, update: *update, atomics }, 1);
            }
            Stmt::Local { buffer, init } => {
                let array = self.register_array(*buffer);
                self.emit(Op::Local { array, word: init.map(to_word) }, 0);
            }
            Stmt::For { var, lo, hi, step, kind, body } => {
                let [test, next_one] = if is_written_out(*kind, lo, hi, *step) { [0; 2] } else { [2, 1] };
                let var = self.var(*var);
                // Evaluated once, whatever becomes of the variables in it.
                let end = self.new_register();
                let hi = self.word(hi, Some(end));
                self.word(lo, Some(var));
                self.emit(Op::Loop, 0);
                let head = self.emit(Op::For { var, hi, end: 0 }, test);
                let next = Op::Next { var, by: u64::from(*step), head: head as Pc };
                self.nested(body, stmt, next, next_one);
                self.land(head);
                self.emit_out(Op::EndLoop { out: 0 });
            }
            Stmt::While { cond, body } => {
                self.emit(Op::Loop, 0);
                let head = self.here();
                let cond = self.cond(cond, None);
                let test = self.emit(Op::While { cond, end: 0 }, 1);
                self.nested(body, stmt, Op::Jump { to: head }, 0);
                self.land(test);
                self.emit_out(Op::EndLoop { out: 0 });
            }
            Stmt::If { cond, then, otherwise } => {
                let cond = self.cond(cond, None);
                let branch = self.emit(Op::If { cond, otherwise: 0 }, 1);
                let end = self.nested(then, stmt, Op::Else { end: 0 }, 0);
                self.code.instrs[branch].op = Op::If { cond, otherwise: end as Pc };
                self.exits.push(vec![]);
                self.block(otherwise);
                self.stmt = Some(stmt);
                self.land(end);
                self.close(self.here());
                self.emit_out(Op::EndIf { out: 0 });
            }
            Stmt::Collective(c) => self.collective(c),
            Stmt::Barrier(scope) => {
                self.emit(Op::Barrier(*scope), 1);
            }
            Stmt::Exit => self.emit_out(Op::Exit { out: 0 }),
            Stmt::Comment(_) => {}
            Stmt::Append { .. }
            | Stmt::AppendN { .. }
            | Stmt::Alloc { .. }
            | Stmt::Mask { .. }
            | Stmt::Scatter { .. }
            | Stmt::Place { .. }
            | Stmt::Gather(_)
            | Stmt::Threads { .. }
            | Stmt::Scan { .. } => {
                unreachable!("a verified launch has no such statement")
            }
        }
    }

    fn collective(&mut self, c: &Collective) {
        let group = c.group();
        let steps = group.size.ilog2();
        match c {
            Collective::Total { var, op, .. } => {
                let t = self.scalar_var(*var);
                self.emit(Op::Total { var: self.var(*var), op: *op, t, group }, 2 * steps);
            }
            Collective::Scatter { buffer, op, .. } => {
                let (Place::Register(array), Space::Register { len }) =
                    (self.written(*buffer), self.program.buffer(*buffer).space)
                else {
                    unreachable!("a verified program scatters register arrays")
                };
                // What is kept and what is given away is selected, then shuffled and combined.
                let (halving, tree) = exchanges(len, group);
                self.emit(Op::Scatter { array, len, op: *op, group }, 4 * halving + 2 * tree);
            }
            Collective::Shuffle { var, value, from, .. } => {
                let value = self.word(value, None);
                self.emit(Op::Shuffle { to: self.var(*var), value, from: *from, group }, 1);
            }
            Collective::Scan { of, before, all, over } => self.scan(of, *before, *all, *over),
            Collective::Segments { var, key, .. } => {
                let key = self.word(key, None);
                // A shuffle, a comparison, a ballot, and what makes lengths of its bits.
                self.emit(Op::Segments { to: self.var(*var), key, group }, 5);
            }
            Collective::Reduce { segments, op, value, buffer, index, when, write, .. } => {
                let value = self.word(value, None);
                let index = self.word(index, None);
                let when = self.cond(when, None);
                let Elem::Scalar(t) = self.program.buffer(*buffer).elem else {
                    unreachable!("a verified program reduces scalars")
                };
                let place = self.written(*buffer);
                let segments = segments.map(|s| self.var(s));
                // A shuffle and an operation a step, with segments a comparison too; then who writes is found.
                let cost = if segments.is_some() { 3 * steps + 2 } else { 2 * steps + 1 };
                let (op, write) = (*op, *write);
                let carry = None;
                let combine = Combine { group, segments, op, t, value, place, index, when, write, carry };
                self.code.combines.push(combine);
                self.emit(Op::Combine(self.code.combines.len() as u32 - 1), cost);
            }
            Collective::Carry(c) => self.carry(c),
        }
    }

    fn scan(&mut self, of: &Scanned, before: Option<VarId>, all: Option<VarId>, over: Over) {
        let [to_before, to_all] = [before, all].map(|var| var.map(|v| self.var(v)));
        let given = match of {
            Scanned::Lanes(when) => Given::Votes(self.cond(when, None)),
            Scanned::Sum(value) => Given::Sum(self.word(value, None)),
        };
        let group = match over {
            Over::Group(group) => group,
            Over::Block { .. } => Group::WARP,
        };
        let steps = group.size.ilog2();
        let cost = match given {
            // A ballot, the group's bits of it, and the number of them, or of those of lanes before.
            Given::Votes(_) => 3 + u32::from(before.is_some()) + u32::from(all.is_some()),
            // A shuffle and a sum that stops a step; then the neighbour's, and the last lane's.
            Given::Sum(_) if before.is_some() => 4 * steps + 2 + u32::from(all.is_some()),
            Given::Sum(_) => 3 * steps,
        };
        let Over::Block { partial } = over else {
            self.emit(Op::Scan { of: given, before: to_before, all: to_all, group }, cost);
            return;
        };
        let (place, own) = (self.written(partial), self.new_register());
        self.emit(Op::Scan { of: given, before: to_before, all: Some(own), group }, cost);
        self.emit(Op::StoreOfWarp { place, value: own }, 2);
        self.emit(Op::Barrier(Scope::Block), 1);
        let Space::Shared { len: warps } = self.program.buffer(partial).space else {
            unreachable!("a verified block scans in shared memory")
        };
        let each = 3 + u32::from(before.is_some());
        let (before, all) = (to_before, to_all);
        self.emit(Op::LoadWarps { place, warps, before, all }, warps * each);
    }

    fn carry(&mut self, c: &Carry) {
        let (value, index) = (self.word(&c.value, None), self.word(&c.index, None));
        let (when, began) = (self.cond(&c.when, None), self.cond(&c.began, None));
        let slot = self.word(&c.slot, None);
        let Elem::Scalar(t) = self.program.buffer(c.buffer).elem else {
            unreachable!("a verified program reduces scalars")
        };
        let nothing = c.op.identity(t).map_or(0, to_word);
        let [place, sums, elements] = [c.buffer, c.sums, c.elements].map(|b| self.written(b));
        let combine = Combine {
            group: c.group,
            segments: Some(self.var(c.segments)),
            op: c.op,
            t,
            value,
            place,
            index,
            when,
            write: Write::Sole(c.sole),
            carry: Some(CarryOut { began, slot, sums, elements, nothing }),
        };
        self.code.combines.push(combine);
        // As of segments; then which of them stay open.
        let cost = 3 * c.group.size.ilog2() + 5;
        self.emit(Op::Combine(self.code.combines.len() as u32 - 1), cost);
    }

    fn scalar_var(&self, var: VarId) -> DType {
        match self.program.var(var).ty {
            Ty::Scalar(t) => t,
            _ => unreachable!("a verified program has a scalar here"),
        }
    }

    /// The index of an element. Of a register array the device's compiler knows which it is, so that it costs nothing.
    pub(super) fn element(&mut self, place: Place, index: &Expr) -> Reg {
        let before = self.code.instrs.len();
        let index = self.word(index, None);
        if matches!(place, Place::Register(_)) {
            self.code.instrs[before..].iter_mut().for_each(|instr| instr.cost = 0);
        }
        index
    }

    fn register_array(&mut self, buffer: BufferId) -> u32 {
        match self.place(buffer) {
            Place::Register(array) => array,
            _ => unreachable!("a verified program has a register array here"),
        }
    }

    fn written(&mut self, buffer: BufferId) -> Place {
        self.code.writes[buffer.index()] = true;
        self.place(buffer)
    }

    pub(super) fn place(&mut self, buffer: BufferId) -> Place {
        if let Some(place) = self.code.places[buffer.index()] {
            return place;
        }
        let place = match self.program.buffer(buffer).space {
            Space::Register { len } => {
                self.code.arrays.push(len);
                Place::Register(self.code.arrays.len() as u32 - 1)
            }
            Space::Shared { len } => {
                self.code.lengths[buffer.index()] = len;
                self.shared += 1;
                Place::Shared(self.shared - 1)
            }
            Space::Input
            | Space::InOut
            | Space::Output
            | Space::Growable
            | Space::Scratch
            | Space::Gathered => {
                self.globals += 1;
                Place::Global(self.globals - 1)
            }
        };
        self.code.places[buffer.index()] = Some(place);
        place
    }
}

/// Does a device's compiler write out all iterations of the loop?
fn is_written_out(kind: LoopKind, lo: &Expr, hi: &Expr, step: u32) -> bool {
    match (kind, lo, hi) {
        (LoopKind::Unroll(copies), Expr::Index(lo), Expr::Index(hi)) => {
            hi.saturating_sub(*lo).div_ceil(u64::from(step)) <= u64::from(copies)
        }
        _ => false,
    }
}
