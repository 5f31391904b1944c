//! What lanes do together, as calls of the prelude.

use super::expr::{Exprs, value};
use super::monoids;
use super::prelude::Part;
use crate::emit::signature::scalar;
use crate::llir::kernel::WARP;
use crate::llir::{
    Arrive, BufferId, Carry, Collective, Elem, Expr, Group, Neighbour, Over, Scanned, Sole, Space, Ty, VarId,
    Write,
};
use crate::scalar::{DType, Monoid};

/// An argument of a template, and is it what the template takes anyway?
struct Argument {
    text: String,
    default: bool,
}

fn given(text: impl Into<String>) -> Argument {
    Argument { text: text.into(), default: false }
}

fn operation(op: Monoid) -> Argument {
    Argument { text: monoids::name(op).to_owned(), default: op == Monoid::Add }
}

fn lanes(arrive: Arrive) -> Argument {
    match arrive {
        Arrive::Warp => Argument { text: "WholeWarp".into(), default: true },
        Arrive::Group => given("OwnGroup"),
    }
}

/// A template without the last arguments that go without saying.
fn instance(name: &str, mut arguments: Vec<Argument>) -> String {
    while arguments.last().is_some_and(|a| a.default) {
        arguments.pop();
    }
    let arguments: Vec<_> = arguments.into_iter().map(|a| a.text).collect();
    format!("{name}<{}>", arguments.join(", "))
}

fn sole(sole: Sole) -> &'static str {
    match sole {
        Sole::Store => "Store",
        Sole::Combine => "Combine",
    }
}

impl Exprs<'_> {
    /// A collective as a call, the operands apart, and what comes before it.
    pub(super) fn collective(self, c: &Collective) -> (String, Vec<String>) {
        let Group { size, arrive } = c.group();
        let size = given(size.to_string());
        match c {
            Collective::Total { var, op, .. } => {
                let name = self.names.var(*var);
                self.needs.part(Part::ReduceGroup);
                self.needs.monoid(*op, self.scalar_type(*var), false);
                let arguments = vec![given(self.type_of(*var)), size, operation(*op), lanes(arrive)];
                (format!("{name} = {}", instance("reduceGroup", arguments)), vec![name.to_owned()])
            }
            Collective::Scatter { buffer, op, .. } => {
                self.needs.part(Part::Scatter);
                let Space::Register { len } = self.program.buffer(*buffer).space else {
                    unreachable!("a verified program scatters register arrays")
                };
                self.needs.monoid(*op, self.element(*buffer), false);
                let (ty, len) = (given(self.element_type(*buffer)), given(len.to_string()));
                let call = instance("scatterGroup", vec![ty, size, len, operation(*op), lanes(arrive)]);
                (call, vec![self.names.buffer(*buffer).to_owned()])
            }
            Collective::Shuffle { var, value, from, .. } => {
                self.needs.part(Part::Neighbours);
                let name = match from {
                    Neighbour::Previous => "previousInGroup",
                    Neighbour::Next => "nextInGroup",
                };
                let ty = self.type_of(*var);
                let call = instance(name, vec![given(ty), size, lanes(arrive)]);
                (format!("const {ty} {} = {call}", self.names.var(*var)), vec![self.expr(value)])
            }
            Collective::Scan { of, before, all, over } => self.scan(of, *before, *all, *over),
            Collective::Segments { var, key, .. } => {
                self.needs.part(Part::Segments);
                let call = instance("segmentsOf", vec![size, lanes(arrive)]);
                (format!("const Segment {} = {call}", self.names.var(*var)), vec![self.expr(key)])
            }
            Collective::Reduce { segments, op, value, buffer, index, when, write, .. } => {
                let mut operands =
                    vec![self.names.buffer(*buffer).to_owned(), self.expr(index), self.expr(value)];
                operands.extend(segments.map(|var| self.names.var(var).to_owned()));
                if *when != Expr::Cond(true) {
                    operands.push(self.expr(when));
                }
                let ty = given(self.element_type(*buffer));
                let atomic = !matches!(write, Write::Sole(_));
                self.needs.part(if segments.is_some() { Part::SegReduceGroup } else { Part::WriteGroup });
                self.needs.monoid(*op, self.element(*buffer), atomic);
                if atomic && segments.is_none() {
                    self.needs.group_update(*op);
                }
                let (name, arguments) = match segments {
                    Some(_) => by_segments(ty, size, *op, *write, lanes(arrive)),
                    None => by_groups(ty, size, *op, *write, lanes(arrive)),
                };
                (instance(name, arguments), operands)
            }
            Collective::Carry(c) => self.carry(c),
        }
    }

    /// A scan. Where it has two results, the second one is declared before the call.
    fn scan(
        self,
        of: &Scanned,
        before: Option<VarId>,
        all: Option<VarId>,
        over: Over,
    ) -> (String, Vec<String>) {
        let (group, block) = match of {
            Scanned::Lanes(_) => (["countInGroup", "countBefore"], ["countInBlock", "countBeforeInBlock"]),
            Scanned::Sum(_) => (["sumInGroup", "sumBefore"], ["sumInBlock", "sumBeforeInBlock"]),
        };
        let (names, arguments, part) = match (over, of) {
            (Over::Group(Group { size, arrive }), of) => {
                let part = match of {
                    Scanned::Lanes(_) => Part::Votes,
                    Scanned::Sum(_) => Part::GroupSums,
                };
                (group, vec![given(size.to_string()), lanes(arrive)], part)
            }
            (Over::Block { partial }, of) => {
                let Space::Shared { len: warps } = self.program.buffer(partial).space else {
                    unreachable!("a verified block scans in shared memory")
                };
                let part = match of {
                    Scanned::Lanes(_) => Part::BlockVotes,
                    Scanned::Sum(_) => Part::BlockSums,
                };
                (block, vec![given((warps * WARP).to_string())], part)
            }
        };
        self.needs.part(part);
        let mut operands = vec![match of {
            Scanned::Lanes(when) => self.expr(when),
            Scanned::Sum(value) => self.count(value),
        }];
        if let Over::Block { partial } = over {
            operands.push(self.names.buffer(partial).to_owned());
        }
        let call = instance(names[usize::from(before.is_some())], arguments);
        if let (Some(_), Some(all)) = (before, all) {
            operands.push(self.names.var(all).to_owned());
        }
        let call = match before.or(all) {
            Some(var) => format!("const int {} = {call}", self.names.var(var)),
            None => call,
        };
        (call, operands)
    }

    fn carry(self, c: &Carry) -> (String, Vec<String>) {
        self.needs.part(Part::Carries);
        let Group { size, arrive } = c.group;
        self.needs.monoid(c.op, self.element(c.buffer), false);
        let ty = given(self.element_type(c.buffer));
        let by = Argument { text: sole(c.sole).to_owned(), default: c.sole == Sole::Store };
        let arguments = vec![ty, given(size.to_string()), operation(c.op), by, lanes(arrive)];
        let nothing = match self.program.buffer(c.buffer).elem {
            Elem::Scalar(t) => c.op.identity(t),
            Elem::Index => None,
        };
        let Some(nothing) = nothing else {
            unreachable!("a verified program reduces by a monoid of the type")
        };
        let buffer = |id| self.names.buffer(id).to_owned();
        let operands = vec![
            buffer(c.buffer),
            self.expr(&c.index),
            self.expr(&c.value),
            self.names.var(c.segments).to_owned(),
            self.expr(&c.when),
            self.expr(&c.began),
            value(nothing),
            buffer(c.sums),
            buffer(c.elements),
            self.expr(&c.slot),
        ];
        (instance("carrySegments", arguments), operands)
    }

    /// The type of a buffer's elements.
    fn element(self, buffer: BufferId) -> DType {
        match self.program.buffer(buffer).elem {
            Elem::Index => DType::I32,
            Elem::Scalar(t) => t,
        }
    }

    fn scalar_type(self, var: VarId) -> DType {
        match self.program.var(var).ty {
            Ty::Scalar(t) => t,
            Ty::Index | Ty::Cond | Ty::Segments => unreachable!("a verified program totals scalars"),
        }
    }

    /// A buffer's element type, spelled out.
    pub(super) fn element_type(self, buffer: BufferId) -> &'static str {
        match self.program.buffer(buffer).elem {
            Elem::Index => "int",
            Elem::Scalar(t) => scalar(t),
        }
    }
}

fn by_groups(
    ty: Argument,
    size: Argument,
    op: Monoid,
    write: Write,
    lanes: Argument,
) -> (&'static str, Vec<Argument>) {
    let atomic = match op {
        Monoid::Add => "atomicAddGroup",
        Monoid::Mul => "atomicMulGroup",
        Monoid::Min => "atomicMinGroup",
        Monoid::Max => "atomicMaxGroup",
        Monoid::And => "atomicAndGroup",
        Monoid::Or => "atomicOrGroup",
    };
    match write {
        Write::Sole(by) => ("writeGroup", vec![ty, size, given(monoids::name(op)), given(sole(by)), lanes]),
        // A group without segments has no complete ones.
        Write::Atomic | Write::Complete(_) => (atomic, vec![ty, size, lanes]),
    }
}

fn by_segments(
    ty: Argument,
    size: Argument,
    op: Monoid,
    write: Write,
    lanes: Argument,
) -> (&'static str, Vec<Argument>) {
    let writer = match write {
        Write::Sole(by) => given(sole(by)),
        Write::Atomic => Argument { text: "Atomic".into(), default: true },
        Write::Complete(by) => given(format!("Complete<{}>", sole(by))),
    };
    ("segReduceGroup", vec![ty, size, operation(op), writer, lanes])
}
