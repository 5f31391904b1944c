//! Reductions in an order that is the same in every run: `Deterministic`.
//!
//! Lanes reduce by segments of equal output coordinates, as ever. What a group has for itself it writes; of its first and
//! its last segment its neighbours may have parts: it carries these out, into two slots of arrays that live as long as
//! the call. A second launch adds up the slots in the order of the positions, and has one writer an element:
//!
//! ```text
//! element = elements[p]; sum = sums[p]                      p = 32 · warp + lane
//! the last lane adds the slots after the warp's that have its element, unless they began before the warp
//! segReduceGroup(y, element, sum, segments(element)) if elements[32 · warp - 1] != element
//! ```
//!
//! Columns have slots of their own, one column after another.

use super::super::Lowerer;
use super::super::place::Leader;
use super::super::position::Parents;
use super::super::state::State;
use super::super::update::Update;
use crate::cin::provenance::{Part, Relation};
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use crate::llir::kernel::WARP;
use crate::llir::walk::visit_stmts;
use crate::llir::{
    Arrive, Axis, Block, BufferId, Collective, Elem, Expr, Group, IndexOp, Launch, Sole, Space, Step, Stmt,
    Ty, VarId, Write, build,
};
use crate::scalar::Monoid;

/// Threads of a block of the second launch.
const THREADS: u32 = 256;

/// What a group carries out.
#[derive(Clone, Debug)]
pub(in super::super) struct Carried {
    /// The group's number, in the order of the positions, and how many there are.
    group: VarId,
    groups: VarId,
    /// The variables that the positions decide, and those of them that the result has.
    roots: Vec<IndexVar>,
    keys: Vec<IndexVar>,
    /// How many positions there are, as a thread and as the host know it, and how many a group has.
    positions: (Expr, Expr),
    each: u64,
}

/// What a launch carries out.
#[derive(Clone, PartialEq)]
pub(super) struct Carries {
    sums: BufferId,
    elements: BufferId,
    output: BufferId,
    op: Monoid,
    positions: (Expr, Expr),
    each: u64,
    columns: Expr,
}

fn op(op: IndexOp, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::IndexOp(op, Box::new(a.into()), Box::new(b.into()))
}

/// The number of parts of so many.
fn parts(of: Expr, each: u64) -> Expr {
    op(IndexOp::Div, build::add(of, Expr::Index(each - 1)), Expr::Index(each))
}

impl Carries {
    fn slots(&self, positions: &Expr) -> Expr {
        build::mul(parts(positions.clone(), self.each), Expr::Index(2))
    }
}

/// What is known of a lane's positions.
pub(super) struct LanePositions<'a> {
    /// The first.
    pub(super) lo: Expr,
    /// Is there one?
    pub(super) some: &'a Expr,
    /// No loop outside visits their rows again.
    pub(super) contiguous: bool,
}

impl Lowerer<'_> {
    fn is_deterministic(&self, v: IndexVar) -> bool {
        matches!(self.provenance.tag(v).parallel, Some((_, Strategy::Deterministic)))
    }

    /// What the groups of a loop carry out, if its updates are to be in the same order in every run.
    pub(super) fn carried(
        &mut self,
        v: IndexVar,
        leader: &Leader,
        parents: &[Parents],
        lane: LanePositions<'_>,
        block: &mut Block,
    ) -> Result<Option<Carried>, Box<Diagnostic>> {
        let LanePositions { lo, some, contiguous } = lane;
        if !self.is_deterministic(v) {
            return Ok(None);
        }
        if !contiguous {
            return Err(self.not_deterministic(
                "equal coordinates are not neighbours over the whole launch: a loop outside visits them again",
                "`fuse` all levels of the operand, take their positions, and leave loops over dense variables for outputs of their own",
            ));
        }
        let keys: Vec<_> = leader.roots.iter().copied().filter(|r| self.out.vars.contains(r)).collect();
        let stored: Vec<_> = self.out.vars.iter().copied().filter(|o| keys.contains(o)).collect();
        if stored != keys {
            return Err(self.not_deterministic(
                "the result is stored in another order than the operand whose positions lanes take",
                "store the result in the operand's order, and convert it after",
            ));
        }
        let all = match parents.last() {
            Some((Expr::Index(0), end)) => Option::zip(self.device_size(end), self.host_size(end)),
            _ => None,
        };
        let (Some(positions), Expr::Cond(true)) = (all, some) else {
            return Err(self.not_deterministic(
                "lanes take positions of a part of the operand, or of a constant number of blocks",
                "`fuse` all levels of the operand, take their positions, and `split` these into blocks",
            ));
        };
        let each = self.positions_of_group(v, leader).ok_or_else(|| {
            self.not_deterministic(
                "groups do not have as many positions each: their numbers would not be in order",
                "`split` the positions by constants that are multiples of what is inside",
            )
        })?;
        let group = self.fresh("group", Ty::Index);
        block.push(Stmt::Let { var: group, value: op(IndexOp::Div, lo, Expr::Index(each)) });
        let groups = self.fresh("groups", Ty::Index);
        block.push(Stmt::Let { var: groups, value: parts(positions.0.clone(), each) });
        let roots = leader.roots.clone();
        Ok(Some(Carried { group, groups, roots, keys, positions, each }))
    }

    /// How many positions a group of the loop's threads has, if all have as many.
    fn positions_of_group(&self, v: IndexVar, leader: &Leader) -> Option<u64> {
        let Some((Unit::GpuGroup(r), _)) = self.provenance.tag(v).parallel else { return None };
        let (mut each, mut at) = (u64::from(r), v);
        while at != leader.pos {
            match *self.provenance.made_by(at)? {
                Relation::Split { parent, inner, part: Part::Inner(n), .. } => {
                    if at == inner {
                        n.is_multiple_of(each).then_some(())?;
                    } else {
                        each = each.checked_mul(n)?;
                    }
                    at = parent;
                }
                Relation::Bound { parent, .. } => at = parent,
                _ => return None,
            }
        }
        Some(each)
    }

    /// The arrays that take what is carried out, and the group's slot in them, for the element that is written.
    pub(super) fn carry_slot(
        &mut self,
        carried: &Carried,
        op: Monoid,
        output: BufferId,
        st: &State,
    ) -> Option<(BufferId, BufferId, Expr)> {
        // A slot is stored once.
        if self.sums_inside(&carried.roots, st) {
            self.refuse_sums();
            return None;
        }
        let (mut column, mut columns) = (Expr::Index(0), Expr::Index(1));
        for v in self.out.vars.clone() {
            if carried.keys.contains(&v) {
                continue;
            }
            if !self.visits_all(v) {
                self.refuse_columns();
                return None;
            }
            let Some(at) = st.coords[v.index()].clone() else {
                self.refuse_order();
                return None;
            };
            column = build::add(build::mul(column, self.extent(v)), at);
            columns = build::mul(columns, self.extent(v));
        }
        let known = self.gpu.as_ref().and_then(|gpu| gpu.carries.clone());
        let (sums, elements) = match &known {
            Some(carries) => (carries.sums, carries.elements),
            None => {
                let name = format!("{}_carry", self.kernel.tensors[self.out.tensor.index()].name);
                let sums = self.carry_array(&name, Elem::Scalar(self.dtype));
                (sums, self.carry_array(&format!("{name}_at"), Elem::Index))
            }
        };
        let (positions, each) = (carried.positions.clone(), carried.each);
        let carries = Carries { sums, elements, output, op, positions, each, columns };
        if known.is_some_and(|known| known != carries) {
            self.refuse_order();
            return None;
        }
        if let Some(gpu) = &mut self.gpu {
            gpu.carries = Some(carries);
        }
        let slot = build::add(build::mul(column, carried.groups), carried.group);
        Some((sums, elements, build::mul(slot, Expr::Index(2))))
    }

    /// Does the loop over a variable run for all of its coordinates, whatever the operands store?
    fn visits_all(&self, v: IndexVar) -> bool {
        self.accesses.iter().zip(&self.level_vars).all(|(a, vars)| {
            let levels = &self.kernel.tensors[a.tensor.index()].spec.levels;
            vars.iter().zip(levels).all(|(u, level)| *u != v || *level == Level::Dense)
        })
    }

    fn carry_array(&mut self, name: &str, elem: Elem) -> BufferId {
        self.local(name, elem, Space::Output)
    }

    /// A plain store where nobody else writes the element; elsewhere it is the first that the group carries out.
    pub(super) fn store_or_carry(
        &mut self,
        sole: Expr,
        carried: &Carried,
        update: Update,
        st: &State,
    ) -> Block {
        let slot = self.carry_slot(carried, update.op, update.buffer, st);
        let Some((sums, elements, slot)) = slot else { return vec![] };
        let plain = self.store_sole(Expr::Cond(true), update.clone());
        let Update { index, value, .. } = update;
        let at = self.fresh("slot", Ty::Index);
        let carry = vec![
            Stmt::Let { var: at, value: slot },
            Stmt::Store { buffer: sums, index: at.into(), value },
            Stmt::Store { buffer: elements, index: at.into(), value: index },
        ];
        vec![Stmt::If { cond: sole, then: plain, otherwise: carry }]
    }

    /// Allocates what the launch carries out.
    pub(in super::super) fn carry_arrays(&self) -> Vec<Step> {
        let Some(carries) = self.gpu.as_ref().and_then(|gpu| gpu.carries.as_ref()) else { return vec![] };
        let columns = self.host_size(&carries.columns).unwrap_or(Expr::Index(1));
        let len = build::mul(columns, carries.slots(&carries.positions.1));
        let array = |buffer| Step::Allocate { buffer, len: len.clone(), init: None };
        vec![array(carries.sums), array(carries.elements)]
    }

    /// Adds up what the launch carried out.
    pub(in super::super) fn carry_launch(&mut self) -> Option<Step> {
        let carries = self.gpu.as_ref()?.carries.clone()?;
        let Carries { sums, elements, output, op: monoid, columns, .. } = carries.clone();
        let (block, thread) = (self.fresh("block_x", Ty::Index), self.fresh("thread_x", Ty::Index));
        let identity = Expr::Lit(monoid.identity(self.dtype)?);
        let lanes = u64::from(WARP);
        let chunks_of = |positions| parts(carries.slots(positions), lanes);
        let host_columns = self.host_size(&columns)?;
        let warps = build::mul(host_columns, chunks_of(&carries.positions.1));
        let blocks = parts(warps, u64::from(THREADS / WARP));

        let mut head = Block::new();
        let slots = self.named("carries", carries.slots(&carries.positions.0), &mut head);
        let chunks = self.named("chunks", parts(slots.clone(), lanes), &mut head);
        let own = op(IndexOp::Div, thread, Expr::Index(lanes));
        let warp = build::add(build::mul(block, Expr::Index(u64::from(THREADS / WARP))), own);
        let warp = self.named("warp", warp, &mut head);
        let lane = self.named("lane", op(IndexOp::Rem, thread, Expr::Index(lanes)), &mut head);
        let mut body = Block::new();
        let (inside, chunk, base) = if columns == Expr::Index(1) {
            (build::lt(warp.clone(), chunks), warp, Expr::Index(0))
        } else {
            let column = op(IndexOp::Div, warp.clone(), chunks.clone());
            let column = self.named("column", column, &mut head);
            let chunk = self.named("chunk", op(IndexOp::Rem, warp, chunks), &mut body);
            let base = self.named("base", build::mul(column.clone(), slots.clone()), &mut body);
            (build::lt(column, columns), chunk, base)
        };
        let begin = build::add(base.clone(), build::mul(chunk.clone(), Expr::Index(lanes)));
        let begin = self.named("begin", begin, &mut body);
        let end = build::add(base, slots);
        let end = if matches!(end, Expr::Var(_)) { end } else { self.named("end", end, &mut body) };
        let at = self.named("at", build::add(begin.clone(), lane.clone()), &mut body);
        let live = self.fresh("live", Ty::Cond);
        body.push(Stmt::Let { var: live, value: build::lt(at.clone(), end.clone()) });
        let most = build::sub(end.clone(), Expr::Index(1));
        let p = self.named("p", build::min(at.clone(), most.clone()), &mut body);
        let element = self.named("element", build::load(elements, p.clone()), &mut body);
        let last = build::min(build::add(begin.clone(), Expr::Index(lanes - 1)), most);
        let last = self.named("last", build::load(elements, last), &mut body);
        // Of an element that has carries before the warp's, another warp is the writer.
        let before = build::load(elements, build::sub(begin, Expr::Index(1)));
        let begun = |e: &Expr| {
            build::and(build::ne(chunk.clone(), Expr::Index(0)), build::eq(before.clone(), e.clone()))
        };

        let rest = self.fresh("rest", Ty::Scalar(self.dtype));
        body.push(Stmt::Mut { var: rest, value: identity.clone() });
        let next = self.fresh("next", Ty::Index);
        let more = build::and(build::lt(next, end), build::eq(build::load(elements, next), last.clone()));
        let step = vec![
            Stmt::Update { var: rest, op: monoid, value: build::load(sums, next) },
            Stmt::Assign { var: next, value: build::add(next, Expr::Index(lanes)) },
        ];
        let others = vec![
            Stmt::Mut { var: next, value: build::add(at, Expr::Index(lanes)) },
            Stmt::While { cond: more, body: step },
        ];
        body.push(Stmt::Comment("the warp's last element has carries after it".into()));
        body.push(Stmt::If { cond: Expr::Not(Box::new(begun(&last))), then: others, otherwise: vec![] });
        let group = Group { size: WARP, arrive: Arrive::Warp };
        body.push(Stmt::Collective(Collective::Total { var: rest, op: monoid, group }));
        let sum = self.fresh("sum", Ty::Scalar(self.dtype));
        let mine = Expr::Select(Box::new(live.into()), Box::new(build::load(sums, p)), Box::new(identity));
        body.push(Stmt::Mut { var: sum, value: mine });
        let add = vec![Stmt::Update { var: sum, op: monoid, value: rest.into() }];
        body.push(Stmt::If { cond: build::eq(lane, Expr::Index(lanes - 1)), then: add, otherwise: vec![] });
        let segments = self.fresh("segment", Ty::Segments);
        body.push(Stmt::Collective(Collective::Segments { var: segments, key: element.clone(), group }));
        body.push(Stmt::Collective(Collective::Reduce {
            group,
            segments: Some(segments),
            op: monoid,
            value: sum.into(),
            buffer: output,
            index: element.clone(),
            when: build::and(live, Expr::Not(Box::new(begun(&element)))),
            write: Write::Sole(Sole::Combine),
        }));
        head.push(Stmt::If { cond: inside, then: body, otherwise: vec![] });
        let name = format!("{}_carries", self.kernel.name);
        let grid = vec![Axis { var: block, blocks }];
        Some(Step::Launch(Launch {
            name,
            grid,
            thread,
            threads: THREADS,
            resident: 0,
            follows: false,
            shared: vec![],
            body: head,
        }))
    }

    fn named(&mut self, name: &str, value: Expr, block: &mut Block) -> Expr {
        let var = self.fresh(name, Ty::Index);
        block.push(Stmt::Let { var, value });
        var.into()
    }

    /// Does one of the schedule's loops promise an order of updates?
    pub(super) fn promises_order(&self) -> bool {
        (0..self.provenance.len() as u32).map(IndexVar).any(|v| self.is_deterministic(v))
    }

    /// No update waits for its turn where an order is promised.
    pub(super) fn check_order(&self, launch: &Launch) -> Result<(), Box<Diagnostic>> {
        if !self.promises_order() {
            return Ok(());
        }
        let mut atomic = false;
        visit_stmts(&launch.body, &mut |s| {
            atomic |= matches!(s, Stmt::Atomic { .. } | Stmt::StoreVector { update: Some(_), .. });
            if let Stmt::Collective(Collective::Reduce { write, .. }) = s {
                atomic |= matches!(write, Write::Atomic | Write::Complete(_));
            }
        });
        if atomic { Err(self.no_order()) } else { Ok(()) }
    }

    fn refuse_order(&mut self) {
        if self.refused.is_none() {
            self.refused = Some(self.no_order());
        }
    }

    fn refuse_columns(&mut self) {
        if self.refused.is_none() {
            self.refused = Some(self.not_deterministic(
                "a loop around them visits only the coordinates that an operand stores, and the others have no sums",
                "convert that operand to a format whose outer levels are `Dense`",
            ));
        }
    }

    fn refuse_sums(&mut self) {
        if self.refused.is_none() {
            self.refused = Some(self.not_deterministic(
                "a loop inside them comes by the same element again, of which its group has one part to carry out",
                "`reorder` so that loops over variables that are summed stand inside those over the result's",
            ));
        }
    }

    fn no_order(&self) -> Box<Diagnostic> {
        self.not_deterministic(
            "several groups update the same element, in the order in which they come",
            "run a part of the positions on the group whose first levels are the result's: `fuse(i, j, f)`, `pos(f, p, A[i, j])`, `split(p, block, lane, 256)`; or write `Atomics`",
        )
    }

    fn not_deterministic(&self, why: &str, help: &str) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "not-deterministic",
                self.kernel.assignment.lhs.span,
                format!("`Deterministic` is for sorted positions: {why}"),
            )
            .help(help),
        )
    }
}
